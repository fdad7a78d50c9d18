/* store/bytes.h - numbers as bytes: little-endian, and varints as protobuf and LEB128 have them.
 *
 * The writers say where the next byte goes; the reader of varints returns NULL when the bytes end too
 * early or the number does not fit 64 bits.  */
#ifndef STAVE_STORE_BYTES_H
#define STAVE_STORE_BYTES_H

#include <stdint.h>

#define STAVE__VARINT_MAX 10 /* bytes */

static inline uint8_t *stave__put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    return at + 4;
}

static inline uint8_t *stave__put_u64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    return at + 8;
}

static inline uint32_t stave__get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t stave__get_u64(const uint8_t *at)
{
    return stave__get_u32(at) | (uint64_t)stave__get_u32(at + 4) << 32;
}

static inline uint8_t *stave__put_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *at++ = (uint8_t)(value | 128);
    *at++ = (uint8_t)value;
    return at;
}

static inline const uint8_t *stave__get_varint(const uint8_t *at, const uint8_t *end,
                                               uint64_t *value)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        uint64_t byte = *at++;
        sum |= (byte & 127) << shift;
        if (byte < 128) {
            *value = sum;
            return shift == 63 && byte > 1 ? NULL : at;
        }
    }
    return NULL;
}

/* Small numbers of either sign to small ones without: 0, -1, 1, -2 ... to 0, 1, 2, 3 ... */
static inline uint64_t stave__zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t stave__unzigzag(uint64_t value)
{
    return value >> 1 ^ (0 - (value & 1));
}

#endif
