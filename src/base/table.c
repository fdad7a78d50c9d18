#include "base/table.h"

#include <stdlib.h>
#include <string.h>

void *stave__table_add(struct stave__table *table)
{
    uint32_t up = table->rows / STAVE__TABLE_FIRST + 1;
    uint32_t segment = 31 - (uint32_t)__builtin_clz(up);
    if (segment == STAVE__TABLE_SEGMENTS)
        return NULL;
    if (table->segments[segment] == NULL) {
        table->segments[segment] = calloc((size_t)STAVE__TABLE_FIRST << segment, table->row_size);
        if (table->segments[segment] == NULL)
            return NULL;
    }
    table->rows++;
    void *row = stave__table_at(table, table->rows - 1);
    memset(row, 0, table->row_size);
    return row;
}

void stave__table_free(struct stave__table *table)
{
    for (int i = 0; i < STAVE__TABLE_SEGMENTS; i++)
        free(table->segments[i]);
    *table = (struct stave__table){.row_size = table->row_size};
}
