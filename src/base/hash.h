/* base/hash.h - a hash for tables in memory. Not for files, not against an adversary who wants
 * collisions: tables that strangers can fill have a limit on their rows. */
#ifndef STAVE_BASE_HASH_H
#define STAVE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a with a final mix (http://www.isthe.com/chongo/tech/comp/fnv/). */
static inline uint64_t stave__hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* The same over numbers. */
static inline uint64_t stave__hash_numbers(const uint32_t *numbers, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ numbers[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

#endif
