/* report/room.h - arrays whose size is known before they are filled.
 *
 *     if (!stave__room(&array, count) || ...)                        // out of memory
 *         return stave__fail_memory(error);
 */
#ifndef STAVE_REPORT_ROOM_H
#define STAVE_REPORT_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Zeroed numbers, at least one, so that NULL always means that there is no memory. */
static inline bool stave__room(uint32_t **array, size_t count)
{
    *array = calloc(count + 1, sizeof **array);
    return *array != NULL;
}

/* Room for one element more in an array that grows by half: the array, where it is now, or NULL. */
static inline void *stave__room_grow(void *array, uint32_t used, uint32_t *size, size_t element)
{
    if (used < *size)
        return array;
    uint32_t larger = *size + *size / 2 + 64;
    void *moved = larger > *size ? realloc(array, larger * element) : NULL;
    if (moved != NULL)
        *size = larger;
    return moved;
}

/* Turns counts, [i] being of group i, into where each of `groups` groups begins and the last one ends. */
static inline void stave__room_begin(uint32_t *counts, uint32_t groups)
{
    uint32_t begin = 0;
    for (uint32_t i = 0; i <= groups; i++) {
        uint32_t count = counts[i];
        counts[i] = begin;
        begin += count;
    }
}

#endif
