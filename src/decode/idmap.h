/* decode/idmap.h - 32-bit keys to small numbers, forgotten all at once in no time.
 *
 * Keys come from the wire: the owner limits how many there are.  */
#ifndef STAVE_DECODE_IDMAP_H
#define STAVE_DECODE_IDMAP_H

#include <stdbool.h>
#include <stdint.h>

struct idmap_bucket {
    uint32_t key;
    uint32_t value;
    uint32_t generation; /* in use when it is the map's */
};

struct idmap {
    struct idmap_bucket *buckets;
    uint32_t size; /* a power of two; 0 before the first key */
    uint32_t used;
    uint32_t generation;
};

#define IDMAP_NONE UINT32_MAX

/* The value of a key, or IDMAP_NONE. */
uint32_t stave__idmap_get(const struct idmap *map, uint32_t key);

/* Adds a key that is not there; false when out of memory. */
bool stave__idmap_add(struct idmap *map, uint32_t key, uint32_t value);

/* Forgets all keys. */
void stave__idmap_clear(struct idmap *map);

void stave__idmap_free(struct idmap *map);

#endif
