/* Recording: time, number and place under one lock. */
#include "target/ring.h"

#ifndef STAVE_TARGET_OFF

#define RING (STAVE_TARGET_RING)
#define NAMES (STAVE_TARGET_NAMES)
#define INLINE inline __attribute__((always_inline)) /* on the fast path, also with -Os */

_Static_assert(RING >= 4 && RING <= 32768 && (RING & (RING - 1)) == 0,
               "STAVE_TARGET_RING is a power of 2, from 4 to 32768");
_Static_assert(NAMES >= 1 && NAMES <= 253, "STAVE_TARGET_NAMES is 1 to 253");

static struct {
    uint32_t head; /* places filled so far */
    uint32_t full; /* the head when no place is left; as before the start: events are dropped */
    uint32_t more; /* numbers taken so far, less places filled */
    uint32_t dropped_ring_full;
    uint32_t hole; /* the head when an event was dropped last */

    uint32_t peak;
    uint32_t dropped_transport_full;
    uint32_t unnamed;

    uint32_t names_count;
    bool own_named; /* clock_still is among them */
    const struct stave_target_name *names[NAMES + 1];

    struct stave__moment now; /* when the clock was last looked at */
    uint32_t hz;
    struct stave__slot rate[2]; /* a change of rate that found no place: its time, then the rate */
    uint32_t rate_waits;        /* how many of the two */
    struct stave__slot wanted;  /* what was requested and found no place, or kind 0 */

    uint32_t sent; /* frames, as the poll last told */
    bool clock_still;

    struct stave__slot slots[RING];
} ring;

/* The recorder's own name, which has a place in the registry whatever else is in it. */
static uint8_t own_number;
static const char own_text[] = "stave: clock stands still";
static const struct stave_target_name clock_still = {
    .text = own_text, .number = &own_number, .size = sizeof own_text - 1};

/* ---- Under the lock ---------------------------------------------------------------------------- */

static INLINE bool has_place(void)
{
    return ring.head != ring.full;
}

/* Since the start. */
static uint32_t waiting(void)
{
    return ring.head + RING - ring.full;
}

static INLINE uint32_t numbers(void)
{
    return ring.head + ring.more;
}

static void look(void)
{
    stave__ticks raw = stave_port_clock();
    ring.now.ticks += (uint64_t)(stave__ticks_step)(raw - ring.now.raw);
    ring.now.raw = raw;
}

static void push(struct stave__slot *slot)
{
    slot->number = (uint16_t)numbers();
    stave__slot_copy(&ring.slots[ring.head++ % RING], slot);
}

static struct stave__slot *newest(void)
{
    return &ring.slots[(ring.head - 1) % RING];
}

static bool newest_is_header(void)
{
    return waiting() != 0 && newest()->kind == WIRE_TRACE_START;
}

/* There is a place, or a header to be told another time. */
static void push_wanted(void)
{
    look();
    ring.wanted.ticks = ring.now.raw;
    ring.wanted.value = (uint32_t)(ring.now.ticks >> 32);
    if (ring.wanted.kind == WIRE_TRACE_START && newest_is_header()) {
        newest()->ticks = ring.wanted.ticks;
        newest()->value = ring.wanted.value;
    } else {
        push(&ring.wanted);
    }
    ring.wanted.kind = 0;
}

/* The clock's new rate is to be announced, as of now. One that has to wait may get its place more than a
 * wrap behind the event before it: a header that knows the high half of its time goes first. The ring
 * is full until both have their places. */
static void hold_rate(void)
{
    look();
    ring.rate[0].ticks = ring.now.raw;
    ring.rate[0].value = (uint32_t)(ring.now.ticks >> 32);
    ring.rate[0].kind = WIRE_TRACE_START | SLOT_EXTRA;
    ring.rate[1].ticks = ring.now.raw;
    ring.rate[1].value = ring.hz;
    ring.rate[1].kind = WIRE_TRACE_START | SLOT_EXTRA | SLOT_VALUE;
    ring.rate_waits = STAVE_TARGET_CLOCK_BITS == 32 && !has_place() ? 2 : 1;
}

/* There is a place for the first of what was held back. */
static void push_held(void)
{
    if (ring.rate_waits != 0)
        push(&ring.rate[2 - ring.rate_waits--]);
    else
        push_wanted();
}

