/* Rule reports of models: outcomes, places, runs, what is lost; docs/rules.md line by line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stress/rules_model.h"

static struct stave__model model;
static stave_report *report;

static int set_up(void **state)
{
    rules_model_open(&model);
    return 0;
}

static int tear_down(void **state)
{
    stave_report_free(report);
    report = NULL;
    return 0;
}

static void make(void)
{
    report = rules_model_report(&model);
}

static const stave_rule_stats *stats_of(const char *id)
{
    const stave_rule_stats *stats = stave_report_rule_by_id(report, id);
    if (stats == NULL)
        fail_msg("no rule %s", id);
    return stats;
}

static const stave_report_node *parent_of(const char *id)
{
    return stave_report_node_at(report, rules_model_node(report, id)->parent);
}

/* ---- outcomes -------------------------------------------------------------------------------- */

static struct stave__model_row *evaluate(uint32_t rule, uint64_t serial, int64_t start, int64_t end,
                                         stave_outcome outcome)
{
    struct stave__model_row *row = rules_model_add(&model, rule, 0, serial, start, end);
    row->outcome = (uint8_t)outcome;
    return row;
}

static void test_outcomes(void **state)
{
    uint32_t rule = rules_model_rule(&model, "r", "");
    evaluate(rule, 1, 0, 10, STAVE_DONE);
    evaluate(rule, 2, 10, 30, STAVE_FAILED)->note = rules_model_text(&model, "no");
    evaluate(rule, 3, 30, 31, STAVE_SKIPPED);
    evaluate(rule, 4, 40, 41, STAVE_CACHED);
    evaluate(rule, 5, 50, 53, STAVE_CANCELLED);
    evaluate(rule, 6, 60, 67, STAVE_TIMED_OUT);
    evaluate(rule, 7, 70, 99, STAVE_DONE)->flags = STAVE_FLAG_UNFINISHED;
    make();
    const stave_rule_stats *stats = stats_of("r");
    assert_int_equal(stats->calls, 6);
    assert_int_equal(stats->failed, 1);
    assert_int_equal(stats->skipped, 1);
    assert_int_equal(stats->cached, 1);
    assert_int_equal(stats->cancelled, 1);
    assert_int_equal(stats->timed_out, 1);
    assert_int_equal(stats->unfinished, 1);
    assert_int_equal(stats->timed, 4);
    assert_true(stats->self_ns == 10 + 20 + 1 + 1 + 3 + 7 + 29);
    assert_true(stats->min_ns == 3 && stats->max_ns == 20 && stats->first_ns == 10);
    assert_true(stats->mean_ns == 10 && stats->median_ns == 7 && stats->p99_ns == 20);
    assert_string_equal(stave_report_node_at(report, 1)->reason, "no");
    assert_null(stave_report_node_at(report, 0)->reason);
    assert_int_equal(stave_report_run_at(report, 0)->skipped, 1);
}

static void test_texts_of_outcomes(void **state)
{
    static const char *const texts[] = {"done",   "failed",    "skipped",
                                        "cached", "cancelled", "timed out"};
    for (uint32_t i = STAVE_DONE; i <= STAVE_TIMED_OUT; i++)
        assert_string_equal(stave_outcome_text(i), texts[i]);
    assert_string_equal(stave_outcome_text(STAVE_TIMED_OUT + 1), "unknown outcome");
}

/* One cold evaluation of 40 ms among a thousand of 0.3 ms. */
static void test_outlier(void **state)
{
    uint32_t rule = rules_model_rule(&model, "r", "");
    evaluate(rule, 1, 0, 40000, STAVE_DONE);
    for (uint32_t i = 0; i < 1000; i++)
        evaluate(rule, 2 + i, 50000 + i * 1000, 50300 + i * 1000, STAVE_DONE);
    make();
    const stave_rule_stats *stats = stats_of("r");
    assert_true(stats->first_ns == 40000 && stats->max_ns == 40000);
    assert_true(stats->median_ns == 300 && stats->p99_ns == 300 && stats->min_ns == 300);
    assert_true(fabs(stats->mean_ns - 340000.0 / 1001) < 1e-6);
}

