/* Cumulative entries of open spans: who is in whom, and which one fits where. */
#include <stdlib.h>
#include <string.h>

#include "analyze/places.h"
#include "base/error.h"
#include "export/walk_nesting.h"

#define FIRST_ROOM 64u
#define TRIED 16u /* for one stretch: so many entries that do not fit cost no more */

int stave__entries_begin(struct stave__walk *walk, stave_error *error)
{
    struct stave__entries *entries = &walk->nesting->entries;
    uint64_t bytes = walk->rows->entries.count / 8 + 1;
    if (bytes > entries->placed_room) {
        uint8_t *larger = realloc(entries->placed, bytes);
        if (larger == NULL)
            return stave__fail_memory(error);
        entries->placed = larger;
        entries->placed_room = bytes;
    }
    memset(entries->placed, 0, bytes);
    entries->used = 0;
    return STAVE_OK;
}

void stave__entries_free(struct stave__entries *entries)
{
    free(entries->waiting);
    free(entries->places);
    free(entries->placed);
}

/* ---- those of a span ------------------------------------------------------------------------- */

static bool grow(struct stave__entries *entries)
{
    uint32_t room = entries->room != 0 ? 2 * entries->room : FIRST_ROOM; /* 0 beyond 2^31 */
    struct stave__waiting *waiting =
        room != 0 ? realloc(entries->waiting, room * sizeof *waiting) : NULL;
    if (waiting == NULL)
        return false;
    entries->waiting = waiting;
    struct stave__place *places = realloc(entries->places, room * sizeof *places);
    if (places == NULL)
        return false;
    entries->places = places;
    entries->room = room;
    return true;
}

static bool add(struct stave__entries *entries, const struct stave__entry_of *entry, uint64_t index)
{
    if (entries->used == entries->room && !grow(entries))
        return false;
    entries->waiting[entries->used++] = (struct stave__waiting){
        .entry = *entry,
        .index = index,
        .around = STAVE_NONE,
        .first = STAVE_NONE,
        .next = STAVE_NONE,
    };
    return true;
}

/* Which are in which others, of those from `from` on. */
static void find_around(struct stave__entries *entries, uint32_t from)
{
    uint32_t told = 0;
    for (uint32_t i = from; i < entries->used; i++) {
        const struct stave__entry_of *entry = &entries->waiting[i].entry;
        if (entry->number != 0)
            entries->places[told++] = (struct stave__place){
                .serial = entry->serial,
                .number = entry->number,
                .around = entry->around,
                .at = i,
                .parent = STAVE_NONE,
            };
    }
    stave__places_solve(entries->places, told);
    for (uint32_t i = 0; i < told; i++)
        if (entries->places[i].parent != STAVE_NONE)
            entries->waiting[entries->places[i].at].around =
                entries->places[entries->places[i].parent].at;
}

/* Into the list of what each is in, the first in front. One that is in another, and does not say in which, joins none. */
static void make_lists(struct stave__entries *entries, uint32_t from,
                       struct stave__waiting_list *list)
{
    for (uint32_t i = entries->used; i-- > from;) {
        struct stave__waiting *waiting = &entries->waiting[i];
        bool is_told = waiting->entry.number != 0 || waiting->entry.depth == 0;
        if (!is_told)
            continue;
        uint32_t *first =
            waiting->around != STAVE_NONE ? &entries->waiting[waiting->around].first : &list->first;
        waiting->next = *first;
        *first = i;
        if (waiting->around == STAVE_NONE)
            list->total += waiting->entry.total;
    }
}

int stave__entries_load(struct stave__walk *walk, uint64_t serial, struct stave__waiting_list *list,
                        stave_error *error)
{
    struct stave__series *series = &walk->rows->entries;
    struct stave__entries *entries = &walk->nesting->entries;
    const struct stave__entry_of *entry;
    uint32_t from = entries->used;
    if (serial == 0)
        return STAVE_OK; /* nobody's */
    uint64_t at = stave__series_find(series, serial, error);
    for (; (entry = stave__series_at(series, at, error)) != NULL && entry->serial == serial; at++)
        if (!stave__entries_is_placed(entries, at) && !add(entries, entry, at))
            return stave__fail_memory(error);
    find_around(entries, from);
    make_lists(entries, from, list);
    return series->sorter.status;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* As near behind its first call as those that wait behind it leave room. */
static int64_t place_of(const struct stave__entry_of *entry, int64_t from, int64_t to,
                        uint64_t reserved)
{
    uint64_t room = (uint64_t)(to - from);
    int64_t latest = reserved <= room ? to - (int64_t)reserved : from;
    int64_t wanted = entry->first > from ? entry->first : from;
    return wanted < latest ? wanted : latest;
}

uint32_t stave__entries_choose(const struct stave__entries *entries,
                               const struct stave__waiting_list *list, int64_t from, int64_t to,
                               bool last, int64_t *at)
{
    uint32_t tried = 0;
    if (from > to)
        return STAVE_NONE;
    for (uint32_t i = list->first; i != STAVE_NONE && tried < TRIED; i = entries->waiting[i].next) {
        const struct stave__entry_of *entry = &entries->waiting[i].entry;
        tried++;
        if (entry->total > (uint64_t)(to - from) || (!last && entry->first > to))
            continue;
        *at = place_of(entry, from, to, last ? list->total : entry->total);
        return i;
    }
    return STAVE_NONE;
}

struct stave__waiting_list stave__entries_take(struct stave__entries *entries,
                                               struct stave__waiting_list *list, uint32_t which)
{
    struct stave__waiting *taken = &entries->waiting[which];
    struct stave__waiting_list inner = {.first = taken->first};
    uint32_t *at = &list->first;
    while (*at != which)
        at = &entries->waiting[*at].next;
    *at = taken->next;
    list->total -= taken->entry.total;
    entries->placed[taken->index / 8] |= (uint8_t)(1 << taken->index % 8);
    for (uint32_t i = inner.first; i != STAVE_NONE; i = entries->waiting[i].next)
        inner.total += entries->waiting[i].entry.total;
    return inner;
}
