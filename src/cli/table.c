#include "cli/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/os_command.h"

#define GAP 2              /* columns of space between columns */
#define TEXT_WIDTH_MIN 8   /* a text column is not cut below this */
#define TEXT_WIDTH_FAIR 24 /* columns with a rank are left out before a text is cut below this */
#define NUMBER_MAX 400     /* bytes; any double written out has less */

/* ---- cells ----------------------------------------------------------------------------------- */

void cli_table_begin(struct cli_table *table, const struct cli_column *columns, size_t count)
{
    assert(count <= CLI_TABLE_COLUMNS_MAX);
    *table = (struct cli_table){.columns = columns, .columns_count = count};
}

static void add_cell(struct cli_table *table, char *text)
{
    if (table->cells_count == table->cells_size) {
        size_t size = table->cells_size != 0 ? table->cells_size * 2 : 64;
        struct cli_cell *larger = realloc(table->cells, size * sizeof *larger);
        if (larger == NULL) {
            free(text);
            table->failed = true;
            return;
        }
        table->cells = larger;
        table->cells_size = size;
    }
    table->failed = table->failed || text == NULL;
    table->cells[table->cells_count++] = (struct cli_cell){.text = text};
}

void cli_table_text(struct cli_table *table, const char *text, size_t size)
{
    add_cell(table, cli_printable(text, size));
}

