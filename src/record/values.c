/* Attributes, marks and counters, names made at run time. */
#include <string.h>

#include "record/rules.h"
#include "record/sums.h"
#include "stave/block.h"

/* What a mark's attributes are set on. */
static struct stave__open mark_slot;

/* ---- records --------------------------------------------------------------------------------- */

static uint64_t flags_of(const struct stave__value *value)
{
    switch (value->type) {
    case STAVE__I64:
        return STAVE_FLAG_SIGNED;
    case STAVE__F64:
        return STAVE_FLAG_REAL;
    case STAVE__BOOL:
        return STAVE_FLAG_BOOL;
    case STAVE__TEXT:
        return STAVE_FLAG_TEXT;
    default:
        return 0;
    }
}

/* The innermost open span that is recorded itself, not summed up; none when there is none. */
static stave_span innermost(const struct stave__thread *self)
{
    struct stave__open *slot = self->top;
    while (slot > self->base && (slot[-1].what & STAVE__IS_SUM) != 0)
        slot--;
    if (slot == self->base)
        return (stave_span){0};
    return (stave_span){.slot = slot - 1, .serial = slot[-1].serial};
}

/* Bytes of a text, four words a record, behind the record that says how many. */
static void put_text(struct stave__record *record, const char *text, size_t size)
{
    uint64_t *word = &record->start;
    for (size_t at = 0; at < size; at += sizeof *word, word++) {
        uint64_t bytes = 0;
        memcpy(&bytes, text + at, size - at < sizeof bytes ? size - at : sizeof bytes);
        STAVE__STORE(*word, bytes);
    }
}

/* Where a text stands; NULL for anything else. */
static const char *text_of(const struct stave__value *value)
{
    const char *text = NULL;
    if (value->type == STAVE__TEXT)
        memcpy(&text, &value->bits, sizeof text);
    return text;
}

static size_t text_size(struct stave__lane *lane, const char *text, uint64_t *flags)
{
    size_t size = text != NULL ? strlen(text) : 0;
    if (size <= STAVE_TEXT_MAX)
        return size;
    stave__count(&lane->counts.truncated, 1);
    *flags |= STAVE_FLAG_TRUNCATED;
    return STAVE_TEXT_MAX;
}

