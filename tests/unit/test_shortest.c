/* tests/unit/test_shortest.c - base/shortest.h: exact texts, and for random doubles that each text
 * reads back, is the shortest that does, and the closest of those.
 *
 *     cc -std=c11 -O1 -fsanitize=address,undefined -Isrc tests/unit/test_shortest.c \
 *         src/base/shortest.c -lcmocka -o test_shortest && ./test_shortest  */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shortest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Helpers ---- */

/* xorshift64 (Marsaglia 2003); each test starts from its own seed. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Any finite double: a NaN or an infinity becomes one with a smaller exponent. */
static double random_double(uint64_t *state)
{
    uint64_t bits = next_random(state);
    return isfinite(double_of(bits)) ? double_of(bits) : double_of(bits ^ (uint64_t)1 << 60);
}

struct text {
    char bytes[STAVE__SHORTEST_MAX + 1];
    size_t size;
};

static struct text shortest(double value)
{
    struct text text;
    text.size = stave__shortest(value, text.bytes);
    text.bytes[text.size] = '\0';
    return text;
}

static struct text thousandths(int64_t n)
{
    struct text text;
    text.size = stave__shortest_thousandths(n, text.bytes);
    text.bytes[text.size] = '\0';
    return text;
}

static void assert_text(double value, const char *expected)
{
    assert_string_equal(shortest(value).bytes, expected);
}

/* As assert_text() for 0.digits * 10^point, where point is 17 or more or 0 or less. */
static void assert_far_text(double value, const char *digits, int point)
{
    char expected[STAVE__SHORTEST_MAX + 1];
    if (point > 0)
        snprintf(expected, sizeof expected, "%s%0*d.0", digits, point - (int)strlen(digits), 0);
    else
        snprintf(expected, sizeof expected, "0.%.*d%s", -point, 0, digits);
    assert_text(value, expected);
}

static void assert_reads_back(double value, const struct text *text)
{
    if (bits_of(strtod(text->bytes, NULL)) != bits_of(value))
        fail_msg("%a became %s", value, text->bytes);
}

/* The digits of a text or of printf's %e, without zeros at either end. */
static size_t significant_digits(const char *text, char *digits)
{
    size_t size = 0, end = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (size == 0 && *text == '0'))
            continue;
        digits[size++] = *text;
        if (*text != '0')
            end = size;
    }
    digits[end] = '\0';
    return end;
}

/* That no shorter decimal reads back and no other of this length is closer. It is enough to look at
 * the closest one that is a digit shorter: had a still shorter one read back, so would this. Not so
 * for powers of two, whose neighbours are not at equal distance. */
static void assert_shortest(double value)
{
    struct text text = shortest(value);
    char digits[STAVE__SHORTEST_MAX], closest[32], closest_digits[32];
    assert_reads_back(value, &text);

    int count = (int)significant_digits(text.bytes, digits);
    assert_in_range(count, 1, 17);
    snprintf(closest, sizeof closest, "%.*e", count - 1, value);
    significant_digits(closest, closest_digits);
    assert_string_equal(digits, closest_digits);
    if (count > 1) {
        snprintf(closest, sizeof closest, "%.*e", count - 2, value);
        assert_true(strtod(closest, NULL) != value);
    }
}

/* ---- Exact texts ---- */

