/* record/recorder.h - the recorder of the process: its memory, its lanes, what it is told to do.
 *
 * Invariants
 * R1  stave__recorder is made at the first start and stays: threads hold places in it.
 * R2  A lane is written by its thread alone. Others read `top`, `next`, `chunk`, `state` and what lies before
 *     these, never behind.
 * R3  Of a thread, an open span's slot is complete before `top` passes it, a record before `next` does.
 * R4  Where something takes longer (another clock, no room), `limit` equals `top` and `end` equals `next`:
 *     the inline probes then call these functions, and need not ask. In a cumulative span `limit` does.
 * R5  A slot is given to span after span while others read it. Its owner stores the new serial n in the slot,
 *     orders stores (stave__order_stores()), then stores n as the thread's, the slot's other words, and `top`
 *     by release. Others read, each by acquire: the thread's serial, `top`, of each slot below that its
 *     serial, its other words, its serial again. They discard a slot whose serials differ or are above the
 *     thread's. No slot with words of two spans passes:
 *     - words newer than the serial: who has read one of span n finds n, or more, the second time;
 *     - words older than the serial n: n is not above the thread's, so that was at n before `top` was read,
 *       and with it all that came before, that the span before n had left the slot included. A `top` above the
 *       slot was then published for n or a later one, and n's words before it.
 * R6  A name's text is complete before anything that others find its number by: its bucket, a place, a lane.
 *     A probe reads a place's number without order, and publishes a record of it by release: that is
 *     enough where a store that one other sees is seen by all, as on x86-64 and aarch64.
 * R7  `uses` is how many chunks are a lane's, and one more while its thread lives. Who takes away the last one gives
 *     the lane back, for another thread. So all that is in memory of a lane is of one life; a chunk's owner says of
 *     which.
 * R8  A span that is attached (STAVE_FLAG_ATTACHED in `what`) has its place in `attached`, by its depth: words of the slot as
 *     R5 has them. Its record is two, the second is the place. Its slot's `sums` has an entry of a name that no place in the
 *     code has (stave__sums_mark()), so that the inline probes call at its end, and need not ask.  */
#ifndef STAVE_RECORD_RECORDER_H
#define STAVE_RECORD_RECORDER_H

#include "record/clock.h"
#include "record/dictionary.h"
#include "record/pool.h"
#include "record/sites.h"
#include "record/stream.h"
#include "stave/stave.h"

#define STAVE__LANES_MAX 65536u /* at a time */

/* Of an evaluation that was begun by a handle from elsewhere: the place that it names. */
struct stave__attached {
    uint64_t serial;
    uint64_t owner;
};

enum stave__lane_state { STAVE__LANE_UNUSED, STAVE__LANE_ALIVE, STAVE__LANE_ENDED };

/* Where a lane writes: a chunk, and how many records are in it. */
struct stave__position {
    uint64_t taken; /* 0: there is none */
    uint32_t chunk;
    uint32_t at;
};

/* The root that is open on a lane: record/traces.h. */
struct stave__root {
    struct stave__open *slot; /* NULL: there is none */
    struct stave__position from;
    uint64_t dropped; /* records that found no room, at its beginning */
};

/* One thread's life, and when nothing of that is in memory any more, another's. */
struct stave__lane {
    struct stave__thread thread; /* first: a thread's is its lane's */
    struct stave__open *last;    /* slots end here */
    struct stave__record *full;  /* the chunk ends here */
    uint32_t index;
    uint32_t life;      /* the how manieth, from 0 */
    uint32_t uses;      /* R7 */
    uint32_t next_free; /* record/stack.h */
    uint32_t chunk;     /* that it writes into, or STAVE__NO_CHUNK */
    uint32_t state;     /* enum stave__lane_state */
    uint32_t name;      /* 0: the system's number alone; R6 */
    uint64_t number;
    uint64_t before;     /* serials up to here belong to a recording before this one */
    uint32_t last_chunk; /* the one before `chunk`, and its `taken`; 0: there is none */
    uint64_t last_taken;
    struct stave__root root;
    bool is_skipping; /* a root that is not recorded is open, record/traces.h */
    struct {
        uint64_t time;
        uint32_t name; /* or none: stave__is_name() */
        bool written;
    } mark;                               /* that is being made */
    struct stave__sums *sums, *sums_free; /* of cumulative spans: record/sums.h */
    uint32_t sums_used;
    struct stave__attached
        *attached;          /* by depth, address space until used; NULL: there was none yet */
    uint32_t attached_open; /* how many are: of its thread alone */
    stave_counts counts;    /* its own share, R2 */
};

struct stave__recorder {
    struct stave__pool pool;
    struct stave__dictionary names;
    struct stave__sites sites;
    struct stave__clock clock;
    struct stave__lane *lanes;
    uint32_t lanes_count;
    uint64_t lanes_free;                      /* record/stack.h */
    uint64_t dropped_thread, ended_elsewhere; /* of threads without a lane */
    stave_counts counts_before;               /* at the start of this recording */
    uint64_t max_spans;                       /* 0: no limit */
    uint64_t spans, limit_reached; /* with a limit: how many there were, the tick of reaching it */
    uint64_t since;                /* the tick at which what is in memory begins */
    struct stave__stream *stream;  /* NULL: none. Under the lock of control.c */
    stave_file_config file_limits; /* under the lock of control.c */
    bool made;                     /* R1 */
    bool made_by_session;          /* and so with the size that it asked for */
    bool started;                  /* under the lock of control.c */
};

