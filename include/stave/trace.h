/* stave/trace.h - the trace model: what was recorded, as rows in blocks, in memory or in a file.
 *
 *     stave_trace *trace;
 *     if (stave_trace_open("run.stave", NULL, &trace, &error) < 0) ...
 *     stave_cursor *cursor;
 *     stave_filter spans = {.kinds = STAVE_KIND_BIT(STAVE_SPANS)};
 *     if (stave_cursor_open(trace, &spans, &cursor, &error) < 0) ...
 *     const stave_block *block;
 *     while (stave_cursor_next(cursor, &block, &error) > 0)
 *         for (uint32_t i = 0; i < block->rows; i++)
 *             total += block->end[i] - block->start[i];
 *     stave_cursor_close(cursor);
 *
 * Model      A lane is what a voice is in music: a task, an ISR, a thread. A block (stave/block.h) holds
 *            rows of one kind, of one lane, in one boot. Rows are only ever appended. Times are
 *            integer ticks of the boot's clock; stave_time_us() turns them into microseconds.
 *            A row that has no lane yet (a name that has not been learned) is not handed out.
 * Memory     Opening a file reads its index; blocks are decoded when they are asked for. Of those in a
 *            file, and of full ones in a trace that is being made (they go to an unlinked temporary
 *            file, in the same form), stave_trace_config.cache_bytes are kept decoded, so a trace may
 *            be far larger than memory. What stays is about 200 bytes a block, and the tables.
 * Ownership  The caller owns traces, cursors and merges, and closes cursors and merges before the
 *            trace. A block and its columns are valid until the next call on the same cursor.
 * Threads    One at a time for each trace, its cursors and merges included.
 * Live       A cursor may be held while the trace grows: it hands out every row once, those that came
 *            since as further blocks. A row's lane may change until its boot has ended (a name that is
 *            registered again with another priority). A merge is for a trace that stands still.
 * Damage     A block of a file that is not sound is left out, once it is found, and listed:
 *            stave_trace_damages().
 * Untrusted  Any file is safe to open.
 * Errors     STAVE_E_MEMORY, and STAVE_E_IO when the temporary file cannot be read back.  */
#ifndef STAVE_TRACE_H
#define STAVE_TRACE_H

#include <stdbool.h>

#include "stave/block.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stave_trace stave_trace;

/* Zero is the default of every field. */
typedef struct stave_trace_config {
    uint64_t cache_bytes;      /* rows kept in memory; 0 means 32 MiB. Less memory, more reading */
    const char *temporary_dir; /* of the spill file; NULL means $TMPDIR, else /tmp */
    bool follow;               /* a file that grows: see stave_trace_refresh() */
    bool ignore_index;         /* find a file's blocks by reading it from its start */
    stave_progress progress;   /* of finding blocks without an index, in bytes */
} stave_trace_config;

#define stave_trace_new(config, trace, error)                                                      \
    stave_trace_new_sized((config), sizeof(stave_trace_config), (trace), (error))

/* An empty trace; `config` may be NULL. Free it with stave_trace_free(), which takes NULL too. */
STAVE_API int stave_trace_new_sized(const stave_trace_config *config, size_t config_size,
                                    stave_trace **trace, stave_error *error);
STAVE_API void stave_trace_free(stave_trace *trace);

/* ---- files (docs/format.md) ------------------------------------------------------------------ */

#define stave_trace_open(path, config, trace, error)                                               \
    stave_trace_open_sized((path), (config), sizeof(stave_trace_config), (trace), (error))

/* The trace in a .stave file. Where there is no sound index (a recording that was cut, or goes on)
 * the blocks are found by reading. Spans that were open at its end become rows with
 * STAVE_FLAG_UNFINISHED that end with their lane, unless it is followed. Errors: STAVE_E_IO;
 * STAVE_E_FORMAT when it is no .stave file or one of a later version. */
STAVE_API int stave_trace_open_sized(const char *path, const stave_trace_config *config,
                                     size_t config_size, stave_trace **trace, stave_error *error);

