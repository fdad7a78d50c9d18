/* Rules: which evaluations a session captures, of which rule, in which run and how they came out. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/recording.h"
#include "stress/rules_read.h"

static stave_session *session;
static struct rules_read read_back;

static void begin_session(const stave_session_config *config)
{
    stave_error error = {0};
    session = stave_session_start(config, &error);
    if (session == NULL)
        fail_msg("%s", error.message);
}

static void look_back(void)
{
    rules_free(&read_back);
    read_back = rules_read_session(session);
}

static int tear_down_rules(void **state)
{
    rules_free(&read_back);
    read_back = (struct rules_read){0};
    stave_session_free(session);
    session = NULL;
    assert_int_equal(stave__rules_on, 0);
    return tear_down(state);
}

static void check_times(const struct rules_evaluation *e, int64_t start, int64_t end)
{
    int64_t zero = read_back.at[0].row->columns.start;
    assert_int_equal(e->row->columns.start - zero, start);
    assert_int_equal(e->row->columns.end - zero, end);
}

/* ---- the narrow path ------------------------------------------------------------------------- */

static stave_rule price = {.id = "0f6c", .description = "price is positive"};
static stave_rule total = {
    .id = "7b1e", .description = "total matches", .depends_on = STAVE_RULES(&price)};

static void evaluate(stave_rule *rule, uint64_t ns)
{
    STAVE_RULE(rule);
    recorded_ns += ns;
}

static void test_nothing_without_a_session(void **state)
{
    evaluate(&price, 5);
    stave_rule_fail("of nothing");
    assert_int_equal(stave_rule_here().serial, 0);
    look();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), 0);
}

static void test_evaluations(void **state)
{
    begin_session(NULL);
    evaluate(&price, 5);
    recorded_ns += 2;
    evaluate(&total, 7);
    look_back();
    assert_int_equal(read_back.count, 2);
    const struct rules_evaluation *first = rules_find(&read_back, "0f6c");
    const struct rules_evaluation *second = rules_find(&read_back, "7b1e");
    assert_string_equal(first->description, "price is positive");
    assert_string_equal(second->description, "total matches");
    check_times(first, 0, 5);
    check_times(second, 7, 14);
    assert_string_equal(second->outcome, "done");
    assert_null(second->reason);
    assert_null(second->run);
    assert_true(second->is_in_session);
    assert_string_equal(rules_dependencies(&read_back, "7b1e"), "0f6c");
    assert_string_equal(rules_dependencies(&read_back, "0f6c"), "");
    assert_int_equal(read_back.tables->sessions.rows, 1);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* By id alone, however they are called; what one points to is known with it. */
static void test_rules_are_their_ids(void **state)
{
    static const char *const unknown[] = {"nobody's", "", NULL};
    stave_rule parent = {.id = "parent", .description = "total"};
    stave_rule same = {.id = "__proto__", .description = "total", .parent = &parent};
    stave_rule twin = {.id = "__proto__", .description = "another"};
    stave_rule user = {.id = "user",
                       .description = "",
                       .depends_on = STAVE_RULES(&same, &parent),
                       .depends_on_ids = unknown};
    begin_session(NULL);
    evaluate(&user, 1);
    evaluate(&twin, 1);
    evaluate(&same, 1);
    look_back();
    assert_int_equal(rules_count(&read_back, "__proto__"), 2);
    assert_string_equal(read_back.at[1].description, "total");
    assert_string_equal(read_back.at[2].description, "total");
    assert_string_equal(rules_find(&read_back, "user")->description, "");
    assert_string_equal(rules_dependencies(&read_back, "user"), "__proto__ parent nobody's ");
    assert_non_null(rules_row(&read_back, "parent"));
    assert_null(rules_row(&read_back, "nobody's"));
    assert_int_not_equal(rules_row(&read_back, "parent")->name,
                         rules_row(&read_back, "__proto__")->name);
    assert_int_equal(twin.number, same.number);
    assert_int_equal(parent.number, 0); /* it has not been used itself */
}

static void test_parent(void **state)
{
    stave_rule parent = {.id = "outer"};
    stave_rule child = {.id = "inner", .parent = &parent};
    begin_session(NULL);
    evaluate(&child, 1);
    look_back();
    const struct stave__rule_row *row = rules_row(&read_back, "inner");
    assert_true(row->has_parent);
    assert_string_equal(stave_trace_string(read_back.seen.trace, row->parent, NULL), "outer");
    assert_false(rules_row(&read_back, "outer")->has_parent);
}

/* All that can be reached, a circle included. */
static void test_declare(void **state)
{
    static stave_rule a, b, c;
    static stave_rule *const of_a[] = {&b, NULL}, *const of_b[] = {&c, NULL},
                             *const of_c[] = {&a, NULL};
    a = (stave_rule){.id = "circle a", .depends_on = of_a};
    b = (stave_rule){.id = "circle b", .depends_on = of_b};
    c = (stave_rule){.id = "circle c", .depends_on = of_c};
    begin_session(NULL);
    evaluate(&a, 1);
    stave_rule_declare(&a);
    look_back();
    assert_int_equal(read_back.count, 1);
    assert_string_equal(rules_dependencies(&read_back, "circle a"), "circle b");
    assert_string_equal(rules_dependencies(&read_back, "circle b"), "circle c");
    assert_string_equal(rules_dependencies(&read_back, "circle c"), "circle a");
}

/* ---- how it came out ------------------------------------------------------------------------- */

static void test_outcomes(void **state)
{
    static stave_rule rules[8];
    static const struct {
        const char *id;
        stave_outcome told[3]; /* STAVE_DONE: nothing, but at the end */
        const char *outcome;
    } cases[] = {
        {"is done", {STAVE_DONE}, "done"},
        {"has failed", {STAVE_FAILED}, "failed"},
        {"is skipped", {STAVE_SKIPPED}, "skipped"},
        {"is cached", {STAVE_CACHED}, "cached"},
        {"is cancelled", {STAVE_CANCELLED}, "cancelled"},
        {"timed out", {STAVE_TIMED_OUT}, "timed out"},
        {"failed at last", {STAVE_CACHED, STAVE_FAILED}, "failed"},
        {"cached at last", {STAVE_FAILED, STAVE_TIMED_OUT, STAVE_CACHED}, "cached"},
    };
    begin_session(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rules[i].id = cases[i].id;
        STAVE_RULE(&rules[i]);
        STAVE_SCOPE("around it");
        for (size_t j = 0; j < 3 && cases[i].told[j] != STAVE_DONE; j++)
            stave_rule_outcome(cases[i].told[j], cases[i].id);
    }
    look_back();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rules_evaluation *e = rules_find(&read_back, cases[i].id);
        assert_string_equal(e->outcome, cases[i].outcome);
        if (i > 0)
            assert_string_equal(e->reason, cases[i].id);
        bool failed = i == 1 || i == 5 || i == 6;
        assert_int_equal((e->row->columns.flags & STAVE_FLAG_FAILED) != 0, failed);
    }
}

