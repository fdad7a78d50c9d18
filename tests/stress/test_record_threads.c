/* test_record_threads.c - many threads record while a reader takes snapshots: every row of every snapshot
 * is what its thread has written down beside it, nothing stands in it without what is around it, and in the
 * end what was emitted is what was recorded and what was dropped. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/recorder.h"
#include "stress/noted.h"
#include "stress/recorded.h"

#ifdef STAVE_SLOWED
#define SPANS 60000u
#else
#define SPANS 1000000u
#endif
#define SPANS_THAT_FIT 20000u
#define THREADS 8u

static struct noted_thread threads[THREADS];
static uint32_t running;

static void *record(void *given)
{
    noted_record(given, 0);
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void start_threads(char round, uint64_t limit)
{
    running = THREADS;
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i] = (struct noted_thread){.name = {round, (char)('0' + i)},
                                           .noted = calloc(limit + 1, sizeof(struct noted)),
                                           .depths = calloc(limit + 1, 1),
                                           .limit = limit,
                                           .random = i};
        assert_non_null(threads[i].noted);
        assert_non_null(threads[i].depths);
        assert_int_equal(pthread_create(&threads[i].id, NULL, record, &threads[i]), 0);
    }
}

static void join_threads(void)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i].id, NULL), 0);
        assert_false(threads[i].wrong);
        assert_int_equal(threads[i].spans, threads[i].limit);
    }
}

static uint64_t recorded_by_threads(void)
{
    uint64_t recorded = 0;
    for (uint32_t i = 0; i < THREADS; i++)
        recorded += threads[i].recorded;
    return recorded;
}

static void forget_threads(void)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        free(threads[i].noted);
        free(threads[i].depths);
    }
}

struct open_at_end {
    uint64_t serials[NOTED_DEEPEST];
    uint32_t count;
};

/* ---- what a snapshot has to be --------------------------------------------------------------- */

/* Of the round that runs; NULL: of another. */
static const struct noted_thread *thread_of(const struct recorded *seen, uint32_t lane)
{
    const char *name =
        stave_trace_string(seen->trace, stave_trace_lane(seen->trace, lane)->name, NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        if (strcmp(threads[i].name, name) == 0)
            return &threads[i];
    return NULL;
}

/* A thread writes down a moment after it has happened, and a row may be seen before. */
static uint64_t wait_for(const uint64_t *noted)
{
    while (NOTED(*noted) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    return NOTED(*noted);
}

static bool is_open(const struct traces_row *row)
{
    return (row->columns.flags & STAVE_FLAG_UNFINISHED) != 0;
}

static void check_row(const struct noted_thread *thread, const struct traces_row *row)
{
    const struct stave__row *c = &row->columns;
    uint64_t number = noted_number(thread, c->serial);
    assert_true(number >= 1 && number <= thread->limit);
    assert_int_equal(c->start + 1, wait_for(&thread->noted[number].start));
    assert_int_equal(c->depth, NOTED(thread->depths[number]));
    assert_string_equal(row->name, noted_name(number));
    if (!is_open(row))
        assert_int_equal(c->end + 1, wait_for(&thread->noted[number].end));
}

static uint64_t serial_of_parent(const struct noted_thread *thread, const struct traces_row *row)
{
    uint64_t number = noted_number(thread, row->columns.serial) - 1;
    while (NOTED(thread->depths[number]) + 1u != row->columns.depth)
        number--;
    return number + NOTED(thread->before) - 1;
}

/* Backwards, the first one that is a level higher is the parent, unless that is not there. */
static void check_parents(const struct noted_thread *thread, const struct traces_row *rows,
                          size_t count, bool all_there)
{
    uint64_t around[NOTED_DEEPEST] = {0};
    for (size_t i = count; i-- > 0;)
        if (is_open(&rows[i]))
            around[rows[i].columns.depth] = rows[i].columns.serial;
    for (size_t i = count; i-- > 0;) {
        uint32_t depth = rows[i].columns.depth;
        if (!is_open(&rows[i]))
            around[depth] = rows[i].columns.serial;
        if (depth > 0 && (all_there || around[depth - 1] < rows[i].columns.serial))
            assert_true(around[depth - 1] == serial_of_parent(thread, &rows[i]) ||
                        (!all_there && around[depth - 1] == 0));
    }
}

/* All rows of a lane: those of open spans stand behind those of all other lanes. */
static size_t rows_of(const struct recorded *seen, uint32_t lane, struct traces_row *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < seen->rows.count; i++)
        if (seen->rows.at[i].lane == lane)
            rows[count++] = seen->rows.at[i];
    return count;
}

/* The spans in it that have ended. */
static uint64_t check_lane(const struct noted_thread *thread, const struct traces_row *rows,
                           size_t count, bool all_there)
{
    uint64_t ended = 0;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].kind, STAVE_SPANS);
        ended += !is_open(&rows[i]);
        if (thread != NULL)
            check_row(thread, &rows[i]);
    }
    if (thread != NULL)
        check_parents(thread, rows, count, all_there);
    return ended;
}

