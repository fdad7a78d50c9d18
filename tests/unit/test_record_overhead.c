/* What a span costs, measured while the program runs. No number is asked for that depends on the machine. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "stress/recorded.h"

static bool is_nothing(const stave_cost *cost)
{
    return cost->span_ns == 0 && cost->inner_ns == 0 && cost->spans == 0 && cost->total_ns == 0 &&
           cost->share == 0;
}

static bool is_possible(const stave_cost *cost)
{
    return cost->span_ns > 0 && isfinite(cost->span_ns) && cost->inner_ns >= 0 &&
           cost->inner_ns <= cost->span_ns &&
           cost->total_ns == cost->span_ns * (double)cost->spans && cost->share >= 0 &&
           cost->share <= 1;
}

/* In a process of its own: a clock cannot be exchanged for the counter. */
static bool costs_nothing_by_own_clock(void)
{
    stave_cost cost;
    recorded_start(&(stave_config){0});
    {
        STAVE_SCOPE("span");
        recorded_ns += 5;
    }
    memset(&cost, 0xff, sizeof cost);
    stave_overhead(&cost);
    struct recorded seen = recorded_now();
    return is_nothing(&cost) && stave_trace_find_property(seen.trace, "record.span_ns") == NULL &&
           stave_trace_find_property(seen.trace, "record.recorded") != NULL;
}

static void test_nothing_by_own_clock(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(costs_nothing_by_own_clock() ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_nothing_before_the_start(void **state)
{
    stave_cost cost;
    memset(&cost, 0xff, sizeof cost);
    stave_overhead(&cost);
    assert_true(is_nothing(&cost));
    assert_int_equal(stave_start(NULL, NULL), STAVE_OK);
}

/* No lane, no row, nothing counted. */
static void test_leaves_no_trace(void **state)
{
    stave_cost cost;
    stave_overhead(&cost);
    assert_true(is_possible(&cost));
    assert_int_equal(cost.spans, 0);
    assert_true(cost.share == 0);
    stave_counts counts = recorded_counts(), none = {0};
    assert_memory_equal(&counts, &none, sizeof counts);
    struct recorded seen = recorded_now();
    assert_int_equal(seen.rows.count, 0);
    assert_int_equal(stave_trace_lanes(seen.trace), 0);
    recorded_free(&seen);
}

/* What is open stays so. */
static void test_in_a_span(void **state)
{
    stave_cost cost;
    {
        STAVE_SPAN(outer, "outer");
        STAVE_CUMULATIVE("inner");
        stave_span inner = stave_current_span();
        stave_overhead(&cost);
        assert_true(stave_current_span().serial == inner.serial);
        STAVE_SET(outer, "after", 1);
    }
    assert_true(is_possible(&cost));
    assert_int_equal(cost.spans, 2);
    struct recorded seen = recorded_now();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), 1);
    assert_int_equal(recorded_find(&seen, STAVE_CUMULATIVES, "inner")->columns.value, 1);
    assert_non_null(recorded_find(&seen, STAVE_ATTRIBUTES, "after"));
    recorded_free(&seen);
}

static double real_property(const stave_trace *trace, const char *key)
{
    const stave_property *property = stave_trace_find_property(trace, key);
    double value;
    assert_non_null(property);
    assert_int_equal(property->flags, STAVE_FLAG_REAL);
    memcpy(&value, &property->value, sizeof value);
    return value;
}

/* That which was measured last. */
static void test_in_a_file(void **state)
{
    stave_cost cost;
    stave_overhead(&cost);
    struct recorded seen = recorded_now();
    assert_true(real_property(seen.trace, "record.span_ns") == cost.span_ns);
    assert_true(real_property(seen.trace, "record.inner_ns") == cost.inner_ns);
    recorded_free(&seen);
}

/* Counted from the start on, whatever became of the records; also after the end. */
static void test_spans_of_this_recording(void **state)
{
    enum { MANY = 100000 };
    stave_cost cost;
    stave_stop();
    assert_int_equal(stave_start(&(stave_config){.mode = STAVE_STOP_WHEN_FULL}, NULL), STAVE_OK);
    for (int i = 0; i < MANY; i++) {
        STAVE_SCOPE("f");
        STAVE_SCOPE("g");
        STAVE_CUMULATIVE("h");
    }
    stave_stop();
    stave_overhead(&cost);
    assert_true(is_possible(&cost));
    assert_int_equal(cost.spans, 3 * MANY);
    assert_true(cost.share > 0);
    assert_int_equal(stave_start(NULL, NULL), STAVE_OK);
    stave_overhead(&cost);
    assert_int_equal(cost.spans, 0);
}

/* A caller that knows less of the struct, or more, or nothing. */
static void test_sizes(void **state)
{
    double span_ns[2] = {-1, -1};
    struct {
        stave_cost cost;
        double later;
    } more = {.later = -1};
    stave_overhead_sized((stave_cost *)span_ns, sizeof span_ns[0]);
    assert_true(span_ns[0] > 0 && span_ns[1] == -1);
    stave_overhead_sized(&more.cost, sizeof more);
    assert_true(is_possible(&more.cost) && more.later == 0);
    stave_overhead(NULL);
}

enum { THREADS = 4, CALLS = 1000 };

/* Some of them record too. */
static void *measure(void *records)
{
    uintptr_t wrong = 0;
    for (int i = 0; i < CALLS; i++) {
        stave_cost cost;
        if (records != NULL) {
            STAVE_SCOPE("busy");
        }
        stave_overhead(&cost);
        wrong += !is_possible(&cost);
    }
    return (void *)wrong;
}

static void test_threads(void **state)
{
    pthread_t threads[THREADS];
    stave_cost cost;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, measure, (void *)(i % 2)), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    stave_overhead(&cost);
    assert_int_equal(cost.spans, THREADS / 2 * CALLS);
    struct recorded seen = recorded_now();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), THREADS / 2 * CALLS);
    recorded_free(&seen);
}

/* A child begins with nothing. */
static void test_fork(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        stave_cost cost;
        stave_overhead(&cost);
        bool right = is_nothing(&cost);
        right = right && stave_start(NULL, NULL) == STAVE_OK;
        stave_overhead(&cost);
        _exit(right && is_possible(&cost) && cost.spans == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_by_own_clock),
        cmocka_unit_test(test_nothing_before_the_start),
        cmocka_unit_test(test_leaves_no_trace),
        cmocka_unit_test(test_in_a_span),
        cmocka_unit_test(test_in_a_file),
        cmocka_unit_test(test_spans_of_this_recording),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
