#include "cli/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/utf8.h"

#define GAP 2            /* columns of space between columns */
#define TEXT_WIDTH_MIN 8 /* a text column is not cut below this */

char *cli_printable(const char *text, size_t size)
{
    char *out = malloc(size + 1);
    size_t n = 0;
    if (out == NULL)
        return NULL;
    for (size_t at = 0; at < size;) {
        uint32_t point;
        size_t step = stave__utf8_decode(text + at, size - at, &point);
        bool control = step == 0 || point < 0x20 || (point >= 0x7f && point < 0xa0) ||
                       (point >= 0x2028 && point <= 0x202e) ||
                       (point >= 0x2066 && point <= 0x2069); /* line ends, writing directions */
        step = step != 0 ? step : 1;
        if (control) {
            out[n++] = '?';
        } else {
            memcpy(out + n, text + at, step);
            n += step;
        }
        at += step;
    }
    out[n] = '\0';
    return out;
}

/* Code points, which is close enough to columns for the names that devices send. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void cli_table_begin(struct cli_table *table, const struct cli_column *columns, size_t count)
{
    *table = (struct cli_table){.columns = columns, .columns_count = count};
}

static void add_cell(struct cli_table *table, char *cell)
{
    if (table->cells_count == table->cells_size) {
        size_t size = table->cells_size != 0 ? table->cells_size * 2 : 64;
        char **larger = realloc(table->cells, size * sizeof *larger);
        if (larger == NULL) {
            free(cell);
            cell = NULL;
            table->failed = true;
            return;
        }
        table->cells = larger;
        table->cells_size = size;
    }
    table->failed = table->failed || cell == NULL;
    table->cells[table->cells_count++] = cell;
}

void cli_table_text(struct cli_table *table, const char *text, size_t size)
{
    add_cell(table, cli_printable(text, size));
}

void cli_table_number(struct cli_table *table, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_cell(table, cli_printable(text, strlen(text)));
}

static size_t column_width(const struct cli_table *table, size_t column)
{
    size_t widest = width_of(table->columns[column].head);
    for (size_t i = column; i < table->cells_count; i += table->columns_count) {
        size_t width = width_of(table->cells[i]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Takes from the text columns what is beyond the terminal's width. */
static void fit(const struct cli_table *table, size_t *widths, size_t terminal)
{
    size_t total = 0;
    for (size_t i = 0; i < table->columns_count; i++)
        total += widths[i] + (i > 0 ? GAP : 0);
    for (size_t i = 0; i < table->columns_count && total > terminal; i++) {
        if (table->columns[i].number || widths[i] <= TEXT_WIDTH_MIN)
            continue;
        size_t most = widths[i] - TEXT_WIDTH_MIN;
        size_t cut = total - terminal < most ? total - terminal : most;
        widths[i] -= cut;
        total -= cut;
    }
}

static void print_spaces(FILE *to, size_t count)
{
    fprintf(to, "%*s", (int)count, "");
}

/* The first `width` code points, the last three of them dots. */
static void print_cut(FILE *to, const char *text, size_t width)
{
    size_t shown = 0;
    for (const char *at = text; *at != '\0'; at++) {
        bool starts = ((unsigned char)*at & 0xc0) != 0x80;
        if (starts && shown == width - 3)
            break;
        shown += starts;
        fputc(*at, to);
    }
    fputs("...", to);
}

static void print_cell(FILE *to, const char *text, size_t width, bool number, bool last)
{
    size_t own = width_of(text);
    if (own > width) {
        print_cut(to, text, width);
        return;
    }
    if (number)
        print_spaces(to, width - own);
    fputs(text, to);
    if (!number && !last)
        print_spaces(to, width - own);
}

static void print_row(const struct cli_table *table, FILE *to, const size_t *widths,
                      char *const *cells)
{
    for (size_t i = 0; i < table->columns_count; i++) {
        const struct cli_column *column = &table->columns[i];
        if (i > 0)
            print_spaces(to, GAP);
        print_cell(to, cells != NULL ? cells[i] : column->head, widths[i], column->number,
                   i + 1 == table->columns_count);
    }
    fputc('\n', to);
}

static void print_rows(const struct cli_table *table, FILE *to, size_t *widths)
{
    int terminal = stave__os_terminal_width(fileno(to));
    for (size_t i = 0; i < table->columns_count; i++)
        widths[i] = column_width(table, i);
    if (terminal > 0)
        fit(table, widths, (size_t)terminal);
    print_row(table, to, widths, NULL);
    for (size_t i = 0; i + table->columns_count <= table->cells_count; i += table->columns_count)
        print_row(table, to, widths, table->cells + i);
}

void cli_table_print(struct cli_table *table, FILE *to)
{
    size_t *widths = malloc(table->columns_count * sizeof *widths);
    if (table->failed || widths == NULL)
        fputs("(out of memory: no table)\n", to);
    else
        print_rows(table, to, widths);
    free(widths);
    for (size_t i = 0; i < table->cells_count; i++)
        free(table->cells[i]);
    free(table->cells);
}
