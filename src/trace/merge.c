/* Rows of many blocks in the order in which they took effect.
 *
 * Within a block `order` ascends, and blocks are taken in the order of their first rows. So a heap of
 * the blocks whose rows interleave is enough: the next block joins when its first row's turn has come,
 * and leaves when its rows are used up.  */
#include <stdlib.h>

#include "base/config.h"
#include "base/error.h"
#include "trace/cursor.h"
#include "trace/file.h"

/* Blocks whose rows interleave are in memory together. An honest file's rows take a few bytes each, so
 * that its blocks grow to some 50 times their size in it at most; a hostile one's could to 100,000. */
#define TOGETHER_BYTES_MAX ((uint64_t)128 * 1024 * 1024)
#define TOGETHER_TIMES_MAX 64 /* the file's size, beside that */

struct open_block {
    stave_block block;
    struct stave__entry *entry;
    uint32_t row; /* the next to hand out */
};

struct candidate {
    uint64_t first_order;
    uint32_t entry;
};

struct stave_merge {
    stave_trace *trace;
    struct candidate *candidates; /* by their first row's order */
    uint32_t candidates_count;
    uint32_t next;            /* the one that has not joined yet */
    struct open_block **heap; /* least order of the next row on top */
    uint32_t used, size;
    uint64_t bytes, bytes_max; /* in memory together */
    uint64_t limit;            /* while the top's order is below, it stays the top */
    bool taken;                /* the top's row was handed out and is to be passed */
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->first_order != y->first_order)
        return x->first_order < y->first_order ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* The blocks of a file stand in the order in which they were full, not in that of their rows. */
static bool choose(stave_merge *merge, const stave_filter *filter)
{
    const struct stave__blocks *blocks = &merge->trace->blocks;
    bool sorted = true;
    merge->candidates = calloc(blocks->entries.rows + 1, sizeof *merge->candidates);
    if (merge->candidates == NULL)
        return false;
    for (uint32_t i = 0; i < blocks->entries.rows; i++) {
        const struct stave__entry *entry = stave__entry_at(blocks, i);
        if (!stave__filter_passes(merge->trace, filter, entry))
            continue;
        uint32_t at = merge->candidates_count++;
        merge->candidates[at] = (struct candidate){entry->first_order, i};
        sorted = sorted && (at == 0 || merge->candidates[at - 1].first_order <= entry->first_order);
    }
    if (!sorted)
        qsort(merge->candidates, merge->candidates_count, sizeof *merge->candidates,
              compare_candidates);
    return true;
}

int stave_merge_open_sized(stave_trace *trace, const stave_filter *filter, size_t filter_size,
                           stave_merge **merge, stave_error *error)
{
    stave_filter own;
    int status = stave__config_copy(&own, sizeof own, filter, filter_size, error);
    if (status < 0)
        return status;
    stave_merge *m = calloc(1, sizeof *m);
    if (m == NULL)
        return stave__fail_memory(error);
    m->trace = trace;
    m->bytes_max = trace->file != NULL ? TOGETHER_BYTES_MAX + TOGETHER_TIMES_MAX * trace->file->size
                                       : UINT64_MAX;
    if (!choose(m, &own)) {
        free(m);
        return stave__fail_memory(error);
    }
    *merge = m;
    return STAVE_OK;
}

static uint64_t order_of(const struct open_block *open)
{
    return open->block.order[open->row];
}

