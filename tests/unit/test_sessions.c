/* Sessions: which evaluations are whose, that they stay, and what is counted of those that do not. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stave/traces.h"
#include "unit/recording.h"
#include "unit/recording_file.h"
#include "stress/rules_read.h"

static struct rules_read read_back;

static stave_session *begin_session(const stave_session_config *config)
{
    stave_error error = {0};
    stave_session *session = stave_session_start(config, &error);
    if (session == NULL)
        fail_msg("%s", error.message);
    return session;
}

static void look_at(stave_session *session)
{
    if (read_back.at != NULL)
        rules_free(&read_back);
    read_back = rules_read_session(session);
}

static stave_session_lost lost_of(const stave_session *session)
{
    stave_session_lost lost;
    stave_session_lost_of(session, &lost);
    return lost;
}

static int tear_down_sessions(void **state)
{
    if (read_back.at != NULL)
        rules_free(&read_back);
    read_back = (struct rules_read){0};
    assert_int_equal(stave__rules_on, 0);
    return tear_down(state);
}

static void evaluate(stave_rule *rule, uint64_t ns)
{
    STAVE_RULE(rule);
    recorded_pass(ns);
}

/* How many evaluations of a rule are in the session that was looked at, by its time and scope. */
static size_t count_in(const char *id)
{
    size_t count = 0;
    for (size_t i = 0; i < read_back.count; i++)
        count += read_back.at[i].is_in_session && strcmp(read_back.at[i].id, id) == 0;
    return count;
}

/* ---- whose ----------------------------------------------------------------------------------- */

static stave_rule one = {.id = "one"}, two = {.id = "two"}, three = {.id = "three"};

static void test_nested(void **state)
{
    stave_session *outer = begin_session(NULL);
    STAVE_RUN(run, "around both");
    evaluate(&one, 1);
    recorded_ns++;
    stave_session *inner = begin_session(NULL);
    evaluate(&two, 1);
    stave_session_stop(inner);
    stave_session_stop(inner);
    recorded_ns++;
    evaluate(&three, 1);
    look_at(inner);
    assert_int_equal(read_back.tables->sessions.rows, 1);
    assert_int_equal(count_in("one"), 0);
    assert_int_equal(rules_count(&read_back, "one"), 0);
    assert_int_equal(count_in("two"), 1);
    assert_int_equal(count_in("three"), 0);
    assert_string_equal(rules_find(&read_back, "two")->run, "around both");
    look_at(outer);
    assert_int_equal(count_in("one") + count_in("two") + count_in("three"), 3);
    stave_session_free(outer);
    look_at(inner); /* its own, whatever became of others */
    assert_int_equal(count_in("two"), 1);
    stave_session_free(inner);
}

/* By their starts: what is open at a start is not in it, what is open at a stop is. */
static void test_open_at_both_ends(void **state)
{
    stave_session *first = begin_session(NULL);
    stave_evaluation earlier = stave_rule_begin(&one, (stave_run){0});
    recorded_ns++;
    stave_session *second = begin_session(NULL);
    stave_rule_end(earlier, STAVE_DONE, NULL);
    stave_evaluation open = stave_rule_begin(&two, (stave_run){0});
    stave_session_stop(second);
    recorded_ns += 5;
    stave_rule_end(open, STAVE_FAILED, "late");
    look_at(second);
    assert_int_equal(count_in("one"), 0);
    assert_int_equal(count_in("two"), 1);
    assert_string_equal(rules_find(&read_back, "two")->outcome, "failed");
    assert_int_equal(rules_find(&read_back, "two")->row->columns.flags & STAVE_FLAG_UNFINISHED, 0);
    stave_session_free(first);
    stave_session_free(second);
}

struct elsewhere {
    stave_rule *rule;
    stave_run run;
};

static void *evaluate_elsewhere(void *given)
{
    const struct elsewhere *work = given;
    evaluate(&three, 1); /* in no scope */
    {
        STAVE_RULE_IN(work->run, work->rule);
        evaluate(&two, 1); /* in that of the handle */
    }
    evaluate(&three, 1);
    STAVE_RUN(run, "none");
    assert_int_equal(run.serial, 0);
    return NULL;
}

