/* wire/event.h - the fast path of a version 2 stream: an event frame as devices write it.
 *
 *     if (end - at >= WIRE_EVENT_ROOM && (size = wire_event_decode(at, &event)) != 0) ...
 *     else                                    // anything else goes through stave__wire_frame_decode()
 *
 * Nine frames in ten are events whose fields stand in the order of their numbers, each as short as
 * it can be. Such a frame decodes to the same fields here and there; 0 means "not such a frame" and
 * says nothing about whether it is sound. Cost: about 20 instructions and no unforeseeable branch
 * but the frame's length.  */
#ifndef STAVE_WIRE_EVENT_H
#define STAVE_WIRE_EVENT_H

#include "wire/device.h"
#include "wire/varint.h"

#define WIRE_EVENT_ROOM 40 /* bytes that may be read from the start of the frame */

/* Eight bytes, the first the lowest. */
static inline uint64_t wire_load64(const uint8_t *at)
{
    uint64_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

/* The seven low bits of each of eight bytes, put together. */
static inline uint64_t wire_gather7(uint64_t word)
{
    word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
    word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
    return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
}

/* The same of four bytes whose high bits are 0, in fewer steps: what stands too high by a factor of 2,
 * then of 4, is moved down by subtracting what it is too much. */
static inline uint32_t wire_gather7_of_4(uint32_t word)
{
    word -= (word & 0x7f007f00) >> 1;
    return word - (word >> 16) * (0x10000 - 0x4000);
}

/* A varint of up to 8 bytes without a loop: its size, or 0 when it is longer. Reads 8 bytes. */
static inline size_t wire_varint_read8(const uint8_t *at, uint64_t *value)
{
    uint64_t word = wire_load64(at);
    uint64_t stop = ~word & 0x8080808080808080;
    if ((uint32_t)stop != 0)
        *value = wire_gather7_of_4((uint32_t)(word & (stop ^ (stop - 1)) & 0x7f7f7f7f));
    else if (stop != 0)
        *value = wire_gather7(word & (stop ^ (stop - 1)));
    else
        return 0;
    return (size_t)(__builtin_ctzll(stop) + 1) / 8;
}

static inline uint32_t wire_load32(const uint8_t *at)
{
    uint32_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap32(word);
}

static inline size_t wire_event_decode(const uint8_t *frame, struct wire_event *event)
{
    enum { TICKS = 0x08, NAME_ID = 0x10, KIND = 0x18, SEQUENCE = 0x20, VALUE = 0x28 };
    size_t payload = frame[0];
    const uint8_t *at = frame + 1;
    const uint8_t *end = at + payload;
    uint64_t value = 0;

    if (payload > 24)
        return 0;
    if (*at == TICKS) {
        size_t size = wire_varint_read8(at + 1, &value);
        if (size == 0)
            return 0;
        at += 1 + size;
    }
    event->ticks = wire_unzigzag(value);

    uint32_t word = wire_load32(at); /* tag, id below 128, tag, kind */
    event->name_id = word >> 8 & 0x7f;
    event->kind = word >> 24;
    if ((word & 0x00ff80ff) != (NAME_ID | KIND << 16) || event->kind - 1 >= WIRE_MARKER)
        return 0;
    at += 4;

    word = at < end ? wire_load32(at) : 0;
    event->sequence = 0;
    if ((word & 0x8080ff) == (0x8000 | SEQUENCE)) { /* two bytes, as nearly all are */
        event->sequence = (word >> 8 & 0x7f) | (word >> 9 & 0x3f80);
        at += 3;
    } else if ((word & 0x80ff) == SEQUENCE) {
        event->sequence = word >> 8 & 0x7f;
        at += 2;
    }

    event->value = 0;
    event->has_value = false;
    if (at < end) {
        size_t size = at[0] == VALUE ? wire_varint_read8(at + 1, &value) : 0;
        if (size == 0)
            return 0;
        event->value = (uint32_t)value;
        event->has_value = true;
        at += 1 + size;
    }
    return at == end ? payload + 1 : 0;
}

#endif
