/* export/diagram_stream.h - numbers and texts into a page: packed by zlib, as base64.
 *
 *     struct stave__stream *stream = stave__stream_new(&out);          // NULL: out of memory
 *     stave__stream_u(stream, 1);
 *     stave__stream_finish(stream);                                    // the last bytes
 *     stave__stream_free(stream);
 *
 * A failure of the sink sticks in `out`, as everywhere; what is written after it is dropped.  */
#ifndef STAVE_EXPORT_DIAGRAM_STREAM_H
#define STAVE_EXPORT_DIAGRAM_STREAM_H

#define ZLIB_CONST
#include <zlib.h>

#include "base/out.h"

#define STAVE__STREAM_RAW (64 * 1024)
#define STAVE__STREAM_PACKED (3 * 8 * 1024) /* whole groups of base64 */

struct stave__stream {
    struct stave__out *out;
    z_stream z;
    size_t raw_used;
    unsigned char raw[STAVE__STREAM_RAW];
    unsigned char packed[STAVE__STREAM_PACKED];
};

struct stave__stream *stave__stream_new(struct stave__out *out);
void stave__stream_finish(struct stave__stream *stream);
void stave__stream_free(struct stave__stream *stream); /* takes NULL */

/* Packs what is in `raw`. */
void stave__stream_flush(struct stave__stream *stream);

#define STAVE__STREAM_U_MAX 10 /* bytes */

/* An unsigned LEB128 number. */
static inline void stave__stream_u(struct stave__stream *stream, uint64_t number)
{
    if (stream->raw_used > STAVE__STREAM_RAW - STAVE__STREAM_U_MAX)
        stave__stream_flush(stream);
    unsigned char *at = stream->raw + stream->raw_used;
    for (; number >= 0x80; number >>= 7)
        *at++ = (unsigned char)(number | 0x80);
    *at++ = (unsigned char)number;
    stream->raw_used = (size_t)(at - stream->raw);
}

/* A signed one: zigzag. */
static inline void stave__stream_s(struct stave__stream *stream, int64_t number)
{
    uint64_t twice = (uint64_t)number << 1;
    stave__stream_u(stream, number < 0 ? ~twice : twice);
}

/* 8 bytes, little-endian. */
void stave__stream_d(struct stave__stream *stream, double number);

/* The number of bytes, then they. */
void stave__stream_text(struct stave__stream *stream, const char *text, size_t size);

#endif
