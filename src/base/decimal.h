/* base/decimal.h - decimals in text to numbers, the same in every locale.
 *
 *     struct stave__decimal decimal;
 *     bool rounded, beyond;
 *     if (!stave__decimal_read("13.88888888888889", 17, &decimal)) ...     // not a number
 *     int64_t ns = stave__decimal_int64(&decimal, 3, &rounded, &beyond);   // 13889, rounded
 *     double us = stave__decimal_double(&decimal);
 *
 * Text     [+-] digits [. digits] [e [+-] digits], with a digit before or behind the point.
 * Exact    What a decimal says is kept to 19 digits and more; of those behind it is only known whether
 *          they are all zero.  */
#ifndef STAVE_BASE_DECIMAL_H
#define STAVE_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* digits * 10^exponent, or a little more. */
struct stave__decimal {
    uint64_t digits;
    int32_t exponent;
    bool negative;
    bool full; /* digits behind these did not fit, */
    bool more; /* ... of which one is not zero, */
    bool half; /* ... and the first is 5 or more */
};

/* False when the text is not a decimal, from its first to its last byte. */
bool stave__decimal_read(const char *text, size_t size, struct stave__decimal *decimal);

/* decimal * 10^power to the nearest integer, halves away from zero; *rounded says whether it was none.
 * What is beyond 64 bits becomes the limit, and *beyond is set. */
int64_t stave__decimal_int64(const struct stave__decimal *decimal, int power, bool *rounded,
                             bool *beyond);

/* The decimal if it is an integer from 0 to 2^64 - 1, as 300 and 300.0 are. */
bool stave__decimal_u64(const struct stave__decimal *decimal, uint64_t *number);

/* The nearest double where nothing was left out (`more`) and the exponent is at most 27 either way, as
 * in all that stave__shortest() writes from 10^-10 to 10^43; elsewhere it may be off by a few units in
 * the last place. Infinite beyond its range. */
double stave__decimal_double(const struct stave__decimal *decimal);

#endif
