/* Blocks on disk: in the trace's file, and in the temporary one. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"
#include "store/column.h"
#include "store/crc32c.h"
#include "trace/blocks.h"
#include "trace/packing.h"

static const char no_memory[] = "no memory to decode it";
static const char unknown_codec[] =
    "compressed in a way that this version does not know; use a newer one";
const char stave__no_zstd[] = "compressed with zstd, which this build lacks; build it with libzstd";

/* What is wrong may not be the block's fault (no memory, no zstd): then that is the error. */
static int fault_of(const char *wrong, uint64_t offset, stave_error *error)
{
    if (wrong == no_memory)
        return stave__fail_memory(error);
    if (wrong == unknown_codec || wrong == stave__no_zstd)
        return stave__fail(error, STAVE_E_STATE, offset, "a block is %s", wrong);
    return STAVE_OK;
}

static int reserve_numbers(struct stave__blocks *blocks, uint64_t count, stave_error *error)
{
    if (count > STAVE__COLUMN_ROWS_MAX)
        count = STAVE__COLUMN_ROWS_MAX;
    if (count <= blocks->numbers_size)
        return STAVE_OK;
    uint64_t *larger = realloc(blocks->numbers, count * sizeof *larger);
    if (larger == NULL)
        return stave__fail_memory(error);
    blocks->numbers = larger;
    blocks->numbers_size = (uint32_t)count;
    return STAVE_OK;
}

int stave__blocks_reserve(struct stave__blocks *blocks, size_t size, uint64_t numbers,
                          stave_error *error)
{
    int status = reserve_numbers(blocks, numbers, error);
    if (status < 0 || size <= blocks->bytes_size)
        return status;
    uint8_t *larger = realloc(blocks->bytes, size);
    if (larger == NULL)
        return stave__fail_memory(error);
    blocks->bytes = larger;
    blocks->bytes_size = size;
    return STAVE_OK;
}

int stave__blocks_reserve_for(struct stave__blocks *blocks, const stave_block *block,
                              stave_error *error)
{
    uint32_t numbers = block->rows > block->open_count ? block->rows : block->open_count;
    return stave__blocks_reserve(blocks, stave__block_bound(block), numbers, error);
}

/* ---- to disk --------------------------------------------------------------------------------- */

int stave__entry_store(struct stave__blocks *blocks, struct stave__entry *entry, stave_error *error)
{
    stave_block block;
    stave__entry_show(entry, 0, &block);
    int status = stave__blocks_reserve_for(blocks, &block, error);
    if (status >= 0 && blocks->spill_fd < 0)
        status = stave__os_temporary(blocks->temporary_dir, &blocks->spill_fd, error);
    if (status < 0)
        return status;
    size_t size = stave__block_encode(&block, blocks->bytes, blocks->numbers);
    status = stave__os_write_at(blocks->spill_fd, blocks->bytes, size, blocks->spill_size, error);
    if (status < 0)
        return status;
    entry->stored_at = blocks->spill_size;
    entry->stored_size = (uint32_t)size;
    blocks->spill_size += size;
    return STAVE_OK;
}

/* ---- back ------------------------------------------------------------------------------------ */

static const char *check_bytes(const struct stave__blocks *blocks, uint32_t size,
                               struct stave__header *header)
{
    if (!stave__header_read(blocks->bytes, header))
        return "a block's header is not sound";
    if (header->size + STAVE__HEADER_SIZE != size)
        return "a block has another size than the index says";
    if (stave__crc32c(0, blocks->bytes + STAVE__HEADER_SIZE, header->size) != header->body_crc)
        return "a block's checksum is wrong";
    return NULL;
}

int stave__blocks_read(struct stave__blocks *blocks, uint64_t offset, uint32_t size,
                       const char **wrong, stave_error *error)
{
    struct stave__header header;
    int status = stave__blocks_reserve(blocks, size, 0, error);
    if (status < 0)
        return status;
    if (stave__os_read_at(blocks->file_fd, blocks->bytes, size, offset, NULL) < 0)
        *wrong = "it could not be read";
    else
        *wrong = check_bytes(blocks, size, &header);
    if (*wrong != NULL)
        return STAVE_OK;
    uint64_t numbers = header.rows > header.open_count ? header.rows : header.open_count;
    return reserve_numbers(blocks, numbers, error);
}

static const char another_block[] = "a block is not the one that the index names";

const char *stave__blocks_compare(const struct stave__blocks *blocks,
                                  const struct stave__header *header)
{
    struct stave__header own;
    bool same = stave__header_read(blocks->bytes, &own) && memcmp(&own, header, sizeof own) == 0;
    return same ? NULL : another_block;
}

/* The body of the block in blocks->bytes; where it is packed, unpacked into memory to be freed. NULL,
 * or what is wrong. */
