/* base/utf8.h - one code point of a text that may be anything.
 *
 *     for (size_t at = 0; at < size; at += step != 0 ? step : 1)
 *         step = stave__utf8_decode(text + at, size - at, &point);     // 0: not UTF-8 here
 */
#ifndef STAVE_BASE_UTF8_H
#define STAVE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the code point at `text` (1 to 4), or 0 when there is no sound one (RFC 3629). */
static inline size_t stave__utf8_decode(const char *text, size_t left, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    size_t size = at[0] < 0x80 ? 1 : at[0] < 0xc0 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (size == 0 || size > left || at[0] >= 0xf8)
        return 0;
    uint32_t value = size == 1 ? at[0] : at[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3fu);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *point = value;
    return size;
}

#endif
