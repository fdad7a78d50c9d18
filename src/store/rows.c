#include "store/rows.h"

#include <stddef.h>

const uint8_t stave__column_width[STAVE_COLUMNS] = {
#define WIDTH(name, number, member, type) [number] = sizeof(type),
    STAVE_COLUMN_TABLE(WIDTH)
#undef WIDTH
};

#define ALWAYS (STAVE_COLUMN_START | STAVE_COLUMN_ORDER | STAVE_COLUMN_FLAGS)

const uint32_t stave__kind_has[STAVE_ROW_KINDS] = {
#define HAS(kind, number, text, has, may_have) [kind] = ALWAYS | (has),
    STAVE_ROW_KIND_TABLE(HAS)
#undef HAS
};

const uint32_t stave__kind_may_have[STAVE_ROW_KINDS] = {
#define MAY_HAVE(kind, number, text, has, may_have) [kind] = ALWAYS | (has) | (may_have),
    STAVE_ROW_KIND_TABLE(MAY_HAVE)
#undef MAY_HAVE
};

/* Eight bytes before narrower ones, so that each column is aligned. */
static const uint8_t widths[] = {8, 4, 2};

size_t stave__columns_size(uint32_t mask, uint32_t capacity)
{
    size_t row = 0;
    for (uint32_t i = 0; i < STAVE_COLUMNS; i++)
        if (mask & 1u << i)
            row += stave__column_width[i];
    return row * capacity;
}

void stave__columns_lay_out(union stave__columns *columns, uint32_t mask, uint32_t capacity,
                            void *data)
{
    char *next = data;
    for (uint32_t i = 0; i < STAVE_COLUMNS; i++)
        columns->at[i] = NULL;
    for (size_t w = 0; w < sizeof widths; w++) {
        for (uint32_t i = 0; i < STAVE_COLUMNS; i++) {
            if (stave__column_width[i] != widths[w] || (mask & 1u << i) == 0)
                continue;
            columns->at[i] = next;
            next += (size_t)capacity * widths[w];
        }
    }
}
