/* test_analysis.c - roll-ups and trees of 10,000 random traces against a plain model: every number by
 * looking at every span, every union by sorting intervals.
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

#include "random_trace.h"
#include "stave/analyze.h"

#define SPANS_MAX 70 /* of a trace: the model is quadratic */
#define INTERVALS_MAX (2 * SPANS_MAX)
#define ROWS_MAX 4096

#ifdef STAVE_SANITIZED
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

/* ---- the model ------------------------------------------------------------------------------- */

struct window {
    bool is;
    double from_us, to_us;
};

struct call {
    const struct random_span *span;
    size_t parent;
    uint32_t name;
    int64_t start, end; /* in the window */
    bool in;            /* the window */
    double self_ns, total_ns, busy_ns;
};

struct model {
    const struct random_trace *random;
    stave_trace *trace;
    struct window window;
    struct call calls[SPANS_MAX];
    size_t count;
    size_t around[ROWS_MAX]; /* of each row the cumulative one around it, or RANDOM_NONE */
};

struct interval {
    int64_t from, to;
};

static int compare_intervals(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Nanoseconds that the intervals cover together. */
static double covered_ns(const struct model *m, uint32_t boot, struct interval *all, size_t count)
{
    double ns = 0;
    int64_t from = 0, to = 0;
    qsort(all, count, sizeof *all, compare_intervals);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && all[i].from <= to) {
            to = all[i].to > to ? all[i].to : to;
            continue;
        }
        if (i > 0)
            ns += stave_duration_us(m->trace, boot, from, to) * 1000;
        from = all[i].from;
        to = all[i].to;
    }
    return count > 0 ? ns + stave_duration_us(m->trace, boot, from, to) * 1000 : 0;
}

static bool is_below(const struct model *m, size_t i, size_t ancestor)
{
    while (i != RANDOM_NONE && i != ancestor)
        i = m->calls[i].parent;
    return i == ancestor;
}

static double cumulative_ns(const struct model *m, const struct random_row *row)
{
    return stave_duration_us(m->trace, row->boot, 0, 1) * 1000 * (double)row->column.total;
}

/* The first tick of a boot whose time is not before `us`, found from near it (ticks are ns). */
static int64_t tick_at(const struct model *m, uint32_t boot, double us)
{
    int64_t tick = (int64_t)((us - stave_trace_boot(m->trace, boot)->offset_us) * 1000);
    while (stave_time_us(m->trace, boot, tick) < us)
        tick++;
    while (stave_time_us(m->trace, boot, tick - 1) >= us)
        tick--;
    return tick;
}

static bool overlaps(const struct model *m, uint32_t boot, int64_t start, int64_t end)
{
    return !m->window.is || (stave_time_us(m->trace, boot, start) <= m->window.to_us &&
                             stave_time_us(m->trace, boot, end) >= m->window.from_us);
}

/* The part inside the window. */
static void clip(const struct model *m, uint32_t boot, int64_t *start, int64_t *end)
{
    if (stave_time_us(m->trace, boot, *start) < m->window.from_us)
        *start = tick_at(m, boot, m->window.from_us);
    if (stave_time_us(m->trace, boot, *end) > m->window.to_us) {
        *end = tick_at(m, boot, m->window.to_us);
        *end -= stave_time_us(m->trace, boot, *end) > m->window.to_us;
    }
}

/* Whether a row is a cumulative one of the window and of this span. */
static bool is_cumulative_of(const struct model *m, const struct random_row *row, uint32_t boot,
                             uint32_t lane, uint64_t serial)
{
    return row->kind == STAVE_CUMULATIVES && row->boot == boot && row->lane == lane &&
           row->column.serial == serial &&
           overlaps(m, row->boot, row->column.start, row->column.end);
}

/* The only cumulative row of the same span that has the number which a row names as the one around it. */
static size_t named_around(const struct model *m, const struct random_row *row)
{
    size_t found = RANDOM_NONE;
    if (row->column.other == 0 || row->column.other_lane == 0)
        return RANDOM_NONE;
    for (size_t i = 0; i < m->random->row_count; i++) {
        const struct random_row *other = &m->random->rows[i];
        if (!is_cumulative_of(m, other, row->boot, row->lane, row->column.serial) ||
            other->column.other != row->column.other_lane)
            continue;
        if (found != RANDOM_NONE)
            return RANDOM_NONE;
        found = i;
    }
    return found;
}

/* Whether a row is around itself. */
static bool is_on_a_circle(const struct model *m, size_t at)
{
    size_t up = m->around[at];
    for (size_t i = 0; i < m->random->row_count && up != RANDOM_NONE && up != at; i++)
        up = m->around[up];
    return up == at;
}

