/* record/image_rows.h - the records of a chunk, copied, as blocks of rows. */
#ifndef STAVE_RECORD_IMAGE_ROWS_H
#define STAVE_RECORD_IMAGE_ROWS_H

#include "record/image_tables.h"
#include "store/block.h"

struct stave__image_rows {
    struct stave__record *records; /* STAVE__CHUNK_RECORDS, of which these were copied: */
    uint32_t copied;
    union stave__columns columns; /* all of them, room for as many rows */
    void *columns_data;
    uint32_t lane;
    uint64_t before;       /* serials up to here are of another recording */
    uint64_t until;        /* those up to here had been given out when these were copied: */
    stave_open_span *open; /* STAVE_DEPTH_MAX; their names are the recorder's */
    uint32_t open_count;
    uint32_t kind;                    /* of rows that are being made */
    uint64_t orders[STAVE_ROW_KINDS]; /* of the lane's last row of each: none is lower */
    int64_t seen;                     /* the latest time before the record that is looked at */
};

int stave__image_rows_open(struct stave__image_rows *rows, stave_error *error);
void stave__image_rows_close(struct stave__image_rows *rows);

/* Lane `index`: copies its open spans. What they are decides what of its records is taken: all that had begun. */
void stave__image_rows_begin(struct stave__image_rows *rows, uint32_t index);

/* Writes the copied records. */
void stave__image_rows_put(struct stave__image_rows *rows, struct stave__image_file *file);

/* Behind all of the lane's: what is still open. */
void stave__image_rows_put_open(struct stave__image_rows *rows, struct stave__image_file *file);

#endif
