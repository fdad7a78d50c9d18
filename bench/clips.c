/* bench/clips.c - what the adapter for CLIPS adds to a firing: to the smallest there is, and to those of a run that leaves an
 * activation for later with each, so that a hundred thousand firings are remembered at once. Beside it CLIPS' own
 * (profile constructs). */
#include <stdio.h>
#include <stdlib.h>

#include <clips/clips.h>
#include <clips/proflfun.h>

#include "lib/bench.h"
#include "stave_clips.h"

enum { ROUNDS = 9, FIRINGS = 100000 };

static const char *const chain[] = {
    "(deffacts start (n 1))",
    "(defrule next ?f <- (n ?n&:(< ?n 100001)) => (retract ?f) (assert (n (+ ?n 1))))", NULL};
static const char *const later[] = {
    "(deffacts start (n 1))",
    "(defrule next (declare (salience 1)) ?f <- (n ?n&:(< ?n 50001))"
    " => (retract ?f) (assert (n (+ ?n 1)) (later ?n)))",
    "(defrule later ?f <- (later ?) => (retract ?f))", NULL};

enum manner { ALONE, PROFILED, ATTACHED, CAPTURED, DETAILED, MANNERS };

static const char *const manners[MANNERS] = {"CLIPS alone", "(profile constructs)",
                                             "attached, no session", "captured",
                                             "captured, with salience and basis"};

static void *new_clips(const char *const *constructs)
{
    void *clips = CreateEnvironment();
    for (; *constructs != NULL; constructs++)
        EnvBuild(clips, constructs[0]);
    EnvReset(clips);
    return clips;
}

static stave_session *begin(void *clips, enum manner manner)
{
    if (manner == PROFILED)
        Profile(clips, "constructs");
    if (manner >= ATTACHED &&
        stave_clips_attach(clips, &(stave_clips_config){.details = manner == DETAILED}, NULL) < 0)
        exit(2);
    return manner >= CAPTURED ? stave_session_start(NULL, NULL) : NULL;
}

static double ns_each(const char *const *constructs, enum manner manner)
{
    void *clips = new_clips(constructs);
    stave_session *session = begin(clips, manner);
    double before = bench_thread_seconds();
    long long firings = EnvRun(clips, -1);
    double ns = (bench_thread_seconds() - before) * 1e9 / FIRINGS;
    if (firings != FIRINGS)
        exit(2);
    stave_session_free(session);
    DestroyEnvironment(clips);
    return ns;
}

static void measure(const char *name, const char *const *constructs)
{
    double ns[MANNERS][ROUNDS];
    for (int round = 0; round < ROUNDS; round++)
        for (enum manner manner = ALONE; manner < MANNERS; manner++)
            ns[manner][round] = ns_each(constructs, manner);
    double alone = bench_median(ns[ALONE], ROUNDS);
    printf("%s\n", name);
    for (enum manner manner = ALONE; manner < MANNERS; manner++) {
        double median = bench_median(ns[manner], ROUNDS); /* sorts: the best is the first */
        printf("  %-36s %8.1f ns a firing  %5.2f  best %8.1f  %+8.1f\n", manners[manner], median,
               median / alone, ns[manner][0], ns[manner][0] - ns[ALONE][0]);
    }
}

int main(void)
{
    measure("a chain", chain);
    measure("half of the firings leave an activation for later", later);
    return 0;
}