/* What is around a row stands behind it in its block, or was open at the block's end: by its depth. */
static void check_around(const stave_block *block)
{
    uint64_t around[NOTED_DEEPEST] = {0};
    uint32_t known = block->open_count;
    for (uint32_t i = 0; i < known; i++)
        around[i] = block->open[i].serial;
    for (uint32_t i = block->rows; i-- > 0; known = block->depth[i] + 1) {
        assert_true(block->depth[i] <= known);
        if (block->depth[i] > 0)
            assert_true(around[block->depth[i] - 1] < block->serial[i]);
        around[block->depth[i]] = block->serial[i];
    }
    assert_true(block->rows == 0 || block->begun == block->serial[0]);
}

/* What was open at a block's end ends in the next, or is open at its end too. */
static void check_between(const struct open_at_end *before, const stave_block *block)
{
    for (uint32_t i = 0; i < before->count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < block->rows && !found; j++)
            found = block->serial[j] == before->serials[i];
        for (uint32_t j = 0; j < block->open_count && !found; j++)
            found = block->open[j].serial == before->serials[i];
        assert_true(found);
    }
}

static void check_blocks(stave_trace *trace, bool all_there)
{
    stave_filter spans = {.kinds = STAVE_KIND_BIT(STAVE_SPANS)};
    struct open_at_end *ends = calloc(stave_trace_lanes(trace), sizeof *ends);
    stave_cursor *cursor;
    const stave_block *block;
    assert_int_equal(stave_cursor_open(trace, &spans, &cursor, NULL), STAVE_OK);
    while (stave_cursor_next(cursor, &block, NULL) > 0) {
        if (block->rows > 0 && (block->flags[0] & STAVE_FLAG_UNFINISHED) != 0)
            continue; /* rows that the reader has made of open spans */
        struct open_at_end *end = &ends[block->lane];
        if (all_there) { /* else what was around may be in a chunk that was given up */
            check_around(block);
            check_between(end, block);
        }
        end->count = block->open_count;
        for (uint32_t i = 0; i < block->open_count; i++)
            end->serials[i] = block->open[i].serial;
    }
    stave_cursor_close(cursor);
    free(ends);
}

static uint64_t check(const struct recorded *seen, bool all_there)
{
    struct traces_row *rows = calloc(seen->rows.count + 1, sizeof *rows);
    uint64_t ended = 0;
    for (uint32_t lane = 0; lane < stave_trace_lanes(seen->trace); lane++)
        ended += check_lane(thread_of(seen, lane), rows, rows_of(seen, lane, rows), all_there);
    free(rows);
    check_blocks(seen->trace, all_there);
    return ended;
}

static uint64_t check_snapshot(void)
{
    struct recorded seen = recorded_now();
    stave_counts counts = recorded_counts();
    uint64_t ended = check(&seen, counts.evicted == 0 && counts.dropped_full == 0);
    recorded_free(&seen);
    return ended;
}

static unsigned snapshot_until_they_end(void)
{
    unsigned snapshots = 0;
    for (; NOTED(running) > 0; snapshots++) {
        check_snapshot();
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return snapshots;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_all_is_there_while_it_fits(void **state)
{
    start_threads('a', SPANS_THAT_FIT);
    snapshot_until_they_end();
    join_threads();
    assert_int_equal(check_snapshot(), THREADS * SPANS_THAT_FIT);
    assert_int_equal(recorded_counts().recorded, THREADS * SPANS_THAT_FIT);
    assert_int_equal(recorded_counts().evicted, 0);
    forget_threads();
}

static void test_emitted_is_recorded_and_dropped(void **state)
{
    stave_counts before = recorded_counts();
    start_threads('b', SPANS);
    assert_true(snapshot_until_they_end() > 0);
    join_threads();
    uint64_t spans = check_snapshot();
    stave_counts after = recorded_counts();
    assert_int_equal(after.recorded - before.recorded, recorded_by_threads());
    assert_int_equal(recorded_by_threads() + after.dropped_full, THREADS * SPANS);
    assert_int_equal(after.recorded - after.evicted, spans);
    assert_int_equal(after.left_open + after.ended_twice + after.clock_back, 0);
    forget_threads();
}

/* What the drain did not come to is missing, and counted; all else is there. */
static void test_a_file_while_they_record(void **state)
{
    char path[] = "/tmp/stave-threads-XXXXXX";
    close(mkstemp(path));
    assert_int_equal(stave_record_to(path, NULL), STAVE_OK);
    start_threads('c', SPANS);
    snapshot_until_they_end();
    join_threads();
    assert_int_equal(stave_record_to(NULL, NULL), STAVE_OK);
    struct recorded seen = recorded_file(path);
    uint64_t recorded = stave_trace_find_property(seen.trace, "record.recorded")->value;
    uint64_t missed = stave_trace_find_property(seen.trace, "record.evicted")->value;
    assert_int_equal(recorded, recorded_counts().recorded);
    assert_int_equal(recorded - missed, check(&seen, false));
    recorded_free(&seen);
    forget_threads();
    unlink(path);
}

static int begin_all(void **state)
{
    stave_config config = {.max_bytes = 8 << 20};
    return stave_start(&config, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_there_while_it_fits),
        cmocka_unit_test(test_emitted_is_recorded_and_dropped),
        cmocka_unit_test(test_a_file_while_they_record),
    };
    return cmocka_run_group_tests(tests, begin_all, NULL);
}
