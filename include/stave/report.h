/* stave/report.h - a session to answers: what each rule took, the tree of evaluations, the critical path.
 *
 *     stave_report *report = stave_session_report(session, &error);
 *     if (report == NULL) ...
 *     for (size_t i = 0; i < stave_report_rule_count(report); i++) {
 *         const stave_rule_stats *r = stave_report_rule_at(report, i);
 *         printf("%s: self %.3f ms, calls %llu\n", r->description, r->self_ns / 1e6, (unsigned long long)r->calls);
 *     }
 *     stave_report_write_speedscope(report, "profile.speedscope.json", &error);
 *     stave_report_free(report);
 *
 * Tree       By dependency: an evaluation's parent is, of those in its run that its rule depends on, the one that ended
 *            last before it began; the others are links. Else what it was evaluated in; else the evaluation of its
 *            rule's `parent`; else it is a root. docs/rules.md says it in full, with an example in numbers.
 * Times      Nanoseconds, as double. Starts are since the session's start, where one is asked for, else since the
 *            first evaluation. What is not known is NaN.
 * Ownership  The caller owns the report, and frees it. It holds all it shows, texts too: session and trace may go. What
 *            it hands out is valid as long as it is.
 * Pointers   Must not be NULL, unless it is said; an error may be. What frees takes NULL.
 * Threads    A report may be made while others evaluate; none of them waits. One that is made may be read from several
 *            threads at once.
 * Order      Nothing depends on the order in which threads' records arrive: evaluations are ordered by start, then
 *            lane, then serial.
 * Memory     About 330 bytes an evaluation or span in it while it is made, 150 afterwards. No depth is too deep.
 * Errors     STAVE_E_MEMORY, STAVE_E_IO, those of reading a trace and of sinks; STAVE_E_LIMIT beyond 2^32 - 2 nodes. A
 *            session without any evaluation gives an empty report, no error.  */
#ifndef STAVE_REPORT_H
#define STAVE_REPORT_H

#include "stave/rules.h"
#include "stave/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stave_report stave_report;

/* What the session has captured up to this moment; it goes on, unless it is stopped. Evaluations that are open are in it
 * as unfinished. NULL: an error. */
STAVE_API stave_report *stave_session_report(stave_session *session, stave_error *error);

/* Zero is the default of every field. */
typedef struct stave_report_config {
    /* Only of this one of the process, from 1; STAVE_E_NOTHING if it is not there. 0: of a session's own file
     * (stave_session_dump(), stave_session_snapshot()) that session; else all evaluations of the trace. */
    uint64_t session;
    stave_progress progress; /* in rows */
} stave_report_config;

#define stave_report_from_trace(trace, config, error)                                              \
    stave_report_from_trace_sized((trace), (config), sizeof(stave_report_config), (error))

/* The same of a .stave file, of a session, a dump, or stave_record_to(). `config` may be NULL. */
STAVE_API stave_report *stave_report_from_trace_sized(stave_trace *trace,
                                                      const stave_report_config *config,
                                                      size_t config_size, stave_error *error);

/* Whether a trace has rules at all. */
STAVE_API bool stave_trace_has_rules(const stave_trace *trace);

/* The number of the session that it is of; 0: of all that the trace has. */
STAVE_API uint64_t stave_report_session(const stave_report *report);

STAVE_API void stave_report_free(stave_report *report);

/* ---- rules ----------------------------------------------------------------------------------- */

typedef struct stave_rule_stats {
    const char *id;
    const char *description;
    bool is_known;  /* false: others name this id, and no rule with it was met; description is "" */
    uint64_t calls; /* all evaluations but the skipped, with those of summaries */
    uint64_t failed, cached, cancelled, timed_out; /* of these; one counts once */
    uint64_t skipped;
    uint64_t unfinished; /* of the calls: still open */
    uint64_t summed;     /* of the calls: from summaries and cumulative entries, in no tree */
    uint64_t missing;    /* evaluations for which some dependency had none before it in its run */
    double self_ns;      /* of all calls */
    double total_ns, busy_ns; /* an evaluation below another of the same rule adds nothing */
    /* From start to end, of the calls that have an end and are not cached: `timed`. `first` is that which
     * began first. Percentiles are exact (nearest rank), without what was summed. */
    uint64_t timed;
    double first_ns, min_ns, mean_ns, median_ns, p99_ns, max_ns;
    uint64_t critical; /* evaluations on a critical path */
} stave_rule_stats;

/* Highest self time first, then total, then by the bytes of the id. Also those with 0 calls. */
STAVE_API size_t stave_report_rule_count(const stave_report *report);
STAVE_API const stave_rule_stats *stave_report_rule_at(const stave_report *report, size_t index);

/* The rule with this id, of which STAVE_TEXT_MAX bytes count, and NULL is the empty text, as in stave_rule; NULL: there is
 * none. */
STAVE_API const stave_rule_stats *stave_report_rule_by_id(const stave_report *report,
                                                          const char *id);

/* ---- the tree -------------------------------------------------------------------------------- */

/* Why a node stands where it does. */
typedef enum stave_report_place {
    STAVE_PLACE_ROOT = 0,
    STAVE_PLACE_DEPENDENCY = 1, /* below one that it depends on, or that caused it */
    STAVE_PLACE_INSIDE = 2,     /* below the evaluation or span that it was evaluated in */
    STAVE_PLACE_PARENT = 3      /* below an evaluation of its rule's `parent` */
} stave_report_place;

