/* analyze/tree_roots.h - which root of a trace a tree is made of.
 *
 *     struct stave__choosing choosing = {.trace = trace, .config = &config};
 *     int status = stave__choose_root(&choosing, error);
 *     if (status >= 0 && !choosing.is_chosen) ...                    // there is no such root
 *     stave__choosing_end(&choosing);
 *
 * Roots are looked at boot after boot (analyze/root_walk.h); where one in their midst is wanted, they are listed, 32 bytes
 * each. A boot that became a forest is kept as that when the root chosen is in it.  */
#ifndef STAVE_ANALYZE_TREE_ROOTS_H
#define STAVE_ANALYZE_TREE_ROOTS_H

#include "analyze/root_walk.h"
#include "stave/analyze.h"

struct stave__chosen {
    struct stave__root root;
    double total_ns;
    uint32_t boot;
    uint32_t from, end; /* choices of its boot */
    uint64_t number;    /* which root of the trace it is */
    bool in_forest;     /* `kept` is its boot's */
};

struct stave__choosing {
    stave_trace *trace;
    const stave_tree_config *config;
    struct stave__reading reading;
    struct stave__ticks ticks;
    uint64_t seen;             /* roots of the boot at hand */
    struct stave__chosen best; /* of them: the slowest or the first */
    struct stave__root *roots; /* all of them, where one in their midst is wanted */
    size_t used, size;
    uint64_t before; /* roots in earlier boots; at the end: in all */
    bool counting;   /* those before the chosen one, which is known */
    bool is_chosen;
    struct stave__chosen chosen;
    struct stave__forest kept; /* solved, or empty */
    struct stave__ticks kept_ticks;
};

int stave__choose_root(struct stave__choosing *choosing, stave_error *error);

void stave__choosing_end(struct stave__choosing *choosing);

#endif
