/* What a firing is, and what caused it: small rule bases of which each firing is known. */
#include "clips_help.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <clips/sysdep.h>

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

/* ---- causes ---------------------------------------------------------------------------------- */

static void test_initial_facts_are_roots(void **state)
{
    void *clips = CLIPS_WITH("(deffacts f (a 1) (a 2))", "(defrule one (a ?) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::one", NOBODY});
    DestroyEnvironment(clips);
}

static void test_chain(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (initial-fact) => (assert (a)))",
                             "(defrule two (a) => (assert (b)))", "(defrule three (b) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::two", 0}, {"MAIN::three", 1});
    DestroyEnvironment(clips);
}

static void test_last_fact_counts(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (declare (salience 2)) (initial-fact) => (assert (a)))",
                             "(defrule two (declare (salience 1)) (initial-fact) => (assert (b)))",
                             "(defrule both (a) (b) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::two", NOBODY}, {"MAIN::both", 1});
    DestroyEnvironment(clips);
}

static void test_retract_causes(void **state)
{
    void *clips = CLIPS_WITH("(deffacts f (lock))", "(defrule one ?l <- (lock) => (retract ?l))",
                             "(defrule free (not (lock)) =>)",
                             "(defrule never (lock) (not (initial-fact)) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::free", 0});
    DestroyEnvironment(clips);
}

/* What one firing takes from the agenda does not fire, and what comes back is caused by who brought it back. */
static void test_on_and_off_the_agenda(void **state)
{
    void *clips =
        CLIPS_WITH("(deffacts f (a) (lock 1))",
                   "(defrule lock (declare (salience 3)) (lock 1) => (assert (lock 2)))",
                   "(defrule unlock (declare (salience 2)) ?l <- (lock 2) => (retract ?l))",
                   "(defrule open (a) (not (lock 2)) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::lock", NOBODY}, {"MAIN::unlock", 0}, {"MAIN::open", 1});
    DestroyEnvironment(clips);
}

static void test_logical(void **state)
{
    void *clips = CLIPS_WITH(
        "(deffacts f (a))", "(defrule derive (declare (salience 2)) (logical (a)) => (assert (b)))",
        "(defrule end (declare (salience 1)) ?a <- (a) (b) => (retract ?a))",
        "(defrule gone (not (b)) (not (a)) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::derive", NOBODY}, {"MAIN::end", 0}, {"MAIN::gone", 1});
    DestroyEnvironment(clips);
}

/* The activation of `two` is of before, whatever its salience has become. */
static void test_salience_changes(void **state)
{
    void *clips =
        CLIPS_WITH("(defglobal ?*s* = -5)", "(defrule one (initial-fact) => (assert (a)))",
                   "(defrule two (declare (salience ?*s*)) (a) =>)",
                   "(defrule raise (a) => (bind ?*s* 10) (assert (b)))", "(defrule three (b) =>)");
    EnvSetSalienceEvaluation(clips, EVERY_CYCLE);
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::raise", 0}, {"MAIN::two", 0},
                   {"MAIN::three", 1});
    DestroyEnvironment(clips);
}

static void test_modules(void **state)
{
    void *clips = CLIPS_WITH("(defmodule MAIN (export ?ALL))", "(deftemplate MAIN::a (slot n))",
                             "(defrule MAIN::one (initial-fact) => (assert (a (n 1))) (focus B A))",
                             "(defmodule A (import MAIN ?ALL))", "(defrule A::same (a (n ?n)) =>)",
                             "(defmodule B (import MAIN ?ALL))",
                             "(defrule B::same (a (n 1)) => (assert (a (n 2))))",
                             "(defrule B::auto (declare (auto-focus TRUE)) (a (n 2)) => (return))");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"B::same", 0}, {"B::auto", 1}, {"A::same", 1},
                   {"A::same", 0});
    DestroyEnvironment(clips);
}

static void test_between_runs(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (initial-fact) => (assert (a)) (halt))",
                             "(defrule two (a) =>)", "(defrule three (b) =>)");
    reset_and_run(clips);
    EnvAssertString(clips, "(b)");
    assert_int_equal(EnvRun(clips, -1), 2);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::three", NOBODY}, {"MAIN::two", 0});
    DestroyEnvironment(clips);
}

/* ---- rules that come and go ------------------------------------------------------------------ */

