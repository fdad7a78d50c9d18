/* base/table.h - an append-only array whose rows never move.
 *
 *     struct stave__table lanes = {.row_size = sizeof(struct lane)};
 *     struct lane *lane = stave__table_add(&lanes);        // zeroed; NULL when out of memory
 *     lane = stave__table_at(&lanes, 7);
 *
 * Rows live in segments that double in size, so that a pointer to a row holds as long as the table
 * and nothing is copied when it grows.  */
#ifndef STAVE_BASE_TABLE_H
#define STAVE_BASE_TABLE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define STAVE__TABLE_FIRST 32    /* rows in the first segment */
#define STAVE__TABLE_SEGMENTS 26 /* 2^31 rows */

struct stave__table {
    size_t row_size;
    uint32_t rows;
    void *segments[STAVE__TABLE_SEGMENTS];
};

/* A new row at the end, all zero, or NULL when out of memory or at 2^31 rows. */
void *stave__table_add(struct stave__table *table);

/* Forgets the rows and keeps their memory for the next ones. */
static inline void stave__table_clear(struct stave__table *table)
{
    table->rows = 0;
}

/* Frees the rows; the table is empty afterwards and can be used again. */
void stave__table_free(struct stave__table *table);

static inline void *stave__table_at(const struct stave__table *table, uint32_t index)
{
    assert(index < table->rows);
    uint32_t up = index / STAVE__TABLE_FIRST + 1;
    uint32_t segment = 31 - (uint32_t)__builtin_clz(up);
    uint32_t first = STAVE__TABLE_FIRST * ((1u << segment) - 1);
    return (char *)table->segments[segment] + (size_t)(index - first) * table->row_size;
}

#endif
