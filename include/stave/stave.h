/* stave/stave.h - spans inside a C program, at a cost that can stay in production.
 *
 *     int navigate(struct grid *grid, int row, const char *key)
 *     {
 *         STAVE_TRACE("NavigateCell", STAVE_ID(request_id), STAVE_KV("row", row), STAVE_KV("key", key));
 *         {
 *             STAVE_SCOPE("lookup");                      // a span: to the end of its block
 *             cell = find(grid, row);
 *         }
 *         STAVE_SPAN(query, "query");                     // a span with a name in the code
 *         rows = db_query(sql);
 *         STAVE_SET(query, "row_count", rows.count);
 *         for (size_t i = 0; i < rows.count; i++) {
 *             STAVE_CUMULATIVE("process_row");            // one entry for all: count, total, min, max
 *             process(&rows.at[i]);
 *         }
 *     }
 *
 *     int main(void)
 *     {
 *         stave_start(NULL, NULL);
 *         stave_record_to("run.stave", NULL);             // or both by STAVE_FILE=run.stave in the environment
 *         ...                                             // `stave tree run.stave --slowest`
 *     }
 *
 * Probes     Every probe is a declaration statement; its span ends with the block that it stands in, however
 *            that is left: by its end, return, break, goto. It changes nothing of what these mean. Names and
 *            keys are string literals; what has a name made at run time is STAVE_SCOPE_NAMED. Arguments are
 *            evaluated only while recording is on. docs/recording.md says what a probe cannot take.
 * Off        Until stave_start(), or STAVE_ENABLE=1 or STAVE_FILE in the environment, and after stave_enable(false): a probe
 *            is one load and a predicted branch. With STAVE_DISABLED defined before this header it is nothing
 *            at all. A span that is open when recording is turned off is recorded at its end.
 * Errors     Recording never fails and never waits: what does not fit is counted, by reason
 *            (stave_get_counts()), and the counts are in what is written. Only starting and writing files
 *            return errors.
 * Threads    All of it from any thread. A span ends on the thread that began it; one that does not is begun by
 *            stave_begin(). Not from a signal handler.
 * Forks      A child records nothing until it starts recording itself.
 * C, C++     C11 with the cleanup attribute of gcc and clang, C++11. The library is C.  */
#ifndef STAVE_STAVE_H
#define STAVE_STAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stave/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- starting, stopping, writing ------------------------------------------------------------- */

/* What happens when max_bytes are full. */
typedef enum stave_mode {
    STAVE_KEEP_NEWEST = 0,   /* the oldest records are given up, and counted */
    STAVE_STOP_WHEN_FULL = 1 /* what comes then is dropped, and counted */
} stave_mode;

/* Zero is the default of every field. */
typedef struct stave_config {
    /* Bytes of memory for records, all threads together; 0 means 64 MiB, at least 1 MiB, at most 128 TiB. */
    uint64_t max_bytes;
    uint32_t mode; /* a stave_mode */
    /* Instead of the processor's counter: nanoseconds from any start, for tests. Called from every thread. */
    uint64_t (*clock)(void *context);
    void *clock_context;
    /* The newest so many traces (stave/traces.h); 0 means 500, at most STAVE_KEEP_MAX. */
    uint32_t keep;
    uint32_t unused;
    /* Spans, all threads together, with STAVE_STOP_WHEN_FULL alone; 0: no limit. What begins beyond it is not recorded,
     * nor what belongs to it. Exact, and so a call and an atomic addition for each span. */
    uint64_t max_spans;
} stave_config;

#define stave_start(config, error) stave_start_sized((config), sizeof(stave_config), (error))

/* Takes the memory and turns recording on. `config` may be NULL. STAVE_E_STATE when it has been started
 * already, also by another copy of libstave in the process (docs/recording.md); STAVE_E_MEMORY,
 * STAVE_E_ARGUMENT. */
STAVE_API int stave_start_sized(const stave_config *config, size_t config_size, stave_error *error);

/* Turns recording off. Records stay for stave_dump() until the next start. */
STAVE_API void stave_stop(void);

/* At any moment, also while spans are open. Nothing when it has not been started. */
STAVE_API void stave_enable(bool on);
STAVE_API bool stave_is_enabled(void);