static void sift_down(stave_merge *merge, uint32_t at)
{
    struct open_block **heap = merge->heap;
    struct open_block *moved = heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= merge->used)
            break;
        if (child + 1 < merge->used && order_of(heap[child + 1]) < order_of(heap[child]))
            child++;
        if (order_of(heap[child]) >= order_of(moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void sift_up(stave_merge *merge, uint32_t at)
{
    struct open_block **heap = merge->heap;
    struct open_block *moved = heap[at];
    while (at > 0 && order_of(heap[(at - 1) / 2]) > order_of(moved)) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moved;
}

static bool heap_room(stave_merge *merge)
{
    if (merge->used < merge->size)
        return true;
    uint32_t size = merge->size != 0 ? merge->size * 2 : 16;
    struct open_block **larger = realloc(merge->heap, size * sizeof(struct open_block *));
    if (larger == NULL)
        return false;
    merge->heap = larger;
    merge->size = size;
    return true;
}

/* A damaged block has no rows to join with. */
static int join(stave_merge *merge, struct stave__entry *entry, stave_error *error)
{
    if (merge->bytes > merge->bytes_max)
        return stave__fail(error, STAVE_E_LIMIT, entry->stored_at,
                           "rows of more blocks interleave than a file of this size can have");
    struct open_block *open = heap_room(merge) ? calloc(1, sizeof *open) : NULL;
    if (open == NULL)
        return stave__fail_memory(error);
    int status = stave__blocks_pin(&merge->trace->blocks, entry, error);
    if (status <= 0) {
        free(open);
        return status;
    }
    open->entry = entry;
    merge->bytes += stave__entry_bytes(entry);
    stave__entry_show(entry, 0, &open->block);
    merge->heap[merge->used++] = open;
    sift_up(merge, merge->used - 1);
    return STAVE_OK;
}

static void leave(stave_merge *merge, struct open_block *open)
{
    merge->bytes -= stave__entry_bytes(open->entry);
    stave__blocks_unpin(&merge->trace->blocks, open->entry);
    free(open);
}

/* The entry that joins next, or NULL. */
static struct stave__entry *waiting(const stave_merge *merge)
{
    return merge->next < merge->candidates_count
               ? stave__entry_at(&merge->trace->blocks, merge->candidates[merge->next].entry)
               : NULL;
}

/* Passes the row that was handed out. */
static void advance(stave_merge *merge)
{
    struct open_block *top = merge->heap[0];
    top->row++;
    if (top->row == top->block.rows) {
        merge->used--;
        merge->heap[0] = merge->heap[merge->used];
        leave(merge, top);
    }
    if (merge->used > 1)
        sift_down(merge, 0);
}

/* Lets every block join whose turn has come, and finds how long the top stays the top. */
static int settle(stave_merge *merge, stave_error *error)
{
    struct stave__entry *entry;
    while ((entry = waiting(merge)) != NULL &&
           (merge->used == 0 || entry->first_order < order_of(merge->heap[0]))) {
        int status = join(merge, entry, error);
        if (status < 0)
            return status;
        merge->next++;
    }
    merge->limit = entry != NULL ? entry->first_order : UINT64_MAX;
    for (uint32_t child = 1; child <= 2 && child < merge->used; child++)
        if (order_of(merge->heap[child]) < merge->limit)
            merge->limit = order_of(merge->heap[child]);
    return STAVE_OK;
}

/* The usual case: the next row of the top is the next of all. */
static bool step_on(stave_merge *merge)
{
    struct open_block *top = merge->heap[0];
    if (top->row + 1 == top->block.rows || top->block.order[top->row + 1] >= merge->limit)
        return false;
    top->row++;
    return true;
}

static int hand_out(const stave_merge *merge, const stave_block **block, uint32_t *row)
{
    *block = &merge->heap[0]->block;
    *row = merge->heap[0]->row;
    return 1;
}

int stave_merge_next(stave_merge *merge, const stave_block **block, uint32_t *row,
                     stave_error *error)
{
    if (merge->taken) {
        if (step_on(merge))
            return hand_out(merge, block, row);
        advance(merge);
    }
    merge->taken = false;
    int status = settle(merge, error);
    if (status < 0)
        return status;
    if (merge->used == 0)
        return 0;
    merge->taken = true;
    return hand_out(merge, block, row);
}

void stave_merge_close(stave_merge *merge)
{
    if (merge == NULL)
        return;
    for (uint32_t i = 0; i < merge->used; i++)
        leave(merge, merge->heap[i]);
    free(merge->heap);
    free(merge->candidates);
    free(merge);
}
