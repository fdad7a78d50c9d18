/* Device frames to bytes. No loop over a table: this code is to be small, and its time counts. */
#include "wire/device.h"
#include "wire/fields.h"

/* Events go out by the thousand. */
size_t stave__wire_put_event(const struct wire_event *event, uint8_t *out)
{
    uint8_t *at = out + 1;

    if (event->ticks != 0) {
        *at++ = 1 << 3 | WIRE_VARINT;
        at += wire_varint_write(at, wire_zigzag(event->ticks));
    }
    if (event->name_id != 0) {
        *at++ = 2 << 3 | WIRE_VARINT;
        at += wire_varint_write32(at, event->name_id);
    }
    *at++ = 3 << 3 | WIRE_VARINT;
    *at++ = (uint8_t)event->kind;
    if (event->sequence != 0) {
        *at++ = 4 << 3 | WIRE_VARINT;
        at += wire_varint_write32(at, event->sequence);
    }
    if (event->has_value) {
        *at++ = 5 << 3 | WIRE_VARINT;
        at += wire_varint_write32(at, event->value);
    }
    return wire_put_prefix(out, at);
}

size_t stave__wire_put_header(const struct wire_header *header, uint8_t *out)
{
    uint8_t *at = wire_put_nonzero(out + 1, 1, wire_zigzag((int64_t)header->ticks));

    at = wire_put_nonzero(at, 3, WIRE_TRACE_START);
    at = wire_put_nonzero(at, 4, header->sequence);
    at = wire_put_nonzero(at, 10, header->timebase);
    at = wire_put_nonzero(at, 11, header->hz);
    at = wire_put_nonzero(at, 12, header->source_mask);
    return wire_put_prefix(out, at);
}

size_t stave__wire_put_name(const struct wire_name *name, uint8_t *out)
{
    uint8_t *at = wire_put_nonzero(out + 1, 1, wire_zigzag((int64_t)name->ticks));

    at = wire_put_nonzero(at, 2, name->name_id);
    at = wire_put_nonzero(at, 3, WIRE_NAME_REGISTERED);
    at = wire_put_nonzero(at, 4, name->sequence);
    at = wire_put_name(at, 6, name->text, name->size);
    at = wire_put_nonzero(at, 7, name->source);
    at = wire_put_nonzero(at, 8, name->priority);
    if (name->has_deadline)
        at = wire_put_float(at, 9, name->deadline_ms);
    return wire_put_prefix(out, at);
}
