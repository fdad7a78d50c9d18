/* base/shortest.h - numbers to decimal text, fast: doubles with as few digits as identify them.
 *
 *     char text[STAVE__SHORTEST_MAX];
 *     size_t size = stave__shortest(13.88888888888889, text); // 17 bytes
 *     size = stave__shortest_thousandths(1500, text);         // 3 bytes: 1.5
 *
 * Text     Never an exponent, always a decimal: 5.0, -1.5, 0.001, 123456789012345680000.0. Zero is
 *          0.0, negative zero -0.0. No NUL at the end. The digits are those of Python's repr() and
 *          JavaScript's String(): the fewest that read back to the same double, and among those the
 *          closest to it.
 * Room     Give `out` the room that the function names, however short the text will be: stores are
 *          wide, and bytes behind the returned size may change.
 * Source   Raffaello Giulietti, "The Schubfach way to render doubles" (2020).
 * Threads  No state, no memory, no locale: callable from any.  */
#ifndef STAVE_BASE_SHORTEST_H
#define STAVE_BASE_SHORTEST_H

#include <stddef.h>
#include <stdint.h>

/* Room for any double. The longest text has 327 bytes, -2.2250738585072014e-308 written out; the
 * rest is for wide stores. */
#define STAVE__SHORTEST_MAX 344
#define STAVE__THOUSANDTHS_MAX 24
#define STAVE__U64_TEXT_MAX 20

/* Writes the shortest decimal of a finite value (asserted) into STAVE__SHORTEST_MAX bytes; returns
 * the bytes of text. */
size_t stave__shortest(double value, char *out);

/* The text of stave__shortest(n / 1000.0) into STAVE__THOUSANDTHS_MAX bytes. For |n| < 10^15 from
 * integers alone, and so in a third of the time: a decimal of at most 15 digits reads back to no
 * double but its own, so it is the shortest. */
size_t stave__shortest_thousandths(int64_t n, char *out);

/* Writes the decimal digits of n, 1 to 20, into STAVE__U64_TEXT_MAX bytes; returns how many. */
size_t stave__u64_text(uint64_t n, char *out);

#endif