/* From here on a thread of its own writes what is recorded to a .stave file, beginning with what is in memory: chunks as
 * they are full, the rest every 100 ms. Killed at any moment, the process leaves a file that opens, and lacks what was
 * recorded since. A file that is there is overwritten. Mode 0600. It ends with stave_stop(), with the process, or with
 * a call for NULL, which returns what went wrong with it first, also if that has passed: while a disk takes nothing,
 * recording goes on in memory, and the file when it can. STAVE_E_STATE when recording has not been started, a file is
 * being written already, or another process writes this one; STAVE_E_IO. */
STAVE_API int stave_record_to(const char *path, stave_error *error);

/* Of the files of stave_record_to(). Zero is the default of every field. */
typedef struct stave_file_config {
    /* Bytes of a file, at least 64 KiB; 0: no limit. A file that has them is finished: it is larger by less than what
     * 64 KiB of records take, with their names, and its index. */
    uint64_t max_bytes;
    /* How many, at most 10,000. Up to 1: recording goes on in memory when the file is full, and it says since when. More: a
     * full file is renamed "path.1", "path.1" to "path.2" and so on, the oldest beyond this number is removed, and a new
     * "path" is begun. Each opens alone, and has what was recorded and missed since the one before. */
    uint32_t files;
} stave_file_config;

#define stave_file_limits(config, error)                                                           \
    stave_file_limits_sized((config), sizeof(stave_file_config), (error))

/* At any moment, from any thread, also before the first start, and for a file that is being written: from the drain's next
 * look on. Stays until it is set anew. NULL: no limits. STAVE_E_ARGUMENT. */
STAVE_API int stave_file_limits_sized(const stave_file_config *config, size_t config_size,
                                      stave_error *error);

/* Writes what is in memory now, open spans too, as a .stave file; recording goes on. Mode 0600. */
STAVE_API int stave_dump(const char *path, stave_error *error);

/* The same to a sink. */
STAVE_API int stave_snapshot(stave_sink sink, stave_error *error);

/* name, what it counts */
#define STAVE_RECORD_COUNTERS(X)                                                                   \
    X(recorded, "records of all kinds that were written into memory")                              \
    X(evicted, "records given up to make room for newer ones")                                     \
    X(missed, "of these, those that are in no file of stave_record_to() either")                   \
    X(dropped_full, "records that found no room, and nothing older that could be given up")        \
    X(dropped_depth, "spans deeper than STAVE_DEPTH_MAX")                                          \
    X(dropped_thread, "records of threads for which there was no memory")                          \
    X(dropped_site, "records of names, cumulative entries beyond the tables' sizes; of no name")   \
    X(dropped_limit, "spans beyond max_spans")                                                     \
    X(left_open,                                                                                   \
      "spans that nobody ended, closed by the end of one around them or of their thread")          \
    X(ended_twice, "ends of spans that were not open: ended before, or on another thread")         \
    X(clock_back, "spans whose clock ran backwards: their length is 0")                            \
    X(truncated, "texts that were longer than STAVE_TEXT_MAX; each name is counted once")          \
    X(dropped_abi, "records of call sites that were compiled for another version of this header")  \
    X(roots, "traces that have ended and were recorded")                                           \
    X(roots_skipped, "traces that were not recorded: only one in some is")                         \
    X(roots_out, "traces put out by newer ones: there is room for `keep`")                         \
    X(roots_evicted, "traces of the newest whose records were given up to make room")              \
    X(roots_unheld, "slow, failed or triggered ones for whose records there was no room to stay")

/* A record has room for a number or four words of text: a text, and a cumulative entry, are several. */
typedef struct stave_counts {
#define STAVE_RECORD_COUNTER(name, text) uint64_t name;
    STAVE_RECORD_COUNTERS(STAVE_RECORD_COUNTER)
#undef STAVE_RECORD_COUNTER
} stave_counts;

#define stave_get_counts(counts) stave_get_counts_sized((counts), sizeof(stave_counts))
STAVE_API void stave_get_counts_sized(stave_counts *counts, size_t counts_size);

/* What recording costs. Never negative, never NaN. */
typedef struct stave_cost {
    double span_ns; /* a span's begin and end, for whoever is around it */
    double
        inner_ns; /* of that what lies in the span's own time: what a span with nothing in it measures */
    uint64_t
        spans; /* begun since stave_start(), cumulative ones too, also those whose records are gone */
    double
        total_ns; /* span_ns for each of them. What attributes, marks and counters take is not in it */
    double
        share; /* total_ns of the processor time that all threads have had since stave_start(); at most 1 */
} stave_cost;