/* One that is no span. Of a text `value` is where it stands; its bits in the record are its size. */
static void write(struct stave__lane *lane, uint64_t kind, uint32_t name, uint64_t serial,
                  uint64_t time, const struct stave__value *value, uint64_t flags)
{
    const char *text = text_of(value);
    size_t size = text_size(lane, text, &flags);
    uint32_t more =
        (uint32_t)((size + sizeof(struct stave__record) - 1) / sizeof(struct stave__record));
    struct stave__record *record = stave__lane_room(lane, 1 + more);
    if (record == NULL)
        return;
    STAVE__STORE(record->start, value->type == STAVE__TEXT ? size : value->bits);
    STAVE__STORE(record->end, time);
    STAVE__STORE(record->serial, serial);
    STAVE__STORE(record->what, name | kind << STAVE__DEPTH_SHIFT |
                                   (flags_of(value) | flags) << STAVE__FLAGS_SHIFT |
                                   STAVE__NOT_SPAN);
    put_text(record + 1, text, size);
    stave__lane_wrote(lane, record + 1 + more);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* A span that is summed up has no attributes: there is no row for them. */
static void set(stave_span span, uint32_t key, struct stave__value value)
{
    struct stave__lane *lane = (struct stave__lane *)stave__own;
    if (!stave__is_open(stave__own, span) || (span.slot->what & STAVE__IS_SUM) != 0)
        return;
    if (!stave__is_name(key))
        stave__count_dropped_site(lane, key);
    else
        write(lane, STAVE__ATTRIBUTE, key, span.serial, 0, &value, 0);
}

void stave__set_key(stave_span span, uint32_t key, struct stave__value value)
{
    set(span, key, value);
}

static void write_moment(struct stave__lane *lane, uint64_t kind, uint32_t name, uint64_t time,
                         struct stave__value value, uint64_t flags)
{
    uint64_t around = innermost(&lane->thread).serial;
    if (!stave__is_name(name))
        stave__count_dropped_site(lane, name);
    else
        write(lane, kind, name, around, time, &value, flags);
}

static void write_mark(struct stave__lane *lane, struct stave__value value, uint64_t flags)
{
    lane->mark.written = true;
    write_moment(lane, STAVE__MARK, lane->mark.name, lane->mark.time, value, flags);
}

/* A mark has one value: the first. It is written at once, since a text may be gone soon. What else is told
 * with it is the span's around it. */
static void set_of_mark(struct stave__lane *lane, stave_site *key, struct stave__value value)
{
    if (!lane->mark.written)
        write_mark(lane, value, STAVE_FLAG_HAS_VALUE);
    else
        set(innermost(&lane->thread), stave__key_id(key), value);
}

void stave__set_slowly(stave_span span, stave_site *key, struct stave__value value)
{
    if (span.slot == &mark_slot)
        set_of_mark((struct stave__lane *)stave__own, key, value);
    else if (stave__is_open(stave__own, span)) /* C2: else the key need not be known */
        set(span, stave__key_id(key), value);
}

/* Recording is on, or a session has captured it. */
static bool is_captured(stave_span span)
{
    uint32_t name = (uint32_t)(span.slot->what & ((1u << STAVE__DEPTH_SHIFT) - 1));
    return stave__is_on() || stave__role_of(name) != STAVE__NAME_OTHER;
}

static void set_by_text(stave_span span, const char *key, struct stave__value value)
{
    if (stave__is_open(stave__own, span) && is_captured(span) && key != NULL)
        set(span, stave_name_intern(key), value);
}

void stave_set_i64(stave_span span, const char *key, int64_t value)
{
    set_by_text(span, key, stave__i64(value));
}

void stave_set_u64(stave_span span, const char *key, uint64_t value)
{
    set_by_text(span, key, stave__u64(value));
}

void stave_set_f64(stave_span span, const char *key, double value)
{
    set_by_text(span, key, stave__f64(value));
}

void stave_set_bool(stave_span span, const char *key, bool value)
{
    set_by_text(span, key, stave__bool(value));
}

void stave_set_str(stave_span span, const char *key, const char *value)
{
    set_by_text(span, key, stave__text(value));
}

void stave_fail(stave_span span, const char *reason)
{
    if (!stave__is_open(stave__own, span))
        return;
    STAVE__STORE(span.slot->what,
                 span.slot->what | (uint64_t)STAVE_FLAG_FAILED << STAVE__FLAGS_SHIFT);
    if (reason != NULL)
        stave_set_str(span, "error", reason);
}

/* ---- marks and counters ---------------------------------------------------------------------- */

stave_span stave__mark(stave_site *site)
{
    struct stave__lane *lane = stave__lane_of_thread();
    if (lane == NULL || lane->is_skipping)
        return (stave_span){0};
    lane->mark.time = stave__clock_tick(&stave__recorder.clock);
    lane->mark.name = stave__site_id(site);
    lane->mark.written = false;
    return (stave_span){.slot = &mark_slot};
}

void stave__mark_end(stave_span mark)
{
    struct stave__lane *lane = (struct stave__lane *)stave__own;
    if (mark.slot == &mark_slot && !lane->mark.written)
        write_mark(lane, stave__u64(0), 0);
}

void stave__mark_text(struct stave__lane *lane, const char *name, const char *text)
{
    write_moment(lane, STAVE__MARK, stave_name_intern(name),
                 stave__clock_tick(&stave__recorder.clock), stave__text(text),
                 STAVE_FLAG_HAS_VALUE);
}

void stave__counter(stave_site *site, struct stave__value value)
{
    struct stave__lane *lane = stave__lane_of_thread();
    if (lane != NULL && !lane->is_skipping)
        write_moment(lane, STAVE__COUNTER, stave__shared_id(site),
                     stave__clock_tick(&stave__recorder.clock), value, 0);
}

/* ---- names ----------------------------------------------------------------------------------- */

uint32_t stave_name_intern(const char *name)
{
    if (name == NULL)
        return 0;
    if (!__atomic_load_n(&stave__recorder.made, __ATOMIC_ACQUIRE))
        return 0;
    uint32_t id = stave__dictionary_add(&stave__recorder.names, name, strlen(name));
    return id != STAVE__NO_ID ? id : 0;
}

void stave_thread_name(const char *name)
{
    bool is_on = stave__is_on() || __atomic_load_n(&stave__rules_on, __ATOMIC_RELAXED) != 0;
    struct stave__lane *lane = is_on && name != NULL ? stave__lane_of_thread() : NULL;
    uint32_t id = lane != NULL ? stave_name_intern(name) : 0;
    if (id != 0)
        STAVE__PUBLISH(lane->name, id);
}
