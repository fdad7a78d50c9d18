/* Recording: time, number and place under one lock. */
#include "target/ring.h"

#ifndef STAVE_TARGET_OFF

#define RING STAVE_TARGET_RING
#define NAMES STAVE_TARGET_NAMES
#define INLINE inline __attribute__((always_inline)) /* on the fast path, also with -Os */
#define UNNAMED 255u /* in a descriptor: there will be no number for it */

_Static_assert(RING >= 4 && RING <= 32768 && (RING & (RING - 1)) == 0,
               "STAVE_TARGET_RING is a power of 2, from 4 to 32768");
_Static_assert(NAMES >= 1 && NAMES <= 253, "STAVE_TARGET_NAMES is 1 to 253");

static struct {
    uint32_t free;    /* places; none before the start, so that events are dropped */
    uint32_t head;    /* the next place to fill */
    uint32_t numbers; /* taken so far */
    uint32_t dropped_ring_full;

    uint32_t tail; /* the oldest event */
    uint32_t peak;
    uint32_t dropped_transport_full;
    uint32_t unnamed;

    uint32_t names_count;
    bool own_named; /* stave__clock_still is among them */
    const struct stave_target_name *names[NAMES + 1];

    struct stave__moment now; /* when the clock was last looked at */
    uint32_t hz;
    struct stave__slot rate;   /* a change of rate that found no place, or kind 0 */
    struct stave__slot wanted; /* what was requested and found none, or kind 0 */

    struct stave__slot slots[RING];
} ring;

static uint8_t own_number;
static const char own_text[] = "stave: clock stands still";
const struct stave_target_name stave__clock_still = {
    .text = own_text, .number = &own_number, .size = sizeof own_text - 1};

/* ---- Under the lock ---------------------------------------------------------------------------- */

static INLINE struct stave__slot *next_slot(void)
{
    struct stave__slot *slot = &ring.slots[ring.head];
    ring.head = (ring.head + 1) % RING;
    ring.free--;
    return slot;
}

/* A compiler may make a call of memcpy of an assignment. */
static void copy(struct stave__slot *to, const struct stave__slot *from)
{
    to->ticks = from->ticks;
    to->value = from->value;
    to->number = from->number;
    to->kind = from->kind;
    to->name = from->name;
}

static void look(void)
{
    stave__ticks raw = stave_port_clock();
    ring.now.ticks += (uint64_t)(stave__ticks_step)(raw - ring.now.raw);
    ring.now.raw = raw;
}

static void push(struct stave__slot *slot)
{
    slot->number = (uint16_t)ring.numbers++;
    copy(next_slot(), slot);
}

static bool newest_is_header(void)
{
    return ring.free < RING && ring.slots[(ring.head + RING - 1) % RING].kind == WIRE_TRACE_START;
}

/* There is a place, or a header to be told another time. */
static void push_wanted(void)
{
    look();
    ring.wanted.ticks = ring.now.raw;
    ring.wanted.value = (uint32_t)(ring.now.ticks >> 32);
    if (ring.wanted.kind == WIRE_TRACE_START && newest_is_header()) {
        struct stave__slot *header = &ring.slots[(ring.head + RING - 1) % RING];
        header->ticks = ring.wanted.ticks;
        header->value = ring.wanted.value;
    } else {
        push(&ring.wanted);
    }
    ring.wanted.kind = 0;
}

static void tell_now(struct stave__moment *now)
{
    now->raw = ring.now.raw;
    now->ticks = ring.now.ticks;
}

/* The first frame after a start or a drop. */
static void begin_again(void)
{
    struct stave__slot header; /* one by one: no call of memset */
    header.ticks = ring.now.raw;
    header.value = ring.hz;
    header.kind = WIRE_TRACE_START | SLOT_VALUE;
    header.name = 0;
    ring.head = 0;
    ring.tail = 0;
    ring.free = RING;
    ring.rate.kind = 0;
    ring.wanted.kind = 0;
    push(&header);
}

/* ---- What the poll does -------------------------------------------------------------------------- */

void stave__ring_start(uint32_t hz, struct stave__moment *now)
{
    stave_port_start();
    uint32_t before = stave_port_lock();
    ring.now.raw = stave_port_clock();
    ring.now.ticks = 0;
    ring.hz = hz;
    ring.numbers = 0;
    ring.dropped_ring_full = 0;
    ring.dropped_transport_full = 0;
    ring.unnamed = 0;
    ring.peak = 0;
    begin_again();
    tell_now(now);
    stave_port_unlock(before);
}

void stave__ring_look(struct stave__moment *now)
{
    uint32_t before = stave_port_lock();
    look();
    tell_now(now);
    stave_port_unlock(before);
}

bool stave__ring_take(struct stave__slot *slot)
{
    uint32_t before = stave_port_lock();
    uint32_t waiting = RING - ring.free;

    if (waiting != 0) {
        if (ring.peak < waiting)
            ring.peak = waiting; /* most wait just before a place gets free */
        copy(slot, &ring.slots[ring.tail]);
        ring.tail = (ring.tail + 1) % RING;
        ring.free++;
        if (ring.rate.kind != 0) {
            push(&ring.rate);
            ring.rate.kind = 0;
        } else if (ring.wanted.kind != 0) {
            push_wanted();
        }
    }
    stave_port_unlock(before);
    return waiting != 0;
}

