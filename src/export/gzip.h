/* export/gzip.h - a sink that packs what goes through it. Where zlib was not built in (gzip_none.c) it passes it on as it is.
 *
 *     struct stave__gzip *gzip = stave__gzip_new(sink);       // NULL: out of memory
 *     ... stave__gzip_sink(gzip) ...
 *     if (stave__gzip_finish(gzip, error) < 0) ...
 *     stave__gzip_free(gzip);
 *
 * Source  RFC 1952. The time in its header is 0: the same bytes make the same file.  */
#ifndef STAVE_EXPORT_GZIP_H
#define STAVE_EXPORT_GZIP_H

#include "stave/status.h"

struct stave__gzip;

struct stave__gzip *stave__gzip_new(stave_sink sink);
stave_sink stave__gzip_sink(struct stave__gzip *gzip);
int stave__gzip_finish(struct stave__gzip *gzip, stave_error *error);
void stave__gzip_free(struct stave__gzip *gzip);

#endif
