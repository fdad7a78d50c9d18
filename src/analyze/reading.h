/* analyze/reading.h - a trace's blocks by boot, lane and kind, in any order, one at a time.
 *
 *     if (stave__reading_open(&reading, trace, &filter, progress, error) < 0) ...
 *     end = stave__reading_end(&reading, from, STAVE__SAME_LANE);
 *     for (uint32_t i = end; i-- > from;)                    // from the last to the first
 *         if (stave__reading_show(&reading, i, error) > 0)
 *             ... reading.block ...
 *     stave__reading_close(&reading);
 */
#ifndef STAVE_ANALYZE_READING_H
#define STAVE_ANALYZE_READING_H

#include "trace/cursor.h"

/* How many rows have been read. */
struct stave__rows_read {
    stave_progress progress; /* told now and then */
    uint64_t done, reported, total;
};

void stave__rows_read_add(struct stave__rows_read *read, uint64_t rows);

struct stave__reading {
    stave_trace *trace;
    struct stave__choice *choices;
    uint32_t count;
    struct stave__entry *pinned; /* the one shown, or NULL */
    stave_block block;           /* valid until the next is shown */
    struct stave__rows_read read;
};

int stave__reading_open(struct stave__reading *reading, stave_trace *trace,
                        const stave_filter *filter, stave_progress progress, stave_error *error);
void stave__reading_close(struct stave__reading *reading);

enum stave__same { STAVE__SAME_BOOT, STAVE__SAME_LANE, STAVE__SAME_KIND };

/* The choice behind those that are alike from `from` on, within [from, end): boot, boot and lane, or all
 * three. */
uint32_t stave__reading_end(const struct stave__reading *reading, uint32_t from, uint32_t end,
                            enum stave__same same);

/* Shows a block: 1; 0 when it is damaged; or an error. */
int stave__reading_show(struct stave__reading *reading, uint32_t choice, stave_error *error);

/* The choices by lane, whatever their boots. */
struct stave__lane_choices {
    uint32_t *at; /* those of a lane together; within it they keep their order */
    uint32_t *
        first; /* by lane of the trace: where its own begin; they end where the next lane's begin */
};

/* False: out of memory, and nothing is to be freed. */
bool stave__reading_sort_by_lane(const struct stave__reading *reading,
                                 struct stave__lane_choices *sorted);
void stave__lane_choices_free(struct stave__lane_choices *sorted);

/* All blocks will be read once more. */
void stave__reading_again(struct stave__reading *reading);

#endif
