/* One track: spans by start to a stack of those around what comes next. */
#include "export/walk_nesting.h"

#include <stdlib.h>

#include "base/error.h"
#include "export/walk.h"

#define FIRST_ROOM 64u

static struct stave__frame *top_of(const struct stave__nesting *nesting)
{
    return nesting->depth > 0 ? &nesting->frames[nesting->depth - 1] : NULL;
}

/* ---- to the visitor -------------------------------------------------------------------------- */

typedef int visit_function(void *state, const struct stave__shown *span,
                           const struct stave__shown *parent);

static int tell(struct stave__walk *walk, visit_function *visit, const struct stave__shown *span,
                const struct stave__frame *around)
{
    return visit != NULL ? visit(walk->state, span, around != NULL ? &around->shown : NULL)
                         : STAVE_OK;
}

static int open_track(struct stave__walk *walk)
{
    struct stave__nesting *nesting = walk->nesting;
    if (nesting->is_open)
        return STAVE_OK;
    nesting->is_open = true;
    walk->counts.tracks += nesting->track > 0;
    return walk->visitor->track != NULL
               ? walk->visitor->track(walk->state, walk->rows->lane, nesting->track)
               : STAVE_OK;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static struct stave__frame *push(struct stave__nesting *nesting)
{
    if (nesting->depth == nesting->frames_room) {
        uint32_t room = nesting->frames_room != 0 ? 2 * nesting->frames_room : FIRST_ROOM;
        struct stave__frame *larger =
            room != 0 ? realloc(nesting->frames, room * sizeof *larger) : NULL;
        if (larger == NULL)
            return NULL;
        nesting->frames = larger;
        nesting->frames_room = room;
        for (uint32_t i = 0; i < nesting->depth; i++)
            if (larger[i].shown.entry != NULL)
                larger[i].shown.entry = &larger[i].entry;
    }
    return &nesting->frames[nesting->depth++];
}

/* Something of a length was in it, until then. */
static void cover(struct stave__frame *frame, int64_t start, int64_t end)
{
    if (frame == NULL)
        return;
    frame->covered += (uint64_t)(end - start);
    frame->free_from = end > frame->free_from ? end : frame->free_from;
}

static int pop(struct stave__walk *walk)
{
    struct stave__nesting *nesting = walk->nesting;
    struct stave__frame *frame = &nesting->frames[--nesting->depth];
    struct stave__shown *shown = &frame->shown;
    shown->self = (uint64_t)(shown->end - shown->start) - frame->covered;
    shown->is_last = nesting->is_ending;
    nesting->entries.used = frame->entries_before;
    cover(top_of(nesting), shown->start, shown->end);
    return tell(walk, walk->visitor->leave, shown, top_of(nesting));
}

static bool is_at_greatest_depth(const struct stave__walk *walk)
{
    uint32_t most = walk->visitor->depth_max;
    return most != 0 && walk->nesting->depth == most;
}

/* All but its `shown`, `row_depth`, and what waits. Word for word: to clear a frame takes as long as all the rest. */
static void begin_frame(struct stave__frame *frame, int64_t start, uint32_t entries_before)
{
    frame->free_from = start;
    frame->covered = 0;
    frame->entries_before = entries_before;
}

/* ---- cumulative entries ---------------------------------------------------------------------- */

static int enter_entry(struct stave__walk *walk, const struct stave__cumulative *entry,
                       struct stave__waiting_list inner, int64_t at, stave_error *error)
{
    struct stave__nesting *nesting = walk->nesting;
    struct stave__frame *frame = push(nesting);
    if (frame == NULL)
        return stave__fail_memory(error);
    begin_frame(frame, at, nesting->entries.used);
    frame->entry = *entry;
    frame->waiting = inner;
    frame->row_depth = 0;
    frame->shown = (struct stave__shown){
        .start = at,
        .end = at + (int64_t)entry->total,
        .serial = entry->serial,
        .lane = walk->rows->lane,
        .track = nesting->track,
        .name = entry->name,
        .depth = nesting->depth - 1,
        .flags = entry->flags,
        .cut = entry->cut,
        .unnamed = entry->unnamed,
        .entry = &frame->entry,
    };
    walk->counts.cumulatives++;
    walk->counts.unplaced += nesting->track > 0 && nesting->depth == 1;
    walk->counts.uncertain += (entry->flags & STAVE_FLAGS_DOUBT) != 0;
    int status = open_track(walk);
    if (status < 0)
        return status;
    return tell(walk, walk->visitor->enter, &frame->shown, nesting->depth > 1 ? frame - 1 : NULL);
}

/* In the innermost, from a time on; `end` is where its room ends. */
static int place_entry(struct stave__walk *walk, struct stave__frame *around, uint32_t which,
                       int64_t at, int64_t end, stave_error *error)
{
    struct stave__entries *entries = &walk->nesting->entries;
    struct stave__cumulative entry = entries->waiting[which].entry;
    struct stave__waiting_list inner = stave__entries_take(entries, &around->waiting, which);
    if (entry.total > (uint64_t)(end - at)) /* it is cut by the window */
        entry.total = (uint64_t)(end - at);
    return enter_entry(walk, &entry, inner, at, error);
}

/* Entries of the innermost span, and those in them, as far as there is room up to a time. `last`: it ends there. */
static int fill(struct stave__walk *walk, int64_t to, bool last, stave_error *error)
{
    struct stave__nesting *nesting = walk->nesting;
    uint32_t depth = nesting->depth;
    int status = STAVE_OK;
    while (status >= 0 && nesting->depth > 0) {
        struct stave__frame *top = top_of(nesting);
        bool is_entry = nesting->depth > depth;
        int64_t at = 0, end = is_entry ? top->shown.end : to;
        uint32_t which = STAVE_NONE;
        if (top->waiting.first != STAVE_NONE && !is_at_greatest_depth(walk))
            which = stave__entries_choose(&nesting->entries, &top->waiting, top->free_from, end,
                                          is_entry || last, &at);
        if (which != STAVE_NONE)
            status = place_entry(walk, top, which, is_entry ? top->free_from : at, end, error);
        else if (is_entry)
            status = pop(walk);
        else
            break;
    }
    return status;
}

/* ---- below the greatest depth ---------------------------------------------------------------- */

static int flush_deeper(struct stave__walk *walk)
{
    struct stave__nesting *nesting = walk->nesting;
    struct stave__deeper *deeper = &nesting->deeper;
    struct stave__frame *top = top_of(nesting);
    if (deeper->count == 0)
        return STAVE_OK;
    struct stave__shown shown = {
        .start = deeper->start,
        .end = deeper->end,
        .self = (uint64_t)(deeper->end - deeper->start),
        .lane = walk->rows->lane,
        .track = nesting->track,
        .depth = nesting->depth,
        .deeper = deeper->count,
    };
    cover(top, deeper->start, deeper->end);
    deeper->count = 0;
    int status = tell(walk, walk->visitor->enter, &shown, top);
    return status < 0 ? status : tell(walk, walk->visitor->leave, &shown, top);
}

static int add_deeper(struct stave__walk *walk, const struct stave__span_row *row)
{
    struct stave__deeper *deeper = &walk->nesting->deeper;
    int status = STAVE_OK;
    if (deeper->count > 0 && (int64_t)row->start >= deeper->end)
        status = flush_deeper(walk);
    if (deeper->count == 0)
        *deeper = (struct stave__deeper){.start = (int64_t)row->start, .end = row->end};
    deeper->end = row->end > deeper->end ? row->end : deeper->end;
    deeper->count++;
    walk->counts.deeper++;
    return status;
}

/* ---- spans ----------------------------------------------------------------------------------- */

static int leave(struct stave__walk *walk, stave_error *error)
{
    const struct stave__frame *top = top_of(walk->nesting);
    int status = walk->nesting->deeper.count > 0 ? flush_deeper(walk) : STAVE_OK;
    if (status >= 0 && top->waiting.first != STAVE_NONE)
        status = fill(walk, top->shown.end, true, error);
    return status < 0 ? status : pop(walk);
}

/* Every member, likewise. */
static void show(const struct stave__walk *walk, const struct stave__span_row *row,
                 struct stave__shown *shown)
{
    shown->start = (int64_t)row->start;
    shown->end = row->end;
    shown->deadline = row->deadline;
    shown->serial = row->serial;
    shown->self = 0;
    shown->other = row->other;
    shown->other_lane = row->other_lane;
    shown->lane = walk->rows->lane;
    shown->track = walk->nesting->track;
    shown->name = row->name;
    shown->depth = walk->nesting->depth - 1;
    shown->flags = row->flags;
    shown->cut = row->cut;
    shown->missed = row->missed;
    shown->unnamed = row->unnamed;
    shown->is_last = false;
    shown->deeper = 0;
    shown->entry = NULL;
    shown->details = NULL;
    shown->details_count = 0;
}

static int enter(struct stave__walk *walk, const struct stave__span_row *row, stave_error *error)
{
    struct stave__nesting *nesting = walk->nesting;
    uint32_t before = nesting->entries.used;
    struct stave__frame *frame = push(nesting);
    if (frame == NULL)
        return stave__fail_memory(error);
    begin_frame(frame, (int64_t)row->start, before);
    frame->row_depth = row->depth;
    show(walk, row, &frame->shown);
    int status = STAVE_OK;
    frame->waiting = (struct stave__waiting_list){.first = STAVE_NONE};
    if (walk->rows->entries.count > 0 && row->serial != 0)
        status = stave__entries_load(walk, row->serial, &frame->waiting, error);
    if (status >= 0 && walk->rows->details.count > 0)
        status = stave__lane_rows_details(walk->rows, row->serial, &frame->shown.details,
                                          &frame->shown.details_count, error);
    if (status >= 0)
        status = open_track(walk);
    if (status >= 0)
        status =
            tell(walk, walk->visitor->enter, &frame->shown, nesting->depth > 1 ? frame - 1 : NULL);
    frame->shown.details = NULL;
    frame->shown.details_count = 0;
    return status;
}

static void count(struct stave__walk *walk, const struct stave__span_row *row)
{
    stave_export_counts *counts = &walk->counts;
    counts->spans++;
    counts->overlapping += walk->nesting->track > 0;
    counts->uncertain += (row->flags & STAVE_FLAGS_DOUBT) != 0;
    counts->failed += (row->flags & STAVE_FLAG_FAILED) != 0;
    counts->missed += row->missed;
}

/* Whether it is over when a row comes. What has no length may stand at the end of what is around it. */
static bool has_ended(const struct stave__frame *frame, const struct stave__span_row *row)
{
    int64_t start = (int64_t)row->start;
    if (frame->shown.end != start)
        return frame->shown.end < start;
    return row->end != start || row->depth <= frame->row_depth;
}

int stave__track_add(struct stave__walk *walk, const struct stave__span_row *row,
                     stave_error *error)
{
    struct stave__nesting *nesting = walk->nesting;
    bool is_counted = stave__walk_counts(walk, row->name);
    int status = STAVE_OK;
    while (nesting->depth > 0 && has_ended(top_of(nesting), row) && status >= 0)
        status = leave(walk, error);
    if (status < 0 || (nesting->depth == 0 && !is_counted))
        return status;
    if (nesting->depth > 0 && row->end > top_of(nesting)->shown.end)
        return is_counted ? stave__misfit_add(nesting, row, 0, error) : STAVE_OK;
    count(walk, row);
    if (is_at_greatest_depth(walk))
        return add_deeper(walk, row);
    if (nesting->depth > 0 && top_of(nesting)->waiting.first != STAVE_NONE)
        status = fill(walk, (int64_t)row->start, false, error);
    return status < 0 ? status : enter(walk, row, error);
}

int stave__track_add_entry(struct stave__walk *walk, const struct stave__cumulative *entry,
                           uint64_t index, stave_error *error)
{
    struct stave__entries *entries = &walk->nesting->entries;
    struct stave__waiting_list inner;
    struct stave__cumulative copy = *entry; /* what is loaded takes its place */
    uint32_t before = entries->used;
    if (stave__entries_is_placed(entries, index))
        return STAVE_OK; /* in another one, meanwhile */
    int status = stave__entries_load_beside(walk, copy.serial, index, &inner, error);
    if (status >= 0)
        status = enter_entry(walk, &copy, inner, copy.first, error);
    if (status >= 0)
        status = fill(walk, copy.first + (int64_t)copy.total, true, error);
    if (status >= 0)
        status = pop(walk);
    entries->used = before;
    return status;
}

int stave__track_end(struct stave__walk *walk, stave_error *error)
{
    struct stave__nesting *nesting = walk->nesting;
    int status = STAVE_OK;
    nesting->is_ending = true;
    while (nesting->depth > 0 && status >= 0)
        status = leave(walk, error);
    nesting->is_ending = false;
    if (status >= 0 && nesting->is_open && walk->visitor->track_end != NULL)
        status = walk->visitor->track_end(walk->state);
    nesting->is_open = false;
    nesting->track++;
    return status;
}