/* With the ring empty, where the last event was dropped: a header, because a host sees a hole only by
 * what comes behind it. Returns how many wait now. */
static __attribute__((noinline)) uint32_t push_behind_hole(void)
{
    struct stave__slot header;
    if (ring.hole != ring.head || ring.dropped_ring_full == 0)
        return 0;
    look();
    header.ticks = ring.now.raw;
    header.value = (uint32_t)(ring.now.ticks >> 32);
    header.kind = WIRE_TRACE_START | SLOT_EXTRA;
    header.name = 0;
    push(&header);
    return 1;
}

static void tell_now(struct stave__moment *now)
{
    now->raw = ring.now.raw;
    now->ticks = ring.now.ticks;
}

/* The first frame after a start or a drop. */
static void begin_again(void)
{
    ring.full = ring.head + RING;
    ring.rate_waits = 0;
    ring.wanted.ticks = ring.now.raw;
    ring.wanted.value = ring.hz;
    ring.wanted.kind = WIRE_TRACE_START | SLOT_VALUE;
    push(&ring.wanted);
    ring.wanted.kind = 0;
}

/* So that each is announced again when it is next recorded. */
static void forget_names(void)
{
    while (ring.names_count != 0)
        *ring.names[--ring.names_count]->number = 0;
    ring.own_named = false;
}

/* ---- What the poll does -------------------------------------------------------------------------- */

STAVE__LOCAL void stave__ring_start(uint32_t hz, uint32_t sent, struct stave__moment *now)
{
    stave_port_start();
    uint32_t before = stave_port_lock();
    ring.now.raw = stave_port_clock();
    ring.now.ticks = 0;
    ring.hz = hz;
    ring.head = 0;
    ring.more = 0;
    ring.dropped_ring_full = 0;
    ring.dropped_transport_full = 0;
    ring.unnamed = 0;
    ring.peak = 0;
    ring.sent = sent;
    ring.clock_still = false;
    forget_names();
    begin_again();
    tell_now(now);
    stave_port_unlock(before);
}

STAVE__LOCAL void stave__ring_look(struct stave__moment *now)
{
    uint32_t before = stave_port_lock();
    look();
    tell_now(now);
    stave_port_unlock(before);
}

STAVE__LOCAL uint32_t stave__ring_take(struct stave__slot *slot, uint32_t sent)
{
    uint32_t before = stave_port_lock();
    uint32_t count = waiting();

    ring.sent = sent;
    if (count == 0)
        count = push_behind_hole();
    if (count != 0) {
        if (ring.peak < count)
            ring.peak = count; /* most wait just before a place gets free */
        stave__slot_copy(slot, &ring.slots[ring.full++ % RING]);
        if ((ring.rate_waits | ring.wanted.kind) != 0)
            push_held();
    }
    stave_port_unlock(before);
    return count;
}

STAVE__LOCAL void stave__ring_request(uint8_t kind, uint8_t name)
{
    uint32_t before = stave_port_lock();
    ring.wanted.kind = kind;
    ring.wanted.name = name;
    if (has_place() || (kind == WIRE_TRACE_START && ring.rate_waits == 0 && newest_is_header()))
        push_wanted();
    stave_port_unlock(before);
}

STAVE__LOCAL bool stave__ring_drop_full(uint32_t sent, struct stave__moment *now)
{
    uint32_t before = stave_port_lock();
    bool full = !has_place();
    if (full) {
        uint32_t dropped = ring.dropped_ring_full + ring.dropped_transport_full;
        ring.dropped_transport_full += numbers() - sent - dropped;
        ring.peak = RING;
        look();
        begin_again();
        tell_now(now);
    }
    stave_port_unlock(before);
    return full;
}

STAVE__LOCAL void stave__ring_tell_sent(uint32_t sent)
{
    uint32_t before = stave_port_lock();
    ring.sent = sent;
    stave_port_unlock(before);
}

STAVE__LOCAL uint32_t stave__ring_names(void)
{
    uint32_t before = stave_port_lock();
    uint32_t count = ring.names_count;
    stave_port_unlock(before);
    return count;
}

STAVE__LOCAL const struct stave_target_name *stave__ring_name(uint32_t number)
{
    return ring.names[number - 1];
}

