#include "analyze/tree_roots.h"

#include <stdlib.h>

#include "analyze/nesting.h"
#include "base/error.h"

#define FIRST_ROOTS 256u
#define ATTACHED_SEEN 1

/* ---- roots in their order -------------------------------------------------------------------- */

/* By start, lane, serial; where all are alike the earlier row, which has more behind it. */
static int compare_roots(const void *a, const void *b)
{
    const struct stave__root *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return x->at > y->at ? -1 : x->at < y->at;
}

/* Roots are only listed to find one in their midst. */
static bool is_listing(const struct stave__choosing *choosing)
{
    return !choosing->config->slowest && choosing->config->root > 0;
}

static bool list_root(struct stave__choosing *choosing, const struct stave__root *root)
{
    if (choosing->used == choosing->size) {
        size_t size = choosing->size != 0 ? choosing->size * 2 : FIRST_ROOTS;
        struct stave__root *larger = realloc(choosing->roots, size * sizeof *larger);
        if (larger == NULL)
            return false;
        choosing->roots = larger;
        choosing->size = size;
    }
    choosing->roots[choosing->used++] = *root;
    return true;
}

/* Whether it is rather to be taken than the best one of its boot so far. */
static bool is_better(const struct stave__choosing *choosing, const struct stave__root *root,
                      double total_ns)
{
    const struct stave__chosen *best = &choosing->best;
    if (choosing->seen == 0)
        return true;
    if (choosing->config->slowest && total_ns != best->total_ns)
        return total_ns > best->total_ns;
    return compare_roots(root, &best->root) < 0;
}

static bool counts(const struct stave__choosing *choosing, uint32_t name)
{
    const stave_tree_config *config = choosing->config;
    return config->root_counts == NULL || config->root_counts(config->root_context, name);
}

static bool add_root(struct stave__choosing *choosing, const struct stave__root *root,
                     double total_ns)
{
    if (choosing->counting) {
        choosing->chosen.number += compare_roots(root, &choosing->chosen.root) < 0;
        return true;
    }
    if (is_better(choosing, root, total_ns))
        choosing->best = (struct stave__chosen){.root = *root, .total_ns = total_ns};
    choosing->seen++;
    return !is_listing(choosing) || list_root(choosing, root);
}

/* ---- a boot without attached spans ----------------------------------------------------------- */

struct walk {
    struct stave__choosing *choosing;
    struct stave__around around;
    uint64_t passed; /* rows of the lane */
};

static int take_span(struct walk *walk, const stave_block *block, uint32_t row)
{
    struct stave__choosing *choosing = walk->choosing;
    struct stave__span span = stave__span_of(block, row);
    if (block->flags[row] & STAVE_FLAG_ATTACHED)
        return ATTACHED_SEEN;
    bool is_root = stave__around_find(&walk->around, &span) == NULL &&
                   counts(choosing, stave__row_name(choosing->trace, block, row));
    struct stave__root root = {span.start, span.serial, walk->passed++, block->lane};
    double length = 0;
    if (is_root)
        length = stave__ticks_length(&choosing->ticks, span.start, span.end);
    if (is_root && !add_root(choosing, &root, length * choosing->ticks.unit_ns))
        return STAVE_E_MEMORY;
    return stave__around_push(&walk->around, &span) ? STAVE_OK : STAVE_E_MEMORY;
}

static int take_block(struct walk *walk, const stave_block *block)
{
    int status = STAVE_OK;
    for (uint32_t i = block->rows; i-- > 0 && status == STAVE_OK;)
        status = take_span(walk, block, i);
    return status;
}

/* The choices [from, end) are a whole boot; its blocks of spans, lane by lane. */
static int list_lanes(struct stave__choosing *choosing, uint32_t from, uint32_t end,
                      stave_error *error)
{
    struct stave__reading *reading = &choosing->reading;
    struct walk walk = {.choosing = choosing};
    int status = STAVE_OK;
    uint32_t next;
    for (uint32_t lane = from; lane < end && status == STAVE_OK; lane = next) {
        next = stave__reading_end(reading, lane, end, STAVE__SAME_LANE);
        walk.around.used = 0;
        walk.passed = 0;
        for (uint32_t i = next; i-- > lane && status == STAVE_OK;) {
            if (reading->choices[i].kind != STAVE_SPANS)
                continue;
            status = stave__reading_show(reading, i, error);
            if (status > 0)
                status = take_block(&walk, &reading->block);
        }
    }
    stave__around_free(&walk.around);
    return status < 0 ? stave__fail_memory(error) : status;
}

/* ---- a boot with attached spans -------------------------------------------------------------- */

