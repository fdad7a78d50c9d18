/* Self and total of spans in memory, children before parents.
 *
 * Totals are the lengths of extents (analyze/intervals.h): the sets of a span's children are united, the smaller ones
 * into the largest.  */
#include <stdlib.h>

#include "analyze/forest.h"
#include "base/error.h"

struct sums {
    struct stave__forest *forest;
    struct stave__stretches stretches; /* children of the one at hand, as far as they are in it */
};

/* The child's own interval, not its descendants'. */
static bool cover(struct sums *sums, const struct stave__node *node,
                  const struct stave__node *child)
{
    int64_t start = child->start > node->start ? child->start : node->start;
    int64_t end = child->end < node->end ? child->end : node->end;
    return start >= end || stave__stretches_add(&sums->stretches, start, end);
}

static double own_length(const struct stave__forest *forest, const struct stave__node *node)
{
    return stave__ticks_length(forest->ticks, node->start, node->end);
}

/* Of a cumulative row, whose self is its total until now. */
static void sum_cumulative(const struct stave__forest *forest, struct stave__node *node)
{
    double taken = 0;
    for (uint32_t i = node->first; i != STAVE_NONE; i = forest->nodes[i].next)
        taken += forest->nodes[i].extent.length;
    node->extent.length = node->self;
    node->self = node->self > taken ? node->self - taken : 0;
}

static bool sum_self(struct sums *sums, struct stave__node *node)
{
    const struct stave__forest *forest = sums->forest;
    const struct stave__node *child;
    double taken = 0;
    sums->stretches.used = 0;
    for (uint32_t i = node->first; i != STAVE_NONE; i = child->next) {
        child = &forest->nodes[i];
        if (child->cumulative)
            taken += child->direct ? child->extent.length : 0;
        else if (!cover(sums, node, child))
            return false;
    }
    taken += stave__stretches_union(sums->stretches.at, sums->stretches.used, forest->ticks);
    double own = own_length(forest, node);
    node->self = own > taken ? own - taken : 0;
    return true;
}

static struct stave__stretch stretch_of(const struct stave__node *node)
{
    return (struct stave__stretch){node->start, node->end};
}

static bool sum_total(struct stave__forest *forest, struct stave__node *node)
{
    struct stave__stretch own = stretch_of(node);
    for (uint32_t i = node->first; i != STAVE_NONE; i = forest->nodes[i].next) {
        struct stave__node *child = &forest->nodes[i];
        struct stave__stretch child_own = stretch_of(child);
        if (!child->cumulative &&
            !stave__extent_take(&forest->extents, &node->extent, &own, &child->extent, &child_own))
            return false;
    }
    return stave__extent_close(&forest->extents, &node->extent, &own);
}

int stave__forest_sum(struct stave__forest *forest, const uint32_t *order, stave_error *error)
{
    struct sums sums = {.forest = forest};
    bool added = true;
    forest->extents.ticks = forest->ticks;
    for (uint32_t i = 0; i < forest->count && added; i++) {
        struct stave__node *node = &forest->nodes[order[i]];
        if (node->cumulative)
            sum_cumulative(forest, node);
        else
            added = sum_self(&sums, node) && sum_total(forest, node);
    }
    free(sums.stretches.at);
    stave__intervals_free(&forest->extents);
    return added ? STAVE_OK : stave__fail_memory(error);
}
