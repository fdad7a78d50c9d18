#include "base/decimal.h"

#include <math.h>

__extension__ typedef unsigned __int128 u128;

static const uint64_t powers_of_10[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    10000000000000000000u,
};

#define LAST_POWER_OF_10 19

/* ---- text ------------------------------------------------------------------------------------ */

/* Exponents stay where sums of them cannot overflow; all that is so large is beyond any number. */
#define EXPONENT_MAX 100000000

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_sign(const char *at, const char *end, bool *negative)
{
    *negative = at < end && *at == '-';
    return at < end && (*at == '-' || *at == '+') ? at + 1 : at;
}

/* One more digit, if there is room for it and all before it. */
static bool add_digit(struct stave__decimal *decimal, unsigned digit)
{
    uint64_t longer;
    if (decimal->full || __builtin_mul_overflow(decimal->digits, 10, &longer) ||
        __builtin_add_overflow(longer, digit, &longer))
        return false;
    decimal->digits = longer;
    return true;
}

static void leave_out(struct stave__decimal *decimal, unsigned digit)
{
    decimal->half |= digit >= 5 && !decimal->full;
    decimal->more |= digit != 0;
    decimal->full = true;
}

/* Digits up to the first byte that is none. */
static const char *read_digits(const char *at, const char *end, bool behind_point,
                               struct stave__decimal *decimal)
{
    for (; at < end && is_digit(*at); at++) {
        unsigned digit = (unsigned)(*at - '0');
        bool added = add_digit(decimal, digit);
        if (!added)
            leave_out(decimal, digit);
        decimal->exponent += !added - behind_point;
    }
    return at;
}

static const char *read_exponent(const char *at, const char *end, struct stave__decimal *decimal)
{
    bool negative;
    int32_t exponent = 0;
    const char *first = skip_sign(at, end, &negative);
    for (at = first; at < end && is_digit(*at); at++)
        if (exponent < EXPONENT_MAX)
            exponent = exponent * 10 + (*at - '0');
    if (at == first)
        return NULL;
    decimal->exponent += negative ? -exponent : exponent;
    return at;
}

bool stave__decimal_read(const char *text, size_t size, struct stave__decimal *decimal)
{
    const char *end = text + size;
    *decimal = (struct stave__decimal){0};
    const char *first = skip_sign(text, end, &decimal->negative);
    const char *at = read_digits(first, end, false, decimal);
    size_t digits = (size_t)(at - first);
    if (at < end && *at == '.') {
        first = at + 1;
        at = read_digits(first, end, true, decimal);
        digits += (size_t)(at - first);
    }
    if (digits != 0 && at < end && (*at == 'e' || *at == 'E'))
        at = read_exponent(at + 1, end, decimal);
    return digits != 0 && at == end;
}

/* ---- integers -------------------------------------------------------------------------------- */

/* |decimal| * 10^power to the nearest; false when that is beyond 64 bits. */
static bool magnitude(const struct stave__decimal *decimal, int power, uint64_t *number,
                      bool *rounded)
{
    int shift = decimal->exponent + power;
    *number = 0;
    *rounded = decimal->more;
    if (decimal->digits == 0)
        return true;
    if (shift == 0)
        return !__builtin_add_overflow(decimal->digits, decimal->half, number);
    if (shift > 0)
        return shift <= LAST_POWER_OF_10 &&
               !__builtin_mul_overflow(decimal->digits, powers_of_10[shift], number);
    *rounded = true;
    if (shift < -LAST_POWER_OF_10)
        return true; /* less than a fifth */
    uint64_t divisor = powers_of_10[-shift];
    uint64_t rest = decimal->digits % divisor;
    *rounded = decimal->more || rest != 0;
    *number = decimal->digits / divisor + (rest >= divisor - rest);
    return true;
}

int64_t stave__decimal_int64(const struct stave__decimal *decimal, int power, bool *rounded,
                             bool *beyond)
{
    uint64_t number;
    uint64_t limit = decimal->negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
    *beyond = !magnitude(decimal, power, &number, rounded) || number > limit;
    if (*beyond) {
        *rounded = false;
        number = limit;
    }
    return (int64_t)(decimal->negative ? 0 - number : number);
}

bool stave__decimal_u64(const struct stave__decimal *decimal, uint64_t *number)
{
    uint64_t whole;
    bool rounded;
    if (!magnitude(decimal, 0, &whole, &rounded) || rounded || (decimal->negative && whole != 0))
        return false;
    *number = whole;
    return true;
}

/* ---- doubles --------------------------------------------------------------------------------- */

#define LAST_POWER_OF_5 27 /* that fits in 63 bits */

static uint64_t power_of_5(int exponent)
{
    uint64_t power = 1;
    for (int i = 0; i < exponent; i++)
        power *= 5;
    return power;
}

/* number * 2^exponent, rounded once. A bit that falls out is kept in the lowest, so that what is more
 * than half is seen to be more; a double takes 53 of the 64 bits that stay. */
static double rounded_double(u128 number, int exponent)
{
    while (number >> 64 != 0) {
        number = number >> 1 | (number & 1);
        exponent++;
    }
    return ldexp((double)(uint64_t)number, exponent);
}

/* digits * 10^exponent for an exponent from -27 to 27. */
static double scaled(uint64_t digits, int exponent)
{
    if (digits <= (uint64_t)1 << 53 && exponent >= -LAST_POWER_OF_10 && exponent <= 0)
        return (double)digits / (double)powers_of_10[-exponent]; /* both exact, rounded once */
    if (exponent >= 0)
        return rounded_double((u128)digits * power_of_5(exponent), exponent);
    uint64_t divisor = power_of_5(-exponent);
    int lead = __builtin_clzll(digits);
    u128 dividend = (u128)(digits << lead) << 63;
    u128 quotient = dividend / divisor; /* 2^63 or more */
    quotient |= quotient * divisor != dividend;
    return rounded_double(quotient, exponent - lead - 63);
}

double stave__decimal_double(const struct stave__decimal *decimal)
{
    if (decimal->digits == 0)
        return decimal->negative ? -0.0 : 0.0;
    int exponent = decimal->exponent;
    int near = exponent > LAST_POWER_OF_5    ? LAST_POWER_OF_5
               : exponent < -LAST_POWER_OF_5 ? -LAST_POWER_OF_5
                                             : exponent;
    double value = scaled(decimal->digits, near);
    if (exponent != near)
        value *= pow(10, exponent - near);
    return decimal->negative ? -value : value;
}
