#define ZLIB_CONST /* its input is not written */
#include "export/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/error.h"

#define ROOM 65536u
#define LEVEL 6
#define WINDOW_GZIP (15 + 16) /* the largest window, gzip's header and foot */
#define MEMORY 8

struct stave__gzip {
    stave_sink sink;
    z_stream stream;
    int status;
    unsigned char room[ROOM];
};

struct stave__gzip *stave__gzip_new(stave_sink sink)
{
    struct stave__gzip *gzip = calloc(1, sizeof *gzip);
    if (gzip == NULL)
        return NULL;
    gzip->sink = sink;
    if (deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, WINDOW_GZIP, MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        free(gzip);
        return NULL;
    }
    return gzip;
}

void stave__gzip_free(struct stave__gzip *gzip)
{
    deflateEnd(&gzip->stream);
    free(gzip);
}

/* Packs what is there, and hands on what came of it. */
static int pack(struct stave__gzip *gzip, int flush)
{
    do {
        gzip->stream.next_out = gzip->room;
        gzip->stream.avail_out = ROOM;
        deflate(&gzip->stream, flush); /* with room it cannot fail */
        size_t size = ROOM - gzip->stream.avail_out;
        if (size > 0 && gzip->status >= 0)
            gzip->status = gzip->sink.write(gzip->sink.context, gzip->room, size);
    } while (gzip->stream.avail_out == 0 && gzip->status >= 0);
    return gzip->status;
}

static int write_gzip(void *context, const void *data, size_t size)
{
    struct stave__gzip *gzip = context;
    const unsigned char *at = data;
    while (size > 0 && gzip->status >= 0) {
        uInt part = size < ROOM ? (uInt)size : ROOM;
        gzip->stream.next_in = at;
        gzip->stream.avail_in = part;
        pack(gzip, Z_NO_FLUSH);
        at += part;
        size -= part;
    }
    return gzip->status;
}

stave_sink stave__gzip_sink(struct stave__gzip *gzip)
{
    return (stave_sink){.write = write_gzip, .context = gzip};
}

int stave__gzip_finish(struct stave__gzip *gzip, stave_error *error)
{
    int status = gzip->status < 0 ? gzip->status : pack(gzip, Z_FINISH);
    return status < 0 ? stave__fail(error, status, 0, "the output could not be written: %s",
                                    stave_status_text(status))
                      : STAVE_OK;
}
