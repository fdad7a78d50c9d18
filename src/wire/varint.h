/* wire/varint.h - protobuf wire types, varints and zigzag. Freestanding.
 *
 * Source     https://protobuf.dev/programming-guides/encoding/ (varints, sint64)
 * Untrusted  Reading never goes past `end`.  */
#ifndef STAVE_WIRE_VARINT_H
#define STAVE_WIRE_VARINT_H

#include <stddef.h>
#include <stdint.h>

/* How a field's value is laid out: the low three bits of its tag. */
enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

#define WIRE_VARINT_MAX 10 /* bytes of the longest 64-bit varint */

enum wire_varint_result { WIRE_VARINT_SHORT = 0, WIRE_VARINT_LONG = -1 };

/* Bytes read (1 to 10), or WIRE_VARINT_SHORT when `end` comes first, or WIRE_VARINT_LONG when there
 * are more than ten. Bits beyond the 64th are dropped; overlong forms are accepted. */
static inline int wire_varint_read(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    uint64_t v = 0;
    for (int i = 0; i < WIRE_VARINT_MAX; i++) {
        if (at + i == end)
            return WIRE_VARINT_SHORT;
        v |= (uint64_t)(at[i] & 0x7f) << (7 * i);
        if (at[i] < 0x80) {
            *value = v;
            return i + 1;
        }
    }
    return WIRE_VARINT_LONG;
}

/* Writes 1 to 5 bytes and returns how many. */
static inline size_t wire_varint_write32(uint8_t *out, uint32_t value)
{
    size_t n = 0;
    while (value >= 0x80) {
        out[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[n++] = (uint8_t)value;
    return n;
}

/* Writes 1 to 10 bytes and returns how many. Shifts of 64 bits are slow on a 32-bit processor, and
 * seldom needed. */
static inline size_t wire_varint_write(uint8_t *out, uint64_t value)
{
    size_t n = 0;
    while (value > UINT32_MAX) {
        out[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    return n + wire_varint_write32(out + n, (uint32_t)value);
}

static inline uint64_t wire_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t wire_unzigzag(uint64_t value)
{
    return (int64_t)((value >> 1) ^ (0 - (value & 1)));
}

#endif