/* Measured anew in each call, by real spans of the calling thread that appear nowhere: less than a millisecond, in which
 * no other thread waits. They come one behind the other, with nothing to do between them and their memory near, and the
 * best of some rounds counts: docs/overhead.md. All 0 before the first start, and with a clock of the caller's. */
#define stave_overhead(cost) stave_overhead_sized((cost), sizeof(stave_cost))
STAVE_API void stave_overhead_sized(stave_cost *cost, size_t cost_size);

enum {
    STAVE_DEPTH_MAX = 131072, /* open spans of a thread */
    STAVE_TEXT_MAX = 32768 /* bytes of a name, a key, or a value; longer ones are cut and flagged */
};

/* ---- names and threads ----------------------------------------------------------------------- */

/* A name made at run time, for STAVE_SCOPE_NAMED; the same for the same text. It is copied. 0: there is no
 * room, and spans of it are counted as dropped. */
STAVE_API uint32_t stave_name_intern(const char *name);

/* What the calling thread is called; by default what pthread_setname_np() gave it. */
STAVE_API void stave_thread_name(const char *name);

/* ---- spans by handle ------------------------------------------------------------------------- */

/* A span that is open, or none (all zero). For what is not lexical: may be ended in another function, but
 * on the same thread, inside all that was begun before it. */
typedef struct stave_span {
    struct stave__open *slot;
    uint64_t serial;
} stave_span;

STAVE_API stave_span stave_begin(uint32_t name);       /* of stave_name_intern() */
STAVE_API stave_span stave_begin_trace(uint32_t name); /* a root, as STAVE_TRACE */
STAVE_API void stave_end(stave_span span);

/* The innermost open span of the calling thread; none when there is none. */
STAVE_API stave_span stave_current_span(void);

/* Marks a span as a failure; `reason` is kept as its attribute "error", NULL: without one. */
STAVE_API void stave_fail(stave_span span, const char *reason);

/* Attributes with keys made at run time, and for other languages. Nothing for a span that is not open. */
STAVE_API void stave_set_i64(stave_span span, const char *key, int64_t value);
STAVE_API void stave_set_u64(stave_span span, const char *key, uint64_t value);
STAVE_API void stave_set_f64(stave_span span, const char *key, double value);
STAVE_API void stave_set_bool(stave_span span, const char *key, bool value);
STAVE_API void stave_set_str(stave_span span, const char *key, const char *value);

/* ---- what probes are made of; not to be used directly ---------------------------------------- */

/* Another one with each change of the structs below, of what their words mean, or of what a probe calls. `abi` of
 * stave_site and the first three of stave__thread stay where they are: they are read before it is asked. */
#define STAVE_ABI 1

/* A place in the code. Static; its texts are copied when it is first met. */
typedef struct stave_site {
    const char *name;
    const char *file;
    const char *function;
    uint32_t line;
    uint16_t abi;
    uint16_t unused;
    uint32_t id; /* its name's; 0: not met yet; STAVE__NO_ID: there is no room */
    uint32_t unused_too;
} stave_site;

#define STAVE__NO_ID UINT32_MAX

/* What a span, an attribute, a mark is in memory: 32 bytes. Others read them while they are written, so
 * all are words that are loaded and stored whole. `what`: from bit 0 the name's number; from bit 20 the depth,
 * or what else than a span it is; from bit 48 flags (enum stave_row_flag); bit 63: it is no span. */
struct stave__record {
    uint64_t start, end, serial, what;
};

enum { STAVE__ATTRIBUTE = 1, STAVE__MARK, STAVE__COUNTER, STAVE__SUM };

#define STAVE__DEPTH_SHIFT 20
#define STAVE__FLAGS_SHIFT 48
#define STAVE__NOT_SPAN ((uint64_t)1 << 63)
#define STAVE__IS_SIGNED                                                                           \
    ((uint64_t)1 << (STAVE__FLAGS_SHIFT + 11)) /* as STAVE_FLAG_SIGNED, _REAL, _BOOL */
