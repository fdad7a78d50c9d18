/* The fields of any frame of either version to bytes. Firmware has encoders of its own: device.h. */
#include "wire/fields.h"

static uint8_t *put_v2(uint8_t *out, const struct wire_frame *frame)
{
    out = wire_put_nonzero(out, 1, wire_zigzag(frame->ticks));
    out = wire_put_nonzero(out, 2, frame->name_id);
    out = wire_put_nonzero(out, 3, frame->kind);
    out = wire_put_nonzero(out, 4, frame->sequence);
    if (frame->has_value)
        out = wire_put_varint(out, 5, frame->value);
    out = wire_put_name(out, 6, frame->name, frame->name_size);
    out = wire_put_nonzero(out, 7, frame->source);
    out = wire_put_nonzero(out, 8, frame->priority);
    if (frame->has_deadline)
        out = wire_put_float(out, 9, frame->deadline_ms);
    out = wire_put_nonzero(out, 10, frame->timebase);
    out = wire_put_nonzero(out, 11, frame->hz);
    return wire_put_nonzero(out, 12, frame->source_mask);
}

static uint8_t *put_v1(uint8_t *out, const struct wire_frame *frame)
{
    out = wire_put_nonzero(out, 1, (uint64_t)frame->ticks);
    out = wire_put_name(out, 2, frame->name, frame->name_size);
    out = wire_put_nonzero(out, 3, frame->source);
    out = wire_put_nonzero(out, 4, frame->kind);
    out = wire_put_nonzero(out, 5, frame->sequence);
    out = wire_put_nonzero(out, 6, frame->priority);
    if (frame->has_deadline)
        out = wire_put_float(out, 7, frame->deadline_ms);
    if (frame->has_value)
        out = wire_put_varint(out, 8, frame->value);
    return out;
}

size_t stave__wire_frame_encode(enum wire_version version, const struct wire_frame *frame,
                                uint8_t *out)
{
    uint8_t *payload = out + 1;
    uint8_t *end = version == WIRE_VERSION_1 ? put_v1(payload, frame) : put_v2(payload, frame);
    return wire_put_prefix(out, end);
}