static void test_only_skipped(void **state)
{
    uint32_t rule = rules_model_rule(&model, "r", "");
    evaluate(rule, 1, 5, 5, STAVE_SKIPPED);
    make();
    assert_int_equal(stats_of("r")->calls, 0);
    assert_int_equal(stats_of("r")->skipped, 1);
    assert_true(isnan(stats_of("r")->max_ns) && isnan(stats_of("r")->first_ns));
    assert_int_equal(stave_report_node_count(report), 1);
}

static void test_summaries(void **state)
{
    uint32_t rule = rules_model_rule(&model, "r", "");
    evaluate(rule, 1, 0, 10, STAVE_DONE);
    *stave__model_sum(&model) = (struct stave__summed){.rule = rule,
                                                       .calls = 4,
                                                       .failed = 1,
                                                       .skipped = 2,
                                                       .total = 100,
                                                       .self = 60,
                                                       .first = 50,
                                                       .least = 5,
                                                       .most = 70};
    *stave__model_sum(&model) = (struct stave__summed){.rule = rule,
                                                       .calls = 1,
                                                       .total = (double)NAN,
                                                       .self = (double)NAN,
                                                       .first = (double)NAN,
                                                       .least = (double)NAN,
                                                       .most = (double)NAN};
    make();
    const stave_rule_stats *stats = stats_of("r");
    assert_int_equal(stats->calls, 6);
    assert_int_equal(stats->summed, 5);
    assert_int_equal(stats->failed, 1);
    assert_int_equal(stats->skipped, 2);
    assert_true(stats->self_ns == 70 && stats->total_ns == 110 && stats->busy_ns == 110);
    assert_true(stats->first_ns == 10 && stats->min_ns == 5 && stats->max_ns == 70);
    assert_true(stats->mean_ns == 22 && stats->median_ns == 10);
    assert_int_equal(stave_report_node_count(report), 1);
}

/* ---- places ---------------------------------------------------------------------------------- */

static void test_diamond(void **state)
{
    uint32_t a = rules_model_rule(&model, "a", ""), b = rules_model_rule(&model, "b", "");
    uint32_t c = rules_model_rule(&model, "c", ""), d = rules_model_rule(&model, "d", "");
    rules_model_need(&model, b, "a");
    rules_model_need(&model, c, "a");
    rules_model_need(&model, d, "b");
    rules_model_need(&model, d, "c");
    evaluate(a, 1, 0, 1, STAVE_DONE);
    evaluate(c, 2, 1, 2, STAVE_DONE);
    evaluate(b, 3, 2, 3, STAVE_SKIPPED); /* as good as any */
    evaluate(d, 4, 3, 4, STAVE_DONE);
    make();
    uint32_t count;
    const stave_report_node *node = rules_model_node(report, "d");
    assert_ptr_equal(parent_of("d"), rules_model_node(report, "b"));
    assert_ptr_equal(parent_of("b"), rules_model_node(report, "a"));
    assert_ptr_equal(parent_of("c"), rules_model_node(report, "a"));
    const uint32_t *links = stave_report_links(report, rules_model_index(report, node), &count);
    assert_int_equal(count, 1);
    assert_ptr_equal(stave_report_node_at(report, links[0]), rules_model_node(report, "c"));
}

static void test_missing(void **state)
{
    uint32_t a = rules_model_rule(&model, "a", ""), late = rules_model_rule(&model, "late", "");
    rules_model_need(&model, a, "nobody");
    rules_model_need(&model, a, "late");
    evaluate(a, 1, 0, 1, STAVE_DONE);
    evaluate(late, 2, 1, 2, STAVE_DONE);
    make();
    assert_int_equal(stats_of("a")->missing, 1);
    assert_false(stats_of("nobody")->is_known);
    assert_int_equal(stats_of("nobody")->calls, 0);
    assert_string_equal(stats_of("nobody")->description, "");
    assert_int_equal(rules_model_node(report, "a")->place, STAVE_PLACE_ROOT);
}

