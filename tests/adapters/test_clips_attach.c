/* Environments, sessions and runs: what the adapter sees of them, and how much it remembers. */
#include "clips_help.h"

static stave_session *session;

static int set_up(void **state)
{
    session = start_session();
    return 0;
}

static int tear_down(void **state)
{
    stave_session_free(session);
    return 0;
}

static void reset_and_run(void *clips)
{
    EnvReset(clips);
    EnvRun(clips, -1);
}

/* ---- several environments -------------------------------------------------------------------- */

static void *inner;

static void run_inner(void *clips)
{
    (void)clips;
    EnvRun(inner, -1);
}

/* The inner one's first firing lies in the outer one's; what it causes is below it. */
static void test_environment_in_a_rule(void **state)
{
    inner = CLIPS_WITH("(defrule x (initial-fact) => (assert (a)))", "(defrule y (a) =>)");
    EnvReset(inner);
    void *clips = CreateEnvironment();
    clips_make_quiet(clips);
    EnvDefineFunction2(clips, "run-inner", 'v', PTIEF run_inner, "run_inner", "00");
    clips_build(clips, "(defrule one (initial-fact) => (run-inner) (assert (b)))");
    clips_build(clips, "(defrule two (b) =>)");
    assert_int_equal(stave_clips_attach(clips, NULL, NULL), STAVE_OK);
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::x", 0}, {"MAIN::y", 1},
                   {"MAIN::two", 0});
    struct firings firings = firings_of(session);
    assert_true(firings.list[1].inside);
    assert_false(firings.list[2].inside);
    firings_free(&firings);
    DestroyEnvironment(clips);
    DestroyEnvironment(inner);
}

static void test_environments_in_turn(void **state)
{
    void *one = CLIPS_WITH("(deffacts f (n 0))",
                           "(defrule odd ?f <- (n ?n) => (retract ?f) (assert (n (+ ?n 1))))");
    void *other = CLIPS_WITH("(deffacts f (n 0))",
                             "(defrule even ?f <- (n ?n) => (retract ?f) (assert (n (+ ?n 1))))");
    EnvReset(one);
    EnvReset(other);
    for (int i = 0; i < 2; i++) {
        EnvRun(one, 1);
        EnvRun(other, 1);
    }
    ASSERT_FIRINGS(session, {"MAIN::odd", NOBODY}, {"MAIN::even", NOBODY}, {"MAIN::odd", 0},
                   {"MAIN::even", 1});
    DestroyEnvironment(one);
    DestroyEnvironment(other);
}

/* ---- attaching ------------------------------------------------------------------------------- */

static void detach(void *clips)
{
    stave_clips_detach(clips);
}

static void attach(void *clips)
{
    assert_int_equal(stave_clips_attach(clips, NULL, NULL), STAVE_OK);
}

static void test_in_a_rule(void **state)
{
    void *clips = CreateEnvironment();
    clips_make_quiet(clips);
    EnvDefineFunction2(clips, "attach", 'v', PTIEF attach, "attach", "00");
    EnvDefineFunction2(clips, "detach", 'v', PTIEF detach, "detach", "00");
    clips_build(clips, "(defrule one (initial-fact) => (assert (a)) (attach))");
    clips_build(clips, "(defrule two (a) => (assert (b)))");
    clips_build(clips, "(defrule three (b) => (detach) (assert (c)))");
    clips_build(clips, "(defrule four (c) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::two", NOBODY}, {"MAIN::three", 0});
    DestroyEnvironment(clips);
}

static void test_again(void **state)
{
    void *clips =
        CLIPS_WITH("(defrule one (initial-fact) => (assert (a)))", "(defrule two (a) =>)");
    stave_error error = {0};
    assert_int_equal(stave_clips_attach(clips, NULL, &error), STAVE_E_STATE);
    assert_string_equal(error.message, "the environment is attached already");
    EnvReset(clips);
    EnvRun(clips, 1);
    for (int i = 0; i < 300; i++) { /* more than there are user data records */
        stave_clips_detach(clips);
        stave_clips_detach(clips);
        assert_int_equal(stave_clips_attach(clips, NULL, NULL), STAVE_OK);
    }
    EnvRun(clips, -1);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::two", NOBODY});
    assert_int_equal(stave_clips_counts_of(clips).firings, 1);
    assert_true(DestroyEnvironment(clips));
}

static void test_never_attached(void **state)
{
    void *clips = CreateEnvironment();
    stave_clips_detach(clips);
    assert_int_equal(stave_clips_counts_of(clips).firings, 0);
    DestroyEnvironment(clips);
}

static int attach_at(void *clips, uint32_t position)
{
    return stave_clips_attach(clips, &(stave_clips_config){.position = position}, NULL);
}

