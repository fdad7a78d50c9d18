#include "record/pool.h"

#include <assert.h>

#include "base/error.h"
#include "base/os_process.h"

_Static_assert(sizeof(struct stave__chunk) == STAVE__CHUNK_SIZE, "a chunk is 64 KiB");

/* ---- pins ------------------------------------------------------------------------------------ */

#define PARKED ((uint32_t)1 << 31)
#define CLAIMED ((uint32_t)1 << 30)

static uint32_t count_of(uint32_t pins)
{
    return pins & (CLAIMED - 1);
}

/* P6. False: it is pinned, and parked now. */
static bool claim(struct stave__chunk *chunk)
{
    uint32_t pins = 0;
    while (!__atomic_compare_exchange_n(&chunk->pins, &pins, pins == 0 ? CLAIMED : pins | PARKED,
                                        true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        ;
    return pins == 0;
}

void stave__pool_unpin(struct stave__pool *pool, uint32_t number)
{
    struct stave__chunk *chunk = &pool->chunks[number];
    uint32_t left = __atomic_sub_fetch(&chunk->pins, 1, __ATOMIC_ACQ_REL);
    if (count_of(left) == 0)
        __atomic_fetch_sub(&pool->pinned, 1, __ATOMIC_RELAXED);
    if (left == PARKED && __atomic_compare_exchange_n(&chunk->pins, &left, 0, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        stave__queue_put(&pool->sealed, number);
}

bool stave__pool_pin(struct stave__pool *pool, uint32_t number, uint64_t taken)
{
    struct stave__chunk *chunk = &pool->chunks[number];
    uint32_t before = __atomic_fetch_add(&chunk->pins, 1, __ATOMIC_ACQ_REL), pinned = 0;
    if (count_of(before) == 0)
        pinned = __atomic_fetch_add(&pool->pinned, 1, __ATOMIC_RELAXED);
    if (pinned < pool->count / 2 && (before & CLAIMED) == 0 &&
        __atomic_load_n(&chunk->taken, __ATOMIC_ACQUIRE) == taken)
        return true;
    stave__pool_unpin(pool, number);
    return false;
}

/* ---- opening ---------------------------------------------------------------------------------- */

int stave__pool_open(struct stave__pool *pool, uint64_t bytes, bool keep_newest,
                     void (*gave_up)(uint32_t owner), stave_error *error)
{
    uint64_t count = bytes / STAVE__CHUNK_SIZE;
    assert(count >= 2 && count < STAVE__NO_CHUNK); /* record/control.c has checked it */
    *pool = (struct stave__pool){
        .count = (uint32_t)count, .keep_newest = keep_newest, .gave_up = gave_up};
    pool->chunks = stave__os_take(count * STAVE__CHUNK_SIZE);
    if (pool->chunks == NULL)
        return stave__fail_memory(error);
    if (!stave__queue_open(&pool->free, pool->count) ||
        !stave__queue_open(&pool->sealed, pool->count)) {
        stave__pool_close(pool);
        return stave__fail_memory(error);
    }
    for (uint32_t i = 0; i < pool->count; i++) {
        pool->chunks[i].pins = CLAIMED;
        stave__queue_put(&pool->free, i);
    }
    return STAVE_OK;
}

void stave__pool_close(struct stave__pool *pool)
{
    stave__os_unmap(pool->chunks, (size_t)pool->count * STAVE__CHUNK_SIZE);
    stave__queue_close(&pool->free);
    stave__queue_close(&pool->sealed);
    *pool = (struct stave__pool){0};
}

/* ---- taking and giving up -------------------------------------------------------------------- */

/* What is in it and in no file is in none for good. */
static void count_given_up(struct stave__pool *pool, struct stave__chunk *chunk, uint32_t used)
{
    uint64_t drained = __atomic_exchange_n(&chunk->drained, 0, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&pool->missed, used - drained % STAVE__DRAINED_UNIT, __ATOMIC_RELAXED);
    __atomic_fetch_add(&pool->evicted, used, __ATOMIC_RELAXED);
}

/* The oldest sealed one that is not pinned, whose records are given up. */
static bool evict(struct stave__pool *pool, uint32_t *number)
{
    do
        if (!stave__queue_get(&pool->sealed, number))
            return false;
    while (!claim(&pool->chunks[*number]));
    struct stave__chunk *chunk = &pool->chunks[*number];
    count_given_up(pool, chunk, __atomic_load_n(&chunk->used, __ATOMIC_RELAXED));
    return true;
}

/* P2 */
static void empty(struct stave__chunk *chunk)
{
    __atomic_store_n(&chunk->taken, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Traces among the newest that begin in it are gone. */
static void drop_roots(struct stave__pool *pool, struct stave__chunk *chunk)
{
    uint64_t roots = __atomic_exchange_n(&chunk->roots, 0, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&pool->evicted_roots, roots % STAVE__ROOTS_UNIT, __ATOMIC_RELAXED);
}

static void tell_forgetting(const struct stave__pool *pool, const struct stave__chunk *chunk,
                            uint32_t used)
{
    if (pool->forgetting != NULL)
        pool->forgetting(chunk, used);
}

/* Whose it was need not know of it any more. */
static void give_up(struct stave__pool *pool, struct stave__chunk *chunk)
{
    drop_roots(pool, chunk);
    tell_forgetting(pool, chunk, __atomic_load_n(&chunk->used, __ATOMIC_RELAXED));
    empty(chunk);
    pool->gave_up(chunk->owner);
}

void stave__pool_begin(struct stave__pool *pool, bool keep_newest)
{
    uint32_t number;
    __atomic_store_n(&pool->keep_newest, keep_newest, __ATOMIC_RELAXED);
    while (evict(pool, &number)) {
        give_up(pool, &pool->chunks[number]);
        stave__queue_put(&pool->free, number);
    }
}

static bool find(struct stave__pool *pool, uint32_t *chunk)
{
    if (stave__queue_get(&pool->free, chunk))
        return true;
    if (!__atomic_load_n(&pool->keep_newest, __ATOMIC_RELAXED) || !evict(pool, chunk))
        return false;
    give_up(pool, &pool->chunks[*chunk]);
    return true;
}

/* P2. It is claimed and empty. */
static void make_taken(struct stave__pool *pool, struct stave__chunk *chunk)
{
    __atomic_store_n(&chunk->used, STAVE__BEING_WRITTEN, __ATOMIC_RELAXED);
    __atomic_store_n(&chunk->until, UINT64_MAX, __ATOMIC_RELAXED);
    uint64_t taken = __atomic_add_fetch(&pool->taken, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&chunk->drained, taken * STAVE__DRAINED_UNIT, __ATOMIC_RELAXED);
    __atomic_store_n(&chunk->roots, taken * STAVE__ROOTS_UNIT, __ATOMIC_RELAXED);
    __atomic_store_n(&chunk->taken, taken, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&chunk->pins, CLAIMED, __ATOMIC_RELEASE);
    __atomic_fetch_add(&pool->ready, 1, __ATOMIC_RELEASE);
}

uint32_t stave__pool_take(struct stave__pool *pool, uint32_t owner)
{
    uint32_t number;
    if (!find(pool, &number))
        return STAVE__NO_CHUNK;
    struct stave__chunk *chunk = &pool->chunks[number];
    empty(chunk);
    __atomic_store_n(&chunk->owner, owner, __ATOMIC_RELAXED);
    make_taken(pool, chunk);
    return number;
}

bool stave__pool_retake(struct stave__pool *pool, uint32_t number, uint32_t used)
{
    struct stave__chunk *chunk = &pool->chunks[number];
    uint32_t pins = 0;
    if (!__atomic_load_n(&pool->keep_newest, __ATOMIC_RELAXED) ||
        !__atomic_compare_exchange_n(&chunk->pins, &pins, CLAIMED, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false;
    count_given_up(pool, chunk, used);
    drop_roots(pool, chunk);
    tell_forgetting(pool, chunk, used);
    empty(chunk);
    make_taken(pool, chunk);
    return true;
}

void stave__pool_seal(struct stave__pool *pool, uint32_t number, uint32_t used)
{
    __atomic_store_n(&pool->chunks[number].used, used, __ATOMIC_RELEASE);
    stave__queue_put(&pool->sealed, number); /* it has room for all */
}

/* ---- roots ----------------------------------------------------------------------------------- */

/* False: the taking has been given up. */
static bool change_roots(struct stave__chunk *chunk, uint64_t taken, uint64_t by)
{
    uint64_t roots = __atomic_load_n(&chunk->roots, __ATOMIC_RELAXED);
    while (roots / STAVE__ROOTS_UNIT == taken)
        if (__atomic_compare_exchange_n(&chunk->roots, &roots, roots + by, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

void stave__pool_add_root(struct stave__pool *pool, uint32_t number, uint64_t taken)
{
    if (!change_roots(&pool->chunks[number], taken, 1))
        __atomic_fetch_add(&pool->evicted_roots, 1, __ATOMIC_RELAXED);
}

bool stave__pool_drop_root(struct stave__pool *pool, uint32_t number, uint64_t taken)
{
    return change_roots(&pool->chunks[number], taken, (uint64_t)-1);
}

/* ---- the drain ------------------------------------------------------------------------------- */

uint32_t stave__pool_drained(const struct stave__pool *pool, uint32_t number, uint64_t taken)
{
    uint64_t drained = __atomic_load_n(&pool->chunks[number].drained, __ATOMIC_ACQUIRE);
    bool same = drained / STAVE__DRAINED_UNIT == taken;
    return same ? (uint32_t)(drained % STAVE__DRAINED_UNIT) : (uint32_t)STAVE__CHUNK_RECORDS;
}

bool stave__pool_drain(struct stave__pool *pool, uint32_t number, uint64_t taken, uint32_t from,
                       uint32_t to)
{
    uint64_t expected = taken * STAVE__DRAINED_UNIT + from;
    return __atomic_compare_exchange_n(&pool->chunks[number].drained, &expected,
                                       expected - from + to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

void stave__pool_undrain(struct stave__pool *pool, uint32_t number, uint64_t taken, uint32_t from,
                         uint32_t to)
{
    uint64_t expected = taken * STAVE__DRAINED_UNIT + to;
    if (!__atomic_compare_exchange_n(&pool->chunks[number].drained, &expected, expected - to + from,
                                     false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        __atomic_fetch_add(&pool->missed, to - from, __ATOMIC_RELAXED);
}

static bool is_drained(const struct stave__chunk *chunk)
{
    uint64_t drained = __atomic_load_n(&chunk->drained, __ATOMIC_RELAXED);
    return drained % STAVE__DRAINED_UNIT == __atomic_load_n(&chunk->used, __ATOMIC_RELAXED);
}

void stave__pool_free_drained(struct stave__pool *pool)
{
    uint32_t number;
    for (uint32_t i = 0; i < pool->count && stave__queue_get(&pool->sealed, &number); i++) {
        if (!is_drained(&pool->chunks[number])) {
            stave__queue_put(&pool->sealed, number);
            return;
        }
        if (!claim(&pool->chunks[number]))
            continue;
        give_up(pool, &pool->chunks[number]);
        stave__queue_put(&pool->free, number);
    }
}
