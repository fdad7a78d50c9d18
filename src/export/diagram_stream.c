#include "export/diagram_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* zlib's own default. A million spans take 0.05 s less at level 1, and larger pages where they are
 * regular. */
#define LEVEL 6

/* ---- zlib's memory --------------------------------------------------------------------------- */

static void *allocate(void *context, unsigned count, unsigned size)
{
    (void)context;
    return calloc(count, size);
}

static void release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

struct stave__stream *stave__stream_new(struct stave__out *out)
{
    struct stave__stream *stream = malloc(sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->out = out;
    stream->raw_used = 0;
    stream->z = (z_stream){.zalloc = allocate, .zfree = release};
    if (deflateInit(&stream->z, LEVEL) != Z_OK) {
        free(stream);
        return NULL;
    }
    stream->z.next_out = stream->packed;
    stream->z.avail_out = sizeof stream->packed;
    return stream;
}

void stave__stream_free(struct stave__stream *stream)
{
    if (stream == NULL)
        return;
    deflateEnd(&stream->z);
    free(stream);
}

/* ---- base64 (RFC 4648) ----------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes as four digits. */
static void put_group(char *to, const unsigned char *from)
{
    uint32_t bits = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
    for (int i = 0; i < 4; i++)
        to[i] = digits[bits >> (18 - 6 * i) & 63];
}

/* The one or two bytes behind the last whole group. */
static void put_rest(struct stave__out *out, const unsigned char *from, size_t size)
{
    unsigned char group[3] = {0};
    memcpy(group, from, size);
    char *room = stave__out_room(out, 4);
    put_group(room, group);
    memset(room + 1 + size, '=', 3 - size);
    stave__out_wrote(out, 4);
}

static void put_packed(struct stave__stream *stream)
{
    size_t size = sizeof stream->packed - stream->z.avail_out, whole = size / 3;
    char *room = stave__out_room(stream->out, 4 * whole);
    for (size_t i = 0; i < whole; i++)
        put_group(room + 4 * i, stream->packed + 3 * i);
    stave__out_wrote(stream->out, 4 * whole);
    if (size % 3 != 0)
        put_rest(stream->out, stream->packed + 3 * whole, size % 3);
    stream->z.next_out = stream->packed;
    stream->z.avail_out = sizeof stream->packed;
}

/* ---- packing --------------------------------------------------------------------------------- */

/* All of `size` bytes, and with Z_FINISH all that is still in zlib. Full buffers alone are handed on, so
 * that groups are whole until the end. After a failure of the sink there is no use in packing. */
static void pack(struct stave__stream *stream, const void *bytes, size_t size, int flush)
{
    z_stream *z = &stream->z;
    z->next_in = (const Bytef *)bytes;
    z->avail_in = (uInt)size;
    bool full = true;
    while (full && stream->out->status >= 0) {
        deflate(z, flush);
        full = z->avail_out == 0;
        if (full)
            put_packed(stream);
    }
}

void stave__stream_flush(struct stave__stream *stream)
{
    pack(stream, stream->raw, stream->raw_used, Z_NO_FLUSH);
    stream->raw_used = 0;
}

void stave__stream_finish(struct stave__stream *stream)
{
    pack(stream, stream->raw, stream->raw_used, Z_FINISH);
    put_packed(stream);
}

void stave__stream_d(struct stave__stream *stream, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (stream->raw_used > STAVE__STREAM_RAW - sizeof bits)
        stave__stream_flush(stream);
    for (size_t i = 0; i < sizeof bits; i++)
        stream->raw[stream->raw_used++] = (unsigned char)(bits >> 8 * i);
}

void stave__stream_text(struct stave__stream *stream, const char *text, size_t size)
{
    stave__stream_u(stream, size);
    if (size > STAVE__STREAM_RAW - stream->raw_used)
        stave__stream_flush(stream);
    if (size > STAVE__STREAM_RAW) {
        pack(stream, text, size, Z_NO_FLUSH);
        return;
    }
    memcpy(stream->raw + stream->raw_used, text, size);
    stream->raw_used += size;
}
