/* Every type of value that a probe takes, from every probe that takes values. */
#include <stave/stave.h>

enum colour { RED, GREEN };
enum sign { MINUS = -1, PLUS = 1 };

struct packed {
    unsigned three : 3;
    int five : 5;
    bool one : 1;
    unsigned long long forty : 40;
    long long signed_forty : 40;
    unsigned long long whole : 64;
};

struct unknown;

/* All four ways of a value into a probe. */
#define TAKE(value)                                                                                \
    do {                                                                                           \
        STAVE_TRACE("trace", STAVE_ID(value));                                                     \
        STAVE_SPAN(span, "span", STAVE_KV("key", value));                                          \
        STAVE_SET(span, "key", value);                                                             \
        STAVE_MARK("mark", STAVE_KV("key", value));                                                \
    } while (0)

#define TAKE_NUMBER(value)                                                                         \
    do {                                                                                           \
        TAKE(value);                                                                               \
        STAVE_COUNTER("counter", value);                                                           \
    } while (0)

void integers(void);
void reals(void);
void small(volatile struct packed *bits, const struct packed *fixed);
void qualified(volatile int *where, const volatile unsigned long *both);
void texts(char *mutable_text, const char *text);
void pointers(struct unknown *whole, const volatile struct unknown *part, void (*function)(void));
void evaluated(int i, const char *text);

void integers(void)
{
    TAKE_NUMBER((char)1);
    TAKE_NUMBER((signed char)1);
    TAKE_NUMBER((unsigned char)1);
    TAKE_NUMBER((short)1);
    TAKE_NUMBER((unsigned short)1);
    TAKE_NUMBER(1);
    TAKE_NUMBER(1u);
    TAKE_NUMBER(1l);
    TAKE_NUMBER(1ul);
    TAKE_NUMBER(1ll);
    TAKE_NUMBER(1ull);
    TAKE_NUMBER(sizeof(int));
    TAKE_NUMBER((int64_t)1);
    TAKE_NUMBER((uint64_t)1);
    TAKE_NUMBER((ptrdiff_t)1);
    TAKE_NUMBER('c');
    TAKE_NUMBER(true);
    TAKE_NUMBER(0);
    TAKE_NUMBER(-1);
}

void reals(void)
{
    float single = 1.5f;
    double twice = 2.5;
    TAKE_NUMBER(single);
    TAKE_NUMBER(twice);
    TAKE_NUMBER((double)1.0L);
}

void small(volatile struct packed *bits, const struct packed *fixed)
{
    enum colour colour = GREEN;
    const enum sign sign = MINUS;
    TAKE_NUMBER(bits->three);
    TAKE_NUMBER(bits->five);
    TAKE_NUMBER(bits->one);
    TAKE_NUMBER(bits->forty);
    TAKE_NUMBER(bits->signed_forty);
    TAKE_NUMBER(bits->whole);
    TAKE_NUMBER(fixed->three);
    TAKE_NUMBER(fixed->five);
    TAKE_NUMBER(fixed->one);
    TAKE_NUMBER(fixed->forty);
    TAKE_NUMBER(colour);
    TAKE_NUMBER(sign);
    TAKE_NUMBER(RED);
}

void qualified(volatile int *where, const volatile unsigned long *both)
{
    volatile bool flag = false;
    volatile float single = 0.5f;
    const double twice = 0.25;
    TAKE_NUMBER(*where);
    TAKE_NUMBER(*both);
    TAKE_NUMBER(flag);
    TAKE_NUMBER(single);
    TAKE_NUMBER(twice);
}

void texts(char *mutable_text, const char *text)
{
    char array[4] = "abc";
    const char fixed[4] = "def";
    char *volatile moving = array;
    TAKE("literal");
    TAKE("");
    TAKE(mutable_text);
    TAKE(text);
    TAKE(array);
    TAKE(fixed);
    TAKE(moving);
    TAKE(text ? text : "none");
}

void pointers(struct unknown *whole, const volatile struct unknown *part, void (*function)(void))
{
    unsigned char bytes[3] = {1, 2, 3};
    const signed char *small_numbers = NULL;
    int numbers[2][2] = {{1, 2}, {3, 4}};
    void *nothing = NULL;
    volatile char *registers = NULL;
    TAKE(whole);
    TAKE(part);
    TAKE(function);
    TAKE(integers);
    TAKE(&integers);
    TAKE(bytes);
    TAKE((const unsigned char *)bytes);
    TAKE(small_numbers);
    TAKE(numbers);
    TAKE(&numbers[1]);
    TAKE(nothing);
    TAKE(registers);
    TAKE(NULL);
}

/* With effects: a value is evaluated once. */
void evaluated(int i, const char *text)
{
    bool done = false;
    STAVE_SCOPE("scope", STAVE_KV("i", i++), STAVE_KV("done", done = true));
    STAVE_MARK("mark", STAVE_KV("i", --i), STAVE_KV("text", text++), STAVE_KV("both", (i++, text)));
    STAVE_COUNTER("counter", i += 2);
    STAVE_SET(stave_current_span(), "or", i ? i : 1);
    STAVE_SET(stave_current_span(), "less", i < 1 || done);
}
