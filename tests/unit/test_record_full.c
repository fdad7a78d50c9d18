/* Memory that is full: what is kept, and what was given up is counted. In 1 MiB, the least there is. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/recorder.h"
#include "stave/traces.h"
#include "stress/recorded.h"

#define BYTES (1u << 20)
#define ROOM (BYTES / STAVE__CHUNK_SIZE * STAVE__CHUNK_RECORDS)
#define SPANS (3 * ROOM + 100)

static stave_counts before; /* of earlier tests */

#define COUNTED(name) (recorded_counts().name - before.name)

static void start(uint32_t mode)
{
    recorded_start(&(stave_config){.max_bytes = BYTES, .mode = mode});
    before = recorded_counts();
}

/* One tick each; the first begins at `from`. */
static void record_spans(uint32_t count)
{
    uint32_t name = stave_name_intern("span");
    for (uint32_t i = 0; i < count; i++) {
        stave_span span = stave_begin(name);
        recorded_ns++;
        stave_end(span);
    }
}

/* `count` spans, the first of which is the one that began `from` ticks behind the start. */
static void expect_spans(uint64_t from, uint64_t count)
{
    struct recorded seen = recorded_now();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(seen.rows.at[i].columns.start, from + i);
    recorded_free(&seen);
}

/* The first program: its thread has no chunk yet. */
static void test_stop_when_full(void **state)
{
    start(STAVE_STOP_WHEN_FULL);
    record_spans(SPANS);
    assert_int_equal(COUNTED(recorded), ROOM);
    assert_int_equal(COUNTED(dropped_full), SPANS - ROOM);
    assert_int_equal(COUNTED(evicted), 0);
    expect_spans(0, ROOM);
}

/* A text that does not fit counts as what it would have taken; smaller ones may fit no more either. */
static void test_texts_when_full(void **state)
{
    start(STAVE_STOP_WHEN_FULL);
    stave_span span = stave_begin(stave_name_intern("around"));
    for (uint32_t i = 0; i < ROOM; i++)
        stave_set_str(span, "text", "more than thirty-two bytes of it, to be sure");
    stave_end(span);
    assert_int_equal(COUNTED(recorded) + COUNTED(dropped_full), 3 * ROOM + 1);
    struct recorded seen = recorded_now();
    assert_int_equal(recorded_count(&seen, STAVE_ATTRIBUTES) * 3, COUNTED(recorded));
    recorded_free(&seen);
}

static void test_keep_newest(void **state)
{
    start(STAVE_KEEP_NEWEST);
    stave_counts at_first = recorded_counts();
    record_spans(SPANS);
    uint64_t in_memory = recorded_counts().recorded - recorded_counts().evicted;
    assert_int_equal(COUNTED(recorded), SPANS);
    assert_int_equal(COUNTED(dropped_full), 0);
    assert_true(in_memory > ROOM - STAVE__CHUNK_RECORDS && in_memory <= ROOM);
    assert_true(at_first.recorded - at_first.evicted <= ROOM);
    expect_spans(SPANS - in_memory, in_memory);
}

/* Nobody reads for long, and a root never ends: it is in every snapshot. */
static void test_a_root_that_never_ends(void **state)
{
    start(STAVE_KEEP_NEWEST);
    stave_span root = stave_begin(stave_name_intern("root"));
    record_spans(SPANS);
    struct recorded seen = recorded_now();
    const struct traces_row *row = recorded_find(&seen, STAVE_SPANS, "root");
    assert_non_null(row);
    assert_int_equal(row->columns.flags, STAVE_FLAG_UNFINISHED);
    assert_int_equal(row->columns.start, 0);
    assert_int_equal(row->columns.end, SPANS);
    assert_true(recorded_count(&seen, STAVE_SPANS) <= ROOM + 1);
    recorded_free(&seen);
    stave_end(root);
}