/* B needs A, and evaluates it in itself: A is in B, and its time is not B's own. */
static void test_on_demand(void **state)
{
    uint32_t a = rules_model_rule(&model, "a", ""), b = rules_model_rule(&model, "b", "");
    rules_model_need(&model, b, "a");
    evaluate(b, 1, 0, 10, STAVE_DONE);
    evaluate(a, 2, 2, 5, STAVE_DONE)->around = 0;
    make();
    assert_ptr_equal(parent_of("a"), rules_model_node(report, "b"));
    assert_int_equal(rules_model_node(report, "a")->place, STAVE_PLACE_INSIDE);
    assert_int_equal(stats_of("b")->missing, 1);
    assert_true(stats_of("b")->self_ns == 7);
}

/* Bottom-up: children before their parent. */
static void test_parent(void **state)
{
    uint32_t whole = rules_model_rule(&model, "whole", "");
    uint32_t part = rules_model_rule(&model, "part", "");
    rules_model_parent(&model, part, "whole");
    evaluate(part, 1, 0, 4, STAVE_DONE);
    evaluate(part, 2, 4, 5, STAVE_DONE);
    evaluate(whole, 3, 6, 8, STAVE_DONE);
    make();
    const stave_report_node *node = rules_model_node(report, "whole");
    assert_ptr_equal(parent_of("part"), node);
    assert_int_equal(rules_model_node(report, "part")->place, STAVE_PLACE_PARENT);
    assert_true(node->self_ns == 2 && node->total_ns == 7 && node->busy_ns == 7);
}

/* One engine hands the run's handle to all it evaluates: what was evaluated in another one of that run is in it. */
static void test_handle_of_the_run(void **state)
{
    uint32_t a = rules_model_rule(&model, "a", ""), b = rules_model_rule(&model, "b", "");
    rules_model_run(&model, "order", 0, 1, 0, 20);
    struct stave__model_row *outer = rules_model_add(&model, a, 1, 1, 1, 10);
    rules_model_attach(outer, 0, 1);
    struct stave__model_row *inner = rules_model_add(&model, b, 1, 2, 2, 6);
    rules_model_attach(inner, 0, 1);
    inner->around = 1;
    make();
    assert_ptr_equal(parent_of("b"), rules_model_node(report, "a"));
    assert_int_equal(rules_model_node(report, "b")->place, STAVE_PLACE_INSIDE);
    assert_true(stats_of("a")->self_ns == 5);
}

/* A run is no node: what is in it is in what is around it, and in a run of its own. */
static void test_run_in_an_evaluation(void **state)
{
    uint32_t a = rules_model_rule(&model, "a", ""), b = rules_model_rule(&model, "b", "");
    evaluate(a, 1, 0, 10, STAVE_DONE);
    uint32_t run = rules_model_run(&model, "inner", 0, 2, 1, 9);
    model.rows[run].around = 0;
    evaluate(b, 3, 2, 5, STAVE_DONE)->around = run;
    make();
    assert_int_equal(stave_report_node_count(report), 2);
    assert_ptr_equal(parent_of("b"), rules_model_node(report, "a"));
    assert_int_equal(stave_report_run_count(report), 2);
    assert_string_equal(stave_report_run_at(report, 1)->name, "inner");
    assert_int_equal(rules_model_node(report, "b")->run, 1);
    assert_true(stats_of("a")->self_ns == 7);
}

