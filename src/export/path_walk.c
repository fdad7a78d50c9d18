#include "export/path_walk.h"

#include <assert.h>

bool stave__path_walk_begin(struct stave__path_walk *walk,
                            int (*write)(void *state, const struct stave__path *path))
{
    walk->write = write;
    walk->depth = 0;
    walk->open[0] = 0;
    return stave__paths_begin(&walk->paths);
}

void stave__path_walk_free(struct stave__path_walk *walk)
{
    stave__paths_free(&walk->paths);
}

/* The paths of what is open, anew. */
static bool reopen(struct stave__path_walk *walk)
{
    for (uint32_t i = 1; i <= walk->depth; i++) {
        walk->open[i] = stave__paths_child(&walk->paths, walk->open[i - 1], walk->frames[i]);
        if (walk->open[i] == STAVE_NONE)
            return false;
    }
    return true;
}

int stave__path_walk_flush(struct stave__path_walk *walk, void *state)
{
    int status = STAVE_OK;
    for (uint32_t i = 1; i < walk->paths.count && status >= 0; i++) {
        const struct stave__path *path = stave__paths_at(&walk->paths, i);
        if (path->self != 0 || path->spans != 0)
            status = walk->write(state, path);
    }
    stave__paths_clear(&walk->paths);
    if (status >= 0 && !reopen(walk))
        status = STAVE_E_MEMORY;
    return status;
}

int stave__path_walk_enter(struct stave__path_walk *walk, void *state, uint64_t frame)
{
    int status =
        stave__paths_are_full(&walk->paths) ? stave__path_walk_flush(walk, state) : STAVE_OK;
    if (status < 0)
        return status;
    assert(walk->depth < STAVE__PATH_DEPTH);
    uint32_t path = stave__paths_child(&walk->paths, walk->open[walk->depth], frame);
    if (path == STAVE_NONE)
        return STAVE_E_MEMORY;
    walk->depth++;
    walk->open[walk->depth] = path;
    walk->frames[walk->depth] = frame;
    return STAVE_OK;
}

void stave__path_walk_leave(struct stave__path_walk *walk, uint64_t self, uint64_t spans)
{
    struct stave__path *path = stave__paths_at(&walk->paths, walk->open[walk->depth--]);
    path->self += self;
    path->spans += spans;
}

void stave__path_frames(const struct stave__path_walk *walk, const struct stave__path *path,
                        uint64_t frames[STAVE__PATH_DEPTH])
{
    for (uint32_t i = path->depth; i-- > 0; path = stave__paths_at(&walk->paths, path->around))
        frames[i] = path->frame;
}
