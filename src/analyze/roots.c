/* Roots as a list.
 *
 * Boot after boot: the roots that pass are gathered (analyze/listing.h); if others came with them, all of the boot
 * are walked once more to number those gathered; then they are joined to those of earlier boots.  */
#include <assert.h>
#include <stdlib.h>

#include "analyze/conditions.h"
#include "analyze/listing.h"
#include "analyze/roots_attributes.h"
#include "base/config.h"
#include "base/error.h"

struct stave_roots {
    struct stave__listing listing;
    uint64_t found, counted, all;
    struct stave__roots_attributes attributes;
};

struct gathering {
    stave_trace *trace;
    const stave_roots_config *config;
    stave_roots *roots;
    struct stave__reading reading;
    struct stave__conditions conditions;
    /* Of the boot at hand: */
    struct stave__ticks ticks, window;
    struct stave__forest forest;
    struct stave__listing listing;
    uint64_t found, counted, all;
};

/* ---- the roots of a boot --------------------------------------------------------------------- */

static bool counts(const struct gathering *g, uint32_t name)
{
    const stave_roots_config *config = g->config;
    return config->root_counts == NULL || config->root_counts(config->root_context, name);
}

static bool passes(const struct gathering *g, const struct stave__root_seen *seen)
{
    return !(seen->total_ns < g->config->least_ns) &&
           stave__ticks_in_window(&g->window, seen->root.start, seen->end) &&
           stave__conditions_met(&g->conditions, seen->root.lane, seen->root.serial);
}

static bool gather(void *context, const struct stave__root_seen *seen)
{
    struct gathering *g = context;
    bool is_counted = counts(g, seen->root.name);
    g->all++;
    g->counted += is_counted;
    if (!is_counted || !passes(g, seen))
        return true;
    g->found++;
    struct stave__listed row = {
        .root = {.serial = seen->root.serial,
                 .start = seen->root.start,
                 .end = seen->end,
                 .total_ns = seen->total_ns,
                 .lane = seen->root.lane,
                 .boot = g->ticks.boot,
                 .name = seen->root.name,
                 .flags = seen->flags},
        .at = seen->root.at,
    };
    return stave__listing_add(&g->listing, &row);
}

static void begin_boot(void *context)
{
    struct gathering *g = context;
    g->found = g->counted = g->all = 0;
    stave__listing_free(&g->listing);
}

static int walk(struct gathering *g, uint32_t from, uint32_t end,
                bool (*take)(void *context, const struct stave__root_seen *seen),
                stave_error *error)
{
    struct stave__root_walk walk = {
        .trace = g->trace,
        .reading = &g->reading,
        .ticks = &g->ticks,
        .take = take,
        .again = begin_boot,
        .context = g,
    };
    return stave__walk_roots(&walk, &g->forest, from, end, error);
}

/* ---- their numbers --------------------------------------------------------------------------- */

