/* Self and total of spans in memory, children before parents.
 *
 * A span whose descendants all lie in it has its own length as total, and needs no set of intervals.
 * Elsewhere the sets of its children are united, the smaller ones into the largest.  */
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

/* What of a child and below it sticks out of the span goes into the span's extent. */
static bool unite_child(struct stave__forest *forest, struct stave__node *node,
                        struct stave__node *child)
{
    if (child->cumulative)
        return true;
    if (child->extent.root != 0)
        return stave__intervals_unite(&forest->extents, &node->extent, &child->extent);
    return (child->start >= node->start && child->end <= node->end) ||
           stave__intervals_add(&forest->extents, &node->extent, child->start, child->end);
}

static bool sum_total(struct stave__forest *forest, struct stave__node *node)
{
    double own = own_length(forest, node);
    for (uint32_t i = node->first; i != STAVE_NONE; i = forest->nodes[i].next) {
        struct stave__node *child = &forest->nodes[i];
        double total = child->extent.length;
        if (!unite_child(forest, node, child))
            return false;
        child->extent.length = total; /* its set is gone, or the parent's now */
    }
    if (node->extent.root != 0 &&
        !stave__intervals_add(&forest->extents, &node->extent, node->start, node->end))
        return false;
    if (node->extent.count == 1 && node->extent.length <= own)
        stave__intervals_clear(&forest->extents, &node->extent);
    if (node->extent.root == 0)
        node->extent.length = own;
    return true;
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
