#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/csv_rows.h"

struct csv_result csv_file;
struct csv_listed csv_rows[64];
unsigned csv_rows_count;

static void note_row(const stave_block *block, uint32_t i)
{
    stave_trace *trace = csv_file.trace;
    const stave_lane *lane = stave_trace_lane(trace, block->lane);
    uint32_t name = stave_block_name(block, i);
    assert_true(csv_rows_count < sizeof csv_rows / sizeof csv_rows[0]);
    assert_int_equal(block->boot, 0);
    csv_rows[csv_rows_count++] = (struct csv_listed){
        .kind = block->kind,
        .lane = *lane,
        .lane_name = stave_trace_string(trace, lane->name, NULL),
        .start = block->start[i],
        .end = stave_block_end(block, i),
        .serial = block->serial != NULL ? block->serial[i] : 0,
        .value = block->value != NULL ? block->value[i] : 0,
        .name = name != 0 ? stave_trace_string(trace, name, NULL) : NULL,
        .flags = block->flags[i],
    };
}

void csv_open(const char *text)
{
    stave_merge *merge;
    const stave_block *block;
    uint32_t row;
    csv_read_text(text, &csv_file);
    if (csv_file.status < 0)
        fail_msg("%s", csv_file.error.message);
    csv_rows_count = 0;
    assert_int_equal(stave_merge_open(csv_file.trace, NULL, &merge, NULL), STAVE_OK);
    while (stave_merge_next(merge, &block, &row, NULL) > 0)
        note_row(block, row);
    stave_merge_close(merge);
    assert_int_equal(csv_file.stats.rows, csv_rows_count);
}

void csv_close(void)
{
    csv_read_free(&csv_file);
}
