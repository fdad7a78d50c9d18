/* record/image.h - what is recorded, as a .stave file: of this moment, or as it comes.
 *
 *     stave__image_write(sink, &error)                              // all that is in memory
 *
 *     stave__image_open(&image, true, sink, &error)                 // what no file has yet, again and again
 *     stave__image_begin(&image, lanes);
 *     stave__image_put(&image, lane, &place, true);
 *     stave__image_close(&image);
 *
 * A reader of chunks that others write into: it copies one, and takes what it copied only if the chunk has
 * not been taken anew meanwhile (record/pool.h, P2). Nobody waits for it. */
#ifndef STAVE_RECORD_IMAGE_H
#define STAVE_RECORD_IMAGE_H

#include "record/image_rows.h"

struct stave__image {
    struct stave__image_file file;
    struct stave__image_rows rows;
    struct stave__open_spans spans;
    struct stave__pieces pieces;
};

int stave__image_open(struct stave__image *image, bool undrained, stave_sink sink,
                      stave_error *error);

/* The index and the foot, unless something has failed; frees. */
int stave__image_close(struct stave__image *image);

/* What has come of a lane, up to now if `whole`, else as far as it has filled chunks; `place` is zero at first. */
void stave__image_put(struct stave__image *image, uint32_t lane, struct stave__image_place *place,
                      bool whole);

int stave__image_write(stave_sink sink, stave_error *error);

#endif
