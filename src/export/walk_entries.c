/* Cumulative entries of open spans: who is in whom, and which one fits where. */
#include <stdlib.h>
#include <string.h>

#include "analyze/places.h"
#include "base/error.h"
#include "export/walk.h"
#include "export/walk_nesting.h"

#define FIRST_ROOM 64u
#define BESIDE                                                                                     \
    64 /* of one span: so many entries are looked through for those in one that has no place in it */
#define TRIED 16u /* for one stretch: so many entries that do not fit cost no more */

static bool is_set(const uint8_t *bits, uint64_t index)
{
    return (bits[index / 8] >> index % 8 & 1) != 0;
}

static void set(uint8_t *bits, uint64_t index)
{
    bits[index / 8] |= (uint8_t)(1 << index % 8);
}

bool stave__entries_is_placed(const struct stave__entries *entries, uint64_t index)
{
    return is_set(entries->placed, index);
}

int stave__entries_begin(struct stave__walk *walk, stave_error *error)
{
    struct stave__entries *entries = &walk->nesting->entries;
    uint64_t bytes = walk->rows->entries.count / 8 + 1;
    if (bytes > entries->bits_room) {
        uint8_t *larger = realloc(entries->placed, 2 * bytes);
        if (larger == NULL)
            return stave__fail_memory(error);
        entries->placed = larger;
        entries->bits_room = bytes;
    }
    entries->claimed = entries->placed + entries->bits_room;
    memset(entries->placed, 0, bytes);
    memset(entries->claimed, 0, bytes);
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

static bool add(struct stave__entries *entries, const struct stave__cumulative *entry,
                uint64_t index)
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
        const struct stave__cumulative *entry = &entries->waiting[i].entry;
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

/* It has a place, and those in it wait for theirs. */
static struct stave__waiting_list begin_inner(struct stave__entries *entries,
                                              const struct stave__waiting *taken)
{
    struct stave__waiting_list inner = {.first = taken->first};
    set(entries->placed, taken->index);
    for (uint32_t i = inner.first; i != STAVE_NONE; i = entries->waiting[i].next)
        inner.total += entries->waiting[i].entry.total;
    return inner;
}

static int load(struct stave__walk *walk, uint64_t serial, uint64_t at,
                struct stave__waiting_list *list, stave_error *error)
{
    struct stave__series *series = &walk->rows->entries;
    struct stave__entries *entries = &walk->nesting->entries;
    const struct stave__cumulative *entry;
    uint32_t from = entries->used;
    for (; (entry = stave__series_at(series, at, error)) != NULL && entry->serial == serial; at++)
        if (!stave__entries_is_placed(entries, at) && !add(entries, entry, at))
            return stave__fail_memory(error);
    find_around(entries, from);
    make_lists(entries, from, list);
    return series->sorter.status;
}

int stave__entries_load(struct stave__walk *walk, uint64_t serial, struct stave__waiting_list *list,
                        stave_error *error)
{
    struct stave__series *series = &walk->rows->entries;
    struct stave__entries *entries = &walk->nesting->entries;
    uint64_t at = stave__series_find(series, serial, error);
    const struct stave__cumulative *first = stave__series_at(series, at, error);
    if (first == NULL || first->serial != serial || is_set(entries->claimed, at))
        return series->sorter.status; /* none; or an earlier span with this serial had them */
    set(entries->claimed, at);
    return load(walk, serial, at, list, error);
}

int stave__entries_load_beside(struct stave__walk *walk, uint64_t serial, uint64_t index,
                               struct stave__waiting_list *inner, stave_error *error)
{
    struct stave__series *series = &walk->rows->entries;
    struct stave__entries *entries = &walk->nesting->entries;
    struct stave__waiting_list beside = {.first = STAVE_NONE};
    uint32_t which = entries->used;
    uint64_t from = stave__series_find(series, serial, error);
    *inner = (struct stave__waiting_list){.first = STAVE_NONE};
    if (serial == UINT64_MAX || stave__series_find(series, serial + 1, error) - from > BESIDE) {
        set(entries->placed, index);
        return series->sorter.status;
    }
    int status = load(walk, serial, from, &beside, error);
    while (which < entries->used && entries->waiting[which].index != index)
        which++;
    if (status >= 0 && which < entries->used)
        *inner = begin_inner(entries, &entries->waiting[which]);
    return status;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* As near behind its first call as those that wait behind it leave room. */
static int64_t place_of(const struct stave__cumulative *entry, int64_t from, int64_t to,
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
        const struct stave__cumulative *entry = &entries->waiting[i].entry;
        tried++;
        bool fits = entry->total <= (uint64_t)(to - from);
        if ((!fits && (!last || entry->cut == 0 || from == to)) || (!last && entry->first > to))
            continue;
        *at = place_of(entry, from, to, last ? list->total : entry->total);
        return i;
    }
    return STAVE_NONE;
}

struct stave__waiting_list stave__entries_take(struct stave__entries *entries,
                                               struct stave__waiting_list *list, uint32_t which)
{
    const struct stave__waiting *taken = &entries->waiting[which];
    uint32_t *at = &list->first;
    while (*at != which)
        at = &entries->waiting[*at].next;
    *at = taken->next;
    list->total -= taken->entry.total;
    return begin_inner(entries, taken);
}
