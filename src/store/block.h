/* store/block.h - one block of rows to bytes and back (docs/format.md, "Blocks of rows").
 *
 *     uint8_t *bytes = malloc(stave__block_bound(block));
 *     size_t size = stave__block_encode(block, bytes, scratch);
 *
 *     stave__header_read(bytes, &header) ...
 *     stave__columns_lay_out(&columns, header.columns, header.rows, data);
 *     wrong = stave__block_decode(&header, body, &limits, &columns, open, scratch);
 *
 * `scratch` is room for as many numbers as the block has rows, or open spans.  */
#ifndef STAVE_STORE_BLOCK_H
#define STAVE_STORE_BLOCK_H

#include "store/header.h"
#include "store/rows.h"

size_t stave__block_bound(const stave_block *block);

/* The whole block with its header, not packed. At most STAVE__COLUMN_ROWS_MAX rows. */
size_t stave__block_encode(const stave_block *block, uint8_t *bytes, uint64_t *scratch);

/* How much of the tables is known: what rows may refer to. */
struct stave__limits {
    uint32_t strings, lanes;
    uint32_t lost_name; /* instead of string ids beyond it, where names were lost; 0: not sound */
};

/* Whether a block of rows can be one at all, before room is made for it. NULL when it is, else what
 * is wrong, in static text. */
const char *stave__block_check(const struct stave__header *header);

/* The body of a block that was checked, its CRC right, unpacked. NULL when it is sound, else what is
 * wrong, in static text. `open` has room for header->open_count. Columns of later versions are passed
 * over; whether the lane and boot are there is for the caller to see. */
const char *stave__block_decode(const struct stave__header *header, const uint8_t *body,
                                const struct stave__limits *limits,
                                const union stave__columns *columns, stave_open_span *open,
                                uint64_t *scratch);

/* Fills in busy, longest, longest_name and deepest. */
void stave__block_summarize(const stave_block *block, struct stave__header *header);

#endif
