#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

static const char *const kinds[] = {"bearing", "bolt", "cable", "filter", "gasket", "hose",
                                    "motor",   "pump", "relay", "sensor", "valve",  NULL};
static const char *const suppliers[] = {"S", NULL};
static const char *const halls[] = {"hall", NULL};
static const char *const racks[] = {"A", "B", "C", "D", "E", "F", "G", "H", NULL};

const struct column table_columns[TABLE_COLUMNS] = {
    {"row", COLUMN_NUMBER, 0, INT32_MAX, NULL, 0},
    {"item", COLUMN_TEXT, 0, 11 * 90 - 1, kinds, 90},
    {"supplier", COLUMN_TEXT, 0, 47, suppliers, 48},
    {"hall", COLUMN_TEXT, 0, 8, halls, 9},
    {"shelf", COLUMN_TEXT, 0, 8 * 400 - 1, racks, 400},
    {"stock", COLUMN_NUMBER, 0, 5000, NULL, 0},
    {"ordered", COLUMN_NUMBER, -200, 800, NULL, 0},
    {"price", COLUMN_MONEY, 15, 250000, NULL, 0},
    {"weight", COLUMN_WEIGHT, 2, 90000, NULL, 0},
    {"arrived", COLUMN_DATE, 0, 2190, NULL, 0},
    {"opened", COLUMN_DATE, 1000, 2190, NULL, 0},
    {"checked", COLUMN_YES_NO, 0, 1, NULL, 0},
};

/* ---- making it ------------------------------------------------------------------------------- */

static void fill(int32_t *cells, uint32_t rows, const struct column *column, uint64_t *state)
{
    uint32_t width = (uint32_t)(column->most - column->least) + 1;
    for (uint32_t row = 0; row < rows; row++)
        cells[row] = column->least + (int32_t)random_below(state, width);
}

struct table *table_new(uint32_t rows, uint64_t seed)
{
    struct table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->rows = rows;
    for (int column = 1; column < TABLE_COLUMNS; column++) {
        uint64_t state = seed + (uint64_t)column;
        table->cells[column] = malloc(rows * sizeof(int32_t));
        if (table->cells[column] == NULL) {
            table_free(table);
            return NULL;
        }
        fill(table->cells[column], rows, &table_columns[column], &state);
    }
    return table;
}

void table_free(struct table *table)
{
    if (table == NULL)
        return;
    for (int column = 0; column < TABLE_COLUMNS; column++)
        free(table->cells[column]);
    free(table);
}

int table_find_column(const char *name)
{
    for (int column = 0; column < TABLE_COLUMNS; column++)
        if (strcmp(table_columns[column].name, name) == 0)
            return column;
    return -1;
}

int32_t table_cell(const struct table *table, int column, uint32_t row)
{
    return column == 0 ? (int32_t)row : table->cells[column][row];
}

/* ---- dates: the civil calendar, its years counted from March, so that the leap day is the last --- */

enum { DAYS_BEFORE_2020 = 737730 }; /* since the 1st of March of the year 0 */

static int32_t days_of(int32_t year, int32_t month, int32_t day)
{
    int32_t y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - DAYS_BEFORE_2020;
}

static void date_text(int32_t days, char text[TABLE_CELL_SIZE])
{
    int32_t year = 2020 + days / 366, month = 12;
    while (days_of(year + 1, 1, 1) <= days)
        year++;
    while (days_of(year, month, 1) > days)
        month--;
    snprintf(text, TABLE_CELL_SIZE, "%d-%02d-%02d", year, month,
             days - days_of(year, month, 1) + 1);
}

static bool parse_date(const char *text, int32_t *days)
{
    char *end;
    long year = strtol(text, &end, 10);
    long month = *end == '-' ? strtol(end + 1, &end, 10) : 0;
    long day = *end == '-' ? strtol(end + 1, &end, 10) : 0;
    if (*end != '\0' || year < 2020 || year > 2999 || month < 1 || month > 12 || day < 1 ||
        day > 31)
        return false;
    *days = days_of((int32_t)year, (int32_t)month, (int32_t)day);
    return true;
}

/* ---- cells as text and back ------------------------------------------------------------------ */

static void decimal_text(int32_t cell, int32_t unit, int digits, char text[TABLE_CELL_SIZE])
{
    snprintf(text, TABLE_CELL_SIZE, "%d.%0*d", cell / unit, digits, cell % unit);
}

void table_text(int column, int32_t cell, char text[TABLE_CELL_SIZE])
{
    const struct column *is = &table_columns[column];
    switch (is->type) {
    case COLUMN_NUMBER:
        snprintf(text, TABLE_CELL_SIZE, "%d", cell);
        break;
    case COLUMN_MONEY:
        decimal_text(cell, 100, 2, text);
        break;
    case COLUMN_WEIGHT:
        decimal_text(cell, 1000, 3, text);
        break;
    case COLUMN_DATE:
        date_text(cell, text);
        break;
    case COLUMN_YES_NO:
        snprintf(text, TABLE_CELL_SIZE, "%s", cell != 0 ? "yes" : "no");
        break;
    case COLUMN_TEXT:
        snprintf(text, TABLE_CELL_SIZE, "%s-%d", is->words[cell / is->numbers],
                 cell % is->numbers + 1);
        break;
    }
}

static bool parse_decimal(const char *text, double unit, int32_t *cell)
{
    char *end;
    double value = strtod(text, &end) * unit;
    if (end == text || *end != '\0' || !(value > -1e9 && value < 1e9))
        return false;
    *cell = (int32_t)(value < 0 ? value - 0.5 : value + 0.5);
    return true;
}

static bool parse_value(const struct column *column, const char *text, int32_t *cell)
{
    switch (column->type) {
    case COLUMN_MONEY:
        return parse_decimal(text, 100, cell);
    case COLUMN_WEIGHT:
        return parse_decimal(text, 1000, cell);
    case COLUMN_DATE:
        return parse_date(text, cell);
    case COLUMN_YES_NO:
        *cell = strcmp(text, "yes") == 0;
        return *cell || strcmp(text, "no") == 0;
    default:
        return parse_decimal(text, 1, cell);
    }
}

/* A whole word stands for all its numbers. */
static bool parse_text(const struct column *column, const char *text, struct range *range)
{
    size_t length = strcspn(text, "-");
    int32_t word = 0, number = 0;
    while (column->words[word] != NULL && (strlen(column->words[word]) != length ||
                                           strncmp(column->words[word], text, length) != 0))
        word++;
    if (column->words[word] == NULL)
        return false;
    range->low = word * column->numbers;
    range->high = range->low + column->numbers - 1;
    if (text[length] == '\0')
        return true;
    if (!parse_decimal(text + length + 1, 1, &number) || number < 1 || number > column->numbers)
        return false;
    range->low = range->high = range->low + number - 1;
    return true;
}

bool table_parse_range(int column, const char *from, const char *to, struct range *range)
{
    const struct column *is = &table_columns[column];
    struct range last;
    range->column = column;
    if (*to == '\0')
        to = from;
    if (is->type != COLUMN_TEXT)
        return parse_value(is, from, &range->low) && parse_value(is, to, &range->high);
    if (!parse_text(is, from, range) || !parse_text(is, to, &last))
        return false;
    range->high = last.high;
    return true;
}