/* ---- What any context does ----------------------------------------------------------------------- */

static INLINE void fill_place(uint8_t name, uint32_t value, uint32_t kind, stave__ticks ticks)
{
    struct stave__slot *slot = &ring.slots[ring.head % RING];
    slot->ticks = ticks;
    slot->value = value;
    slot->number = (uint16_t)numbers();
    slot->kind = (uint8_t)kind;
    slot->name = name;
    ring.head++;
}

/* A name's number, its first, or 0 when the registry is full. Full is full for good. */
static uint8_t meet(const struct stave_target_name *name)
{
    bool own = name == &clock_still;

    if (!own && ring.names_count == NAMES + (uint32_t)ring.own_named) {
        ring.unnamed++;
        return 0;
    }
    ring.own_named |= own;
    ring.names[ring.names_count++] = name;
    *name->number = (uint8_t)ring.names_count;
    return *name->number;
}

/* No place, two frames, or a name without a number. It gets one when its event has a place, so that
 * the dictionary has no name that was never announced. False when there was no place. */
static __attribute__((noinline)) bool place_rarely(const struct stave_target_name *name,
                                                   uint32_t value, uint32_t kind,
                                                   stave__ticks ticks)
{
    uint32_t frames = (kind & SLOT_PAIR) != 0 ? 2 : 1;
    uint8_t number = *name->number;

    if (!has_place()) {
        ring.dropped_ring_full += frames;
        ring.hole = ring.head;
        ring.more += frames;
        return false;
    }
    if (number == 0) {
        number = meet(name);
        if (number != 0) {
            kind |= SLOT_NEW;
            frames++;
        }
    }
    fill_place(number, value, kind, ticks);
    ring.more += frames - 1;
    return true;
}

STAVE__LOCAL bool stave__ring_mark_still(void)
{
    uint32_t before = stave_port_lock();
    bool placed = place_rarely(&clock_still, 0, WIRE_MARKER, stave_port_clock());
    ring.clock_still |= placed;
    stave_port_unlock(before);
    return placed;
}

/* An event of one frame. One function for all kinds: small, and every event takes as long. */
static __attribute__((noinline)) void record(const struct stave_target_name *name, uint32_t value,
                                             uint32_t kind)
{
    uint32_t before = stave_port_lock();
    stave__ticks ticks = stave_port_clock();
    uint8_t number = *name->number;

    if (number != 0 && has_place())
        fill_place(number, value, kind, ticks);
    else
        place_rarely(name, value, kind, ticks);
    stave_port_unlock(before);
}

void stave_target_begin(const struct stave_target_name *name)
{
    record(name, 0, WIRE_SPAN_START);
}

void stave_target_begin_value(const struct stave_target_name *name, uint32_t value)
{
    uint32_t before = stave_port_lock();
    place_rarely(name, value, WIRE_SPAN_START | SLOT_PAIR, stave_port_clock());
    stave_port_unlock(before);
}

void stave_target_end(const struct stave_target_name *name)
{
    record(name, 0, WIRE_SPAN_END);
}

void stave_target_mark(const struct stave_target_name *name)
{
    record(name, 0, WIRE_MARKER);
}

void stave_target_mark_value(const struct stave_target_name *name, uint32_t value)
{
    record(name, value, WIRE_MARKER | SLOT_VALUE);
}

void stave_target_rate(uint32_t hz)
{
    uint32_t before = stave_port_lock();
    ring.hz = hz;
    hold_rate();
    if (has_place())
        push_held();
    stave_port_unlock(before);
}

void stave_target_get_counts(struct stave_target_counts *counts)
{
    uint32_t before = stave_port_lock();
    uint32_t dropped = ring.dropped_ring_full + ring.dropped_transport_full;

    if (numbers() != ring.dropped_ring_full && ring.peak < waiting()) /* not before the start */
        ring.peak = waiting();
    counts->sent = ring.sent;
    counts->dropped_ring_full = ring.dropped_ring_full;
    counts->dropped_transport_full = ring.dropped_transport_full;
    counts->waiting = numbers() - ring.sent - dropped;
    counts->unnamed = ring.unnamed;
    counts->ring_peak = ring.peak;
    counts->clock_still = ring.clock_still;
    stave_port_unlock(before);
}

#endif
