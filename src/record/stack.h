/* record/stack.h - numbers that are free, for many threads, of which none waits.
 *
 *     uint64_t top = 0;                                        // empty
 *     stave__stack_push(&top, &items[number].next_free, number);
 *     for (;;) {
 *         uint64_t seen = stave__stack_top(&top);              // 0: empty
 *         uint32_t number = stave__stack_number(seen);
 *         if (stave__stack_pop(&top, seen, &items[number].next_free)) ...
 *     }
 *
 * Each number has a word of its own that says which is below it; that may be read when the number is no longer free.
 * The top has a count of changes in its upper half: what comes back to the top is told from what has stayed there.  */
#ifndef STAVE_RECORD_STACK_H
#define STAVE_RECORD_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define STAVE__STACK_CHANGE ((uint64_t)1 << 32)

static inline uint64_t stave__stack_changed(uint64_t seen, uint32_t number_and_1)
{
    return (seen & ~(STAVE__STACK_CHANGE - 1)) + STAVE__STACK_CHANGE + number_and_1;
}

static inline void stave__stack_push(uint64_t *top, uint32_t *below, uint32_t number)
{
    uint64_t seen = __atomic_load_n(top, __ATOMIC_RELAXED);
    do
        __atomic_store_n(below, (uint32_t)seen, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(top, &seen, stave__stack_changed(seen, number + 1), true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static inline uint64_t stave__stack_top(uint64_t *top)
{
    uint64_t seen = __atomic_load_n(top, __ATOMIC_ACQUIRE);
    return (uint32_t)seen != 0 ? seen : 0;
}

static inline uint32_t stave__stack_number(uint64_t seen)
{
    return (uint32_t)seen - 1;
}

static inline bool stave__stack_pop(uint64_t *top, uint64_t seen, uint32_t *below)
{
    uint32_t next = __atomic_load_n(below, __ATOMIC_RELAXED);
    return __atomic_compare_exchange_n(top, &seen, stave__stack_changed(seen, next), false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

#endif
