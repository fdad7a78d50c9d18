#include "decode/csv_lanes.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "stave/decode.h"

struct name {
    struct csv_writer *first; /* of those that are tried, in the order in which they were made */
    struct csv_writer *last;
    uint32_t count;
    uint32_t kind; /* of its first span, ... */
    uint64_t row;  /* ... which is in this row; 0: there was none */
};

void stave__csv_lanes_init(struct csv_lanes *lanes, stave_trace *trace, uint32_t boot)
{
    *lanes = (struct csv_lanes){
        .trace = trace,
        .boot = boot,
        .names = {.row_size = sizeof(struct name)},
        .writers = {.row_size = sizeof(struct csv_writer)},
    };
}

void stave__csv_lanes_free(struct csv_lanes *lanes)
{
    stave__table_free(&lanes->names);
    stave__table_free(&lanes->writers);
    stave__idmap_free(&lanes->name_ids);
    stave__idmap_free(&lanes->lane_writers);
}

void stave__csv_lanes_seal(struct csv_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->writers.rows; i++) {
        struct csv_writer *writer = stave__table_at(&lanes->writers, i);
        stave__appender_seal(&writer->spans, NULL);
        stave__appender_seal(&writer->marks, NULL);
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

static int find_name(struct csv_lanes *lanes, const char *text, size_t size, uint32_t *id,
                     struct name **name, stave_error *error)
{
    int status = stave__trace_string(lanes->trace, text, size, id, error);
    if (status < 0)
        return status;
    uint32_t index = stave__idmap_get(&lanes->name_ids, *id);
    if (index != IDMAP_NONE) {
        *name = stave__table_at(&lanes->names, index);
        return STAVE_OK;
    }
    *name = stave__table_add(&lanes->names);
    if (*name == NULL || !stave__idmap_add(&lanes->name_ids, *id, lanes->names.rows - 1))
        return stave__fail_memory(error);
    return STAVE_OK;
}

static void add_to_name(struct name *name, struct csv_writer *writer)
{
    if (name->count == STAVE__CSV_LANES_TRIED)
        return;
    *(name->first != NULL ? &name->last->next : &name->first) = writer;
    name->last = writer;
    name->count++;
}

/* ---- writers --------------------------------------------------------------------------------- */

static int add_writer(struct csv_lanes *lanes, struct name *name, uint32_t id,
                      struct csv_writer **writer, stave_error *error)
{
    struct csv_writer *added = stave__table_add(&lanes->writers);
    if (added == NULL || !stave__idmap_add(&lanes->lane_writers, id, lanes->writers.rows - 1))
        return stave__fail_memory(error);
    struct stave__blocks *blocks = &lanes->trace->blocks;
    added->lane = *stave_trace_lane(lanes->trace, id);
    added->deadline_us = (double)added->lane.deadline_ms * 1000.0;
    stave__appender_init(&added->spans, blocks, STAVE_SPANS, id, lanes->boot);
    stave__appender_init(&added->marks, blocks, STAVE_MARKS, id, lanes->boot);
    add_to_name(name, added);
    *writer = added;
    return STAVE_OK;
}

/* The writer of just this lane. */
static int writer_of(struct csv_lanes *lanes, struct name *name, const stave_lane *lane,
                     struct csv_writer **writer, stave_error *error)
{
    uint32_t id;
    bool full = lanes->writers.rows == STAVE_DECODER_IDS_MAX;
    if (full && !stave__trace_find_lane(lanes->trace, lane, &id))
        return STAVE_E_LIMIT;
    int status = stave__trace_lane(lanes->trace, lane, &id, error);
    if (status < 0)
        return status;
    uint32_t index = stave__idmap_get(&lanes->lane_writers, id);
    if (index != IDMAP_NONE) {
        *writer = stave__table_at(&lanes->writers, index);
        return STAVE_OK;
    }
    return full ? STAVE_E_LIMIT : add_writer(lanes, name, id, writer, error);
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* Whether the deadline that is written for this relative one (export/csv.c) is the row's. */
static bool gives_deadline(const struct csv_lane_key *key, double relative_us)
{
    return key->start_us + relative_us == key->deadline_us;
}

/* The relative deadline: the nearest float, unless its neighbour alone gives the row's deadline. (The
 * doubles around a power of two are not at equal distance, and the difference was rounded.) */
static float deadline_ms(const struct csv_lane_key *key)
{
    double ms = (key->deadline_us - key->start_us) / 1000.0;
    assert(fabs(ms) <= (double)FLT_MAX);
    float nearest = (float)ms;
    float below = nextafterf(nearest, -INFINITY);
    float above = nextafterf(nearest, INFINITY);
    if (gives_deadline(key, (double)nearest * 1000.0))
        return nearest;
    if (gives_deadline(key, (double)below * 1000.0))
        return below;
    return gives_deadline(key, (double)above * 1000.0) ? above : nearest;
}

static bool is_of(const struct csv_writer *writer, const struct csv_lane_key *key)
{
    const stave_lane *lane = &writer->lane;
    return lane->kind == key->kind && lane->priority == key->priority &&
           lane->has_deadline == key->has_deadline &&
           (!key->has_deadline || gives_deadline(key, writer->deadline_us));
}

/* Markers have no kind: one may have the name of a span. */
static bool is_of_its_kind(struct name *name, const struct csv_lane_key *key)
{
    if (name->row == 0) {
        name->kind = key->kind;
        name->row = key->row;
    }
    return name->kind == key->kind;
}

int stave__csv_lanes_of_span(struct csv_lanes *lanes, const struct csv_lane_key *key,
                             struct csv_writer **writer, uint64_t *other_row, stave_error *error)
{
    uint32_t id;
    struct name *name;
    int status = find_name(lanes, key->name, key->name_size, &id, &name, error);
    if (status < 0)
        return status;
    if (lanes->one_kind && !is_of_its_kind(name, key)) {
        *other_row = name->row;
        return STAVE_E_FORMAT;
    }
    for (struct csv_writer *w = name->first; w != NULL; w = w->next) {
        if (is_of(w, key)) {
            *writer = w;
            return STAVE_OK;
        }
    }
    stave_lane lane = {.name = id,
                       .kind = key->kind,
                       .priority = key->priority,
                       .has_deadline = key->has_deadline,
                       .deadline_ms = key->has_deadline ? deadline_ms(key) : 0};
    return writer_of(lanes, name, &lane, writer, error);
}

/* ---- markers --------------------------------------------------------------------------------- */

int stave__csv_lanes_of_mark(struct csv_lanes *lanes, const char *name, size_t name_size,
                             struct csv_writer **writer, stave_error *error)
{
    uint32_t id;
    struct name *found;
    int status = find_name(lanes, name, name_size, &id, &found, error);
    if (status < 0)
        return status;
    if (found->first == NULL) {
        stave_lane lane = {.name = id, .kind = STAVE_LANE_TASK};
        return writer_of(lanes, found, &lane, writer, error);
    }
    *writer = found->first;
    return STAVE_OK;
}
