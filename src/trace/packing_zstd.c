#include <zstd.h>

#include "trace/packing.h"

size_t stave__pack_bound(size_t size)
{
    return ZSTD_compressBound(size);
}

size_t stave__pack(void *to, size_t room, const void *from, size_t size, int level)
{
    size_t packed = ZSTD_compress(to, room, from, size, level);
    return ZSTD_isError(packed) ? 0 : packed;
}

const char *stave__unpack(void *to, size_t raw_size, const void *from, size_t size)
{
    return ZSTD_decompress(to, raw_size, from, size) == raw_size ? NULL : "zstd data not sound";
}
