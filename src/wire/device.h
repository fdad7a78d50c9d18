/* wire/device.h - the three frames of version 2 that a device sends, each from its own fields to bytes.
 *
 *     struct wire_event event = {.ticks = delta, .name_id = 3, .kind = WIRE_SPAN_START, .sequence = n};
 *     size_t size = stave__wire_put_event(&event, out);
 *
 * The bytes are those of stave__wire_frame_encode(), in half the instructions and half the code.
 * Freestanding, no state, no calls of the C library.  */
#ifndef STAVE_WIRE_DEVICE_H
#define STAVE_WIRE_DEVICE_H

#include "wire/fields.h"

/* An event's fields, version 2: what nine frames in ten are. */
struct wire_event {
    int64_t ticks; /* delta */
    uint32_t name_id;
    uint32_t kind; /* WIRE_SPAN_START, WIRE_SPAN_END or WIRE_MARKER */
    uint32_t sequence;
    uint32_t value; /* when has_value */
    bool has_value;
};

struct wire_header { /* TRACE_START */
    uint64_t ticks;  /* absolute; below 2^63 */
    uint32_t sequence;
    uint32_t timebase; /* enum wire_timebase */
    uint32_t hz;
    uint32_t source_mask;
};

struct wire_name {  /* NAME_REGISTERED */
    uint64_t ticks; /* absolute; below 2^63 */
    uint32_t name_id;
    uint32_t sequence;
    const char *text; /* of which WIRE_NAME_MAX bytes are sent at most */
    uint32_t size;
    uint32_t source; /* enum wire_source or 0 */
    uint32_t priority;
    float deadline_ms; /* when has_deadline */
    bool has_deadline;
};

/* The longest of each: the prefix, then the fields in their order. */
#define WIRE_EVENT_MAX (1 + 11 + 6 + 2 + 3 + 6)
#define WIRE_HEADER_MAX (1 + 11 + 2 + 3 + 2 + 6 + 6)
#define WIRE_DEVICE_NAME_MAX                                                                       \
    (1 + 11 + 3 + 2 + 3 + 34 + 2 + 3 + 5) /* name_id, priority below 2^14 */

/* Prefix and payload into `out`; returns the bytes written. `sequence` is below WIRE_NUMBERS. */
size_t stave__wire_put_header(const struct wire_header *header, uint8_t *out);
size_t stave__wire_put_name(const struct wire_name *name, uint8_t *out);

/* ---- Events go out by the thousand: inline, so that their fields stay in registers ------------- */

#define WIRE_INLINE static inline __attribute__((always_inline)) /* also with -Os */

/* With -Os, gcc makes six instructions a byte of this, of a plain `while` nine. */
WIRE_INLINE uint8_t *wire_put_word(uint8_t *out, uint32_t number, uint32_t value)
{
    *out++ = (uint8_t)(number << 3 | WIRE_VARINT);
    if (value >= 0x80) {
        do {
            *out++ = (uint8_t)(value | 0x80);
            value >>= 7;
        } while (value >= 0x80);
    }
    *out++ = (uint8_t)value;
    return out;
}

/* Name, kind and number, where they take one byte, one and two. */
WIRE_INLINE uint8_t *wire_put_usual(uint8_t *out, const struct wire_event *event)
{
    out[0] = 2 << 3 | WIRE_VARINT;
    out[1] = (uint8_t)event->name_id;
    out[2] = 3 << 3 | WIRE_VARINT;
    out[3] = (uint8_t)event->kind;
    out[4] = 4 << 3 | WIRE_VARINT;
    out[5] = (uint8_t)(event->sequence | 0x80);
    out[6] = (uint8_t)(event->sequence >> 7);
    return out + 7;
}

/* As the two above. */
WIRE_INLINE size_t stave__wire_put_event(const struct wire_event *event, uint8_t *out)
{
    uint32_t low = (uint32_t)event->ticks;
    uint8_t *at = out + 1;

    if (low == (uint64_t)event->ticks && low - 1 < INT32_MAX)
        at = wire_put_word(at, 1, low << 1);
    else
        at = wire_put_nonzero(at, 1, wire_zigzag(event->ticks));
    if (event->name_id - 1 < 0x7f && event->sequence >= 0x80) {
        at = wire_put_usual(at, event);
    } else {
        at = wire_put_nonzero(at, 2, event->name_id);
        at = wire_put_nonzero(at, 3, event->kind);
        at = wire_put_nonzero(at, 4, event->sequence);
    }
    if (event->has_value)
        at = wire_put_word(at, 5, event->value);
    return wire_put_prefix(out, at);
}

#endif
