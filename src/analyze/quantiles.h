/* analyze/quantiles.h - percentiles of many numbers in little memory.
 *
 *     struct stave__quantiles quantiles = {0};
 *     if (!stave__quantiles_add(&quantiles, ns)) ...                  // out of memory
 *     double p99 = stave__quantiles_at(&quantiles, 99);
 *
 * Percentile p is the least number that at least p % of them do not exceed (nearest rank). Up to
 * STAVE_ROLLUP_EXACT numbers are kept, and it is exact. Beyond that they are counted in buckets, 256
 * between a power of two and the next, each with its upper bound in it and its lower one not; what is
 * given is the upper bound: never less than the true percentile, at most 1/256 above it, and exact where
 * the number is one of the bounds, as whole numbers up to 512 are. That holds for numbers from 2^-20 to
 * 2^107, and 0; others count as the nearest of these but 0. Numbers are not negative.
 *
 * Memory: 8 bytes a number, then 1 KiB and 1 KiB for each power of two that occurs. Counts are 32 bits
 * wide, so that those of some hundred names stay in the cache.  */
#ifndef STAVE_ANALYZE_QUANTILES_H
#define STAVE_ANALYZE_QUANTILES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define STAVE__OCTAVES 128
#define STAVE__OCTAVE_BUCKETS 256

struct stave__histogram {
    uint64_t zeros;
    struct stave__histogram *carries;  /* of counts that were full: 2^32 each; NULL: none */
    uint32_t *octaves[STAVE__OCTAVES]; /* STAVE__OCTAVE_BUCKETS counts each; NULL: all 0 */
};

/* All zero: empty. */
struct stave__quantiles {
    uint64_t count;
    struct stave__histogram *histogram; /* NULL while the numbers are kept */
    double *kept;
    uint32_t kept_size;
};

/* While they are kept, for the first in an octave, and for a full count. */
bool stave__quantiles_add_slowly(struct stave__quantiles *quantiles, double number);

/* The bucket of a number of at least 2^-20 and at most 2^107: its upper bound's bits are those of the
 * bucket's number plus one, shifted back. */
#define STAVE__BUCKET_SHIFT (52 - 8)
#define STAVE__BUCKET_LEAST (((uint64_t)1023 - 20) << 52) /* bits of 2^-20 */
#define STAVE__BUCKET_MOST (((uint64_t)1023 + 107) << 52)
#define STAVE__BUCKET_FIRST ((STAVE__BUCKET_LEAST - 1) >> STAVE__BUCKET_SHIFT & ~(uint64_t)255)

static inline uint64_t stave__quantiles_bucket(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (bits < STAVE__BUCKET_LEAST)
        bits = STAVE__BUCKET_LEAST;
    if (bits > STAVE__BUCKET_MOST)
        bits = STAVE__BUCKET_MOST;
    return ((bits - 1) >> STAVE__BUCKET_SHIFT) - STAVE__BUCKET_FIRST;
}

/* False when out of memory. */
static inline bool stave__quantiles_add(struct stave__quantiles *quantiles, double number)
{
    struct stave__histogram *histogram = quantiles->histogram;
    if (histogram == NULL || number <= 0)
        return stave__quantiles_add_slowly(quantiles, number);
    uint64_t bucket = stave__quantiles_bucket(number);
    uint32_t *octave = histogram->octaves[bucket / STAVE__OCTAVE_BUCKETS];
    if (octave == NULL || octave[bucket % STAVE__OCTAVE_BUCKETS] == UINT32_MAX)
        return stave__quantiles_add_slowly(quantiles, number);
    octave[bucket % STAVE__OCTAVE_BUCKETS]++;
    quantiles->count++;
    return true;
}

/* Percentile 1 to 100; NaN when there are no numbers. It may exceed the greatest of them by 1/256. */
double stave__quantiles_at(struct stave__quantiles *quantiles, uint32_t percent);

void stave__quantiles_free(struct stave__quantiles *quantiles);

#endif
