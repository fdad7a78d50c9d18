#include "record/open_spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/record.h"

#define ENDED_ROOM_FIRST 64u

int stave__open_spans_open(struct stave__open_spans *spans, stave_error *error)
{
    *spans = (struct stave__open_spans){
        .now = malloc(STAVE_DEPTH_MAX * sizeof *spans->now),
        .around = malloc(STAVE_DEPTH_MAX * sizeof *spans->around),
        .ended = malloc(ENDED_ROOM_FIRST * sizeof *spans->ended),
        .ended_room = ENDED_ROOM_FIRST,
    };
    bool all = spans->now != NULL && spans->around != NULL && spans->ended != NULL;
    return all ? STAVE_OK : stave__fail_memory(error);
}

void stave__open_spans_close(struct stave__open_spans *spans)
{
    free(spans->now);
    free(spans->around);
    free(spans->ended);
}

static stave_open_span open_span(uint64_t serial, uint64_t start, uint64_t what)
{
    return (stave_open_span){.serial = serial,
                             .start = stave__since_start(start),
                             .name = stave__what_name(what),
                             .flags = stave__what_flags(what)};
}

static stave_open_span open_span_of(const struct stave__record *record)
{
    stave_open_span span = open_span(record->serial, record->start, record->what);
    if (stave__record_is_attached(record)) {
        span.other = record[1].start;
        span.other_lane = (uint32_t)record[1].end;
    }
    return span;
}

/* ---- what is open now ------------------------------------------------------------------------ */

/* The place that a slot is attached to, if it is: words of the slot, R5. */
static void copy_attached(const struct stave__lane *lane, const struct stave__open *slot,
                          stave_open_span *span)
{
    const struct stave__attached *attached = __atomic_load_n(&lane->attached, __ATOMIC_ACQUIRE);
    if ((span->flags & STAVE_FLAG_ATTACHED) == 0 || attached == NULL)
        return;
    attached += slot - lane->thread.base;
    span->other = __atomic_load_n(&attached->serial, __ATOMIC_ACQUIRE);
    span->other_lane = (uint32_t)__atomic_load_n(&attached->owner, __ATOMIC_ACQUIRE);
}

/* R5. A slot that was given to another span while it was read has another serial, and ends the copy. */
static bool copy_slot(struct stave__open_spans *spans, const struct stave__lane *lane,
                      const struct stave__open *slot)
{
    uint64_t serial = __atomic_load_n(&slot->serial, __ATOMIC_ACQUIRE);
    uint64_t what = __atomic_load_n(&slot->what, __ATOMIC_ACQUIRE);
    uint64_t start = __atomic_load_n(&slot->start, __ATOMIC_ACQUIRE);
    stave_open_span span = open_span(serial, start, what);
    copy_attached(lane, slot, &span);
    bool still = __atomic_load_n(&slot->serial, __ATOMIC_ACQUIRE) == serial &&
                 __atomic_load_n(&lane->thread.top, __ATOMIC_ACQUIRE) > slot;
    if (!still || serial > spans->until || (what & STAVE__IS_SUM) != 0)
        return false;
    if (serial > spans->before)
        spans->now[spans->now_count++] = span;
    return true;
}

static void copy_slots(struct stave__open_spans *spans, const struct stave__lane *lane)
{
    /* First: of those up to here what is open later stands below the top, what is not has a record. */
    spans->until = __atomic_load_n(&lane->thread.serial, __ATOMIC_ACQUIRE);
    const struct stave__open *top = __atomic_load_n(&lane->thread.top, __ATOMIC_ACQUIRE);
    for (const struct stave__open *slot = lane->thread.base; slot < top; slot++)
        if (!copy_slot(spans, lane, slot))
            break;
}

bool stave__open_spans_begin(struct stave__open_spans *spans, uint32_t index, uint32_t life)
{
    const struct stave__lane *lane = &stave__recorder.lanes[index];
    spans->session_low = UINT64_MAX;
    spans->before = spans->is_of_session ? 0 : __atomic_load_n(&lane->before, __ATOMIC_RELAXED);
    spans->until = UINT64_MAX;
    spans->cut = 0;
    spans->now_count = spans->ended_count = 0;
    uint32_t state = __atomic_load_n(&lane->state, __ATOMIC_ACQUIRE);
    if (state == STAVE__LANE_UNUSED)
        spans->until = 0; /* what it begins from now on has begun too late */
    if (state == STAVE__LANE_ALIVE)
        copy_slots(spans, lane);
    return __atomic_load_n(&lane->life, __ATOMIC_ACQUIRE) == life;
}

