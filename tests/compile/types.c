/* What a value is recorded as, in both languages: a compiler that optimises knows it. */
#include <stave/stave.h>

struct packed {
    bool one : 1;
    int five : 5;
};

void types(bool flag, volatile bool *moving, const struct packed *bits, int a, int b,
           const char *text);

#ifdef __OPTIMIZE__
extern void wrong(void) __attribute__((error("is recorded as another type")));

#define IS(wanted, value)                                                                          \
    do {                                                                                           \
        if (STAVE__VALUE(value, #value).type != STAVE__##wanted)                                   \
            wrong();                                                                               \
    } while (0)
#else
#define IS(wanted, value) (void)STAVE__VALUE(value, #value)
#endif

#ifdef __cplusplus
#define COMPARISON BOOL
#else
#define COMPARISON I64
#endif
#define IS_AS(wanted, value) IS(wanted, value) /* `wanted` a macro */

void types(bool flag, volatile bool *moving, const struct packed *bits, int a, int b,
           const char *text)
{
    IS(BOOL, true);
    IS(BOOL, false);
    IS(BOOL, flag);
    IS(BOOL, *moving);
    IS(BOOL, bits->one);
    IS(BOOL, (bool)(a < b));
    IS(BOOL, flag = true);
    IS_AS(COMPARISON, a < b);
    IS_AS(COMPARISON, !flag);
    IS(I64, 1);
    IS(I64, a);
    IS(I64, flag + 0);
    IS(I64, bits->five);
    IS(I64, 'c');
    IS(U64, 1ull);
    IS(U64, &a);
    IS(F64, 0.5);
    IS(F64, 0.5f);
    IS(TEXT, "true");
    IS(TEXT, text);
}