static void test_cause(void **state)
{
    uint32_t a = rules_model_rule(&model, "a", ""), b = rules_model_rule(&model, "b", "");
    rules_model_need(&model, b, "a");
    evaluate(a, 1, 0, 1, STAVE_DONE);
    evaluate(a, 2, 1, 2, STAVE_DONE);
    rules_model_attach(evaluate(b, 3, 3, 4, STAVE_DONE), 0, 1);
    make();
    uint32_t count, index = rules_model_index(report, rules_model_node(report, "b"));
    const uint32_t *links = stave_report_links(report, index, &count);
    assert_true(parent_of("b")->serial == 2);
    assert_int_equal(count, 1);
    assert_true(stave_report_node_at(report, links[0])->serial == 1);
}

static void test_spans(void **state)
{
    uint32_t a = rules_model_rule(&model, "a", ""), b = rules_model_rule(&model, "b", "");
    rules_model_span(&model, "around all", 0, 1, 0, 100);
    evaluate(a, 2, 10, 60, STAVE_DONE)->around = 0;
    uint32_t span = rules_model_span(&model, "look up", 0, 3, 20, 50);
    model.rows[span].around = 1;
    model.rows[span].flags = STAVE_FLAG_FAILED;
    model.rows[span].outcome = STAVE_FAILED;
    evaluate(b, 4, 30, 40, STAVE_DONE)->around = span;
    make();
    assert_int_equal(stave_report_node_count(report), 3);
    assert_ptr_equal(parent_of("b"), rules_model_node(report, "look up"));
    assert_ptr_equal(parent_of("look up"), rules_model_node(report, "a"));
    assert_true(rules_model_node(report, "look up")->self_ns == 20);
    assert_int_equal(stats_of("a")->failed, 0);
    assert_int_equal(rules_model_node(report, "a")->place, STAVE_PLACE_ROOT);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A thousand orders at once: each depends on its own. */
static void test_runs_are_apart(void **state)
{
    uint32_t a = rules_model_rule(&model, "a", ""), b = rules_model_rule(&model, "b", "");
    rules_model_need(&model, b, "a");
    for (uint32_t i = 0; i < 1000; i++)
        rules_model_run(&model, "order", 0, i + 1, i, 5000);
    for (uint32_t i = 0; i < 1000; i++) {
        rules_model_attach(rules_model_add(&model, a, 1, i + 1, 1000 + i, 1500), 0, i + 1);
        rules_model_attach(rules_model_add(&model, b, 2, i + 1, 2000 + i, 4000), 0, i + 1);
    }
    make();
    assert_int_equal(stave_report_run_count(report), 1000);
    for (uint32_t i = 0; i < stave_report_node_count(report); i++) {
        const stave_report_node *node = stave_report_node_at(report, i);
        assert_int_equal(node->serial, node->run + 1);
        if (node->lane == 2)
            assert_int_equal(stave_report_node_at(report, node->parent)->serial, node->serial);
    }
}

static void test_lost_place(void **state)
{
    uint32_t a = rules_model_rule(&model, "a", "");
    stave_report_lost lost;
    rules_model_attach(evaluate(a, 1, 0, 1, STAVE_DONE), 7, 99);
    rules_model_attach(evaluate(a, 2, 1, 2, STAVE_DONE), 7, 99);
    rules_model_attach(evaluate(a, 3, 1, 2, STAVE_DONE), 7, 98);
    evaluate(a, 4, 5, 6, STAVE_DONE);
    make();
    stave_report_lost_of(report, &lost);
    assert_int_equal(lost.unplaced, 3);
    assert_int_equal(stave_report_run_count(report), 3);
    assert_string_equal(stave_report_run_at(report, 0)->name, "");
    assert_int_equal(stave_report_run_at(report, 0)->evaluations, 2);
    assert_true(stave_report_run_at(report, 0)->end_ns == 2);
}

static void test_cycle(void **state)
{
    uint32_t x = rules_model_rule(&model, "x", ""), y = rules_model_rule(&model, "y", "");
    uint32_t self = rules_model_rule(&model, "self", ""), rules[4];
    rules_model_need(&model, x, "y");
    rules_model_need(&model, y, "x");
    rules_model_need(&model, self, "self");
    evaluate(y, 1, 0, 1, STAVE_DONE);
    evaluate(x, 2, 1, 2, STAVE_DONE);
    evaluate(y, 3, 2, 3, STAVE_DONE);
    evaluate(self, 4, 3, 4, STAVE_DONE);
    evaluate(self, 5, 4, 5, STAVE_DONE);
    make();
    assert_int_equal(stave_report_cycle_count(report), 2);
    assert_int_equal(stave_report_cycle_at(report, 0, rules, 4), 1);
    assert_string_equal(stave_report_rule_at(report, rules[0])->id, "self");
    assert_int_equal(stave_report_cycle_at(report, 1, rules, 4), 2);
    assert_string_equal(stave_report_rule_at(report, rules[0])->id, "x");
    assert_string_equal(stave_report_rule_at(report, rules[1])->id, "y");
    assert_ptr_equal(parent_of("x"), rules_model_node(report, "y"));
    assert_int_equal(stats_of("y")->missing + stats_of("self")->missing, 0);
    assert_int_equal(rules_model_node(report, "y")->place, STAVE_PLACE_ROOT);
    assert_int_equal(stave_report_cycle_at(report, 2, rules, 4), 0);
}

/* ---- scope ----------------------------------------------------------------------------------- */

/* Of one thread, from 10 to 20: what began then, on it or by handles of what did. */
static void test_scope(void **state)
{
    uint32_t a = rules_model_rule(&model, "a", "");
    rules_model_add(&model, a, 0, 1, 5, 50); /* open at the start */
    rules_model_add(&model, a, 0, 2, 10, 12)->around = 0;
    uint32_t run = rules_model_run(&model, "order", 0, 3, 13, 40);
    model.rows[run].around = 0;
    rules_model_attach(rules_model_add(&model, a, 1, 1, 14, 30), 0, 3);
    rules_model_add(&model, a, 1, 2, 15, 16)->around = 3;
    rules_model_add(&model, a, 1, 3, 15, 17);             /* another thread's own */
    rules_model_add(&model, a, 0, 4, 20, 21)->around = 0; /* after the stop */
    model.is_scoped = true;
    model.from = model.origin = 10;
    model.has_origin = true;
    model.to = 20;
    model.scope_lane = 0;
    make();
    assert_int_equal(stats_of("a")->calls, 3);
    assert_int_equal(stave_report_node_count(report), 3);
    assert_true(stave_report_node_at(report, 0)->start_ns == 0);
    assert_int_equal(stave_report_node_at(report, 0)->parent, STAVE_NONE);
    assert_int_equal(stave_report_node_at(report, 2)->place, STAVE_PLACE_INSIDE);
    assert_int_equal(stave_report_run_count(report), 2);
    assert_string_equal(stave_report_run_at(report, 1)->name, "order");
}

static void test_nothing(void **state)
{
    uint32_t count = 9;
    make();
    assert_int_equal(stave_report_node_count(report), 0);
    assert_int_equal(stave_report_rule_count(report), 0);
    assert_int_equal(stave_report_run_count(report), 0);
    assert_null(stave_report_node_at(report, 0));
    assert_null(stave_report_rule_at(report, 0));
    assert_null(stave_report_links(report, 0, &count));
    assert_int_equal(count, 0);
    assert_null(stave_report_rule_by_id(report, ""));
    assert_string_equal(stave_report_lane_name(report, 3), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_outcomes),
        cmocka_unit_test(test_texts_of_outcomes),
        TEST(test_outlier),
        TEST(test_only_skipped),
        TEST(test_summaries),
        TEST(test_diamond),
        TEST(test_missing),
        TEST(test_on_demand),
        TEST(test_parent),
        TEST(test_handle_of_the_run),
        TEST(test_run_in_an_evaluation),
        TEST(test_cause),
        TEST(test_spans),
        TEST(test_runs_are_apart),
        TEST(test_lost_place),
        TEST(test_cycle),
        TEST(test_scope),
        TEST(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
