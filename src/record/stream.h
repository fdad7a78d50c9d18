/* record/stream.h - what is recorded, to a file as it comes: the drain, a thread of its own.
 *
 *     stave__stream_begin(&stream, path, &error)         // the file is there, the drain runs
 *     stave__stream_end(stream, &error)                  // it has written all; what went wrong with it
 *
 * The drain is a reader like a snapshot's (record/image.h): nobody waits for it, and it waits for nobody. What is
 * given up in memory before it came is missing in the file, and counted. It looks for full chunks every few
 * milliseconds, sooner when there are many; for all else every 100 ms. When a file cannot be written, recording goes
 * on in memory.  */
#ifndef STAVE_RECORD_STREAM_H
#define STAVE_RECORD_STREAM_H

#include "stave/status.h"

struct stave__stream;

int stave__stream_begin(struct stave__stream **given, const char *path, stave_error *error);
int stave__stream_end(struct stave__stream *stream, stave_error *error);

/* In a child of fork(2), which has no drain: closes its descriptor of the file. */
void stave__stream_leave(struct stave__stream *stream);

#endif