#define STAVE__IS_REAL ((uint64_t)1 << (STAVE__FLAGS_SHIFT + 12))
#define STAVE__IS_BOOL ((uint64_t)1 << (STAVE__FLAGS_SHIFT + 14))

/* Of the cumulative spans of a name in a span, or in another of these. */
struct stave__sums {
    struct stave__sums *next;  /* beside it */
    struct stave__sums *below; /* in it */
    struct stave__sums *above; /* NULL: a span */
    uint32_t name;
    uint32_t number;      /* among its span's, once these are being written */
    uint64_t first, last; /* ticks: the first one's start, the last one's end */
    uint64_t count, total, least, most;
};

/* In an open slot's `what`: a cumulative span; one that an inline probe began and may end. */
#define STAVE__IS_SUM ((uint64_t)1 << 62)
#define STAVE__IS_QUICK_SUM ((uint64_t)1 << 61)

/* A span that is open. */
struct stave__open {
    uint64_t start, serial, what;
    struct stave__sums *sums; /* of the cumulative spans in it */
};

/* Where a thread writes. `limit` and `end` also stand early where something takes longer. */
struct stave__thread {
    struct stave__open *top, *limit;
    struct stave__record *next, *end;
    struct stave__open *base;
    uint64_t serial; /* the highest that was given out */
};

/* Of the calling thread; before it has met a probe, one that has no room. */
extern STAVE_API __thread struct stave__thread *stave__self
    __attribute__((tls_model("initial-exec")));

extern STAVE_API uint32_t stave__on;

STAVE_API stave_span stave__begin_slowly(stave_site *site);
STAVE_API void stave__end_slowly(stave_span span, uint64_t end);

#define STAVE__UNLIKELY(x) __builtin_expect(!!(x), 0)

/* clang would call these: it takes what stands behind STAVE__UNLIKELY for too rare to be inlined. */
#define STAVE__INLINE static inline __attribute__((always_inline))

STAVE__INLINE uint64_t stave__now(void)
{
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#else
#error "stave/stave.h knows no counter of this processor"
#endif
}

STAVE__INLINE bool stave__is_on(void)
{
    return STAVE__UNLIKELY(__atomic_load_n(&stave__on, __ATOMIC_RELAXED));
}

#define STAVE__STORE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELAXED)
#define STAVE__PUBLISH(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)

/* What is stored before is seen before what is stored behind. x86-64 does so by itself. */
STAVE__INLINE void stave__order_stores(void)
{
#if defined(__aarch64__)
    __asm__ volatile("dmb ishst" : : : "memory");
#else
    __atomic_signal_fence(__ATOMIC_RELEASE);
#endif
}

STAVE__INLINE stave_span stave__begin(stave_site *site)
{
    struct stave__thread *self = stave__self;
    struct stave__open *slot = self->top;
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    stave_span span;
    if (STAVE__UNLIKELY(slot == self->limit || id - 1 >= STAVE__NO_ID - 1))
        return stave__begin_slowly(site);
    span.slot = slot;
    span.serial = self->serial + 1;
    STAVE__STORE(slot->serial, span.serial);
    stave__order_stores(); /* R5 of record/recorder.h */
    STAVE__STORE(self->serial, span.serial);
    STAVE__STORE(slot->what, id | (uint64_t)(slot - self->base) << STAVE__DEPTH_SHIFT);
    STAVE__STORE(slot->start, stave__now());
    STAVE__PUBLISH(self->top, slot + 1);
    return span;
}

STAVE__INLINE void stave__end(stave_span span)
{
    struct stave__thread *self = stave__self;
    struct stave__open *slot = span.slot;
    struct stave__record *record = self->next;
    uint64_t end;
    if (slot == NULL)
        return;
    end = stave__now();
    if (STAVE__UNLIKELY(slot + 1 != self->top || slot->serial != span.serial ||
                        record == self->end || slot->sums != NULL || end < slot->start)) {
        stave__end_slowly(span, end);
        return;
    }
    STAVE__STORE(record->start, slot->start);
    STAVE__STORE(record->end, end);
    STAVE__STORE(record->serial, span.serial);
    STAVE__STORE(record->what, slot->what);
    STAVE__PUBLISH(self->next, record + 1);
    STAVE__PUBLISH(self->top, slot);
}

#ifdef __cplusplus
}
#endif

#include "stave/probes.h"

#endif
