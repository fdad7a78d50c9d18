/* grid.h - a view with a cursor, a selection and a window, as one client has it. */
#ifndef GRID_GRID_H
#define GRID_GRID_H

#include "answer.h"
#include "view.h"

enum { GRID_WINDOW = 40 }; /* rows that are drawn */

struct grid {
    struct view view;
    uint32_t cursor;     /* a place of the view; 0 when it is empty */
    uint32_t *selection; /* rows of the table */
    uint32_t selected;   /* how many */
};

struct grid *grid_new(const struct table *table, bool has_index); /* NULL: no memory */
void grid_free(struct grid *grid);

/* To a row by its number, or by a word: first, last, up, down, page-up, page-down. False when it is not shown. */
bool grid_go(struct grid *grid, const char *to);

void grid_select_none(struct grid *grid);
void grid_select_places(struct grid *grid, uint32_t from,
                        uint32_t to); /* of the view, both included */
void grid_select_where(struct grid *grid, const struct range *range); /* of what is shown */

/* The cursor stays on its row; if that is gone, it goes to the first. */
void grid_sort(struct grid *grid, int column, bool is_descending);
void grid_filter(struct grid *grid, const struct range *filter);

/* The sum of a column over the selection, over all that is shown if it is empty. */
int64_t grid_sum(const struct grid *grid, int column, uint32_t *rows);

/* The rows around the cursor, and a bar that shows where in the view the selected rows are. */
void grid_draw(const struct grid *grid, struct answer *answer);

#endif
