/* record/sessions.h - which evaluations are captured, for whom, and that their records stay.
 *
 * Invariants
 * V1  A session's place is somebody's while its `number` is not 0. Start, stop and freeing are done under the lock here,
 *     which nothing waits in; others read a place's words, then its number again.
 * V2  stave__rules_on is changed under that lock: up before a session is told of to the caller, down before its `stop` is
 *     read. An evaluation is a session's by its start alone: start <= its start < stop.
 * V3  A chunk is looked at when it is sealed: with a record in the time of a session that it is in the scope of, it is pinned, once
 *     for all sessions (`session_pin`, record/pool.h P6). Freeing looks at all pinned chunks again. Who pins one looks,
 *     after it says so, whether sessions have changed since he decided.
 * V4  Who gives a chunk's records up counts its evaluations for each session before `taken` becomes 0; an evaluation that finds
 *     no room is counted where it does.  */
#ifndef STAVE_RECORD_SESSIONS_H
#define STAVE_RECORD_SESSIONS_H

#include "record/recorder.h"
#include "stave/rules.h"

#define STAVE__ALL_THREADS UINT64_MAX

/* What was added of a rule. */
struct stave__session_sum {
    uint32_t rule; /* its name */
    stave_summary sum;
};

struct stave_session {
    uint64_t number;      /* V1; from 1 */
    uint64_t start, stop; /* ticks; stop UINT64_MAX: it goes on */
    uint64_t scope;       /* the owner of a lane, or STAVE__ALL_THREADS */
    uint64_t given_up, dropped;
    struct stave__session_sum *sums;
    size_t sums_count, sums_room;
    bool is_on;   /* under the lock */
    bool is_left; /* a parent's, in a child of fork(2) */
};

/* Sessions that have not been freed. */
extern uint32_t stave__sessions_live;

static inline bool stave__sessions_any(void)
{
    return __atomic_load_n(&stave__sessions_live, __ATOMIC_ACQUIRE) != 0;
}

/* Whether what a lane's thread begins now is captured: of the thread itself. */
bool stave__sessions_capture(const struct stave__lane *lane);

/* An evaluation that began at the tick, or was to, found no room. NULL: on a thread without a lane. `by_handle`: any
 * session may be meant. */
void stave__sessions_drop(const struct stave__lane *lane, uint64_t tick, bool by_handle);

/* V3. The lane's chunk is about to be sealed with so many records. */
void stave__sessions_hold(const struct stave__lane *lane, uint32_t chunk, uint32_t used);

/* V4. Of the pool: these records are given up. */
void stave__sessions_forget(const struct stave__chunk *chunk, uint32_t used);

/* A session was freed: what no other needs is given back. Under the lock. */
void stave__sessions_let_go(void);

/* What a session has beside records; of the place `index`. False: it is nobody's. The sums are the caller's to free; NULL
 * with sums_count not 0: there was no memory. */
bool stave__session_copy(uint32_t index, struct stave_session *copy);

/* STAVE_E_ARGUMENT: there is none; STAVE_E_STATE: it is the parent's. */
int stave__session_check(const stave_session *session, stave_error *error);

/* Around fork(2), in this order. */
void stave__sessions_before_fork(void);
void stave__sessions_after_fork(bool in_child);

/* For sessions_hold.c: how many places there are to look at; whether one is somebody's, and its words. */
uint32_t stave__sessions_places(void);
struct stave_session *stave__session_at(uint32_t index);
bool stave__session_look(const struct stave_session *session, struct stave_session *seen);
uint64_t stave__sessions_changes(void);

#endif