extern struct stave__recorder stave__recorder;

/* stave__self of this copy of the library: C3 of record/copies.h. */
extern __thread struct stave__thread *stave__own __attribute__((tls_model("initial-exec")));

/* The lane of the calling thread, made when it is missing. NULL: there is no room. */
struct stave__lane *stave__lane_of_thread(void);

/* Also while nothing is recorded. */
struct stave__lane *stave__lane_of_thread_anyway(void);

/* Whether it has one. */
bool stave__has_lane(void);

/* Whether a root that is not recorded is open on the calling thread. */
static inline bool stave__is_skipping(void)
{
    return stave__has_lane() && ((const struct stave__lane *)stave__own)->is_skipping;
}

/* The calling thread has none any more. */
void stave__lane_leave(void);

/* The owner of a lane's chunks. */
static inline uint32_t stave__owner(uint32_t lane, uint32_t life)
{
    return life << 16 | lane;
}

static inline uint32_t stave__owner_lane(uint32_t owner)
{
    return owner & (STAVE__LANES_MAX - 1);
}

/* A chunk of a lane, or its thread, is no more: R7. */
void stave__lane_release(uint32_t owner);

/* How many lanes there have been. */
static inline uint32_t stave__lanes_count(void)
{
    uint32_t count = __atomic_load_n(&stave__recorder.lanes_count, __ATOMIC_ACQUIRE);
    return count < STAVE__LANES_MAX ? count : STAVE__LANES_MAX;
}

static inline void stave__count(uint64_t *counter, uint64_t by)
{
    __atomic_store_n(counter, *counter + by, __ATOMIC_RELAXED);
}

/* Whether a span is open on a thread. */
static inline bool stave__is_open(const struct stave__thread *self, stave_span span)
{
    return span.slot >= self->base && span.slot < self->top && span.slot->serial == span.serial;
}

/* Whether what a thread begins now is summed up. */
static inline bool stave__is_in_sum(const struct stave__thread *self)
{
    return self->top > self->base && (self->top[-1].what & STAVE__IS_SUM) != 0;
}

/* Of all that starts, stops, writes files, changes what is kept; never of a probe. */
void stave__control_lock(void);
void stave__control_unlock(void);

/* For sessions of rules (record/sessions.h), under the lock: makes the recorder, if it is not made, and leaves it off. */
int stave__make_for_sessions(uint64_t max_bytes, stave_error *error);

/* STAVE_E_STATE while it has not been started, under the lock; when it never was. */
int stave__check_started(stave_error *error);
int stave__check_made(stave_error *error);

/* All that was recorded so far is forgotten; what is in memory begins at the tick. Under the lock. */
void stave__begin_anew(bool keep_newest, uint64_t tick);

/* All that was begun so far belongs to recordings before. */
void stave__lanes_begin(void);

/* Ends what is open, as if something around it ended. */
void stave__end_all(struct stave__lane *lane);

/* Begins a span of a name, or adds to an entry where it is summed up; attached: to the place that a handle names. None: there
 * is no room, which has been counted. `stave__span_end_at` ends an open one at that tick. */
stave_span stave__span_begin(struct stave__lane *lane, uint32_t name);
stave_span stave__span_begin_attached(struct stave__lane *lane, uint32_t name,
                                      const struct stave__attached *to);
void stave__span_end_at(struct stave__lane *lane, stave_span span, uint64_t end);

/* An attribute by the number of its key. */
void stave__set_key(stave_span span, uint32_t key, struct stave__value value);

/* An end of a span that is not open: counted on the thread's lane, if it has one. */
void stave__count_ended_twice(void);

/* Instead of a number: the place was compiled for another version of stave.h. It stands in no place. */
#define STAVE__OTHER_ABI (STAVE__NO_ID - 1)

/* The number of a place's name; STAVE__NO_ID: there is no room; STAVE__OTHER_ABI. When it is first met, the place
 * itself is noted, but for a key: what has its name is no row. The first is for a name at this place, the second for what
 * is one by its name, wherever it stands: a counter, a sum. */
uint32_t stave__site_id(stave_site *site);
uint32_t stave__shared_id(stave_site *site);
uint32_t stave__key_id(stave_site *key);

static inline bool stave__is_name(uint32_t id)
{
    return id != 0 && id < STAVE__OTHER_ABI;
}

/* A record whose place has no number. */
void stave__count_dropped_site(struct stave__lane *lane, uint32_t id);

/* A mark with a text. */
void stave__mark_text(struct stave__lane *lane, const char *name, const char *text);

/* Room for `records` in a row; NULL: there is none, which has been counted. */
struct stave__record *stave__lane_room(struct stave__lane *lane, uint32_t records);

/* Makes what was written behind `next` a lane's own, and sets where the inline probes have to stop. */
void stave__lane_wrote(struct stave__lane *lane, struct stave__record *next);
void stave__lane_set_top(struct stave__lane *lane, struct stave__open *top);

#endif
