/* record/traces.h - roots that have ended, and which of them are kept.
 *
 * Invariants
 * T1  A trace that is kept is an entry of a table. Its content does not change while `refs` is not 0; who takes the
 *     last reference away lets go of its chunks and gives the entry back.
 * T2  A list is an array of words: the entry's number, and above it part of the trace's, so that a word is never again
 *     another trace's. Each word in a list holds a reference. Words are changed by exchange or comparison alone; who
 *     has taken one out has its reference.
 * T3  A reader takes a reference of an entry whose `refs` is not 0, then looks whether the word is still there.
 * T4  An entry's chunks are pinned (record/pool.h, P6) before it is in another list than that of the newest.  */
#ifndef STAVE_RECORD_TRACES_H
#define STAVE_RECORD_TRACES_H

#include "record/recorder.h"
#include "stave/traces.h"

enum { STAVE__KEEP_DEFAULT = 500, STAVE__COMMANDS = 1024 };

/* A root that has ended. */
struct stave__ended_root {
    uint64_t number, serial, start, end;
    struct stave__position from, to;
    uint32_t name, thread;
    bool is_cut; /* something in it found no room */
};

/* T1. Beside the root all are words that others read at any time. */
struct stave__kept {
    uint64_t refs;
    uint32_t next_free; /* record/stack.h */
    uint32_t why;       /* stave_kept */
    uint32_t held;      /* whether its chunks are pinned: */
    struct stave__ended_root root;
};

enum { STAVE__NOT_HELD, STAVE__BEING_HELD, STAVE__HELD };

/* The newest so many. */
struct stave__kept_list {
    uint64_t *words; /* STAVE_KEEP_MAX */
    uint64_t head;   /* of all that were put */
};

enum { STAVE__NEWEST, STAVE__FAILED, STAVE__TRIGGERED, STAVE__KEPT_LISTS };

struct stave__command {
    uint32_t name;   /* 0: nobody's */
    uint32_t one_in; /* 0: as all others */
    uint64_t roots;
    uint64_t slowest[STAVE_SLOWEST_MAX]; /* words, T2, with how long it took above them instead */
};

struct stave__traces {
    struct stave__kept *entries;
    uint32_t entries_used;
    uint64_t entries_free; /* record/stack.h */
    struct stave__kept_list lists[STAVE__KEPT_LISTS];
    struct stave__command *commands; /* STAVE__COMMANDS, by a hash of the name */
    uint32_t commands_used;
    uint32_t keep, slowest, one_in;
    uint64_t longer_than; /* ticks */
    uint64_t around_ns;
    uint64_t trigger_until; /* a tick */
    uint64_t numbers;
    uint32_t commands_limited; /* that have a one_in of their own */
    uint64_t out, unheld;      /* counted, see stave_counts */
};

extern struct stave__traces stave__traces;

int stave__traces_open(stave_error *error);
void stave__traces_close(void);

/* Forgets all. */
void stave__traces_clear(void);

/* A recording begins, with the defaults. */
void stave__traces_begin(uint32_t keep);

/* The command of a name, made when it is missing. NULL: there is no room. */
struct stave__command *stave__command_of(uint32_t name);

/* Whether the next root of a name is to be recorded. */
bool stave__trace_is_wanted(uint32_t name);

/* The span in `slot` is a root, begun. It has ended, its record is written, or was to be. */
void stave__trace_begin(struct stave__lane *lane, struct stave__open *slot);
void stave__trace_end(struct stave__lane *lane, const struct stave__record *record);

/* What is beyond so many slowest ones of a command is let go. */
void stave__traces_trim(uint32_t slowest);

/* Those of the newest that ended since then are held, as triggered. */
void stave__traces_hold_since(uint64_t tick);

/* The chunk before the one at `at`, of the same lane: where it ends is not told. */
struct stave__position stave__position_before(struct stave__position at);

/* T3. The entry of a word; NULL: it is not there any more. */
struct stave__kept *stave__kept_get(const uint64_t *place, uint64_t word);
void stave__kept_release(struct stave__kept *kept);

#endif