/* A recording after a full one has room again. */
static void test_starting_again(void **state)
{
    for (uint32_t round = 0; round < 3; round++) {
        start(STAVE_STOP_WHEN_FULL);
        record_spans(10);
        assert_int_equal(COUNTED(recorded), 10);
        assert_int_equal(COUNTED(dropped_full), 0);
        expect_spans(0, 10);
        record_spans(SPANS);
        assert_true(COUNTED(dropped_full) > 0);
        assert_int_equal(COUNTED(recorded) + COUNTED(dropped_full), SPANS + 10);
        stave_stop();
    }
}

static void *record_one(void *given)
{
    stave_thread_name("short-lived");
    stave_span span = stave_begin(*(const uint32_t *)given);
    stave_set_u64(span, "thread", *(const uint32_t *)given);
    stave_end(span);
    return NULL;
}

/* A thread for each request: their places are used again once nothing of them is in memory, and what is there is
 * of the newest, each on a lane of its own. */
static void test_more_threads_than_lanes(void **state)
{
    enum { THREADS = 3 * BYTES / STAVE__CHUNK_SIZE };
    uint32_t name = stave_name_intern("request");
    start(STAVE_KEEP_NEWEST);
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, record_one, &name), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_int_equal(COUNTED(recorded), 2 * THREADS);
    assert_int_equal(COUNTED(dropped_thread), 0);
    assert_true(stave__lanes_count() <= BYTES / STAVE__CHUNK_SIZE + 2);
    struct recorded seen = recorded_now();
    size_t spans = recorded_count(&seen, STAVE_SPANS);
    assert_int_equal(spans * 2, COUNTED(recorded) - COUNTED(evicted));
    assert_true(spans >= BYTES / STAVE__CHUNK_SIZE - 2);
    for (size_t i = 1; i < seen.rows.count; i++)
        if (seen.rows.at[i].kind == STAVE_SPANS && seen.rows.at[i - 1].kind == STAVE_SPANS)
            assert_int_not_equal(seen.rows.at[i].lane, seen.rows.at[i - 1].lane);
    recorded_free(&seen);
}

#define HOLDERS (BYTES / STAVE__CHUNK_SIZE - 1)

static pthread_barrier_t held, over;

static void *hold_a_chunk(void *given)
{
    stave_end(stave_begin(stave_name_intern("held")));
    pthread_barrier_wait(&held);
    pthread_barrier_wait(&over);
    return NULL;
}

/* All other chunks are in the hands of threads that do nothing: a thread keeps its newest in its own. */
static void test_nothing_older_to_give_up(void **state)
{
    pthread_t threads[HOLDERS];
    start(STAVE_KEEP_NEWEST);
    stave_clear();
    pthread_barrier_init(&held, NULL, HOLDERS + 1);
    pthread_barrier_init(&over, NULL, HOLDERS + 1);
    for (uint32_t i = 0; i < HOLDERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hold_a_chunk, NULL), 0);
    pthread_barrier_wait(&held);
    before = recorded_counts();
    record_spans(10 * STAVE__CHUNK_RECORDS);
    struct recorded seen = recorded_now();
    stave_counts now = recorded_counts();
    assert_int_equal(now.recorded - before.recorded, 10 * STAVE__CHUNK_RECORDS);
    assert_int_equal(now.dropped_full, before.dropped_full);
    uint64_t newest = 0, held_spans = 0;
    for (size_t i = 0; i < seen.rows.count; i++) {
        newest += strcmp(seen.rows.at[i].name, "span") == 0;
        held_spans += strcmp(seen.rows.at[i].name, "held") == 0;
    }
    assert_int_equal(held_spans, HOLDERS);
    assert_true(newest > 0);
    assert_int_equal(now.evicted - before.evicted + newest, 10 * STAVE__CHUNK_RECORDS);
    recorded_free(&seen);
    pthread_barrier_wait(&over);
    for (uint32_t i = 0; i < HOLDERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop_when_full),
        cmocka_unit_test(test_texts_when_full),
        cmocka_unit_test(test_keep_newest),
        cmocka_unit_test(test_a_root_that_never_ends),
        cmocka_unit_test(test_starting_again),
        cmocka_unit_test(test_more_threads_than_lanes),
        cmocka_unit_test(test_nothing_older_to_give_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