/* Takes in what has been written to a followed file since: 1 when there was something, 0 when not,
 * or an error. Rows that were handed out stay as they are. */
STAVE_API int stave_trace_refresh(stave_trace *trace, stave_error *error);

/* How a trace's file is. */
typedef struct stave_trace_file {
    uint64_t size;    /* bytes; 0: the trace has no file */
    uint64_t blocks;  /* with rows, those found damaged included */
    uint64_t tables;  /* with names, lanes, clocks ... */
    uint64_t unknown; /* of a later version, left out */
    uint64_t cut;     /* bytes at the end that are no whole block */
    bool indexed;
    bool packed;   /* some block is compressed */
    bool finished; /* its writer came to its end: there is a foot */
} stave_trace_file;

#define stave_trace_file_of(trace, file)                                                           \
    stave_trace_file_of_sized((trace), (file), sizeof(stave_trace_file))

STAVE_API void stave_trace_file_of_sized(const stave_trace *trace, stave_trace_file *file,
                                         size_t file_size);

/* A place in a file that could not be read as it should. */
typedef struct stave_damage {
    uint64_t offset, size; /* bytes */
    uint64_t rows;         /* lost there, as far as is known */
    const char *what;      /* static text */
} stave_damage;

/* Those found so far; stave_trace_check() finds all. */
STAVE_API uint32_t stave_trace_damages(const stave_trace *trace);
STAVE_API stave_damage stave_trace_damage(const stave_trace *trace, uint32_t index);

/* Reads every block of the file, those of unknown kinds too. The number of damages, or an error. */
STAVE_API int stave_trace_check(stave_trace *trace, stave_progress progress, stave_error *error);

/* Zero is the default of every field. */
typedef struct stave_save_config {
    uint32_t zstd_level;     /* 0: not compressed; 1 to 19: smaller and slower */
    stave_progress progress; /* in blocks */
} stave_save_config;

#define stave_trace_save(trace, sink, config, error)                                               \
    stave_trace_save_sized((trace), (sink), (config), sizeof(stave_save_config), (error))

/* The whole trace as a .stave file. Sound blocks of unknown kinds go with it as they are. What a damaged
 * or cut file has lost is told by properties of the new one: file.damages, file.lost_rows (as far as is
 * known), file.lost_bytes, and file.unfinished when it had no foot. Errors: the
 * sink's; STAVE_E_STATE when zstd is asked for and was not built in. */
STAVE_API int stave_trace_save_sized(stave_trace *trace, stave_sink sink,
                                     const stave_save_config *config, size_t config_size,
                                     stave_error *error);

/* A file that grows with its trace, so that it can be read, and outlives its writer's end, at any time:
 *
 *     if (stave_writer_open("run.stave", &writer, &error) < 0) ...
 *     while (...) {
 *         ...                                           // the trace grows
 *         stave_writer_publish(writer, trace, &error);  // now and then: readers see all of it
 *     }
 *     stave_writer_finish(writer, trace, &error);       // the rest, and the index
 *     stave_writer_close(writer);
 *
 * One writer for each file and trace. Opening makes the file, or empties it; STAVE_E_STATE while
 * another process writes it. After an error of the disk, what was published before is still there. */
typedef struct stave_writer stave_writer;

STAVE_API int stave_writer_open(const char *path, stave_writer **writer, stave_error *error);
STAVE_API int stave_writer_publish(stave_writer *writer, stave_trace *trace, stave_error *error);
STAVE_API int stave_writer_finish(stave_writer *writer, stave_trace *trace, stave_error *error);
STAVE_API void stave_writer_close(stave_writer *writer); /* takes NULL */

/* ---- strings, lanes, processes, modules, places, boots: small tables, indices from 0 --------- */

/* Text `id` of the trace: UTF-8 by what producers promise, may hold any byte, ends in a NUL that is
 * not counted. `size` may be NULL. String 0 is the empty string. */
