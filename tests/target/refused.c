/* What the compiler must refuse, one CASE at a time; case 0 it must take. */
#include "stave/target.h"

#if CASE == 0
STAVE_TARGET_MARKER(name, 31, "12345678901234567890123456789012");
#elif CASE == 1
STAVE_TARGET_MARKER(name, 0, "123456789012345678901234567890123");
#elif CASE == 2 /* 33 bytes, fewer characters */
STAVE_TARGET_TASK(name, 0, "12345678901234567890123456789\xc3\xa4\xc3\xa4", 1);
#elif CASE == 3
STAVE_TARGET_ISR(name, 0, "", 1);
#elif CASE == 4
STAVE_TARGET_MARKER(name, 32, "name");
#elif CASE == 5 /* not a literal */
extern const char *const text;
STAVE_TARGET_MARKER(name, 0, text);
#endif

const struct stave_target_name *use(void);

const struct stave_target_name *use(void)
{
    return STAVE_TARGET_POINTER(name);
}
