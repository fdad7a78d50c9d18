/* stave/trace.h - the trace model: what was recorded, as rows in blocks.
 *
 *     stave_cursor *cursor;
 *     stave_filter spans = {.kinds = STAVE_KIND_BIT(STAVE_SPANS)};
 *     if (stave_cursor_open(trace, &spans, &cursor, &error) < 0) ...
 *     const stave_block *block;
 *     while (stave_cursor_next(cursor, &block, &error) > 0)
 *         for (uint32_t i = 0; i < block->rows; i++)
 *             total += block->end[i] - block->start[i];
 *     stave_cursor_close(cursor);
 *
 * Model      A lane is what a voice is in music: a task, an ISR, a thread. A block holds rows of one
 *            kind, of one lane, in one boot, as columns. Rows are only ever appended. Times are
 *            integer ticks of the boot's clock; stave_time_us() turns them into microseconds.
 *            A row that has no lane yet (a name that has not been learned) is not handed out.
 * Memory     Full blocks beyond stave_trace_config.cache_bytes are moved to an unlinked temporary
 *            file and read back on demand, so a trace may be far larger than memory. What stays
 *            is about 120 bytes a block, and the lanes, boots and strings.
 * Ownership  The caller owns traces, cursors and merges, and closes cursors and merges before the
 *            trace. A block and its columns are valid until the next call on the same cursor.
 * Threads    One at a time for each trace, its cursors and merges included.
 * Live       A cursor may be held while the trace grows: it hands out every row once, those that came
 *            since as further blocks. A row's lane may change until its boot has ended (a name that is
 *            registered again with another priority). A merge is for a trace that stands still.
 * Errors     STAVE_E_MEMORY, and STAVE_E_IO when the temporary file cannot be read back.  */
#ifndef STAVE_TRACE_H
#define STAVE_TRACE_H

#include <stdbool.h>

#include "stave/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stave_trace stave_trace;

/* Zero is the default of every field. */
typedef struct stave_trace_config {
    uint64_t cache_bytes;      /* rows kept in memory; 0 means 32 MiB. Less memory, more reading */
    const char *temporary_dir; /* of the spill file; NULL means $TMPDIR, else /tmp */
} stave_trace_config;

#define stave_trace_new(config, trace, error)                                                      \
    stave_trace_new_sized((config), sizeof(stave_trace_config), (trace), (error))

/* An empty trace; `config` may be NULL. Free it with stave_trace_free(), which takes NULL too. */
STAVE_API int stave_trace_new_sized(const stave_trace_config *config, size_t config_size,
                                    stave_trace **trace, stave_error *error);
STAVE_API void stave_trace_free(stave_trace *trace);

/* ---- strings, lanes, boots: small tables, indices from 0 ------------------------------------- */

/* Text `id` of the trace: UTF-8 by what producers promise, may hold any byte, ends in a NUL that is
 * not counted. `size` may be NULL. String 0 is the empty string. */
STAVE_API const char *stave_trace_string(const stave_trace *trace, uint32_t id, size_t *size);

typedef enum stave_lane_kind {
    STAVE_LANE_TASK = 0,
    STAVE_LANE_ISR = 1,
    STAVE_LANE_DEVICE = 2 /* the stream itself: its gaps, restarts and doubt */
} stave_lane_kind;

typedef struct stave_lane {
    uint32_t name; /* string id */
    uint32_t kind; /* a stave_lane_kind */
    uint32_t priority;
    bool has_deadline;
    float deadline_ms; /* relative to a span's start, as the producer sent it */
} stave_lane;

STAVE_API uint32_t stave_trace_lanes(const stave_trace *trace);
STAVE_API const stave_lane *stave_trace_lane(const stave_trace *trace, uint32_t lane);

/* One run of the producer, from a start (or from where the host began to listen) to a restart. */
typedef struct stave_boot {
    double offset_us;  /* where this boot begins on the trace's time line */
    double end_us;     /* the latest time in it, offset included */
    bool ended;        /* false while the boot may still grow; end_us is not set then */
    bool rate_assumed; /* the producer never said what a tick is */
} stave_boot;

STAVE_API uint32_t stave_trace_boots(const stave_trace *trace);
STAVE_API const stave_boot *stave_trace_boot(const stave_trace *trace, uint32_t boot);

/* A clock is a list of anchors, each in force from its tick on until the next; the first is that of
 * tick 0 and in force wherever none of the others is:
 *     us(t) = anchor.us + (t - anchor.tick) / 1000.0              where hz is 0 (ticks are ns)
 *     us(t) = anchor.us + (t - anchor.tick) * 1000000.0 / hz      elsewhere
 * plus the boot's offset. */
