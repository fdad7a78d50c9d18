#include "record/pieces.h"

#include <stdlib.h>

#include "base/error.h"

int stave__pieces_open(struct stave__pieces *pieces, bool undrained, stave_error *error)
{
    *pieces = (struct stave__pieces){.undrained = undrained};
    pieces->at = malloc(stave__recorder.pool.count * sizeof *pieces->at);
    return pieces->at != NULL ? STAVE_OK : stave__fail_memory(error);
}

void stave__pieces_close(struct stave__pieces *pieces)
{
    free(pieces->at);
}

/* ---- finding --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct stave__piece *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return x->taken < y->taken ? -1 : x->taken > y->taken;
}

/* Nothing of it is asked for any more. */
static bool is_done(const struct stave__pieces *pieces, const struct stave__piece *piece)
{
    if (!pieces->undrained)
        return false;
    const struct stave__pool *pool = &stave__recorder.pool;
    uint32_t used = __atomic_load_n(&stave__pool_at(pool, piece->chunk)->used, __ATOMIC_ACQUIRE);
    return stave__pool_drained(pool, piece->chunk, piece->taken) >= used;
}

void stave__pieces_find(struct stave__pieces *pieces)
{
    const struct stave__pool *pool = &stave__recorder.pool;
    pieces->ready = __atomic_load_n(&pool->ready, __ATOMIC_ACQUIRE);
    pieces->count = 0;
    for (uint32_t i = 0; i < pool->count; i++) {
        const struct stave__chunk *chunk = stave__pool_at(pool, i);
        struct stave__piece piece = {.taken = __atomic_load_n(&chunk->taken, __ATOMIC_ACQUIRE),
                                     .chunk = i,
                                     .owner = __atomic_load_n(&chunk->owner, __ATOMIC_RELAXED)};
        if (piece.taken != 0 && !is_done(pieces, &piece))
            pieces->at[pieces->count++] = piece;
    }
    qsort(pieces->at, pieces->count, sizeof *pieces->at, compare);
}

/* How many records of it are complete. */
static uint32_t complete(struct stave__piece *piece)
{
    const struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, piece->chunk);
    const struct stave__lane *lane = &stave__recorder.lanes[stave__owner_lane(piece->owner)];
    uint32_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
    piece->sealed = used != STAVE__BEING_WRITTEN;
    if (piece->sealed)
        return used;
    const struct stave__record *next = __atomic_load_n(&lane->thread.next, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&lane->chunk, __ATOMIC_ACQUIRE) == piece->chunk && next >= chunk->records &&
        next <= chunk->records + STAVE__CHUNK_RECORDS)
        return (uint32_t)(next - chunk->records);
    used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
    piece->sealed = used != STAVE__BEING_WRITTEN;
    return piece->sealed ? used : 0; /* just sealed, or just taken */
}

/* The first of an owner, or of one behind it. */
static uint32_t first_of(const struct stave__pieces *pieces, uint32_t owner)
{
    uint32_t low = 0, high = pieces->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pieces->at[middle].owner < owner)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct stave__piece *stave__pieces_of(struct stave__pieces *pieces, uint32_t owner, uint32_t *count)
{
    if (__atomic_load_n(&stave__recorder.pool.ready, __ATOMIC_ACQUIRE) != pieces->ready)
        stave__pieces_find(pieces);
    uint32_t first = first_of(pieces, owner), end = first;
    for (; end < pieces->count && pieces->at[end].owner == owner; end++) {
        struct stave__piece *piece = &pieces->at[end];
        piece->to = complete(piece);
        piece->from = 0;
        if (pieces->undrained)
            piece->from = stave__pool_drained(&stave__recorder.pool, piece->chunk, piece->taken);
        piece->from = piece->from < piece->to ? piece->from : piece->to;
    }
    *count = end - first;
    return pieces->at + first;
}

/* ---- reading --------------------------------------------------------------------------------- */

static struct stave__record load(const struct stave__record *from)
{
    return (struct stave__record){
        .start = __atomic_load_n(&from->start, __ATOMIC_RELAXED),
        .end = __atomic_load_n(&from->end, __ATOMIC_RELAXED),
        .serial = __atomic_load_n(&from->serial, __ATOMIC_RELAXED),
        .what = __atomic_load_n(&from->what, __ATOMIC_RELAXED),
    };
}

/* False: it is not what it was. */
static bool is_there(const struct stave__piece *piece)
{
    const struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, piece->chunk);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&chunk->taken, __ATOMIC_RELAXED) == piece->taken;
}

bool stave__piece_copy(const struct stave__piece *piece, struct stave__record *records)
{
    const struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, piece->chunk);
    for (uint32_t i = piece->from; i < piece->to; i++)
        records[i - piece->from] = load(&chunk->records[i]);
    return is_there(piece);
}
