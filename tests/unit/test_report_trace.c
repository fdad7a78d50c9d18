/* Traces with rules to reports: tables, clocks, boots, sessions, as docs/format.md has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/axis.h"
#include "stave/report.h"
#include "trace/rules.h"
#include "unit/calls.h"

static struct calls calls;
static stave_report *report;

static int set_up(void **state)
{
    calls_open(&calls, 0);
    return 0;
}

static int tear_down(void **state)
{
    stave_report_free(report);
    report = NULL;
    stave_trace_free(calls.trace);
    return 0;
}

static void declare(const char *name, const char *id, uint32_t role)
{
    struct stave__rule_row row = {
        .name = calls_name(&calls, name), .id = calls_name(&calls, id), .role = role};
    assert_int_equal(stave__trace_add_rule(calls.trace, &row, NULL), STAVE_OK);
}

static void depend(const char *name, const char *id)
{
    struct stave__dependency_row row = {calls_name(&calls, name), calls_name(&calls, id)};
    assert_int_equal(stave__trace_add_dependency(calls.trace, &row, NULL), STAVE_OK);
}

static void evaluate(const char *name, uint64_t serial, int64_t start, int64_t end)
{
    calls_add(&calls, name, 0, serial, start, end);
}

static void attribute(const char *key, uint64_t serial, uint16_t flags, uint64_t value)
{
    struct stave__row row = {.serial = serial, .flags = flags, .value = value};
    calls_row(&calls, STAVE_ATTRIBUTES, &row, key);
}

static void make(uint64_t session)
{
    stave_error error = {0};
    const stave_report_config config = {.session = session};
    calls_close(&calls);
    report = stave_report_from_trace(calls.trace, &config, &error);
    if (report == NULL)
        fail_msg("%s", error.message);
}

static const stave_rule_stats *stats_of(const char *id)
{
    const stave_rule_stats *stats = stave_report_rule_by_id(report, id);
    if (stats == NULL)
        fail_msg("no rule %s", id);
    return stats;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void test_without_rules(void **state)
{
    evaluate("span", 1, 0, 5);
    assert_false(stave_trace_has_rules(calls.trace));
    declare("a run", "", STAVE__ROLE_RUN);
    assert_false(stave_trace_has_rules(calls.trace));
    make(0);
    assert_int_equal(stave_report_node_count(report), 0);
}

/* Of two rows of one name the first holds; of two rules of one id the first one's description and needs. */
static void test_first_row_holds(void **state)
{
    declare("first", "a", STAVE__ROLE_RULE);
    declare("first", "b", STAVE__ROLE_RUN);
    declare("second", "a", STAVE__ROLE_RULE);
    declare("other", "c", STAVE__ROLE_RULE);
    declare("later versions'", "d", 77);
    depend("first", "c");
    depend("second", "nobody");
    depend("no rule's name", "c");
    evaluate("other", 1, 0, 1);
    evaluate("first", 2, 1, 2);
    evaluate("second", 3, 2, 4);
    make(0);
    assert_int_equal(stats_of("a")->calls, 2);
    assert_string_equal(stats_of("a")->description, "first");
    assert_int_equal(stats_of("a")->missing, 0);
    assert_int_equal(stave_report_rule_count(report), 3); /* and nobody's */
    assert_int_equal(stave_report_node_at(report, 0)->first_child, 1);
}

static void test_attributes(void **state)
{
    uint64_t why = calls_name(&calls, "why"), because = calls_name(&calls, "because");
    declare("r", "r", STAVE__ROLE_RULE);
    declare("order", "", STAVE__ROLE_RUN);
    declare("left out", "", STAVE__ROLE_SKIPPED);
    declare("known", "", STAVE__ROLE_CACHED);
    calls_add(&calls, "r", 1, 2, 0, 1);
    calls_add(&calls, "r", 1, 3, 2, 3);
    calls_add(&calls, "order", 0, 1, 0, 5);
    attribute("id", 1, STAVE_FLAG_SIGNED, (uint64_t)-17);
    attribute("known", 2, STAVE_FLAG_BOOL, 0);
    attribute("left out", 2, STAVE_FLAG_BOOL, 1);
    attribute("error", 2, STAVE_FLAG_TEXT, why);
    attribute("error", 2, STAVE_FLAG_TEXT, because);
    attribute("error", 3, 0, 5);
    attribute("skipped", 3, STAVE_FLAG_BOOL, 1); /* a key of the program's own */
    attribute("left out", 99, STAVE_FLAG_BOOL, 1);
    make(0);
    assert_string_equal(stave_report_run_at(report, 0)->id, "-17");
    assert_int_equal(stave_report_node_at(report, 0)->outcome, STAVE_SKIPPED);
    assert_string_equal(stave_report_node_at(report, 0)->reason, "because");
    assert_int_equal(stave_report_node_at(report, 1)->outcome, STAVE_DONE);
    assert_null(stave_report_node_at(report, 1)->reason);
}

/* ---- boots and clocks ------------------------------------------------------------------------ */

