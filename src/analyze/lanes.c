#include <assert.h>
#include <string.h>

#include "analyze/deadline.h"
#include "analyze/durations.h"
#include "stave/analyze.h"

static struct stave__durations durations_of(const stave_lane_summary *row)
{
    return (struct stave__durations){.count = row->spans - row->interrupted,
                                     .least = row->min_us,
                                     .most = row->max_us,
                                     .sum = row->total_us};
}

static void keep_durations(stave_lane_summary *row, const struct stave__durations *whole)
{
    row->min_us = whole->least;
    row->mean_us = stave__durations_mean(whole);
    row->max_us = whole->most;
    row->total_us = whole->sum;
}

/* A span whose end is known. */
static void add_whole(const stave_trace *trace, const stave_block *block, uint32_t i,
                      double lane_us, struct stave__durations *whole, stave_lane_summary *row)
{
    double us = stave_duration_us(trace, block->boot, block->start[i], block->end[i]);
    struct stave__deadline deadline =
        stave__deadline_of(lane_us, block->flags[i], stave_block_value(block, i));
    stave__durations_add(whole, us);
    row->checked += stave__deadline_exists(&deadline);
    row->missed += stave__deadline_missed(&deadline, block->end[i], us);
}

static void add_spans(const stave_trace *trace, const stave_block *block, stave_lane_summary *row)
{
    double lane_us = stave__deadline_us(stave_trace_lane(trace, block->lane));
    struct stave__durations whole = durations_of(row);
    for (uint32_t i = 0; i < block->rows; i++) {
        if (block->flags[i] & STAVE_FLAGS_END_UNKNOWN)
            row->interrupted++;
        else
            add_whole(trace, block, i, lane_us, &whole, row);
        row->spans++;
    }
    keep_durations(row, &whole);
}

int stave_summarize_lanes(stave_trace *trace, stave_lane_summary *rows, uint32_t count,
                          stave_error *error)
{
    stave_filter filter = {.kinds = STAVE_KIND_BIT(STAVE_SPANS) | STAVE_KIND_BIT(STAVE_MARKS)};
    stave_cursor *cursor;
    const stave_block *block;
    int status = stave_cursor_open(trace, &filter, &cursor, error);
    if (status < 0)
        return status;
    assert(count <= stave_trace_lanes(trace));
    memset(rows, 0, count * sizeof *rows);
    while ((status = stave_cursor_next(cursor, &block, error)) > 0) {
        if (block->lane >= count)
            continue;
        if (block->kind == STAVE_SPANS)
            add_spans(trace, block, &rows[block->lane]);
        else
            rows[block->lane].marks += block->rows;
    }
    stave_cursor_close(cursor);
    return status;
}
