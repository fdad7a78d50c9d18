/* The roll-up's net times: what recording cost, taken off. A span costs 10 ns, 4 of them in its own time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/calls.h"

static void open(struct calls *calls)
{
    calls_open(calls, 0);
    calls_cost(calls, 10, 4);
}

static void check_net(const struct calls *calls, const stave_rollup *rollup, const char *name,
                      double total_ns, double self_ns)
{
    const stave_rollup_row *row = calls_row_of(calls, rollup, name);
    assert_true(row->net_total_ns == total_ns);
    assert_true(row->net_self_ns == self_ns);
    assert_true(row->net_total_ns <= row->total_ns && row->net_self_ns <= row->self_ns);
}

/* main [0, 1000] calls f [100, 300], which calls g [150, 200], and f [400, 500]. */
static void add_program(struct calls *calls)
{
    calls_add(calls, "g", 2, 3, 150, 200);
    calls_add(calls, "f", 1, 2, 100, 300);
    calls_add(calls, "f", 1, 4, 400, 500);
    calls_add(calls, "main", 0, 1, 0, 1000);
    calls_close(calls);
}

static void test_spans(void **state)
{
    struct calls calls;
    open(&calls);
    add_program(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    check_net(&calls, rollup, "main", 1000 - 4 - 3 * 10, 700 - 4 - 2 * 6);
    check_net(&calls, rollup, "f", 300 - 2 * 4 - 10, 250 - 2 * 4 - 6);
    check_net(&calls, rollup, "g", 50 - 4, 50 - 4);
    const stave_rollup_cost *cost = stave_rollup_cost_of(rollup);
    assert_true(cost->known && cost->span_ns == 10 && cost->inner_ns == 4);
    assert_int_equal(cost->calls, 4);
    assert_true(cost->total_ns == 40);
    assert_true(cost->time_ns == 1000 + 6); /* with what main cost outside of itself */
    assert_true(cost->share == 40.0 / 1006);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* Nothing is lost on the way: the net selves together are the net total of the roots. */
static void test_sums_agree(void **state)
{
    struct calls calls;
    double selves = 0;
    open(&calls);
    calls_entry(&calls, "row", 3, 1, 0, 2, 30);
    add_program(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    for (uint32_t i = 0; i < stave_rollup_rows(rollup); i++)
        selves += stave_rollup_row_at(rollup, i)->net_self_ns;
    assert_true(calls_row_of(&calls, rollup, "main")->net_total_ns == selves);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

static void test_recursion(void **state)
{
    struct calls calls;
    open(&calls);
    calls_add(&calls, "f", 2, 3, 20, 30);
    calls_add(&calls, "f", 1, 2, 10, 60);
    calls_add(&calls, "f", 0, 1, 0, 100);
    calls_close(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    check_net(&calls, rollup, "f", 100 - 4 - 2 * 10, 100 - 3 * 4 - 2 * 6);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* a ten times, in which b is twenty times; u does not say in which of them it is. */
static void test_cumulative_rows(void **state)
{
    struct calls calls;
    open(&calls);
    calls_entry(&calls, "a", 1, 1, 0, 10, 400);
    calls_entry(&calls, "b", 1, 2, 1, 20, 100);
    calls_cumulative(&calls, "u", 1, 1, 5, 8);
    calls_cumulative(&calls, "lost", 77, 0, 2, 30);
    calls_add(&calls, "root", 0, 1, 0, 1000);
    calls_close(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    check_net(&calls, rollup, "root", 1000 - 4 - 35 * 10, 600 - 4 - 10 * 6);
    check_net(&calls, rollup, "a", 400 - 10 * 4 - 20 * 10, 300 - 10 * 4 - 20 * 6);
    check_net(&calls, rollup, "b", 100 - 20 * 4, 100 - 20 * 4);
    check_net(&calls, rollup, "u", 0, 0); /* 8 - 5 * 4 */
    check_net(&calls, rollup, "lost", 30 - 2 * 4, 30 - 2 * 4);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* Calls shorter than an empty one make up for longer ones of their name; a name is never below 0. */
static void test_short_calls(void **state)
{
    struct calls calls;
    open(&calls);
    calls_add(&calls, "even", 0, 1, 0, 3);
    calls_add(&calls, "even", 0, 2, 10, 16);
    calls_add(&calls, "short", 0, 3, 20, 21);
    calls_close(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    check_net(&calls, rollup, "even", 9 - 8, 9 - 8);
    check_net(&calls, rollup, "short", 0, 0);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* On lane 1 a loop [0, 200] does work [20, 150] for a job [0, 100] of lane 0, with a part [30, 50]. What that cost was
 * in the loop's time, not in the job's. */
static void test_attached(void **state)
{
    struct calls calls;
    open(&calls);
    calls_add(&calls, "job", 0, 1, 0, 100);
    calls.lane = 1;
    struct stave__row work = {.start = 20,
                              .end = 150,
                              .serial = 2,
                              .depth = 1,
                              .flags = STAVE_FLAG_ATTACHED,
                              .other = 1,
                              .other_lane = 0};
    calls_add(&calls, "part", 2, 3, 30, 50);
    calls_span(&calls, &work, "work");
    calls_add(&calls, "loop", 0, 1, 0, 200);
    calls_close(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    check_net(&calls, rollup, "job", 150 - 4, 20 - 4);
    check_net(&calls, rollup, "work", 130 - 4 - 10, 110 - 4 - 6);
    check_net(&calls, rollup, "part", 20 - 4, 20 - 4);
    check_net(&calls, rollup, "loop", 200 - 4 - 2 * 10, 200 - 4 - 2 * 10);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* Of [150, 450]: what is cut costs as much as what is whole. */
static void test_window(void **state)
{
    struct calls calls;
    stave_rollup_config config = {.windowed = true, .from_us = 0.15, .to_us = 0.45};
    open(&calls);
    add_program(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, &config);
    check_net(&calls, rollup, "main", 300 - 4 - 3 * 10, 100 - 4 - 2 * 6);
    check_net(&calls, rollup, "f", 200 - 2 * 4 - 10, 150 - 2 * 4 - 6);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* A clock of 100 MHz: costs are in ns, not in ticks. */
static void test_ticks(void **state)
{
    struct calls calls;
    calls_open(&calls, 1e8);
    calls_cost(&calls, 10, 4);
    add_program(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    check_net(&calls, rollup, "main", 10000 - 4 - 3 * 10, 7000 - 4 - 2 * 6);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* Names that cost more than they took: many calls, and a part of the time that matters. */
static bool is_costly(uint32_t calls_count, int64_t length, int64_t root_length)
{
    struct calls calls;
    open(&calls);
    for (uint32_t i = 0; i < calls_count; i++)
        calls_add(&calls, "f", 1, 2 + i, i * 100, i * 100 + length);
    calls_add(&calls, "root", 0, 1, 0, root_length);
    calls_close(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    bool costly = calls_row_of(&calls, rollup, "f")->costly;
    assert_false(calls_row_of(&calls, rollup, "root")->costly);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
    return costly;
}

static void test_costly(void **state)
{
    assert_true(is_costly(1000, 13, 200000));
    assert_true(is_costly(1000, 2, 200000));   /* shorter than an empty one */
    assert_false(is_costly(1000, 14, 200000)); /* 10 ns net, 10 ns for its span */
    assert_false(is_costly(999, 13, 200000));
    assert_true(is_costly(1000, 13, 990000));
    assert_false(is_costly(1000, 13, 1010000)); /* less than 1 % of the time */
}

/* Without a cost, and with one that cannot be, net times are the others. */
static void check_unknown(struct calls *calls)
{
    add_program(calls);
    stave_rollup *rollup = calls_rollup(calls->trace, NULL);
    check_net(calls, rollup, "main", 1000, 700);
    check_net(calls, rollup, "f", 300, 250);
    assert_false(stave_rollup_cost_of(rollup)->known);
    assert_true(stave_rollup_cost_of(rollup)->total_ns == 0);
    stave_rollup_free(rollup);
    stave_trace_free(calls->trace);
}

static void test_unknown(void **state)
{
    static const double costs[][2] = {
        {-10, 4}, {10, -4}, {10, 11}, {(double)NAN, 4}, {10, (double)NAN}, {1e300, 4}, {0, 0},
    };
    struct calls calls;
    calls_open(&calls, 0);
    check_unknown(&calls);
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        calls_open(&calls, 0);
        calls_cost(&calls, costs[i][0], costs[i][1]);
        check_unknown(&calls);
    }
    calls_open(&calls, 0);
    stave__trace_set_property(calls.trace, "record.span_ns", 0, 10, NULL); /* no real number */
    stave__trace_set_real(calls.trace, "record.inner_ns", 4, NULL);
    check_unknown(&calls);
}

static void test_nothing_recorded(void **state)
{
    struct calls calls;
    open(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    const stave_rollup_cost *cost = stave_rollup_cost_of(rollup);
    assert_true(cost->known && cost->calls == 0 && cost->total_ns == 0 && cost->share == 0);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_sums_agree),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_cumulative_rows),
        cmocka_unit_test(test_short_calls),
        cmocka_unit_test(test_attached),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_costly),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_nothing_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
