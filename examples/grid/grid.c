#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include <stave/stave.h>

struct grid *grid_new(const struct table *table, bool has_index)
{
    struct grid *grid = calloc(1, sizeof *grid);
    if (grid == NULL)
        return NULL;
    grid->selection = malloc(table->rows * sizeof *grid->selection);
    if (grid->selection == NULL || !view_init(&grid->view, table, has_index)) {
        free(grid->selection);
        free(grid);
        return NULL;
    }
    return grid;
}

void grid_free(struct grid *grid)
{
    if (grid == NULL)
        return;
    view_free(&grid->view);
    free(grid->selection);
    free(grid);
}

/* ---- the cursor ------------------------------------------------------------------------------ */

static bool go_by(struct grid *grid, int64_t places)
{
    int64_t last = grid->view.count > 0 ? (int64_t)grid->view.count - 1 : 0;
    int64_t to = (int64_t)grid->cursor + places;
    grid->cursor = (uint32_t)(to < 0 ? 0 : to > last ? last : to);
    return true;
}

static bool go_to_row(struct grid *grid, const char *number)
{
    char *end;
    unsigned long row = strtoul(number, &end, 10);
    if (end == number || *end != '\0' || row >= grid->view.table->rows)
        return false;
    uint32_t place = view_find(&grid->view, (uint32_t)row);
    if (place == VIEW_NOWHERE)
        return false;
    grid->cursor = place;
    return true;
}

bool grid_go(struct grid *grid, const char *to)
{
    static const struct {
        const char *word;
        int64_t places;
    } steps[] = {
        {"first", INT32_MIN}, {"last", INT32_MAX},          {"up", -1},
        {"down", 1},          {"page-up", 1 - GRID_WINDOW}, {"page-down", GRID_WINDOW - 1},
    };
    STAVE_FUNCTION(to);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (strcmp(steps[i].word, to) == 0)
            return go_by(grid, steps[i].places);
    return go_to_row(grid, to);
}

static uint32_t row_of_cursor(const struct grid *grid)
{
    return grid->view.count > 0 ? grid->view.rows[grid->cursor] : 0;
}

static void follow(struct grid *grid, uint32_t row)
{
    uint32_t place = view_find(&grid->view, row);
    if (place == VIEW_NOWHERE) {
        STAVE_MARK("cursor lost", STAVE_KV("row", row));
        place = 0;
    }
    grid->cursor = place;
}

void grid_sort(struct grid *grid, int column, bool is_descending)
{
    uint32_t row = row_of_cursor(grid);
    view_sort(&grid->view, column, is_descending);
    follow(grid, row);
}

void grid_filter(struct grid *grid, const struct range *filter)
{
    uint32_t row = row_of_cursor(grid);
    view_filter(&grid->view, filter);
    follow(grid, row);
}

/* ---- the selection --------------------------------------------------------------------------- */

void grid_select_none(struct grid *grid)
{
    grid->selected = 0;
    STAVE_COUNTER("selected rows", grid->selected);
}

void grid_select_places(struct grid *grid, uint32_t from, uint32_t to)
{
    STAVE_FUNCTION(from, to);
    grid->selected = 0;
    for (uint32_t place = from; place <= to && place < grid->view.count; place++)
        grid->selection[grid->selected++] = grid->view.rows[place];
    STAVE_COUNTER("selected rows", grid->selected);
}

void grid_select_where(struct grid *grid, const struct range *range)
{
    STAVE_FUNCTION(range->column, range->low, range->high);
    grid->selected = 0;
    for (uint32_t place = 0; place < grid->view.count; place++) {
        uint32_t row = grid->view.rows[place];
        int32_t cell = table_cell(grid->view.table, range->column, row);
        if (range->low <= cell && cell <= range->high)
            grid->selection[grid->selected++] = row;
    }
    STAVE_COUNTER("selected rows", grid->selected);
}

int64_t grid_sum(const struct grid *grid, int column, uint32_t *rows)
{
    STAVE_FUNCTION(column);
    const uint32_t *summed = grid->selected > 0 ? grid->selection : grid->view.rows;
    int64_t sum = 0;
    *rows = grid->selected > 0 ? grid->selected : grid->view.count;
    for (uint32_t i = 0; i < *rows; i++)
        sum += table_cell(grid->view.table, column, summed[i]);
    return sum;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_cell(const struct table *table, int column, uint32_t row, struct answer *answer)
{
    STAVE_CUMULATIVE("draw_cell");
    char text[TABLE_CELL_SIZE];
    table_text(column, table_cell(table, column, row), text);
    answer_add(answer, " %10s", text);
}

static void draw_row(const struct grid *grid, uint32_t place, char bar, struct answer *answer)
{
    STAVE_CUMULATIVE("draw_row");
    answer_add(answer, " %c%c", bar, place == grid->cursor ? '>' : ' ');
    for (int column = 0; column < TABLE_COLUMNS; column++)
        draw_cell(grid->view.table, column, grid->view.rows[place], answer);
    answer_add(answer, "\n");
}

/* `*` where rows are selected: each character stands for a part of the view. */
static void draw_bar(const struct grid *grid, char bar[GRID_WINDOW])
{
    STAVE_SCOPE("draw_bar", STAVE_KV("selected", grid->selected));
    memset(bar, '|', GRID_WINDOW);
    for (uint32_t i = 0; i < grid->selected; i++) {
        STAVE_CUMULATIVE("find_row");
        uint32_t place = view_find(&grid->view, grid->selection[i]);
        if (place != VIEW_NOWHERE)
            bar[(uint64_t)place * GRID_WINDOW / grid->view.count] = '*';
    }
}

void grid_draw(const struct grid *grid, struct answer *answer)
{
    STAVE_FUNCTION();
    char bar[GRID_WINDOW];
    uint32_t first = grid->cursor > GRID_WINDOW / 2 ? grid->cursor - GRID_WINDOW / 2 : 0;
    draw_bar(grid, bar);
    STAVE_SCOPE("draw_rows", STAVE_KV("first", first));
    for (uint32_t i = 0; i < GRID_WINDOW && first + i < grid->view.count; i++)
        draw_row(grid, first + i, bar[i], answer);
}
