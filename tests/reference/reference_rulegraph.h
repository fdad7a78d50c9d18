/* reference_rulegraph.h - docs/rules.md by brute force: what a report must say of a handful of evaluations.
 *
 * Written from that page alone, with loops over everything and times as cells of a line. Quadratic and worse.  */
#ifndef REFERENCE_RULEGRAPH_H
#define REFERENCE_RULEGRAPH_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RULEGRAPH_ROWS = 64,
    RULEGRAPH_RULES = 24,
    RULEGRAPH_NEEDS = 8,
    RULEGRAPH_TIMES = 512, /* all times are below it */
    RULEGRAPH_CYCLES = 256
};

enum rulegraph_kind { RULEGRAPH_EVALUATION, RULEGRAPH_SPAN, RULEGRAPH_RUN };
enum rulegraph_place { RULEGRAPH_ROOT, RULEGRAPH_DEPENDENCY, RULEGRAPH_INSIDE, RULEGRAPH_PARENT };

struct rulegraph_rule {
    const char *id;
    bool is_known; /* false: others name it */
    int parent;    /* -1: none */
    int needs[RULEGRAPH_NEEDS], needs_count;
};

struct rulegraph_row {
    int kind, rule;
    int lane, serial;
    int start, end;
    int around; /* on its thread; -1: nothing */
    bool attached;
    int place_lane, place_serial;

    /* answers */
    bool is_node, is_missing;
    int run; /* the row of the run's span; else -1 - its lane, or -1000 - its lost place */
    int parent, place;
    int links[RULEGRAPH_NEEDS + 1], links_count;
    int self, total, busy, slack;
    int longest_to, longest_from; /* chains, in it and behind it */
    bool is_critical;
};

struct rulegraph {
    struct rulegraph_rule rules[RULEGRAPH_RULES]; /* by the bytes of their ids */
    int rules_count;
    struct rulegraph_row rows[RULEGRAPH_ROWS]; /* in any order */
    int rows_count;

    /* answers */
    int cycles[RULEGRAPH_CYCLES][RULEGRAPH_RULES], cycle_sizes[RULEGRAPH_CYCLES], cycles_count;
    int unplaced, circles;
};

void rulegraph_solve(struct rulegraph *graph);

/* The length of the critical path of a run, and its rows from the first on: their number. */
int rulegraph_path(const struct rulegraph *graph, int run, int *length, int path[RULEGRAPH_ROWS]);

#endif
