/* base/shortest.c - see shortest.h. A double becomes a decimal, the decimal 17 digits in registers,
 * and those text around a point.
 *
 * What the speed is made of: one product decides nearly every double, a table gives three digits at
 * a time, a choice that could go either way is no branch, and nothing stored is loaded again.  */
#include "base/shortest.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/pow10_table.h"

__extension__ typedef unsigned __int128 u128;

#define TEN_TO_6 1000000u
#define TEN_TO_8 100000000u
#define TEN_TO_9 1000000000u
#define TEN_TO_15 1000000000000000u
#define ASCII_ZEROS 0x3030303030303030u /* a '0' in each byte */
#define UNLIKELY(condition) __builtin_expect(condition, 0)

/* ---- Digits: one a byte, 0 to 9, the first in the lowest byte of a word ---- */

#define THREE(a, b, c) ((a) | (b) << 8 | (c) << 16)
#define TEN(a, b)                                                                                  \
    THREE(a, b, 0), THREE(a, b, 1), THREE(a, b, 2), THREE(a, b, 3), THREE(a, b, 4),                \
        THREE(a, b, 5), THREE(a, b, 6), THREE(a, b, 7), THREE(a, b, 8), THREE(a, b, 9)
#define HUNDRED(a)                                                                                 \
    TEN(a, 0), TEN(a, 1), TEN(a, 2), TEN(a, 3), TEN(a, 4), TEN(a, 5), TEN(a, 6), TEN(a, 7),        \
        TEN(a, 8), TEN(a, 9)

static const uint32_t three_digits[1000] = {
    HUNDRED(0), HUNDRED(1), HUNDRED(2), HUNDRED(3), HUNDRED(4),
    HUNDRED(5), HUNDRED(6), HUNDRED(7), HUNDRED(8), HUNDRED(9),
};

/* n < 10^6 */
static inline uint64_t six_digits(uint32_t n)
{
    uint32_t thousands = n / 1000;
    return three_digits[thousands] | (uint64_t)three_digits[n - 1000 * thousands] << 24;
}

/* n < 10^8 */
static inline uint64_t eight_digits(uint32_t n)
{
    uint32_t millions = n / 1000000;
    uint32_t thousands = n / 1000;
    return three_digits[millions] >> 8 | (uint64_t)three_digits[thousands - 1000 * millions] << 16 |
           (uint64_t)three_digits[n - 1000 * thousands] << 40;
}

/* Zeros before the first other digit, at most `most`. */
static inline unsigned zeros_before(uint64_t digits, unsigned most)
{
    return (unsigned)__builtin_ctzll(digits | (uint64_t)1 << 8 * most) / 8;
}

/* Zeros behind the last other digit of eight, at most `most`. */
static inline unsigned zeros_behind(uint64_t digits, unsigned most)
{
    return (unsigned)__builtin_clzll(digits | (uint64_t)1 << (63 - 8 * most)) / 8;
}

/* The first `size` bytes of a word. */
static inline void put_bytes(char *out, uint64_t word, size_t size)
{
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        word = __builtin_bswap64(word);
    memcpy(out, &word, size);
}

static inline void put_six(char *out, uint32_t n)
{
    put_bytes(out, six_digits(n) + ASCII_ZEROS, 6);
}

/* n < 10^6 without zeros before it. Stores eight bytes. */
static inline size_t put_leading(char *out, uint32_t n)
{
    uint64_t digits = six_digits(n);
    unsigned zeros = zeros_before(digits, 5);
    put_bytes(out, (digits + ASCII_ZEROS) >> 8 * zeros, 8);
    return 6 - zeros;
}

/* upper * 10^6 + lower without zeros before it. Stores up to two bytes too many: a wide store costs
 * less than two that fit. */
static inline size_t put_twelve(char *out, uint32_t upper, uint32_t lower)
{
    if (upper == 0)
        return put_leading(out, lower);
    size_t size = put_leading(out, upper);
    put_bytes(out + size, six_digits(lower) + ASCII_ZEROS, 8);
    return size + 6;
}

