/* cli/details.h - attributes and marks of a tree's spans, as text: `rows=240`, `cache miss="users"`. */
#ifndef STAVE_CLI_DETAILS_H
#define STAVE_CLI_DETAILS_H

#include "stave/analyze.h"

/* Those of a node that are of one kind: how many, and the first of them. */
uint32_t cli_details_of(const stave_tree *tree, uint32_t node, uint32_t kind,
                        const stave_tree_detail **first);

/* One of them, at most `most` columns wide, with dots for what is cut off. To be freed; NULL: no memory. */
char *cli_detail_shown(const stave_trace *trace, const stave_tree_detail *detail, size_t most);

/* All attributes of a node, a blank in front of each, if that takes no more than `most` columns; else, or if there are
 * none, "". To be freed; NULL: no memory. */
char *cli_attributes_shown(const stave_trace *trace, const stave_tree *tree, uint32_t node,
                           size_t most);

#endif