/* An evaluation, or a span that one opened: `rule` is STAVE_NONE then. */
typedef struct stave_report_node {
    uint32_t rule;    /* index */
    const char *name; /* the rule's description, the span's name */
    uint32_t run;     /* index */
    uint32_t lane;    /* number of the thread; see stave_report_lane_name() */
    uint64_t serial;
    uint32_t parent, first_child,
        next; /* STAVE_NONE: there is none. Children by start, lane, serial */
    uint32_t depth;
    uint32_t place;     /* stave_report_place */
    uint32_t outcome;   /* stave_outcome; of a span STAVE_DONE or STAVE_FAILED */
    uint32_t flags;     /* enum stave_row_flag of stave/block.h */
    const char *reason; /* NULL: none, as of all that are done */
    double start_ns, end_ns;
    double self_ns, total_ns, busy_ns;
    double slack_ns;  /* of an evaluation; 0 on the critical path */
    bool is_critical; /* on the critical path of its run */
} stave_report_node;

/* Parents before children; roots by start, lane, serial. */
STAVE_API uint32_t stave_report_node_count(const stave_report *report);
STAVE_API const stave_report_node *stave_report_node_at(const stave_report *report, uint32_t index);

/* "done", "failed", "skipped", "cached", "cancelled", "timed out", of an enum stave_outcome. */
STAVE_API const char *stave_outcome_text(uint32_t outcome);

/* The other evaluations that a node depended on, beside its parent; `*count` of them, NULL: none. In the order of
 * declaration; one that caused it comes last. */
STAVE_API const uint32_t *stave_report_links(const stave_report *report, uint32_t index,
                                             uint32_t *count);

STAVE_API uint32_t stave_report_lane_count(const stave_report *report);
STAVE_API const char *stave_report_lane_name(const stave_report *report, uint32_t lane);

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct stave_report_run {
    const char *
        name; /* "": what a thread evaluated outside of any run, or a run whose span is not there */
    const char *id;  /* its attribute "id" as text, NULL: none */
    uint32_t lane;   /* that began it */
    uint64_t serial; /* of its span, also of one that is not there; 0: there is none */
    uint64_t evaluations, skipped;
    double start_ns, end_ns; /* of its span; without one, of the first and last evaluation */
    double busy_ns;          /* the self of all that is in it */
    double
        critical_ns; /* length of the critical path: no number of threads makes the run shorter */
    uint32_t critical_count;
    const uint32_t *critical; /* the path's nodes, from its first on */
    bool is_unfinished;
} stave_report_run;

/* Those that have something in them, by start, lane, serial. */
STAVE_API uint32_t stave_report_run_count(const stave_report *report);
STAVE_API const stave_report_run *stave_report_run_at(const stave_report *report, uint32_t index);

/* ---- what is wrong --------------------------------------------------------------------------- */

/* A cycle of declared dependencies and parents. It is cut between its last and its first rule: what the last one says of the
 * first is passed over (docs/rules.md). */
STAVE_API uint32_t stave_report_cycle_count(const stave_report *report);

/* The rules of a cycle, each naming the next: their number; the indices of the first `max` of them are written to `rules`,
 * which may be NULL when that is 0. */
STAVE_API uint32_t stave_report_cycle_at(const stave_report *report, uint32_t index,
                                         uint32_t *rules, uint32_t max);

/* What is not in the report. */
typedef struct stave_report_lost {
    uint64_t given_up, dropped; /* evaluations: as in stave_session_lost */
    uint64_t records;           /* of the whole recording, of any kind: evicted or dropped */
    uint64_t unplaced; /* evaluations whose run, or what they were in, is not in the records */
    uint64_t circles;  /* evaluations that would be below themselves, made roots */
} stave_report_lost;

#define stave_report_lost_of(report, lost)                                                         \
    stave_report_lost_of_sized((report), (lost), sizeof(stave_report_lost))
STAVE_API void stave_report_lost_of_sized(const stave_report *report, stave_report_lost *lost,
                                          size_t lost_size);

/* ---- files ----------------------------------------------------------------------------------- *
 *
 * Each to a path, to a sink, and into memory: bytes that the caller gives to free(3), with a NUL behind them that is not
 * counted. Bounded memory for the first two. A file appears whole or not at all. Texts of any bytes are safe: what is not
 * UTF-8 is replaced. */

/* speedscope: the tree as an evented profile on an axis of its own, on which each node has its self time, then its children;
 * then each thread by the clock. Below STAVE_REPORT_DEPTH_MAX one frame "(N deeper)" has the rest. */
enum { STAVE_REPORT_DEPTH_MAX = 2000 };

STAVE_API int stave_report_write_speedscope(const stave_report *report, const char *path,
                                            stave_error *error);
STAVE_API int stave_report_sink_speedscope(const stave_report *report, stave_sink sink,
                                           stave_error *error);
STAVE_API int stave_report_make_speedscope(const stave_report *report, char **bytes, size_t *size,
                                           stave_error *error);

/* Chrome's trace format: each thread by the clock, with rule, run, outcome and slack as arguments; dependencies are flows.
 * Of a thread 511 levels, as Perfetto shows no more; one event "(N deeper)" has what is below. */
STAVE_API int stave_report_write_chrome(const stave_report *report, const char *path,
                                        stave_error *error);
STAVE_API int stave_report_sink_chrome(const stave_report *report, stave_sink sink,
                                       stave_error *error);
STAVE_API int stave_report_make_chrome(const stave_report *report, char **bytes, size_t *size,
                                       stave_error *error);

#ifdef __cplusplus
}
#endif

#endif
