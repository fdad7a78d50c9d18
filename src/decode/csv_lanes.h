/* decode/csv_lanes.h - the lanes of a CSV's rows: found by what stands in a row, which is a name, a type,
 * a priority, and two absolute times where it has a deadline.
 *
 * Spans of a name, type and priority are on at most two lanes: those with a deadline on one, those
 * without on the other. What the first of a lane is allowed, from its start, becomes the lane's
 * deadline where a float of milliseconds gives just the time in the file: a device's spans all have
 * one. The others have a deadline of their own. So a file in which each row allows something else has
 * no more lanes than names.  */
#ifndef STAVE_DECODE_CSV_LANES_H
#define STAVE_DECODE_CSV_LANES_H

#include "base/strings.h"
#include "decode/idmap.h"
#include "trace/trace.h"

/* Writes rows of one lane. */
struct csv_writer {
    stave_lane lane;
    double deadline_us; /* relative, as it is written in CSVs; NAN: the lane has none */
    double allowed_us;  /* the same, as spans are checked */
    struct stave__appender spans;
    struct stave__appender marks;
};

struct csv_lanes {
    stave_trace *trace;
    uint32_t boot;
    bool one_kind; /* spans of a name must be of one kind */
    struct stave__table names;
    struct stave__table kins;
    struct stave__table writers;
    struct idmap name_ids;         /* string id to name */
    struct idmap lane_writers;     /* lane to writer */
    struct stave__strings kin_ids; /* struct kin_key to kin, plus 1 */
};

/* What a span's row says of its lane. */
struct csv_lane_key {
    const char *name;
    size_t name_size;
    uint32_t kind;
    uint32_t priority;
    bool has_deadline;
    bool exact;                   /* both times are whole nanoseconds */
    double start_us, deadline_us; /* absolute */
    double allowed_us;            /* the exact difference; NAN: it is beyond doubles */
    uint64_t row;
};

int stave__csv_lanes_init(struct csv_lanes *lanes, stave_trace *trace, uint32_t boot,
                          stave_error *error);
void stave__csv_lanes_free(struct csv_lanes *lanes);

/* The writer of a span. Without an error's text: STAVE_E_LIMIT when there are too many lanes; with
 * `one_kind`, STAVE_E_FORMAT when the name was of another kind before, and *other_row says where. */
int stave__csv_lanes_of_span(struct csv_lanes *lanes, const struct csv_lane_key *key,
                             struct csv_writer **writer, uint64_t *other_row, stave_error *error);

/* Whether the lane's deadline says all of the row's: it would be written as it stands there, and it is
 * missed by the same spans. Where times had to be rounded, as those of devices that count cycles, the
 * text decides alone. */
static inline bool csv_lane_gives(const struct csv_writer *writer, const struct csv_lane_key *key)
{
    return key->start_us + writer->deadline_us == key->deadline_us &&
           (!key->exact || key->allowed_us == writer->allowed_us);
}

/* Appends a span; with STAVE_FLAG_HAS_VALUE `deadline` is its own. */
int stave__csv_writer_span(struct csv_writer *writer, int64_t start, int64_t end, uint64_t serial,
                           int64_t deadline, uint16_t flags, stave_error *error);

/* The writer of a marker: of the first lane of its name, else of a new one, a task's of priority 0. */
int stave__csv_lanes_of_mark(struct csv_lanes *lanes, const char *name, size_t name_size,
                             struct csv_writer **writer, stave_error *error);

/* No more rows. */
void stave__csv_lanes_seal(struct csv_lanes *lanes);

#endif
