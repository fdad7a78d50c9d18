#include "store/writer.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/os.h"
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

void stave__writer_reread(struct stave__writer *writer, int fd)
{
    writer->rereads = true;
    writer->fd = fd;
}

static int keep(struct stave__writer *writer, const uint8_t *block, stave_error *error)
{
    struct stave__indexed *row = stave__table_add(&writer->blocks);
    if (row == NULL)
        return stave__fail_memory(error);
    row->offset = writer->offset;
    stave__header_read(block, &row->header);
    return STAVE_OK;
}

int stave__writer_put(struct stave__writer *writer, const uint8_t *block, size_t size,
                      stave_error *error)
{
    int status = writer->rereads ? STAVE_OK : keep(writer, block, error);
    if (status >= 0)
        status = hand_over(writer, block, size, error);
    writer->blocks_put += status >= 0;
    return status;
}

/* ---- the index ------------------------------------------------------------------------------- */

/* Room for one block of it. */
struct index {
    uint64_t read_at; /* in the file, when it is read again */
    struct stave__indexed *rows;
    uint64_t *values;
    uint8_t *block;
};

static int reread(const struct stave__writer *writer, struct index *index,
                  struct stave__indexed *row, stave_error *error)
{
    uint8_t header[STAVE__HEADER_SIZE];
    int status = stave__os_read_at(writer->fd, header, sizeof header, index->read_at, error);
    if (status < 0)
        return status;
    row->offset = index->read_at;
    if (!stave__header_read(header, &row->header))
        return stave__fail(error, STAVE_E_FORMAT, index->read_at,
                           "the file was changed while it was written");
    index->read_at += sizeof header + row->header.size;
    return STAVE_OK;
}

static int gather(const struct stave__writer *writer, struct index *index, uint32_t first,
                  uint32_t rows, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < rows && status >= 0; i++) {
        struct stave__indexed *row = &index->rows[i];
        if (writer->rereads)
            status = reread(writer, index, row, error);
        else
            *row = *(struct stave__indexed *)stave__table_at(&writer->blocks, first + i);
    }
    return status;
}

/* About the rows from `first` on. */
static size_t encode_index(struct index *index, uint32_t first, uint32_t rows)
{
    struct stave__header header = {.kind = STAVE__INDEX, .rows = rows, .first = first};
    uint8_t *body = index->block + STAVE__HEADER_SIZE, *at = body;
    for (uint32_t column = 0; column < INDEX_COLUMNS; column++) {
        for (uint32_t i = 0; i < rows; i++)
            index->values[i] = *index_field(&index->rows[i], column);
        at = stave__column_put(at, column, STAVE__DELTA, index->values, rows, NULL);
    }
    return stave__header_seal(&header, index->block, (size_t)(at - body));
}

static int put_index(struct stave__writer *writer, struct index *index, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t first = 0; status >= 0 && first < writer->blocks_put; first += INDEX_ROWS) {
        uint32_t rest = writer->blocks_put - first;
        uint32_t rows = rest < INDEX_ROWS ? rest : INDEX_ROWS;
        status = gather(writer, index, first, rows, error);
        if (status >= 0)
            status = hand_over(writer, index->block, encode_index(index, first, rows), error);
    }
    return status;
}

int stave__writer_finish(struct stave__writer *writer, stave_error *error)
{
    uint8_t foot[STAVE__FILE_FOOT_SIZE];
    struct index index = {
        .read_at = STAVE__FILE_HEAD_SIZE,
        .rows = malloc(INDEX_ROWS * sizeof *index.rows),
        .values = malloc(INDEX_ROWS * sizeof *index.values),
        .block = malloc(STAVE__HEADER_SIZE + INDEX_COLUMNS * stave__column_bound(INDEX_ROWS)),
    };
    int status = STAVE_E_MEMORY;
    stave__file_foot_write(foot, writer->offset, writer->blocks_put);
    if (index.rows != NULL && index.values != NULL && index.block != NULL)
        status = put_index(writer, &index, error);
    else
        stave__fail_memory(error);
    free(index.rows);
    free(index.values);
    free(index.block);
    return status < 0 ? status : hand_over(writer, foot, sizeof foot, error);
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
