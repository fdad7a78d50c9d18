/* store/header.h - what stands in front of every block of a file, and the file's own first and last
 * bytes (docs/format.md). */
#ifndef STAVE_STORE_HEADER_H
#define STAVE_STORE_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAVE__FILE_HEAD_SIZE 16
#define STAVE__FILE_FOOT_SIZE 24
#define STAVE__FILE_VERSION 1

#define STAVE__HEADER_SIZE 100
#define STAVE__BLOCK_VERSION 1
#define STAVE__BODY_MAX ((uint32_t)32 * 1024 * 1024) /* bytes of a body, packed and unpacked */
#define STAVE__BLOCK_ROWS_MAX 65536u
#define STAVE__PACKING_MAX 256 /* times that a body may grow when it is unpacked */

/* Kinds of blocks beside the rows' (stave/block.h): the tables that rows refer to, and the index. */
enum stave__table_kind {
    STAVE__STRINGS = 32,
    STAVE__LANES = 33,
    STAVE__PROCESSES = 34,
    STAVE__BOOTS = 35,
    STAVE__ANCHORS = 36,
    STAVE__MODULES = 37,
    STAVE__PROPERTIES = 38,
    STAVE__PLACES = 39,
    STAVE__RULES = 40, /* docs/format.md, "Rules" */
    STAVE__DEPENDENCIES = 41,
    STAVE__SESSIONS = 42,
    STAVE__SUMMARIES = 43,
    STAVE__TABLES_END = 44,
    STAVE__INDEX = 63,
};

enum stave__codec {
    STAVE__CODEC_NONE = 0,
    STAVE__CODEC_ZSTD = 1,
};

/* name, its place in the header, its bits. In front of them: "STVB"; behind: CRC. */
#define STAVE__HEADER_FIELDS(X)                                                                    \
    X(version, 4, 8)                                                                               \
    X(kind, 5, 8)                                                                                  \
    X(codec, 6, 8)                                                                                 \
    X(size, 8, 32)                                                                                 \
    X(raw_size, 12, 32)                                                                            \
    X(rows, 16, 32)                                                                                \
    X(columns, 20, 32)                                                                             \
    X(lane, 24, 32)                                                                                \
    X(boot, 28, 32)                                                                                \
    X(first, 32, 64)                                                                               \
    X(last, 40, 64)                                                                                \
    X(first_order, 48, 64)                                                                         \
    X(begun, 56, 64)                                                                               \
    X(open_count, 64, 32)                                                                          \
    X(deepest, 68, 32)                                                                             \
    X(busy, 72, 64)                                                                                \
    X(longest, 80, 64)                                                                             \
    X(longest_name, 88, 32)                                                                        \
    X(body_crc, 92, 32)

/* All 64 bits wide, so that they can be walked as an array: the index has a column of each. */
struct stave__header {
#define STAVE__HEADER_MEMBER(name, place, bits) uint64_t name;
    STAVE__HEADER_FIELDS(STAVE__HEADER_MEMBER)
#undef STAVE__HEADER_MEMBER
};

#define STAVE__HEADER_FIELD_COUNT (sizeof(struct stave__header) / sizeof(uint64_t))

/* Field i in the order of the table. */
static inline uint64_t *stave__header_field(struct stave__header *header, uint32_t i)
{
    return (uint64_t *)header + i;
}

/* Completes a block whose body stands behind room for its header, and is not packed: version, sizes,
 * CRCs. The block's size. */
size_t stave__header_seal(struct stave__header *header, uint8_t *block, size_t body_size);

/* Writes the header as it is. */
void stave__header_write(const struct stave__header *header, uint8_t *bytes);

/* False when no block begins here. Of a later version only `version`, `kind`, `size` and `body_crc` can be
 * relied on. */
bool stave__header_read(const uint8_t *bytes, struct stave__header *header);

/* Whether sizes and counts are within their limits. */
bool stave__header_is_sane(const struct stave__header *header);

static inline bool stave__header_has_rows(const struct stave__header *header)
{
    return header->kind < 32;
}

/* ---- the file's ends ------------------------------------------------------------------------- */

void stave__file_head_write(uint8_t *bytes);
/* Its version; 0 when this is no .stave file. */
uint32_t stave__file_head_read(const uint8_t *bytes);

void stave__file_foot_write(uint8_t *bytes, uint64_t index_offset, uint64_t blocks);
bool stave__file_foot_read(const uint8_t *bytes, uint64_t *index_offset, uint64_t *blocks);

#endif
