/* record/pool.h - the memory that records are written into: chunks of 64 KiB, taken by threads.
 *
 *     uint32_t chunk = stave__pool_take(&pool, owner);    // STAVE__NO_CHUNK: there is none
 *     ... the thread writes records into stave__pool_at(&pool, chunk)->records ...
 *     stave__pool_seal(&pool, chunk, used);                       // it writes no more
 *
 * Invariants
 * P1  A chunk is free, being written by one thread, or sealed. Only the thread that took it writes into it.
 * P2  `taken` grows with each taking over all chunks. It is 0 from before anything else of a chunk changes
 *     until all but its records is the new taking's: a reader that finds the same `taken`, not 0, before and
 *     after it copied has an owner and records of that taking only.
 * P3  Records behind the writer's place are never changed while the chunk is its.
 * P4  Free and sealed chunks stand in one queue each, the oldest first; nobody waits at either: who finds
 *     it empty, or someone else in the middle, goes on without.
 * P5  `drained` says which taking it is of and how many of its records are in a file. The drain moves it on by a
 *     comparison, who gives the chunk up takes it away: each record is in the file, or counted as missed, once.
 *     What the file did not take the drain moves back; if the chunk was given up meanwhile, it counts that as missed.
 * P6  A chunk that is pinned is not given up, nor freed; who finds it at the head of the sealed ones parks it, and who
 *     takes the last pin away puts it back. A chunk is claimed for being given up by a comparison with no pins; a
 *     pin that comes later fails. Who has pinned one looks at `taken` whether it is still what he meant.
 * All memory is taken and touched at the start, so that no record meets a page that is not there.  */
#ifndef STAVE_RECORD_POOL_H
#define STAVE_RECORD_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "record/queue.h"
#include "stave/stave.h"

#define STAVE__CHUNK_SIZE 65536u
#define STAVE__CHUNK_RECORDS ((STAVE__CHUNK_SIZE - 64) / sizeof(struct stave__record))
#define STAVE__NO_CHUNK UINT32_MAX
#define STAVE__BEING_WRITTEN UINT32_MAX
#define STAVE__DRAINED_UNIT 2048u /* above STAVE__CHUNK_RECORDS */
#define STAVE__ROOTS_UNIT 4096u   /* likewise */

struct stave__chunk {
    uint64_t taken;        /* which taking of all, from 1; 0: never, or in the middle of it */
    uint32_t owner;        /* who has taken it */
    uint32_t used;         /* records, once it is sealed */
    uint64_t drained;      /* P5: taken * STAVE__DRAINED_UNIT + records */
    uint64_t before_taken; /* the owner's chunk before it; 0: there is none */
    uint32_t before;
    uint32_t pins; /* P6 */
    uint64_t
        roots; /* taken * STAVE__ROOTS_UNIT + traces that begin in it and are among the newest */
    uint32_t session_pin; /* V3 of record/sessions.h */
    uint8_t unused[12];
    struct stave__record records[STAVE__CHUNK_RECORDS];
};

struct stave__pool {
    struct stave__chunk *chunks;
    uint32_t count;
    bool keep_newest;
    uint64_t taken;
    uint64_t ready;         /* as `taken`, once the chunk says so itself: it can be found */
    uint64_t evicted;       /* records */
    uint64_t missed;        /* of these, those that are in no file */
    uint32_t pinned;        /* chunks: at most half of them */
    uint64_t evicted_roots; /* traces among the newest whose beginning was given up */
    void (*gave_up)(uint32_t owner); /* a sealed chunk of its; called by whoever takes the memory */
    /* Before: these records of it are given up. NULL: nobody asks. */
    void (*forgetting)(const struct stave__chunk *chunk, uint32_t used);
    struct stave__queue free, sealed;
};

/* Maps and touches `bytes`, at least two chunks. */
int stave__pool_open(struct stave__pool *pool, uint64_t bytes, bool keep_newest,
                     void (*gave_up)(uint32_t owner), stave_error *error);
void stave__pool_close(struct stave__pool *pool);

/* Gives up what is sealed: a recording begins anew. */
void stave__pool_begin(struct stave__pool *pool, bool keep_newest);

/* A chunk: a free one, or, in a pool that keeps the newest, the oldest sealed one. */
uint32_t stave__pool_take(struct stave__pool *pool, uint32_t owner);
void stave__pool_seal(struct stave__pool *pool, uint32_t number, uint32_t used);

/* Where there is none, in a pool that keeps the newest: gives up the `used` records of a chunk that has not been sealed, and
 * takes it anew. False: it is pinned, or the pool keeps what it has. */
bool stave__pool_retake(struct stave__pool *pool, uint32_t number, uint32_t used);

/* False: it has been given up, or too many are pinned. */
bool stave__pool_pin(struct stave__pool *pool, uint32_t number, uint64_t taken);
void stave__pool_unpin(struct stave__pool *pool, uint32_t number);

/* A trace that begins in this taking is among the newest, or is not any more. If it has been given up it is counted,
 * once; then dropping it returns false. */
void stave__pool_add_root(struct stave__pool *pool, uint32_t number, uint64_t taken);
bool stave__pool_drop_root(struct stave__pool *pool, uint32_t number, uint64_t taken);

/* Of a taking's records those that are in a file; all, once it has been given up. */
uint32_t stave__pool_drained(const struct stave__pool *pool, uint32_t number, uint64_t taken);

/* The records [from, to) of a taking, copied, are in the file from now on. False: they have been given up, and the
 * copy may be of anything. */
bool stave__pool_drain(struct stave__pool *pool, uint32_t number, uint64_t taken, uint32_t from,
                       uint32_t to);

/* They are not: the file has failed. Of the drain alone, for the last that it moved on. */
void stave__pool_undrain(struct stave__pool *pool, uint32_t number, uint64_t taken, uint32_t from,
                         uint32_t to);

/* In a pool that keeps what is in memory: makes free what is in the file as a whole. */
void stave__pool_free_drained(struct stave__pool *pool);

static inline struct stave__chunk *stave__pool_at(const struct stave__pool *pool, uint32_t chunk)
{
    return &pool->chunks[chunk];
}

#endif
