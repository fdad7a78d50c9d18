/* Environments that run at the same time, each in a thread of its own: each firing stays with its own environment. */
#include "clips_help.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, FIRINGS = 500 };

static void *environments[THREADS];

/* Rule `next` of module T0, T1, ... */
static void *environment_of(int thread)
{
    char text[256];
    void *clips = CLIPS_WITH("(defmodule MAIN (export ?ALL))", "(deftemplate MAIN::n (slot n))",
                             "(deffacts MAIN::f (n (n 0)))");
    snprintf(text, sizeof text, "(defmodule T%d (import MAIN ?ALL))", thread);
    clips_build(clips, text);
    snprintf(text, sizeof text,
             "(defrule T%d::next (declare (auto-focus TRUE)) ?f <- (n (n ?n&:(< ?n %d)))"
             " => (modify ?f (n (+ ?n 1))))",
             thread, FIRINGS);
    clips_build(clips, text);
    EnvReset(clips);
    return clips;
}

static void *run(void *clips)
{
    EnvRun(clips, -1);
    return NULL;
}

static void run_all(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, environments[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void assert_below_its_own(const stave_report *report, uint32_t at, uint64_t *roots)
{
    const stave_report_node *node = stave_report_node_at(report, at);
    if (node->parent == STAVE_NONE) {
        ++*roots;
        return;
    }
    const stave_report_node *parent = stave_report_node_at(report, node->parent);
    assert_int_equal(node->place, STAVE_PLACE_DEPENDENCY);
    assert_int_equal(parent->lane, node->lane);
    assert_int_equal(parent->rule, node->rule);
    assert_int_equal(parent->serial + 1, node->serial);
}

static void test_threads(void **state)
{
    uint64_t roots = 0;
    stave_session *session = start_session();
    for (int i = 0; i < THREADS; i++)
        environments[i] = environment_of(i);
    run_all();
    stave_report *report = stave_session_report(session, NULL);
    assert_non_null(report);
    assert_int_equal(stave_report_node_count(report), THREADS * FIRINGS);
    for (uint32_t i = 0; i < stave_report_node_count(report); i++)
        assert_below_its_own(report, i, &roots);
    assert_int_equal(roots, THREADS);
    for (int i = 0; i < THREADS; i++) {
        char id[16];
        snprintf(id, sizeof id, "T%d::next", i);
        assert_int_equal(stave_report_rule_by_id(report, id)->calls, FIRINGS);
        DestroyEnvironment(environments[i]);
    }
    stave_report_free(report);
    stave_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
