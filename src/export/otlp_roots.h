/* export/otlp_roots.h - which trace a span belongs to that others name: the one of its root, wherever that is.
 *
 *     if (stave__otlp_roots_find(&roots, walk, error) < 0) ...        // walks the trace once
 *     struct stave__otlp_span root = stave__otlp_root_of(&roots, span);
 *
 * A span's root is that of the one around it on its track, or its own where none is; of one that is attached, that of the span
 * it is attached to. Those that are attached to each other in a circle keep their own.
 *
 * Memory  48 bytes a span that others name, as many a level of depth.  */
#ifndef STAVE_EXPORT_OTLP_ROOTS_H
#define STAVE_EXPORT_OTLP_ROOTS_H

#include "export/shown.h"

struct stave__walk;

struct stave__otlp_span {
    uint64_t serial;
    uint32_t lane;
};

/* The outermost one around a span that nothing or something else is attached to. */
struct stave__otlp_origin {
    struct stave__otlp_span root, attached_to;
    bool is_attached;
};

/* All zero: nothing is known. */
struct stave__otlp_roots {
    struct stave__otlp_known *known; /* by span */
    size_t count, room;
    struct stave__otlp_origin *open; /* by depth, on the way */
    uint32_t open_room;
};

int stave__otlp_roots_find(struct stave__otlp_roots *roots, struct stave__walk *walk,
                           stave_error *error);
/* The span itself when nothing is known of it. */
struct stave__otlp_span stave__otlp_root_of(const struct stave__otlp_roots *roots,
                                            struct stave__otlp_span span);
void stave__otlp_roots_free(struct stave__otlp_roots *roots);

/* The origin of a span that is being entered, put down for those in it. NULL: out of memory. */
const struct stave__otlp_origin *stave__otlp_enter(struct stave__otlp_roots *roots,
                                                   const struct stave__shown *span);

#endif
