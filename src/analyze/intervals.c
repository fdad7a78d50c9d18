#include "analyze/intervals.h"

#include <stdlib.h>

#define FIRST_STRETCHES 64u
#define FIRST_NODES 64u

/* ---- at once --------------------------------------------------------------------------------- */

bool stave__stretches_grow(struct stave__stretches *stretches)
{
    size_t size = stretches->size != 0 ? stretches->size * 2 : FIRST_STRETCHES;
    struct stave__stretch *larger = realloc(stretches->at, size * sizeof *larger);
    if (larger == NULL)
        return false;
    stretches->at = larger;
    stretches->size = size;
    return true;
}

static int compare_stretches(const void *a, const void *b)
{
    const struct stave__stretch *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Walks from the last row to the first bring them the wrong way round. */
static void turn_round(struct stave__stretch *stretches, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct stave__stretch moved = stretches[i];
        stretches[i] = stretches[count - 1 - i];
        stretches[count - 1 - i] = moved;
    }
}

static void sort(struct stave__stretch *stretches, size_t count)
{
    if (count > 1 && stretches[0].start > stretches[count - 1].start)
        turn_round(stretches, count);
    for (size_t i = 1; i < count; i++) {
        if (stretches[i - 1].start > stretches[i].start) {
            qsort(stretches, count, sizeof *stretches, compare_stretches);
            return;
        }
    }
}

