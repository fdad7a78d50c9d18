/* decode/version.h - which version of the wire format a stream is in.
 *
 *     struct stave__version_finder finder = {0};
 *     uint32_t version = stave__version_find(&finder, bytes, size, final);    // 0: more bytes
 *
 * Called again with the same bytes and more behind them. The first frame that is sound in either
 * version and says something decides; after damage, frames are looked for as rule 2 does, in either
 * version. A stream that ends undecided is version 2.  */
#ifndef STAVE_DECODE_VERSION_H
#define STAVE_DECODE_VERSION_H

#include "decode/framer.h"

struct stave__version_finder {
    size_t at;      /* bytes looked at */
    bool searching; /* behind damage, no frame found yet */
    bool framed;    /* a frame was found: the bytes from there on are needed */
    size_t first;   /* where it begins */
};

uint32_t stave__version_find(struct stave__version_finder *finder, const uint8_t *bytes,
                             size_t size, bool final);

/* Bytes at the start that no version can use: damage, for certain. They need not be kept; the
 * finder goes on as if the stream began behind them. */
size_t stave__version_useless(struct stave__version_finder *finder);

#endif
