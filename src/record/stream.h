/* record/stream.h - what is recorded, to a file as it comes: the drain, a thread of its own.
 *
 *     stave__stream_begin(&stream, path, &limits, &error)    // the file is there, the drain runs
 *     stave__stream_end(stream, &error)                      // it has written all; what went wrong first
 *
 * The drain is a reader like a snapshot's (record/image.h): nobody waits for it, and it waits for nobody. What is
 * given up in memory before it came is missing in the file, and counted. It looks for full chunks every few
 * milliseconds, sooner when there are many; for all else every 100 ms. When a file is full, or cannot be written,
 * recording goes on in memory (record/stream_file.h).  */
#ifndef STAVE_RECORD_STREAM_H
#define STAVE_RECORD_STREAM_H

#include "stave/stave.h"

struct stave__stream;

int stave__stream_begin(struct stave__stream **made, const char *path,
                        const stave_file_config *limits, stave_error *error);
int stave__stream_end(struct stave__stream *stream, stave_error *error);

/* From its next round on. */
void stave__stream_limit(struct stave__stream *stream, const stave_file_config *limits);

/* Around fork(2): no file is begun meanwhile. */
void stave__stream_hold(struct stave__stream *stream);
void stave__stream_let_go(struct stave__stream *stream);
/* Instead of that in the child, which has no drain: closes its descriptors of files. */
void stave__stream_leave(struct stave__stream *stream);

#endif
