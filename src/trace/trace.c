/* A trace's tables: strings, lanes, boots. */
#include "trace/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "base/hash.h"

#define FIRST_LANE_BUCKETS 64u

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

int stave_trace_new_sized(const stave_trace_config *config, size_t config_size, stave_trace **trace,
                          stave_error *error)
{
    stave_trace_config own;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status < 0)
        return status;
    stave_trace *t = calloc(1, sizeof *t);
    if (t == NULL)
        return stave__fail_memory(error);
    t->lanes.row_size = sizeof(stave_lane);
    t->boots.row_size = sizeof(struct stave__boot);
    if (own.temporary_dir != NULL)
        t->temporary_dir = copy_text(own.temporary_dir);
    stave__blocks_init(&t->blocks, own.cache_bytes, t->temporary_dir);
    t->lane_buckets_size = FIRST_LANE_BUCKETS;
    t->lane_buckets = calloc(t->lane_buckets_size, sizeof *t->lane_buckets);
    if (t->lane_buckets == NULL || stave__strings_init(&t->strings) < 0 ||
        (own.temporary_dir != NULL && t->temporary_dir == NULL)) {
        stave_trace_free(t);
        return stave__fail_memory(error);
    }
    *trace = t;
    return STAVE_OK;
}

void stave_trace_free(stave_trace *trace)
{
    if (trace == NULL)
        return;
    for (uint32_t i = 0; i < trace->boots.rows; i++)
        free(stave__boot_at(trace, i)->anchors);
    stave__table_free(&trace->boots);
    stave__table_free(&trace->lanes);
    stave__blocks_free(&trace->blocks);
    stave__strings_free(&trace->strings);
    free(trace->lane_buckets);
    free(trace->temporary_dir);
    free(trace);
}

int stave__trace_string(stave_trace *trace, const char *text, size_t size, uint32_t *id,
                        stave_error *error)
{
    int status = stave__strings_add(&trace->strings, text, size, id);
    if (status < 0)
        return stave__fail(error, status, 0, "%s: a name of %zu bytes", stave_status_text(status),
                           size);
    return STAVE_OK;
}

const char *stave_trace_string(const stave_trace *trace, uint32_t id, size_t *size)
{
    return stave__strings_text(&trace->strings, id, size);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

uint32_t stave_trace_lanes(const stave_trace *trace)
{
    return trace->lanes.rows;
}

const stave_lane *stave_trace_lane(const stave_trace *trace, uint32_t lane)
{
    return stave__table_at(&trace->lanes, lane);
}

/* Deadlines are compared by their bits: a NaN is itself, 0 and -0 differ. */
static uint32_t deadline_bits(const stave_lane *lane)
{
    uint32_t bits = 0;
    if (lane->has_deadline)
        memcpy(&bits, &lane->deadline_ms, sizeof bits);
    return bits;
}

static bool same_lane(const stave_lane *a, const stave_lane *b)
{
    return a->name == b->name && a->kind == b->kind && a->priority == b->priority &&
           a->has_deadline == b->has_deadline && deadline_bits(a) == deadline_bits(b);
}

static uint32_t lane_hash(const stave_lane *lane)
{
    uint32_t key[] = {lane->name, lane->kind, lane->priority, lane->has_deadline,
                      deadline_bits(lane)};
    return (uint32_t)stave__hash_numbers(key, sizeof key / sizeof key[0]);
}

static uint32_t *lane_bucket(const stave_trace *trace, const stave_lane *lane)
{
    uint32_t mask = trace->lane_buckets_size - 1;
    for (uint32_t i = lane_hash(lane) & mask;; i = (i + 1) & mask) {
        uint32_t *bucket = &trace->lane_buckets[i];
        if (*bucket == 0 || same_lane(stave_trace_lane(trace, *bucket - 1), lane))
            return bucket;
    }
}

static bool grow_lane_buckets(stave_trace *trace)
{
    uint32_t size = trace->lane_buckets_size * 2; /* 0 beyond 2^31 */
    uint32_t *larger = size != 0 ? calloc(size, sizeof *larger) : NULL;
    if (larger == NULL)
        return false;
    free(trace->lane_buckets);
    trace->lane_buckets = larger;
    trace->lane_buckets_size = size;
    for (uint32_t i = 0; i < trace->lanes.rows; i++)
        *lane_bucket(trace, stave_trace_lane(trace, i)) = i + 1;
    return true;
}

bool stave__trace_find_lane(const stave_trace *trace, const stave_lane *lane, uint32_t *id)
{
    const uint32_t *bucket = lane_bucket(trace, lane);
    if (*bucket == 0)
        return false;
    *id = *bucket - 1;
    return true;
}

int stave__trace_lane(stave_trace *trace, const stave_lane *lane, uint32_t *id, stave_error *error)
{
    uint32_t *bucket = lane_bucket(trace, lane);
    if (*bucket == 0) {
        if (trace->lanes.rows >= trace->lane_buckets_size / 2) {
            if (!grow_lane_buckets(trace))
                return stave__fail_memory(error);
            bucket = lane_bucket(trace, lane);
        }
        stave_lane *added = stave__table_add(&trace->lanes);
        if (added == NULL)
            return stave__fail_memory(error);
        *added = *lane;
        *bucket = trace->lanes.rows;
    }
    *id = *bucket - 1;
    return STAVE_OK;
}

/* ---- boots ----------------------------------------------------------------------------------- */

uint32_t stave_trace_boots(const stave_trace *trace)
{
    return trace->boots.rows;
}

const stave_boot *stave_trace_boot(const stave_trace *trace, uint32_t boot)
{
    return &stave__boot_at(trace, boot)->shown;
}

uint32_t stave_trace_anchors(const stave_trace *trace, uint32_t boot)
{
    return stave__boot_at(trace, boot)->anchors_used;
}

stave_anchor stave_trace_anchor(const stave_trace *trace, uint32_t boot, uint32_t index)
{
    const struct stave__boot *b = stave__boot_at(trace, boot);
    assert(index < b->anchors_used);
    return b->anchors[index];
}
