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
 * Times    Nanoseconds from the start of the trace (export/timeline.h).
 * Memory   Some sorters' budgets (export/sorter.h), and about 100 bytes a level of depth and 16 a track.
 * Errors   A visitor's function that returns a negative status ends the walk.  */
#ifndef STAVE_EXPORT_WALK_H
#define STAVE_EXPORT_WALK_H

#include "analyze/reading.h"
#include "export/series.h"
#include "export/timeline.h"
#include "stave/export.h"

/* Something that belongs to a span: kind STAVE_ATTRIBUTES or STAVE_MARKS, or STAVE_LINKS. */
struct stave__detail {
    uint64_t serial; /* of the span */
    uint64_t value;  /* by its flags; of a link the other span's serial */
    int64_t time;    /* of a link its number, the same at both of its ends */
    uint32_t name;   /* string id; of a link the other span's lane */
    uint16_t flags;
    uint8_t kind;
    uint8_t role; /* of a link: enum stave__role */
};

enum stave__role {
    STAVE__IS_TARGET = 1 << 0,     /* the link leads here; else it leads from here */
    STAVE__IS_DEPENDENCY = 1 << 1, /* else of the same context */
    STAVE__IS_PARENT = 1 << 2      /* no link: from a span to one attached to it */
};

/* Many short calls. Times in ns. */
struct stave__cumulative {
    uint64_t serial; /* of the span that they are in */
    int64_t first, last;
    uint64_t total, calls, least, most;
    uint64_t number; /* among the span's; 0: it is not told where it is */
    uint32_t around; /* the number of the one around it; 0: none */
    uint32_t depth;
    uint32_t name;
    uint16_t flags;
    uint8_t
        cut; /* enum stave__cut: some of its calls may be outside of the window, and so may some of its total */
    bool unnamed;
};

enum stave__cut { STAVE__CUT_START = 1, STAVE__CUT_END = 2 }; /* at the window */

/* A span on its way. */
struct stave__shown {
    int64_t start, end;
    int64_t deadline; /* of one that missed it */
    uint64_t serial;
    uint64_t self;  /* when it is left: what nothing on its track covers */
    uint64_t other; /* with STAVE_FLAG_ATTACHED: its parent, ... */
    uint32_t other_lane;
    uint32_t lane, track;
    uint32_t name;  /* string id; never 0 unless the lane's is */
    uint32_t depth; /* on its track */
    uint16_t flags; /* enum stave_row_flag */
    uint8_t cut;    /* enum stave__cut */
    bool missed;
    bool unnamed;    /* it has no name but its lane's */
    bool is_last;    /* when it is left: nothing comes behind it on its track */
    uint64_t deeper; /* not 0: no span, but this many below the greatest depth */
    const struct stave__cumulative *entry; /* not NULL: it is one; start to end is its total */
    /* On entering: what belongs to it, attributes first, then marks, links; each as they were recorded. */
    const struct stave__detail *details;
    uint32_t details_count;
};

/* A mark, a counter's value, a gap, a doubt. */
struct stave__moment {
    uint64_t time; /* never negative */
    int64_t end;
    uint64_t value;
    uint64_t serial; /* of a mark: the span it is in; 0: none */
    uint32_t name;   /* string id; 0: none of its own */
    uint16_t flags;
    uint8_t kind; /* a stave_row_kind */
};

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
    uint32_t *choices; /* of the reading, by lane */
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

/* Whether it was open when the recording ended, and nothing that came later tells that it had ended. */
static inline bool stave__is_left_open(const struct stave__shown *span)
{
    return (span->flags & STAVE_FLAG_UNFINISHED) != 0 && span->entry == NULL && span->is_last;
}

/* Whether a name passes the filter. */
static inline bool stave__walk_counts(const struct stave__walk *walk, uint32_t name)
{
    return walk->name_counts == NULL || walk->name_counts[name];
}

#endif
