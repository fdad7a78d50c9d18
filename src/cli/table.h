/* cli/table.h - the one table printer: columns that line up and fit the terminal.
 *
 *     struct cli_table table;
 *     cli_table_begin(&table, columns, COUNT(columns));
 *     cli_table_text(&table, name, name_size);
 *     cli_table_number(&table, "%.3f", us);
 *     cli_table_style(&table, CLI_BAD);             // of the cell given last
 *     cli_table_print(&table, stdout);              // prints and frees
 *
 * Cells are given row by row. Text is left-aligned, numbers are right-aligned; the unit belongs in the
 * head. On a terminal that is too narrow, columns with a `rank` are left out, the highest first, and
 * named below the table; then texts are cut. Elsewhere those of a column with a `most` are. Control characters and what is not UTF-8 are shown as
 * `?`. Out of memory: the table stays empty and print says so.  */
#ifndef STAVE_CLI_TABLE_H
#define STAVE_CLI_TABLE_H

#include "cli/text.h"

#define CLI_TABLE_COLUMNS_MAX 16

struct cli_column {
    const char *head;
    bool number;
    unsigned rank; /* 0: always there */
};

struct cli_cell {
    char *text;
    enum cli_style style;
};

struct cli_layout {
    size_t widths[CLI_TABLE_COLUMNS_MAX];
    bool left_out[CLI_TABLE_COLUMNS_MAX];
};

struct cli_table {
    const struct cli_column *columns;
    size_t columns_count;
    struct cli_cell *cells;
    size_t cells_count, cells_size;
    size_t most[CLI_TABLE_COLUMNS_MAX]; /* of texts where there is no terminal; 0: the widest */
    bool failed;
    bool begun; /* the heads are printed, by this layout */
    struct cli_layout layout;
};

void cli_table_begin(struct cli_table *table, const struct cli_column *columns, size_t count);
void cli_table_text(struct cli_table *table, const char *text, size_t size);
void cli_table_number(struct cli_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_table_style(struct cli_table *table, enum cli_style style);
/* Prints the rows so far and forgets them. Later ones line up with them: columns become wider where they have to,
 * but on a terminal texts are cut. */
void cli_table_flush(struct cli_table *table, FILE *to);
void cli_table_print(struct cli_table *table, FILE *to);

#endif
