/* view.h - which rows of the table a grid shows, and in which order. */
#ifndef GRID_VIEW_H
#define GRID_VIEW_H

#include "table.h"

#define VIEW_NOWHERE UINT32_MAX

struct view {
    const struct table *table;
    uint32_t *rows; /* the row at each place */
    uint32_t *spare;
    uint32_t *places; /* the place of each row, or NULL */
    uint32_t count;
    struct range filter; /* a column of -1: all rows */
    int order;           /* the column that it is sorted by; -1: as the table is */
    bool is_descending;
};

/* With an index, finding a row takes one step, and sorting and filtering a little longer. False: no memory. */
bool view_init(struct view *view, const struct table *table, bool has_index);
void view_free(struct view *view);

void view_sort(struct view *view, int column, bool is_descending);
void view_filter(struct view *view, const struct range *filter);

/* The place of a row, or VIEW_NOWHERE. */
uint32_t view_find(const struct view *view, uint32_t row);

/* The next place from `from` on whose row passes, or VIEW_NOWHERE. */
uint32_t view_search(const struct view *view, uint32_t from, const struct range *range);

#endif
