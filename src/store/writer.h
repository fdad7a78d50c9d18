/* store/writer.h - a .stave file from front to back: its head, blocks, the index, its foot.
 *
 *     struct stave__writer writer;
 *     status = stave__writer_begin(&writer, sink, &error);
 *     status = stave__writer_put(&writer, block, size, &error);    // any number of times
 *     status = stave__writer_finish(&writer, &error);
 *     stave__writer_free(&writer);
 *
 * What was put is readable at once: a file without an index is a recording that goes on, or was cut.
 * Names and lanes come before the rows that refer to them; that is the caller's business.  */
#ifndef STAVE_STORE_WRITER_H
#define STAVE_STORE_WRITER_H

#include <stdbool.h>

#include "base/table.h"
#include "stave/status.h"
#include "store/header.h"

/* A block and where it stands: a row of the index. */
struct stave__indexed {
    uint64_t offset;
    struct stave__header header;
};

struct stave__writer {
    stave_sink sink;
    uint64_t offset; /* bytes written */
    uint32_t blocks_put;
    struct stave__table blocks; /* struct stave__indexed; none when they are read again: */
    bool rereads;
    int fd;
};

int stave__writer_begin(struct stave__writer *writer, stave_sink sink, stave_error *error);

/* For files without an end in sight: keeps nothing in memory of what is put; the index is made of what `fd`, of the
 * same file, has. Before the first block. */
void stave__writer_reread(struct stave__writer *writer, int fd);

/* A whole block, header in front. */
int stave__writer_put(struct stave__writer *writer, const uint8_t *block, size_t size,
                      stave_error *error);

/* The index and the foot. */
int stave__writer_finish(struct stave__writer *writer, stave_error *error);
void stave__writer_free(struct stave__writer *writer);

/* The rows of a sound INDEX block; `rows` has room for header->rows, `scratch` for
 * as many numbers. False when it is not right. */
bool stave__index_decode(const struct stave__header *header, const uint8_t *body,
                         struct stave__indexed *rows, uint64_t *scratch);

#endif