/* How many of them began before a serial. */
static uint32_t now_before(const struct stave__open_spans *spans, uint64_t serial)
{
    uint32_t low = 0, high = spans->now_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (spans->now[middle].serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct stave__open_spans *spans, uint32_t at, uint64_t serial)
{
    return at < spans->now_count && spans->now[at].serial == serial;
}

/* It has a record before the cut. */
static void close_now(struct stave__open_spans *spans, uint64_t serial)
{
    uint32_t at = now_before(spans, serial);
    if (!is_at(spans, at, serial))
        return;
    spans->now_count--;
    memmove(&spans->now[at], &spans->now[at + 1], (spans->now_count - at) * sizeof *spans->now);
}

/* Its record is behind the cut: it was still open there. */
static void reopen_now(struct stave__open_spans *spans, const struct stave__record *record)
{
    uint32_t at = now_before(spans, record->serial);
    if (is_at(spans, at, record->serial) || spans->now_count == STAVE_DEPTH_MAX)
        return;
    memmove(&spans->now[at + 1], &spans->now[at], (spans->now_count - at) * sizeof *spans->now);
    spans->now[at] = open_span_of(record);
    spans->now_count++;
}

/* ---- what has ended -------------------------------------------------------------------------- */

static int add_ended(struct stave__open_spans *spans, const struct stave__record *record,
                     uint32_t piece, stave_error *error)
{
    if (spans->ended_count == spans->ended_room) {
        size_t room = (size_t)spans->ended_room * 2;
        struct stave__ended_span *larger = realloc(spans->ended, room * sizeof *larger);
        if (larger == NULL)
            return stave__fail_memory(error);
        spans->ended = larger;
        spans->ended_room = (uint32_t)room;
    }
    spans->ended[spans->ended_count++] =
        (struct stave__ended_span){.span = open_span_of(record), .piece = piece};
    return STAVE_OK;
}

/* Where a lane's pieces have been looked through. */
struct look {
    struct stave__open_spans *spans;
    uint64_t highest; /* serial of all last spans of the pieces before */
    uint64_t last;    /* of this piece */
    uint32_t number;
    bool is_cut;
};

static void find_low(struct stave__open_spans *spans, const struct stave__record *record)
{
    if (spans->is_of_session && stave__record_is_span(record) &&
        (int64_t)(record->end - spans->session_start) >= 0 && record->serial < spans->session_low)
        spans->session_low = record->serial;
}

static int look_at(struct look *look, const struct stave__record *record, stave_error *error)
{
    struct stave__open_spans *spans = look->spans;
    if (!stave__record_is_span(record) || record->serial <= spans->before)
        return STAVE_OK;
    if (look->is_cut) {
        if (record->serial <= spans->until)
            reopen_now(spans, record);
        return STAVE_OK;
    }
    close_now(spans, record->serial);
    look->last = record->serial;
    return record->serial < look->highest ? add_ended(spans, record, look->number, error)
                                          : STAVE_OK;
}

static int look_through(struct look *look, struct stave__piece *piece,
                        const struct stave__record *records, stave_error *error)
{
    uint32_t count = piece->to - piece->from;
    int status = STAVE_OK;
    look->last = 0;
    if (look->is_cut)
        piece->to = piece->from;
    for (uint32_t i = 0; i < count && status >= 0; i += stave__record_length(&records[i])) {
        if (!look->is_cut && records[i].serial > look->spans->until) {
            look->is_cut = true;
            piece->to = piece->from + i;
        }
        find_low(look->spans, &records[i]);
        status = look_at(look, &records[i], error);
    }
    look->highest = look->last > look->highest ? look->last : look->highest;
    return status;
}

static int compare_ended(const void *a, const void *b)
{
    const struct stave__ended_span *x = a, *y = b;
    return x->span.serial < y->span.serial ? -1 : x->span.serial > y->span.serial;
}

int stave__open_spans_look(struct stave__open_spans *spans, struct stave__piece *pieces,
                           uint32_t count, struct stave__record *records, stave_error *error)
{
    struct look look = {.spans = spans, .highest = spans->cut};
    int status = STAVE_OK;
    for (; look.number < count && status >= 0; look.number++) {
        struct stave__piece *piece = &pieces[look.number];
        if (stave__piece_copy(piece, records))
            status = look_through(&look, piece, records, error);
        else
            piece->to = piece->from;
    }
    if (spans->now_count > 0 && spans->now[0].serial < spans->session_low)
        spans->session_low = spans->now[0].serial;
    qsort(spans->ended, spans->ended_count, sizeof *spans->ended, compare_ended);
    return status;
}

/* ---- what was open --------------------------------------------------------------------------- */

static void put_around(struct stave__open_spans *spans, const stave_open_span *span)
{
    if (spans->around_count < STAVE_DEPTH_MAX)
        spans->around[spans->around_count++] = *span;
}

void stave__open_spans_at(struct stave__open_spans *spans, int64_t piece, uint64_t serial)
{
    uint32_t now = 0, now_end = now_before(spans, serial);
    spans->around_count = 0;
    for (uint32_t i = 0; i < spans->ended_count; i++) {
        const struct stave__ended_span *ended = &spans->ended[i];
        if (ended->span.serial >= serial)
            break;
        for (; now < now_end && spans->now[now].serial < ended->span.serial; now++)
            put_around(spans, &spans->now[now]);
        if (ended->piece > piece)
            put_around(spans, &ended->span);
    }
    for (; now < now_end; now++)
        put_around(spans, &spans->now[now]);
}