static void test_built_in_a_rule(void **state)
{
    void *clips = CLIPS_WITH("(deffacts f (a))",
                             "(defrule one (declare (salience 1)) (a)"
                             " => (build \"(defrule new (a) => (assert (b)))\"))",
                             "(defrule two (b) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::new", 0}, {"MAIN::two", 1});
    DestroyEnvironment(clips);
}

/* Other defrules in turn at the same name, and at the same address: each is the rule of its name. */
static void test_undefined(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (initial-fact) =>)");
    for (int i = 0; i < 20; i++) {
        reset_and_run(clips);
        clips_eval(clips, "(undefrule one)");
        clips_build(clips, "(defrule two (initial-fact) =>)");
        reset_and_run(clips);
        clips_eval(clips, "(undefrule two)");
        clips_build(clips, "(defrule one (initial-fact) => (assert (a)))");
    }
    struct firings firings = firings_of(session);
    assert_int_equal(firings.count, 40);
    for (size_t i = 0; i < firings.count; i++)
        assert_string_equal(firings.list[i].id, i % 2 == 0 ? "MAIN::one" : "MAIN::two");
    assert_int_equal(stave_report_rule_by_id(firings.report, "MAIN::one")->calls, 20);
    assert_int_equal(stave_report_rule_by_id(firings.report, "MAIN::two")->calls, 20);
    firings_free(&firings);
    assert_true(DestroyEnvironment(clips));
}

static void test_undefined_in_a_rule(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (declare (salience 1)) (initial-fact)"
                             " => (undefrule two) (assert (a)))",
                             "(defrule two (initial-fact) =>)", "(defrule three (a) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::three", 0});
    DestroyEnvironment(clips);
}

/* After it timetags begin at 0: those of before must not be taken for causes. */
static void test_clear(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (initial-fact) => (assert (a) (b) (c)))",
                             "(defrule two (a) => (halt))", "(defrule three (b) =>)");
    reset_and_run(clips);
    clips_eval(clips, "(clear)");
    clips_build(clips, "(deffacts f (x 1) (x 2) (x 3) (x 4))");
    clips_build(clips, "(defrule new (x ?) =>)");
    reset_and_run(clips);
    struct firings firings = firings_of(session);
    assert_true(firings.count > 4);
    for (size_t i = firings.count - 4; i < firings.count; i++) {
        assert_string_equal(firings.list[i].id, "MAIN::new");
        assert_int_equal(firings.list[i].cause, NOBODY);
    }
    firings_free(&firings);
    DestroyEnvironment(clips);
}

/* What (reset) brings onto the agenda in a rule came there in its firing. */
static void test_reset_in_a_rule(void **state)
{
    void *clips = CLIPS_WITH(
        "(defglobal ?*again* = TRUE)", "(deffacts f (a))",
        "(defrule one (declare (salience 1)) (a) (test (eq ?*again* TRUE)) => (bind ?*again* FALSE)"
        " (set-reset-globals FALSE) (reset))",
        "(defrule two (a) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::two", 0});
    DestroyEnvironment(clips);
}

static void test_refresh(void **state)
{
    void *clips =
        CLIPS_WITH("(defrule one (initial-fact) =>)",
                   "(defrule two (declare (salience -1)) (initial-fact) => (refresh one))");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::two", NOBODY}, {"MAIN::one", 1});
    DestroyEnvironment(clips);
}

/* CLIPS does not free the user data of such rules. */
static void test_binary_file(void **state)
{
    char path[] = "/tmp/stave-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    void *clips =
        CLIPS_WITH("(defrule one (initial-fact) => (assert (a)))", "(defrule two (a) =>)");
    assert_true(EnvBsave(clips, path));
    for (int i = 0; i < 2; i++) {
        assert_true(EnvBload(clips, path));
        reset_and_run(clips);
    }
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::two", 0}, {"MAIN::one", NOBODY},
                   {"MAIN::two", 2});
    EnvClear(clips);
    assert_true(DestroyEnvironment(clips));
    close(file);
    unlink(path);
}

/* ---- how a run ends -------------------------------------------------------------------------- */

static void *other_context = &other_context;

static void other_before(void *clips, void *activation)
{
    (void)clips;
    (void)activation;
}

/* CLIPS calls run functions then, too, and with the callback context of whoever was called last. */
static void test_nothing_fires(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (a) =>)");
    EnvAddBeforeRunFunctionWithContext(clips, "other", other_before, 0, other_context);
    SetEnvironmentCallbackContext(clips, other_context);
    EnvReset(clips);
    assert_int_equal(EnvRun(clips, -1), 0);
    EnvAssertString(clips, "(a)");
    assert_int_equal(EnvRun(clips, -1), 1);
    assert_int_equal(EnvRun(clips, -1), 0);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY});
    DestroyEnvironment(clips);
}