static void test_small_texts(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {-1.0, "-1.0"},
        {5.0, "5.0"},
        {10.0, "10.0"},
        {-1.5, "-1.5"},
        {100.0, "100.0"},
        {123.0, "123.0"},
        {0.5, "0.5"},
        {0.1, "0.1"},
        {0.25, "0.25"},
        {0.001, "0.001"},
        {-0.001, "-0.001"},
        {1e-5, "0.00001"},
        {1.5e-6, "0.0000015"},
        {1.25e-7, "0.000000125"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {4.35, "4.35"},
        {13.88888888888889, "13.88888888888889"},
        {3.141592653589793, "3.141592653589793"},
        {99.99999999999999, "99.99999999999999"},
        {1234567.125, "1234567.125"},
        {12345678.125, "12345678.125"},
        {123456789.125, "123456789.125"},
        {1.1e7, "11000000.0"},
        {1.1e8, "110000000.0"},
        {123456789012.3456, "123456789012.3456"},
        {394166735.51190478, "394166735.5119048"},
        {5592117.679628511, "5592117.679628511"},
        {1234567890123456.8, "1234567890123456.8"},
        {999999999999999.9, "999999999999999.9"},
        {9999999999999998.0, "9999999999999998.0"},
        {1e15, "1000000000000000.0"},
        {1e16, "10000000000000000.0"},
        {12345678901234568.0, "12345678901234568.0"},
        {1e17, "100000000000000000.0"},
        {123456789012345680000.0, "123456789012345680000.0"},
        {-123456789012345680000.0, "-123456789012345680000.0"},
        {1e21, "1000000000000000000000.0"},
        {1e22, "10000000000000000000000.0"},
        {1e23, "100000000000000000000000.0"},
        {9.999999999999999e22, "100000000000000000000000.0"}, /* the same double */
        {1.0000000000000001e23, "100000000000000010000000.0"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text(cases[i].value, cases[i].text);
}

static void test_whole_numbers_around_two_to_53(void **state)
{
    (void)state;
    assert_text(4503599627370495.5, "4503599627370495.5");
    assert_text(4503599627370496.0, "4503599627370496.0");
    assert_text(4503599627370497.0, "4503599627370497.0");
    assert_text(9007199254740990.0, "9007199254740990.0");
    assert_text(9007199254740991.0, "9007199254740991.0");
    assert_text(9007199254740992.0, "9007199254740992.0");
    assert_text(9007199254740993.0, "9007199254740992.0"); /* no such double */
    assert_text(9007199254740994.0, "9007199254740994.0");
    assert_text(9007199254740996.0, "9007199254740996.0");
    assert_text(18014398509481984.0, "18014398509481984.0");
    assert_text(18014398509481988.0, "18014398509481988.0");
    assert_text(36028797018963968.0, "36028797018963970.0");
    assert_text(9223372036854775808.0, "9223372036854776000.0");
    assert_text(18446744073709551616.0, "18446744073709552000.0");
}

/* Where the exact value is half way between two candidates, or an end of the interval is one. */
static void test_ties(void **state)
{
    (void)state;
    assert_text(0x1p-44, "0.00000000000005684341886080802"); /* ...8015: to even, up */
    assert_text(0x1p-25, "0.000000029802322387695312");      /* ...3125: to even, down */
    assert_text(0x1p60, "1152921504606847000.0");
    assert_text(9.5367431640625e-07, "0.00000095367431640625");
    assert_text(2e22, "20000000000000000000000.0");
    assert_text(8.41e21, "8410000000000000000000.0");
    assert_text(5e22, "50000000000000000000000.0");
    assert_text(4.708356024711512e18, "4708356024711512000.0");
    assert_text(9.409340012568248e18, "9409340012568248000.0");
    assert_text(1.8531501765868567e21, "1853150176586856700000.0");
    assert_text(-3.347727380279489e33, "-3347727380279489000000000000000000.0");
}

static void test_largest_and_smallest(void **state)
{
    (void)state;
    assert_far_text(DBL_MAX, "17976931348623157", 309);
    assert_far_text(nextafter(DBL_MAX, 0), "17976931348623155", 309);
    assert_far_text(0x1p1023, "898846567431158", 308);
    assert_far_text(1e300, "1", 301);
    assert_far_text(DBL_MIN, "22250738585072014", -307);
    assert_far_text(nextafter(DBL_MIN, 1), "2225073858507202", -307);
    assert_far_text(nextafter(DBL_MIN, 0), "2225073858507201", -307);
    assert_far_text(2 * DBL_MIN, "4450147717014403", -307);
    assert_far_text(5e-324, "5", -323);
    assert_far_text(1e-323, "1", -322);
    assert_far_text(1.5e-323, "15", -322);
    assert_far_text(2e-323, "2", -322);
    assert_far_text(2.5e-323, "25", -322);
    assert_far_text(1e-320, "1", -319);
    assert_far_text(1.2345e-314, "12345", -313);
    assert_far_text(1e-300, "1", -299);
}

/* Every power of two there is, against Python, whose repr() is David Gay's code:
 *
 *     from decimal import Decimal
 *     h = 0xcbf29ce484222325
 *     for e in range(-1074, 1024):
 *         t = format(Decimal(repr(2.0 ** e)), "f")
 *         for b in (t if "." in t else t + ".0").encode() + b"\n":
 *             h = (h ^ b) * 0x100000001b3 % 2 ** 64
 *     print(hex(h))  */
static void test_powers_of_two(void **state)
{
    (void)state;
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (int exponent = -1074; exponent <= 1023; exponent++) {
        double value = ldexp(1.0, exponent);
        struct text text = shortest(value);
        assert_reads_back(value, &text);
        text.bytes[text.size++] = '\n';
        for (size_t i = 0; i < text.size; i++)
            hash = (hash ^ (uint8_t)text.bytes[i]) * 0x100000001b3u;
    }
    assert_int_equal(hash, 0xe7f7332b5105b6fau);
}

/* Both neighbours of every power of two, and of every power of ten. */
static void test_neighbours(void **state)
{
    (void)state;
    for (int exponent = -1073; exponent <= 1023; exponent++) {
        assert_shortest(nextafter(ldexp(1.0, exponent), INFINITY));
        assert_shortest(nextafter(ldexp(1.0, exponent), 0));
    }
    for (int exponent = -323; exponent <= 308; exponent++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", exponent);
        double power = strtod(text, NULL);
        assert_shortest(nextafter(power, INFINITY));
        assert_shortest(-power / 3);
        assert_shortest(nextafter(power, 0));
    }
}

/* ---- Random doubles ---- */

static void test_random_bits_read_back(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 2000000; i++) {
        double value = random_double(&random);
        struct text text = shortest(value);
        assert_reads_back(value, &text);
    }
}

static void test_random_bits_are_shortest(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (int i = 0; i < 100000; i++)
        assert_shortest(random_double(&random));
}

/* What a trace holds: thousandths, ticks of a clock in microseconds, and sums of both. */
static void test_times_are_shortest(void **state)
{
    (void)state;
    static const double clocks_hz[] = {32768, 3e6, 16e6, 72e6, 168e6, 480e6, 1e9};
    uint64_t random = 3;
    for (int i = 0; i < 30000; i++) {
        double thousandth = (double)(next_random(&random) >> (11 + i % 50)) / 1000.0;
        double ticks = (double)(next_random(&random) >> (11 + i % 50));
        double ticks_us = ticks * 1e6 / clocks_hz[(size_t)i % COUNT(clocks_hz)];
        assert_shortest(thousandth + 0.001);
        assert_shortest(ticks_us + 0.1);
        assert_shortest(ticks_us + thousandth + 0.1);
    }
}

/* Whole numbers of up to 80 bits: here the exact values meet ties and ends of intervals. */
static void test_whole_numbers_are_shortest(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (int i = 0; i < 50000; i++) {
        uint64_t whole = next_random(&random) >> (i % 60) | 3;
        assert_shortest(ldexp((double)whole, i % 17));
    }
}

/* ---- Thousandths and integers ---- */

static void assert_thousandths(int64_t n)
{
    struct text text = thousandths(n), expected = shortest((double)n / 1000.0);
    if (text.size != expected.size || memcmp(text.bytes, expected.bytes, text.size) != 0)
        fail_msg("%lld thousandths became %s", (long long)n, text.bytes);
}

static void test_thousandths_texts(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        const char *text;
    } cases[] = {
        {0, "0.0"},
        {1, "0.001"},
        {-1, "-0.001"},
        {10, "0.01"},
        {100, "0.1"},
        {101, "0.101"},
        {1000, "1.0"},
        {1500, "1.5"},
        {-1230, "-1.23"},
        {999999, "999.999"},
        {1000000000, "1000000.0"},
        {1000000001, "1000000.001"},
        {-123456789012345, "-123456789012.345"},
        {999999999999999, "999999999999.999"},
        {1000000000000000, "1000000000000.0"},
        {1000000000000001, "1000000000000.001"},
        {INT64_MAX, "9223372036854776.0"},
        {INT64_MIN, "-9223372036854776.0"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(thousandths(cases[i].n).bytes, cases[i].text);
}

static void test_thousandths_are_the_shortest(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 1000000; i++) {
        int64_t n = (int64_t)(next_random(&random) >> (1 + i % 62));
        assert_thousandths(i % 2 ? n : -n);
    }
    for (int64_t n = -2000; n <= 2000; n++)
        assert_thousandths(n);
    for (int64_t power = 1; power <= 1000000000000000000 / 10; power *= 10) {
        for (int64_t n = power * 10 - 2; n <= power * 10 + 2; n++) {
            assert_thousandths(n);
            assert_thousandths(-n);
        }
    }
}

static void assert_u64_text(uint64_t n)
{
    char text[STAVE__U64_TEXT_MAX + 1], expected[STAVE__U64_TEXT_MAX + 1];
    text[stave__u64_text(n, text)] = '\0';
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)n);
    assert_string_equal(text, expected);
}

