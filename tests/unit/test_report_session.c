/* Reports of sessions: what is captured, as it is shown. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stave/report.h"
#include "unit/recording.h"

static stave_session *session;
static stave_report *report;

static stave_session *start(const stave_session_config *config)
{
    stave_error error = {0};
    stave_session *started = stave_session_start(config, &error);
    if (started == NULL)
        fail_msg("%s", error.message);
    return started;
}

static void make(stave_session *of)
{
    stave_error error = {0};
    stave_report_free(report);
    report = stave_session_report(of, &error);
    if (report == NULL)
        fail_msg("%s", error.message);
}

static int set_up_session(void **state)
{
    int status = set_up(state);
    recorded_ns += 1000; /* behind what the test before has left */
    session = start(NULL);
    return status;
}

static int tear_down_session(void **state)
{
    stave_report_free(report);
    report = NULL;
    stave_session_free(session);
    session = NULL;
    return tear_down(state);
}

static const stave_rule_stats *stats_of(const char *id)
{
    const stave_rule_stats *stats = stave_report_rule_by_id(report, id);
    if (stats == NULL)
        fail_msg("no rule %s", id);
    return stats;
}

static uint64_t calls_of(const char *id)
{
    const stave_rule_stats *stats = stave_report_rule_by_id(report, id);
    return stats != NULL ? stats->calls : 0;
}

static void evaluate(stave_rule *rule, uint64_t ns)
{
    STAVE_RULE(rule);
    recorded_ns += ns;
}

/* ---- what the header promises ---------------------------------------------------------------- */

static stave_rule price = {.id = "0f6c", .description = "price is positive"};
static stave_rule total = {
    .id = "7b1e", .description = "total matches", .depends_on = STAVE_RULES(&price)};

static void check_price(bool is_good)
{
    STAVE_RULE(&price);
    recorded_ns += 10;
    STAVE_SCOPE("look up");
    recorded_ns += 5;
    if (!is_good)
        stave_rule_fail("negative price");
}

static void test_outlives_its_session(void **state)
{
    {
        STAVE_RUN(run, "order", STAVE_ID(17));
        check_price(true);
        check_price(false);
        evaluate(&total, 100);
        stave_rule_skip(&price, run, "not again");
    }
    make(session);
    stave_session_free(session);
    session = NULL;
    const stave_rule_stats *stats = stats_of("0f6c");
    assert_string_equal(stats->description, "price is positive");
    assert_int_equal(stats->calls, 2);
    assert_int_equal(stats->failed, 1);
    assert_int_equal(stats->skipped, 1);
    assert_true(stats->self_ns == 20 && stats->max_ns == 15);
    assert_true(stats_of("7b1e")->total_ns == 100);
    assert_int_equal(stave_report_run_count(report), 1);
    assert_string_equal(stave_report_run_at(report, 0)->name, "order");
    assert_string_equal(stave_report_run_at(report, 0)->id, "17");
    const stave_report_node *second = stave_report_node_at(report, 2);
    assert_string_equal(second->reason, "negative price");
    assert_int_equal(second->outcome, STAVE_FAILED);
    assert_string_equal(stave_report_node_at(report, second->first_child)->name, "look up");
    assert_true(stave_report_node_at(report, 0)->start_ns == 0);
}

/* It goes on: what is open is in the report, up to this moment. */
static void test_while_it_goes_on(void **state)
{
    stave_rule rule = {.id = "open"};
    stave_evaluation open = stave_rule_begin(&rule, (stave_run){0});
    recorded_ns += 7;
    make(session);
    assert_int_equal(stats_of("open")->calls, 1);
    assert_int_equal(stats_of("open")->unfinished, 1);
    assert_true(isnan(stats_of("open")->max_ns));
    stave_rule_end(open, STAVE_CACHED, "from before");
    make(session);
    assert_int_equal(stats_of("open")->unfinished, 0);
    assert_int_equal(stats_of("open")->cached, 1);
    assert_string_equal(stave_report_node_at(report, 0)->reason, "from before");
    assert_true(stave_report_node_at(report, 0)->self_ns == 7);
}

/* Done takes back what was told before, with its reason; NULL leaves a reason. */
static void test_taken_back(void **state)
{
    stave_rule rule = {.id = "r"};
    for (int i = 0; i < 2; i++) {
        STAVE_RULE(&rule);
        recorded_ns++;
        stave_rule_fail("too early");
        stave_rule_outcome(i == 0 ? STAVE_DONE : STAVE_CANCELLED, NULL);
    }
    make(session);
    assert_int_equal(stave_report_node_at(report, 0)->outcome, STAVE_DONE);
    assert_null(stave_report_node_at(report, 0)->reason);
    assert_int_equal(stave_report_node_at(report, 1)->outcome, STAVE_CANCELLED);
    assert_string_equal(stave_report_node_at(report, 1)->reason, "too early");
}

