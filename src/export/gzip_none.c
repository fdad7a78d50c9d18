/* Without zlib: nothing is packed. pprof, and what reads its files, takes them plain too. */
#include "export/gzip.h"

#include <stdlib.h>

struct stave__gzip {
    stave_sink sink;
};

struct stave__gzip *stave__gzip_new(stave_sink sink)
{
    struct stave__gzip *gzip = malloc(sizeof *gzip);
    if (gzip != NULL)
        gzip->sink = sink;
    return gzip;
}

stave_sink stave__gzip_sink(struct stave__gzip *gzip)
{
    return gzip->sink;
}

int stave__gzip_finish(struct stave__gzip *gzip, stave_error *error)
{
    (void)gzip;
    (void)error;
    return STAVE_OK;
}

void stave__gzip_free(struct stave__gzip *gzip)
{
    free(gzip);
}
