/* table.h - what the grid shows: a stock list, generated, the same for the same seed.
 *
 * Every cell is an int32_t, whatever its column's type: money in hundredths, a date in days, a text as its number
 * among the column's texts in their natural order (A-2 before A-10). So one way to compare, sort and filter is
 * enough for all types. Nothing changes after table_new(), so all threads read it.  */
#ifndef GRID_TABLE_H
#define GRID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TABLE_COLUMNS = 12, TABLE_CELL_SIZE = 40, TABLE_ROWS_MAX = 10000000 };

enum column_type {
    COLUMN_NUMBER,
    COLUMN_MONEY,  /* hundredths */
    COLUMN_WEIGHT, /* thousandths */
    COLUMN_DATE,   /* days since 2020-01-01 */
    COLUMN_YES_NO,
    COLUMN_TEXT
};

struct column {
    const char *name;
    enum column_type type;
    int32_t least, most;      /* cells of it */
    const char *const *words; /* of a text: its first part; NULL at their end */
    int32_t numbers; /* of a text: how many second parts there are for each word; 1: none */
};

struct table {
    uint32_t rows;
    int32_t *cells[TABLE_COLUMNS]; /* NULL at first: the row's own number */
};

extern const struct column table_columns[TABLE_COLUMNS];

/* What cells of a column pass: from low to high. */
struct range {
    int column;
    int32_t low, high;
};

struct table *table_new(uint32_t rows, uint64_t seed); /* NULL: no memory */
void table_free(struct table *table);

int table_find_column(const char *name); /* -1: there is none */
int32_t table_cell(const struct table *table, int column, uint32_t row);
void table_text(int column, int32_t cell, char text[TABLE_CELL_SIZE]);

/* `to` may be "": then `from` alone. A text is given whole or by its word. False when it is no value of the column. */
bool table_parse_range(int column, const char *from, const char *to, struct range *range);

#endif
