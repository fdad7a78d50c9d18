/* The fields of a frame to bytes. No loop over a table: on a microcontroller this code is small
 * and its time counts. */
#include "wire/frame.h"
#include "wire/varint.h"

static uint8_t *put_varint(uint8_t *out, uint32_t number, uint64_t value)
{
    *out++ = (uint8_t)(number << 3 | WIRE_VARINT);
    return out + wire_varint_write(out, value);
}

static uint8_t *put_nonzero(uint8_t *out, uint32_t number, uint64_t value)
{
    return value != 0 ? put_varint(out, number, value) : out;
}

static uint8_t *put_float(uint8_t *out, uint32_t number, float value)
{
    union {
        float value;
        uint32_t bits;
    } pun = {.value = value};
    *out++ = (uint8_t)(number << 3 | WIRE_FIXED32);
    for (int i = 0; i < 4; i++)
        *out++ = (uint8_t)(pun.bits >> (8 * i));
    return out;
}

/* At most WIRE_NAME_MAX bytes, without half a UTF-8 sequence at the end. */
static uint32_t name_cut(const char *name, uint32_t size)
{
    if (size <= WIRE_NAME_MAX)
        return size;
    size = WIRE_NAME_MAX;
    while (size > 0 && ((uint8_t)name[size] & 0xc0) == 0x80)
        size--;
    return size;
}

static uint8_t *put_name(uint8_t *out, uint32_t number, const struct wire_frame *frame)
{
    uint32_t size = frame->name != NULL ? name_cut(frame->name, frame->name_size) : 0;
    if (size == 0)
        return out;
    *out++ = (uint8_t)(number << 3 | WIRE_BYTES);
    *out++ = (uint8_t)size;
    for (uint32_t i = 0; i < size; i++)
        *out++ = (uint8_t)frame->name[i];
    return out;
}

static uint8_t *put_v2(uint8_t *out, const struct wire_frame *frame)
{
    out = put_nonzero(out, 1, wire_zigzag(frame->ticks));
    out = put_nonzero(out, 2, frame->name_id);
    out = put_nonzero(out, 3, frame->kind);
    out = put_nonzero(out, 4, frame->sequence);
    if (frame->has_value)
        out = put_varint(out, 5, frame->value);
    out = put_name(out, 6, frame);
    out = put_nonzero(out, 7, frame->source);
    out = put_nonzero(out, 8, frame->priority);
    if (frame->has_deadline)
        out = put_float(out, 9, frame->deadline_ms);
    out = put_nonzero(out, 10, frame->timebase);
    out = put_nonzero(out, 11, frame->hz);
    return put_nonzero(out, 12, frame->source_mask);
}

static uint8_t *put_v1(uint8_t *out, const struct wire_frame *frame)
{
    out = put_nonzero(out, 1, (uint64_t)frame->ticks);
    out = put_name(out, 2, frame);
    out = put_nonzero(out, 3, frame->source);
    out = put_nonzero(out, 4, frame->kind);
    out = put_nonzero(out, 5, frame->sequence);
    out = put_nonzero(out, 6, frame->priority);
    if (frame->has_deadline)
        out = put_float(out, 7, frame->deadline_ms);
    if (frame->has_value)
        out = put_varint(out, 8, frame->value);
    return out;
}

size_t stave__wire_frame_encode(enum wire_version version, const struct wire_frame *frame,
                                uint8_t *out)
{
    uint8_t *payload = out + 1; /* a payload is under 128 bytes: its length is one byte */
    uint8_t *end = version == WIRE_VERSION_1 ? put_v1(payload, frame) : put_v2(payload, frame);
    out[0] = (uint8_t)(end - payload);
    return (size_t)(end - out);
}
