/* stave/analyze.h - a trace to answers.
 *
 *     stave_rollup *rollup;
 *     if (stave_rollup_new(trace, NULL, &rollup, &error) < 0) ...
 *     for (uint32_t i = 0; i < stave_rollup_rows(rollup); i++) {
 *         const stave_rollup_row *row = stave_rollup_row_at(rollup, i);
 *         printf("%s %.0f ns\n", stave_trace_string(trace, row->name, NULL), row->self_ns);
 *     }
 *     stave_rollup_free(rollup);
 *
 * Self       A span's own interval minus the union of its children's intervals that overlap it.
 * Total      The length of the union of the intervals of a span and all its descendants.
 * Busy       The sum of self over a span and all its descendants: more than total where they ran in
 *            parallel.
 * Children   Of a span: the next deeper ones of its lane that lie in it, and those attached to it from
 *            any lane of its boot. A span holds the rows directly before its own in its lane, as long as
 *            each is deeper, lies within its times and has a higher serial; its parent is the first
 *            span behind it that holds it. A span that nobody holds, or that is attached to one that is
 *            not in the trace, is a root; so are those that are attached to each other in a circle.
 *            docs/analysis.md has the whole of it.
 * Ownership  The caller owns what is made and filled in; it refers to the trace's strings.
 * Threads    One at a time for each trace.
 * Errors     Those of reading the trace.  */
#ifndef STAVE_ANALYZE_H
#define STAVE_ANALYZE_H

#include "stave/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- lanes ----------------------------------------------------------------------------------- */

/* One lane over the whole trace. Durations are response times, start to end, in microseconds; spans
 * whose end is not known (STAVE_FLAGS_END_UNKNOWN) count as spans but not in total, min, mean, max,
 * checked and missed. Min, mean and max are 0 where there is no whole span. A span's deadline is its own
 * (include/stave/block.h), in exact ticks; else its lane's, which is the shortest decimal that gives the
 * float of stave_lane.deadline_ms: 0.7f are 700 us. */
typedef struct stave_lane_summary {
    uint64_t spans;
    uint64_t interrupted; /* their end is not known */
    uint64_t marks;
    uint64_t checked; /* whole spans with a deadline, their own or the lane's */
    uint64_t missed;  /* whole spans that ended after it */
    double total_us;
    double min_us;
    double mean_us;
    double max_us;
} stave_lane_summary;

/* Fills in `rows` for lanes 0 to count - 1; count is at most stave_trace_lanes(). After an error they
 * hold a part of the trace. */
STAVE_API int stave_summarize_lanes(stave_trace *trace, stave_lane_summary *rows, uint32_t count,
                                    stave_error *error);

/* ---- roll-up: one row a name ----------------------------------------------------------------- */

/* Zero is the default of every field. */
typedef struct stave_rollup_config {
    /* As if the trace had only the spans that overlap [from_us, to_us], of each the part inside.
     * Cumulative rows that overlap it count whole, those that reach beyond it as uncertain. */
    bool windowed;
    double from_us, to_us;
    /* Which lanes count; NULL: all. Children elsewhere still take time from their parents' self. */
    bool (*lane_counts)(void *context, uint32_t lane);
    void *lane_context;
    stave_progress progress; /* in rows */
} stave_rollup_config;

/* A call is a span, or one of a cumulative row's count. Calls, total and self are of all of them;
 * where the end is unknown, of what is known. Min, mean, the percentiles and max are of the calls
 * whose end is known (`timed`), from start to end, NaN where there is none. Percentile p is the
 * least duration that at least p % of the calls do not exceed (nearest rank): exact up to
 * STAVE_ROLLUP_EXACT calls of a name, beyond that at most 1/256 (0.4 %) too high; cumulative rows
 * are not in it. In nanoseconds. */
#define STAVE_ROLLUP_EXACT 512

typedef struct stave_rollup_row {
    uint32_t name; /* string id: the first of those with its text */
    uint64_t calls;
    uint64_t timed;
    double total_ns; /* a call inside another of the same name adds nothing */
    double self_ns;
    double min_ns, mean_ns, p50_ns, p90_ns, p99_ns, max_ns;
    uint64_t failed;
    uint64_t uncertain;               /* with a bit of STAVE_FLAGS_DOUBT */
    double net_total_ns, net_self_ns; /* total and self, corrected: see below */
    bool costly;                      /* likewise */
} stave_rollup_row;

/* What recording took of these times, in traces whose recorder says what a span costs (its properties record.span_ns and
 * record.inner_ns). Of a call's duration it is inner_ns, and span_ns for each call that was made on its lane within it;
 * of its self inner_ns, and the rest of span_ns for each call directly in it. Each of a cumulative row's count is a call.
 * Net times are without that, taken from the sums of a name, and never below 0. What other lanes spent is still in the
 * total of a span that others are attached to, as is what rows that were lost, attributes and marks took. Where
 * the cost is not known, net times are total and self. docs/analysis.md has the formulas.
 *
 * Costly are names whose calls took longer to be recorded than they took, net, themselves: STAVE_COSTLY_CALLS
 * or more, for which recording took at least STAVE_COSTLY_SHARE of the time in spans. */
