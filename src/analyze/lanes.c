#include <assert.h>
#include <string.h>

#include "analyze/deadline.h"
#include "stave/analyze.h"

static void add_duration(stave_lane_summary *row, double duration_us)
{
    uint64_t whole = row->spans - row->interrupted;
    if (whole == 0 || duration_us < row->min_us)
        row->min_us = duration_us;
    if (whole == 0 || duration_us > row->max_us)
        row->max_us = duration_us;
    row->total_us += duration_us;
}

/* A span whose end is known. */
static void add_whole(const stave_trace *trace, const stave_block *block, uint32_t i,
                      double lane_us, stave_lane_summary *row)
{
    double us = stave_duration_us(trace, block->boot, block->start[i], block->end[i]);
    struct stave__deadline deadline =
        stave__deadline_of(lane_us, block->flags[i], stave_block_value(block, i));
    add_duration(row, us);
    row->checked += stave__deadline_exists(&deadline);
    row->missed += stave__deadline_missed(&deadline, block->end[i], us);
}

static void add_spans(const stave_trace *trace, const stave_block *block, stave_lane_summary *row)
{
    double lane_us = stave__deadline_us(stave_trace_lane(trace, block->lane));
    for (uint32_t i = 0; i < block->rows; i++) {
        if (block->flags[i] & STAVE_FLAGS_END_UNKNOWN)
            row->interrupted++;
        else
            add_whole(trace, block, i, lane_us, row);
        row->spans++;
    }
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
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].spans > rows[i].interrupted)
            rows[i].mean_us = rows[i].total_us / (double)(rows[i].spans - rows[i].interrupted);
    return status;
}