/* Serials and runs of one have nothing to do with those of another. */
static void test_boots(void **state)
{
    declare("a", "a", STAVE__ROLE_RULE);
    declare("b", "b", STAVE__ROLE_RULE);
    depend("b", "a");
    evaluate("a", 1, 1000, 3000);
    calls_boot(&calls, 100, 1e6); /* 100 us later, a tick is 1 us */
    evaluate("b", 1, 5, 7);
    make(0);
    assert_int_equal(stave_report_run_count(report), 2);
    assert_int_equal(stats_of("b")->missing, 1);
    assert_true(stats_of("a")->self_ns == 2000 && stats_of("b")->self_ns == 2000);
    assert_true(stave_report_node_at(report, 0)->start_ns == 0);
    assert_true(stave_report_node_at(report, 1)->start_ns == 104000);
}

/* Whole ticks of a third of a nanosecond are not whole, but what adds up in them adds up. */
static void test_sums_are_exact(void **state)
{
    calls_boot(&calls, 0, 3e9);
    declare("a", "a", STAVE__ROLE_RULE);
    for (uint64_t i = 0; i < 100; i++)
        calls_add(&calls, "a", 1, i + 2, (int64_t)i * 7, (int64_t)i * 7 + 5);
    calls_add(&calls, "a", 0, 1, 0, 1000);
    make(0);
    const stave_report_node *root = stave_report_node_at(report, 0);
    assert_true(stats_of("a")->self_ns == root->busy_ns);
    assert_true(root->total_ns == root->end_ns && root->total_ns > 333 && root->total_ns < 334);
}

static void anchor(uint32_t boot, int64_t tick, double us, double hz)
{
    stave_anchor anchor = {.tick = tick, .us = us, .hz = hz};
    assert_int_equal(stave__boot_add_anchor(stave__boot_at(calls.trace, boot), &anchor, NULL),
                     STAVE_OK);
}

static void test_axis(void **state)
{
    struct stave__axis axis;
    anchor(0, 1000, 1.0, 0);
    anchor(0, 2000, 1.5, 1e9); /* set back by half a microsecond */
    anchor(0, 3000, 5.0, 5e8);
    assert_true(stave__axis_open(&axis, calls.trace, 0));
    assert_int_equal(stave__axis_at(&axis, -10), -10 * STAVE__AXIS_UNITS);
    assert_int_equal(stave__axis_at(&axis, 1999), 1999 * STAVE__AXIS_UNITS);
    assert_int_equal(stave__axis_at(&axis, 2000), 2000 * STAVE__AXIS_UNITS);
    assert_int_equal(stave__axis_at(&axis, 2100), 2000 * STAVE__AXIS_UNITS);
    assert_int_equal(stave__axis_at(&axis, 2600), 2100 * STAVE__AXIS_UNITS);
    assert_int_equal(stave__axis_at(&axis, 3001), 5002 * STAVE__AXIS_UNITS);
    assert_true(stave__axis_units(&axis, 3500, 10) == 20 * STAVE__AXIS_UNITS);
    assert_true(stave__axis_at(&axis, INT64_MAX) <= (int64_t)1 << 60);
    assert_true(stave__axis_at(&axis, INT64_MIN) >= -((int64_t)1 << 60));
    stave__axis_free(&axis);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void add_session(uint64_t number, int64_t start, int64_t stop, uint64_t given_up)
{
    struct stave__session_row row = {
        .number = number, .start = start, .stop = stop, .given_up = given_up, .dropped = 1};
    assert_int_equal(stave__trace_add_session(calls.trace, &row, NULL), STAVE_OK);
}

static void add_evaluations(void)
{
    declare("a", "a", STAVE__ROLE_RULE);
    for (uint64_t i = 0; i < 10; i++)
        evaluate("a", i + 1, (int64_t)i * 10, (int64_t)i * 10 + 5);
    assert_int_equal(
        stave__trace_add_summary(calls.trace,
                                 &(struct stave__summary_row){
                                     .session = 2, .rule = calls_name(&calls, "a"), .calls = 100},
                                 NULL),
        STAVE_OK);
}

static void test_one_session(void **state)
{
    stave_report_lost lost;
    add_evaluations();
    add_session(2, 20, 40, 3);
    make(2);
    assert_int_equal(stats_of("a")->calls, 102);
    assert_true(stave_report_node_at(report, 1)->start_ns == 10);
    stave_report_lost_of(report, &lost);
    assert_true(lost.given_up == 3 && lost.dropped == 1);
}

static void test_several_sessions(void **state)
{
    stave_report_lost lost;
    add_evaluations();
    add_session(1, 0, 30, 3);
    add_session(2, 55, INT64_MAX, 4);
    make(0);
    assert_int_equal(stats_of("a")->calls, 110);
    stave_report_lost_of(report, &lost);
    assert_true(lost.given_up == 7 && lost.dropped == 2);
    stave_report_free(report);
    make(1);
    assert_int_equal(stats_of("a")->calls, 3);
    stave_report_free(report);
    make(2);
    assert_int_equal(stats_of("a")->calls, 104);
    assert_true(stave_report_node_at(report, 0)->start_ns == 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_without_rules), TEST(test_first_row_holds),  TEST(test_attributes),
        TEST(test_boots),         TEST(test_sums_are_exact),   TEST(test_axis),
        TEST(test_one_session),   TEST(test_several_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