static void test_done_takes_back(void **state)
{
    static stave_rule rule = {.id = "done after all"};
    begin_session(NULL);
    {
        STAVE_RULE(&rule);
        stave_rule_fail(NULL);
        stave_rule_outcome(STAVE_CACHED, NULL);
        stave_rule_outcome(STAVE_DONE, "well");
    }
    look_back();
    assert_string_equal(rules_find(&read_back, "done after all")->outcome, "done");
    assert_string_equal(rules_find(&read_back, "done after all")->reason, "well");
}

static void test_skip(void **state)
{
    static stave_rule rule = {.id = "not evaluated"};
    begin_session(NULL);
    stave_rule_skip(&rule, (stave_run){0}, "no order");
    look_back();
    const struct rules_evaluation *e = rules_find(&read_back, "not evaluated");
    assert_string_equal(e->outcome, "skipped");
    assert_string_equal(e->reason, "no order");
    assert_int_equal(e->row->columns.start, e->row->columns.end);
    assert_null(stave_current_span().slot);
}

/* A failure is that of the innermost evaluation, whatever spans are open in it. */
static void test_fail_of_the_innermost(void **state)
{
    static stave_rule outer = {.id = "outer of two"}, inner = {.id = "inner of two"};
    begin_session(NULL);
    {
        STAVE_RULE(&outer);
        {
            STAVE_RULE(&inner);
            STAVE_SCOPE("parse");
            stave_rule_fail("negative");
        }
    }
    look_back();
    assert_string_equal(rules_find(&read_back, "outer of two")->outcome, "done");
    assert_string_equal(rules_find(&read_back, "inner of two")->outcome, "failed");
    assert_string_equal(rules_find(&read_back, "inner of two")->reason, "negative");
    const struct traces_row *span = recorded_find(&read_back.seen, STAVE_SPANS, "parse");
    assert_int_equal(span->columns.flags & STAVE_FLAG_FAILED, 0);
}

