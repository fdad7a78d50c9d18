#include "decode/csv_lanes.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "stave/decode.h"
#include "trace/deadline.h"

#define DECIMALS_MAX 6 /* of milliseconds that are tried: nanoseconds */

/* Spans of a name, type and priority. */
struct kin {
    uint32_t kind;
    uint32_t priority;
    struct csv_writer *writers[2]; /* of those without and with a deadline; may be the same */
};

/* As it is looked up. */
struct kin_key {
    uint32_t name; /* string id */
    uint32_t kind;
    uint32_t priority;
};

struct name {
    struct csv_writer *first; /* its first lane in the file */
    struct kin *recent;       /* most often the next span's too */
    uint32_t kind;            /* of its first span, ... */
    uint64_t row;             /* ... which is in this row; 0: there was none */
};

int stave__csv_lanes_init(struct csv_lanes *lanes, stave_trace *trace, uint32_t boot,
                          stave_error *error)
{
    *lanes = (struct csv_lanes){
        .trace = trace,
        .boot = boot,
        .names = {.row_size = sizeof(struct name)},
        .kins = {.row_size = sizeof(struct kin)},
        .writers = {.row_size = sizeof(struct csv_writer)},
    };
    return stave__strings_init(&lanes->kin_ids) < 0 ? stave__fail_memory(error) : STAVE_OK;
}

void stave__csv_lanes_free(struct csv_lanes *lanes)
{
    stave__table_free(&lanes->names);
    stave__table_free(&lanes->kins);
    stave__table_free(&lanes->writers);
    stave__idmap_free(&lanes->name_ids);
    stave__idmap_free(&lanes->lane_writers);
    stave__strings_free(&lanes->kin_ids);
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

/* ---- writers --------------------------------------------------------------------------------- */

static int add_writer(struct csv_lanes *lanes, uint32_t id, struct csv_writer **writer,
                      stave_error *error)
{
    struct csv_writer *added = stave__table_add(&lanes->writers);
    if (added == NULL || !stave__idmap_add(&lanes->lane_writers, id, lanes->writers.rows - 1))
        return stave__fail_memory(error);
    struct stave__blocks *blocks = &lanes->trace->blocks;
    const stave_lane *lane = stave_trace_lane(lanes->trace, id);
    added->lane = *lane;
    added->deadline_us = lane->has_deadline ? (double)lane->deadline_ms * 1000.0 : (double)NAN;
    added->allowed_us = stave__deadline_us(lane);
    stave__appender_init(&added->spans, blocks, STAVE_SPANS, id, lanes->boot);
    stave__appender_init(&added->marks, blocks, STAVE_MARKS, id, lanes->boot);
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
    if (index != IDMAP_NONE)
        *writer = stave__table_at(&lanes->writers, index);
    else
        status = full ? STAVE_E_LIMIT : add_writer(lanes, id, writer, error);
    if (status >= 0 && name->first == NULL)
        name->first = *writer;
    return status;
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* Whether the deadline that is written for this relative one (export/csv.c) is the row's. */
static bool gives_deadline(const struct csv_lane_key *key, float relative_ms)
{
    return key->start_us + (double)relative_ms * 1000.0 == key->deadline_us;
}

/* The nearest float, or its neighbour: the doubles around a power of two are not at equal distance, and
 * the difference was rounded. False when none gives the row's deadline. */
static bool nearest_deadline(const struct csv_lane_key *key, double ms, float *relative_ms)
{
    float nearest = (float)ms;
    float candidates[] = {nearest, nextafterf(nearest, -INFINITY), nextafterf(nearest, INFINITY)};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        *relative_ms = candidates[i];
        if (gives_deadline(key, candidates[i]))
            return true;
    }
    return false;
}

/* The float that gives the row's deadline. Late in a trace there are several: then that with the fewest
 * decimals, which is likely to be the one that was meant, so that it gives those of other rows too. */
static bool relative_deadline(const struct csv_lane_key *key, float *relative_ms)
{
    double ms = (key->deadline_us - key->start_us) / 1000.0, power = 1;
    if (!(fabs(ms) <= (double)FLT_MAX))
        return false;
    for (int decimals = 0; decimals <= DECIMALS_MAX; decimals++, power *= 10) {
        *relative_ms = (float)(rint(ms * power) / power);
        if (gives_deadline(key, *relative_ms))
            return true;
    }
    return nearest_deadline(key, ms, relative_ms);
}

static stave_lane new_lane(uint32_t name, const struct csv_lane_key *key)
{
    stave_lane lane = {.name = name, .kind = key->kind, .priority = key->priority};
    lane.has_deadline = key->has_deadline && relative_deadline(key, &lane.deadline_ms);
    if (!lane.has_deadline)
        lane.deadline_ms = 0;
    return lane;
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

static int find_kin(struct csv_lanes *lanes, uint32_t name, const struct csv_lane_key *key,
                    struct kin **kin, stave_error *error)
{
    const struct kin_key kin_key = {name, key->kind, key->priority};
    uint32_t id; /* 0 is the empty string's */
    if (stave__strings_add(&lanes->kin_ids, (const char *)&kin_key, sizeof kin_key, &id) < 0)
        return stave__fail_memory(error);
    bool known = id <= lanes->kins.rows;
    *kin = known ? stave__table_at(&lanes->kins, id - 1) : stave__table_add(&lanes->kins);
    if (*kin == NULL)
        return stave__fail_memory(error);
    (*kin)->kind = key->kind;
    (*kin)->priority = key->priority;
    return STAVE_OK;
}

static inline bool is_of(const struct kin *kin, const struct csv_lane_key *key)
{
    return kin != NULL && kin->kind == key->kind && kin->priority == key->priority;
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
    if (!is_of(name->recent, key))
        status = find_kin(lanes, id, key, &name->recent, error);
    if (status < 0)
        return status;
    struct csv_writer **known = &name->recent->writers[key->has_deadline];
    if (*known == NULL) {
        stave_lane lane = new_lane(id, key);
        status = writer_of(lanes, name, &lane, known, error);
    }
    *writer = *known;
    return status;
}

/* The first span with a deadline of its own ends the block in hand, which has no column for it. */
static int begin_own_deadlines(struct csv_writer *writer, stave_error *error)
{
    writer->spans.mask |= STAVE_COLUMN_VALUE;
    return stave__appender_seal(&writer->spans, error);
}

int stave__csv_writer_span(struct csv_writer *writer, int64_t start, int64_t end, uint64_t serial,
                           int64_t deadline, uint16_t flags, stave_error *error)
{
    bool own = (flags & STAVE_FLAG_HAS_VALUE) != 0;
    bool has_column = (writer->spans.mask & STAVE_COLUMN_VALUE) != 0;
    if (!own && !has_column)
        return stave__append_span(&writer->spans, start, end, serial, flags, error);
    int status = has_column ? STAVE_OK : begin_own_deadlines(writer, error);
    if (status < 0)
        return status;
    return stave__append_span_due(&writer->spans, start, end, serial, own ? (uint64_t)deadline : 0,
                                  flags, error);
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
