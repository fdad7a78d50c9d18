/* All tracks of a lane: its own, then those of what does not nest there. */
#include <stdlib.h>

#include "base/error.h"
#include "export/walk.h"
#include "export/walk_nesting.h"

#define FIRST_ROOM 64u

/* What needs a track of its own. */
struct misfit {
    uint64_t start;
    uint64_t entry; /* its place in the series plus 1; 0: a span */
    struct stave__span_row row;
};

struct placed {
    uint64_t track;
    struct misfit misfit;
};

/* ---- memory ---------------------------------------------------------------------------------- */

static int compare_misfits(const void *a, const void *b)
{
    const struct misfit *x = a, *y = b;
    if (x->row.end != y->row.end)
        return x->row.end > y->row.end ? -1 : 1;
    if (x->row.serial != y->row.serial)
        return x->row.serial < y->row.serial ? -1 : 1;
    if (x->row.name != y->row.name)
        return x->row.name < y->row.name ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->misfit.start != y->misfit.start)
        return x->misfit.start < y->misfit.start ? -1 : 1;
    return compare_misfits(&x->misfit, &y->misfit);
}

struct stave__nesting *stave__nesting_new(const char *temporary_dir)
{
    struct stave__nesting *nesting = calloc(1, sizeof *nesting);
    if (nesting == NULL)
        return NULL;
    nesting->misfits = (struct stave__sorter){.record_size = sizeof(struct misfit),
                                              .compare = compare_misfits,
                                              .temporary_dir = temporary_dir};
    nesting->placed = (struct stave__sorter){.record_size = sizeof(struct placed),
                                             .compare = compare_placed,
                                             .temporary_dir = temporary_dir};
    return nesting;
}

void stave__nesting_free(struct stave__nesting *nesting)
{
    if (nesting == NULL)
        return;
    stave__sorter_free(&nesting->misfits);
    stave__sorter_free(&nesting->placed);
    stave__entries_free(&nesting->entries);
    free(nesting->frames);
    free(nesting->taken);
    free(nesting);
}

int stave__misfit_add(struct stave__nesting *nesting, const struct stave__span_row *row,
                      uint64_t entry, stave_error *error)
{
    struct misfit *misfit = stave__sorter_add(&nesting->misfits, error);
    if (misfit == NULL)
        return nesting->misfits.status;
    *misfit = (struct misfit){.start = row->start, .entry = entry, .row = *row};
    return STAVE_OK;
}

/* ---- which track ----------------------------------------------------------------------------- */

static bool is_before(const struct stave__taken *a, const struct stave__taken *b)
{
    return a->end != b->end ? a->end < b->end : a->track < b->track;
}

static void sink(struct stave__nesting *nesting, struct stave__taken taken)
{
    size_t at = 0;
    for (size_t child = 1; child < nesting->taken_count; child = 2 * at + 1) {
        if (child + 1 < nesting->taken_count &&
            is_before(&nesting->taken[child + 1], &nesting->taken[child]))
            child++;
        if (!is_before(&nesting->taken[child], &taken))
            break;
        nesting->taken[at] = nesting->taken[child];
        at = child;
    }
    nesting->taken[at] = taken;
}

static bool rise(struct stave__nesting *nesting, struct stave__taken taken)
{
    if (nesting->taken_count == nesting->taken_room) {
        size_t room = nesting->taken_room != 0 ? 2 * nesting->taken_room : FIRST_ROOM;
        struct stave__taken *larger = realloc(nesting->taken, room * sizeof *larger);
        if (larger == NULL)
            return false;
        nesting->taken = larger;
        nesting->taken_room = room;
    }
    size_t at = nesting->taken_count++;
    for (; at > 0 && is_before(&taken, &nesting->taken[(at - 1) / 2]); at = (at - 1) / 2)
        nesting->taken[at] = nesting->taken[(at - 1) / 2];
    nesting->taken[at] = taken;
    return true;
}

/* One that is free when a misfit begins, else a new one; 0: out of memory. */
static uint64_t take_track(struct stave__nesting *nesting, const struct misfit *misfit)
{
    struct stave__taken taken = {.end = misfit->row.end};
    if (nesting->taken_count > 0 && nesting->taken[0].end <= (int64_t)misfit->start) {
        taken.track = nesting->taken[0].track;
        sink(nesting, taken);
        return taken.track;
    }
    taken.track = ++nesting->tracks_used;
    return rise(nesting, taken) ? taken.track : 0;
}

