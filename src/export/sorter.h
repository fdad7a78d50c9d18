/* export/sorter.h - records of one size put in order, however many: beyond a budget of memory they go to an unlinked
 * temporary file in sorted runs, which are merged.
 *
 *     struct stave__sorter sorter = {.record_size = sizeof(struct span), .compare = compare_spans};
 *     struct span *span = stave__sorter_add(&sorter, error);           // fill it in; NULL: failed
 *     if (stave__sorter_finish(&sorter, error) < 0) ...
 *     while ((span = stave__sorter_next(&sorter, error)) != NULL) ...  // NULL: no more, or sorter.status < 0
 *     stave__sorter_clear(&sorter);                                    // for other records; keeps its memory
 *     stave__sorter_free(&sorter);
 *
 * A record begins with a uint64_t, by which records are ordered first; `compare` orders those in which it is equal. Records
 * for which that finds no difference come in any order.
 *
 * Memory  The budget, a quarter of it on top for the order, and 64 KiB a run.  */
#ifndef STAVE_EXPORT_SORTER_H
#define STAVE_EXPORT_SORTER_H

#include <stdbool.h>

#include "stave/status.h"

#define STAVE__SORTER_BUDGET ((size_t)32 * 1024 * 1024)

/* Where a record in memory is, in order. */
struct stave__sorted {
    uint64_t key;
    uint64_t at;
};

/* Zero but for the first four: empty. */
struct stave__sorter {
    size_t record_size;
    int (*compare)(const void *a, const void *b);
    size_t budget;             /* bytes; 0: STAVE__SORTER_BUDGET */
    const char *temporary_dir; /* NULL: $TMPDIR, else /tmp */
    int status;
    uint64_t count;
    char *records;
    size_t used, room;                    /* records */
    struct stave__sorted *order, *unused; /* of the records in memory; room for as many */
    size_t order_room;
    size_t next; /* in `order` */
    struct stave__run *runs;
    size_t runs_count, runs_room;
    struct stave__run **heap; /* of the runs that have more, that with the least record first */
    size_t heap_count;
    bool handed_out; /* the first run's record */
    int fd_plus_1;   /* of the temporary file; 0: none */
    uint64_t file_size;
};

void *stave__sorter_add(struct stave__sorter *sorter, stave_error *error);
int stave__sorter_finish(struct stave__sorter *sorter, stave_error *error);

/* Valid until the next call. */
const void *stave__sorter_next(struct stave__sorter *sorter, stave_error *error);

void stave__sorter_clear(struct stave__sorter *sorter);
void stave__sorter_free(struct stave__sorter *sorter);

#endif
