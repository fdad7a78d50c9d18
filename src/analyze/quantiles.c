#include "analyze/quantiles.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "stave/analyze.h"

#define FIRST_KEPT 16u

/* The count of a bucket, in an octave that is made when it is not there; NULL when out of memory. */
static uint32_t *count_of(struct stave__histogram *histogram, uint64_t bucket)
{
    uint32_t **octave = &histogram->octaves[bucket / STAVE__OCTAVE_BUCKETS];
    assert(bucket / STAVE__OCTAVE_BUCKETS < STAVE__OCTAVES);
    if (*octave == NULL)
        *octave = calloc(STAVE__OCTAVE_BUCKETS, sizeof **octave);
    return *octave != NULL ? &(*octave)[bucket % STAVE__OCTAVE_BUCKETS] : NULL;
}

/* A full count begins anew. */
static bool carry(struct stave__histogram *histogram, uint64_t bucket)
{
    if (histogram->carries == NULL)
        histogram->carries = calloc(1, sizeof *histogram->carries);
    uint32_t *count = histogram->carries != NULL ? count_of(histogram->carries, bucket) : NULL;
    if (count == NULL)
        return false;
    (*count)++; /* 2^64 of them do not come */
    return true;
}

static bool count_number(struct stave__histogram *histogram, double number)
{
    if (number <= 0) {
        histogram->zeros++;
        return true;
    }
    uint64_t bucket = stave__quantiles_bucket(number);
    uint32_t *count = count_of(histogram, bucket);
    if (count == NULL || (*count == UINT32_MAX && !carry(histogram, bucket)))
        return false;
    (*count)++; /* from full to 0 */
    return true;
}

static bool keep(struct stave__quantiles *quantiles, double number)
{
    if (quantiles->count == quantiles->kept_size) {
        uint32_t size = quantiles->kept_size != 0 ? quantiles->kept_size * 2 : FIRST_KEPT;
        double *larger = realloc(quantiles->kept, size * sizeof *larger);
        if (larger == NULL)
            return false;
        quantiles->kept = larger;
        quantiles->kept_size = size;
    }
    quantiles->kept[quantiles->count] = number;
    return true;
}

/* From now on they are counted. */
static bool begin_counting(struct stave__quantiles *quantiles)
{
    quantiles->histogram = calloc(1, sizeof *quantiles->histogram);
    if (quantiles->histogram == NULL)
        return false;
    for (uint64_t i = 0; i < quantiles->count; i++)
        if (!count_number(quantiles->histogram, quantiles->kept[i]))
            return false;
    free(quantiles->kept);
    quantiles->kept = NULL;
    return true;
}

bool stave__quantiles_add_slowly(struct stave__quantiles *quantiles, double number)
{
    bool added;
    if (quantiles->histogram == NULL && quantiles->count < STAVE_ROLLUP_EXACT)
        added = keep(quantiles, number);
    else
        added = (quantiles->histogram != NULL || begin_counting(quantiles)) &&
                count_number(quantiles->histogram, number);
    quantiles->count += added;
    return added;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static double upper_bound(uint64_t bucket)
{
    uint64_t bits = (bucket + STAVE__BUCKET_FIRST + 1) << STAVE__BUCKET_SHIFT;
    double bound;
    memcpy(&bound, &bits, sizeof bound);
    return bound;
}

static uint64_t counted_in(const struct stave__histogram *histogram, uint64_t bucket)
{
    const uint32_t *octave = histogram->octaves[bucket / STAVE__OCTAVE_BUCKETS];
    return octave != NULL ? octave[bucket % STAVE__OCTAVE_BUCKETS] : 0;
}

/* The bound of the bucket in which the number of this rank, from 1, is. */
static double counted_at(const struct stave__histogram *histogram, uint64_t rank)
{
    uint64_t passed = histogram->zeros;
    uint64_t bucket = 0;
    if (rank <= passed)
        return 0;
    for (;; bucket++) {
        passed += counted_in(histogram, bucket);
        if (histogram->carries != NULL)
            passed += counted_in(histogram->carries, bucket) << 32;
        if (rank <= passed)
            return upper_bound(bucket);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double stave__quantiles_at(struct stave__quantiles *quantiles, uint32_t percent)
{
    uint64_t count = quantiles->count;
    if (count == 0)
        return (double)NAN;
    uint64_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
    if (quantiles->histogram != NULL)
        return counted_at(quantiles->histogram, rank);
    qsort(quantiles->kept, count, sizeof *quantiles->kept, compare_numbers);
    return quantiles->kept[rank - 1];
}

static void free_histogram(struct stave__histogram *histogram)
{
    for (int i = 0; histogram != NULL && i < STAVE__OCTAVES; i++)
        free(histogram->octaves[i]);
    free(histogram);
}

void stave__quantiles_free(struct stave__quantiles *quantiles)
{
    if (quantiles->histogram != NULL)
        free_histogram(quantiles->histogram->carries);
    free_histogram(quantiles->histogram);
    free(quantiles->kept);
    *quantiles = (struct stave__quantiles){0};
}
