/* A limit on spans: exact, and what was beyond it is counted. All starts of a process have one, or none. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "stave/traces.h"
#include "stress/recorded.h"
#include "unit/recording_file.h"

#define LIMIT 1000u

static stave_counts before;

#define COUNTED(counter) (recorded_counts().counter - before.counter)

static void start(void)
{
    recorded_start(&(stave_config){.max_spans = LIMIT, .mode = STAVE_STOP_WHEN_FULL});
    before = recorded_counts();
}

static void record(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        STAVE_SCOPE("span", STAVE_KV("i", i));
        recorded_pass(3);
    }
}

static void expect_file(uint64_t spans, uint64_t dropped, uint64_t reached)
{
    struct recorded seen = recorded_now();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), spans);
    assert_int_equal(stave_trace_find_property(seen.trace, "record.dropped_limit")->value, dropped);
    const stave_property *at = stave_trace_find_property(seen.trace, "record.limit_reached_ns");
    if (reached == 0)
        assert_null(at);
    else
        assert_int_equal(at->value, reached);
    recorded_free(&seen);
}

static void test_1001_of_1000(void **state)
{
    start();
    record(LIMIT);
    assert_int_equal(COUNTED(dropped_limit), 0);
    record(1);
    assert_int_equal(COUNTED(dropped_limit), 1);
    stave_stop();
    expect_file(LIMIT, 1, 3 * LIMIT);
}

/* The second capture has its own only. */
static void test_5_after_that(void **state)
{
    start();
    record(5);
    stave_stop();
    assert_int_equal(COUNTED(dropped_limit), 0);
    expect_file(5, 0, 0);
}

/* Of what is beyond the limit nothing is recorded, also of those open when it was reached; a file has the same. */
static void test_what_belongs_to_the_others(void **state)
{
    char file_path[] = "/tmp/stave-limit-XXXXXX";
    close(mkstemp(file_path));
    start();
    assert_int_equal(stave_record_to(file_path, NULL), STAVE_OK);
    {
        STAVE_SCOPE("outermost");
        record(LIMIT - 2);
        STAVE_SPAN(last, "last");
        STAVE_SPAN(beyond, "beyond", STAVE_KV("a", 1));
        for (int i = 0; i < 3; i++) {
            STAVE_CUMULATIVE("sum");
            recorded_pass(1);
        }
        assert_non_null(last.slot);
        assert_null(beyond.slot);
    }
    stave_stop();
    struct recorded file = recorded_file(file_path);
    assert_int_equal(recorded_count(&file, STAVE_SPANS), LIMIT);
    assert_int_equal(recorded_count(&file, STAVE_ATTRIBUTES), LIMIT - 2);
    assert_int_equal(recorded_find(&file, STAVE_SPANS, "outermost")->columns.flags, 0);
    assert_int_equal(recorded_find(&file, STAVE_SPANS, "last")->columns.flags, 0);
    assert_int_equal(recorded_find(&file, STAVE_CUMULATIVES, "sum")->columns.value, 3);
    recorded_free(&file);
    unlink(file_path);
}

static void *record_many(void *given)
{
    record(LIMIT);
    return NULL;
}

static void test_threads_together(void **state)
{
    pthread_t threads[4];
    start();
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, record_many, NULL), 0);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    stave_stop();
    assert_int_equal(COUNTED(dropped_limit), 3 * LIMIT);
    struct recorded seen = recorded_now();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), LIMIT);
    recorded_free(&seen);
}

static void test_no_later_start_lifts_it(void **state)
{
    stave_error error = {0};
    stave_config config = {.mode = STAVE_STOP_WHEN_FULL, .clock = recorded_clock};
    assert_int_equal(stave_start(&config, &error), STAVE_E_ARGUMENT);
}

/* The inline probes know of no limit. */
static void by_the_counter(void **state)
{
    const stave_config config = {.mode = STAVE_STOP_WHEN_FULL, .max_spans = 3};
    assert_int_equal(stave_start(&config, NULL), STAVE_OK);
    for (int i = 0; i < 10; i++) {
        STAVE_SCOPE("span");
    }
    assert_int_equal(recorded_counts().recorded, 3);
    assert_int_equal(recorded_counts().dropped_limit, 7);
}

static void test_by_the_counter(void **state)
{
    in_a_child(by_the_counter, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_the_counter), /* before this process has a recorder */
        cmocka_unit_test(test_1001_of_1000),
        cmocka_unit_test(test_5_after_that),
        cmocka_unit_test(test_what_belongs_to_the_others),
        cmocka_unit_test(test_threads_together),
        cmocka_unit_test(test_no_later_start_lifts_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