static const char *unpack(const struct stave__blocks *blocks, const struct stave__header *header,
                          const uint8_t **body, void **memory)
{
    *body = blocks->bytes + STAVE__HEADER_SIZE;
    *memory = NULL;
    if (header->codec == STAVE__CODEC_NONE)
        return NULL;
    if (header->codec != STAVE__CODEC_ZSTD)
        return unknown_codec;
    *memory = malloc(header->raw_size + 1);
    if (*memory == NULL)
        return no_memory;
    const char *wrong = stave__unpack(*memory, header->raw_size, *body, header->size);
    *body = *memory;
    return wrong;
}

uint32_t stave__header_crc(const struct stave__header *header)
{
    struct stave__header copy = *header;
    copy.lane = 0;
    return stave__crc32c(0, &copy, sizeof copy);
}

/* But for the lane: rows may have been given to another one after their block was written. */
static bool is_the_same(const struct stave__entry *entry, const struct stave__header *header)
{
    if (entry->in_file && entry->header_crc != stave__header_crc(header))
        return false;
    return header->kind == entry->kind && header->rows == entry->rows &&
           header->boot == entry->boot && header->open_count == entry->open_count &&
           header->first == (uint64_t)entry->first && header->last == (uint64_t)entry->last &&
           (!entry->in_file ||
            (header->first_order == entry->first_order && header->begun == entry->begun));
}

/* Into memory of its own; the entry gets it only when all is sound. */
static const char *decode(struct stave__blocks *blocks, struct stave__entry *entry,
                          const struct stave__header *header, const uint8_t *body)
{
    uint32_t mask = (uint32_t)header->columns & ((1u << STAVE_COLUMNS) - 1);
    struct stave__limits all = {.strings = UINT32_MAX, .lanes = UINT32_MAX};
    uint32_t rows = entry->rows;
    void *data = malloc(stave__columns_size(mask, rows) + 1); /* there may be no rows */
    stave_open_span *open = NULL;
    if (entry->open_count > 0)
        open = calloc(entry->open_count, sizeof *open);
    const char *wrong = no_memory;
    if (data != NULL && (open != NULL || entry->open_count == 0)) {
        union stave__columns columns;
        stave__columns_lay_out(&columns, mask, rows, data);
        wrong = stave__block_decode(header, body, entry->in_file ? &blocks->limits : &all, &columns,
                                    open, blocks->numbers);
    }
    if (wrong != NULL) {
        free(data);
        free(open);
        return wrong;
    }
    entry->columns = mask;
    entry->capacity = rows;
    entry->data = data;
    entry->open = open;
    return NULL;
}

/* What is in blocks->bytes becomes the entry's columns. */
static const char *take_bytes(struct stave__blocks *blocks, struct stave__entry *entry)
{
    struct stave__header header;
    if (!stave__header_read(blocks->bytes, &header))
        return "a block's header is not sound";
    const char *wrong = stave__block_check(&header);
    if (wrong != NULL)
        return wrong;
    if (!is_the_same(entry, &header))
        return another_block;
    const uint8_t *body;
    void *memory;
    wrong = unpack(blocks, &header, &body, &memory);
    if (wrong == NULL)
        wrong = decode(blocks, entry, &header, body);
    free(memory);
    return wrong;
}

int stave__entry_damage(struct stave__blocks *blocks, struct stave__entry *entry, const char *what,
                        stave_error *error)
{
    stave_damage damage = {
        .offset = entry->stored_at,
        .size = entry->stored_size,
        .rows = entry->rows,
        .what = what,
    };
    int status = stave__blocks_damage(blocks, &damage, error);
    entry->damaged = status >= 0;
    return status;
}

static int load_from_file(struct stave__blocks *blocks, struct stave__entry *entry,
                          stave_error *error)
{
    const char *wrong;
    int status = stave__blocks_read(blocks, entry->stored_at, entry->stored_size, &wrong, error);
    if (status < 0)
        return status;
    if (wrong == NULL)
        wrong = take_bytes(blocks, entry);
    if (wrong == NULL)
        return 1;
    status = fault_of(wrong, entry->stored_at, error);
    if (status < 0)
        return status;
    status = stave__entry_damage(blocks, entry, wrong, error);
    return status < 0 ? status : 0;
}

int stave__entry_load(struct stave__blocks *blocks, struct stave__entry *entry, stave_error *error)
{
    if (entry->in_file)
        return load_from_file(blocks, entry, error);
    uint32_t numbers = entry->rows > entry->open_count ? entry->rows : entry->open_count;
    int status = stave__blocks_reserve(blocks, entry->stored_size, numbers, error);
    if (status >= 0)
        status = stave__os_read_at(blocks->spill_fd, blocks->bytes, entry->stored_size,
                                   entry->stored_at, error);
    if (status < 0)
        return status;
    const char *wrong = take_bytes(blocks, entry);
    status = fault_of(wrong, entry->stored_at, error);
    if (status < 0)
        return status;
    if (wrong != NULL)
        return stave__fail(error, STAVE_E_IO, entry->stored_at, "the temporary file: %s", wrong);
    return 1;
}