static void test_attributes(void **state)
{
    static stave_rule rule = {.id = "with attributes"};
    begin_session(NULL);
    stave_enable(false);
    {
        STAVE_RULE_SPAN(span, &rule, STAVE_KV("row", 7));
        stave_set_i64(span, "rows", 8);
        STAVE_SCOPE("not recorded");
    }
    stave_enable(true);
    look_back();
    assert_int_equal(recorded_find(&read_back.seen, STAVE_ATTRIBUTES, "row")->columns.value, 7);
    assert_int_equal(recorded_find(&read_back.seen, STAVE_ATTRIBUTES, "rows")->columns.value, 8);
    assert_null(recorded_find(&read_back.seen, STAVE_SPANS, "not recorded"));
}

/* ---- runs and handles ------------------------------------------------------------------------ */

static void test_runs(void **state)
{
    static stave_rule a = {.id = "in the run"}, b = {.id = "in the run in it"},
                      c = {.id = "in none"};
    begin_session(NULL);
    {
        STAVE_RUN(run, "order", STAVE_ID(17));
        evaluate(&a, 1);
        assert_int_equal(stave_rule_here().serial, run.serial);
        stave_run inner = stave_run_begin(NULL);
        evaluate(&b, 1);
        stave_run_end(inner);
    }
    evaluate(&c, 1);
    look_back();
    assert_string_equal(rules_find(&read_back, "in the run")->run, "order");
    assert_string_equal(rules_find(&read_back, "in the run in it")->run, "run");
    assert_null(rules_find(&read_back, "in none")->run);
    assert_int_equal(recorded_find(&read_back.seen, STAVE_ATTRIBUTES, "id")->columns.value, 17);
}

struct work {
    stave_rule *rule;
    stave_run run;
    stave_evaluation evaluation;
};

static void *evaluate_in(void *given)
{
    struct work *work = given;
    stave_evaluation e = stave_rule_begin(work->rule, work->run);
    work->evaluation = e;
    recorded_pass(3);
    {
        STAVE_SCOPE("span of another thread");
        recorded_pass(1);
    }
    stave_rule_end(e, STAVE_FAILED, "elsewhere");
    return NULL;
}

static void elsewhere(struct work *work)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, evaluate_in, work), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_by_handle(void **state)
{
    static stave_rule rule = {.id = "on another thread"}, caused = {.id = "caused by it"},
                      here = {.id = "where the thread is"};
    begin_session(NULL);
    {
        STAVE_RUN(run, "spread");
        struct work work = {.rule = &rule, .run = run};
        elsewhere(&work);
        assert_int_not_equal(work.evaluation.here.serial, 0);
        STAVE_RULE_IN(work.evaluation.here, &caused);
        stave_evaluation e = stave_rule_begin(&here, stave_rule_here());
        stave_rule_end(e, STAVE_DONE, NULL);
    }
    look_back();
    const struct rules_evaluation *e = rules_find(&read_back, "on another thread");
    assert_string_equal(e->place, "spread");
    assert_string_equal(e->run, "spread");
    assert_string_equal(e->outcome, "failed");
    assert_string_equal(e->reason, "elsewhere");
    assert_int_equal(e->row->columns.end - e->row->columns.start, 4);
    assert_string_equal(rules_find(&read_back, "caused by it")->place, "");
    assert_string_equal(rules_find(&read_back, "caused by it")->run, "spread");
    assert_null(rules_find(&read_back, "where the thread is")->place);
    const struct traces_row *span =
        recorded_find(&read_back.seen, STAVE_SPANS, "span of another thread");
    assert_int_equal(span->columns.flags & STAVE_FLAG_ATTACHED, 0);
    assert_int_equal(span->columns.depth, 1);
}

/* An attached one that is open, with cumulative entries in it; the file says so, too. */
static void test_open_by_handle(void **state)
{
    static stave_rule outer = {.id = "outer place"}, rule = {.id = "open elsewhere"};
    begin_session(NULL);
    stave_evaluation first = stave_rule_begin(&outer, (stave_run){0});
    stave_rule_end(first, STAVE_DONE, NULL);
    STAVE_RULE_IN(first.here, &rule);
    for (int i = 0; i < 3; i++) {
        STAVE_CUMULATIVE("row");
        recorded_ns += 2;
    }
    look_back();
    const struct rules_evaluation *e = rules_find(&read_back, "open elsewhere");
    assert_int_not_equal(e->row->columns.flags & STAVE_FLAG_UNFINISHED, 0);
    assert_string_equal(e->place, "");
    assert_int_equal(e->row->columns.other, first.here.serial);
}

