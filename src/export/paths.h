/* export/paths.h - call paths, and what was counted on each: for formats that know no times.
 *
 *     stave__paths_begin(&paths, most);
 *     uint32_t path = stave__paths_child(&paths, around, frame);      // STAVE_NONE: out of memory
 *     stave__paths_at(&paths, path)->self += self;
 *     if (stave__paths_are_full(&paths)) ...                           // write down all that have something, and clear
 *
 * Paths have numbers in the order in which they were met; 0 is the empty one. */
#ifndef STAVE_EXPORT_PATHS_H
#define STAVE_EXPORT_PATHS_H

#include "stave/trace.h"

#define STAVE__PATHS_MAX ((uint32_t)1 << 20) /* about 50 MB */

struct stave__path {
    uint64_t frame; /* the format's number for it */
    uint64_t self, spans;
    uint32_t around;
    uint32_t depth;
};

struct stave__paths {
    struct stave__path *paths;
    uint32_t *buckets; /* open addressing: a path, 0: free */
    uint32_t count, room, buckets_size;
};

bool stave__paths_begin(struct stave__paths *paths);
uint32_t stave__paths_child(struct stave__paths *paths, uint32_t around, uint64_t frame);
void stave__paths_clear(struct stave__paths *paths);
void stave__paths_free(struct stave__paths *paths);

static inline struct stave__path *stave__paths_at(const struct stave__paths *paths, uint32_t path)
{
    return &paths->paths[path];
}

static inline bool stave__paths_are_full(const struct stave__paths *paths)
{
    return paths->count >= STAVE__PATHS_MAX;
}

#endif
