/* record/image.h - what is recorded, as a .stave file: of this moment, or as it comes.
 *
 *     stave__image_write(sink, NULL, &error)                        // all that is in memory
 *
 *     stave__image_open(&image, true, sink, &error)                 // what no file has yet, again and again
 *     stave__image_put(&image, lane, &place, true);
 *     if (stave__image_is_full(&image)) ...                         // the rest is for stave__image_next()
 *     stave__image_close(&image);
 *
 * A reader of chunks that others write into: it copies one, and takes what it copied only if the chunk has
 * not been taken anew meanwhile (record/pool.h, P2). Nobody waits for it. */
#ifndef STAVE_RECORD_IMAGE_H
#define STAVE_RECORD_IMAGE_H

#include "record/image_rows.h"

struct stave_session;

struct stave__image {
    struct stave__image_file file;
    struct stave__image_rows rows;
    struct stave__open_spans spans;
    struct stave__pieces pieces;
    uint64_t max_bytes;    /* of a file; 0: there is no limit */
    uint64_t taken_before; /* records, when this file began */
};

int stave__image_open(struct stave__image *image, bool undrained, stave_sink sink,
                      stave_error *error);

/* The index and the foot, unless something has failed; frees. */
int stave__image_close(struct stave__image *image);

/* Another file to the same sink, once the one before is finished. */
int stave__image_next(struct stave__image *image);

/* What was open of a lane where the file before this one ends. */
void stave__image_put_open(struct stave__image *image, uint32_t lane,
                           struct stave__image_place *place);

/* It has records, and as many bytes as it may have: those of one chunk more, and the index. */
bool stave__image_is_full(const struct stave__image *image);

/* What has come of a lane, up to now if `whole`, else as far as it has filled chunks; `place` is zero at first. Not all
 * of it when the file is full: how many pieces are left. What a sink does not take is in no file: nothing of a piece, or
 * all. */
uint32_t stave__image_put(struct stave__image *image, uint32_t lane,
                          struct stave__image_place *place, bool whole);

/* Of a session: with what lies in its time, also of recordings before this one. NULL: all of this recording. */
int stave__image_write(stave_sink sink, const struct stave_session *session, stave_error *error);

#endif
