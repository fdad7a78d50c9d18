/* store/rows.h - the columns of a block in memory, writable, one behind another in one allocation.
 *
 *     struct stave__columns c;
 *     void *data = malloc(stave__columns_size(mask, capacity));
 *     stave__columns_lay_out(&c, mask, capacity, data);
 *     c.start[i] = ...
 */
#ifndef STAVE_STORE_ROWS_H
#define STAVE_STORE_ROWS_H

#include "stave/block.h"

/* Columns that are not there are NULL. */
union stave__columns {
    struct {
#define STAVE__COLUMN_POINTER(name, number, member, type) type *member;
        STAVE_COLUMN_TABLE(STAVE__COLUMN_POINTER)
#undef STAVE__COLUMN_POINTER
    };
    void *at[STAVE_COLUMNS];
};

/* Bytes of one row of a column. */
extern const uint8_t stave__column_width[STAVE_COLUMNS];

/* Columns that a kind always has, and all that it may have. */
extern const uint32_t stave__kind_has[STAVE_ROW_KINDS];
extern const uint32_t stave__kind_may_have[STAVE_ROW_KINDS];

size_t stave__columns_size(uint32_t mask, uint32_t capacity);
void stave__columns_lay_out(union stave__columns *columns, uint32_t mask, uint32_t capacity,
                            void *data);

#endif
