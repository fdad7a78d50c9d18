/* trace/packing.h - zstd, which only the host side knows: packing_zstd.c, or packing_none.c where it
 * was not built in. */
#ifndef STAVE_TRACE_PACKING_H
#define STAVE_TRACE_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include "stave/status.h"

/* Bytes that packing `size` bytes may need; 0: zstd was not built in. */
size_t stave__pack_bound(size_t size);

/* The packed size; 0 when it could not be done. */
size_t stave__pack(void *to, size_t room, const void *from, size_t size, int level);

/* What stave__unpack() says where zstd was not built in: not the data's fault. */
extern const char stave__no_zstd[];

/* Unpacks exactly `raw_size` bytes. NULL, or what is wrong in static text. */
const char *stave__unpack(void *to, size_t raw_size, const void *from, size_t size);

#endif
