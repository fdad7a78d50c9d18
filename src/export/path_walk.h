/* export/path_walk.h - a trace's spans to call paths: what folded and pprof have in common.
 *
 * `write` is called with all paths on which something was counted, whenever there are too many of them and at the end; a path
 * may come again, with what was counted since.  */
#ifndef STAVE_EXPORT_PATH_WALK_H
#define STAVE_EXPORT_PATH_WALK_H

#include "export/format.h"
#include "export/paths.h"

#define STAVE__PATH_DEPTH 2000u /* levels, as speedscope bears them */

struct stave__path_walk {
    struct stave__paths paths;
    uint32_t open[STAVE__PATH_DEPTH +
                  1]; /* by depth: the path of the span that is open; 0: the empty one */
    uint32_t depth;
    uint64_t frames[STAVE__PATH_DEPTH + 1];
    int (*write)(void *state, const struct stave__path *path);
};

bool stave__path_walk_begin(struct stave__path_walk *walk,
                            int (*write)(void *state, const struct stave__path *path));
/* A span of a frame is entered; it is left, with its self. Or a negative status. */
int stave__path_walk_enter(struct stave__path_walk *walk, void *state, uint64_t frame);
void stave__path_walk_leave(struct stave__path_walk *walk, uint64_t self, uint64_t spans);
int stave__path_walk_flush(struct stave__path_walk *walk, void *state);
void stave__path_walk_free(struct stave__path_walk *walk);

/* The frames of a path, the outermost first. */
void stave__path_frames(const struct stave__path_walk *walk, const struct stave__path *path,
                        uint64_t frames[STAVE__PATH_DEPTH]);

#endif