static void test_error_in_actions(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (initial-fact) => (assert (a)) (/ 1 0) (assert (b)))",
                             "(defrule two (a) =>)", "(defrule three (b) =>)");
    EnvReset(clips);
    assert_int_equal(EnvRun(clips, -1), 1);
    SetHaltExecution(clips, FALSE);
    assert_int_equal(EnvRun(clips, -1), 1);
    struct firings firings = firings_of(session);
    assert_int_equal(firings.count, 2);
    assert_int_equal(firings.list[0].node->outcome, STAVE_FAILED);
    assert_string_equal(firings.list[0].node->reason, "execution was halted in its actions");
    assert_string_equal(firings.list[1].id, "MAIN::two");
    assert_int_equal(firings.list[1].cause, 0);
    assert_int_equal(firings.list[1].node->outcome, STAVE_DONE);
    assert_int_equal(stave_clips_counts_of(clips).failed, 1);
    firings_free(&firings);
    DestroyEnvironment(clips);
}

static void test_halt_is_no_failure(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (initial-fact) => (halt))");
    reset_and_run(clips);
    struct firings firings = firings_of(session);
    assert_int_equal(firings.count, 1);
    assert_int_equal(firings.list[0].node->outcome, STAVE_DONE);
    firings_free(&firings);
    DestroyEnvironment(clips);
}

static void test_limit(void **state)
{
    void *clips = CLIPS_WITH("(deffacts f (n 0))",
                             "(defrule next ?f <- (n ?n) => (retract ?f) (assert (n (+ ?n 1))))");
    EnvReset(clips);
    assert_int_equal(EnvRun(clips, 2), 2);
    assert_int_equal(EnvRun(clips, 1), 1);
    ASSERT_FIRINGS(session, {"MAIN::next", NOBODY}, {"MAIN::next", 0}, {"MAIN::next", 1});
    DestroyEnvironment(clips);
}

/* (run) in a rule does nothing, in CLIPS. */
static void test_run_in_a_rule(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (initial-fact) => (assert (a)) (run) (assert (b)))",
                             "(defrule two (a) (b) =>)");
    reset_and_run(clips);
    ASSERT_FIRINGS(session, {"MAIN::one", NOBODY}, {"MAIN::two", 0});
    DestroyEnvironment(clips);
}

/* (exit) leaves the run by longjmp() where a program wants to go on; CLIPS' frame of garbage is one of the stack that was left. */
static void run_to_exit(void *clips)
{
    jmp_buf left;
    struct garbageFrame *frame = UtilityData(clips)->CurrentGarbageFrame;
    EnvReset(clips);
    SetJmpBuffer(clips, &left);
    if (setjmp(left) == 0) {
        EnvRun(clips, -1);
        fail();
    }
    UtilityData(clips)->CurrentGarbageFrame = frame;
}

static void assert_one_cancelled(void)
{
    struct firings firings = firings_of(session);
    assert_int_equal(firings.count, 1);
    assert_int_equal(firings.list[0].node->outcome, STAVE_CANCELLED);
    firings_free(&firings);
}

static void test_exit(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (initial-fact) => (exit))");
    run_to_exit(clips);
    stave_clips_detach(clips);
    assert_one_cancelled();
    DestroyEnvironment(clips);
}

static void test_destroyed_in_a_firing(void **state)
{
    void *clips = CLIPS_WITH("(defrule one (initial-fact) => (exit))");
    run_to_exit(clips);
    DestroyEnvironment(clips);
    assert_one_cancelled();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_initial_facts_are_roots),
        TEST(test_chain),
        TEST(test_last_fact_counts),
        TEST(test_retract_causes),
        TEST(test_on_and_off_the_agenda),
        TEST(test_logical),
        TEST(test_salience_changes),
        TEST(test_modules),
        TEST(test_between_runs),
        TEST(test_built_in_a_rule),
        TEST(test_undefined),
        TEST(test_undefined_in_a_rule),
        TEST(test_clear),
        TEST(test_reset_in_a_rule),
        TEST(test_refresh),
        TEST(test_binary_file),
        TEST(test_nothing_fires),
        TEST(test_error_in_actions),
        TEST(test_halt_is_no_failure),
        TEST(test_limit),
        TEST(test_run_in_a_rule),
        TEST(test_exit),
        TEST(test_destroyed_in_a_firing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