static int fill_forest(struct stave__choosing *choosing, struct stave__forest *forest,
                       uint32_t from, uint32_t end, stave_error *error)
{
    struct stave__reading *reading = &choosing->reading;
    int status = STAVE_OK;
    uint32_t next;
    for (uint32_t i = from; i < end && status >= 0; i = next) {
        next = stave__reading_end(reading, i, end, STAVE__SAME_KIND);
        if (reading->choices[i].kind == STAVE_SPANS)
            status = stave__forest_add_spans(forest, reading, i, next, NULL, error);
    }
    if (status >= 0)
        status = stave__forest_add_cumulatives(forest, reading, from, end, error);
    return status >= 0 ? stave__forest_solve(forest, error) : status;
}

static bool list_nodes(struct stave__choosing *choosing, const struct stave__forest *forest)
{
    for (uint32_t i = 0; i < forest->spans; i++) {
        const struct stave__node *node = &forest->nodes[i];
        struct stave__root root = {node->start, node->serial, i, node->lane};
        if (node->parent == STAVE_NONE && counts(choosing, node->name) &&
            !add_root(choosing, &root, node->extent.length * forest->ticks->unit_ns))
            return false;
    }
    return true;
}

static int list_forest(struct stave__choosing *choosing, struct stave__forest *forest,
                       uint32_t from, uint32_t end, stave_error *error)
{
    choosing->seen = 0;
    choosing->used = 0;
    int status = fill_forest(choosing, forest, from, end, error);
    if (status >= 0 && !list_nodes(choosing, forest))
        status = stave__fail_memory(error);
    return status;
}

/* ---- boot after boot ------------------------------------------------------------------------- */

/* Takes the root of this boot that is to be taken, if any. */
static bool choose_in_boot(struct stave__choosing *choosing)
{
    struct stave__chosen *chosen = &choosing->chosen;
    uint64_t wanted = choosing->config->root - choosing->before;
    bool slowest = choosing->config->slowest;
    if (choosing->is_chosen && (!slowest || choosing->best.total_ns <= chosen->total_ns))
        return false;
    if (wanted >= choosing->seen && !(slowest && choosing->seen > 0))
        return false;
    *chosen = choosing->best;
    chosen->number = choosing->before;
    if (!is_listing(choosing))
        return true;
    qsort(choosing->roots, choosing->used, sizeof *choosing->roots, compare_roots);
    chosen->root = choosing->roots[wanted];
    chosen->number = choosing->config->root;
    return true;
}

static void keep(struct stave__choosing *choosing, struct stave__forest *forest, uint32_t from,
                 uint32_t end)
{
    choosing->is_chosen = true;
    choosing->chosen.boot = choosing->ticks.boot;
    choosing->chosen.from = from;
    choosing->chosen.end = end;
    choosing->chosen.in_forest = forest->count > 0;
    stave__forest_free(&choosing->kept);
    choosing->kept = *forest;
    choosing->kept_ticks = choosing->ticks;
    choosing->kept.ticks = &choosing->kept_ticks;
    *forest = (struct stave__forest){.ticks = forest->ticks};
}

static int choose_from_boot(struct stave__choosing *choosing, uint32_t from, uint32_t end,
                            stave_error *error)
{
    struct stave__forest forest = {.ticks = &choosing->ticks};
    stave__ticks_init(&choosing->ticks, choosing->trace, choosing->reading.choices[from].boot);
    choosing->seen = 0;
    choosing->used = 0;
    int status = list_lanes(choosing, from, end, error);
    if (status == ATTACHED_SEEN)
        status = list_forest(choosing, &forest, from, end, error);
    if (status >= 0 && choose_in_boot(choosing))
        keep(choosing, &forest, from, end);
    choosing->before += choosing->seen;
    stave__forest_free(&forest);
    return status;
}

/* The slowest one is known, but not how many of its boot stand before it. */
static int number_slowest(struct stave__choosing *choosing, stave_error *error)
{
    const struct stave__chosen *chosen = &choosing->chosen;
    choosing->counting = true;
    if (chosen->in_forest) {
        list_nodes(choosing, &choosing->kept);
        return STAVE_OK;
    }
    choosing->ticks = choosing->kept_ticks;
    return list_lanes(choosing, chosen->from, chosen->end, error);
}

int stave__choose_root(struct stave__choosing *choosing, stave_error *error)
{
    struct stave__reading *reading = &choosing->reading;
    stave_filter filter = {.kinds =
                               STAVE_KIND_BIT(STAVE_SPANS) | STAVE_KIND_BIT(STAVE_CUMULATIVES)};
    int status =
        stave__reading_open(reading, choosing->trace, &filter, choosing->config->progress, error);
    uint32_t next;
    for (uint32_t i = 0; status >= 0 && i < reading->count; i = next) {
        next = stave__reading_end(reading, i, reading->count, STAVE__SAME_BOOT);
        status = choose_from_boot(choosing, i, next, error);
    }
    if (status >= 0 && choosing->config->slowest && choosing->is_chosen)
        status = number_slowest(choosing, error);
    return status;
}

void stave__choosing_end(struct stave__choosing *choosing)
{
    stave__reading_close(&choosing->reading);
    stave__forest_free(&choosing->kept);
    free(choosing->roots);
}
