/* analyze/forest.h - spans of one boot in memory, each with its parent, children, self and total.
 *
 *     struct stave__forest forest = {.ticks = &ticks};
 *     if (stave__forest_add_spans(&forest, &reading, from, end, NULL, error) < 0 ||  // lane after lane
 *         stave__forest_add_cumulatives(&forest, &reading, from, end, error) < 0 ||
 *         stave__forest_solve(&forest, error) < 0) ...
 *     for (uint32_t i = 0; i < forest.count; i++)
 *         if (forest.nodes[i].parent == STAVE_NONE) ...                                // a root
 *     stave__forest_free(&forest);
 *
 * Parents   By nesting (analyze/nesting.h), or the span that an attached one names: of those with its
 *           lane and serial the last row. Who is below itself in this way becomes a root, and so does
 *           everyone else on that circle. Of a cumulative row the row around it (analyze/places.h), else
 *           its span.
 * Memory    About 100 bytes a span, 170 a cumulative row, and 24 an interval that sticks out of its parent.
 * Limits    2^32 - 2 spans; more are reported as out of memory.  */
#ifndef STAVE_ANALYZE_FOREST_H
#define STAVE_ANALYZE_FOREST_H

#include "analyze/intervals.h"
#include "analyze/places.h"
#include "analyze/reading.h"

struct stave__node {
    int64_t start, end; /* ticks, the part in the window */
    uint64_t serial;    /* of a cumulative row: of the span it is in */
    uint64_t other;     /* of an attached span: its parent's serial; of a cumulative row: calls */
    double self;        /* units */
    struct stave__interval_set extent; /* length: total, units. The rest is for solving */
    uint32_t lane;
    uint32_t name;        /* string id */
    uint32_t parent;      /* STAVE_NONE: a root. Until solved an attached span's parent's lane */
    uint32_t first, next; /* child, sibling; STAVE_NONE: none */
    uint32_t waiting;     /* while being solved: children not done. Free for others afterwards */
    uint16_t flags;
    bool cumulative;
    bool unnamed; /* it has its lane's name */
    bool direct;  /* of a cumulative row whose parent is its span: it takes from that one's self */
};

/* Of a cumulative row's calls, in ticks. */
struct stave__spread {
    uint64_t least, most;
};

/* A node whose parent is named, not nested; the span around it in its own lane, if any and it is one itself. */
struct stave__named {
    uint32_t node, around;
};

struct stave__forest {
    struct stave__ticks *ticks;
    struct stave__node *nodes; /* a lane's last row first; all spans before cumulative rows */
    uint32_t count, size;
    uint32_t spans;                /* of `count` */
    struct stave__spread *spreads; /* of the nodes from `spans` on */
    uint32_t spreads_size;
    struct stave__named *named; /* attached spans in the order of the nodes, then cumulative rows */
    uint32_t named_count, named_size;
    struct stave__place *places; /* of cumulative rows that may be in others, until solved */
    uint32_t places_count, places_size;
    struct stave__intervals extents; /* the nodes', while being solved */
};

/* A row's name, or its lane's if it has none. */
uint32_t stave__row_name(const stave_trace *trace, const stave_block *block, uint32_t row);

/* Which spans of a lane: the one that has `passed` rows behind it, and all that it holds. */
struct stave__run {
    uint64_t passed;
};

/* The spans in the window of the choices [from, end), blocks of one lane; all of them or a run. The
 * window does not go with a run. */
int stave__forest_add_spans(struct stave__forest *forest, struct stave__reading *reading,
                            uint32_t from, uint32_t end, const struct stave__run *run,
                            stave_error *error);

/* After all spans. Of the blocks of any kind [from, end) those of cumulative rows. */
int stave__forest_add_cumulatives(struct stave__forest *forest, struct stave__reading *reading,
                                  uint32_t from, uint32_t end, stave_error *error);

/* Finds the parents that are named, cuts circles, works out self and total. */
int stave__forest_solve(struct stave__forest *forest, stave_error *error);

/* The second half of it, in forest_sums.c. `order`: all nodes, children before parents. */
int stave__forest_sum(struct stave__forest *forest, const uint32_t *order, stave_error *error);

void stave__forest_free(struct stave__forest *forest);

#endif
