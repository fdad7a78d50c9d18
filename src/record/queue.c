#include "record/queue.h"

#include <stdlib.h>

bool stave__queue_open(struct stave__queue *queue, uint32_t room)
{
    uint64_t size = 2;
    while (size < room)
        size *= 2;
    *queue = (struct stave__queue){.cells = malloc(size * sizeof *queue->cells), .mask = size - 1};
    for (uint64_t i = 0; queue->cells != NULL && i < size; i++)
        queue->cells[i].turn = i;
    return queue->cells != NULL;
}

void stave__queue_close(struct stave__queue *queue)
{
    free(queue->cells);
    *queue = (struct stave__queue){0};
}

bool stave__queue_put(struct stave__queue *queue, uint32_t number)
{
    uint64_t at = __atomic_load_n(&queue->put, __ATOMIC_RELAXED);
    for (;;) {
        struct stave__queue_cell *cell = &queue->cells[at & queue->mask];
        int64_t turn = (int64_t)(__atomic_load_n(&cell->turn, __ATOMIC_ACQUIRE) - at);
        if (turn < 0)
            return false;
        if (turn > 0) {
            at = __atomic_load_n(&queue->put, __ATOMIC_RELAXED);
        } else if (__atomic_compare_exchange_n(&queue->put, &at, at + 1, true, __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED)) {
            cell->number = number;
            __atomic_store_n(&cell->turn, at + 1, __ATOMIC_RELEASE);
            return true;
        }
    }
}

bool stave__queue_get(struct stave__queue *queue, uint32_t *number)
{
    uint64_t at = __atomic_load_n(&queue->got, __ATOMIC_RELAXED);
    for (;;) {
        struct stave__queue_cell *cell = &queue->cells[at & queue->mask];
        int64_t turn = (int64_t)(__atomic_load_n(&cell->turn, __ATOMIC_ACQUIRE) - (at + 1));
        if (turn < 0)
            return false;
        if (turn > 0) {
            at = __atomic_load_n(&queue->got, __ATOMIC_RELAXED);
        } else if (__atomic_compare_exchange_n(&queue->got, &at, at + 1, true, __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED)) {
            *number = cell->number;
            __atomic_store_n(&cell->turn, at + queue->mask + 1, __ATOMIC_RELEASE);
            return true;
        }
    }
}