STAVE_API const char *stave_trace_string(const stave_trace *trace, uint32_t id, size_t *size);
STAVE_API uint32_t stave_trace_strings(const stave_trace *trace);

/* The numbers are those in files. */
typedef enum stave_lane_kind {
    STAVE_LANE_TASK = 0,
    STAVE_LANE_ISR = 1,
    STAVE_LANE_DEVICE = 2, /* the stream itself: its gaps, restarts and doubt */
    STAVE_LANE_THREAD = 3, /* one thread's life */
    STAVE_LANE_CORE = 4,
    STAVE_LANE_PROCESS = 5 /* what belongs to no thread: counters */
} stave_lane_kind;

#define STAVE_NONE UINT32_MAX /* where there is no process, no lane */

typedef struct stave_lane {
    uint32_t name; /* string id */
    uint32_t kind; /* a stave_lane_kind */
    uint32_t priority;
    bool has_deadline;
    float deadline_ms; /* relative to a span's start, as the producer sent it */
    uint32_t process;  /* index of a process plus 1; 0: none */
    uint64_t number;   /* the system's: of a thread, of a core; 0: none */
} stave_lane;

STAVE_API uint32_t stave_trace_lanes(const stave_trace *trace);
STAVE_API const stave_lane *stave_trace_lane(const stave_trace *trace, uint32_t lane);

typedef struct stave_process {
    uint32_t name;   /* string id */
    uint64_t number; /* the system's process id */
} stave_process;

STAVE_API uint32_t stave_trace_processes(const stave_trace *trace);
STAVE_API const stave_process *stave_trace_process(const stave_trace *trace, uint32_t process);

/* A program or library in a process's memory, so that addresses can be turned into names. */
typedef struct stave_module {
    uint32_t path;     /* string id */
    uint32_t build_id; /* string id: its bytes in hexadecimal, as file(1) shows them */
    uint32_t process;  /* index plus 1; 0: none */
    uint32_t boot;
    uint64_t address; /* of its first byte in memory */
    uint64_t size;    /* bytes */
    int64_t loaded;   /* ticks; INT64_MIN: before the recording began */
    int64_t unloaded; /* ticks; INT64_MAX: not before it ended */
} stave_module;

STAVE_API uint32_t stave_trace_modules(const stave_trace *trace);
STAVE_API const stave_module *stave_trace_module(const stave_trace *trace, uint32_t module);

/* A place in a program's source where spans, marks or counters of a name are made, for recordings whose producer knows
 * it. A name may have several; a text may have several names (string ids), each with its place. */
typedef struct stave_place {
    uint32_t name;     /* string id */
    uint32_t file;     /* string id: as the compiler was given it; 0: not known */
    uint32_t function; /* string id; 0: not known */
    uint32_t line;
} stave_place;

STAVE_API uint32_t stave_trace_places(const stave_trace *trace);
STAVE_API const stave_place *stave_trace_place(const stave_trace *trace, uint32_t index);
/* The one place that a name has; told in several functions, in the first by its bytes. NULL: none is known, or there are
 * several, in different files or lines. The first call looks at all places, as does the first one after more have come;
 * it takes 4 bytes a string, and without that memory is NULL too. All others take no time. Valid while the trace is; what
 * it says changes when it is told again. */
STAVE_API const stave_place *stave_trace_place_of(const stave_trace *trace, uint32_t name);

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
    int64_t realtime_ns; /* CLOCK_REALTIME at the tick, ns since 1970; 0: not known */
} stave_anchor;

STAVE_API uint32_t stave_trace_anchors(const stave_trace *trace, uint32_t boot);
STAVE_API stave_anchor stave_trace_anchor(const stave_trace *trace, uint32_t boot, uint32_t index);

/* A tick of a boot in microseconds on the trace's time line. */
STAVE_API double stave_time_us(const stave_trace *trace, uint32_t boot, int64_t tick);

/* From one tick of a boot to another in microseconds: from the ticks, not the difference of two
 * rounded times, unless the clock changed its rate in between. */
