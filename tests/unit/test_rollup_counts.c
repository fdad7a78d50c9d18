/* The roll-up's counters, and rows that stand for many calls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/calls.h"

/* ---- cumulative rows ------------------------------------------------------------------------- */

static void test_cumulatives(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_cumulative(&calls, "tiny", 1, 0, 20, 30);
    calls_cumulative(&calls, "tinier", 1, 1, 10, 8); /* in some of those: not from f's self */
    calls_cumulative(&calls, "f", 1, 0, 2, 4);       /* inside f */
    calls_cumulative(&calls, "tiny", 77, 0, 1, 2);   /* its span was lost */
    calls_add(&calls, "g", 1, 2, 50, 70);
    calls_add(&calls, "f", 0, 1, 0, 100);
    calls_add(&calls, "f", 0, 3, 200, 210);
    calls_cumulative(&calls, "tiny", 3, 0, 5, 50); /* more than there is */
    CHECK(&calls, NULL, {"tiny", 26, 82, 82}, {"f", 4, 110, 46 + 4}, {"g", 1, 20, 20},
          {"tinier", 10, 8, 8});
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    const stave_rollup_row *tiny = calls_row_of(&calls, rollup, "tiny");
    assert_int_equal(tiny->timed, 26);
    assert_true(tiny->min_ns == 1 && tiny->max_ns == 25 && tiny->mean_ns == 82 / 26.0);
    assert_true(isnan(tiny->p50_ns));
    assert_int_equal(tiny->uncertain, 0);
    stave_rollup_free(rollup);

    stave_rollup_config config = {.windowed = true, .from_us = 0.05, .to_us = 0.15};
    rollup = calls_rollup(calls.trace, &config);
    tiny = calls_row_of(&calls, rollup, "tiny");
    assert_int_equal(tiny->calls, 26);
    assert_int_equal(tiny->uncertain, 26);
    assert_true(calls_row_of(&calls, rollup, "f")->self_ns == 4); /* 50 - 20 - 30 - 4 */
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* A span that is worked out twice loses its cumulative rows' time once. */
static void test_cumulatives_and_disorder(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_cumulative(&calls, "tiny", 1, 0, 20, 10);
    calls_add(&calls, "g", 1, 3, 50, 70);
    calls_add(&calls, "h", 1, 2, 20, 60);
    calls_add(&calls, "f", 0, 1, 0, 100);
    CHECK(&calls, NULL, {"f", 1, 100, 40}, {"h", 1, 40, 40}, {"g", 1, 20, 20},
          {"tiny", 20, 10, 10});
    stave_trace_free(calls.trace);
}

/* ---- counters -------------------------------------------------------------------------------- */

static void check_counter(const struct calls *calls, const stave_rollup *rollup, uint32_t at,
                          const char *name, stave_rollup_counter expected)
{
    const stave_rollup_counter *counter = stave_rollup_counter_at(rollup, at);
    assert_string_equal(stave_trace_string(calls->trace, counter->name, NULL), name);
    assert_int_equal(counter->lane, expected.lane);
    assert_int_equal(counter->samples, expected.samples);
    assert_true(counter->min == expected.min && counter->max == expected.max);
    assert_true(counter->last == expected.last);
}

static void test_counters(void **state)
{
    struct calls calls;
    double real = -2.5, nothing = NAN;
    uint64_t bits;
    calls_open(&calls, 0);
    calls_sample(&calls, "queue", 10, 3, 0);
    calls_sample(&calls, "queue", 20, (uint64_t)-7, STAVE_FLAG_SIGNED);
    calls_sample(&calls, "queue", 30, 5, 0);
    memcpy(&bits, &real, sizeof bits);
    calls_sample(&calls, "load", 15, bits, STAVE_FLAG_REAL);
    memcpy(&bits, &nothing, sizeof bits);
    calls_sample(&calls, "load", 16, bits, STAVE_FLAG_REAL);
    calls_sample(&calls, "load", 17, 1, STAVE_FLAG_TEXT); /* no number */
    calls_sample(&calls, "full", 17, 6, STAVE_FLAG_BOOL);
    calls_sample(&calls, "load", 18, (uint64_t)1 << 63, 0);
    calls.lane = 2;
    calls_sample(&calls, "queue", 5, 9, 0);
    calls_boot(&calls, 100, 0);
    calls_sample(&calls, "queue", 5, 8, 0);
    calls_close(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    assert_int_equal(stave_rollup_counters(rollup), 4);
    check_counter(&calls, rollup, 0, "full",
                  (stave_rollup_counter){.samples = 1, .min = 1, .max = 1, .last = 1});
    check_counter(&calls, rollup, 1, "load",
                  (stave_rollup_counter){.samples = 3, .min = -2.5, .max = 0x1p63, .last = 0x1p63});
    check_counter(&calls, rollup, 2, "queue",
                  (stave_rollup_counter){.samples = 3, .min = -7, .max = 5, .last = 5});
    check_counter(&calls, rollup, 3, "queue",
                  (stave_rollup_counter){.lane = 2, .samples = 2, .min = 8, .max = 9, .last = 8});
    stave_rollup_free(rollup);

    stave_rollup_config config = {.windowed = true, .from_us = 0.015, .to_us = 0.02};
    rollup = calls_rollup(calls.trace, &config);
    assert_int_equal(stave_rollup_counters(rollup), 3);
    check_counter(&calls, rollup, 2, "queue",
                  (stave_rollup_counter){.samples = 1, .min = -7, .max = -7, .last = -7});
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* Many of them, so that the table grows. */
static void test_many_counters(void **state)
{
    struct calls calls;
    char name[16];
    calls_open(&calls, 0);
    for (uint32_t i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "c%04u", i % 1000);
        calls.lane = i % 2;
        calls_sample(&calls, name, i, i, 0);
    }
    calls_close(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    assert_int_equal(stave_rollup_counters(rollup), 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "c%04u", i);
        check_counter(
            &calls, rollup, i, name,
            (stave_rollup_counter){
                .lane = i % 2, .samples = 3, .min = i, .max = i + 2000, .last = i + 2000});
    }
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cumulatives),
        cmocka_unit_test(test_cumulatives_and_disorder),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_many_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