/* The first row that stands behind a root of the boot; how many there are if none does. */
static size_t row_behind(const struct gathering *g, const struct stave__root *root)
{
    struct stave__listed seen = {
        .root = {.serial = root->serial,
                 .start = root->start,
                 .lane = root->lane,
                 .boot = g->ticks.boot},
        .at = root->at,
    };
    size_t low = 0, high = g->listing.used;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stave__compare_listed(&g->listing.rows[middle], &seen) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Counts for the first row that it stands before. */
static bool count_before(void *context, const struct stave__root_seen *seen)
{
    struct gathering *g = context;
    size_t behind = row_behind(g, &seen->root);
    if (behind == g->listing.used)
        return true;
    g->listing.rows[behind].root.number++;
    g->listing.rows[behind].root.counted += counts(g, seen->root.name);
    return true;
}

static void add_up(struct gathering *g)
{
    uint64_t number = g->roots->all, counted = g->roots->counted;
    for (size_t i = 0; i < g->listing.used; i++) {
        stave_root *root = &g->listing.rows[i].root;
        root->number = number += root->number;
        root->counted = counted += root->counted;
    }
}

static void number_all(struct gathering *g)
{
    for (size_t i = 0; i < g->listing.used; i++) {
        g->listing.rows[i].root.number = g->roots->all + i;
        g->listing.rows[i].root.counted = g->roots->counted + i;
    }
}

/* The rows in the order of trees. */
static int number(struct gathering *g, uint32_t from, uint32_t end, stave_error *error)
{
    if (g->listing.used == 0)
        return STAVE_OK;
    qsort(g->listing.rows, g->listing.used, sizeof *g->listing.rows, stave__compare_listed);
    if (g->listing.used == g->all) {
        number_all(g);
        return STAVE_OK;
    }
    int status = walk(g, from, end, count_before, error);
    add_up(g);
    return status;
}

/* ---- boot after boot ------------------------------------------------------------------------- */

/* The boot's rows join those of earlier ones. */
static bool join(struct gathering *g)
{
    stave_roots *roots = g->roots;
    bool joined = true;
    roots->found += g->found;
    roots->counted += g->counted;
    roots->all += g->all;
    if (roots->listing.used == 0) {
        struct stave__listing empty = roots->listing;
        roots->listing = g->listing;
        g->listing = empty;
        return true;
    }
    for (size_t i = 0; i < g->listing.used && joined; i++)
        joined = stave__listing_add(&roots->listing, &g->listing.rows[i]);
    return joined;
}

static int add_boot(struct gathering *g, uint32_t from, uint32_t end, stave_error *error)
{
    const stave_roots_config *config = g->config;
    stave__ticks_init(&g->ticks, g->trace, g->reading.choices[from].boot);
    g->window = g->ticks;
    if (config->windowed)
        stave__ticks_window(&g->window, config->from_us, config->to_us);
    begin_boot(g);
    g->forest.ticks = &g->ticks;
    int status = stave__conditions_read(&g->conditions, &g->reading, from, end, error);
    if (status >= 0)
        status = walk(g, from, end, gather, error);
    stave__listing_finish(&g->listing);
    if (status >= 0)
        status = number(g, from, end, error);
    if (status >= 0 && !join(g))
        status = stave__fail_memory(error);
    stave__forest_free(&g->forest);
    return status;
}

static int gather_all(struct gathering *g, stave_error *error)
{
    stave_filter filter = {.kinds =
                               STAVE_KIND_BIT(STAVE_SPANS) | STAVE_KIND_BIT(STAVE_CUMULATIVES)};
    if (g->conditions.wanted != 0)
        filter.kinds |= STAVE_KIND_BIT(STAVE_ATTRIBUTES);
    int status = stave__reading_open(&g->reading, g->trace, &filter, g->config->progress, error);
    uint32_t next;
    for (uint32_t i = 0; status >= 0 && i < g->reading.count; i = next) {
        next = stave__reading_end(&g->reading, i, g->reading.count, STAVE__SAME_BOOT);
        status = add_boot(g, i, next, error);
    }
    stave__listing_finish(&g->roots->listing);
    stave__listing_free(&g->listing);
    stave__conditions_free(&g->conditions);
    stave__reading_close(&g->reading);
    return status;
}

/* ---- the list -------------------------------------------------------------------------------- */

static int make(stave_roots *roots, stave_trace *trace, const stave_roots_config *config,
                stave_error *error)
{
    struct stave__listing empty = {.order = config->order, .limit = config->limit};
    struct gathering g = {
        .trace = trace,
        .config = config,
        .roots = roots,
        .conditions = {.wanted = config->meets != NULL ? config->conditions : 0,
                       .meets = config->meets,
                       .context = config->meets_context},
        .listing = empty,
    };
    roots->listing = empty;
    roots->attributes.trace = trace;
    return gather_all(&g, error);
}

int stave_roots_new_sized(stave_trace *trace, const stave_roots_config *config, size_t config_size,
                          stave_roots **roots, stave_error *error)
{
    stave_roots_config own;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status >= 0 && (uint32_t)own.order > STAVE_ROOTS_SLOWEST)
        status = stave__fail(error, STAVE_E_ARGUMENT, 0, "there is no such order");
    if (status < 0)
        return status;
    stave_roots *made = calloc(1, sizeof *made);
    if (made == NULL)
        return stave__fail_memory(error);
    status = make(made, trace, &own, error);
    if (status < 0) {
        stave_roots_free(made);
        return status;
    }
    *roots = made;
    return STAVE_OK;
}

void stave_roots_free(stave_roots *roots)
{
    if (roots == NULL)
        return;
    stave__roots_attributes_close(&roots->attributes);
    stave__listing_free(&roots->listing);
    free(roots);
}

uint64_t stave_roots_count(const stave_roots *roots)
{
    return roots->listing.used;
}

const stave_root *stave_roots_at(const stave_roots *roots, uint64_t index)
{
    assert(index < roots->listing.used);
    return &roots->listing.rows[index].root;
}

uint64_t stave_roots_found(const stave_roots *roots)
{
    return roots->found;
}

uint64_t stave_roots_counted(const stave_roots *roots)
{
    return roots->counted;
}

uint64_t stave_roots_all(const stave_roots *roots)
{
    return roots->all;
}

int stave_roots_attributes(stave_roots *roots, uint64_t index, const stave_tree_detail **first,
                           uint32_t *count, stave_error *error)
{
    assert(index < roots->listing.used);
    int status =
        stave__roots_attributes_read(&roots->attributes, &roots->listing, (size_t)index, error);
    if (status >= 0)
        *first = stave__roots_attributes_of(&roots->attributes, (size_t)index, count);
    return status;
}
