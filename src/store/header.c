#include "store/header.h"

#include <assert.h>
#include <string.h>

#include "store/bytes.h"
#include "store/column.h"
#include "store/crc32c.h"

#define CRC_AT (STAVE__HEADER_SIZE - 4)

static const uint8_t block_magic[4] = {'S', 'T', 'V', 'B'};
static const uint8_t foot_magic[4] = {'S', 'T', 'V', 'X'};
/* The first byte shows a transfer that clears the eighth bit, the line ends one that changes them. */
static const uint8_t file_magic[8] = {0x89, 'S', 'T', 'V', '\r', '\n', 0x1a, '\n'};

static const struct field {
    uint8_t place, bits;
} fields[STAVE__HEADER_FIELD_COUNT] = {
#define FIELD(name, place, bits) {place, bits},
    STAVE__HEADER_FIELDS(FIELD)
#undef FIELD
};

void stave__header_write(const struct stave__header *header, uint8_t *bytes)
{
    memset(bytes, 0, STAVE__HEADER_SIZE);
    memcpy(bytes, block_magic, sizeof block_magic);
    struct stave__header copy = *header;
    for (uint32_t i = 0; i < STAVE__HEADER_FIELD_COUNT; i++) {
        uint64_t value = *stave__header_field(&copy, i);
        uint8_t *at = bytes + fields[i].place;
        assert(fields[i].bits == 64 || value >> fields[i].bits == 0);
        if (fields[i].bits == 8)
            *at = (uint8_t)value;
        else if (fields[i].bits == 32)
            stave__put_u32(at, (uint32_t)value);
        else
            stave__put_u64(at, value);
    }
    stave__put_u32(bytes + CRC_AT, stave__crc32c(0, bytes, CRC_AT));
}

size_t stave__header_seal(struct stave__header *header, uint8_t *block, size_t body_size)
{
    assert(body_size <= STAVE__BODY_MAX);
    header->version = STAVE__BLOCK_VERSION;
    header->codec = STAVE__CODEC_NONE;
    header->size = header->raw_size = body_size;
    header->body_crc = stave__crc32c(0, block + STAVE__HEADER_SIZE, body_size);
    stave__header_write(header, block);
    return STAVE__HEADER_SIZE + body_size;
}

bool stave__header_read(const uint8_t *bytes, struct stave__header *header)
{
    if (memcmp(bytes, block_magic, sizeof block_magic) != 0 ||
        stave__get_u32(bytes + CRC_AT) != stave__crc32c(0, bytes, CRC_AT))
        return false;
    for (uint32_t i = 0; i < STAVE__HEADER_FIELD_COUNT; i++) {
        const uint8_t *at = bytes + fields[i].place;
        *stave__header_field(header, i) = fields[i].bits == 8    ? *at
                                          : fields[i].bits == 32 ? stave__get_u32(at)
                                                                 : stave__get_u64(at);
    }
    return header->version > 0 && header->size <= STAVE__BODY_MAX;
}

bool stave__header_is_sane(const struct stave__header *header)
{
    return header->rows <= STAVE__BLOCK_ROWS_MAX && header->raw_size <= STAVE__BODY_MAX &&
           header->size <= STAVE__BODY_MAX &&
           header->raw_size <= (uint64_t)STAVE__PACKING_MAX * header->size &&
           header->open_count <= STAVE__COLUMN_ROWS_MAX &&
           (header->codec != STAVE__CODEC_NONE || header->raw_size == header->size);
}

/* ---- the file's ends ------------------------------------------------------------------------- */

void stave__file_head_write(uint8_t *bytes)
{
    memcpy(bytes, file_magic, sizeof file_magic);
    stave__put_u32(bytes + 8, STAVE__FILE_VERSION);
    stave__put_u32(bytes + 12, stave__crc32c(0, bytes, 12));
}

uint32_t stave__file_head_read(const uint8_t *bytes)
{
    if (memcmp(bytes, file_magic, sizeof file_magic) != 0 ||
        stave__get_u32(bytes + 12) != stave__crc32c(0, bytes, 12))
        return 0;
    return stave__get_u32(bytes + 8);
}

void stave__file_foot_write(uint8_t *bytes, uint64_t index_offset, uint64_t blocks)
{
    stave__put_u64(bytes, index_offset);
    stave__put_u64(bytes + 8, blocks);
    stave__put_u32(bytes + 16, stave__crc32c(0, bytes, 16));
    memcpy(bytes + 20, foot_magic, sizeof foot_magic);
}

bool stave__file_foot_read(const uint8_t *bytes, uint64_t *index_offset, uint64_t *blocks)
{
    if (memcmp(bytes + 20, foot_magic, sizeof foot_magic) != 0 ||
        stave__get_u32(bytes + 16) != stave__crc32c(0, bytes, 16))
        return false;
    *index_offset = stave__get_u64(bytes);
    *blocks = stave__get_u64(bytes + 8);
    return true;
}
