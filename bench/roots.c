/* bench/roots.c - what a trace costs that is kept, beside a plain span, and that a million of them take no more memory
 * than the first. */
#define _DEFAULT_SOURCE /* getrusage's ru_maxrss */
#include <stdio.h>
#include <sys/resource.h>

#include "lib/bench.h"
#include "stave/traces.h"

enum { ROUNDS = 15, TIMES = 1000000 };

static double ns_each(void (*run)(void))
{
    double before = bench_thread_seconds();
    run();
    return (bench_thread_seconds() - before) * 1e9 / TIMES;
}

static void spans(void)
{
    for (int i = 0; i < TIMES; i++) {
        STAVE_SCOPE("span");
    }
}

static void roots(void)
{
    for (int i = 0; i < TIMES; i++) {
        STAVE_TRACE("root");
    }
}

static void requests(void)
{
    for (int i = 0; i < TIMES; i++) {
        STAVE_TRACE("request", STAVE_ID(i));
        for (int j = 0; j < 3; j++) {
            STAVE_SCOPE("step");
        }
    }
}

static void skipped(void)
{
    for (int i = 0; i < TIMES; i++) {
        STAVE_TRACE("skipped");
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} works[] = {
    {"a span", spans},
    {"a root", roots},
    {"a root with an id and three spans", requests},
    {"a root that is not recorded (1 in 1,000,000)", skipped},
};
enum { WORKS = sizeof works / sizeof works[0] };

static long most_memory_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(void)
{
    double ns[WORKS][ROUNDS];
    if (stave_start(NULL, NULL) < 0 || stave_control_command("skipped", 1000000, NULL) < 0)
        return 2;
    roots();
    long memory_kb = most_memory_kb();
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < WORKS; i++)
            ns[i][round] = ns_each(works[i].run);
    double span = bench_median(ns[0], ROUNDS);
    for (int i = 0; i < WORKS; i++) {
        double median = bench_median(ns[i], ROUNDS);
        printf("%-46s %7.1f ns  %5.2f spans\n", works[i].name, median, median / span);
    }
    printf("memory after the first million roots %ld KiB, after %d million more %ld KiB\n",
           memory_kb, 2 * ROUNDS, most_memory_kb());
    return 0;
}
