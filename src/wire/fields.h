/* wire/fields.h - one field of a frame to bytes, and the prefix. Freestanding. */
#ifndef STAVE_WIRE_FIELDS_H
#define STAVE_WIRE_FIELDS_H

#include "wire/frame.h"
#include "wire/varint.h"

static inline uint8_t *wire_put_varint(uint8_t *out, uint32_t number, uint64_t value)
{
    *out++ = (uint8_t)(number << 3 | WIRE_VARINT);
    return out + wire_varint_write(out, value);
}

/* Fields at their default are left out. */
static inline uint8_t *wire_put_nonzero(uint8_t *out, uint32_t number, uint64_t value)
{
    return value != 0 ? wire_put_varint(out, number, value) : out;
}

static inline uint8_t *wire_put_float(uint8_t *out, uint32_t number, float value)
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
static inline uint32_t wire_name_cut(const char *name, uint32_t size)
{
    if (size <= WIRE_NAME_MAX)
        return size;
    size = WIRE_NAME_MAX;
    while (size > 0 && ((uint8_t)name[size] & 0xc0) == 0x80)
        size--;
    return size;
}

/* Nothing when there is no name. */
static inline uint8_t *wire_put_name(uint8_t *out, uint32_t number, const char *name, uint32_t size)
{
    size = name != NULL ? wire_name_cut(name, size) : 0;
    if (size == 0)
        return out;
    *out++ = (uint8_t)(number << 3 | WIRE_BYTES);
    *out++ = (uint8_t)size;
    for (uint32_t i = 0; i < size; i++)
        *out++ = (uint8_t)name[i];
    return out;
}

/* The prefix of a payload that starts at out + 1 and is under 128 bytes: its length is one byte. */
static inline size_t wire_put_prefix(uint8_t *out, const uint8_t *end)
{
    out[0] = (uint8_t)(end - out - 1);
    return (size_t)(end - out);
}

#endif
