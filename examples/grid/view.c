#include "view.h"

#include <stdlib.h>

#include <stave/stave.h>

/* A block of rows is one cumulative span: one for each row would cost more than the row does. */
enum { BLOCK_ROWS = 4096 };

static bool passes(const struct table *table, const struct range *range, uint32_t row)
{
    int32_t cell = table_cell(table, range->column, row);
    return range->low <= cell && cell <= range->high;
}

/* ---- which rows ------------------------------------------------------------------------------ */

static uint32_t filter_block(struct view *view, uint32_t from, uint32_t to)
{
    STAVE_CUMULATIVE("filter_block");
    uint32_t count = view->count;
    for (uint32_t row = from; row < to; row++)
        if (view->filter.column < 0 || passes(view->table, &view->filter, row))
            view->rows[count++] = row;
    return count;
}

static void choose_rows(struct view *view)
{
    STAVE_SPAN(choose, "choose_rows");
    view->count = 0;
    for (uint32_t from = 0; from < view->table->rows; from += BLOCK_ROWS) {
        uint32_t left = view->table->rows - from;
        view->count = filter_block(view, from, from + (left < BLOCK_ROWS ? left : BLOCK_ROWS));
    }
    STAVE_SET(choose, "rows", view->count);
}

/* ---- in which order -------------------------------------------------------------------------- */

/* Turns a cell into a number whose order is wanted. */
static uint32_t key_of(const struct view *view, uint32_t row)
{
    uint32_t key = (uint32_t)table_cell(view->table, view->order, row) ^ 0x80000000u;
    return view->is_descending ? ~key : key;
}

/* One pass of a radix sort: by 8 bits of the key, what is equal stays as it is. */
static void sort_pass(struct view *view, unsigned shift)
{
    STAVE_CUMULATIVE("sort_pass");
    uint32_t starts[257] = {0};
    for (uint32_t place = 0; place < view->count; place++)
        starts[(key_of(view, view->rows[place]) >> shift & 255) + 1]++;
    for (int byte = 0; byte < 256; byte++)
        starts[byte + 1] += starts[byte];
    for (uint32_t place = 0; place < view->count; place++) {
        uint32_t row = view->rows[place];
        view->spare[starts[key_of(view, row) >> shift & 255]++] = row;
    }
    uint32_t *sorted = view->spare;
    view->spare = view->rows;
    view->rows = sorted;
}

static void order_rows(struct view *view)
{
    STAVE_SCOPE("order_rows", STAVE_KV("rows", view->count));
    for (unsigned shift = 0; shift < 32; shift += 8)
        sort_pass(view, shift);
}

static void note_places(struct view *view)
{
    STAVE_SCOPE("note_places", STAVE_KV("rows", view->count));
    for (uint32_t row = 0; row < view->table->rows; row++)
        view->places[row] = VIEW_NOWHERE;
    for (uint32_t place = 0; place < view->count; place++)
        view->places[view->rows[place]] = place;
}

static void arrange(struct view *view)
{
    choose_rows(view);
    if (view->order >= 0)
        order_rows(view);
    if (view->places != NULL)
        note_places(view);
}

void view_sort(struct view *view, int column, bool is_descending)
{
    STAVE_FUNCTION(column, is_descending);
    view->order = column;
    view->is_descending = is_descending;
    arrange(view);
}

void view_filter(struct view *view, const struct range *filter)
{
    STAVE_FUNCTION(filter->column, filter->low, filter->high);
    view->filter = *filter;
    arrange(view);
}

/* ---- looking --------------------------------------------------------------------------------- */

uint32_t view_find(const struct view *view, uint32_t row)
{
    if (view->order < 0 && view->filter.column < 0)
        return row;
    if (view->places != NULL)
        return view->places[row];
    for (uint32_t place = 0; place < view->count; place++)
        if (view->rows[place] == row)
            return place;
    return VIEW_NOWHERE;
}

uint32_t view_search(const struct view *view, uint32_t from, const struct range *range)
{
    STAVE_SPAN(search, "view_search", STAVE_KV("from", from));
    uint32_t place = from;
    while (place < view->count && !passes(view->table, range, view->rows[place]))
        place++;
    STAVE_SET(search, "passed_over", place - from);
    return place < view->count ? place : VIEW_NOWHERE;
}

/* ---- its life -------------------------------------------------------------------------------- */

bool view_init(struct view *view, const struct table *table, bool has_index)
{
    size_t size = table->rows * sizeof *view->rows;
    *view = (struct view){.table = table, .filter.column = -1, .order = -1};
    view->rows = malloc(size);
    view->spare = malloc(size);
    view->places = has_index ? malloc(size) : NULL;
    if (view->rows == NULL || view->spare == NULL || (has_index && view->places == NULL)) {
        view_free(view);
        return false;
    }
    arrange(view);
    return true;
}

void view_free(struct view *view)
{
    free(view->rows);
    free(view->spare);
    free(view->places);
}