static void test_this_thread(void **state)
{
    pthread_t thread;
    stave_session *session = begin_session(&(stave_session_config){.this_thread = true});
    assert_int_equal(stave__rules_on, 2);
    {
        STAVE_RUN(run, "mine");
        struct elsewhere work = {.rule = &one, .run = run};
        evaluate(&two, 1);
        assert_int_equal(pthread_create(&thread, NULL, evaluate_elsewhere, &work), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    look_at(session);
    assert_int_equal(rules_count(&read_back, "one"), 1);
    assert_int_equal(rules_count(&read_back, "two"), 2);
    assert_int_equal(rules_count(&read_back, "three"), 0);
    const struct stave__session_row *row = stave__table_at(&read_back.tables->sessions, 0);
    assert_int_equal(row->lane, read_back.at[0].row->lane + 1);
    assert_int_equal(lost_of(session).dropped, 0);
    stave_session_free(session);
}

static void test_many(void **state)
{
    stave_session *sessions[STAVE_SESSIONS_MAX];
    stave_error error = {0};
    for (int i = 0; i < STAVE_SESSIONS_MAX; i++)
        sessions[i] = begin_session(NULL);
    assert_null(stave_session_start(NULL, &error));
    assert_int_equal(error.status, STAVE_E_LIMIT);
    evaluate(&one, 1);
    for (int i = 0; i < STAVE_SESSIONS_MAX; i++) {
        stave_session_stop(sessions[i]);
        look_at(sessions[i]);
        assert_int_equal(count_in("one"), 1);
        stave_session_free(sessions[i]);
    }
    stave_session_free(NULL);
    stave_session_stop(NULL);
    assert_int_equal(stave_session_dump(NULL, "x", &error), STAVE_E_ARGUMENT);
}

/* ---- beside a recording ---------------------------------------------------------------------- */

/* A start, a clear and a stop leave what a session has. */
static void test_starts_and_clears(void **state)
{
    stave_session *session = begin_session(NULL);
    evaluate(&one, 1);
    stave_clear();
    evaluate(&two, 1);
    stave_stop();
    evaluate(&three, 1);
    assert_int_equal(stave_start(&(stave_config){.clock = recorded_clock}, NULL), STAVE_OK);
    evaluate(&three, 1);
    look_at(session);
    assert_int_equal(count_in("one"), 1);
    assert_int_equal(count_in("two"), 1);
    assert_int_equal(count_in("three"), 2);
    look();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), 1); /* of the recording */
    stave_session_free(session);
}

/* Of roots that are not recorded, one that is open already hides its evaluations; none is skipped afterwards. */
static void test_skipped_roots(void **state)
{
    static stave_rule hidden = {.id = "hidden"};
    assert_int_equal(stave_control(&(stave_controls){.one_in = 1000}, NULL), STAVE_OK);
    for (int i = 0; i < 2; i++) {
        STAVE_TRACE("root");
    }
    recorded_ns++;
    stave_session *session;
    {
        STAVE_TRACE("root");
        session = begin_session(NULL);
        evaluate(&hidden, 1);
    }
    {
        STAVE_TRACE("root");
        evaluate(&one, 1);
    }
    look_at(session);
    assert_int_equal(read_back.count, 1);
    assert_int_equal(count_in("one"), 1);
    assert_int_equal(lost_of(session).dropped, 1);
    assert_int_equal(recorded_count(&read_back.seen, STAVE_SPANS), 2); /* with the root around it */
    stave_session_free(session);
    assert_int_equal(stave_control(&(stave_controls){0}, NULL), STAVE_OK);
}

static void test_too_deep(void **state)
{
    stave_session *session = begin_session(NULL);
    stave_span outermost = {0};
    uint32_t name = stave_name_intern("deep");
    for (int i = 0; i < STAVE_DEPTH_MAX; i++) {
        stave_span span = stave_begin(name);
        outermost = i == 0 ? span : outermost;
    }
    evaluate(&one, 1);
    stave_end(outermost);
    stave_rule_skip(&one, (stave_run){0}, NULL);
    look_at(session);
    assert_int_equal(read_back.count, 1);
    assert_int_equal(lost_of(session).dropped, 1);
    stave_session_free(session);
}