/* As they are captured: cut, and NULL is the empty one. */
static void test_odd_ids(void **state)
{
    static char id[STAVE_TEXT_MAX + 2], other[STAVE_TEXT_MAX];
    memset(id, 'x', sizeof id - 1);
    memset(other, 'x', sizeof other - 1);
    stave_rule longest = {.id = id}, none = {.description = "equal"}; /* as in test_odd_names() */
    evaluate(&longest, 1);
    evaluate(&none, 1);
    make(session);
    assert_int_equal(calls_of(id), 1);
    assert_int_equal(strlen(stats_of(id)->id), STAVE_TEXT_MAX);
    assert_int_equal(calls_of(NULL), 1);
    assert_ptr_equal(stats_of(""), stave_report_rule_by_id(report, NULL));
    assert_null(stave_report_rule_by_id(report, other));
}

static void test_outcomes(void **state)
{
    static const stave_outcome outcomes[] = {STAVE_DONE,   STAVE_FAILED,    STAVE_SKIPPED,
                                             STAVE_CACHED, STAVE_CANCELLED, STAVE_TIMED_OUT};
    stave_rule rule = {.id = "r"};
    for (uint32_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
        recorded_ns++;
        stave_rule_end(stave_rule_begin(&rule, (stave_run){0}), outcomes[i], NULL);
    }
    make(session);
    for (uint32_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++)
        assert_int_equal(stave_report_node_at(report, i)->outcome, outcomes[i]);
    const stave_rule_stats *stats = stats_of("r");
    assert_int_equal(stats->calls, 5);
    assert_true(stats->failed == 1 && stats->skipped == 1 && stats->cached == 1 &&
                stats->cancelled == 1 && stats->timed_out == 1);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void test_nested_sessions(void **state)
{
    stave_rule a = {.id = "a"}, b = {.id = "b"}, c = {.id = "c"};
    recorded_ns++;
    evaluate(&a, 1);
    recorded_ns++;
    stave_session *inner = start(NULL);
    evaluate(&b, 1);
    recorded_ns++;
    stave_session_stop(inner);
    recorded_ns++;
    evaluate(&c, 1);
    make(inner);
    assert_true(calls_of("a") == 0 && calls_of("b") == 1 && calls_of("c") == 0);
    assert_true(stave_report_node_at(report, 0)->start_ns == 0);
    make(session);
    assert_true(calls_of("a") == 1 && calls_of("b") == 1 && calls_of("c") == 1);
    stave_session_free(inner);
}

static void test_while_recording_is_off(void **state)
{
    stave_enable(false);
    check_price(true);
    stave_enable(true);
    make(session);
    assert_int_equal(calls_of("0f6c"), 1);
    assert_int_equal(stave_report_node_count(report), 1); /* and no span */
    assert_true(stats_of("0f6c")->self_ns == 15);
}

static void *evaluate_elsewhere(void *rule)
{
    evaluate(rule, 1);
    return NULL;
}

static void on_a_thread(void *(*run)(void *), void *context)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run, context), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_of_this_thread(void **state)
{
    stave_rule here = {.id = "here"}, elsewhere = {.id = "elsewhere"};
    recorded_ns++;
    stave_session *own = start(&(stave_session_config){.this_thread = true});
    evaluate(&here, 1);
    on_a_thread(evaluate_elsewhere, &elsewhere);
    make(own);
    assert_true(calls_of("here") == 1 && calls_of("elsewhere") == 0);
    make(session);
    assert_true(calls_of("here") == 1 && calls_of("elsewhere") == 1);
    stave_session_free(own);
}

static void test_summaries(void **state)
{
    stave_summary summary = {.calls = 10,
                             .failed = 2,
                             .total_ns = 1000,
                             .self_ns = STAVE_UNKNOWN,
                             .first_ns = 300,
                             .min_ns = 50,
                             .max_ns = 300};
    evaluate(&price, 20);
    assert_int_equal(stave_session_add(session, &price, &summary, NULL), STAVE_OK);
    make(session);
    const stave_rule_stats *stats = stats_of("0f6c");
    assert_int_equal(stats->calls, 11);
    assert_int_equal(stats->summed, 10);
    assert_true(stats->self_ns == 1020 && stats->max_ns == 300 && stats->first_ns == 20);
    assert_int_equal(stave_report_node_count(report), 1);
}

