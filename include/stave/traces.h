/* stave/traces.h - the traces that the recorder of this process keeps: the newest, the slow, the failed.
 *
 *     stave_traces_query slow = {.name = "NavigateCell", .min_duration_ns = 20000000};
 *     stave_traces_cursor *cursor;
 *     stave_kept_trace *trace;
 *     if (stave_traces(&slow, &cursor, &error) < 0) ...
 *     while (stave_traces_next(cursor, &trace, &error) > 0) {             // newest first
 *         printf("%s %.3f ms\n", trace->name, (double)trace->duration_ns / 1e6);
 *         for (uint32_t i = trace->spans[0].first_child; i != 0; i = trace->spans[i].next)
 *             printf("  %s %.3f ms\n", trace->spans[i].name, (double)trace->spans[i].duration_ns / 1e6);
 *         stave_trace_release(trace);
 *     }
 *     stave_traces_close(cursor);
 *
 * A trace is what STAVE_TRACE opens, with all that happens in it on its thread. It is kept once it has ended: the
 * newest `keep` of stave_config, as far as their records are in memory; and, for as long as there is something slower
 * or newer, of each command the slowest, the failed, and those around a trigger, whose memory is held (at most half
 * of max_bytes).
 *
 * Ownership  a trace is a copy, of one moment, and the caller's until it is released, also after its cursor was closed.
 *            Its texts and arrays are its own.
 * Threads    from any, while others record: no thread that records waits. A cursor is one thread's at a time.
 * Errors     STAVE_E_STATE when nothing was started, STAVE_E_MEMORY.  */
#ifndef STAVE_TRACES_H
#define STAVE_TRACES_H

#include "stave/stave.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a trace is kept; a bit each. */
typedef enum stave_kept {
    STAVE_KEPT_NEWEST = 1,
    STAVE_KEPT_SLOWEST = 2, /* of its command */
    STAVE_KEPT_FAILED = 4,
    STAVE_KEPT_TRIGGERED = 8
} stave_kept;

typedef enum stave_value_kind {
    STAVE_VALUE_U64,
    STAVE_VALUE_I64,
    STAVE_VALUE_F64,
    STAVE_VALUE_BOOL,
    STAVE_VALUE_TEXT
} stave_value_kind;

/* An attribute. */
typedef struct stave_kept_value {
    const char *key;
    uint32_t type;  /* stave_value_kind */
    uint32_t flags; /* STAVE_FLAG_TRUNCATED, see stave/block.h */
    union {
        uint64_t u64;
        int64_t i64;
        double f64;
        bool boolean;
        const char *text; /* with a NUL at its end; it may have others */
    } value;
    size_t text_size;
} stave_kept_value;

/* A span, or a cumulative entry: `count` is not 0 then. */
typedef struct stave_kept_span {
    const char *name;
    uint64_t start_ns;          /* since the trace's start */
    uint64_t duration_ns;       /* of an entry: from the first one's start to the last one's end */
    uint32_t parent;            /* of the root 0, which is its own number */
    uint32_t first_child, next; /* in the order of their starts; 0: there is none */
    uint32_t depth;
    uint32_t
        flags; /* enum stave_row_flag of stave/block.h: failed, unwound, uncertain, truncated */
    const stave_kept_value *data;
    uint32_t data_count;
    uint64_t count, total_ns, min_ns, max_ns;
    double avg_ns;
} stave_kept_span;

typedef struct stave_kept_trace {
    uint64_t number;                   /* of all that ended in this process and were kept, from 1 */
    const char *name;                  /* of the command */
    const stave_kept_value *id;        /* the root's attribute "id", see STAVE_ID(); NULL: none */
    const stave_kept_value *arguments; /* the root's other attributes */
    uint32_t argument_count;
    uint32_t kept;      /* stave_kept */
    int64_t started_ns; /* since 1970, UTC */
    uint64_t duration_ns;
    const char *thread;           /* "" when it has no name */
    const stave_kept_span *spans; /* the root is [0] */
    uint32_t span_count;
} stave_kept_trace;

/* Zero, or NULL: all. */
typedef struct stave_traces_query {
    const char *name; /* of the command */
    const char *id;   /* numbers as decimals */
    uint64_t min_duration_ns;
    uint32_t kept; /* any of these stave_kept */
    uint32_t unused;
} stave_traces_query;

typedef struct stave_traces_cursor stave_traces_cursor;

#define stave_traces(query, cursor, error)                                                         \
    stave_traces_sized((query), sizeof(stave_traces_query), (cursor), (error))
STAVE_API int stave_traces_sized(const stave_traces_query *query, size_t query_size,
                                 stave_traces_cursor **cursor, stave_error *error);

/* 1 and a trace, or 0 at the end. Those that end or are given up meanwhile are passed over. */
STAVE_API int stave_traces_next(stave_traces_cursor *cursor, stave_kept_trace **trace,
                                stave_error *error);
STAVE_API void
stave_traces_close(stave_traces_cursor *cursor); /* NULL is allowed, here and below */
STAVE_API void stave_trace_release(stave_kept_trace *trace);

/* Forgets all traces that are kept, and, unless a file is being written, all that is in memory. What was open is forgotten
 * too; what begins in it later stands by itself. */
STAVE_API void stave_clear(void);

/* ---- what is kept ---------------------------------------------------------------------------- */

/* Zero is the default of every field. */
typedef struct stave_controls {
    uint32_t one_in; /* only one in so many roots of each command is recorded at all; 0 means 1 */
    uint32_t
        slowest; /* so many of each command are always kept; 0 means 4, at most STAVE_SLOWEST_MAX */
    uint64_t longer_than_ns; /* only roots that took as long are among the newest; 0: all */
    uint64_t around_ns;      /* before and after a trigger; 0 means 5 s */
} stave_controls;

enum {
    STAVE_SLOWEST_MAX = 16,
    STAVE_KEEP_MAX = 65536,
    STAVE_COMMANDS_MAX = 1000 /* have a slowest one and a one_in of their own */
};

/* At any moment, after stave_start(), which sets the defaults. STAVE_E_STATE, STAVE_E_ARGUMENT. */
#define stave_control(controls, error)                                                             \
    stave_control_sized((controls), sizeof(stave_controls), (error))
STAVE_API int stave_control_sized(const stave_controls *controls, size_t controls_size,
                                  stave_error *error);

/* For the roots of one command: 0, as all others. */
STAVE_API int stave_control_command(const char *name, uint32_t one_in, stave_error *error);

/* Something has happened: keeps the traces that ended shortly before, and those that will end shortly after. It is a mark
 * "trigger" on the calling thread's lane, its value the reason, too. */
STAVE_API void stave_trigger(const char *reason);

#ifdef __cplusplus
}
#endif

#endif
