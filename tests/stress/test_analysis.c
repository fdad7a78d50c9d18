/* test_analysis.c - roll-ups, trees and lists of roots of 10,000 random traces against a plain model: every number by
 * looking at every span (analysis_model.h).
 *
 *     test_stress_analysis [FIRST_SEED COUNT]
 */
#define _GNU_SOURCE /* memfd_create */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis_roots.h"

#ifdef STAVE_SLOWED
#define SEEDS 1000
#else
#define SEEDS 10000
#endif

static uint64_t first_seed = 1, seeds = SEEDS;
static double longest_ns; /* of the trace at work: differences are rounded as they are */

/* ---- the trace as its file has it: with rows for the spans that were left open ----------------- */

static int write_fd(void *context, const void *data, size_t size)
{
    return write(*(int *)context, data, size) == (ssize_t)size ? STAVE_OK : STAVE_E_IO;
}

static stave_trace *through_file(stave_trace *trace)
{
    char path[40];
    stave_trace *opened = NULL;
    int fd = memfd_create("stave", 0);
    assert_true(fd >= 0);
    stave_sink sink = {.write = write_fd, .context = &fd};
    assert_int_equal(stave_trace_save(trace, sink, NULL, NULL), STAVE_OK);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(stave_trace_open(path, NULL, &opened, NULL), STAVE_OK);
    close(fd);
    return opened;
}
/* ---- comparing ------------------------------------------------------------------------------- */

static uint64_t seed_at_work;

static bool near(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(b) + 1e-14 * longest_ns + 1e-6;
}

static void same(const char *what, const char *name, double got, double expected)
{
    if (!near(got, expected))
        fail_msg("seed %llu: %s of %s: %.17g, expected %.17g", (unsigned long long)seed_at_work,
                 what, name, got, expected);
}

/* ---- roll-up --------------------------------------------------------------------------------- */

static void check_row(const struct model *m, const stave_rollup_row *got)
{
    static struct expected e;
    const char *name = stave_trace_string(m->trace, got->name, NULL);
    model_expect(m, got->name, &e);
    same("calls", name, (double)got->calls, (double)e.row.calls);
    same("timed", name, (double)got->timed, (double)e.row.timed);
    same("total", name, got->total_ns, e.row.total_ns);
    same("self", name, got->self_ns, e.row.self_ns);
    same("net total", name, got->net_total_ns, e.row.net_total_ns);
    same("net self", name, got->net_self_ns, e.row.net_self_ns);
    same("min", name, got->min_ns, e.row.min_ns);
    same("mean", name, got->mean_ns, e.row.mean_ns);
    same("p50", name, got->p50_ns, e.row.p50_ns);
    same("p90", name, got->p90_ns, e.row.p90_ns);
    same("p99", name, got->p99_ns, e.row.p99_ns);
    same("max", name, got->max_ns, e.row.max_ns);
    same("failed", name, (double)got->failed, (double)e.row.failed);
    same("uncertain", name, (double)got->uncertain, (double)e.row.uncertain);
}

static void check_rollup(const struct model *m)
{
    stave_rollup *rollup = NULL;
    stave_rollup_config config = {
        .windowed = m->window.is,
        .from_us = m->window.from_us,
        .to_us = m->window.to_us,
    };
    stave_error error = {0};
    uint64_t calls = 0, expected_calls = 0;
    assert_int_equal(stave_rollup_new(m->trace, &config, &rollup, &error), STAVE_OK);
    for (uint32_t i = 0; i < stave_rollup_rows(rollup); i++) {
        const stave_rollup_row *row = stave_rollup_row_at(rollup, i);
        check_row(m, row);
        calls += row->calls;
        if (i > 0)
            assert_true(row->self_ns <= stave_rollup_row_at(rollup, i - 1)->self_ns);
    }
    for (uint32_t name = 0; name < stave_trace_strings(m->trace); name++) {
        static struct expected e;
        model_expect(m, name, &e);
        expected_calls += e.row.calls;
    }
    same("calls", "all", (double)calls, (double)expected_calls);
    stave_rollup_free(rollup);
}

/* ---- trees ----------------------------------------------------------------------------------- */

static size_t find_call(const struct model *m, const stave_tree_node *node)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct random_span *span = m->calls[i].span;
        if (span->lane == node->lane && span->boot == node->boot && span->serial == node->serial)
            return i;
    }
    fail_msg("seed %llu: a node that is no span", (unsigned long long)seed_at_work);
    return 0;
}

static bool has_cumulatives(const struct random_trace *random)
{
    for (size_t i = 0; i < random->row_count; i++)
        if (random->rows[i].kind == STAVE_CUMULATIVES)
            return true;
    return false;
}

static uint64_t count_roots(const struct model *m)
{
    uint64_t roots = 0;
    for (size_t i = 0; i < m->count; i++)
        roots += m->calls[i].parent == RANDOM_NONE;
    return roots;
}

