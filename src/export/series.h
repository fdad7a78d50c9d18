/* export/series.h - sorted records that are found by their first number: what belongs to a span, by its serial.
 *
 *     struct stave__detail *detail = stave__sorter_add(&series.sorter, error);      // in any order
 *     if (stave__series_settle(&series, error) < 0) ...
 *     uint64_t at = stave__series_find(&series, serial, error);                     // the first from that serial on
 *     for (const struct stave__detail *detail; (detail = stave__series_at(&series, at, error)) != NULL; at++)
 *         if (detail->serial != serial) ...
 *
 * Looking for serial after serial, as spans have them in the order of their starts, takes a step each; elsewhere some more. */
#ifndef STAVE_EXPORT_SERIES_H
#define STAVE_EXPORT_SERIES_H

#include "export/sorter.h"

/* Zero but for the sorter's first four: empty. */
struct stave__series {
    struct stave__sorter sorter;
    uint64_t count;
    uint64_t place; /* where the last one was found */
    int fd_plus_1;  /* of the file with all, in order; 0: they are in memory */
    char *page;     /* of it, in memory */
    uint64_t page_first;
    uint64_t page_count;
};

/* All have been added. */
int stave__series_settle(struct stave__series *series, stave_error *error);

/* NULL behind the last, or when reading fails: series->sorter.status. Valid until the next call. */
const void *stave__series_at(struct stave__series *series, uint64_t index, stave_error *error);

/* The first whose number is at least this one; their count when there is none. */
uint64_t stave__series_find(struct stave__series *series, uint64_t number, stave_error *error);

void stave__series_clear(struct stave__series *series);
void stave__series_free(struct stave__series *series);

#endif
