/* analyze/tree_details.h - attributes and marks of the spans of a tree (analyze/details.h).
 *
 *     struct stave__details details = {0};
 *     if (stave__tree_details_read(&details, &detailing, error) < 0) ...
 *
 * Only blocks of the tree's boot and lanes are read, and of their rows only those of its spans are kept.  */
#ifndef STAVE_ANALYZE_TREE_DETAILS_H
#define STAVE_ANALYZE_TREE_DETAILS_H

#include "analyze/details.h"

struct stave__detailing {
    stave_trace *trace;
    const stave_tree_node *nodes;
    uint32_t count;
    uint32_t levels; /* of the nodes that may have details */
    stave_progress progress;
};

int stave__tree_details_read(struct stave__details *details,
                             const struct stave__detailing *detailing, stave_error *error);

#endif
