#include "record/image.h"

#include <stdlib.h>

#include "base/error.h"
#include "record/image_rows.h"

/* A chunk of a lane, by the order in which they were taken. */
struct piece {
    uint64_t taken;
    uint32_t chunk;
    uint32_t lane;
};

struct image {
    struct stave__image_file file;
    struct stave__image_rows rows;
    struct piece *pieces; /* by lane */
    uint32_t pieces_count;
    uint64_t pieces_ready; /* the pool's `ready` before they were found */
};

/* ---- chunks ---------------------------------------------------------------------------------- */

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->taken < y->taken ? -1 : x->taken > y->taken;
}

static void find_pieces(struct image *image)
{
    const struct stave__pool *pool = &stave__recorder.pool;
    image->pieces_ready = __atomic_load_n(&pool->ready, __ATOMIC_ACQUIRE);
    image->pieces_count = 0;
    for (uint32_t i = 0; i < pool->count; i++) {
        const struct stave__chunk *chunk = stave__pool_at(pool, i);
        struct piece piece = {.taken = __atomic_load_n(&chunk->taken, __ATOMIC_ACQUIRE),
                              .chunk = i,
                              .lane = __atomic_load_n(&chunk->lane, __ATOMIC_RELAXED)};
        if (piece.taken != 0)
            image->pieces[image->pieces_count++] = piece;
    }
    qsort(image->pieces, image->pieces_count, sizeof *image->pieces, compare_pieces);
}

/* Those of a lane that there are by now: from the first that is returned. */
static uint32_t pieces_of(struct image *image, uint32_t lane, uint32_t *count)
{
    uint32_t first = 0, end;
    if (__atomic_load_n(&stave__recorder.pool.ready, __ATOMIC_ACQUIRE) != image->pieces_ready)
        find_pieces(image);
    while (first < image->pieces_count && image->pieces[first].lane < lane)
        first++;
    for (end = first; end < image->pieces_count && image->pieces[end].lane == lane;)
        end++;
    *count = end - first;
    return first;
}

/* How many records of a chunk are complete. */
static uint32_t complete(const struct stave__chunk *chunk, uint32_t number, uint32_t lane_index)
{
    uint32_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
    if (used != STAVE__BEING_WRITTEN)
        return used;
    const struct stave__lane *lane = &stave__recorder.lanes[lane_index];
    const struct stave__record *next = __atomic_load_n(&lane->thread.next, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&lane->chunk, __ATOMIC_ACQUIRE) != number || next < chunk->records ||
        next > chunk->records + STAVE__CHUNK_RECORDS)
        used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
    else
        return (uint32_t)(next - chunk->records);
    return used != STAVE__BEING_WRITTEN ? used : 0; /* just sealed, or just taken */
}

/* P2: copied whole, or not at all. */
static bool copy_piece(struct stave__image_rows *rows, const struct piece *piece)
{
    const struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, piece->chunk);
    rows->copied = complete(chunk, piece->chunk, piece->lane);
    for (uint32_t i = 0; i < rows->copied; i++) {
        const struct stave__record *from = &chunk->records[i];
        struct stave__record *to = &rows->records[i];
        to->start = __atomic_load_n(&from->start, __ATOMIC_RELAXED);
        to->end = __atomic_load_n(&from->end, __ATOMIC_RELAXED);
        to->serial = __atomic_load_n(&from->serial, __ATOMIC_RELAXED);
        to->what = __atomic_load_n(&from->what, __ATOMIC_RELAXED);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&chunk->taken, __ATOMIC_RELAXED) == piece->taken;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* First what is open, then the records: what was open has one by then, or is open still. */
static void put_lane(struct image *image, uint32_t lane)
{
    struct stave__image_rows *rows = &image->rows;
    uint32_t count;
    stave__image_rows_begin(rows, lane);
    const struct piece *pieces = image->pieces + pieces_of(image, lane, &count);
    for (uint32_t i = 0; i < count && image->file.status >= 0; i++)
        if (copy_piece(rows, &pieces[i]))
            stave__image_rows_put(rows, &image->file);
    stave__image_rows_put_open(rows, &image->file);
}

static void put_all(struct image *image)
{
    uint32_t lanes = stave__lanes_count();
    stave__image_tables(&image->file, lanes);
    find_pieces(image);
    for (uint32_t lane = 0; lane < lanes && image->file.status >= 0; lane++)
        put_lane(image, lane);
}

static int open_all(struct image *image, stave_sink sink, stave_error *error)
{
    int status = stave__image_file_open(&image->file, sink, error);
    if (status >= 0)
        status = stave__image_rows_open(&image->rows, error);
    image->pieces = malloc(stave__recorder.pool.count * sizeof *image->pieces);
    if (status >= 0 && image->pieces == NULL)
        status = stave__fail_memory(error);
    return image->file.status = status;
}

int stave__image_write(stave_sink sink, stave_error *error)
{
    struct image *image = calloc(1, sizeof *image);
    if (image == NULL)
        return stave__fail_memory(error);
    if (open_all(image, sink, error) >= 0)
        put_all(image);
    int status = stave__image_file_close(&image->file);
    stave__image_rows_close(&image->rows);
    free(image->pieces);
    free(image);
    return status;
}