static void test_positions(void **state)
{
    void *clips = CreateEnvironment();
    const uint32_t top = MAXIMUM_ENVIRONMENT_POSITIONS - 1;
    assert_int_equal(attach_at(clips, USER_ENVIRONMENT_DATA - 1), STAVE_E_ARGUMENT);
    assert_int_equal(attach_at(clips, top + 1), STAVE_E_ARGUMENT);
    AllocateEnvironmentData(clips, top, 1, NULL);
    assert_int_equal(attach_at(clips, top), STAVE_E_ARGUMENT);
    assert_int_equal(attach_at(clips, 0), STAVE_OK);
    assert_non_null(GetEnvironmentData(clips, top - 1));
    DestroyEnvironment(clips);

    clips = CreateEnvironment();
    assert_int_equal(attach_at(clips, 75), STAVE_OK);
    clips_make_quiet(clips);
    clips_build(clips, "(defrule one (initial-fact) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY});
    DestroyEnvironment(clips);

    clips = CreateEnvironment();
    for (uint32_t at = USER_ENVIRONMENT_DATA; at <= top; at++)
        AllocateEnvironmentData(clips, at, 1, NULL);
    assert_int_equal(attach_at(clips, 0), STAVE_E_LIMIT);
    DestroyEnvironment(clips);
}

static void test_no_session(void **state)
{
    stave_session_free(session);
    session = NULL;
    void *clips = CLIPS_WITH("(defrule one (initial-fact) => (assert (a)) (halt))",
                             "(defrule two (a) => (assert (b)))", "(defrule three (b) =>)");
    reset_and_run(clips);
    session = start_session();
    EnvRun(clips, -1);
    ASSERT_FIRINGS(session, {"MAIN::two", NOBODY}, {"MAIN::three", 0});
    assert_int_equal(stave_clips_counts_of(clips).firings, 3);
    assert_int_equal(stave_clips_counts_of(clips).caused, 1);
    assert_int_equal(stave_clips_counts_of(clips).unknown, 0);
    DestroyEnvironment(clips);
}

static uint64_t unplaced(void)
{
    struct firings firings = firings_of(session);
    stave_report_lost lost;
    stave_report_lost_of(firings.report, &lost);
    firings_free(&firings);
    return lost.unplaced;
}

/* A cause that is in no session any more is as good as none, but that there was one is seen; unless it is forgotten. */
static void test_next_session(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (initial-fact) => (assert (a)) (halt))",
                             "(defrule two (a) => (assert (b)))", "(defrule three (b) =>)");
    for (int is_forgotten = 0; is_forgotten < 2; is_forgotten++) {
        reset_and_run(clips);
        stave_session_free(session);
        session = start_session();
        if (is_forgotten) {
            stave_clips_detach(clips);
            assert_int_equal(stave_clips_attach(clips, NULL, NULL), STAVE_OK);
        }
        EnvRun(clips, -1);
        ASSERT_FIRINGS(session, {"MAIN::two", NOBODY}, {"MAIN::three", 0});
        assert_int_equal(unplaced(), is_forgotten ? 0 : 2);
    }
    DestroyEnvironment(clips);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static const char *run_of(const struct firings *firings, size_t index)
{
    return stave_report_run_at(firings->report, firings->list[index].node->run)->name;
}

static void run_in(void *clips, const char *name, long long limit)
{
    STAVE_RUN(run, name);
    EnvRun(clips, limit);
}

/* What a firing has caused is in its run, also if it fires in a later one. */
static void test_runs(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (declare (salience 1)) (initial-fact) => (assert (a)))",
                             "(defrule root (initial-fact) =>)",
                             "(defrule two (declare (salience -1)) (a) =>)");
    EnvReset(clips);
    run_in(clips, "first", 1);
    run_in(clips, "second", -1);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::root", NOBODY}, {"MAIN::two", 0});
    struct firings firings = firings_of(session);
    assert_string_equal(run_of(&firings, 0), "first");
    assert_string_equal(run_of(&firings, 1), "second");
    assert_string_equal(run_of(&firings, 2), "first");
    firings_free(&firings);
    DestroyEnvironment(clips);
}

/* ---- how much is remembered ------------------------------------------------------------------ */

static void *clips_remembering(uint64_t max_firings, const char *rule)
{
    void *clips = CLIPS_WITH("(deffacts f (n 0))", rule);
    stave_clips_detach(clips);
    assert_int_equal(
        stave_clips_attach(clips, &(stave_clips_config){.max_firings = max_firings}, NULL),
        STAVE_OK);
    return clips;
}

/* A chain of any length has one activation at a time. */
static void test_long_chain_in_little_memory(void **state)
{
    void *clips = clips_remembering(
        2, "(defrule next ?f <- (n ?n&:(< ?n 3000)) => (retract ?f) (assert (n (+ ?n 1))))");
    reset_and_run(clips);
    struct firings firings = firings_of(session);
    assert_int_equal(firings.count, 3000);
    for (size_t i = 0; i < firings.count; i++)
        assert_int_equal(firings.list[i].cause, (long)i - 1);
    assert_int_equal(stave_clips_counts_of(clips).unknown, 0);
    firings_free(&firings);
    DestroyEnvironment(clips);
}

/* Each of 100 firings leaves an activation for later; of the last half or so it is remembered whose it is. */
static void test_forgotten(void **state)
{
    void *clips = clips_remembering(
        10, "(defrule next (n ?n&:(< ?n 100)) => (assert (n (+ ?n 1)) (later (+ ?n 1))))");
    clips_build(clips, "(defrule later (declare (salience -1)) (later ?) =>)");
    reset_and_run(clips);
    struct firings firings = firings_of(session);
    assert_int_equal(firings.count, 200);
    uint64_t unknown = 0;
    for (size_t i = 100; i < firings.count; i++) {
        assert_string_equal(firings.list[i].id, "MAIN::later");
        unknown += firings.list[i].cause == NOBODY;
    }
    assert_in_range(unknown, 90, 99);
    assert_int_equal(stave_clips_counts_of(clips).unknown, unknown);
    firings_free(&firings);
    DestroyEnvironment(clips);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_environment_in_a_rule),
        TEST(test_environments_in_turn),
        TEST(test_in_a_rule),
        TEST(test_again),
        TEST(test_never_attached),
        TEST(test_positions),
        TEST(test_no_session),
        TEST(test_next_session),
        TEST(test_runs),
        TEST(test_long_chain_in_little_memory),
        TEST(test_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
