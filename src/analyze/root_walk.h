/* analyze/root_walk.h - all roots of a boot, one after the other.
 *
 *     struct stave__root_walk walk = {.trace = trace, .reading = &reading, .ticks = &ticks,
 *                                     .take = take, .context = context};
 *     struct stave__forest forest = {.ticks = &ticks};
 *     int status = stave__walk_roots(&walk, &forest, from, end, error);   // choices of one boot
 *
 * A boot without attached spans is read lane by lane, only the open spans in memory. One with them becomes
 * a forest, which is the caller's then; that a boot has them is seen on the way, and the walk begins anew, which
 * `again` is told.  */
#ifndef STAVE_ANALYZE_ROOT_WALK_H
#define STAVE_ANALYZE_ROOT_WALK_H

#include "analyze/forest.h"

struct stave__root {
    int64_t start;
    uint64_t serial;
    uint64_t at; /* its node in the forest, else how many rows of its lane stand behind it */
    uint32_t lane;
    uint32_t name; /* string id */
};

/* What is known of a root on the way, beside what tells it apart. */
struct stave__root_seen {
    struct stave__root root;
    int64_t end; /* ticks */
    double total_ns;
    uint16_t flags;
};

/* By start, lane, serial; where all are alike the earlier row, which has more behind it. */
int stave__compare_roots(const struct stave__root *a, const struct stave__root *b);

struct stave__root_walk {
    stave_trace *trace;
    struct stave__reading *reading;
    struct stave__ticks *ticks; /* of the boot, without a window */
    bool (*take)(void *context, const struct stave__root_seen *seen); /* false: out of memory */
    void (*again)(void *context);                                     /* forget what was taken */
    void *context;
};

/* The choices [from, end) are all of a boot; of those only spans and cumulative rows are looked at. If the forest is
 * filled already, its roots are taken; if it is filled now, it has nodes. */
int stave__walk_roots(const struct stave__root_walk *walk, struct stave__forest *forest,
                      uint32_t from, uint32_t end, stave_error *error);

#endif
