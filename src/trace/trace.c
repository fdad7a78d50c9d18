/* A trace and its tables: strings, lanes, processes, modules, properties, boots. */
#include "trace/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "base/hash.h"
#include "trace/file.h"

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
    t->processes.row_size = sizeof(stave_process);
    t->modules.row_size = sizeof(stave_module);
    t->properties.row_size = sizeof(stave_property);
    t->places.row_size = sizeof(stave_place);
    t->place_index = calloc(1, sizeof *t->place_index);
    stave__rule_tables_init(&t->rules);
    if (own.temporary_dir != NULL)
        t->temporary_dir = copy_text(own.temporary_dir);
    stave__blocks_init(&t->blocks, own.cache_bytes, t->temporary_dir);
    t->lane_buckets_size = FIRST_LANE_BUCKETS;
    t->lane_buckets = calloc(t->lane_buckets_size, sizeof *t->lane_buckets);
    if (t->lane_buckets == NULL || t->place_index == NULL || stave__strings_init(&t->strings) < 0 ||
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
    stave__table_free(&trace->processes);
    stave__table_free(&trace->modules);
    stave__table_free(&trace->properties);
    stave__table_free(&trace->places);
    if (trace->place_index != NULL)
        stave__place_index_forget(trace->place_index);
    free(trace->place_index);
    stave__rule_tables_free(&trace->rules);
    stave__file_free(trace->file);
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

uint32_t stave_trace_strings(const stave_trace *trace)
{
    return trace->strings.texts.rows;
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
           a->has_deadline == b->has_deadline && deadline_bits(a) == deadline_bits(b) &&
           a->process == b->process && a->number == b->number;
}

static uint32_t lane_hash(const stave_lane *lane)
{
    uint32_t key[] = {
        lane->name,          lane->kind,    lane->priority,         lane->has_deadline,
        deadline_bits(lane), lane->process, (uint32_t)lane->number, (uint32_t)(lane->number >> 32)};
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

/* ---- processes, modules, properties ----------------------------------------------------------- */

uint32_t stave_trace_processes(const stave_trace *trace)
{
    return trace->processes.rows;
}

const stave_process *stave_trace_process(const stave_trace *trace, uint32_t process)
{
    return stave__table_at(&trace->processes, process);
}

int stave__trace_process(stave_trace *trace, const stave_process *process, uint32_t *id,
                         stave_error *error)
{
    stave_process *row = stave__table_add(&trace->processes);
    if (row == NULL)
        return stave__fail_memory(error);
    *row = *process;
    *id = trace->processes.rows - 1;
    return STAVE_OK;
}

uint32_t stave_trace_modules(const stave_trace *trace)
{
    return trace->modules.rows;
}

const stave_module *stave_trace_module(const stave_trace *trace, uint32_t module)
{
    return stave__table_at(&trace->modules, module);
}

int stave__trace_module(stave_trace *trace, const stave_module *module, stave_error *error)
{
    stave_module *row = stave__table_add(&trace->modules);
    if (row == NULL)
        return stave__fail_memory(error);
    *row = *module;
    return STAVE_OK;
}

uint32_t stave_trace_properties(const stave_trace *trace)
{
    return trace->properties.rows;
}

const stave_property *stave_trace_property(const stave_trace *trace, uint32_t index)
{
    return stave__table_at(&trace->properties, index);
}

const stave_property *stave_trace_find_property(const stave_trace *trace, const char *key)
{
    for (uint32_t i = 0; i < trace->properties.rows; i++) {
        const stave_property *property = stave_trace_property(trace, i);
        if (strcmp(stave_trace_string(trace, property->key, NULL), key) == 0)
            return property;
    }
    return NULL;
}

/* The row of a key, or NULL. There are a few dozen at most. */
static stave_property *find_property(const stave_trace *trace, uint32_t key)
{
    for (uint32_t i = 0; i < trace->properties.rows; i++) {
        stave_property *row = stave__table_at(&trace->properties, i);
        if (row->key == key)
            return row;
    }
    return NULL;
}

int stave__trace_set_property(stave_trace *trace, const char *key, uint16_t flags, uint64_t value,
                              stave_error *error)
{
    uint32_t id;
    int status = stave__trace_string(trace, key, strlen(key), &id, error);
    if (status < 0)
        return status;
    stave_property *row = find_property(trace, id);
    if (row == NULL)
        row = stave__table_add(&trace->properties);
    if (row == NULL)
        return stave__fail_memory(error);
    *row = (stave_property){.key = id, .flags = flags, .value = value};
    return STAVE_OK;
}

int stave__trace_set_real(stave_trace *trace, const char *key, double value, stave_error *error)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return stave__trace_set_property(trace, key, STAVE_FLAG_REAL, bits, error);
}

int stave__trace_set_text(stave_trace *trace, const char *key, const char *text, stave_error *error)
{
    uint32_t id;
    int status = stave__trace_string(trace, text, strlen(text), &id, error);
    return status < 0 ? status : stave__trace_set_property(trace, key, STAVE_FLAG_TEXT, id, error);
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
