/* The trace model: rows in blocks, in memory and spilled, by cursor and merged, against a plain
 * list of what was appended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/trace.h"

#define LANES 7
#define BOOTS 3
#define ROWS 40000

struct row {
    uint32_t kind, lane, boot;
    struct stave__row columns; /* what the kind lacks is 0 */
};

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % limit);
}

static stave_trace *new_trace(uint64_t cache_bytes)
{
    stave_trace *trace = NULL;
    stave_trace_config config = {.cache_bytes = cache_bytes};
    assert_int_equal(stave_trace_new(&config, &trace, NULL), STAVE_OK);
    return trace;
}

/* Random in every column that the kind always has, 0 in the others. */
static struct row random_row(uint32_t boot)
{
    struct row row = {
        .kind = random_below(STAVE_ROW_KINDS), .lane = random_below(LANES), .boot = boot};
    uint32_t has = stave__kind_has[row.kind];
#define FILL(column, number, member, type)                                                         \
    if (has & STAVE_COLUMN_##column)                                                               \
        row.columns.member = (type)random_below(1u << 30);
    STAVE_COLUMN_TABLE(FILL)
#undef FILL
    row.columns.start = (int64_t)random_below(1000000) - 500000;
    row.columns.flags &= 15;
    row.columns.order = 0;
    if (has & STAVE_COLUMN_END)
        row.columns.end = row.columns.start + random_below(1000);
    return row;
}

/* A trace of random rows, and the rows in the order in which they were appended. */
static stave_trace *fill(struct row *rows, uint64_t cache_bytes)
{
    static struct stave__appender appenders[STAVE_ROW_KINDS][LANES];
    stave_trace *trace = new_trace(cache_bytes);
    size_t n = 0;
    for (uint32_t boot = 0; boot < BOOTS; boot++) {
        uint32_t id;
        assert_int_equal(stave__trace_boot(trace, 0, 0, &id, NULL), STAVE_OK);
        for (uint32_t i = 0; i < STAVE_ROW_KINDS * LANES; i++)
            stave__appender_init(&appenders[i % STAVE_ROW_KINDS][i / STAVE_ROW_KINDS],
                                 &trace->blocks, i % STAVE_ROW_KINDS, i / STAVE_ROW_KINDS, boot);
        for (; n < (boot + 1) * (size_t)ROWS / BOOTS; n++) {
            rows[n] = random_row(boot);
            struct stave__appender *appender = &appenders[rows[n].kind][rows[n].lane];
            assert_int_equal(stave__append_row(appender, &rows[n].columns, NULL), STAVE_OK);
        }
        for (uint32_t i = 0; i < STAVE_ROW_KINDS * LANES; i++)
            assert_int_equal(
                stave__appender_seal(&appenders[i % STAVE_ROW_KINDS][i / STAVE_ROW_KINDS], NULL),
                STAVE_OK);
    }
    for (; n < ROWS; n++)
        rows[n].kind = STAVE_ROW_KINDS; /* what division left over: in no filter */
    return trace;
}

static void assert_row(const stave_block *block, uint32_t i, const struct row *row)
{
    assert_int_equal(block->kind, row->kind);
    assert_int_equal(block->lane, row->lane);
    assert_int_equal(block->boot, row->boot);
    uint32_t has = stave__kind_has[row->kind];
#define SAME(column, number, member, type)                                                         \
    assert_true((block->member != NULL) == ((has & STAVE_COLUMN_##column) != 0));                  \
    if (block->member != NULL && STAVE_COLUMN_##column != STAVE_COLUMN_ORDER)                      \
        assert_true(block->member[i] == row->columns.member);
    STAVE_COLUMN_TABLE(SAME)
#undef SAME
    assert_true(block->first <= row->columns.start && block->last >= stave_block_end(block, i));
}

static bool passes(const stave_filter *filter, const struct row *row)
{
    return row->kind < STAVE_ROW_KINDS &&
           (filter->kinds == 0 || (filter->kinds & STAVE_KIND_BIT(row->kind)) != 0) &&
           (!filter->one_lane || filter->lane == row->lane) &&
           (!filter->one_boot || filter->boot == row->boot);
}

static void check_merge(stave_trace *trace, const struct row *rows, const stave_filter *filter)
{
    stave_merge *merge;
    const stave_block *block;
    uint32_t i;
    uint64_t order = 0;
    assert_int_equal(stave_merge_open(trace, filter, &merge, NULL), STAVE_OK);
    for (size_t n = 0; n < ROWS; n++) {
        if (!passes(filter, &rows[n]))
            continue;
        assert_int_equal(stave_merge_next(merge, &block, &i, NULL), 1);
        assert_row(block, i, &rows[n]);
        assert_true(block->order[i] > order);
        order = block->order[i];
    }
    assert_int_equal(stave_merge_next(merge, &block, &i, NULL), 0);
    assert_int_equal(stave_merge_next(merge, &block, &i, NULL), 0);
    stave_merge_close(merge);
}

/* Orders are 1, 2, 3 ... here, so that a row of a block is found in the list by its own. */
static void check_cursor(stave_trace *trace, const struct row *rows, const stave_filter *filter)
{
    stave_cursor *cursor;
    const stave_block *block;
    size_t wanted = 0, found = 0;
    for (size_t n = 0; n < ROWS; n++)
        wanted += passes(filter, &rows[n]);
    assert_int_equal(stave_cursor_open(trace, filter, &cursor, NULL), STAVE_OK);
    while (stave_cursor_next(cursor, &block, NULL) > 0) {
        for (uint32_t i = 0; i < block->rows; i++) {
            const struct row *row = &rows[block->order[i] - 1];
            assert_true(passes(filter, row));
            assert_row(block, i, row);
        }
        found += block->rows;
    }
    stave_cursor_close(cursor);
    assert_int_equal(found, wanted);
}

static void rows_come_back(uint64_t cache_bytes)
{
    static struct row rows[ROWS];
    static const stave_filter filters[] = {
        {0},
        {.kinds = STAVE_KIND_BIT(STAVE_SPANS)},
        {.kinds = STAVE_KIND_BIT(STAVE_MARKS) | STAVE_KIND_BIT(STAVE_GAPS)},
        {.one_lane = true, .lane = 0},
        {.one_lane = true, .lane = LANES - 1, .one_boot = true, .boot = 1},
        {.one_boot = true, .boot = 0},
        {.one_lane = true, .lane = LANES},
    };
    random_state = 1;
    stave_trace *trace = fill(rows, cache_bytes);
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        check_merge(trace, rows, &filters[i]);
        check_cursor(trace, rows, &filters[i]);
    }
    assert_true(trace->blocks.resident <= trace->blocks.cache_bytes);
    stave_trace_free(trace);
}

static void test_rows_from_memory(void **state)
{
    rows_come_back(UINT64_C(1) << 30);
}

static void test_rows_from_spill_file(void **state)
{
    rows_come_back(1);
    rows_come_back(100000);
}

static void test_spill_keeps_memory_bounded(void **state)
{
    stave_trace *trace = new_trace(1 << 20);
    struct stave__appender spans;
    stave__appender_init(&spans, &trace->blocks, STAVE_SPANS, 0, 0);
    for (int64_t i = 0; i < 500000; i++) {
        assert_int_equal(stave__append_span(&spans, i, i + 1, (uint64_t)i, 0, NULL), STAVE_OK);
        assert_true(trace->blocks.resident <= 1 << 20);
    }
    assert_true(trace->blocks.spill_size > 0);
    stave_trace_free(trace);
}

static uint64_t count_rows(stave_trace *trace, const stave_filter *filter)
{
    stave_cursor *cursor;
    const stave_block *block;
    uint64_t rows = 0;
    assert_int_equal(stave_cursor_open(trace, filter, &cursor, NULL), STAVE_OK);
    while (stave_cursor_next(cursor, &block, NULL) > 0)
        rows += block->rows;
    stave_cursor_close(cursor);
    return rows;
}

static void test_rows_without_a_lane_are_not_shown_until_they_have_one(void **state)
{
    stave_trace *trace = new_trace(1); /* also those that are on disk already */
    struct stave__appender spans;
    uint32_t boot;
    assert_int_equal(stave__trace_boot(trace, 0, 0, &boot, NULL), STAVE_OK);
    stave__appender_init(&spans, &trace->blocks, STAVE_SPANS, STAVE__NO_LANE, 0);
    for (int64_t i = 0; i < 3000; i++)
        assert_int_equal(stave__append_span(&spans, i, i, 0, 0, NULL), STAVE_OK);
    assert_int_equal(count_rows(trace, NULL), 0);
    stave__appender_move(&spans, 5);
    assert_int_equal(stave__append_span(&spans, 3000, 3000, 0, 0, NULL), STAVE_OK);
    stave_filter lane5 = {.one_lane = true, .lane = 5};
    assert_int_equal(count_rows(trace, &lane5), 3001);
    stave__appender_move(&spans, 6);
    assert_int_equal(count_rows(trace, &lane5), 0);
    stave_trace_free(trace);
}

/* Adds up what a held cursor has to show; each row is one of 0, 1, 2 ... */
static uint64_t drain(stave_cursor *cursor, bool *seen)
{
    const stave_block *block;
    uint64_t rows = 0;
    while (stave_cursor_next(cursor, &block, NULL) > 0)
        for (uint32_t i = 0; i < block->rows; i++, rows++) {
            assert_false(seen[block->start[i]]);
            seen[block->start[i]] = true;
            assert_true(block->first <= block->start[i] && block->last >= block->end[i]);
        }
    return rows;
}

static void test_a_held_cursor_sees_each_row_once(void **state)
{
    enum { ROUNDS = 5000 };
    static bool seen[2 * ROUNDS];
    stave_trace *trace = new_trace(1);
    struct stave__appender named, late;
    stave_cursor *cursor;
    uint32_t boot;
    assert_int_equal(stave__trace_boot(trace, 0, 0, &boot, NULL), STAVE_OK);
    stave__appender_init(&named, &trace->blocks, STAVE_SPANS, 0, boot);
    stave__appender_init(&late, &trace->blocks, STAVE_SPANS, STAVE__NO_LANE, boot);
    assert_int_equal(stave_cursor_open(trace, NULL, &cursor, NULL), STAVE_OK);
    for (int64_t i = 0; i < ROUNDS; i++) {
        assert_int_equal(stave__append_span(&named, i, i, 0, 0, NULL), STAVE_OK);
        assert_int_equal(stave__append_span(&late, ROUNDS + i, ROUNDS + i, 0, 0, NULL), STAVE_OK);
        if (i % 7 == 0)
            assert_int_equal(drain(cursor, seen), i == 0 ? 1 : 7);
    }
    drain(cursor, seen);
    stave__appender_move(&late, 1); /* its name has been learned */
    assert_int_equal(drain(cursor, seen), ROUNDS);
    assert_int_equal(stave__appender_seal(&named, NULL), STAVE_OK);
    assert_int_equal(stave__appender_seal(&late, NULL), STAVE_OK);
    assert_int_equal(drain(cursor, seen), 0);
    for (int i = 0; i < 2 * ROUNDS; i++)
        assert_true(seen[i]);
    stave_cursor_close(cursor);
    stave_trace_free(trace);
}

static void test_a_block_that_is_shown_stays_as_it_was(void **state)
{
    stave_trace *trace = new_trace(0);
    struct stave__appender spans;
    stave_cursor *cursor;
    const stave_block *block;
    uint32_t boot;
    assert_int_equal(stave__trace_boot(trace, 0, 0, &boot, NULL), STAVE_OK);
    stave__appender_init(&spans, &trace->blocks, STAVE_SPANS, 0, boot);
    assert_int_equal(stave_cursor_open(trace, NULL, &cursor, NULL), STAVE_OK);
    assert_int_equal(stave_cursor_next(cursor, &block, NULL), 0);
    for (int64_t i = 0; i < 10; i++)
        assert_int_equal(stave__append_span(&spans, i, i + 2, 0, 0, NULL), STAVE_OK);
    assert_int_equal(stave_cursor_next(cursor, &block, NULL), 1);
    assert_int_equal(block->rows, 10);
    for (int64_t i = 10; i < 16; i++)
        assert_int_equal(stave__append_span(&spans, i, i + 2, 0, 0, NULL), STAVE_OK);
    assert_int_equal(block->rows, 10);
    assert_int_equal(block->start[9], 9);
    assert_int_equal(stave_cursor_next(cursor, &block, NULL), 1);
    assert_int_equal(block->rows, 6);
    assert_int_equal(block->start[0], 10);
    assert_int_equal(stave_cursor_next(cursor, &block, NULL), 0);
    stave_cursor_close(cursor);
    stave_trace_free(trace);
}

static uint32_t add_lane(stave_trace *trace, const char *name, stave_lane lane)
{
    uint32_t id;
    assert_int_equal(stave__trace_string(trace, name, strlen(name), &lane.name, NULL), STAVE_OK);
    assert_int_equal(stave__trace_lane(trace, &lane, &id, NULL), STAVE_OK);
    return id;
}

static void test_lanes_are_shared_when_all_properties_are_equal(void **state)
{
    stave_trace *trace = new_trace(0);
    stave_lane task = {.priority = 2, .has_deadline = true, .deadline_ms = 0.5f};
    uint32_t a = add_lane(trace, "job", task);
    assert_int_equal(add_lane(trace, "job", task), a);
    assert_int_not_equal(add_lane(trace, "jobs", task), a);
    task.deadline_ms = 0.25f;
    assert_int_not_equal(add_lane(trace, "job", task), a);
    task.has_deadline = false;
    uint32_t none = add_lane(trace, "job", task);
    task.deadline_ms = 7; /* says nothing without has_deadline */
    assert_int_equal(add_lane(trace, "job", task), none);
    task.kind = STAVE_LANE_ISR;
    assert_int_not_equal(add_lane(trace, "job", task), none);
    for (uint32_t i = 0; i < 1000; i++)
        add_lane(trace, "job", (stave_lane){.priority = 100 + i});
    assert_int_equal(stave_trace_lanes(trace), 5 + 1000);
    assert_int_equal(add_lane(trace, "job", (stave_lane){.priority = 400}), 5 + 300);
    const stave_lane *lane = stave_trace_lane(trace, a);
    assert_string_equal(stave_trace_string(trace, lane->name, NULL), "job");
    assert_int_equal(lane->priority, 2);
    stave_trace_free(trace);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void assert_us(const stave_trace *trace, uint32_t boot, int64_t tick, double us)
{
    double got = stave_time_us(trace, boot, tick);
    assert_memory_equal(&got, &us, sizeof us);
}

static void test_clock_of_one_rate(void **state)
{
    stave_trace *trace = new_trace(0);
    uint32_t ns, cycles;
    assert_int_equal(stave__trace_boot(trace, 0, 0, &ns, NULL), STAVE_OK);
    assert_int_equal(stave__trace_boot(trace, 3906.003, 72000000, &cycles, NULL), STAVE_OK);
    assert_us(trace, ns, 1500, 1.5);
    assert_us(trace, ns, -1500, -1.5);
    assert_us(trace, ns, INT64_MAX, 9223372036854775.807);
    assert_us(trace, cycles, 1000, 13.88888888888889 + 3906.003);
    stave_trace_free(trace);
}

static void test_clock_that_changes_its_rate(void **state)
{
    stave_trace *trace = new_trace(0);
    uint32_t id;
    assert_int_equal(stave__trace_boot(trace, 0, 0, &id, NULL), STAVE_OK);
    struct stave__boot *boot = stave__boot_at(trace, id);
    stave__boot_set_rate(boot, 1000000); /* a tick is a microsecond */
    assert_int_equal(stave__boot_change_rate(boot, 1000, 2000000, NULL), STAVE_OK);
    assert_int_equal(stave__boot_change_rate(boot, 3000, 0, NULL), STAVE_OK);
    assert_us(trace, id, 999, 999.0);
    assert_us(trace, id, 1000, 1000.0);
    assert_us(trace, id, 1001, 1000.5);
    assert_us(trace, id, 3000, 2000.0);
    assert_us(trace, id, 4000, 2001.0);
    assert_us(trace, id, -5, -5.0);
    assert_int_equal(stave_trace_anchors(trace, id), 3);
    assert_true(stave__boot_rate(boot, 2999) == 2000000 && stave__boot_rate(boot, 3000) == 0);
    /* a change before the last one takes its place */
    assert_int_equal(stave__boot_change_rate(boot, 2000, 500000, NULL), STAVE_OK);
    assert_int_equal(stave_trace_anchors(trace, id), 3);
    assert_us(trace, id, 3000, 1500.0 + 2000.0);
    stave_trace_free(trace);
}

static void test_clock_with_many_anchors(void **state)
{
    stave_trace *trace = new_trace(0);
    uint32_t id;
    assert_int_equal(stave__trace_boot(trace, 0, 1000000, &id, NULL), STAVE_OK);
    struct stave__boot *boot = stave__boot_at(trace, id);
    for (int64_t i = 1; i <= 1000; i++) /* 100 ticks each: by turns 200 us and 100 us */
        assert_int_equal(
            stave__boot_change_rate(boot, 100 * i, i % 2 != 0 ? 500000 : 1000000, NULL), STAVE_OK);
    for (int64_t i = 1; i <= 1000; i++) {
        double at = 100.0 + (double)(i / 2) * 200.0 + (double)((i - 1) / 2) * 100.0;
        assert_us(trace, id, 100 * i, at);
        assert_us(trace, id, 100 * i + 1, at + (i % 2 != 0 ? 2.0 : 1.0));
    }
    stave_trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_from_memory),
        cmocka_unit_test(test_rows_from_spill_file),
        cmocka_unit_test(test_spill_keeps_memory_bounded),
        cmocka_unit_test(test_rows_without_a_lane_are_not_shown_until_they_have_one),
        cmocka_unit_test(test_a_held_cursor_sees_each_row_once),
        cmocka_unit_test(test_a_block_that_is_shown_stays_as_it_was),
        cmocka_unit_test(test_lanes_are_shared_when_all_properties_are_equal),
        cmocka_unit_test(test_clock_of_one_rate),
        cmocka_unit_test(test_clock_that_changes_its_rate),
        cmocka_unit_test(test_clock_with_many_anchors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
