/* Counters: one row for each name and lane. */
#include <math.h>
#include <stdlib.h>

#include "analyze/rolling.h"
#include "base/error.h"
#include "base/hash.h"

#define FIRST_SAMPLES 32u

static uint32_t *bucket_of(const struct stave__samples *samples, uint32_t name, uint32_t lane)
{
    uint32_t key[] = {name, lane};
    uint32_t mask = samples->buckets_size - 1;
    for (uint32_t i = (uint32_t)stave__hash_numbers(key, 2) & mask;; i = (i + 1) & mask) {
        uint32_t *bucket = &samples->buckets[i];
        if (*bucket == 0 || (samples->rows[*bucket - 1].counter.name == name &&
                             samples->rows[*bucket - 1].counter.lane == lane))
            return bucket;
    }
}

/* Room for one row more, with half the buckets free. */
static bool grow(struct stave__samples *samples)
{
    uint32_t size = samples->size != 0 ? samples->size * 2 : FIRST_SAMPLES;
    if (size > UINT32_MAX / 4)
        return false;
    struct stave__sample *rows = realloc(samples->rows, size * sizeof *rows);
    if (rows == NULL)
        return false;
    samples->rows = rows;
    uint32_t *buckets = calloc((size_t)size * 2, sizeof *buckets);
    if (buckets == NULL)
        return false;
    free(samples->buckets);
    samples->buckets = buckets;
    samples->buckets_size = size * 2;
    samples->size = size;
    for (uint32_t i = 0; i < samples->used; i++)
        *bucket_of(samples, rows[i].counter.name, rows[i].counter.lane) = i + 1;
    return true;
}

static struct stave__sample *find(struct stave__samples *samples, uint32_t name, uint32_t lane)
{
    if (samples->used == samples->size && !grow(samples))
        return NULL;
    uint32_t *bucket = bucket_of(samples, name, lane);
    const double none = (double)NAN;
    if (*bucket == 0) {
        samples->rows[samples->used++] = (struct stave__sample){
            .counter = {.name = name, .lane = lane, .min = none, .max = none, .last = none},
        };
        *bucket = samples->used;
    }
    return &samples->rows[*bucket - 1];
}

static double number_of(uint64_t value, uint16_t flags)
{
    double real;
    switch (stave_value_type(flags)) {
    case STAVE_FLAG_REAL:
        memcpy(&real, &value, sizeof real);
        return real;
    case STAVE_FLAG_SIGNED:
        return (double)(int64_t)value;
    case STAVE_FLAG_BOOL:
        return value != 0;
    default:
        return (double)value;
    }
}

static void add(struct stave__sample *sample, double number, uint64_t order)
{
    stave_rollup_counter *counter = &sample->counter;
    counter->samples++;
    counter->min = fmin(counter->min, number); /* NaN is no number: it gives way */
    counter->max = fmax(counter->max, number);
    if (order >= sample->order) {
        sample->order = order;
        counter->last = number;
    }
}

int stave__roll_counters(struct stave__rolling *rolling, const stave_block *block,
                         stave_error *error)
{
    for (uint32_t i = 0; i < block->rows; i++) {
        uint16_t flags = block->flags[i];
        if ((flags & STAVE_FLAG_TEXT) != 0 ||
            !stave__ticks_in_window(&rolling->ticks, block->start[i], block->start[i]))
            continue;
        struct stave__sample *sample =
            find(&rolling->samples, stave_block_name(block, i), block->lane);
        if (sample == NULL)
            return stave__fail_memory(error);
        add(sample, number_of(block->value[i], flags), block->order[i]);
    }
    return STAVE_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

struct sorted {
    stave_rollup_counter counter;
    const char *text;
};

static int compare_counters(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    if (order != 0)
        return order;
    if (x->counter.name != y->counter.name) /* alike up to a NUL in them */
        return x->counter.name < y->counter.name ? -1 : 1;
    return x->counter.lane < y->counter.lane ? -1 : x->counter.lane > y->counter.lane;
}

int stave__samples_finish(const struct stave__samples *samples, const stave_trace *trace,
                          stave_rollup_counter **counters, stave_error *error)
{
    struct sorted *sorted = malloc((samples->used + (size_t)1) * sizeof *sorted);
    stave_rollup_counter *finished = malloc((samples->used + (size_t)1) * sizeof *finished);
    if (sorted == NULL || finished == NULL) {
        free(sorted);
        free(finished);
        return stave__fail_memory(error);
    }
    for (uint32_t i = 0; i < samples->used; i++) {
        sorted[i].counter = samples->rows[i].counter;
        sorted[i].text = stave_trace_string(trace, samples->rows[i].counter.name, NULL);
    }
    qsort(sorted, samples->used, sizeof *sorted, compare_counters);
    for (uint32_t i = 0; i < samples->used; i++)
        finished[i] = sorted[i].counter;
    free(sorted);
    *counters = finished;
    return STAVE_OK;
}

void stave__samples_free(struct stave__samples *samples)
{
    free(samples->rows);
    free(samples->buckets);
    *samples = (struct stave__samples){0};
}
