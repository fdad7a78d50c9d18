/* analyze/intervals.h - unions of stretches of time and their lengths.
 *
 *     struct stave__intervals pool = {.ticks = &ticks};
 *     struct stave__interval_set a = {0}, b = {0};
 *     if (!stave__intervals_add(&pool, &a, 0, 100) || !stave__intervals_add(&pool, &b, 90, 120) ||
 *         !stave__intervals_unite(&pool, &a, &b)) ...                     // out of memory
 *     a.length                                                            // 120
 *     stave__intervals_free(&pool);
 *
 * A set is a number of disjoint intervals that do not touch, in a splay tree: adding one costs
 * O(log n) on average over many, uniting two sets the smaller one's size times that, so that uniting
 * all sets of a tree of n spans costs O(n log^2 n). Nothing recurses. Lengths are in units of `ticks`.
 *
 * Ownership  All sets of a pool go with it.
 * Errors     Out of memory, a set may have lost a part; the pool can still be freed.  */
#ifndef STAVE_ANALYZE_INTERVALS_H
#define STAVE_ANALYZE_INTERVALS_H

#include <stddef.h>

#include "analyze/ticks.h"

/* ---- at once --------------------------------------------------------------------------------- */

struct stave__stretch {
    int64_t start, end; /* ticks */
};

/* All zero: none. The caller frees `at`. */
struct stave__stretches {
    struct stave__stretch *at;
    size_t used, size;
};

bool stave__stretches_grow(struct stave__stretches *stretches);

/* False when out of memory. */
static inline bool stave__stretches_add(struct stave__stretches *stretches, int64_t start,
                                        int64_t end)
{
    if (stretches->used == stretches->size && !stave__stretches_grow(stretches))
        return false;
    stretches->at[stretches->used++] = (struct stave__stretch){start, end};
    return true;
}

/* The length of the union. Sorts them. */
double stave__stretches_union(struct stave__stretch *stretches, size_t count,
                              struct stave__ticks *ticks);

/* ---- sets that grow together ----------------------------------------------------------------- */

/* All zero: empty. */
struct stave__interval_set {
    uint32_t root; /* 0: none */
    uint32_t count;
    double length;
};

/* Zero but for `ticks`: empty. */
struct stave__intervals {
    struct stave__ticks *ticks;
    struct stave__interval *nodes; /* 0 is no interval */
    uint32_t used, size;
    uint32_t unused; /* list of nodes by their `right`; 0: none */
};

/* Stretches without length leave the set as it is. */
bool stave__intervals_add(struct stave__intervals *pool, struct stave__interval_set *set,
                          int64_t start, int64_t end);

/* `other` is empty afterwards. */
bool stave__intervals_unite(struct stave__intervals *pool, struct stave__interval_set *set,
                            struct stave__interval_set *other);

/* ---- the extent of a span and all below it --------------------------------------------------- */

/* Of a span of a tree the union of its interval and those below it. A span whose descendants all lie in it has its own
 * interval as extent, and needs no set: that stays empty, with the length of the interval. Children first. */

/* What of a child and below it sticks out of the span goes into the span's extent; the child's keeps its length alone. */
bool stave__extent_take(struct stave__intervals *pool, struct stave__interval_set *extent,
                        const struct stave__stretch *own, struct stave__interval_set *child,
                        const struct stave__stretch *child_own);

/* When it has taken all children. */
bool stave__extent_close(struct stave__intervals *pool, struct stave__interval_set *extent,
                         const struct stave__stretch *own);

void stave__intervals_clear(struct stave__intervals *pool, struct stave__interval_set *set);

void stave__intervals_free(struct stave__intervals *pool);

#endif
