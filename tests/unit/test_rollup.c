/* The roll-up: what counts, what adds up, and that its two ways agree. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trace/tables.h"
#include "unit/calls.h"

/* ---- what there is --------------------------------------------------------------------------- */

static void test_empty(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_check(&calls, NULL, NULL, 0);
    stave_trace_free(calls.trace);
}

static void test_names(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_add(&calls, NULL, 0, 1, 0, 10); /* its lane's */
    calls_add(&calls, "b", 0, 2, 20, 30); /* alike in all else: by name */
    calls_add(&calls, "a", 0, 3, 40, 50);
    calls.lane = 3;
    calls_add(&calls, NULL, 0, 1, 0, 7);
    CHECK(&calls, NULL, {"a", 1, 10, 10}, {"b", 1, 10, 10}, {"lane 0", 1, 10, 10},
          {"lane 3", 1, 7, 7});
    stave_trace_free(calls.trace);
}

/* The same text under another id, as a recorder has it for each place in the code. */
static uint32_t name_again(struct calls *calls, const char *name)
{
    assert_int_equal(stave__strings_append(&calls->trace->strings, name, strlen(name)), STAVE_OK);
    return stave_trace_strings(calls->trace) - 1;
}

static void add_named(struct calls *calls, uint32_t name, uint32_t depth, uint64_t serial,
                      int64_t start, int64_t end)
{
    struct stave__row row = {
        .name = name, .start = start, .end = end, .serial = serial, .depth = depth};
    calls_span(calls, &row, NULL);
}

