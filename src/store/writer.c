#include "store/writer.h"

#include <stdlib.h>

#include "base/error.h"
#include "store/column.h"

#define INDEX_ROWS 4096u /* of one block of the index */
#define INDEX_COLUMNS ((uint32_t)(sizeof(struct stave__indexed) / sizeof(uint64_t)))

/* Field i of a row of the index, as column i. */
static uint64_t *index_field(struct stave__indexed *row, uint32_t i)
{
    return i == 0 ? &row->offset : stave__header_field(&row->header, i - 1);
}

static int hand_over(struct stave__writer *writer, const void *bytes, size_t size,
                     stave_error *error)
{
    int status = writer->sink.write(writer->sink.context, bytes, size);
    if (status < 0)
        return stave__fail(error, status, writer->offset, "the output could not be written: %s",
                           stave_status_text(status));
    writer->offset += size;
    return STAVE_OK;
}

int stave__writer_begin(struct stave__writer *writer, stave_sink sink, stave_error *error)
{
    uint8_t head[STAVE__FILE_HEAD_SIZE];
    *writer = (struct stave__writer){
        .sink = sink,
        .blocks = {.row_size = sizeof(struct stave__indexed)},
    };
    stave__file_head_write(head);
    return hand_over(writer, head, sizeof head, error);
}

int stave__writer_put(struct stave__writer *writer, const uint8_t *block, size_t size,
                      stave_error *error)
{
    struct stave__indexed *row = stave__table_add(&writer->blocks);
    if (row == NULL)
        return stave__fail_memory(error);
    row->offset = writer->offset;
    stave__header_read(block, &row->header);
    return hand_over(writer, block, size, error);
}

/* One block of the index, about the rows from `first` on. */
static size_t encode_index(const struct stave__writer *writer, uint32_t first, uint32_t rows,
                           uint8_t *block, uint64_t *values)
{
    struct stave__header header = {.kind = STAVE__INDEX, .rows = rows, .first = first};
    uint8_t *body = block + STAVE__HEADER_SIZE, *at = body;
    for (uint32_t column = 0; column < INDEX_COLUMNS; column++) {
        for (uint32_t i = 0; i < rows; i++)
            values[i] = *index_field(stave__table_at(&writer->blocks, first + i), column);
        at = stave__column_put(at, column, STAVE__DELTA, values, rows, NULL);
    }
    return stave__header_seal(&header, block, (size_t)(at - body));
}

int stave__writer_finish(struct stave__writer *writer, stave_error *error)
{
    uint8_t foot[STAVE__FILE_FOOT_SIZE];
    uint64_t index_offset = writer->offset;
    uint64_t *values = malloc(INDEX_ROWS * sizeof *values);
    uint8_t *block = malloc(STAVE__HEADER_SIZE + INDEX_COLUMNS * stave__column_bound(INDEX_ROWS));
    int status = values != NULL && block != NULL ? STAVE_OK : stave__fail_memory(error);
    for (uint32_t first = 0; status >= 0 && first < writer->blocks.rows; first += INDEX_ROWS) {
        uint32_t rest = writer->blocks.rows - first;
        uint32_t rows = rest < INDEX_ROWS ? rest : INDEX_ROWS;
        status = hand_over(writer, block, encode_index(writer, first, rows, block, values), error);
    }
    free(values);
    free(block);
    if (status < 0)
        return status;
    stave__file_foot_write(foot, index_offset, writer->blocks.rows);
    return hand_over(writer, foot, sizeof foot, error);
}

void stave__writer_free(struct stave__writer *writer)
{
    stave__table_free(&writer->blocks);
}

bool stave__index_decode(const struct stave__header *header, const uint8_t *body,
                         struct stave__indexed *rows, uint64_t *scratch)
{
    const uint8_t *at = body, *end = body + header->raw_size;
    uint64_t seen = 0;
    struct stave__column column;
    while (at < end) {
        at = stave__column_next(at, end, &column);
        if (at == NULL)
            return false;
        if (column.number >= INDEX_COLUMNS)
            continue;
        uint64_t bit = (uint64_t)1 << column.number;
        if ((seen & bit) != 0 || column.count != header->rows ||
            !stave__column_get(&column, NULL, scratch))
            return false;
        for (uint32_t i = 0; i < header->rows; i++)
            *index_field(&rows[i], column.number) = scratch[i];
        seen |= bit;
    }
    return seen == ((uint64_t)1 << INDEX_COLUMNS) - 1;
}