static void find_around(struct model *m)
{
    static bool circle[ROWS_MAX];
    size_t count = m->random->row_count;
    assert_true(count <= ROWS_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct random_row *row = &m->random->rows[i];
        bool is = is_cumulative_of(m, row, row->boot, row->lane, row->column.serial);
        m->around[i] = is ? named_around(m, row) : RANDOM_NONE;
    }
    for (size_t i = 0; i < count; i++)
        circle[i] = is_on_a_circle(m, i);
    for (size_t i = 0; i < count; i++)
        if (circle[i])
            m->around[i] = RANDOM_NONE;
}

/* What cumulative rows take from the self time of their span. */
static double taken_ns(const struct model *m, const struct call *call)
{
    double ns = 0;
    for (size_t i = 0; i < m->random->row_count; i++) {
        const struct random_row *row = &m->random->rows[i];
        bool is_direct = row->column.other != 0 || row->column.depth == 0;
        if (is_cumulative_of(m, row, call->span->boot, call->span->lane, call->span->serial) &&
            m->around[i] == RANDOM_NONE && is_direct)
            ns += cumulative_ns(m, row);
    }
    return ns;
}

/* The self time of a cumulative row. */
static double own_ns(const struct model *m, size_t at)
{
    double ns = cumulative_ns(m, &m->random->rows[at]);
    for (size_t i = 0; i < m->random->row_count; i++)
        if (m->around[i] == at)
            ns -= cumulative_ns(m, &m->random->rows[i]);
    return ns > 0 ? ns : 0;
}

static void measure(struct model *m, size_t at)
{
    struct call *call = &m->calls[at];
    uint32_t boot = call->span->boot;
    struct interval children[INTERVALS_MAX], all[INTERVALS_MAX];
    size_t children_count = 0, count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct call *c = &m->calls[i];
        if (!c->in)
            continue;
        if (is_below(m, i, at))
            all[count++] = (struct interval){c->start, c->end};
        if (c->parent == at && c->end > call->start && c->start < call->end)
            children[children_count++] =
                (struct interval){c->start > call->start ? c->start : call->start,
                                  c->end < call->end ? c->end : call->end};
    }
    double own = stave_duration_us(m->trace, boot, call->start, call->end) * 1000;
    double self = own - covered_ns(m, boot, children, children_count) - taken_ns(m, call);
    call->self_ns = self > 0 ? self : 0;
    call->total_ns = covered_ns(m, boot, all, count);
}

static void make_model(struct model *m, const struct random_trace *random, stave_trace *trace,
                       struct window window)
{
    m->random = random;
    m->trace = trace;
    m->window = window;
    m->count = random->span_count;
    assert_true(m->count <= SPANS_MAX);
    for (size_t i = 0; i < m->count; i++) {
        const struct random_span *span = &random->spans[i];
        struct call *call = &m->calls[i];
        *call = (struct call){.span = span,
                              .parent = span->parent,
                              .name = span->name,
                              .start = span->start,
                              .end = span->end,
                              .in = overlaps(m, span->boot, span->start, span->end)};
        if (call->name == 0)
            call->name = stave_trace_lane(trace, span->lane)->name;
        if (window.is && call->in)
            clip(m, span->boot, &call->start, &call->end);
    }
    find_around(m);
    for (size_t i = 0; i < m->count; i++) /* who is outside is nobody's parent */
        if (m->calls[i].parent != RANDOM_NONE && !m->calls[m->calls[i].parent].in)
            m->calls[i].parent = RANDOM_NONE;
    longest_ns = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!m->calls[i].in)
            continue;
        measure(m, i);
        if (m->calls[i].total_ns > longest_ns)
            longest_ns = m->calls[i].total_ns;
    }
    for (size_t i = 0; i < m->count; i++)
        for (size_t j = 0; j < m->count; j++)
            if (m->calls[j].in && is_below(m, j, i))
                m->calls[i].busy_ns += m->calls[j].self_ns;
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

struct expected {
    stave_rollup_row row;
    double durations[SPANS_MAX];
    size_t durations_count;
    double timed_ns;
};

/* Whether no span around it has the name. */
static bool is_outermost_of(const struct model *m, size_t at, uint32_t name)
{
    for (size_t i = m->calls[at].parent; i != RANDOM_NONE; i = m->calls[i].parent)
        if (m->calls[i].name == name)
            return false;
    return true;
}

static void expect_duration(struct expected *e, double least, double most, double sum,
                            uint64_t count)
{
    if (count == 0)
        return;
    if (e->row.timed == 0 || least < e->row.min_ns)
        e->row.min_ns = least;
    if (e->row.timed == 0 || most > e->row.max_ns)
        e->row.max_ns = most;
    e->row.timed += count;
    e->timed_ns += sum;
}

