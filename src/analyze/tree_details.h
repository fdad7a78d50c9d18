/* analyze/tree_details.h - attributes and marks of the spans of a tree.
 *
 *     struct stave__details details = {0};
 *     if (stave__details_read(&details, &detailing, error) < 0) ...
 *     const stave_tree_detail *first = stave__details_of(&details, node, &count);
 *     stave__details_free(&details);
 *
 * Whose a row is its lane and serial say; of nodes alike in these the first has it. Only blocks of the tree's boot
 * and lanes are read, and of their rows only those of its spans are kept.  */
#ifndef STAVE_ANALYZE_TREE_DETAILS_H
#define STAVE_ANALYZE_TREE_DETAILS_H

#include "stave/analyze.h"

struct stave__detailing {
    stave_trace *trace;
    const stave_tree_node *nodes;
    uint32_t count;
    uint32_t levels; /* of the nodes that may have details */
    stave_progress progress;
};

struct stave__details {
    stave_tree_detail *rows; /* node after node */
    uint32_t *first;         /* of each node, and one more; NULL: there are none */
};

int stave__details_read(struct stave__details *details, const struct stave__detailing *detailing,
                        stave_error *error);

/* Those of a node; NULL and 0 when there are none. */
const stave_tree_detail *stave__details_of(const struct stave__details *details, uint32_t node,
                                           uint32_t *count);

void stave__details_free(struct stave__details *details);

#endif
