/* record/image.h - what is recorded, as a .stave file: of this moment, to a sink.
 *
 * A reader of chunks that others write into: it copies one, and takes what it copied only if the chunk has
 * not been taken anew meanwhile (record/pool.h, P2). Nobody waits for it. */
#ifndef STAVE_RECORD_IMAGE_H
#define STAVE_RECORD_IMAGE_H

#include "stave/status.h"

int stave__image_write(stave_sink sink, stave_error *error);

#endif
