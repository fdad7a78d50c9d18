#include "export/otlp_roots.h"

#include <stdlib.h>

#include "export/walk.h"

#define FIRST_ROOM 64u

enum progress { NOT_SOLVED, BEING_SOLVED, SOLVED };

/* A span that others name. */
struct stave__otlp_known {
    struct stave__otlp_span span;
    struct stave__otlp_origin origin;
    uint8_t progress;
};

static int compare_spans(const struct stave__otlp_span *a, const struct stave__otlp_span *b)
{
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return a->serial < b->serial ? -1 : a->serial > b->serial;
}

static int compare_known(const void *a, const void *b)
{
    const struct stave__otlp_known *x = a, *y = b;
    int order = compare_spans(&x->span, &y->span);
    return order != 0 ? order : compare_spans(&x->origin.root, &y->origin.root);
}

/* ---- on the way ------------------------------------------------------------------------------ */

static bool grow_open(struct stave__otlp_roots *roots, uint32_t depth)
{
    uint32_t room = roots->open_room != 0 ? roots->open_room : FIRST_ROOM;
    while (room <= depth)
        room *= 2;
    struct stave__otlp_origin *larger = realloc(roots->open, room * sizeof *larger);
    if (larger == NULL)
        return false;
    roots->open = larger;
    roots->open_room = room;
    return true;
}

const struct stave__otlp_origin *stave__otlp_enter(struct stave__otlp_roots *roots,
                                                   const struct stave__shown *span)
{
    if (span->depth >= roots->open_room && !grow_open(roots, span->depth))
        return NULL;
    struct stave__otlp_origin *origin = &roots->open[span->depth];
    if ((span->flags & STAVE_FLAG_ATTACHED) != 0 || span->depth == 0)
        *origin = (struct stave__otlp_origin){
            .root = {span->serial, span->lane},
            .attached_to = {span->other, span->other_lane},
            .is_attached = (span->flags & STAVE_FLAG_ATTACHED) != 0,
        };
    else
        *origin = origin[-1];
    return origin;
}

static bool add(struct stave__otlp_roots *roots, const struct stave__shown *span,
                const struct stave__otlp_origin *origin)
{
    if (roots->count == roots->room) {
        size_t room = roots->room != 0 ? 2 * roots->room : FIRST_ROOM;
        struct stave__otlp_known *larger = realloc(roots->known, room * sizeof *larger);
        if (larger == NULL)
            return false;
        roots->known = larger;
        roots->room = room;
    }
    roots->known[roots->count++] =
        (struct stave__otlp_known){.span = {span->serial, span->lane}, .origin = *origin};
    return true;
}

static bool is_named(const struct stave__shown *span)
{
    for (uint32_t i = 0; i < span->details_count; i++)
        if (span->details[i].kind == STAVE_LINKS)
            return true;
    return false;
}

static int enter(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct stave__otlp_roots *roots = context;
    const struct stave__otlp_origin *origin = stave__otlp_enter(roots, span);
    (void)parent;
    return origin != NULL && (!is_named(span) || add(roots, span, origin)) ? STAVE_OK
                                                                           : STAVE_E_MEMORY;
}

static const struct stave__visitor visitor = {.wants = STAVE__WANTS_LINKS, .enter = enter};

/* ---- afterwards ------------------------------------------------------------------------------ */

static struct stave__otlp_known *find(const struct stave__otlp_roots *roots,
                                      struct stave__otlp_span span)
{
    size_t low = 0, high = roots->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_spans(&roots->known[middle].span, &span) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < roots->count && compare_spans(&roots->known[low].span, &span) == 0
               ? &roots->known[low]
               : NULL;
}

/* From one to what its root is attached to, and on: the last one's root is everyone's. */
static void solve(struct stave__otlp_roots *roots, struct stave__otlp_known *from)
{
    struct stave__otlp_known *at = from, *last = from;
    while (at != NULL && at->progress == NOT_SOLVED) {
        at->progress = BEING_SOLVED;
        last = at;
        at = at->origin.is_attached ? find(roots, at->origin.attached_to) : NULL;
    }
    struct stave__otlp_span root = last->origin.root;
    if (at != NULL && at->progress == SOLVED)
        root = at->origin.root;
    else if (at == NULL && last->origin.is_attached)
        root = last->origin
                   .attached_to; /* which is not there, and is taken for the root by all below it */
    for (at = from; at != NULL && at->progress == BEING_SOLVED;) {
        struct stave__otlp_known *next =
            at->origin.is_attached ? find(roots, at->origin.attached_to) : NULL;
        at->origin.root = root;
        at->progress = SOLVED;
        at = next;
    }
}

int stave__otlp_roots_find(struct stave__otlp_roots *roots, struct stave__walk *walk,
                           stave_error *error)
{
    int status = stave__walk_run(walk, &visitor, roots, error);
    if (status < 0 || roots->count == 0)
        return status;
    qsort(roots->known, roots->count, sizeof *roots->known, compare_known);
    for (size_t i = 0; i < roots->count; i++)
        if (roots->known[i].progress == NOT_SOLVED)
            solve(roots, &roots->known[i]);
    return STAVE_OK;
}

struct stave__otlp_span stave__otlp_root_of(const struct stave__otlp_roots *roots,
                                            struct stave__otlp_span span)
{
    const struct stave__otlp_known *known = find(roots, span);
    return known != NULL ? known->origin.root : span;
}

void stave__otlp_roots_free(struct stave__otlp_roots *roots)
{
    free(roots->known);
    free(roots->open);
}
