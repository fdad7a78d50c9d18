/* record/image_rows.h - the records of a piece, copied, as blocks of rows. */
#ifndef STAVE_RECORD_IMAGE_ROWS_H
#define STAVE_RECORD_IMAGE_ROWS_H

#include "record/image_tables.h"
#include "record/open_spans.h"
#include "store/block.h"

/* How far a file is with a lane. */
struct stave__image_place {
    uint64_t orders[STAVE_ROW_KINDS]; /* of the last row of each: none that follows is lower */
    int64_t seen;                     /* the latest time; 0: none */
    uint64_t told;    /* of the open spans that were told of last, the innermost's serial */
    uint64_t cut;     /* of spans that were open behind the last row, all serials are lower; */
    int64_t cut_time; /* ... and when that was */
};

struct stave__image_rows {
    struct stave__record *records; /* STAVE__CHUNK_RECORDS, of which these were copied: */
    uint32_t copied;
    uint32_t piece;               /* of the lane's */
    bool is_last;                 /* it ends now */
    bool has_attached;            /* among the copied are such spans */
    uint32_t lane;                /* the file's number of it */
    uint32_t kind;                /* of rows that are being made */
    union stave__columns columns; /* all of them, room for as many rows */
    void *columns_data;
    struct stave__open_spans *spans;
    struct stave__image_place *place;
    uint64_t last_span; /* serial of the lane's last row of a span; 0: none */
    uint64_t taken;     /* records, of all that was put */
};

int stave__image_rows_open(struct stave__image_rows *rows, stave_error *error);
void stave__image_rows_close(struct stave__image_rows *rows);

/* Writes the copied records. */
void stave__image_rows_put(struct stave__image_rows *rows, struct stave__image_file *file);

/* Behind the lane's rows, what has not been told of the open spans: of now; or, where the lane goes on in the next
 * file, of when the last span ended that is in this one. */
void stave__image_rows_put_open(struct stave__image_rows *rows, struct stave__image_file *file);
void stave__image_rows_put_open_at_cut(struct stave__image_rows *rows,
                                       struct stave__image_file *file);
/* In front of the lane's rows in this file: what was open behind those of the file before. */
void stave__image_rows_put_open_before(struct stave__image_rows *rows,
                                       struct stave__image_file *file);

#endif
