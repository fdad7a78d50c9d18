/* base/decimal.h: texts that are decimals and texts that are not, to integers and to doubles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/decimal.h"
#include "base/shortest.h"

static struct stave__decimal decimal_of(const char *text)
{
    struct stave__decimal decimal;
    if (!stave__decimal_read(text, strlen(text), &decimal))
        fail_msg("%s is no decimal", text);
    return decimal;
}

static void test_not_decimals(void **state)
{
    static const char *const texts[] = {"",    ".",   "-",    "+",     "-.",   "e1", ".e1", "1e",
                                        "1e+", "1e-", "1e1.", "1e1e1", "1.2.", " 1", "1 ",  "--1",
                                        "+-1", "1,5", "nan",  "inf",   "0x1",  "1a", "a1",  "1.5-",
                                        "1_0", "1-2", "1e ",  "1\t",   "1e+-1"};
    struct stave__decimal decimal;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (stave__decimal_read(texts[i], strlen(texts[i]), &decimal))
            fail_msg("'%s' was taken", texts[i]);
    assert_false(stave__decimal_read("1\0", 2, &decimal));
}

struct whole {
    const char *text;
    int power;
    int64_t number;
    bool rounded, beyond;
};

static void test_integers(void **state)
{
    static const struct whole cases[] = {
        {"0", 3, 0, false, false},
        {"-0.0", 3, 0, false, false},
        {"0e999999999", 3, 0, false, false},
        {"5", 3, 5000, false, false},
        {"+5.", 3, 5000, false, false},
        {".5", 3, 500, false, false},
        {"-1.25", 3, -1250, false, false},
        {"1e3", 3, 1000000, false, false},
        {"1E+3", 0, 1000, false, false},
        {"12.5e-1", 3, 1250, false, false},
        {"00000000000000000000000000000001.000000000000000000000000000000", 3, 1000, false, false},
        {"13.88888888888889", 3, 13889, true, false},
        {"0.0004", 3, 0, true, false},
        {"0.0005", 3, 1, true, false},
        {"-0.0005", 3, -1, true, false},
        {"0.00049999999999999999999999999999", 3, 0, true, false},
        {"2.0015", 3, 2002, true, false},
        {"1e-30", 3, 0, true, false},
        {"1e-999999999", 3, 0, true, false},
        {"1e99999999999999999999", 3, INT64_MAX, false, true},
        {"9223372036854775.807", 3, INT64_MAX, false, false},
        {"9223372036854775.808", 3, INT64_MAX, false, true},
        {"9223372036854775.8074", 3, INT64_MAX, true, false},
        {"9223372036854775.8075", 3, INT64_MAX, false, true},
        {"-9223372036854775.808", 3, INT64_MIN, false, false},
        {"-9223372036854775.809", 3, INT64_MIN, false, true},
        {"-1e300", 3, INT64_MIN, false, true},
        {"9223372036854775.1235", 3, INT64_C(9223372036854775124), true, false},
        {"9223372036854775.12349", 3, INT64_C(9223372036854775123), true, false},
        {"9223372036854775.12305", 3, INT64_C(9223372036854775123), true, false},
        {"18446744073709551616", 0, INT64_MAX, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool rounded, beyond;
        struct stave__decimal decimal = decimal_of(cases[i].text);
        int64_t number = stave__decimal_int64(&decimal, cases[i].power, &rounded, &beyond);
        if (number != cases[i].number || rounded != cases[i].rounded || beyond != cases[i].beyond)
            fail_msg("%s: %lld, rounded %d, beyond %d", cases[i].text, (long long)number, rounded,
                     beyond);
    }
}

static void assert_u64(const char *text, uint64_t expected)
{
    uint64_t number;
    struct stave__decimal decimal = decimal_of(text);
    assert_true(stave__decimal_u64(&decimal, &number));
    assert_true(number == expected);
}

static void test_unsigned(void **state)
{
    static const char *const none[] = {"-1",   "0.5",   "18446744073709551616",
                                       "1e20", "1e-30", "18446744073709551615.5",
                                       "1e-1", "-1e3",  "18446744073709551615000"};
    assert_u64("0", 0);
    assert_u64("-0", 0);
    assert_u64("300", 300);
    assert_u64("300.0", 300);
    assert_u64("3e2", 300);
    assert_u64("18446744073709551615", UINT64_MAX);
    assert_u64("18446744073709551615.00", UINT64_MAX);
    assert_u64("1844674407370955161.5e1", UINT64_MAX);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        uint64_t number = 7;
        struct stave__decimal decimal = decimal_of(none[i]);
        if (stave__decimal_u64(&decimal, &number) || number != 7)
            fail_msg("%s was taken", none[i]);
    }
}

/* strtod is the C locale's here, and correct. */
static void assert_double(const char *text)
{
    struct stave__decimal decimal = decimal_of(text);
    double got = stave__decimal_double(&decimal);
    double expected = strtod(text, NULL);
    if (memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("%s: %a instead of %a", text, got, expected);
}

static void test_doubles(void **state)
{
    static const char *const texts[] = {"0",
                                        "-0.0",
                                        "1",
                                        "-1.5",
                                        "0.1",
                                        "0.3",
                                        "123.456",
                                        "1e22",
                                        "1e23",
                                        "1e27",
                                        "1e-27",
                                        "9007199254740993",
                                        "9007199254740993.0",
                                        "9007199254740994.9999999999",
                                        "9007199254740992.5",
                                        "9007199254740995",
                                        "900719925474099.35",
                                        "18446744073709551615",
                                        "5e-324",
                                        "1e400",
                                        "-1e400",
                                        "340282346638528860000000000000000000000000.0"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_double(texts[i]);
}

static void test_random_doubles(void **state)
{
    uint64_t random = 88172645463325252u;
    char text[STAVE__SHORTEST_MAX + 1];
    for (int i = 0; i < 300000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        double value = ldexp((double)(random >> 11 | UINT64_C(1) << 52), (int)(random % 175) - 85);
        text[stave__shortest(i % 2 ? value : -value, text)] = '\0';
        assert_double(text);
        snprintf(text, sizeof text, "%.*e", (int)((random >> 5) % 19), value);
        if (abs(decimal_of(text).exponent) <= 27)
            assert_double(text);
    }
}

/* Far exponents are good to a few units in the last place. */
static void test_far_doubles(void **state)
{
    static const char *const texts[] = {
        "1.401298464324817e-42",  "1e100",
        "123456789e-60",          "7e-300",
        "1.7976931348623157e308", "3.00000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct stave__decimal decimal = decimal_of(texts[i]);
        double expected = strtod(texts[i], NULL);
        assert_true(fabs(stave__decimal_double(&decimal) / expected - 1) < 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_decimals),   cmocka_unit_test(test_integers),
        cmocka_unit_test(test_unsigned),       cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_random_doubles), cmocka_unit_test(test_far_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
