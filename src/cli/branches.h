/* cli/branches.h - a tree of spans as lines of text: what `stave tree` shows.
 *
 *     span             total ms  self ms  0        2.000 ms
 *     request id="c-1"    2.000    0.500  ████████████████
 *     ├ parse rows=240    0.500    0.500   ████
 *     └ answer            1.000    1.000         ████████   ! failed
 */
#ifndef STAVE_CLI_BRANCHES_H
#define STAVE_CLI_BRANCHES_H

#include "cli/text.h"
#include "stave/analyze.h"

struct cli_branches {
    const char *file; /* its name */
    const stave_trace *trace;
    const stave_tree *tree;
    uint32_t levels; /* shown at most; those below them are counted */
};

/* On standard output, as wide as its terminal (80 columns where it is none). False when there is no
 * memory. */
bool cli_branches_print(const struct cli_branches *branches);

/* The same as JSON, each value with its type and whole. */
bool cli_branches_json(const struct cli_branches *branches);

#endif