size_t stave__u64_text(uint64_t n, char *out)
{
    uint32_t lowest = (uint32_t)(n % TEN_TO_6);
    uint64_t rest = n / TEN_TO_6;
    if (rest < TEN_TO_6)
        return put_twelve(out, (uint32_t)rest, lowest);
    uint32_t highest = (uint32_t)(rest / TEN_TO_6);
    size_t size = put_twelve(out, highest / TEN_TO_6, highest % TEN_TO_6);
    put_six(out + size, (uint32_t)(rest % TEN_TO_6));
    put_six(out + size + 6, lowest);
    return size + 12;
}

/* ---- A double c * 2^q to its shortest decimal ---- */

struct decimal {
    uint64_t head; /* (head * 10 + last) * 10^exponent; sixteen digits, once it is filled */
    unsigned last;
    int exponent;
};

/* floor(log10(2^q)), or that of 3/4 * 2^q, for the q of any double. A negative number shifts
 * arithmetically in every compiler that has __int128. */
static inline int log10_of_pow2(int q, bool three_quarters)
{
    return (q * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

/* floor(log2(10^k)) for any k of the table. */
static inline int log2_of_pow10(int k)
{
    return k * 1741647 >> 19;
}

static inline struct pow10 power_of_ten(int k)
{
    return pow10_table[k - POW10_FIRST];
}

/* power * n / 2^64, rounded down. */
static inline u128 product(struct pow10 power, uint64_t n)
{
    u128 low = (u128)power.low * n;
    return (u128)power.high * n + (uint64_t)(low >> 64);
}

/* power * n / 2^128, rounded down and then made odd if that was not exact: compared with an even
 * number it is as good as the exact value. That the power is up to one unit too large shows only in
 * bits that product() drops; and of all n that occur, none is inexact by less than 2^-63 above an
 * even number that it is compared with (found by continued fractions, for each q). */
static inline uint64_t product_to_odd(struct pow10 power, uint64_t n)
{
    u128 fixed = product(power, n);
    return (uint64_t)(fixed >> 64) | ((uint64_t)fixed != 0);
}

/* Schubfach itself, for all doubles. What rounds to the double lies between lower and upper; these
 * and value are in quarters of 10^k, where k is such that a multiple of 10^k lies between them, and
 * of 10^(k+1) at most one. The latter is the answer if it is there, else the neighbour of value
 * among the former. Below a power of two doubles are closer, and lower is at half the distance. */
static struct decimal exact_decimal(uint64_t c, int q, bool lower_closer)
{
    int k = log10_of_pow2(q, lower_closer);
    int shift = q + log2_of_pow10(-k) + 1;
    struct pow10 power = power_of_ten(-k);
    uint64_t open = c & 1; /* ties read as the even double: the ends do not belong to an odd one */
    uint64_t lower = product_to_odd(power, (4 * c - 2 + lower_closer) << shift) + open;
    uint64_t value = product_to_odd(power, 4 * c << shift);
    uint64_t upper = product_to_odd(power, (4 * c + 2) << shift) - open;

    uint64_t ones = value / 4;
    uint64_t tens = ones / 10;
    if (lower <= 40 * tens)
        return (struct decimal){tens, 0, k};
    if (40 * tens + 40 <= upper)
        return (struct decimal){tens + 1, 0, k};

    bool down_fits = lower <= 4 * ones;
    bool up_fits = 4 * ones + 4 <= upper;
    bool up_closer = value + (ones & 1) > 4 * ones + 2; /* a tie goes to even */
    bool up = down_fits && up_fits ? up_closer : up_fits;
    return (struct decimal){tens, (unsigned)(ones - 10 * tens) + up, k};
}

/* The same decimal with sixteen digits in its head; for subnormals, that is many zeros. */
static inline struct decimal filled(struct decimal decimal)
{
    while (decimal.head < TEN_TO_15) {
        decimal.head = decimal.head * 10 + decimal.last;
        decimal.last = 0;
        decimal.exponent--;
    }
    return decimal;
}

#define HALF ((uint64_t)1 << 63) /* of 2^64 */

/* which ? yes : no, without a branch: a wrongly predicted one costs as much as all the digits. */
static inline uint64_t pick(bool which, uint64_t yes, uint64_t no)
{
    return no ^ ((yes ^ no) & (0 - (uint64_t)which));
}

/* Too close to tell apart when one may be 10 too low. */
static inline bool in_doubt(uint64_t a, uint64_t b)
{
    return UNLIKELY(a - b + 16 <= 32);
}

/* The same, filled, for a double that is not a power of two: from one product.
 *
 * The double is tens + rest / 2^64 in units of 10^(k+1), and half the gap to its neighbours is
 * half_gap / 2^64. So a multiple of 10^(k+1) reads back if it is nearer than that. If none is, the
 * nearest multiple of 10^k does: it is at most 10^k / 2 away, and the gap is at least 10^k.
 *
 * rest and half_gap are rounded down, by less than 1, hence ten_rests by less than 10; they are too
 * high by far less than 1. Comparisons that this could turn are left to exact_decimal(), and with
 * them all ties. */
static inline struct decimal shortest_decimal(uint64_t c, int q)
{
    int k = log10_of_pow2(q, false);
    int shift = q + log2_of_pow10(-k - 1) + 4; /* 0 to 3 */
    struct pow10 power = power_of_ten(-k - 1);
    u128 scaled = product(power, c << shift); /* the double / 10^(k+1) * 2^67 */
    uint64_t tens = (uint64_t)(scaled >> 67);
    uint64_t rest = (uint64_t)(scaled >> 3);
    uint64_t half_gap = power.high >> (4 - shift);
    u128 ten_rests = (u128)rest * 10;
    if (in_doubt(rest, half_gap) || in_doubt(rest, 0 - half_gap) ||
        in_doubt((uint64_t)ten_rests, HALF))
        return filled(exact_decimal(c, q, false));

    bool down = rest < half_gap;
    bool up = rest > 0 - half_gap;
    uint64_t head = tens + up;
    uint64_t last = pick(down | up, 0, (uint64_t)((ten_rests + HALF) >> 64));
    bool small = head < TEN_TO_15; /* then it has 15 digits */
    return (struct decimal){
        .head = pick(small, head * 10 + last, head),
        .last = (unsigned)pick(small, 0, last),
        .exponent = k - small,
    };
}

/* ---- A decimal as text ---- */

struct digits {
    uint64_t words[2]; /* the first sixteen, as characters */
    char last;         /* the seventeenth */
    unsigned count;    /* of them without zeros at the end */
    int point;         /* of the digits stand before the point; if negative, zeros follow it */
};

/* Digits up to the last that is not zero. Looks at eight at once, as whether the seventeenth alone
 * is zero is hard to predict. */
static inline unsigned digit_count(uint64_t first, uint64_t second, unsigned last)
{
    uint64_t tail = second >> 8 | (uint64_t)last << 56; /* tenth to seventeenth */
    if (tail != 0)
        return 17 - zeros_behind(tail, 7);
    return second != 0 ? 9 : 8 - zeros_behind(first, 7);
}

static inline struct digits digits_of(struct decimal decimal)
{
    uint64_t first = eight_digits((uint32_t)(decimal.head / TEN_TO_8));
    uint64_t second = eight_digits((uint32_t)(decimal.head % TEN_TO_8));
    return (struct digits){
        .words = {first + ASCII_ZEROS, second + ASCII_ZEROS},
        .last = (char)('0' + decimal.last),
        .count = digit_count(first, second, decimal.last),
        .point = decimal.exponent + 17,
    };
}

static inline void put_digits(char *out, const struct digits *digits)
{
    put_bytes(out, digits->words[0], 8);
    put_bytes(out + 8, digits->words[1], 8);
    out[16] = digits->last;
}

/* A word with its bytes from `at`, 0 to 8, on moved up by one; the byte there is to be replaced. */
static inline uint64_t opened(uint64_t word, unsigned at)
{
    uint64_t moving = ~(uint64_t)0 << 4 * at << 4 * at; /* twice, as a shift by 64 is undefined */
    return word ^ ((word ^ word << 8) & moving);
}

/* 1.5 and 100.0: a point behind the first to sixteenth digit. The word that it falls into is opened
 * for it; the digits behind are stored one place on. */
static inline size_t put_point_inside(char *out, const struct digits *digits)
{
    unsigned point = (unsigned)digits->point;
    out[17] = digits->last;
    put_bytes(out + 9, digits->words[1], 8);
    if (point < 8) {
        put_bytes(out + 1, digits->words[0], 8);
        put_bytes(out, opened(digits->words[0], point), 8);
    } else {
        put_bytes(out, digits->words[0], 8);
        put_bytes(out + 8, opened(digits->words[1], point - 8), 8);
    }
    out[point] = '.';
    return (digits->count > point ? digits->count : point + 1) + 1;
}

/* 0.001 */
static inline size_t put_point_before(char *out, const struct digits *digits)
{
    size_t lead = 2 + (size_t)-digits->point;
    put_bytes(out, ASCII_ZEROS, 8);
    if (lead > 8)
        memset(out + 8, '0', lead - 8);
    out[1] = '.';
    put_digits(out + lead, digits);
    return lead + digits->count;
}

/* 123456789012345680000.0 */
static inline size_t put_point_behind(char *out, const struct digits *digits)
{
    size_t point = (size_t)digits->point;
    put_digits(out, digits);
    memset(out + 17, '0', point - 17);
    out[point] = '.';
    out[point + 1] = '0';
    return point + 2;
}

static inline size_t put_decimal(char *out, struct decimal decimal)
{
    struct digits digits = digits_of(decimal);
    if (digits.point < 1)
        return put_point_before(out, &digits);
    if (digits.point < 17)
        return put_point_inside(out, &digits);
    return put_point_behind(out, &digits);
}

/* ---- The bits of a double (IEEE 754 binary64) ---- */

#define FRACTION_BITS 52
#define HIDDEN_BIT ((uint64_t)1 << FRACTION_BITS)
#define EXPONENT_MASK 0x7ff
#define EXPONENT_BIAS 1075 /* with the fraction as an integer */

/* Zero, subnormals and powers of two, apart so that the rest need not ask about each. */
static size_t put_special(char *out, uint64_t fraction, int exponent)
{
    struct decimal decimal;
    if (exponent != 0) {
        decimal = exact_decimal(HIDDEN_BIT, exponent - EXPONENT_BIAS, exponent > 1);
    } else if (fraction != 0) {
        decimal = exact_decimal(fraction, 1 - EXPONENT_BIAS, false);
    } else {
        memcpy(out, "0.0", 3);
        return 3;
    }
    return put_decimal(out, filled(decimal));
}

size_t stave__shortest(double value, char *out)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & (HIDDEN_BIT - 1);
    int exponent = (int)(bits >> FRACTION_BITS) & EXPONENT_MASK;
    assert(exponent != EXPONENT_MASK); /* neither infinite nor NaN */

    size_t sign = bits >> 63;
    out[0] = '-'; /* and written over when there is none */
    if (UNLIKELY(fraction == 0 || exponent == 0))
        return sign + put_special(out + sign, fraction, exponent);
    struct decimal decimal = shortest_decimal(fraction | HIDDEN_BIT, exponent - EXPONENT_BIAS);
    return sign + put_decimal(out + sign, decimal);
}

/* ---- Thousandths ---- */

size_t stave__shortest_thousandths(int64_t n, char *out)
{
    uint64_t magnitude = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    if (UNLIKELY(magnitude >= TEN_TO_15))
        return stave__shortest((double)n / 1000.0, out);
    uint32_t millions = (uint32_t)(magnitude / TEN_TO_9);
    uint32_t thousandths = (uint32_t)(magnitude % TEN_TO_9);
    uint32_t ones = thousandths / 1000;
    uint64_t decimals = three_digits[thousandths % 1000] << 8;

    size_t size = n < 0;
    out[0] = '-'; /* and written over when there is none */
    size += put_twelve(out + size, millions, ones);
    put_bytes(out + size, decimals + (0x30303000 | '.'), 4);
    return size + 4 - zeros_behind(decimals << 32, 2);
}
