#include "record/sums.h"

#include "base/os_process.h"

_Static_assert(STAVE__SUMS_MAX <= STAVE__SUM_NUMBER_MAX, "a number fits into a record");

/* ---- entries --------------------------------------------------------------------------------- */

static struct stave__sums *make(struct stave__lane *lane)
{
    struct stave__sums *made = lane->sums_free;
    if (made != NULL) {
        lane->sums_free = made->next;
        return made;
    }
    if (lane->sums == NULL)
        lane->sums = stave__os_reserve(STAVE__SUMS_MAX * sizeof *lane->sums);
    return lane->sums != NULL && lane->sums_used < STAVE__SUMS_MAX ? &lane->sums[lane->sums_used++]
                                                                   : NULL;
}

struct stave__sums *stave__sums_of(struct stave__lane *lane, struct stave__open *around,
                                   uint32_t name)
{
    bool in_sum = (around->what & STAVE__IS_SUM) != 0;
    struct stave__sums **list = in_sum ? &around->sums->below : &around->sums;
    for (struct stave__sums *sums = *list; sums != NULL; sums = sums->next)
        if (sums->name == name)
            return sums;
    struct stave__sums *sums = make(lane);
    if (sums == NULL)
        return NULL;
    *sums = (struct stave__sums){
        .next = *list, .above = in_sum ? around->sums : NULL, .name = name, .least = UINT64_MAX};
    *list = sums;
    return sums;
}

bool stave__sums_mark(struct stave__lane *lane, struct stave__open *slot)
{
    struct stave__sums *mark = make(lane);
    if (mark == NULL)
        return false;
    *mark = (struct stave__sums){.name = STAVE__OTHER_ABI};
    slot->sums = mark;
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_one(struct stave__lane *lane, const struct stave__sums *sums, uint64_t serial,
                      uint64_t depth)
{
    struct stave__record *record = stave__lane_room(lane, 2);
    uint64_t around = sums->above != NULL ? sums->above->number : 0;
    if (record == NULL)
        return;
    if (depth > STAVE__SUM_DEPTH_MAX)
        depth = STAVE__SUM_DEPTH_MAX;
    STAVE__STORE(record[0].start, sums->first);
    /* The clock may have stepped back between two of them. */
    STAVE__STORE(record[0].end, sums->last > sums->first ? sums->last : sums->first);
    STAVE__STORE(record[0].serial, serial);
    STAVE__STORE(record[0].what,
                 sums->name | (uint64_t)STAVE__SUM << STAVE__DEPTH_SHIFT |
                     depth << STAVE__SUM_DEPTH_SHIFT | around << STAVE__SUM_AROUND_SHIFT |
                     (uint64_t)sums->number << STAVE__SUM_NUMBER_SHIFT | STAVE__NOT_SPAN);
    STAVE__STORE(record[1].start, sums->count);
    STAVE__STORE(record[1].end, sums->total);
    STAVE__STORE(record[1].serial, sums->least);
    STAVE__STORE(record[1].what, sums->most);
    stave__lane_wrote(lane, record + 2);
}

static void forget(struct stave__lane *lane, struct stave__sums *sums)
{
    sums->next = lane->sums_free;
    lane->sums_free = sums;
}

void stave__sums_write(struct stave__lane *lane, struct stave__open *slot)
{
    struct stave__sums *sums = slot->sums;
    uint64_t depth = 0;
    uint32_t number = 0;
    slot->sums = NULL;
    /* Down to what has nothing in it, which is written, and on beside or above it. */
    while (sums != NULL) {
        if (sums->number == 0)
            sums->number = ++number;
        if (sums->below != NULL) {
            struct stave__sums *below = sums->below;
            sums->below = NULL;
            sums = below;
            depth++;
            continue;
        }
        if (sums->count > 0)
            write_one(lane, sums, slot->serial, depth);
        struct stave__sums *next = sums->next, *above = sums->above;
        forget(lane, sums);
        sums = next != NULL ? next : above;
        depth -= next == NULL && above != NULL;
    }
}