void stave__ring_request(uint8_t kind, uint8_t name)
{
    uint32_t before = stave_port_lock();
    ring.wanted.kind = kind;
    ring.wanted.name = name;
    if (ring.free != 0 || (kind == WIRE_TRACE_START && newest_is_header()))
        push_wanted();
    stave_port_unlock(before);
}

bool stave__ring_drop_full(uint32_t sent, struct stave__moment *now)
{
    uint32_t before = stave_port_lock();
    bool full = ring.free == 0;
    if (full) {
        uint32_t dropped = ring.dropped_ring_full + ring.dropped_transport_full;
        ring.dropped_transport_full += ring.numbers - sent - dropped;
        ring.peak = RING;
        look();
        begin_again();
        tell_now(now);
    }
    stave_port_unlock(before);
    return full;
}

uint32_t stave__ring_names(void)
{
    uint32_t before = stave_port_lock();
    uint32_t count = ring.names_count;
    stave_port_unlock(before);
    return count;
}

const struct stave_target_name *stave__ring_name(uint32_t number)
{
    return ring.names[number - 1];
}

void stave__ring_counts(struct stave_target_counts *counts, uint32_t *numbers)
{
    uint32_t before = stave_port_lock();
    *numbers = ring.numbers;
    counts->dropped_ring_full = ring.dropped_ring_full;
    counts->dropped_transport_full = ring.dropped_transport_full;
    counts->unnamed = ring.unnamed;
    counts->ring_peak = ring.peak;
    stave_port_unlock(before);
}

/* ---- What any context does ----------------------------------------------------------------------- */

/* Time, number and place. */
static INLINE uint32_t place(uint32_t name, uint32_t value, uint32_t kind, uint32_t frames)
{
    stave__ticks ticks = stave_port_clock();
    uint32_t free = ring.free;

    if (free != 0) {
        struct stave__slot *slot = next_slot();
        slot->ticks = ticks;
        slot->value = value;
        slot->number = (uint16_t)ring.numbers;
        slot->kind = (uint8_t)kind;
        slot->name = (uint8_t)name;
    } else {
        ring.dropped_ring_full += frames;
    }
    ring.numbers += frames;
    return free;
}

/* A name's number, its first, or 0 when the registry is full. Full is full for good. */
static uint32_t meet(const struct stave_target_name *name)
{
    bool own = name == &stave__clock_still;

    if (*name->number == UNNAMED ||
        (!own && ring.names_count == NAMES + (uint32_t)ring.own_named)) {
        __atomic_store_n(name->number, UNNAMED, __ATOMIC_RELAXED);
        ring.unnamed++;
        return 0;
    }
    ring.own_named |= own;
    ring.names[ring.names_count++] = name;
    __atomic_store_n(name->number, (uint8_t)ring.names_count, __ATOMIC_RELAXED);
    return ring.names_count;
}

/* A name that had no number just now. It gets one when its event has a place, so that the dictionary
 * has no name that was never announced. */
static __attribute__((noinline)) uint32_t
record_rarely(const struct stave_target_name *name, uint32_t value, uint32_t kind, uint32_t frames)
{
    uint32_t before = stave_port_lock();
    uint32_t number = *name->number;
    if (ring.free != 0 && number - 1 >= UNNAMED - 1) {
        number = meet(name);
        if (number != 0) {
            kind |= SLOT_NEW;
            frames++;
        }
    }
    uint32_t free = place(number, value, kind, frames);
    stave_port_unlock(before);
    return free;
}

/* One function for all kinds: small, and every event takes as long. The number is read before the
 * lock: once it is there it stays. */
uint32_t stave__ring_record(const struct stave_target_name *name, uint32_t value, uint32_t kind,
                            uint32_t frames)
{
    uint32_t number = __atomic_load_n(name->number, __ATOMIC_RELAXED);
    if (number - 1 >= UNNAMED - 1) /* 0 or UNNAMED */
        return record_rarely(name, value, kind, frames);

    uint32_t before = stave_port_lock();
    uint32_t free = place(number, value, kind, frames);
    stave_port_unlock(before);
    return free;
}

void stave_target_begin(const struct stave_target_name *name)
{
    stave__ring_record(name, 0, WIRE_SPAN_START, 1);
}

void stave_target_begin_value(const struct stave_target_name *name, uint32_t value)
{
    stave__ring_record(name, value, WIRE_SPAN_START | SLOT_VALUE, 2);
}

void stave_target_end(const struct stave_target_name *name)
{
    stave__ring_record(name, 0, WIRE_SPAN_END, 1);
}

void stave_target_mark(const struct stave_target_name *name)
{
    stave__ring_record(name, 0, WIRE_MARKER, 1);
}

void stave_target_mark_value(const struct stave_target_name *name, uint32_t value)
{
    stave__ring_record(name, value, WIRE_MARKER | SLOT_VALUE, 1);
}

void stave_target_rate(uint32_t hz)
{
    uint32_t before = stave_port_lock();
    ring.hz = hz;
    ring.rate.ticks = stave_port_clock();
    ring.rate.value = hz;
    ring.rate.kind = WIRE_TRACE_START | SLOT_VALUE;
    if (ring.free != 0) {
        push(&ring.rate);
        ring.rate.kind = 0;
    }
    stave_port_unlock(before);
}

#endif