STAVE_API double stave_duration_us(const stave_trace *trace, uint32_t boot, int64_t start,
                                   int64_t end);

/* What a producer tells about the recording as a whole: how much was lost and why, its version. The
 * value is to be read as stave_value_type(flags) says. */
typedef struct stave_property {
    uint32_t key; /* string id */
    uint16_t flags;
    uint64_t value;
} stave_property;

STAVE_API uint32_t stave_trace_properties(const stave_trace *trace);
STAVE_API const stave_property *stave_trace_property(const stave_trace *trace, uint32_t index);
/* The one with this key, or NULL. */
STAVE_API const stave_property *stave_trace_find_property(const stave_trace *trace,
                                                          const char *key);

/* ---- blocks ---------------------------------------------------------------------------------- */

/* What is known of a block without decoding it: enough to draw it from afar. */
typedef struct stave_block_info {
    uint32_t kind, lane, boot, rows; /* lane: STAVE_NONE while it is not known */
    int64_t first, last;             /* ticks */
    uint64_t busy;                   /* ticks that the rows cover together */
    uint64_t longest;                /* ticks of the longest row */
    uint32_t longest_name;           /* string id */
    uint32_t deepest;                /* depth */
    uint32_t open_count;
    uint64_t offset; /* in the file, bytes; 0: in memory */
    uint64_t size;   /* in the file, bytes */
    bool damaged;    /* found so already */
} stave_block_info;

STAVE_API uint32_t stave_trace_blocks(const stave_trace *trace);

#define stave_trace_block(trace, index, info, error)                                               \
    stave_trace_block_sized((trace), (index), (info), sizeof(stave_block_info), (error))

/* Block `index` of the trace, in the order in which they were begun. */
STAVE_API int stave_trace_block_sized(stave_trace *trace, uint32_t index, stave_block_info *info,
                                      size_t info_size, stave_error *error);

/* Which blocks. All zero means all. Lanes and boots are matched when `one_lane`, `one_boot` say so,
 * times when `windowed` does: blocks with a row that may overlap [from_us, to_us]. */
typedef struct stave_filter {
    uint32_t kinds; /* STAVE_KIND_BIT()s; 0 means all */
    bool one_lane, one_boot;
    uint32_t lane, boot;
    bool windowed;
    double from_us, to_us; /* on the trace's time line */
} stave_filter;

typedef struct stave_cursor stave_cursor;

#define stave_cursor_open(trace, filter, cursor, error)                                            \
    stave_cursor_open_sized((trace), (filter), sizeof(stave_filter), (cursor), (error))

/* Blocks in the order in which they were begun, then what has come to them since; `filter` may be
 * NULL. */
STAVE_API int stave_cursor_open_sized(stave_trace *trace, const stave_filter *filter,
                                      size_t filter_size, stave_cursor **cursor,
                                      stave_error *error);
/* 1 and a block, 0 when there is none (more may come while the trace grows), or an error. */
STAVE_API int stave_cursor_next(stave_cursor *cursor, const stave_block **block,
                                stave_error *error);
STAVE_API void stave_cursor_close(stave_cursor *cursor);

/* Rows one by one over all blocks that the filter lets through, in the order in which they took
 * effect: what a cursor hands out, merged. */
typedef struct stave_merge stave_merge;

#define stave_merge_open(trace, filter, merge, error)                                              \
    stave_merge_open_sized((trace), (filter), sizeof(stave_filter), (merge), (error))

STAVE_API int stave_merge_open_sized(stave_trace *trace, const stave_filter *filter,
                                     size_t filter_size, stave_merge **merge, stave_error *error);
/* 1, a block and the row in it; 0 at the end; or an error: STAVE_E_LIMIT when so many blocks of a file
 * interleave as only a made-up one has. Valid until the next call. */
STAVE_API int stave_merge_next(stave_merge *merge, const stave_block **block, uint32_t *row,
                               stave_error *error);
STAVE_API void stave_merge_close(stave_merge *merge);

#ifdef __cplusplus
}
#endif

#endif
