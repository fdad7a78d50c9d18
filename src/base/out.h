/* base/out.h - buffered writing to a sink.
 *
 *     struct stave__out out;
 *     stave__out_init(&out, sink);
 *     stave__out_text(&out, "name,type\n");
 *     char *room = stave__out_room(&out, 64);                // write up to 64 bytes there ...
 *     stave__out_wrote(&out, stave__shortest(us, room));     // ... and say how many
 *     if ((status = stave__out_finish(&out, error)) < 0) ...
 *
 * The first failure of the sink sticks; what is written after it is dropped.  */
#ifndef STAVE_BASE_OUT_H
#define STAVE_BASE_OUT_H

#include <assert.h>
#include <string.h>

#include "stave/status.h"

#define STAVE__OUT_SIZE (64 * 1024)

struct stave__out {
    stave_sink sink;
    int status;
    size_t used;
    char buffer[STAVE__OUT_SIZE];
};

void stave__out_init(struct stave__out *out, stave_sink sink);

/* Hands what is buffered to the sink. */
void stave__out_flush(struct stave__out *out);

/* The same at the end; the sink's failure becomes the caller's error. */
int stave__out_finish(struct stave__out *out, stave_error *error);

/* Any number of bytes. */
void stave__out_bytes(struct stave__out *out, const void *bytes, size_t size);

static inline void stave__out_text(struct stave__out *out, const char *text)
{
    stave__out_bytes(out, text, strlen(text));
}

/* Room for `size` bytes, STAVE__OUT_SIZE at most. */
static inline char *stave__out_room(struct stave__out *out, size_t size)
{
    assert(size <= sizeof out->buffer);
    if (size > sizeof out->buffer - out->used)
        stave__out_flush(out);
    return out->buffer + out->used;
}

static inline void stave__out_wrote(struct stave__out *out, size_t size)
{
    out->used += size;
}

#endif
