#include "analysis_roots.h"

#include <math.h>
#include <stdlib.h>

#include "traces.h"

struct wanted {
    const struct model *m;
    stave_roots_config config;
    stave_root roots[SPANS_MAX]; /* those that are to be listed */
    size_t count;
};

/* ---- by looking at every span and row --------------------------------------------------------- */

static int compare_starts(const void *a, const void *b)
{
    const stave_root *x = a, *y = b;
    if (x->boot != y->boot)
        return x->boot < y->boot ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int compare_ends(const void *a, const void *b)
{
    return compare_starts(b, a);
}

static int compare_totals(const void *a, const void *b)
{
    const stave_root *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return compare_starts(a, b);
}

static bool is_odd_name(void *context, uint32_t name)
{
    (void)context;
    return name % 2 == 1;
}

/* Bit 0: an odd value; bit 1: one that 3 divides. */
static uint32_t meets(void *context, const stave_tree_detail *attribute)
{
    (void)context;
    return (uint32_t)(attribute->value % 2) | (uint32_t)(attribute->value % 3 == 0) << 1;
}

static bool has_all(const struct wanted *w, const stave_root *root)
{
    const struct random_trace *random = w->m->random;
    uint32_t met = 0;
    for (size_t i = 0; i < random->row_count; i++) {
        const struct random_row *row = &random->rows[i];
        stave_tree_detail attribute = {.value = row->column.value};
        if (row->kind == STAVE_ATTRIBUTES && row->lane == root->lane && row->boot == root->boot &&
            row->column.serial == root->serial)
            met |= meets(NULL, &attribute);
    }
    return (met & w->config.conditions) == w->config.conditions;
}

static bool is_wanted(const struct wanted *w, const stave_root *root)
{
    const stave_roots_config *config = &w->config;
    stave_trace *trace = w->m->trace;
    if (config->root_counts != NULL && !is_odd_name(NULL, root->name))
        return false;
    if (config->windowed && (stave_time_us(trace, root->boot, root->end) < config->from_us ||
                             stave_time_us(trace, root->boot, root->start) > config->to_us))
        return false;
    return root->total_ns >= config->least_ns && has_all(w, root);
}

/* ---- all roots, whose totals the others then have ---------------------------------------------- */

static size_t list_roots(const struct model *m, stave_root *roots)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct call *call = &m->calls[i];
        if (call->parent == RANDOM_NONE)
            roots[count++] = (stave_root){.serial = call->span->serial,
                                          .start = call->start,
                                          .end = call->end,
                                          .total_ns = call->total_ns,
                                          .lane = call->span->lane,
                                          .boot = call->span->boot,
                                          .name = call->name,
                                          .flags = call->span->flags};
    }
    if (count > 0)
        qsort(roots, count, sizeof *roots, compare_starts);
    return count;
}

static void check_same(const stave_root *got, const stave_root *wanted)
{
    TRACES_MUST(got->number == wanted->number && got->counted == wanted->counted);
    TRACES_MUST(compare_starts(got, wanted) == 0 && got->end == wanted->end);
    TRACES_MUST(got->name == wanted->name && got->flags == wanted->flags);
}

static size_t check_all(const struct model *m, stave_root *all)
{
    stave_roots *roots = NULL;
    size_t count = list_roots(m, all);
    TRACES_MUST(stave_roots_new(m->trace, NULL, &roots, NULL) == STAVE_OK);
    TRACES_MUST(stave_roots_count(roots) == count && stave_roots_all(roots) == count);
    for (size_t i = 0; i < count; i++) {
        const stave_root *got = stave_roots_at(roots, i);
        double off = fabs(got->total_ns - all[i].total_ns);
        TRACES_MUST(off <= 1e-9 * all[i].total_ns + 1e-14 * m->longest_ns + 1e-6);
        all[i].number = all[i].counted = i;
        check_same(got, &all[i]);
        all[i].total_ns = got->total_ns;
    }
    stave_roots_free(roots);
    return count;
}

/* ---- some of them ------------------------------------------------------------------------------ */

static void choose(struct wanted *w, const stave_root *all, size_t count, uint64_t seed)
{
    static const uint64_t limits[] = {0, 1, 3, 7};
    const stave_root *some = &all[seed % count];
    w->config = (stave_roots_config){
        .order = (stave_roots_order)(seed % 3),
        .limit = limits[seed / 3 % 4],
        .root_counts = seed / 12 % 2 ? is_odd_name : NULL,
        .least_ns = seed / 24 % 3 == 0 ? some->total_ns : 0,
        .windowed = seed / 72 % 3 == 0,
        .from_us = stave_time_us(w->m->trace, some->boot, some->start),
        .conditions = (uint32_t)(seed / 216 % 4),
        .meets = meets,
    };
    w->config.to_us = w->config.from_us + 1;
}

/* What is to come out; how many without the limit. */
static size_t expect(struct wanted *w, const stave_root *all, size_t count)
{
    static int (*const comparisons[])(const void *, const void *) = {compare_starts, compare_ends,
                                                                     compare_totals};
    uint64_t counted = 0;
    w->count = 0;
    for (size_t i = 0; i < count; i++) {
        stave_root root = all[i];
        root.counted = counted;
        counted += w->config.root_counts == NULL || is_odd_name(NULL, root.name);
        if (is_wanted(w, &root))
            w->roots[w->count++] = root;
    }
    size_t found = w->count;
    if (found > 0)
        qsort(w->roots, found, sizeof *w->roots, comparisons[w->config.order]);
    if (w->config.limit != 0 && w->count > w->config.limit)
        w->count = (size_t)w->config.limit;
    return found;
}

static void check_attributes(const struct model *m, stave_roots *roots, uint64_t index)
{
    const stave_root *root = stave_roots_at(roots, index);
    const stave_tree_detail *attributes;
    uint32_t count, at = 0;
    TRACES_MUST(stave_roots_attributes(roots, index, &attributes, &count, NULL) == STAVE_OK);
    for (size_t i = 0; i < m->random->row_count; i++) {
        const struct random_row *row = &m->random->rows[i];
        if (row->kind != STAVE_ATTRIBUTES || row->lane != root->lane || row->boot != root->boot ||
            row->column.serial != root->serial)
            continue;
        TRACES_MUST(at < count && attributes[at].value == row->column.value);
        TRACES_MUST(attributes[at].name == row->column.name);
        at++;
    }
    TRACES_MUST(at == count);
}

static void check_some(struct wanted *w, const stave_root *all, size_t count)
{
    stave_roots *roots = NULL;
    size_t found = expect(w, all, count);
    TRACES_MUST(stave_roots_new(w->m->trace, &w->config, &roots, NULL) == STAVE_OK);
    TRACES_MUST(stave_roots_found(roots) == found && stave_roots_count(roots) == w->count);
    for (size_t i = 0; i < w->count; i++) {
        check_same(stave_roots_at(roots, i), &w->roots[i]);
        check_attributes(w->m, roots, i);
    }
    stave_roots_free(roots);
}

void analysis_roots_check(const struct model *m, uint64_t seed)
{
    static stave_root all[SPANS_MAX];
    static struct wanted w;
    size_t count = check_all(m, all);
    w.m = m;
    for (uint64_t i = 0; i < 5 && count > 0; i++) {
        choose(&w, all, count, seed * 5 + i);
        check_some(&w, all, count);
    }
}
