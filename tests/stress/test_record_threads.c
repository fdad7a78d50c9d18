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

#include <cmocka.h>

#include "record/recorder.h"
#include "stress/recorded.h"

#ifdef STAVE_SANITIZED
#define SPANS 60000u
#else
#define SPANS 1000000u
#endif
#define SPANS_THAT_FIT 20000u
#define THREADS 8u
#define DEEPEST 6u
#define NAMES 4u

#define NOTE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)
#define NOTED(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)

/* ---- what a thread does, and writes down ----------------------------------------------------- */

/* A span, by its serial: ticks since the start of the recording, plus 1; 0: it has not come to that. */
struct noted {
    uint64_t start, end;
};

struct thread {
    pthread_t id;
    char name[4];
    struct noted *noted; /* from serial 1 */
    uint8_t *depths;
    uint64_t limit, spans, recorded, random;
    bool wrong; /* a time outside what was read before and behind it */
};

static struct thread threads[THREADS];
static uint32_t running;

static stave_site sites[NAMES] = {{.name = "n0", .abi = STAVE_ABI},
                                  {.name = "n1", .abi = STAVE_ABI},
                                  {.name = "n2", .abi = STAVE_ABI},
                                  {.name = "n3", .abi = STAVE_ABI}};

static uint32_t name_of(uint64_t serial)
{
    return (uint32_t)(serial * 2654435761u >> 7) % NAMES;
}

static uint64_t since_start(uint64_t tick)
{
    return tick - stave__recorder.clock.start.tick + 1;
}

static stave_span begin(struct thread *thread, uint32_t depth)
{
    uint64_t serial = ++thread->spans, before = stave__now();
    NOTE(thread->depths[serial], (uint8_t)depth);
    stave_span span = stave__begin(&sites[name_of(serial)]);
    uint64_t start = span.slot->start;
    thread->wrong |= span.serial != serial || start < before || start > stave__now();
    NOTE(thread->noted[serial].start, since_start(start));
    return span;
}

/* One that found no room left its place as it was. */
static void end(struct thread *thread, stave_span span)
{
    uint64_t before = stave__now();
    stave__end(span);
    const struct stave__record *next = stave__self->next;
    bool recorded = next != NULL && next[-1].serial == span.serial;
    uint64_t end = recorded ? next[-1].end : before;
    thread->wrong |= end < before || end > stave__now();
    thread->recorded += recorded;
    NOTE(thread->noted[span.serial].end, since_start(end));
}

static void *record(void *given)
{
    struct thread *thread = given;
    stave_span open[DEEPEST];
    uint32_t depth = 0;
    stave_thread_name(thread->name);
    while (thread->spans < thread->limit || depth > 0) {
        bool may = thread->spans < thread->limit && depth < DEEPEST;
        if (may && (depth == 0 || traces_random(&thread->random, 2) == 0)) {
            open[depth] = begin(thread, depth);
            depth++;
        } else {
            end(thread, open[--depth]);
        }
    }
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void start_threads(char round, uint64_t limit)
{
    running = THREADS;
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){.name = {round, (char)('0' + i)},
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

/* ---- what a snapshot has to be --------------------------------------------------------------- */

/* Of the round that runs; NULL: of another. */
static const struct thread *thread_of(const struct recorded *seen, uint32_t lane)
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

static void check_row(const struct thread *thread, const struct traces_row *row)
{
    const struct stave__row *c = &row->columns;
    assert_true(c->serial >= 1 && c->serial <= thread->limit);
    assert_int_equal(c->start + 1, wait_for(&thread->noted[c->serial].start));
    assert_int_equal(c->depth, NOTED(thread->depths[c->serial]));
    assert_string_equal(row->name, sites[name_of(c->serial)].name);
    if (!is_open(row))
        assert_int_equal(c->end + 1, wait_for(&thread->noted[c->serial].end));
}

static uint64_t serial_of_parent(const struct thread *thread, const struct traces_row *row)
{
    uint64_t serial = row->columns.serial - 1;
    while (NOTED(thread->depths[serial]) + 1u != row->columns.depth)
        serial--;
    return serial;
}

/* Backwards, the first one that is a level higher is the parent, unless that is not there. */
static void check_parents(const struct thread *thread, const struct traces_row *rows, size_t count,
                          bool all_there)
{
    uint64_t around[DEEPEST] = {0};
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
static uint64_t check_lane(const struct thread *thread, const struct traces_row *rows, size_t count,
                           bool all_there)
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

static uint64_t check_snapshot(void)
{
    struct recorded seen = recorded_now();
    stave_counts counts = recorded_counts();
    bool all_there = counts.evicted == 0 && counts.dropped_full == 0;
    struct traces_row *rows = calloc(seen.rows.count + 1, sizeof *rows);
    uint64_t ended = 0;
    for (uint32_t lane = 0; lane < stave_trace_lanes(seen.trace); lane++)
        ended += check_lane(thread_of(&seen, lane), rows, rows_of(&seen, lane, rows), all_there);
    free(rows);
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
    };
    return cmocka_run_group_tests(tests, begin_all, NULL);
}
