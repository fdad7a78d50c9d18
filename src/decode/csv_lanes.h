/* decode/csv_lanes.h - the lanes of a CSV's rows: found by what stands in a row, which is a name, a type,
 * a priority and two absolute times, of which the relative deadline has to be made again.
 *
 * A deadline was written as the double nearest to start_us + deadline_ms * 1000, so near that many
 * floats may come to the same. A lane of the name that would write just that is taken; else one is
 * made. Only the first STAVE__CSV_LANES_TRIED lanes of a name are asked, so that no file can make
 * this slow; behind them a lane is found by its float.  */
#ifndef STAVE_DECODE_CSV_LANES_H
#define STAVE_DECODE_CSV_LANES_H

#include "decode/idmap.h"
#include "trace/trace.h"

#define STAVE__CSV_LANES_TRIED 64

/* Writes rows of one lane. */
struct csv_writer {
    struct csv_writer *next; /* of the same name */
    stave_lane lane;
    double deadline_us; /* relative */
    struct stave__appender spans;
    struct stave__appender marks;
};

struct csv_lanes {
    stave_trace *trace;
    uint32_t boot;
    bool one_kind; /* spans of a name must be of one kind */
    struct stave__table names;
    struct stave__table writers;
    struct idmap name_ids;     /* string id to name */
    struct idmap lane_writers; /* lane to writer */
};

/* What a span's row says of its lane. */
struct csv_lane_key {
    const char *name;
    size_t name_size;
    uint32_t kind;
    uint32_t priority;
    bool has_deadline;
    double start_us,
        deadline_us; /* absolute; the relative one must be within the range of floats */
    uint64_t row;
};

void stave__csv_lanes_init(struct csv_lanes *lanes, stave_trace *trace, uint32_t boot);
void stave__csv_lanes_free(struct csv_lanes *lanes);

/* The writer of a span. Without an error's text: STAVE_E_LIMIT when there are too many lanes; with
 * `one_kind`, STAVE_E_FORMAT when the name was of another kind before, and *other_row says where. */
int stave__csv_lanes_of_span(struct csv_lanes *lanes, const struct csv_lane_key *key,
                             struct csv_writer **writer, uint64_t *other_row, stave_error *error);

/* The writer of a marker: of the first lane of its name, else of a new one, a task's of priority 0. */
int stave__csv_lanes_of_mark(struct csv_lanes *lanes, const char *name, size_t name_size,
                             struct csv_writer **writer, stave_error *error);

/* No more rows. */
void stave__csv_lanes_seal(struct csv_lanes *lanes);

#endif
