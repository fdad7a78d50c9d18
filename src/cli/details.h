/* cli/details.h - what a tree tells of its spans beside their times: attributes and marks, as text: `rows=240`,
 * `cache miss="users"`; the times of single calls in a cumulative row. */
#ifndef STAVE_CLI_DETAILS_H
#define STAVE_CLI_DETAILS_H

#include "cli/json.h"
#include "stave/analyze.h"

/* Of the calls that a cumulative row stands for, at the rate of its start. */
struct cli_spread {
    double least_ns, most_ns, mean_ns; /* NaN: of none */
};

struct cli_spread cli_spread_of(const stave_trace *trace, const stave_tree_node *node);

/* Those of a node that are of one kind: how many, and the first of them. */
uint32_t cli_details_of(const stave_tree *tree, uint32_t node, uint32_t kind,
                        const stave_tree_detail **first);

/* One of them, at most `most` columns wide, with dots for what is cut off. To be freed; NULL: no memory. */
char *cli_detail_shown(const stave_trace *trace, const stave_tree_detail *detail, size_t most);

/* All attributes of a node, a blank in front of each, if that takes no more than `most` columns; else, or if there are
 * none, "". To be freed; NULL: no memory. */
char *cli_attributes_shown(const stave_trace *trace, const stave_tree *tree, uint32_t node,
                           size_t most);

/* Adds a blank and an attribute to a line that is to be freed. False when there is no memory. */
bool cli_detail_append(char **line, const stave_trace *trace, const stave_tree_detail *detail);

/* The first with the key `id`, or NULL. */
const stave_tree_detail *cli_id_of(const stave_trace *trace, const stave_tree_detail *attributes,
                                   uint32_t count);

/* "attributes", an array of key and value. */
void cli_attributes_json(struct cli_json *json, const stave_trace *trace,
                         const stave_tree_detail *attributes, uint32_t count);

#endif