static void test_entries_by_handle(void **state)
{
    static stave_rule outer = {.id = "ended"}, rule = {.id = "with entries"};
    begin_session(NULL);
    stave_evaluation first = stave_rule_begin(&outer, (stave_run){0});
    stave_rule_end(first, STAVE_DONE, NULL);
    stave_evaluation second = stave_rule_begin(&rule, first.here);
    for (int i = 0; i < 3; i++) {
        STAVE_CUMULATIVE("entry");
        recorded_ns += 2;
    }
    stave_rule_end(second, STAVE_DONE, NULL);
    look_back();
    const struct traces_row *row = recorded_find(&read_back.seen, STAVE_CUMULATIVES, "entry");
    assert_int_equal(row->columns.value, 3);
    assert_int_equal(row->columns.total, 6);
    assert_int_equal(row->columns.serial, second.here.serial);
    assert_int_equal(rules_find(&read_back, "with entries")->row->columns.other, first.here.serial);
}

static void test_summed_up(void **state)
{
    static stave_rule rule = {.id = "summed"}, skipped = {.id = "skipped in it"};
    begin_session(NULL);
    {
        STAVE_SCOPE("loop");
        for (int i = 0; i < 4; i++) {
            STAVE_CUMULATIVE("step");
            stave_rule_skip(&skipped, (stave_run){0}, NULL);
            STAVE_RULE(&rule);
            stave_rule_fail("passed over");
            recorded_ns += 3;
        }
    }
    look_back();
    assert_int_equal(read_back.count, 0);
    const struct stave__rule_row *row = rules_row(&read_back, "summed");
    for (size_t i = 0; i < read_back.seen.rows.count; i++) {
        const struct traces_row *entry = &read_back.seen.rows.at[i];
        assert_int_not_equal(entry->kind, STAVE_ATTRIBUTES);
        if (entry->kind == STAVE_CUMULATIVES && entry->columns.name == row->name)
            assert_int_equal(entry->columns.value, 4);
    }
    assert_int_equal(recorded_count(&read_back.seen, STAVE_CUMULATIVES), 2);
}

static void test_left_open(void **state)
{
    static stave_rule rule = {.id = "nobody ended it"};
    begin_session(NULL);
    {
        STAVE_SCOPE("around");
        stave_rule_begin(&rule, (stave_run){0});
        recorded_ns += 3;
    }
    stave_evaluation none = {0};
    stave_rule_end(none, STAVE_FAILED, "nothing");
    look_back();
    const struct rules_evaluation *e = rules_find(&read_back, "nobody ended it");
    assert_int_not_equal(e->row->columns.flags & STAVE_FLAG_UNWOUND, 0);
    assert_int_equal(COUNTED(left_open), 1);
}

/* Ends that are none's are counted, as those of spans. */
static void test_ended_twice(void **state)
{
    static stave_rule rule = {.id = "ended once"};
    begin_session(NULL);
    stave_evaluation e = stave_rule_begin(&rule, (stave_run){0});
    stave_rule_end(e, STAVE_DONE, NULL);
    stave_rule_end(e, STAVE_FAILED, "too late");
    stave_run run = stave_run_begin("run once");
    stave_run_end(run);
    stave_run_end(run);
    stave_run_end((stave_run){.serial = 1, .owner = run.owner + 1});
    look_back();
    assert_string_equal(rules_find(&read_back, "ended once")->outcome, "done");
    assert_int_equal(COUNTED(ended_twice), 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down_rules)
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_without_a_session),
        TEST(test_evaluations),
        TEST(test_rules_are_their_ids),
        TEST(test_parent),
        TEST(test_declare),
        TEST(test_outcomes),
        TEST(test_done_takes_back),
        TEST(test_skip),
        TEST(test_fail_of_the_innermost),
        TEST(test_attributes),
        TEST(test_runs),
        TEST(test_by_handle),
        TEST(test_open_by_handle),
        TEST(test_entries_by_handle),
        TEST(test_summed_up),
        TEST(test_left_open),
        TEST(test_ended_twice),
    };
    return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
