/* target/ring.h - what waits to be sent, and all that more than one context touches.
 *
 * Invariants
 *   1. The ring, the numbers and the registry of names change under the port's lock only, and ring.c
 *      alone takes it. So the order of places is the order of times and of numbers.
 *   2. A place holds one event: one frame, two for begin_value, one more where it announces its name.
 *      It takes the numbers of all its frames at once; `number` is that of the first.
 *   3. An event that finds no place burns its numbers: every number is sent, dropped or waiting.
 *   4. With a 32-bit clock, two neighbours in the ring are less than 2^32 ticks apart, or the later is
 *      a header, which knows the high half of its time. The poll sees to that, by a header in time;
 *      when the ring is full, nothing else gets the place that the poll empties for it.  */
#ifndef STAVE_TARGET_RING_H
#define STAVE_TARGET_RING_H

#include "stave/target.h"
#include "target/port.h"
#include "wire/frame.h"

/* What a place holds: a kind of the wire, and two bits. */
enum {
    SLOT_KIND = 0x0f,  /* enum wire_kind */
    SLOT_VALUE = 0x10, /* of an event: `value` counts; of a header: it is the clock's new rate */
    SLOT_NEW = 0x20    /* of an event: its name comes first */
};

struct stave__slot {
    stave__ticks ticks; /* the clock as it was read */
    uint32_t value;     /* of an event; of a header, the high half of its time */
    uint16_t number;    /* modulo 2^16, of which the wire takes 14 bits */
    uint8_t kind;       /* 0: none */
    uint8_t name;       /* a name's number, 0 for none */
};

/* A time as the clock shows it, and as the stream does: since the start, in 64 bits. */
struct stave__moment {
    stave__ticks raw;
    uint64_t ticks;
};

/* Empty, numbers from 0, a header with this rate in it; now is time 0. */
void stave__ring_start(uint32_t hz, struct stave__moment *now);

/* Now, since the start. To be called at least once in half a wrap of a 32-bit clock. */
void stave__ring_look(struct stave__moment *now);

/* The oldest event leaves the ring; false when there is none. */
bool stave__ring_take(struct stave__slot *slot);

/* A frame of the dictionary, WIRE_TRACE_START or WIRE_NAME_REGISTERED, gets the next place; when the
 * ring is full, the one that the next take empties. A header that would stand just behind another
 * takes its place. */
void stave__ring_request(uint8_t kind, uint8_t name);

/* If the ring is full, all of it is dropped, and what was taken out of it and is not among the `sent`;
 * then as after a start, but for the numbers. False, and nothing, if there is a place. */
bool stave__ring_drop_full(uint32_t sent, struct stave__moment *now);

/* An event of one frame or two. Returns the places that were free: 0 when it was dropped. */
uint32_t stave__ring_record(const struct stave_target_name *name, uint32_t value, uint32_t kind,
                            uint32_t frames);

/* The names that have a number, 1 to the count, also the recorder's own. */
uint32_t stave__ring_names(void);
const struct stave_target_name *stave__ring_name(uint32_t number);

/* All counts but those of the poll's side: sent, waiting and clock_still. `numbers` are all that were
 * ever taken. */
void stave__ring_counts(struct stave_target_counts *counts, uint32_t *numbers);

/* The recorder's own name, which has a place in the registry whatever else is in it. */
extern const struct stave_target_name stave__clock_still;

#endif
