#include "export/paths.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256u

static uint64_t hash_of(uint32_t around, uint64_t frame)
{
    uint64_t hash = (frame ^ (uint64_t)around << 32) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ around) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 29;
}

static uint32_t *bucket_of(const struct stave__paths *paths, uint32_t around, uint64_t frame)
{
    uint64_t hash = hash_of(around, frame);
    for (uint64_t i = hash & (paths->buckets_size - 1);; i = (i + 1) & (paths->buckets_size - 1)) {
        uint32_t *bucket = &paths->buckets[i];
        const struct stave__path *path = &paths->paths[*bucket];
        if (*bucket == 0 || (path->around == around && path->frame == frame))
            return bucket;
    }
}

/* Twice the room, and twice as many buckets as that. */
static bool grow(struct stave__paths *paths)
{
    uint32_t room = paths->room != 0 ? 2 * paths->room : FIRST_ROOM;
    struct stave__path *larger = realloc(paths->paths, room * sizeof *larger);
    if (larger == NULL)
        return false;
    paths->paths = larger;
    uint32_t *buckets = calloc(2 * (size_t)room, sizeof *buckets);
    if (buckets == NULL)
        return false;
    free(paths->buckets);
    paths->buckets = buckets;
    paths->buckets_size = 2 * room;
    paths->room = room;
    for (uint32_t i = 1; i < paths->count; i++)
        *bucket_of(paths, larger[i].around, larger[i].frame) = i;
    return true;
}

bool stave__paths_begin(struct stave__paths *paths)
{
    *paths = (struct stave__paths){0};
    if (!grow(paths))
        return false;
    paths->paths[0] = (struct stave__path){0};
    paths->count = 1;
    return true;
}

uint32_t stave__paths_child(struct stave__paths *paths, uint32_t around, uint64_t frame)
{
    uint32_t *bucket = bucket_of(paths, around, frame);
    if (*bucket != 0)
        return *bucket;
    if (paths->count == paths->room) {
        if (!grow(paths))
            return STAVE_NONE;
        bucket = bucket_of(paths, around, frame);
    }
    paths->paths[paths->count] = (struct stave__path){
        .frame = frame, .around = around, .depth = paths->paths[around].depth + 1};
    *bucket = paths->count;
    return paths->count++;
}

void stave__paths_clear(struct stave__paths *paths)
{
    memset(paths->buckets, 0, paths->buckets_size * sizeof *paths->buckets);
    paths->paths[0] = (struct stave__path){0};
    paths->count = 1;
}

void stave__paths_free(struct stave__paths *paths)
{
    free(paths->paths);
    free(paths->buckets);
}