/* A file of the recording has evaluations and rules, too; at its end also what sessions there are. */
static void test_file(void **state)
{
    stave_session *session = begin_session(NULL);
    stave_rule late = {.id = "met later", .depends_on = STAVE_RULES(&one)};
    begin_file();
    evaluate(&one, 1);
    evaluate(&late, 1);
    end_file();
    stave_session_stop(session);
    read_back = rules_read_file(path);
    unlink(path);
    assert_int_equal(count_in("one") + count_in("met later"), 2);
    assert_string_equal(rules_dependencies(&read_back, "met later"), "one");
    assert_int_equal(read_back.tables->sessions.rows, 1);
    stave_session_free(session);
}

/* ---- summaries ------------------------------------------------------------------------------- */

static void test_summaries(void **state)
{
    static stave_rule sum = {.id = "counted elsewhere"};
    stave_session *session = begin_session(NULL);
    stave_error error = {0};
    const stave_summary first = {.calls = 10,
                                 .failed = 2,
                                 .total_ns = 1000,
                                 .self_ns = STAVE_UNKNOWN,
                                 .first_ns = STAVE_UNKNOWN,
                                 .min_ns = 10,
                                 .max_ns = STAVE_UNKNOWN};
    const stave_summary second = {.calls = 5,
                                  .cached = 5,
                                  .skipped = 3,
                                  .total_ns = 50,
                                  .self_ns = 40,
                                  .first_ns = 7,
                                  .min_ns = 5,
                                  .max_ns = 20};
    const stave_summary wrong[] = {
        {.calls = 2, .failed = 1, .timed_out = 2},
        {.calls = 2, .total_ns = 5, .self_ns = 6, .min_ns = STAVE_UNKNOWN},
        {.calls = 2, .total_ns = 5, .min_ns = 1, .max_ns = 6},
        {.calls = 2, .total_ns = 5, .min_ns = 3, .max_ns = 2},
    };
    assert_int_equal(stave_session_add(session, &sum, &first, &error), STAVE_OK);
    assert_int_equal(stave_session_add(session, &sum, &second, &error), STAVE_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(stave_session_add(session, &sum, &wrong[i], &error), STAVE_E_ARGUMENT);
    look_at(session);
    assert_int_equal(read_back.tables->summaries.rows, 1);
    const struct stave__summary_row *row = stave__table_at(&read_back.tables->summaries, 0);
    assert_int_equal(row->rule, rules_row(&read_back, "counted elsewhere")->name);
    assert_int_equal(row->calls, 15);
    assert_int_equal(row->failed, 2);
    assert_int_equal(row->cached, 5);
    assert_int_equal(row->skipped, 3);
    assert_int_equal(row->total, 1050);
    assert_int_equal(row->self, 1040);
    assert_int_equal(row->first, 7);
    assert_int_equal(row->least, 5);
    assert_int_equal(row->most, 20);
    stave_session_stop(session);
    assert_int_equal(stave_session_add(session, &sum, &first, &error), STAVE_E_STATE);
    stave_session_free(session);
}

/* ---- memory: in processes of their own ------------------------------------------------------- */

#define MEBIBYTE ((uint64_t)1 << 20)

/* Without a start. Half of memory, from the beginning on, is held, and the newest are there beside it. */
static void alone(void **state)
{
    static stave_rule early = {.id = "early"}, late = {.id = "late"}, rest = {.id = "rest"};
    const uint64_t count = 100000; /* 3.2 MiB */
    stave_session *session = begin_session(&(stave_session_config){.max_bytes = MEBIBYTE});
    assert_false(stave_is_enabled());
    for (int i = 0; i < 1000; i++)
        evaluate(&early, 0);
    for (uint64_t i = 0; i < count; i++)
        evaluate(&rest, 0);
    for (int i = 0; i < 1000; i++)
        evaluate(&late, 0);
    stave_session_stop(session);
    look_at(session);
    assert_int_equal(count_in("early"), 1000);
    assert_int_equal(count_in("late"), 1000);
    uint64_t given_up = lost_of(session).given_up;
    assert_true(given_up > 0);
    assert_int_equal(count_in("rest") + given_up, count);
    assert_int_equal(lost_of(session).dropped, 0);
    const struct stave__session_row *row = stave__table_at(&read_back.tables->sessions, 0);
    assert_int_equal(row->given_up, given_up);
    /* What comes then takes the place of all else, not of what is held. */
    stave_session *other = begin_session(NULL);
    for (uint64_t i = 0; i < count; i++)
        evaluate(&rest, 0);
    look_at(session);
    assert_int_equal(count_in("early"), 1000);
    stave_session_free(session);
    for (uint64_t i = 0; i < count; i++)
        evaluate(&rest, 0);
    look_at(other);
    assert_int_equal(rules_count(&read_back, "early"), 0);
    assert_int_equal(count_in("rest") + lost_of(other).given_up, 2 * count);
    stave_session_free(other);
    assert_int_equal(stave_start(NULL, NULL), STAVE_OK); /* with the memory that is there */
    STAVE_SCOPE("recorded as ever");
}

static void test_alone(void **state)
{
    in_a_child(alone, NULL);
}

/* What is full drops, and counts. */
static void full(void **state)
{
    const stave_config config = {.max_bytes = MEBIBYTE, .mode = STAVE_STOP_WHEN_FULL};
    const uint64_t count = 50000;
    assert_int_equal(stave_start(&config, NULL), STAVE_OK);
    stave_session *session = begin_session(NULL);
    for (uint64_t i = 0; i < count; i++)
        evaluate(&one, 0);
    stave_session_stop(session);
    look_at(session);
    assert_true(lost_of(session).dropped > 0);
    assert_int_equal(count_in("one") + lost_of(session).dropped, count);
    assert_int_equal(lost_of(session).given_up, 0);
    stave_session_free(session);
}

static void test_full(void **state)
{
    in_a_child(full, NULL);
}

static void limited(void **state)
{
    const stave_config config = {.mode = STAVE_STOP_WHEN_FULL, .max_spans = 3};
    assert_int_equal(stave_start(&config, NULL), STAVE_OK);
    stave_session *session = begin_session(NULL);
    for (int i = 0; i < 5; i++)
        evaluate(&one, 0);
    stave_session_stop(session);
    look_at(session);
    assert_int_equal(count_in("one"), 3);
    assert_int_equal(lost_of(session).dropped, 2);
    stave_session_free(session);
}

static void test_limit(void **state)
{
    in_a_child(limited, NULL);
}

/* A parent's session ends in a child, which may have its own. */
static void in_child(void **state)
{
    stave_session *parents = *state;
    stave_error error = {0};
    assert_int_equal(stave__rules_on, 0);
    evaluate(&one, 1);
    assert_int_equal(stave_session_dump(parents, path, &error), STAVE_E_STATE);
    stave_session *own = begin_session(NULL);
    evaluate(&two, 1);
    stave_session_free(parents);
    stave_session_stop(own);
    look_at(own);
    assert_int_equal(read_back.count, 1);
    assert_int_equal(count_in("two"), 1);
    stave_session_free(own);
    assert_int_equal(stave__rules_on, 0);
}

static void test_fork(void **state)
{
    stave_session *session = begin_session(NULL);
    evaluate(&one, 1);
    in_a_child(in_child, session);
    evaluate(&two, 1);
    look_at(session);
    assert_int_equal(count_in("one") + count_in("two"), 2);
    stave_session_free(session);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down_sessions)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone), /* before this process has a recorder */
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_limit),
        TEST(test_nested),
        TEST(test_open_at_both_ends),
        TEST(test_this_thread),
        TEST(test_many),
        TEST(test_starts_and_clears),
        TEST(test_skipped_roots),
        TEST(test_too_deep),
        TEST(test_file),
        TEST(test_summaries),
        TEST(test_fork),
    };
    int failed = cmocka_run_group_tests_name("sessions", tests, make_folder, NULL);
    rmdir(folder);
    return failed;
}