static void check_node(const struct model *m, const stave_tree *tree, uint32_t i)
{
    const stave_tree_node *node = stave_tree_node_at(tree, i);
    const struct call *call = &m->calls[find_call(m, node)];
    const char *name = stave_trace_string(m->trace, call->name, NULL);
    same("node's self", name, node->self_ns, call->self_ns);
    same("node's total", name, node->total_ns, call->total_ns);
    same("node's busy", name, node->busy_ns, call->busy_ns);
    assert_int_equal(node->name, call->name);
    assert_true(node->start == call->start && node->end == call->end);
    assert_int_equal(node->flags, call->span->flags);
    if (i == 0) {
        assert_true(node->parent == STAVE_NONE && call->parent == RANDOM_NONE);
        return;
    }
    const stave_tree_node *parent = stave_tree_node_at(tree, node->parent);
    assert_true(node->parent < i);
    assert_int_equal(node->depth, parent->depth + 1);
    assert_int_equal(find_call(m, parent), call->parent);
}

static size_t check_tree(const struct model *m, uint64_t root)
{
    stave_tree *tree = NULL;
    stave_tree_config config = {.root = root};
    assert_int_equal(stave_tree_new(m->trace, &config, &tree, NULL), STAVE_OK);
    assert_int_equal(stave_tree_roots(tree), count_roots(m));
    assert_int_equal(stave_tree_root(tree), root);
    uint32_t nodes = stave_tree_nodes(tree);
    for (uint32_t i = 0; i < nodes; i++)
        check_node(m, tree, i);
    stave_tree_free(tree);
    return nodes;
}

static void check_slowest(const struct model *m)
{
    stave_tree *tree = NULL;
    stave_tree_config config = {.slowest = true};
    double most = 0;
    assert_int_equal(stave_tree_new(m->trace, &config, &tree, NULL), STAVE_OK);
    for (size_t i = 0; i < m->count; i++)
        if (m->calls[i].parent == RANDOM_NONE && m->calls[i].total_ns > most)
            most = m->calls[i].total_ns;
    same("total", "the slowest root", stave_tree_node_at(tree, 0)->total_ns, most);
    stave_tree_free(tree);
}

/* Every span is in the tree of exactly one root. */
static void check_trees(const struct model *m)
{
    uint64_t roots = count_roots(m);
    size_t nodes = 0;
    for (uint64_t i = 0; i < roots; i++)
        nodes += check_tree(m, i);
    assert_int_equal(nodes, m->count);
    if (roots > 0)
        check_slowest(m);
    stave_tree *tree;
    stave_tree_config behind = {.root = roots};
    assert_int_equal(stave_tree_new(m->trace, &behind, &tree, NULL), STAVE_E_NOTHING);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void choose(uint64_t seed, struct random_trace_options *options)
{
    random_trace_choose(seed, options);
    if (options->spans > SPANS_MAX)
        options->spans = 2 + (uint32_t)(seed * 7919 % (SPANS_MAX - 2));
    options->anchors = 0; /* a cumulative row says no rate */
}

/* From some span's start to some span's end, or the other way round. */
static struct window choose_window(const struct random_trace *random, const stave_trace *trace,
                                   uint64_t seed)
{
    const struct random_span *a = &random->spans[seed % random->span_count];
    const struct random_span *b = &random->spans[seed / 7 % random->span_count];
    double from = stave_time_us(trace, a->boot, a->start),
           to = stave_time_us(trace, b->boot, b->end);
    return (struct window){true, from < to ? from : to, from < to ? to : from};
}

/* Of the size of the durations, larger, and none. */
static struct cost choose_cost(uint64_t seed, stave_trace *trace)
{
    static const struct cost costs[] = {{0, 0}, {0.375, 0.25}, {20, 9}, {5000, 0}, {300, 300}};
    struct cost cost = costs[seed % (sizeof costs / sizeof costs[0])];
    if (cost.span_ns > 0) {
        assert_int_equal(stave__trace_set_real(trace, "record.span_ns", cost.span_ns, NULL), 0);
        assert_int_equal(stave__trace_set_real(trace, "record.inner_ns", cost.inner_ns, NULL), 0);
    }
    return cost;
}

static void check_trace(uint64_t seed)
{
    static struct model m;
    struct random_trace_options options;
    seed_at_work = seed;
    choose(seed, &options);
    struct random_trace *random = random_trace_new(&options);
    struct cost cost = choose_cost(seed, random->trace);
    stave_trace *trace = through_file(random->trace);
    model_make(&m, random, trace, cost, (struct window){0});
    longest_ns = m.longest_ns;
    check_rollup(&m);
    if (!has_cumulatives(random))
        check_trees(&m);
    analysis_roots_check(&m, seed);
    if (!options.clocks && m.count > 0) {
        model_make(&m, random, trace, cost, choose_window(random, trace, seed));
        longest_ns = m.longest_ns;
        check_rollup(&m);
    }
    stave_trace_free(trace);
    random_trace_free(random);
}

static void test_random_traces(void **state)
{
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        check_trace(seed);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        seeds = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
