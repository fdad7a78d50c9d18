/* record/queue.h - a queue of numbers for many threads, of a fixed size, in which nobody waits.
 *
 *     struct stave__queue queue;
 *     if (!stave__queue_open(&queue, room)) ...            // out of memory
 *     stave__queue_put(&queue, 7);                         // false: full
 *     uint32_t number;
 *     if (stave__queue_get(&queue, &number)) ...           // false: empty, or the next is still being put
 *
 * Source  Dmitry Vyukov's bounded queue: each cell has a turn that says whose it is.  */
#ifndef STAVE_RECORD_QUEUE_H
#define STAVE_RECORD_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct stave__queue_cell {
    uint64_t turn;
    uint32_t number;
};

struct stave__queue {
    struct stave__queue_cell *cells;
    uint64_t mask;
    uint8_t apart[48];
    uint64_t put;
    uint8_t apart_too[56];
    uint64_t got;
};

bool stave__queue_open(struct stave__queue *queue, uint32_t room);
void stave__queue_close(struct stave__queue *queue);
bool stave__queue_put(struct stave__queue *queue, uint32_t number);
bool stave__queue_get(struct stave__queue *queue, uint32_t *number);

#endif
