/* bench/rules.c - what a rule's probe costs without a session and with one, beside a span and an empty loop. */
#include <stdio.h>

#include "lib/bench.h"
#include "stave/rules.h"

enum { ROUNDS = 51, TIMES = 100000 };

static stave_rule rule = {.id = "rule", .description = "a rule"};
static stave_run ended; /* a place that is not where the thread is */
static stave_session *session;

static void off(void)
{
    stave_enable(false);
    stave_session_free(session);
    session = NULL;
}

static void on(void)
{
    stave_enable(true);
}

static void in_session(void)
{
    session = stave_session_start(NULL, NULL);
}

static void in_session_of_thread(void)
{
    session = stave_session_start(&(stave_session_config){.this_thread = true}, NULL);
}

static void empty(void)
{
    for (int i = 0; i < TIMES; i++)
        __asm__ volatile("");
}

static void spans(void)
{
    for (int i = 0; i < TIMES; i++) {
        STAVE_SCOPE("span");
        __asm__ volatile("");
    }
}

static void rules(void)
{
    for (int i = 0; i < TIMES; i++) {
        STAVE_RULE(&rule);
        __asm__ volatile("");
    }
}

static void rules_by_handle(void)
{
    for (int i = 0; i < TIMES; i++) {
        STAVE_RULE_IN(ended, &rule);
        __asm__ volatile("");
    }
}

static void runs(void)
{
    for (int i = 0; i < TIMES; i++) {
        STAVE_RUN(run, "run");
        __asm__ volatile("");
    }
}

static void rules_that_fail(void)
{
    for (int i = 0; i < TIMES; i++) {
        STAVE_RULE(&rule);
        stave_rule_fail("a reason");
    }
}

static const struct {
    const char *name;
    void (*prepare)(void);
    void (*run)(void);
} works[] = {
    {"a span, recording on", on, spans},
    {"an empty loop", off, empty},
    {"a span, recording off", off, spans},
    {"a rule, no session", off, rules},
    {"a rule by handle, no session", off, rules_by_handle},
    {"a rule, recording on, no session", on, rules},
    {"a rule in a session", in_session, rules},
    {"a rule in a session of its thread", in_session_of_thread, rules},
    {"a rule by another's handle, in a session", in_session, rules_by_handle},
    {"a rule that fails, with a reason", in_session, rules_that_fail},
    {"a run, in a session", in_session, runs},
};
enum { WORKS = sizeof works / sizeof works[0] };

static double ns_each(void (*prepare)(void), void (*run)(void))
{
    off();
    prepare();
    double before = bench_thread_seconds();
    run();
    return (bench_thread_seconds() - before) * 1e9 / TIMES;
}

/* Also so that places have been met. */
static void make_place(void)
{
    in_session();
    stave_evaluation evaluation = stave_rule_begin(&rule, (stave_run){0});
    stave_rule_end(evaluation, STAVE_DONE, NULL);
    ended = evaluation.here;
    off();
}

int main(void)
{
    static double ns[WORKS][ROUNDS];
    if (stave_start(NULL, NULL) < 0)
        return 2;
    make_place();
    for (int round = -1; round < ROUNDS; round++)
        for (int i = 0; i < WORKS; i++)
            ns[i][round < 0 ? 0 : round] = ns_each(works[i].prepare, works[i].run);
    off();
    double span = bench_median(ns[0], ROUNDS);
    for (int i = 0; i < WORKS; i++) {
        double median = bench_median(ns[i], ROUNDS);
        printf("%-42s %7.2f ns  %5.2f spans\n", works[i].name, median, median / span);
    }
    return 0;
}
