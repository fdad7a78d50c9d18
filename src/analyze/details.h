/* analyze/details.h - attributes and marks of some spans, sorted out from the rows of all.
 *
 *     struct stave__search search = {0};
 *     if (!stave__search_open(&search, count)) ...                    // out of memory
 *     stave__search_add(&search, lane, serial, node);                 // `count` times at most
 *     stave__search_sort(&search);
 *     if (!stave__search_take(&search, block)) ...                    // blocks of one boot, in their order
 *     if (!stave__search_finish(&search, nodes, &details)) ...
 *     stave__search_free(&search);
 *     const stave_tree_detail *first = stave__details_of(&details, node, &count);
 *     stave__details_free(&details);
 *
 * Whose a row is its lane and serial say; of nodes alike in these the first has it.  */
#ifndef STAVE_ANALYZE_DETAILS_H
#define STAVE_ANALYZE_DETAILS_H

#include "stave/analyze.h"

struct stave__details {
    stave_tree_detail *rows; /* node after node */
    uint32_t *first;         /* of each node, and one more; NULL: there are none */
};

struct stave__search {
    struct stave__owner *owners; /* by lane, serial, node */
    uint32_t owners_count;
    struct stave__found *found; /* rows of theirs, as they come */
    uint32_t used, size;
};

bool stave__search_open(struct stave__search *search, uint32_t count);
void stave__search_add(struct stave__search *search, uint32_t lane, uint64_t serial, uint32_t node);
void stave__search_sort(struct stave__search *search);

/* Whether details of a span of the lane with a serial from `low` to `high` are wanted. */
bool stave__search_wants(const struct stave__search *search, uint32_t lane, uint64_t low,
                         uint64_t high);

bool stave__search_take(struct stave__search *search, const stave_block *block);

/* Nodes have numbers below `nodes`. Those of a node keep the order in which they came. */
bool stave__search_finish(const struct stave__search *search, uint32_t nodes,
                          struct stave__details *details);

void stave__search_free(struct stave__search *search);

/* A row as a detail of its span. */
stave_tree_detail stave__detail_of(const stave_block *block, uint32_t row);

/* Those of a node; NULL and 0 when there are none. */
const stave_tree_detail *stave__details_of(const struct stave__details *details, uint32_t node,
                                           uint32_t *count);

void stave__details_free(struct stave__details *details);

#endif
