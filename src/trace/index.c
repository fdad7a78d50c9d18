/* A file's blocks by its index. */
#include <stdlib.h>

#include "base/error.h"
#include "base/os.h"
#include "trace/file.h"

struct walk {
    stave_trace *trace;
    uint64_t at;           /* the next block of the index */
    uint64_t index_offset; /* where the index begins */
    uint64_t end;          /* of the last block that it named */
    uint64_t count;        /* blocks that it named */
    bool sound;
};

/* Blocks that the index names must stand one behind another between the file's head and the index, so
 * that it hides none; and none may be passed off as an index. */
static bool is_right(struct walk *walk, const struct stave__indexed *row)
{
    bool is_index = row->header.kind == STAVE__INDEX && row->header.version <= STAVE__BLOCK_VERSION;
    if (is_index || row->header.version == 0 || row->offset != walk->end ||
        row->offset > walk->index_offset || row->header.size > STAVE__BODY_MAX ||
        walk->index_offset - row->offset < STAVE__HEADER_SIZE + row->header.size)
        return false;
    walk->end = row->offset + STAVE__HEADER_SIZE + row->header.size;
    return true;
}

static int take_rows(struct walk *walk, const struct stave__indexed *rows, uint32_t count,
                     stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < count && status >= 0; i++) {
        walk->sound = is_right(walk, &rows[i]);
        if (!walk->sound)
            return STAVE_OK;
        status = stave__file_take(walk->trace, rows[i].offset, &rows[i].header, error);
    }
    return status;
}

/* Reads the block of the index at walk->at into blocks->bytes. */
static int read_block(struct walk *walk, struct stave__header *h, stave_error *error)
{
    struct stave__blocks *blocks = &walk->trace->blocks;
    uint8_t bytes[STAVE__HEADER_SIZE];
    const char *wrong = NULL;
    walk->sound = stave__os_read_at(blocks->file_fd, bytes, sizeof bytes, walk->at, NULL) >= 0 &&
                  stave__header_read(bytes, h) && h->version <= STAVE__BLOCK_VERSION &&
                  h->kind == STAVE__INDEX && h->codec == STAVE__CODEC_NONE &&
                  stave__header_is_sane(h) && h->rows > 0 &&
                  h->size <= walk->trace->file->size - walk->at - sizeof bytes;
    if (!walk->sound)
        return STAVE_OK;
    int status =
        stave__blocks_read(blocks, walk->at, (uint32_t)h->size + STAVE__HEADER_SIZE, &wrong, error);
    walk->sound = wrong == NULL;
    return status;
}

/* Its rows go into memory of their own, since tables are read on the way. */
static int take_block(struct walk *walk, stave_error *error)
{
    const struct stave__blocks *blocks = &walk->trace->blocks;
    struct stave__header h;
    int status = read_block(walk, &h, error);
    if (status < 0 || !walk->sound)
        return status;
    struct stave__indexed *rows = malloc(h.rows * sizeof *rows);
    if (rows == NULL)
        return stave__fail_memory(error);
    walk->sound =
        stave__index_decode(&h, blocks->bytes + STAVE__HEADER_SIZE, rows, blocks->numbers);
    if (walk->sound)
        status = take_rows(walk, rows, (uint32_t)h.rows, error);
    free(rows);
    walk->at += STAVE__HEADER_SIZE + h.size;
    walk->count += h.rows;
    return status;
}

int stave__file_take_index(stave_trace *trace, bool *sound, stave_error *error)
{
    uint8_t foot[STAVE__FILE_FOOT_SIZE];
    uint64_t size = trace->file->size, blocks;
    struct walk walk = {.trace = trace, .end = STAVE__FILE_HEAD_SIZE, .sound = true};
    *sound = false;
    if (size < STAVE__FILE_HEAD_SIZE + sizeof foot)
        return STAVE_OK;
    uint64_t foot_at = size - sizeof foot;
    if (stave__os_read_at(trace->blocks.file_fd, foot, sizeof foot, foot_at, NULL) < 0 ||
        !stave__file_foot_read(foot, &walk.index_offset, &blocks) || walk.index_offset > foot_at)
        return STAVE_OK;
    int status = STAVE_OK;
    walk.at = walk.index_offset;
    while (status >= 0 && walk.sound && walk.at < foot_at)
        status = take_block(&walk, error);
    *sound =
        walk.sound && walk.at == foot_at && walk.count == blocks && walk.end == walk.index_offset;
    return status;
}
