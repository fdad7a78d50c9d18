/* export/shown.h - what a format sees of a trace: spans with what belongs to them, and moments, one at a time. The walk makes
 * them (export/walk.h). Times are nanoseconds from the start of the trace (export/timeline.h). */
#ifndef STAVE_EXPORT_SHOWN_H
#define STAVE_EXPORT_SHOWN_H

#include "stave/trace.h"

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

/* Whether it was open when the recording ended, and nothing that came later tells that it had ended. */
static inline bool stave__is_left_open(const struct stave__shown *span)
{
    return (span->flags & STAVE_FLAG_UNFINISHED) != 0 && span->entry == NULL && span->is_last;
}

#endif
