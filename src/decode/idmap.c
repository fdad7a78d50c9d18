#include "decode/idmap.h"

#include <stdlib.h>

#define FIRST_SIZE 64u

/* The bucket of a key, or the free one where it belongs. Multiplying spreads ids that follow one
 * another (Knuth, The Art of Computer Programming 3, 6.4). */
static struct idmap_bucket *find(const struct idmap *map, uint32_t key)
{
    uint32_t mask = map->size - 1;
    for (uint32_t i = (key * 2654435769u) >> 7 & mask;; i = (i + 1) & mask) {
        struct idmap_bucket *bucket = &map->buckets[i];
        if (bucket->generation != map->generation || bucket->key == key)
            return bucket;
    }
}

uint32_t stave__idmap_get(const struct idmap *map, uint32_t key)
{
    if (map->size == 0)
        return IDMAP_NONE;
    const struct idmap_bucket *bucket = find(map, key);
    return bucket->generation == map->generation ? bucket->value : IDMAP_NONE;
}

static bool grow(struct idmap *map)
{
    struct idmap larger = {
        .size = map->size != 0 ? map->size * 2 : FIRST_SIZE,
        .used = map->used,
        .generation = 1,
    };
    larger.buckets = calloc(larger.size, sizeof *larger.buckets);
    if (larger.buckets == NULL)
        return false;
    for (uint32_t i = 0; i < map->size; i++) {
        const struct idmap_bucket *old = &map->buckets[i];
        if (old->generation == map->generation)
            *find(&larger, old->key) = (struct idmap_bucket){old->key, old->value, 1};
    }
    free(map->buckets);
    *map = larger;
    return true;
}

bool stave__idmap_add(struct idmap *map, uint32_t key, uint32_t value)
{
    if (map->used >= map->size / 2 && !grow(map))
        return false;
    *find(map, key) = (struct idmap_bucket){key, value, map->generation};
    map->used++;
    return true;
}

void stave__idmap_clear(struct idmap *map)
{
    map->used = 0;
    map->generation++;
    if (map->generation == 0) /* after 2^32 times: old generations must not come back */
        stave__idmap_free(map);
}

void stave__idmap_free(struct idmap *map)
{
    free(map->buckets);
    *map = (struct idmap){0};
}
