/* The frames of the dictionary to bytes. No loop over a table: this code is to be small. */
#include "wire/device.h"
#include "wire/fields.h"

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