static void test_in_a_cumulative_span(void **state)
{
    {
        STAVE_SCOPE("around them");
        for (int i = 0; i < 3; i++) {
            STAVE_CUMULATIVE("all of them");
            evaluate(&price, 4);
        }
    }
    make(session);
    assert_int_equal(calls_of("0f6c"), 3);
    assert_int_equal(stats_of("0f6c")->summed, 3);
    assert_true(stats_of("0f6c")->total_ns == 12 && stats_of("0f6c")->max_ns == 4);
    assert_int_equal(stave_report_node_count(report), 0);
}

/* ---- files ----------------------------------------------------------------------------------- */

static stave_report *report_of_file(const char *path, uint64_t number)
{
    stave_trace *trace;
    stave_error error = {0};
    assert_int_equal(stave_trace_open(path, NULL, &trace, &error), STAVE_OK);
    assert_true(stave_trace_has_rules(trace));
    const stave_report_config config = {.session = number};
    stave_report *made = stave_report_from_trace(trace, &config, &error);
    assert_null(stave_report_from_trace(trace, &(stave_report_config){.session = 99999}, &error));
    assert_int_equal(error.status, STAVE_E_NOTHING);
    stave_trace_free(trace);
    return made;
}

/* A dump says the same as the session. */
static void test_dump(void **state)
{
    char path[] = "/tmp/stave-session-XXXXXX";
    char *first, *second;
    size_t first_size, second_size;
    close(mkstemp(path));
    {
        STAVE_RUN(run, "order");
        check_price(false);
        evaluate(&total, 3);
    }
    assert_int_equal(stave_session_dump(session, path, NULL), STAVE_OK);
    make(session);
    stave_report *read = report_of_file(path, stave_session_number(session));
    assert_int_equal(stave_report_make_chrome(report, &first, &first_size, NULL), STAVE_OK);
    assert_int_equal(stave_report_make_chrome(read, &second, &second_size, NULL), STAVE_OK);
    assert_string_equal(first, second);
    free(first);
    free(second);
    stave_report_free(read);
    unlink(path);
}

/* A session's own file is of that session, others are of all. */
static void test_whose_file(void **state)
{
    char path[] = "/tmp/stave-session-XXXXXX";
    close(mkstemp(path));
    evaluate(&price, 1);
    recorded_ns++;
    stave_session *inner = start(NULL);
    evaluate(&total, 1);
    assert_int_equal(stave_session_dump(inner, path, NULL), STAVE_OK);
    stave_report_free(report);
    report = report_of_file(path, 0);
    assert_int_equal(stave_report_session(report), stave_session_number(inner));
    assert_true(calls_of("0f6c") == 0 && calls_of("7b1e") == 1);
    assert_int_equal(stave_dump(path, NULL), STAVE_OK);
    stave_report_free(report);
    report = report_of_file(path, 0);
    assert_int_equal(stave_report_session(report), 0);
    assert_true(calls_of("0f6c") == 1 && calls_of("7b1e") == 1);
    stave_session_free(inner);
    unlink(path);
}

/* ---- seven odd names, three workers, ten calls ----------------------------------------------- */

#define WORKERS 3
#define CALLS 10

static stave_rule odd[] = {
    {.id = "total", .description = "equal"},
    {.id = "", .description = "equal"},
    {.id = "__proto__", .description = ""},
    {.id = "constructor", .description = "total"},
    {.id = "\xc3\xa9t\xc3\xa9", .description = "\xe6\x97\xa5"},
    {.id = "\xff\xfe", .description = "\xff"},
    {.id = "equal", .description = "equal"},
};

#define ODD (sizeof odd / sizeof odd[0])

static void *evaluate_odd(void *run)
{
    for (int call = 0; call < CALLS; call++)
        for (size_t i = 0; i < ODD; i++) {
            STAVE_RULE_IN(*(stave_run *)run, &odd[i]);
        }
    return NULL;
}

static void test_odd_names(void **state)
{
    {
        STAVE_RUN(run, "all");
        pthread_t threads[WORKERS];
        stave_run shared = run;
        for (int i = 0; i < WORKERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, evaluate_odd, &shared), 0);
        for (int i = 0; i < WORKERS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    make(session);
    assert_int_equal(stave_report_run_at(report, 0)->evaluations, WORKERS * CALLS * ODD);
    for (size_t i = 0; i < ODD; i++) {
        assert_int_equal(stats_of(odd[i].id)->calls, WORKERS * CALLS);
        assert_string_equal(stats_of(odd[i].id)->description, odd[i].description);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_session, tear_down_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_outlives_its_session),
        TEST(test_while_it_goes_on),
        TEST(test_taken_back),
        TEST(test_odd_ids),
        TEST(test_outcomes),
        TEST(test_nested_sessions),
        TEST(test_while_recording_is_off),
        TEST(test_of_this_thread),
        TEST(test_summaries),
        TEST(test_in_a_cumulative_span),
        TEST(test_dump),
        TEST(test_whose_file),
        TEST(test_odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
