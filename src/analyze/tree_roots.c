#include "analyze/tree_roots.h"

#include <stdlib.h>

#define FIRST_ROOTS 256u

/* ---- roots as they come ---------------------------------------------------------------------- */

static int compare_listed(const void *a, const void *b)
{
    return stave__compare_roots(a, b);
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
    return stave__compare_roots(root, &best->root) < 0;
}

static bool counts(const struct stave__choosing *choosing, uint32_t name)
{
    const stave_tree_config *config = choosing->config;
    return config->root_counts == NULL || config->root_counts(config->root_context, name);
}

static bool add_root(void *context, const struct stave__root_seen *seen)
{
    struct stave__choosing *choosing = context;
    const struct stave__root *root = &seen->root;
    if (!counts(choosing, root->name))
        return true;
    if (choosing->counting) {
        choosing->chosen.number += stave__compare_roots(root, &choosing->chosen.root) < 0;
        return true;
    }
    if (is_better(choosing, root, seen->total_ns))
        choosing->best = (struct stave__chosen){.root = *root, .total_ns = seen->total_ns};
    choosing->seen++;
    return !is_listing(choosing) || list_root(choosing, root);
}

static void begin_boot(void *context)
{
    struct stave__choosing *choosing = context;
    choosing->seen = 0;
    choosing->used = 0;
}

static int walk(struct stave__choosing *choosing, struct stave__forest *forest, uint32_t from,
                uint32_t end, stave_error *error)
{
    struct stave__root_walk walk = {
        .trace = choosing->trace,
        .reading = &choosing->reading,
        .ticks = &choosing->ticks,
        .take = add_root,
        .again = begin_boot,
        .context = choosing,
    };
    return stave__walk_roots(&walk, forest, from, end, error);
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
    qsort(choosing->roots, choosing->used, sizeof *choosing->roots, compare_listed);
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
    begin_boot(choosing);
    int status = walk(choosing, &forest, from, end, error);
    if (status >= 0 && choose_in_boot(choosing))
        keep(choosing, &forest, from, end);
    choosing->before += choosing->seen;
    stave__forest_free(&forest);
    return status;
}

/* The slowest one is known, but not how many of its boot stand before it. */
static int number_slowest(struct stave__choosing *choosing, stave_error *error)
{
    choosing->counting = true;
    choosing->ticks = choosing->kept_ticks;
    return walk(choosing, &choosing->kept, choosing->chosen.from, choosing->chosen.end, error);
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