void cli_table_number(struct cli_table *table, const char *format, ...)
{
    char text[NUMBER_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_cell(table, cli_printable(text, strlen(text)));
}

void cli_table_style(struct cli_table *table, enum cli_style style)
{
    if (table->cells_count > 0)
        table->cells[table->cells_count - 1].style = style;
}

/* ---- widths ---------------------------------------------------------------------------------- */

static size_t column_width(const struct cli_table *table, size_t column)
{
    size_t widest = cli_text_width(table->columns[column].head);
    for (size_t i = column; i < table->cells_count; i += table->columns_count) {
        size_t width = cli_text_width(table->cells[i].text);
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Where there is no terminal. */
static size_t free_width(const struct cli_table *table, size_t column)
{
    size_t width = column_width(table, column), most = table->most[column];
    return most > 0 && width > most ? most : width;
}

/* Columns of the whole table, where texts may be cut to `text_width`. */
static size_t total_width(const struct cli_table *table, const struct cli_layout *layout,
                          size_t text_width)
{
    size_t total = 0;
    for (size_t i = 0; i < table->columns_count; i++) {
        bool is_cut = !table->columns[i].number && layout->widths[i] > text_width;
        if (!layout->left_out[i])
            total += (total > 0 ? GAP : 0) + (is_cut ? text_width : layout->widths[i]);
    }
    return total;
}

/* The column with the highest rank that is there, or the number of columns. */
static size_t least_wanted(const struct cli_table *table, const struct cli_layout *layout)
{
    size_t found = table->columns_count;
    unsigned rank = 0;
    for (size_t i = 0; i < table->columns_count; i++) {
        if (!layout->left_out[i] && table->columns[i].rank > rank) {
            rank = table->columns[i].rank;
            found = i;
        }
    }
    return found;
}

static void leave_out(const struct cli_table *table, struct cli_layout *layout, size_t terminal)
{
    while (total_width(table, layout, TEXT_WIDTH_FAIR) > terminal) {
        size_t column = least_wanted(table, layout);
        if (column == table->columns_count)
            return;
        layout->left_out[column] = true;
    }
}

/* The widest text column that may be cut, or the number of columns. */
static size_t widest_text(const struct cli_table *table, const struct cli_layout *layout)
{
    size_t found = table->columns_count, widest = TEXT_WIDTH_MIN;
    for (size_t i = 0; i < table->columns_count; i++) {
        if (table->columns[i].number || layout->left_out[i] || layout->widths[i] <= widest)
            continue;
        widest = layout->widths[i];
        found = i;
    }
    return found;
}

/* Takes from the text columns what is beyond the terminal's width, from the widest first. */
static void cut_texts(const struct cli_table *table, struct cli_layout *layout, size_t terminal)
{
    size_t total = total_width(table, layout, SIZE_MAX);
    for (; total > terminal; total--) {
        size_t column = widest_text(table, layout);
        if (column == table->columns_count)
            return;
        layout->widths[column]--;
    }
}

/* ---- printing -------------------------------------------------------------------------------- */

/* Blanks are held back until something follows them: none stand at the end of a line. */
static void print_cell(FILE *to, const char *text, enum cli_style style, size_t width, bool number,
                       size_t *blanks)
{
    size_t own = cli_text_width(text);
    size_t left = own < width ? width - own : 0;
    *blanks += number ? left : 0;
    if (own > 0) {
        fprintf(to, "%*s%s", (int)*blanks, "", cli_style_begin(to, style));
        if (own <= width)
            fputs(text, to);
        else
            cli_text_put(to, text, width);
        fputs(cli_style_end(to, style), to);
        *blanks = 0;
    }
    *blanks += number ? 0 : left;
}

/* Without cells: the heads. */
static void print_row(const struct cli_table *table, FILE *to, const struct cli_layout *layout,
                      const struct cli_cell *cells)
{
    size_t blanks = 0;
    bool first = true;
    for (size_t i = 0; i < table->columns_count; i++) {
        if (layout->left_out[i])
            continue;
        blanks += first ? 0 : GAP;
        const struct cli_column *column = &table->columns[i];
        print_cell(to, cells != NULL ? cells[i].text : column->head,
                   cells != NULL ? cells[i].style : CLI_PLAIN, layout->widths[i], column->number,
                   &blanks);
        first = false;
    }
    fputc('\n', to);
}

static void print_left_out(const struct cli_table *table, FILE *to, const struct cli_layout *layout)
{
    const char *before = "(too narrow for: ";
    for (size_t i = 0; i < table->columns_count; i++) {
        if (!layout->left_out[i])
            continue;
        fprintf(to, "%s%s", before, table->columns[i].head);
        before = ", ";
    }
    if (before[0] == ',')
        fputs(")\n", to);
}

static void lay_out(struct cli_table *table, size_t terminal)
{
    struct cli_layout *layout = &table->layout;
    for (size_t i = 0; i < table->columns_count; i++)
        layout->widths[i] = terminal == 0 ? free_width(table, i) : column_width(table, i);
    if (terminal == 0)
        return;
    leave_out(table, layout, terminal);
    cut_texts(table, layout, terminal);
}

static void widen(struct cli_table *table, size_t terminal)
{
    for (size_t i = 0; i < table->columns_count; i++) {
        size_t width = terminal == 0 ? free_width(table, i) : column_width(table, i);
        if ((terminal == 0 || table->columns[i].number) && width > table->layout.widths[i])
            table->layout.widths[i] = width;
    }
}

static void print_rows(struct cli_table *table, FILE *to)
{
    int terminal = stave__os_terminal_width(fileno(to));
    size_t width = terminal > 0 ? (size_t)terminal : 0;
    if (table->begun) {
        widen(table, width);
    } else {
        lay_out(table, width);
        print_row(table, to, &table->layout, NULL);
        table->begun = true;
    }
    for (size_t i = 0; i + table->columns_count <= table->cells_count; i += table->columns_count)
        print_row(table, to, &table->layout, table->cells + i);
}

void cli_table_flush(struct cli_table *table, FILE *to)
{
    if (!table->failed)
        print_rows(table, to);
    for (size_t i = 0; i < table->cells_count; i++)
        free(table->cells[i].text);
    table->cells_count = 0;
}

void cli_table_print(struct cli_table *table, FILE *to)
{
    cli_table_flush(table, to);
    if (table->failed)
        fputs("(out of memory: no table)\n", to);
    else
        print_left_out(table, to, &table->layout);
    free(table->cells);
}