static int place_misfits(struct stave__nesting *nesting, stave_error *error)
{
    const struct misfit *misfit;
    nesting->taken_count = 0;
    stave__sorter_clear(&nesting->placed);
    int status = stave__sorter_finish(&nesting->misfits, error);
    while (status >= 0 && (misfit = stave__sorter_next(&nesting->misfits, error)) != NULL) {
        struct placed *placed = stave__sorter_add(&nesting->placed, error);
        if (placed == NULL)
            return nesting->placed.status;
        *placed = (struct placed){take_track(nesting, misfit), *misfit};
        if (placed->track == 0)
            return stave__fail_memory(error);
    }
    if (status >= 0)
        status = nesting->misfits.status;
    stave__sorter_clear(&nesting->misfits);
    return status < 0 ? status : stave__sorter_finish(&nesting->placed, error);
}

static int add_misfit(struct stave__walk *walk, const struct misfit *misfit, stave_error *error)
{
    struct stave__series *series = &walk->rows->entries;
    if (misfit->entry == 0)
        return stave__track_add(walk, &misfit->row, error);
    const struct stave__cumulative *entry = stave__series_at(series, misfit->entry - 1, error);
    return entry != NULL ? stave__track_add_entry(walk, entry, misfit->entry - 1, error)
                         : series->sorter.status;
}

static int run_misfits(struct stave__walk *walk, stave_error *error)
{
    struct stave__nesting *nesting = walk->nesting;
    const struct placed *placed;
    if (nesting->misfits.count == 0)
        return STAVE_OK;
    int status = place_misfits(nesting, error);
    while (status >= 0 && (placed = stave__sorter_next(&nesting->placed, error)) != NULL) {
        if (placed->track != nesting->track)
            status = stave__track_end(walk, error);
        if (status >= 0)
            status = add_misfit(walk, &placed->misfit, error);
    }
    if (status >= 0)
        status = nesting->placed.status;
    return status < 0 ? status : stave__track_end(walk, error);
}

/* ---- a lane ---------------------------------------------------------------------------------- */

/* Entries that are in no span. */
static int find_rest(struct stave__walk *walk, stave_error *error)
{
    struct stave__nesting *nesting = walk->nesting;
    struct stave__series *series = &walk->rows->entries;
    int status = STAVE_OK;
    for (uint64_t i = 0; i < series->count && status >= 0; i++) {
        const struct stave__cumulative *entry = stave__series_at(series, i, error);
        if (entry == NULL)
            return series->sorter.status;
        if (stave__entries_is_placed(&nesting->entries, i) ||
            !stave__walk_counts(walk, entry->name))
            continue;
        struct stave__span_row row = {
            .start = (uint64_t)entry->first,
            .end = entry->first + (int64_t)entry->total,
            .serial = entry->serial,
            .name = entry->name,
        };
        status = stave__misfit_add(nesting, &row, i + 1, error);
    }
    return status;
}

static int run_spans(struct stave__walk *walk, stave_error *error)
{
    const struct stave__span_row *row;
    int status = STAVE_OK;
    while (status >= 0 && (row = stave__sorter_next(&walk->rows->spans, error)) != NULL)
        status = stave__track_add(walk, row, error);
    if (status >= 0)
        status = walk->rows->spans.status;
    return status < 0 ? status : stave__track_end(walk, error);
}

int stave__nesting_run(struct stave__walk *walk, stave_error *error)
{
    struct stave__nesting *nesting = walk->nesting;
    nesting->track = 0;
    nesting->tracks_used = 0;
    nesting->depth = 0;
    nesting->deeper.count = 0;
    stave__sorter_clear(&nesting->misfits);
    int status = stave__entries_begin(walk, error);
    if (status >= 0)
        status = run_spans(walk, error);
    if (status >= 0)
        status = run_misfits(walk, error);
    if (status >= 0)
        status = find_rest(walk, error);
    return status < 0 ? status : run_misfits(walk, error);
}