static void test_u64_texts(void **state)
{
    (void)state;
    uint64_t random = 6;
    for (uint64_t n = 0; n <= 1100; n++)
        assert_u64_text(n);
    for (uint64_t power = 10; power <= 1000000000000000000u; power *= 10) {
        assert_u64_text(power - 1);
        assert_u64_text(power);
        assert_u64_text(power + 1);
    }
    assert_u64_text(10000000000000000000u);
    assert_u64_text(UINT64_MAX);
    for (int i = 0; i < 50000; i++)
        assert_u64_text(next_random(&random) >> (i % 64));
}

/* ---- Room: AddressSanitizer sees a store behind what the header asks for ---- */

static void test_room(void **state)
{
    (void)state;
    char *text = malloc(STAVE__SHORTEST_MAX);
    assert_int_equal(stave__shortest(-DBL_MIN, text), 327);
    assert_int_equal(stave__shortest(-5e-324, text), 327);
    assert_int_equal(stave__shortest(-DBL_MAX, text), 312);
    for (int exponent = -1074; exponent <= 1023; exponent++)
        stave__shortest(-ldexp(1.0, exponent), text);
    free(text);

    text = malloc(STAVE__THOUSANDTHS_MAX);
    stave__shortest_thousandths(-999999999999999, text);
    for (int64_t n = INT64_MIN; n < 0; n /= 2)
        stave__shortest_thousandths(n, text);
    free(text);

    text = malloc(STAVE__U64_TEXT_MAX);
    for (uint64_t n = UINT64_MAX; n > 0; n /= 2)
        stave__u64_text(n, text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_texts),
        cmocka_unit_test(test_whole_numbers_around_two_to_53),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_largest_and_smallest),
        cmocka_unit_test(test_powers_of_two),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_random_bits_read_back),
        cmocka_unit_test(test_random_bits_are_shortest),
        cmocka_unit_test(test_times_are_shortest),
        cmocka_unit_test(test_whole_numbers_are_shortest),
        cmocka_unit_test(test_thousandths_texts),
        cmocka_unit_test(test_thousandths_are_the_shortest),
        cmocka_unit_test(test_u64_texts),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