typedef struct stave_anchor {
    int64_t tick;
    double us;
    double hz;
} stave_anchor;

STAVE_API uint32_t stave_trace_anchors(const stave_trace *trace, uint32_t boot);
STAVE_API stave_anchor stave_trace_anchor(const stave_trace *trace, uint32_t boot, uint32_t index);

/* A tick of a boot in microseconds on the trace's time line. */
STAVE_API double stave_time_us(const stave_trace *trace, uint32_t boot, int64_t tick);

/* From one tick of a boot to another in microseconds: from the ticks, not the difference of two
 * rounded times, unless the clock changed its rate in between. */
STAVE_API double stave_duration_us(const stave_trace *trace, uint32_t boot, int64_t start,
                                   int64_t end);

/* ---- rows ------------------------------------------------------------------------------------ */

/* name, column bits (below) */
#define STAVE_ROW_KIND_TABLE(X)                                                                    \
    X(STAVE_SPANS, STAVE_COLUMN_END | STAVE_COLUMN_SERIAL)                                         \
    X(STAVE_MARKS, STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME)                                         \
    X(STAVE_GAPS, STAVE_COLUMN_END | STAVE_COLUMN_VALUE)                                           \
    X(STAVE_DOUBTS, STAVE_COLUMN_END | STAVE_COLUMN_VALUE)

typedef enum stave_row_kind {
#define STAVE_ROW_KIND_ENUM(name, columns) name,
    STAVE_ROW_KIND_TABLE(STAVE_ROW_KIND_ENUM)
#undef STAVE_ROW_KIND_ENUM
        STAVE_ROW_KINDS
} stave_row_kind;

#define STAVE_KIND_BIT(kind) (1u << (kind))

/* start, order and flags are in every block; these where the kind has them. */
enum {
    STAVE_COLUMN_END = 1,
    STAVE_COLUMN_SERIAL = 2,
    STAVE_COLUMN_VALUE = 4,
    STAVE_COLUMN_NAME = 8
};

enum stave_row_flag {
    STAVE_FLAG_INTERRUPTED = 1, /* a span whose end is unknown: it lasted at least to `end` */
    STAVE_FLAG_HAS_VALUE = 2,   /* a mark that carries a value; a doubt whose bound is known */
    STAVE_FLAG_SATURATED = 4,   /* a time beyond the range of ticks stands at its limit */
    STAVE_FLAG_RESTART = 8      /* the mark at which a boot ended */
};

typedef struct stave_block {
    uint32_t kind; /* a stave_row_kind */
    uint32_t lane;
    uint32_t boot;
    uint32_t rows;
    int64_t first; /* no start is lower and no end higher, ticks */
    int64_t last;
    const int64_t *start;   /* ticks */
    const uint64_t *order;  /* ascending; the order in which rows took effect, over all blocks */
    const uint16_t *flags;  /* enum stave_row_flag */
    const int64_t *end;     /* ticks, never before start; NULL for marks */
    const uint64_t *serial; /* (lane, serial) is a span's identity, taken at its start; else NULL */
    const uint64_t
        *value;           /* mark: its value; gap: numbers lost; doubt: bound in ticks; else NULL */
    const uint32_t *name; /* mark: string id, 0 means the lane's name; else NULL */
} stave_block;

/* Which blocks. All zero means all. Lanes and boots are matched when `one_lane`, `one_boot` say so. */
typedef struct stave_filter {
    uint32_t kinds; /* STAVE_KIND_BIT()s; 0 means all */
    bool one_lane, one_boot;
    uint32_t lane, boot;
} stave_filter;

typedef struct stave_cursor stave_cursor;

/* Blocks in the order in which they were begun, then what has come to them since; `filter` may be
 * NULL. */
STAVE_API int stave_cursor_open(stave_trace *trace, const stave_filter *filter,
                                stave_cursor **cursor, stave_error *error);
/* 1 and a block, 0 when there is none (more may come while the trace grows), or an error. */
STAVE_API int stave_cursor_next(stave_cursor *cursor, const stave_block **block,
                                stave_error *error);
STAVE_API void stave_cursor_close(stave_cursor *cursor);

/* Rows one by one over all blocks that the filter lets through, in the order in which they took
 * effect: what a cursor hands out, merged. */
typedef struct stave_merge stave_merge;

STAVE_API int stave_merge_open(stave_trace *trace, const stave_filter *filter, stave_merge **merge,
                               stave_error *error);
/* 1, a block and the row in it; 0 at the end; or an error. Valid until the next call. */
STAVE_API int stave_merge_next(stave_merge *merge, const stave_block **block, uint32_t *row,
                               stave_error *error);
STAVE_API void stave_merge_close(stave_merge *merge);

#ifdef __cplusplus
}
#endif

#endif