static void expect_calls(const struct model *m, uint32_t name, struct expected *e)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct call *call = &m->calls[i];
        uint16_t flags = call->span->flags;
        if (!call->in || call->name != name)
            continue;
        e->row.calls++;
        e->row.self_ns += call->self_ns;
        e->row.total_ns += is_outermost_of(m, i, name) ? call->total_ns : 0;
        e->row.failed += (flags & STAVE_FLAG_FAILED) != 0;
        e->row.uncertain += (flags & STAVE_FLAGS_DOUBT) != 0;
        if (flags & STAVE_FLAGS_END_UNKNOWN)
            continue;
        double ns = stave_duration_us(m->trace, call->span->boot, call->start, call->end) * 1000;
        expect_duration(e, ns, ns, ns, 1);
        e->durations[e->durations_count++] = ns;
    }
}

static bool is_cut(const struct model *m, const struct random_row *row)
{
    return m->window.is &&
           (stave_time_us(m->trace, row->boot, row->column.start) < m->window.from_us ||
            stave_time_us(m->trace, row->boot, row->column.end) > m->window.to_us);
}

static uint32_t name_of(const struct model *m, const struct random_row *row)
{
    return row->column.name != 0 ? row->column.name : stave_trace_lane(m->trace, row->lane)->name;
}

/* Whether something around a cumulative row has its name: then its total is in that one's. */
static bool is_inside_its_name(const struct model *m, size_t at, uint32_t name)
{
    const struct random_row *row = &m->random->rows[at];
    for (size_t i = m->around[at]; i != RANDOM_NONE; i = m->around[i])
        if (name_of(m, &m->random->rows[i]) == name)
            return true;
    for (size_t i = 0; i < m->count; i++) {
        const struct random_span *span = m->calls[i].span;
        if (span->boot != row->boot || span->lane != row->lane ||
            span->serial != row->column.serial || !m->calls[i].in)
            continue;
        return m->calls[i].name == name || !is_outermost_of(m, i, name);
    }
    return false;
}

static void expect_cumulatives(const struct model *m, uint32_t name, struct expected *e)
{
    for (size_t i = 0; i < m->random->row_count; i++) {
        const struct random_row *row = &m->random->rows[i];
        if (row->kind != STAVE_CUMULATIVES || name_of(m, row) != name ||
            !overlaps(m, row->boot, row->column.start, row->column.end))
            continue;
        double tick = stave_duration_us(m->trace, row->boot, 0, 1) * 1000;
        e->row.calls += row->column.value;
        e->row.self_ns += own_ns(m, i);
        e->row.total_ns += is_inside_its_name(m, i, name) ? 0 : cumulative_ns(m, row);
        if ((row->column.flags & STAVE_FLAG_FAILED) != 0)
            e->row.failed += row->column.value;
        if ((row->column.flags & STAVE_FLAGS_DOUBT) != 0 || is_cut(m, row))
            e->row.uncertain += row->column.value;
        expect_duration(e, tick * (double)row->column.least, tick * (double)row->column.most,
                        cumulative_ns(m, row), row->column.value);
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Nearest rank. */
static double percentile(const struct expected *e, double p)
{
    if (e->durations_count == 0)
        return NAN;
    size_t rank = (size_t)ceil(p / 100 * (double)e->durations_count);
    return e->durations[rank > 0 ? rank - 1 : 0];
}

static void expect(const struct model *m, uint32_t name, struct expected *e)
{
    *e = (struct expected){.row.name = name};
    expect_calls(m, name, e);
    expect_cumulatives(m, name, e);
    qsort(e->durations, e->durations_count, sizeof e->durations[0], compare_doubles);
    bool timed = e->row.timed > 0;
    e->row.min_ns = timed ? e->row.min_ns : NAN;
    e->row.max_ns = timed ? e->row.max_ns : NAN;
    e->row.mean_ns = timed ? e->timed_ns / (double)e->row.timed : NAN;
    e->row.p50_ns = percentile(e, 50);
    e->row.p90_ns = percentile(e, 90);
    e->row.p99_ns = percentile(e, 99);
}

static void check_row(const struct model *m, const stave_rollup_row *got)
{
    static struct expected e;
    const char *name = stave_trace_string(m->trace, got->name, NULL);
    expect(m, got->name, &e);
    same("calls", name, (double)got->calls, (double)e.row.calls);
    same("timed", name, (double)got->timed, (double)e.row.timed);
    same("total", name, got->total_ns, e.row.total_ns);
    same("self", name, got->self_ns, e.row.self_ns);
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
        expect(m, name, &e);
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

static void check_trace(uint64_t seed)
{
    static struct model m;
    struct random_trace_options options;
    seed_at_work = seed;
    choose(seed, &options);
    struct random_trace *random = random_trace_new(&options);
    stave_trace *trace = through_file(random->trace);
    make_model(&m, random, trace, (struct window){0});
    check_rollup(&m);
    if (!has_cumulatives(random))
        check_trees(&m);
    if (!options.clocks && m.count > 0) {
        make_model(&m, random, trace, choose_window(random, trace, seed));
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
