/* UTF-8 as RFC 3629 section 4 defines it: a lead byte says how many follow and what the first of
 * them may be. */
#include "wire/frame.h"

static bool in_range(uint8_t byte, uint8_t low, uint8_t high)
{
    return byte >= low && byte <= high;
}

/* Bytes of the sequence at `s`, or 0 when it is not sound. */
static size_t sequence_size(const uint8_t *s, size_t left)
{
    uint8_t lead = s[0];
    uint8_t low = 0x80;
    uint8_t high = 0xbf;
    size_t size = 0;

    if (lead < 0x80)
        return 1;
    if (in_range(lead, 0xc2, 0xdf))
        size = 2;
    else if (in_range(lead, 0xe0, 0xef))
        size = 3;
    else if (in_range(lead, 0xf0, 0xf4))
        size = 4;
    if (size == 0 || size > left)
        return 0;

    if (lead == 0xe0)
        low = 0xa0; /* overlong below */
    else if (lead == 0xed)
        high = 0x9f; /* surrogates above */
    else if (lead == 0xf0)
        low = 0x90; /* overlong below */
    else if (lead == 0xf4)
        high = 0x8f; /* beyond U+10FFFF above */
    if (!in_range(s[1], low, high))
        return 0;
    for (size_t i = 2; i < size; i++)
        if (!in_range(s[i], 0x80, 0xbf))
            return 0;
    return size;
}

bool stave__wire_utf8_valid(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t step = sequence_size(bytes + at, size - at);
        if (step == 0)
            return false;
        at += step;
    }
    return true;
}