double stave__stretches_union(struct stave__stretch *stretches, size_t count,
                              struct stave__ticks *ticks)
{
    double length = 0;
    sort(stretches, count);
    for (size_t i = 0; i < count;) {
        int64_t start = stretches[i].start, end = stretches[i].end;
        for (i++; i < count && stretches[i].start <= end; i++)
            if (stretches[i].end > end)
                end = stretches[i].end;
        length += stave__ticks_length(ticks, start, end);
    }
    return length;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

struct stave__interval {
    int64_t start, end;
    uint32_t left, right;
};

static bool grow(struct stave__intervals *pool)
{
    uint32_t size = pool->size != 0 ? pool->size * 2 : FIRST_NODES; /* 0 beyond 2^31 */
    struct stave__interval *larger = size != 0 ? realloc(pool->nodes, size * sizeof *larger) : NULL;
    if (larger == NULL)
        return false;
    if (pool->size == 0)
        pool->used = 1;
    pool->nodes = larger;
    pool->size = size;
    return true;
}

/* Room for one node more, so that the next one cannot fail. */
static bool reserve(struct stave__intervals *pool)
{
    return pool->unused != 0 || pool->used < pool->size || grow(pool);
}

static uint32_t take_node(struct stave__intervals *pool)
{
    uint32_t node = pool->unused;
    if (node == 0)
        return pool->used++;
    pool->unused = pool->nodes[node].right;
    return node;
}

static void give_back(struct stave__intervals *pool, uint32_t node)
{
    pool->nodes[node].right = pool->unused;
    pool->unused = node;
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Top-down splaying (Sleator and Tarjan, "Self-adjusting binary search trees", 1985): the interval
 * that begins at `key`, or one next to it, becomes the root. What lies before and behind the path is
 * hung under node 0, on its right and left. */
static uint32_t splay(struct stave__interval *n, uint32_t root, int64_t key)
{
    uint32_t before = 0, behind = 0, child;
    n[0].left = n[0].right = 0;
    for (;;) {
        if (key < n[root].start) {
            child = n[root].left;
            if (child != 0 && key < n[child].start) { /* turn the two round */
                n[root].left = n[child].right;
                n[child].right = root;
                root = child;
                child = n[root].left;
            }
            if (child == 0)
                break;
            n[behind].left = root;
            behind = root;
        } else {
            child = n[root].right;
            if (child != 0 && key > n[child].start) {
                n[root].right = n[child].left;
                n[child].left = root;
                root = child;
                child = n[root].right;
            }
            if (child == 0 || key == n[root].start)
                break;
            n[before].right = root;
            before = root;
        }
        root = child;
    }
    n[before].right = n[root].left;
    n[behind].left = n[root].right;
    n[root].left = n[0].right;
    n[root].right = n[0].left;
    return root;
}

static void forget(struct stave__intervals *pool, struct stave__interval_set *set, uint32_t node)
{
    set->count--;
    set->length -= stave__ticks_length(pool->ticks, pool->nodes[node].start, pool->nodes[node].end);
    give_back(pool, node);
}

/* Parts the tree into what begins at or before `key` and what begins behind it. */
static void part(struct stave__interval *n, uint32_t root, int64_t key, uint32_t *before,
                 uint32_t *behind)
{
    *before = *behind = 0;
    if (root == 0)
        return;
    root = splay(n, root, key);
    if (n[root].start <= key) {
        *before = root;
        *behind = n[root].right;
        n[root].right = 0;
    } else {
        *behind = root;
        *before = n[root].left;
        n[root].left = 0;
    }
}

/* The last interval that begins at or before `start` is swallowed if it reaches it: the least start. */
static int64_t swallow_before(struct stave__intervals *pool, struct stave__interval_set *set,
                              uint32_t *before, int64_t start, int64_t *end)
{
    if (*before == 0)
        return start;
    uint32_t last = *before = splay(pool->nodes, *before, INT64_MAX);
    if (pool->nodes[last].end < start)
        return start;
    if (pool->nodes[last].end > *end)
        *end = pool->nodes[last].end;
    *before = pool->nodes[last].left;
    start = pool->nodes[last].start;
    forget(pool, set, last);
    return start;
}

/* So are those behind that begin before `end` is reached. */
static int64_t swallow_behind(struct stave__intervals *pool, struct stave__interval_set *set,
                              uint32_t *behind, int64_t end)
{
    while (*behind != 0) {
        uint32_t first = *behind = splay(pool->nodes, *behind, INT64_MIN);
        if (pool->nodes[first].start > end)
            break;
        if (pool->nodes[first].end > end)
            end = pool->nodes[first].end;
        *behind = pool->nodes[first].right;
        forget(pool, set, first);
    }
    return end;
}

bool stave__intervals_add(struct stave__intervals *pool, struct stave__interval_set *set,
                          int64_t start, int64_t end)
{
    uint32_t before, behind;
    if (start >= end)
        return true;
    if (!reserve(pool))
        return false;
    part(pool->nodes, set->root, start, &before, &behind);
    start = swallow_before(pool, set, &before, start, &end);
    end = swallow_behind(pool, set, &behind, end);
    uint32_t node = take_node(pool);
    pool->nodes[node] = (struct stave__interval){start, end, before, behind};
    set->root = node;
    set->count++;
    if (set->count == 1)
        set->length = 0; /* and not what rounding left */
    set->length += stave__ticks_length(pool->ticks, start, end);
    return true;
}

/* ---- whole sets ------------------------------------------------------------------------------ */

/* Takes a leftmost interval out of a tree that is being given up: what is left of it. */
static uint32_t take_first(struct stave__intervals *pool, uint32_t root, int64_t *start,
                           int64_t *end)
{
    struct stave__interval *n = pool->nodes;
    for (uint32_t left; (left = n[root].left) != 0; root = left) { /* turn right */
        n[root].left = n[left].right;
        n[left].right = root;
    }
    uint32_t rest = n[root].right;
    *start = n[root].start;
    *end = n[root].end;
    give_back(pool, root);
    return rest;
}

bool stave__intervals_unite(struct stave__intervals *pool, struct stave__interval_set *set,
                            struct stave__interval_set *other)
{
    struct stave__interval_set larger = set->count >= other->count ? *set : *other;
    uint32_t rest = set->count >= other->count ? other->root : set->root;
    bool added = true;
    while (rest != 0) {
        int64_t start, end;
        rest = take_first(pool, rest, &start, &end);
        added = stave__intervals_add(pool, &larger, start, end) && added;
    }
    *set = larger;
    *other = (struct stave__interval_set){0};
    return added;
}

void stave__intervals_clear(struct stave__intervals *pool, struct stave__interval_set *set)
{
    int64_t start, end;
    for (uint32_t rest = set->root; rest != 0;)
        rest = take_first(pool, rest, &start, &end);
    *set = (struct stave__interval_set){0};
}

/* ---- extents --------------------------------------------------------------------------------- */

bool stave__extent_take(struct stave__intervals *pool, struct stave__interval_set *extent,
                        const struct stave__stretch *own, struct stave__interval_set *child,
                        const struct stave__stretch *child_own)
{
    double length = child->length;
    bool sticks_out = child_own->start < own->start || child_own->end > own->end;
    bool taken = true;
    if (child->root != 0)
        taken = stave__intervals_unite(pool, extent, child);
    else if (sticks_out)
        taken = stave__intervals_add(pool, extent, child_own->start, child_own->end);
    child->length = length; /* its set is gone, or the span's now */
    return taken;
}

bool stave__extent_close(struct stave__intervals *pool, struct stave__interval_set *extent,
                         const struct stave__stretch *own)
{
    double length = stave__ticks_length(pool->ticks, own->start, own->end);
    if (extent->root != 0 && !stave__intervals_add(pool, extent, own->start, own->end))
        return false;
    if (extent->count == 1 && extent->length <= length)
        stave__intervals_clear(pool, extent);
    if (extent->root == 0)
        extent->length = length;
    return true;
}

void stave__intervals_free(struct stave__intervals *pool)
{
    free(pool->nodes);
    *pool = (struct stave__intervals){.ticks = pool->ticks};
}