#define STAVE_COSTLY_CALLS 1000
#define STAVE_COSTLY_SHARE 0.01

/* All 0 unless known. */
typedef struct stave_rollup_cost {
    bool known;
    double span_ns, inner_ns; /* as in stave_cost of stave/stave.h */
    uint64_t calls;           /* of all rows */
    double total_ns;          /* span_ns for each */
    double time_ns;           /* in spans: total_ns and the net selves of all rows */
    double share;             /* total_ns of time_ns */
} stave_rollup_cost;

typedef struct stave_rollup_counter {
    uint32_t name; /* string id */
    uint32_t lane;
    uint64_t samples;
    double min, max, last;
} stave_rollup_counter;

typedef struct stave_rollup stave_rollup;

#define stave_rollup_new(trace, config, rollup, error)                                             \
    stave_rollup_new_sized((trace), (config), sizeof(stave_rollup_config), (rollup), (error))

/* Highest self time first, then highest total, then by name; counters by name, then lane.
 *
 * Memory: 88 bytes a level of depth; a name's durations, 8 bytes each up to STAVE_ROLLUP_EXACT, then
 * 1 KB for each power of two that occurs; 104 bytes a cumulative row of one lane and boot; independent
 * of the number of spans. But all spans of a boot in which some are attached are in memory at once,
 * about 100 bytes each; and where children of one span do not stand in the order of their ends, 16
 * bytes for each child of the spans that are open. */
STAVE_API int stave_rollup_new_sized(stave_trace *trace, const stave_rollup_config *config,
                                     size_t config_size, stave_rollup **rollup, stave_error *error);
STAVE_API uint32_t stave_rollup_rows(const stave_rollup *rollup);
STAVE_API const stave_rollup_row *stave_rollup_row_at(const stave_rollup *rollup, uint32_t index);
STAVE_API const stave_rollup_cost *stave_rollup_cost_of(const stave_rollup *rollup);
STAVE_API uint32_t stave_rollup_counters(const stave_rollup *rollup);
STAVE_API const stave_rollup_counter *stave_rollup_counter_at(const stave_rollup *rollup,
                                                              uint32_t index);
STAVE_API void stave_rollup_free(stave_rollup *rollup);

/* ---- trees: one root and all below it -------------------------------------------------------- */

/* Zero is the default of every field: the root that began first. */
typedef struct stave_tree_config {
    uint64_t root; /* which, in the order of their starts, from 0 */
    bool slowest;  /* instead: the one with the highest total, the first of equals */
    stave_progress progress;
    uint32_t
        detail_levels; /* of the spans this deep details are kept, the root being 1; 0: of none */
    /* By their names (string ids), which roots there are to be; NULL: all. Others are in no number and no count. */
    bool (*root_counts)(void *context, uint32_t name);
    void *root_context;
} stave_tree_config;

/* Nodes stand parents first, children by start, from 0 on: the root. */
typedef struct stave_tree_node {
    uint32_t lane, boot;
    uint64_t serial;
    uint32_t name; /* string id */
    uint16_t flags;
    int64_t start, end; /* ticks */
    uint32_t parent;    /* index; STAVE_NONE: the root */
    uint32_t depth;     /* 0: the root */
    double self_ns, total_ns, busy_ns;
    uint64_t calls;  /* 1, or a cumulative row's count */
    bool cumulative; /* it is such a row */
    bool unnamed;    /* it has no name but its lane's, which is `name` */
    /* Of a cumulative row's calls, in ticks; of a span 0. Their mean is total_ns / calls. */
    uint64_t least, most;
} stave_tree_node;

/* What was recorded about a span or in it: an attribute, or a mark. */
typedef struct stave_tree_detail {
    uint32_t kind; /* STAVE_ATTRIBUTES or STAVE_MARKS */
    uint32_t name; /* string id: an attribute's key, a mark's name */
    uint16_t
        flags; /* how `value` is to be read; of a mark without STAVE_FLAG_HAS_VALUE there is none */
    int64_t time; /* ticks; of an attribute about when it was set */
    uint64_t value;
} stave_tree_detail;

typedef struct stave_tree stave_tree;

#define stave_tree_new(trace, config, tree, error)                                                 \
    stave_tree_new_sized((trace), (config), sizeof(stave_tree_config), (tree), (error))

/* STAVE_E_NOTHING when there is no such root. Roots are ordered by boot, start, lane, serial; nodes by
 * start, spans before cumulative rows, then serial. A cumulative row has the serial of the span it is
 * in; its parent is the row around it where that is told, else the span. Memory: about 200 bytes a node; 32 a root of one boot unless the first or the slowest is wanted;
 * all spans of a boot in which some are attached, about 100 bytes each; 100 bytes a detail that is kept. */
