/* test_traces_threads.c - roots of many threads while others read what is kept: none is mixed with another, each is as
 * its thread made it, the counts balance, and memory stays what it is. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "stave/traces.h"
#include "stress/recorded.h"

#ifdef STAVE_SLOWED
#define ROOTS 3000u
#else
#define ROOTS 60000u
#endif
#define THREADS 8u
#define READERS 2u

static uint32_t running, seen_by_readers;

/* What the thread `thread` does as its root `number` follows from the two. */
static uint64_t key_of(uint64_t thread, uint64_t number)
{
    return thread << 32 | number;
}

static void below(uint64_t key, uint32_t depth)
{
    STAVE_SCOPE("below", STAVE_KV("key", key));
    if (depth > 0)
        below(key, depth - 1);
    STAVE_CUMULATIVE("sum");
}

static void one_root(uint64_t key)
{
    STAVE_TRACE("root", STAVE_ID(key), STAVE_KV("text", "of the root"));
    for (uint32_t i = 0; i < key % 5; i++)
        below(key, (uint32_t)(key % 3));
    if (key % 1000 == 7)
        stave_fail(stave_current_span(), "seven");
}

static void *record(void *given)
{
    uint64_t thread = (uint64_t)(uintptr_t)given;
    for (uint64_t i = 0; i < ROOTS; i++)
        one_root(key_of(thread, i));
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* All nodes but the root: spans with its key, and an entry in each. */
static void check(const stave_kept_trace *trace)
{
    if ((trace->spans[0].flags & STAVE_FLAG_TRUNCATED) != 0)
        return; /* something in it found no room */
    TRACES_MUST(trace->id != NULL && trace->id->type == STAVE_VALUE_U64);
    uint64_t key = trace->id->value.u64, calls = key % 5, levels = key % 3 + 1;
    TRACES_MUST(strcmp(trace->name, "root") == 0);
    TRACES_MUST(trace->span_count == 1 + 2 * calls * levels);
    TRACES_MUST(trace->argument_count == (key % 1000 == 7 ? 2u : 1u));
    TRACES_MUST(strcmp(trace->arguments[0].value.text, "of the root") == 0);
    uint32_t children = 0;
    for (uint32_t i = trace->spans[0].first_child; i != 0; i = trace->spans[i].next)
        children++;
    TRACES_MUST(children == calls);
    for (uint32_t i = 1; i < trace->span_count; i++) {
        const stave_kept_span *span = &trace->spans[i];
        TRACES_MUST(span->start_ns + span->duration_ns <= trace->duration_ns + 1);
        if (span->count != 0)
            continue;
        TRACES_MUST(span->data_count == 1 && span->data[0].value.u64 == key);
        TRACES_MUST(span->depth >= 1 && span->depth <= levels);
    }
}

static uint32_t read_all(const stave_traces_query *query)
{
    stave_traces_cursor *cursor;
    stave_kept_trace *trace;
    uint32_t count = 0;
    uint64_t last = UINT64_MAX;
    TRACES_MUST(stave_traces(query, &cursor, NULL) == STAVE_OK);
    for (; stave_traces_next(cursor, &trace, NULL) > 0; count++) {
        check(trace);
        TRACES_MUST(trace->number < last);
        last = trace->number;
        stave_trace_release(trace);
    }
    stave_traces_close(cursor);
    return count;
}

static void *read_on(void *given)
{
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) > 0) {
        __atomic_fetch_add(&seen_by_readers, read_all(NULL), __ATOMIC_RELAXED);
        stave_trigger("a reader");
    }
    return NULL;
}

static void run_all(void)
{
    pthread_t threads[THREADS + READERS];
    running = THREADS;
    for (uint32_t i = 0; i < THREADS + READERS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < THREADS ? record : read_on, (void *)(uintptr_t)i),
            0);
    for (uint32_t i = 0; i < THREADS + READERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void test_readers_and_evictions(void **state)
{
    run_all();
    stave_counts counts = recorded_counts();
    uint32_t newest = read_all(&(stave_traces_query){.kept = STAVE_KEPT_NEWEST});
    assert_true(seen_by_readers > 0);
    /* A thread whose chunk is held may find no other for a moment: what it drops then is counted. */
    uint64_t accounted = counts.roots_out + counts.roots_evicted + newest;
    if (counts.dropped_full == 0)
        assert_int_equal(counts.roots, THREADS * ROOTS);
    if (counts.dropped_full == 0)
        assert_int_equal(accounted, counts.roots);
    assert_true(accounted <= counts.roots && counts.roots <= THREADS * ROOTS);
    assert_true(THREADS * ROOTS - counts.roots <= counts.dropped_full);
    assert_true(read_all(&(stave_traces_query){.kept = STAVE_KEPT_SLOWEST}) <= 4);
    assert_int_equal(counts.left_open + counts.ended_twice, 0);
    stave_clear();
    assert_int_equal(read_all(NULL), 0);
}

/* ---- a few at once --------------------------------------------------------------------------- */

static pthread_barrier_t all_open;

/* Four one after another on each of eight threads, which are in theirs at the same time. */
static void *record_four(void *given)
{
    uint64_t thread = (uint64_t)(uintptr_t)given;
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t key = key_of(thread, i);
        STAVE_TRACE("root", STAVE_ID(key), STAVE_KV("text", "of the root"));
        for (uint32_t j = 0; j < key % 5; j++) {
            pthread_barrier_wait(&all_open);
            below(key, (uint32_t)(key % 3));
        }
        for (uint64_t j = key % 5; j < 4; j++)
            pthread_barrier_wait(&all_open);
    }
    return NULL;
}

static void test_32_roots_on_8_threads(void **state)
{
    stave_clear();
    pthread_t threads[THREADS];
    bool seen[THREADS][4] = {{false}};
    stave_traces_cursor *cursor;
    stave_kept_trace *trace;
    pthread_barrier_init(&all_open, NULL, THREADS);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, record_four, (void *)(uintptr_t)i), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(stave_traces(NULL, &cursor, NULL), STAVE_OK);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(stave_traces_next(cursor, &trace, NULL), 1);
        check(trace);
        uint64_t key = trace->id->value.u64;
        assert_false(seen[key >> 32][key & 3]);
        seen[key >> 32][key & 3] = true;
        stave_trace_release(trace);
    }
    assert_int_equal(stave_traces_next(cursor, &trace, NULL), 0);
    stave_traces_close(cursor);
    pthread_barrier_destroy(&all_open);
}

static int begin_all(void **state)
{
    stave_config config = {.max_bytes = 4 << 20, .keep = 200};
    return stave_start(&config, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_and_evictions),
        cmocka_unit_test(test_32_roots_on_8_threads),
    };
    return cmocka_run_group_tests(tests, begin_all, NULL);
}
