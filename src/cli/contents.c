#include "cli/contents.h"

#include <string.h>

static void widen(struct cli_range *range, double from_us, double to_us)
{
    if (!range->any || from_us < range->from_us)
        range->from_us = from_us;
    if (!range->any || to_us > range->to_us)
        range->to_us = to_us;
    range->any = true;
}

static void add_block(const stave_trace *trace, const stave_block_info *block,
                      struct cli_contents *contents, struct cli_lane_contents *lanes)
{
    double from_us = stave_time_us(trace, block->boot, block->first);
    double to_us = stave_time_us(trace, block->boot, block->last);
    contents->rows[block->kind] += block->rows;
    widen(&contents->range, from_us, to_us);
    if (lanes == NULL)
        return;
    lanes[block->lane].rows[block->kind] += block->rows;
    widen(&lanes[block->lane].range, from_us, to_us);
}

static int add_blocks(stave_trace *trace, struct cli_contents *contents,
                      struct cli_lane_contents *lanes, stave_error *error)
{
    for (uint32_t i = 0; i < stave_trace_blocks(trace); i++) {
        stave_block_info block;
        int status = stave_trace_block(trace, i, &block, error);
        if (status < 0)
            return status;
        if (block.rows > 0 && !block.damaged && block.lane < stave_trace_lanes(trace))
            add_block(trace, &block, contents, lanes);
    }
    return STAVE_OK;
}

static void add_rows(const stave_block *block, struct cli_contents *contents)
{
    for (uint32_t i = 0; i < block->rows; i++) {
        if (block->kind == STAVE_GAPS)
            contents->lost += block->value[i];
        else
            contents->restarts += (block->flags[i] & STAVE_FLAG_RESTART) != 0;
    }
}

static int add_all_rows(stave_trace *trace, const stave_filter *filter,
                        struct cli_contents *contents, stave_error *error)
{
    stave_cursor *cursor;
    const stave_block *block;
    int status = stave_cursor_open(trace, filter, &cursor, error);
    if (status < 0)
        return status;
    while ((status = stave_cursor_next(cursor, &block, error)) > 0)
        add_rows(block, contents);
    stave_cursor_close(cursor);
    return status;
}

/* Restarts are marks of a device's own lane. */
static int add_restarts(stave_trace *trace, struct cli_contents *contents, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < stave_trace_lanes(trace) && status >= 0; i++) {
        stave_filter filter = {.kinds = STAVE_KIND_BIT(STAVE_MARKS), .one_lane = true, .lane = i};
        if (stave_trace_lane(trace, i)->kind == STAVE_LANE_DEVICE)
            status = add_all_rows(trace, &filter, contents, error);
    }
    return status;
}

int cli_contents_read(stave_trace *trace, struct cli_contents *contents,
                      struct cli_lane_contents *lanes, stave_error *error)
{
    stave_filter gaps = {.kinds = STAVE_KIND_BIT(STAVE_GAPS)};
    memset(contents, 0, sizeof *contents);
    if (lanes != NULL)
        memset(lanes, 0, stave_trace_lanes(trace) * sizeof *lanes);
    int status = add_all_rows(trace, &gaps, contents, error);
    if (status >= 0)
        status = add_restarts(trace, contents, error);
    return status < 0 ? status : add_blocks(trace, contents, lanes, error);
}