/* One row, also where one is inside the other; of what was lost nobody knows. */
static void test_a_name_under_several_ids(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    uint32_t again = name_again(&calls, "f"), lost = name_again(&calls, STAVE__LOST_NAME),
             other = name_again(&calls, STAVE__LOST_NAME);
    add_named(&calls, again, 1, 2, 10, 20);
    calls_add(&calls, "f", 0, 1, 0, 100);
    add_named(&calls, again, 0, 3, 200, 205);
    add_named(&calls, lost, 0, 4, 300, 301);
    add_named(&calls, other, 0, 5, 400, 402);
    add_named(&calls, lost, 0, 6, 500, 501);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    assert_int_equal(stave_rollup_rows(rollup), 3);
    const stave_rollup_row *row = calls_row_of(&calls, rollup, "f");
    assert_int_equal(row->calls, 3);
    assert_true(row->total_ns == 105 && row->self_ns == 105);
    assert_true(row->min_ns == 5 && row->p50_ns == 10 && row->max_ns == 100);
    assert_int_equal(stave_rollup_row_at(rollup, 1)->calls, 2);
    assert_int_equal(stave_rollup_row_at(rollup, 1)->name, lost);
    assert_int_equal(stave_rollup_row_at(rollup, 2)->name, other);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

static void test_rates(void **state)
{
    struct calls calls;
    calls_open(&calls, 1e6); /* 1 tick is 1000 ns */
    calls_add(&calls, "f", 0, 1, 0, 3);
    calls_boot(&calls, 5000, 0);
    calls_add(&calls, "f", 0, 1, 0, 50);
    calls_boot(&calls, 9000, 2e9);
    calls_add(&calls, "f", 0, 1, 0, 50);
    CHECK(&calls, NULL, {"f", 3, 3075, 3075});
    stave_trace_free(calls.trace);
}

/* 0 to 100: 1000 ns a tick; then 10. */
static void test_rate_changes(void **state)
{
    struct calls calls;
    calls_open(&calls, 1e6);
    assert_int_equal(stave__boot_change_rate(stave__boot_at(calls.trace, 0), 100, 1e8, NULL),
                     STAVE_OK);
    calls_add(&calls, "early", 1, 2, 10, 20);
    calls_add(&calls, "across", 1, 3, 90, 110);
    calls_add(&calls, "late", 1, 4, 150, 160);
    calls_add(&calls, "all", 0, 1, 0, 200);
    calls_close(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    static const struct expected expected[] = {{"all", 1, 101000, 101000 - 10000 - 10100 - 100},
                                               {"across", 1, 10100, 10100},
                                               {"early", 1, 10000, 10000},
                                               {"late", 1, 100, 100}};
    for (uint32_t i = 0; i < 4; i++) { /* microseconds are rounded where the rate changes */
        const stave_rollup_row *row = calls_row_of(&calls, rollup, expected[i].name);
        assert_true(fabs(row->total_ns - expected[i].total_ns) < 1e-6);
        assert_true(fabs(row->self_ns - expected[i].self_ns) < 1e-6);
    }
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* ---- who is whose parent --------------------------------------------------------------------- */

static void test_same_serials_in_boots(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_add(&calls, "g", 1, 2, 10, 20);
    calls_boot(&calls, 1000, 0); /* the row around it was lost with the restart */
    calls_add(&calls, "g", 1, 2, 10, 30);
    calls_add(&calls, "f", 0, 1, 0, 100);
    CHECK(&calls, NULL, {"f", 1, 100, 80}, {"g", 2, 30, 30});
    stave_trace_free(calls.trace);
}

static void test_serial_tells_parents(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_add(&calls, "lost", 1, 2, 10, 20); /* the next one began at the same tick, but later */
    calls_add(&calls, "f", 0, 3, 10, 100);
    CHECK(&calls, NULL, {"f", 1, 90, 90}, {"lost", 1, 10, 10});
    stave_trace_free(calls.trace);
}

#define DEEP 1000000

static void test_deep(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    for (int64_t i = DEEP; i-- > 0;)
        calls_add(&calls, i % 2 != 0 ? "odd" : "even", (uint32_t)i, (uint64_t)i + 1, i,
                  3 * DEEP - i);
    CHECK(&calls, NULL, {"odd", DEEP / 2, 3.0 * DEEP - 2, 2.0 * DEEP},
          {"even", DEEP / 2, 3.0 * DEEP, DEEP});
    stave_trace_free(calls.trace);
}

/* Children whose rows are not in the order of their ends: their parent is worked out again, those
 * around it and in it are not. */
static void test_disordered(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_add(&calls, "in", 3, 4, 12, 18);
    calls_add(&calls, "a", 2, 3, 10, 30);
    calls_add(&calls, "c", 2, 6, 45, 60);
    calls_add(&calls, "b", 2, 5, 20, 50);
    calls_add(&calls, "mid", 1, 2, 5, 70);
    calls_add(&calls, "top", 0, 1, 0, 100);
    CHECK(&calls, NULL, {"top", 1, 100, 35}, {"b", 1, 30, 30}, {"mid", 1, 65, 15}, {"c", 1, 15, 15},
          {"a", 1, 20, 14}, {"in", 1, 6, 6});
    stave_trace_free(calls.trace);
}

/* ---- flags ----------------------------------------------------------------------------------- */

static void test_flags(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    struct stave__row row = {.start = 0, .end = 10, .serial = 1, .flags = STAVE_FLAG_FAILED};
    calls_span(&calls, &row, "f");
    row = (struct stave__row){.start = 20, .end = 50, .serial = 2, .flags = STAVE_FLAG_UNWOUND};
    calls_span(&calls, &row, "f");
    row = (struct stave__row){.start = 60, .end = 61, .serial = 3, .flags = STAVE_FLAG_INTERRUPTED};
    calls_span(&calls, &row, "f");
    row = (struct stave__row){.start = 70, .end = 99, .serial = 4, .flags = STAVE_FLAG_UNFINISHED};
    calls_span(&calls, &row, "g");
    calls_close(&calls);

    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    const stave_rollup_row *f = calls_row_of(&calls, rollup, "f");
    assert_int_equal(f->calls, 3);
    assert_int_equal(f->timed, 2);
    assert_int_equal(f->failed, 1);
    assert_int_equal(f->uncertain, 2);
    assert_true(f->total_ns == 41 && f->self_ns == 41);
    assert_true(f->min_ns == 10 && f->mean_ns == 20 && f->max_ns == 30);
    assert_true(f->p50_ns == 10 && f->p90_ns == 30 && f->p99_ns == 30);
    const stave_rollup_row *g = calls_row_of(&calls, rollup, "g");
    assert_int_equal(g->calls, 1);
    assert_int_equal(g->timed, 0);
    assert_true(g->total_ns == 29 && g->self_ns == 29);
    assert_true(isnan(g->min_ns) && isnan(g->mean_ns) && isnan(g->max_ns));
    assert_true(isnan(g->p50_ns) && isnan(g->p90_ns) && isnan(g->p99_ns));
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* More calls than are kept. */
static void test_percentiles(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    for (int64_t i = 1; i <= 10000; i++)
        calls_add(&calls, "f", 0, (uint64_t)i, i * 20000, i * 20000 + i * 7919 % 10007);
    calls_close(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    const stave_rollup_row *f = stave_rollup_row_at(rollup, 0);
    static const double wanted[] = {5000, 9000, 9900};
    const double got[] = {f->p50_ns, f->p90_ns, f->p99_ns};
    for (int i = 0; i < 3; i++) /* 10000 of the residues 1 to 10006 */
        assert_true(got[i] >= wanted[i] && got[i] <= (wanted[i] + 7) * (1 + 1 / 256.0));
    assert_true(f->max_ns <= 10006 && f->p99_ns <= f->max_ns);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* ---- windows and lanes ----------------------------------------------------------------------- */

static void add_tree(struct calls *calls)
{
    calls_add(calls, "before", 1, 2, 1000, 2000);
    calls_add(calls, "cut", 1, 3, 3000, 6000);
    calls_add(calls, "in", 1, 4, 7000, 7500);
    calls_add(calls, "border", 1, 5, 8000, 8000);
    calls_add(calls, "behind", 1, 6, 8001, 9000);
    calls_add(calls, "root", 0, 1, 0, 10000);
}

static void test_window(void **state)
{
    struct calls calls;
    stave_rollup_config config = {.windowed = true, .from_us = 5, .to_us = 8};
    calls_open(&calls, 0);
    add_tree(&calls);
    CHECK(&calls, &config, {"root", 1, 3000, 1500}, {"cut", 1, 1000, 1000}, {"in", 1, 500, 500},
          {"border", 1, 0, 0});
    config.from_us = 20;
    config.to_us = 30;
    calls_check(&calls, &config, NULL, 0);
    config.to_us = 10; /* from behind to */
    config.from_us = 11;
    calls_check(&calls, &config, NULL, 0);
    config.from_us = -INFINITY;
    config.to_us = INFINITY;
    CHECK(&calls, &config, {"root", 1, 10000, 4501}, {"cut", 1, 3000, 3000},
          {"before", 1, 1000, 1000}, {"behind", 1, 999, 999}, {"in", 1, 500, 500},
          {"border", 1, 0, 0});
    stave_trace_free(calls.trace);
}

/* The window is on the trace's time line, with each boot's own offset and rate. */
static void test_window_and_boots(void **state)
{
    struct calls calls;
    stave_rollup_config config = {.windowed = true, .from_us = 4, .to_us = 12};
    calls_open(&calls, 0);
    calls_add(&calls, "first", 0, 1, 3000, 7000);
    calls_boot(&calls, 10, 1e6);
    calls_add(&calls, "second", 0, 1, 0, 1);
    calls_add(&calls, "second", 0, 2, 1, 5);
    CHECK(&calls, &config, {"first", 1, 3000, 3000}, {"second", 2, 2000, 2000});
    stave_trace_free(calls.trace);
}

static bool not_lane_1(void *context, uint32_t lane)
{
    ++*(int *)context;
    return lane != 1;
}

/* Attached spans are cut like others; those outside are not there, even as parents. */
static void test_window_and_attached(void **state)
{
    struct calls calls;
    stave_rollup_config config = {.windowed = true, .from_us = 0.1, .to_us = 0.2};
    calls_open(&calls, 0);
    calls_add(&calls, "gone", 0, 1, 0, 50);
    calls_add(&calls, "parent", 0, 2, 60, 150);
    for (calls.lane = 1; calls.lane < 4; calls.lane++) {
        struct stave__row row = {.start = calls.lane * 40,
                                 .end = calls.lane * 40 + 90, /* 40-130, 80-170, 120-210 */
                                 .serial = 1,
                                 .flags = STAVE_FLAG_ATTACHED,
                                 .other = calls.lane == 3 ? 1 : 2};
        calls_span(&calls, &row, "child");
    }
    CHECK(&calls, &config, {"child", 3, 30 + 70 + 80, 30 + 70 + 80}, {"parent", 1, 70, 0});
    stave_trace_free(calls.trace);
}

/* A child on a lane that does not count takes its time from its parent all the same, and what is
 * attached to it counts. */
static void test_lanes_that_count(void **state)
{
    struct calls calls;
    int asked = 0;
    stave_rollup_config config = {.lane_counts = not_lane_1, .lane_context = &asked};
    calls_open(&calls, 0);
    calls_add(&calls, "f", 0, 1, 0, 100);
    calls.lane = 1;
    struct stave__row row = {
        .start = 20, .end = 120, .serial = 1, .flags = STAVE_FLAG_ATTACHED, .other = 1};
    calls_span(&calls, &row, "g");
    calls.lane = 2;
    row = (struct stave__row){.start = 150,
                              .end = 160,
                              .serial = 1,
                              .flags = STAVE_FLAG_ATTACHED,
                              .other = 1,
                              .other_lane = 1};
    calls_span(&calls, &row, "g");
    CHECK(&calls, &config, {"f", 1, 130, 20}, {"g", 1, 10, 10});
    assert_int_equal(asked, 2 * CALLS_LANES); /* once each, both ways */
    stave_trace_free(calls.trace);
}

/* Where the only attached span is on a lane that does not count, it is seen all the same. */
static void test_attached_on_a_lane_that_does_not_count(void **state)
{
    struct calls calls;
    int asked = 0;
    stave_rollup_config config = {.lane_counts = not_lane_1, .lane_context = &asked};
    calls_open(&calls, 0);
    calls_add(&calls, "f", 0, 1, 0, 100);
    calls.lane = 1;
    struct stave__row row = {
        .start = 20, .end = 120, .serial = 1, .flags = STAVE_FLAG_ATTACHED, .other = 1};
    calls_span(&calls, &row, "g");
    CHECK(&calls, &config, {"f", 1, 120, 20});
    stave_trace_free(calls.trace);
}

/* ---- attached -------------------------------------------------------------------------------- */

/* Boots with and without attached spans in one trace; what was added up before one was seen is not
 * added twice. */
static void test_attached_in_one_boot(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_add(&calls, "g", 1, 2, 10, 20);
    calls_add(&calls, "f", 0, 1, 0, 100);
    calls_sample(&calls, "queue", 10, 3, 0);
    calls_cumulative(&calls, "tiny", 1, 0, 2, 5);
    calls_boot(&calls, 1000, 0);
    calls.lane = 1;
    struct stave__row row = {
        .start = 50, .end = 80, .serial = 1, .flags = STAVE_FLAG_ATTACHED, .other = 1};
    calls_span(&calls, &row, "f");
    calls.lane = 0;
    calls_add(&calls, "f", 0, 1, 0, 60);
    calls_boot(&calls, 2000, 0);
    calls_add(&calls, "g", 0, 1, 0, 1);
    CHECK(&calls, NULL, {"f", 3, 180, 85 + 50 + 30}, {"g", 2, 11, 11}, {"tiny", 2, 5, 5});
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    assert_int_equal(stave_rollup_counter_at(rollup, 0)->samples, 1);
    stave_rollup_free(rollup);
    stave_trace_free(calls.trace);
}

/* A root with many children behind it, each with one of its own behind that: sets of intervals. */
static void test_many_attached(void **state)
{
    enum { MANY = 20000 };
    struct calls calls;
    calls_open(&calls, 0);
    calls_add(&calls, "root", 0, 1, 0, 10);
    for (int64_t i = 0; i < MANY; i++) {
        int64_t at = 1000 + i * 7919 % MANY * 10;
        struct stave__row row = {.start = at,
                                 .end = at + 4,
                                 .serial = (uint64_t)i + 1,
                                 .flags = STAVE_FLAG_ATTACHED,
                                 .other = 1};
        calls.lane = 1;
        calls_span(&calls, &row, "child");
        row.start += 2;
        row.end += 4;
        row.other = (uint64_t)i + 1;
        row.other_lane = 1;
        calls.lane = 2;
        calls_span(&calls, &row, "leaf");
    }
    CHECK(&calls, NULL, {"leaf", MANY, MANY * 6.0, MANY * 6.0},
          {"child", MANY, MANY * 8.0, MANY * 2.0}, {"root", 1, 10 + MANY * 8.0, 10});
    stave_trace_free(calls.trace);
}

/* Each attached to the one before it, on lanes in turn: as deep as it gets. */
static void test_deep_attached(void **state)
{
    enum { DEEP_ATTACHED = 200000 };
    struct calls calls;
    calls_open(&calls, 0);
    for (int64_t i = 0; i < DEEP_ATTACHED; i++) {
        struct stave__row row = {.start = i * 10,
                                 .end = i * 10 + 5,
                                 .serial = (uint64_t)i + 1,
                                 .flags = i > 0 ? STAVE_FLAG_ATTACHED : 0,
                                 .other = (uint64_t)i,
                                 .other_lane = (uint32_t)(i + 1) % 2};
        calls.lane = (uint32_t)i % 2;
        calls_span(&calls, &row, i == 0 ? "first" : "f");
    }
    CHECK(&calls, NULL,
          {"f", DEEP_ATTACHED - 1, (DEEP_ATTACHED - 1) * 5.0, (DEEP_ATTACHED - 1) * 5.0},
          {"first", 1, DEEP_ATTACHED * 5.0, 5});
    stave_trace_free(calls.trace);
}

/* ---- the two ways on random lanes ------------------------------------------------------------ */

static void test_ways_agree(void **state)
{
    for (uint32_t round = 0; round < 300; round++) {
        struct calls calls;
        calls_open(&calls, round % 3 == 0 ? 3e8 : 0);
        calls.random = round;
        if (round % 2 == 0)
            calls_cost(&calls, round % 7, round % 3);
        if (round % 5 == 0)
            assert_int_equal(
                stave__boot_change_rate(stave__boot_at(calls.trace, 0), 400, 7e7, NULL), STAVE_OK);
        for (uint32_t boot = 0; boot < 2; boot++) {
            for (calls.lane = 0; calls.lane < 3; calls.lane++)
                calls_random_lane(&calls, calls_random(&calls, 300), round % 4 == 0);
            calls_boot(&calls, 3, 0);
        }
        stave_rollup_free(calls_rollup(calls.trace, NULL));
        stave_rollup_config config = {.windowed = true, .from_us = 0.5, .to_us = 2.5};
        stave_rollup_free(calls_rollup(calls.trace, &config));
        stave_trace_free(calls.trace);
    }
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void count_reports(void *context, uint64_t done, uint64_t total)
{
    assert_true(done <= total);
    ++*(int *)context;
}

static void test_progress(void **state)
{
    struct calls calls;
    int reports = 0;
    stave_rollup *rollup;
    calls_open(&calls, 0);
    for (int64_t i = 0; i < 300000; i++)
        calls_add(&calls, "f", 0, (uint64_t)i + 1, i, i + 1);
    calls_close(&calls);
    stave_rollup_config config = {.progress = {count_reports, &reports}};
    assert_int_equal(stave_rollup_new(calls.trace, &config, &rollup, NULL), STAVE_OK);
    stave_rollup_free(rollup);
    assert_in_range(reports, 3, 5);
    stave_trace_free(calls.trace);
}

/* A caller that knows more of the config than the library is refused. */
static void test_config(void **state)
{
    struct {
        stave_rollup_config config;
        uint64_t more;
    } later = {.more = 1};
    struct calls calls;
    stave_rollup *rollup = NULL;
    stave_error error = {0};
    calls_open(&calls, 0);
    assert_int_equal(
        stave_rollup_new_sized(calls.trace, &later.config, sizeof later, &rollup, &error),
        STAVE_E_ARGUMENT);
    assert_null(rollup);
    stave_rollup_free(NULL);
    stave_tree_free(NULL);
    stave_trace_free(calls.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_a_name_under_several_ids),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_rate_changes),
        cmocka_unit_test(test_same_serials_in_boots),
        cmocka_unit_test(test_serial_tells_parents),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_disordered),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_window_and_boots),
        cmocka_unit_test(test_window_and_attached),
        cmocka_unit_test(test_lanes_that_count),
        cmocka_unit_test(test_attached_on_a_lane_that_does_not_count),
        cmocka_unit_test(test_attached_in_one_boot),
        cmocka_unit_test(test_many_attached),
        cmocka_unit_test(test_deep_attached),
        cmocka_unit_test(test_ways_agree),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_config),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
