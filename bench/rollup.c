/* bench/rollup.c - from a trace to its roll-up: how long for a span, and whether it grows in step.
 *
 * The traces are those of lib/calltree.c. The budget
 * is 200 ns of CPU time a span with all that belongs to it, on one core, and 11 times the time for 10
 * times the spans.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/bench.h"
#include "stave/analyze.h"

enum { ROUNDS = 5 };

static void check(int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench_rollup: %s\n", stave_status_text(status));
    exit(2);
}

/* ---- timing ---------------------------------------------------------------------------------- */

static double decode_seconds(stave_trace *trace)
{
    double begin = bench_cpu_seconds();
    stave_cursor *cursor;
    const stave_block *block;
    stave_filter spans = {.kinds = STAVE_KIND_BIT(STAVE_SPANS)};
    check(stave_cursor_open(trace, &spans, &cursor, NULL));
    while (stave_cursor_next(cursor, &block, NULL) > 0)
        ;
    stave_cursor_close(cursor);
    return bench_cpu_seconds() - begin;
}

static double rollup_seconds(stave_trace *trace)
{
    double begin = bench_cpu_seconds();
    stave_rollup *rollup;
    check(stave_rollup_new(trace, NULL, &rollup, NULL));
    double seconds = bench_cpu_seconds() - begin;
    stave_rollup_free(rollup);
    return seconds;
}

static double tree_seconds(stave_trace *trace)
{
    double begin = bench_cpu_seconds();
    stave_tree *tree;
    stave_tree_config config = {.slowest = true};
    check(stave_tree_new(trace, &config, &tree, NULL));
    double seconds = bench_cpu_seconds() - begin;
    stave_tree_free(tree);
    return seconds;
}

static double median_of(double (*seconds)(stave_trace *trace), stave_trace *trace)
{
    double rounds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        rounds[i] = seconds(trace);
    return bench_median(rounds, ROUNDS);
}

static double bench(const char *what, uint64_t spans, uint64_t cache_bytes, bool attached)
{
    stave_trace *trace = bench_call_tree(spans, cache_bytes, attached);
    double decode = median_of(decode_seconds, trace);
    double rollup = median_of(rollup_seconds, trace);
    double tree = median_of(tree_seconds, trace);
    printf("  %5.0f million %-28s roll-up %6.3f s, %6.1f ns/span (reading alone %5.1f); "
           "slowest tree %6.1f ns/span\n",
           (double)spans / 1e6, what, rollup, rollup * 1e9 / (double)spans,
           decode * 1e9 / (double)spans, tree * 1e9 / (double)spans);
    fflush(stdout);
    stave_trace_free(trace);
    return rollup;
}

static void bench_both(const char *what, uint64_t cache_bytes, bool attached)
{
    double one = bench(what, 1000 * 1000, cache_bytes, attached);
    double ten = bench(what, 10 * 1000 * 1000, cache_bytes, attached);
    printf("  ten times the spans take %.2f times as long (budget: 11)\n", ten / one);
}

int main(void)
{
    printf("roll-up of spans (budget: 200 ns a span, reading included)\n");
    bench_both("in memory", UINT64_C(1) << 34, false);
    bench_both("read from disk", 1, false);
    bench_both("some attached, in memory", UINT64_C(1) << 34, true);
    return 0;
}
