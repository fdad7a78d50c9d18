/* target/ring.h - what waits to be sent, and all that more than one context touches.
 *
 * Invariants
 *   1. The ring, the numbers and the registry of names change under the port's lock only, and ring.c
 *      alone takes it. So the order of places is the order of times and of numbers.
 *   2. A place holds one event: one frame, two for begin_value, one more where it announces its name.
 *      It takes the numbers of all its frames at once; `number` is that of the first.
 *   3. An event that finds no place burns its numbers: every number is sent, dropped or waiting. Numbers
 *      and places filled are counted as one, `head`, and what the numbers are ahead by, `more`.
 *   4. With a 32-bit clock, an event stands less than 2^32 ticks behind the header before it, or is
 *      itself a header, which knows the high half of its time. The poll sees to that, by a header in
 *      time; when the ring is full, nothing else gets the place that the poll empties for it.  */
#ifndef STAVE_TARGET_RING_H
#define STAVE_TARGET_RING_H

#include "stave/target.h"
#include "target/port.h"
#include "wire/frame.h"

/* What a place holds: a kind of the wire, and what else is to be known. */
enum {
    SLOT_KIND = 0x0f,       /* enum wire_kind */
    SLOT_DICTIONARY = 0x04, /* in both kinds of the dictionary, and in no other */
    SLOT_VALUE = 0x10,      /* of a mark: `value` counts; of a header: it is the clock's new rate */
    SLOT_NEW = 0x20,        /* of an event: its name comes first */
    SLOT_PAIR = 0x40,       /* of a start: a mark with the value follows */
    SLOT_EXTRA = 0x80       /* of a header: of a change of rate or a hole, not of a round */
};

struct stave__slot {
    stave__ticks ticks; /* the clock as it was read */
    uint32_t value;     /* of an event; of the dictionary's frames, the high half of their time */
    union {
        struct {
            uint16_t number; /* modulo 2^16, of which the wire takes 14 bits */
            uint8_t kind;    /* 0: none */
            uint8_t name;    /* a name's number, 0 for none */
        };
        uint32_t all; /* three */
    };
};

/* A compiler may make a call of memcpy of an assignment. */
static inline void stave__slot_copy(struct stave__slot *to, const struct stave__slot *from)
{
    to->ticks = from->ticks;
    to->value = from->value;
    to->all = from->all;
}

/* A time as the clock shows it, and as the stream does: since the start, in 64 bits. */
struct stave__moment {
    stave__ticks raw;
    uint64_t ticks;
};

/* In stave_target.c, where all is one file, these are static: smaller, and faster. */
#ifndef STAVE__LOCAL
#define STAVE__LOCAL
#endif

/* Empty, numbers from 0, no name has one, a header with this rate in it; now is time 0. `sent` is as for a take. */
STAVE__LOCAL void stave__ring_start(uint32_t hz, uint32_t sent, struct stave__moment *now);

/* Now, since the start. To be called at least once in half a wrap of a 32-bit clock. */
STAVE__LOCAL void stave__ring_look(struct stave__moment *now);

/* The oldest event leaves the ring; when all have, and the last was dropped, a header, because a host
 * sees a hole only by what comes behind it. `sent` frames are all that the transport has. Returns how many
 * waited, itself included. */
STAVE__LOCAL uint32_t stave__ring_take(struct stave__slot *slot, uint32_t sent);
STAVE__LOCAL void stave__ring_tell_sent(uint32_t sent);

/* A frame of the dictionary, WIRE_TRACE_START or WIRE_NAME_REGISTERED, gets the next place; when the
 * ring is full, the one that the next take empties. A header that would stand just behind another
 * takes its place. */
STAVE__LOCAL void stave__ring_request(uint8_t kind, uint8_t name);

/* If the ring is full, all of it is dropped, and what was taken out of it and is not among the `sent`;
 * then as after a start, but for the numbers. False, and nothing, if there is a place. */
STAVE__LOCAL bool stave__ring_drop_full(uint32_t sent, struct stave__moment *now);

/* Marks that the clock stands still; false when the mark was dropped. */
STAVE__LOCAL bool stave__ring_mark_still(void);

/* The names that have a number, 1 to the count, also the recorder's own. */
STAVE__LOCAL uint32_t stave__ring_names(void);
STAVE__LOCAL const struct stave_target_name *stave__ring_name(uint32_t number);

#endif
