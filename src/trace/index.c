/* A file's blocks by its index. */
#include <stdlib.h>

#include "base/error.h"
#include "base/os.h"
#include "trace/file.h"

/* Blocks that the index names stand one behind another between the file's head and the index, and are no
 * index: one that it does not name, or passes off as one, would be lost without a word. */
static bool is_right(const struct stave__indexed *row, uint64_t *end, uint64_t index_offset)
{
    const struct stave__header *h = &row->header;
    if ((h->kind == STAVE__INDEX && h->version <= STAVE__BLOCK_VERSION) || row->offset != *end ||
        row->offset > index_offset || h->size > STAVE__BODY_MAX ||
        index_offset - row->offset < STAVE__HEADER_SIZE + h->size)
        return false;
    *end = row->offset + STAVE__HEADER_SIZE + row->header.size;
    return true;
}

static int take_rows(stave_trace *trace, const struct stave__indexed *rows, uint32_t count,
                     uint64_t *end, uint64_t index_offset, bool *sound, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < count && status >= 0; i++) {
        if (!is_right(&rows[i], end, index_offset)) {
            *sound = false;
            return STAVE_OK;
        }
        status = stave__file_take(trace, rows[i].offset, &rows[i].header, error);
    }
    return status;
}

/* The index block at *at. Its rows are taken from memory of its own, since tables are read on the way. */
static int take_index_block(stave_trace *trace, uint64_t *at, uint64_t *end, uint64_t index_offset,
                            uint64_t *count, bool *sound, stave_error *error)
{
    struct stave__blocks *blocks = &trace->blocks;
    struct stave__header h;
    uint8_t bytes[STAVE__HEADER_SIZE];
    const char *wrong = NULL;
    *sound = stave__os_read_at(blocks->file_fd, bytes, sizeof bytes, *at, NULL) >= 0 &&
             stave__header_read(bytes, &h) && h.kind == STAVE__INDEX &&
             h.codec == STAVE__CODEC_NONE && stave__header_is_sane(&h) && h.rows > 0 &&
             h.size <= trace->file->size - *at - sizeof bytes;
    if (!*sound)
        return STAVE_OK;
    int status =
        stave__blocks_read(blocks, *at, (uint32_t)h.size + STAVE__HEADER_SIZE, &wrong, error);
    struct stave__indexed *rows = malloc(h.rows * sizeof *rows);
    if (status >= 0 && rows == NULL)
        status = stave__fail_memory(error);
    if (status >= 0) {
        *sound = wrong == NULL &&
                 stave__index_decode(&h, blocks->bytes + STAVE__HEADER_SIZE, rows, blocks->numbers);
        if (*sound)
            status = take_rows(trace, rows, (uint32_t)h.rows, end, index_offset, sound, error);
    }
    free(rows);
    *at += STAVE__HEADER_SIZE + h.size;
    *count += h.rows;
    return status;
}

int stave__file_take_index(stave_trace *trace, bool *sound, stave_error *error)
{
    const struct stave__file *file = trace->file;
    uint8_t foot[STAVE__FILE_FOOT_SIZE];
    uint64_t index_offset, blocks, count = 0, end = STAVE__FILE_HEAD_SIZE;
    *sound = false;
    if (file->size < STAVE__FILE_HEAD_SIZE + sizeof foot)
        return STAVE_OK;
    uint64_t foot_at = file->size - sizeof foot;
    if (stave__os_read_at(trace->blocks.file_fd, foot, sizeof foot, foot_at, NULL) < 0 ||
        !stave__file_foot_read(foot, &index_offset, &blocks) || index_offset > foot_at)
        return STAVE_OK;
    uint64_t at = index_offset;
    int status = STAVE_OK;
    *sound = true;
    while (status >= 0 && *sound && at < foot_at)
        status = take_index_block(trace, &at, &end, index_offset, &count, sound, error);
    *sound = *sound && at == foot_at && count == blocks && end == index_offset;
    return status;
}
