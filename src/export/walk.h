/* export/walk.h - every lane of a trace in order, for whoever writes it down: a format is a table of what it does on the
 * way.
 *
 *     static const struct stave__visitor visitor = {.enter = enter, .leave = leave, ...};
 *     if (stave__walk_open(&walk, trace, &config, error) < 0) ...
 *     status = stave__walk_run(&walk, &visitor, &state, error);
 *     stave__walk_close(&walk);
 *
 *     begin ( lane ( track ( enter ... leave )* track_end )* moment* lane_end )* end
 *
 * Order    Lanes by their numbers; only those that have something. On a track spans come by start, what is around others
 *          first, and a span is left when a later one begins or nothing comes any more: enter and leave are in the order of
 *          their times, starts behind ends where these are equal. Which rows stand where in their blocks makes no
 *          difference.
 * Tracks   Spans of a lane are nested by their times. One that overlaps another without being in it goes to a track of
 *          its own, as do all that find no room on one: 0 is the lane's, those from 1 on hold spans side by side.
 *          docs/export.md says which cumulative entry stands where.
 * Records  What it shows of spans and moments: export/shown.h.
 * Memory   Some sorters' budgets (export/sorter.h), and about 100 bytes a level of depth and 16 a track.
 * Errors   A visitor's function that returns a negative status ends the walk.  */
#ifndef STAVE_EXPORT_WALK_H
#define STAVE_EXPORT_WALK_H

#include "analyze/reading.h"
#include "export/shown.h"
#include "export/timeline.h"
#include "stave/export.h"

struct stave__walk;

enum stave__wants {
    STAVE__WANTS_DETAILS = 1, /* attributes and marks with their spans */
    STAVE__WANTS_LINKS = 2,
};

struct stave__visitor {
    uint32_t depth_max; /* spans below this many levels are one `deeper`; 0: no limit */
    uint32_t wants;
    int (*begin)(void *state, struct stave__walk *walk);
    int (*lane)(void *state, uint32_t lane);
    int (*track)(void *state, uint32_t lane, uint32_t track);
    /* `parent` is around it on its track, or NULL. Valid during the call. */
    int (*enter)(void *state, const struct stave__shown *span, const struct stave__shown *parent);
    int (*leave)(void *state, const struct stave__shown *span, const struct stave__shown *parent);
    int (*track_end)(void *state);
    /* NULL: the format has no place for any. */
    int (*moment)(void *state, uint32_t lane, const struct stave__moment *moment);
    int (*lane_end)(void *state, uint32_t lane);
    int (*end)(void *state);
};

/* What was met, and what of it the visitor got. */
struct stave__walk {
    stave_trace *trace;
    stave_export_config config;
    struct stave__timeline timeline;
    struct stave__reading reading;
    struct stave__lane_choices choices;
    bool *name_counts; /* by string; NULL: all do */
    int64_t from, to;  /* the window, ns */
    bool losses_alone; /* the lane does not count, but what was lost on it */
    stave_export_counts counts;
    const struct stave__visitor *visitor;
    void *state;
    struct stave__lane_rows *rows;  /* export/walk_rows.h */
    struct stave__nesting *nesting; /* export/walk_nesting.h */
};

int stave__walk_open(struct stave__walk *walk, stave_trace *trace,
                     const stave_export_config *config, stave_error *error);
/* May be called again, for another visitor. */
int stave__walk_run(struct stave__walk *walk, const struct stave__visitor *visitor, void *state,
                    stave_error *error);
void stave__walk_close(struct stave__walk *walk);

/* Whether a name passes the filter. */
static inline bool stave__walk_counts(const struct stave__walk *walk, uint32_t name)
{
    return walk->name_counts == NULL || walk->name_counts[name];
}

#endif