STAVE_API int stave_tree_new_sized(stave_trace *trace, const stave_tree_config *config,
                                   size_t config_size, stave_tree **tree, stave_error *error);
STAVE_API uint64_t stave_tree_roots(const stave_tree *tree); /* of the whole trace, that count */
STAVE_API uint64_t stave_tree_root(const stave_tree *tree);  /* which one this is, from 0 */
STAVE_API uint32_t stave_tree_nodes(const stave_tree *tree);
STAVE_API const stave_tree_node *stave_tree_node_at(const stave_tree *tree, uint32_t index);
/* Details of a node, as many as `count` then says: attributes, then marks, each in the order in which they were
 * recorded. A key that was set twice is there twice. Cumulative rows have none. */
STAVE_API const stave_tree_detail *stave_tree_details(const stave_tree *tree, uint32_t index,
                                                      uint32_t *count);
STAVE_API void stave_tree_free(stave_tree *tree);

/* ---- roots: a list of them ------------------------------------------------------------------- *
 *
 *     stave_roots_config config = {.order = STAVE_ROOTS_SLOWEST, .limit = 20};
 *     if (stave_roots_new(trace, &config, &roots, &error) < 0) ...
 *     for (uint64_t i = 0; i < stave_roots_count(roots); i++) {
 *         const stave_root *root = stave_roots_at(roots, i);
 *         const stave_tree_detail *attributes;
 *         uint32_t count;
 *         if (stave_roots_attributes(roots, i, &attributes, &count, &error) < 0) ...
 *         ... stave_tree_config.root = root->number shows all below it ...
 *     }
 *     stave_roots_free(roots);
 */

typedef enum stave_roots_order {
    STAVE_ROOTS_OLDEST,  /* by boot, start, lane, serial, as trees number them */
    STAVE_ROOTS_NEWEST,  /* the other way round */
    STAVE_ROOTS_SLOWEST, /* by total, the highest first; of equals, as trees number them */
} stave_roots_order;

/* Zero is the default of every field: all roots. */
typedef struct stave_roots_config {
    stave_roots_order order;
    uint64_t limit; /* only the first so many; 0: all */
    /* By their names (string ids), which roots there are to be; NULL: all. */
    bool (*root_counts)(void *context, uint32_t name);
    void *root_context;
    /* Of these only those with a total of at least so much, */
    double least_ns;
    /* that overlap [from_us, to_us], borders included: from their own start to their own end, and whole, */
    bool windowed;
    double from_us, to_us;
    /* and whose attributes together meet all conditions, a bit for each; 0: none. `meets` says which of
     * them an attribute meets, and is asked about attributes of other spans, too. */
    uint32_t conditions;
    uint32_t (*meets)(void *context, const stave_tree_detail *attribute);
    void *meets_context;
    stave_progress progress; /* in rows */
} stave_roots_config;

typedef struct stave_root {
    /* Which one it is, from 0 in the order of starts: of all roots of the trace, and of those that count by
     * `root_counts`. Either is stave_tree_config.root, with the same `root_counts` there for the latter. */
    uint64_t number, counted;
    uint64_t serial;
    int64_t start, end; /* ticks */
    double total_ns;
    uint32_t lane, boot;
    uint32_t name; /* string id */
    uint16_t flags;
} stave_root;

typedef struct stave_roots stave_roots;

#define stave_roots_new(trace, config, roots, error)                                               \
    stave_roots_new_sized((trace), (config), sizeof(stave_roots_config), (roots), (error))

/* Memory: 72 bytes a root that is listed, up to four times as much while the list is made: with a limit, that is bounded
 * however many roots there are. 16 bytes an attribute of one boot that meets a condition. All spans of a boot in which
 * some are attached, about 100 bytes each. Spans are read once, and once more unless all roots are listed. */
STAVE_API int stave_roots_new_sized(stave_trace *trace, const stave_roots_config *config,
                                    size_t config_size, stave_roots **roots, stave_error *error);
STAVE_API uint64_t stave_roots_count(const stave_roots *roots); /* how many are listed */
STAVE_API const stave_root *stave_roots_at(const stave_roots *roots, uint64_t index);
/* How many there would be without a limit; how many count by `root_counts`; how many the trace has. */
STAVE_API uint64_t stave_roots_found(const stave_roots *roots);
STAVE_API uint64_t stave_roots_counted(const stave_roots *roots);
STAVE_API uint64_t stave_roots_all(const stave_roots *roots);
/* A root's attributes in the order in which they were recorded, valid until the next call: `*first` is NULL when
 * there are none. Those of some thousand roots from `index` on are read at a time: asked for in the order of the list,
 * blocks are read about once. */
STAVE_API int stave_roots_attributes(stave_roots *roots, uint64_t index,
                                     const stave_tree_detail **first, uint32_t *count,
                                     stave_error *error);
STAVE_API void stave_roots_free(stave_roots *roots);

#ifdef __cplusplus
}
#endif

#endif
