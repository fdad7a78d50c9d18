/* A file that grows with its trace. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"
#include "trace/file.h"
#include "trace/tables.h"

struct stave_writer {
    int fd;
    char *path;
    stave_error *error; /* of the call at work: keeps the system's own reason */
    struct stave__writer out;
    struct stave__told told;
    struct stave__table entries; /* uint32_t: which entry each block of rows comes from */
    struct stave__table places;  /* uint32_t: its row in out.blocks */
    uint32_t first;              /* entries before have nothing more to come */
    bool failed, finished;
};

static int write_file(void *context, const void *data, size_t size)
{
    const stave_writer *writer = context;
    return stave__os_write(writer->fd, writer->path, data, size, writer->error);
}

static int open_file(stave_writer *writer, const char *path, stave_error *error)
{
    size_t size = strlen(path) + 1;
    writer->path = malloc(size);
    if (writer->path == NULL)
        return stave__fail_memory(error);
    memcpy(writer->path, path, size);
    int status = stave__os_create_growing(path, 0666, &writer->fd, error);
    if (status < 0)
        return status;
    writer->error = error;
    stave_sink sink = {.write = write_file, .context = writer};
    return stave__writer_begin(&writer->out, sink, error);
}

int stave_writer_open(const char *path, stave_writer **writer, stave_error *error)
{
    stave_writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return stave__fail_memory(error);
    w->fd = -1;
    w->entries.row_size = w->places.row_size = sizeof(uint32_t);
    int status = open_file(w, path, error);
    if (status < 0) {
        stave_writer_close(w);
        return status;
    }
    *writer = w;
    return STAVE_OK;
}

/* Remembers where an entry's rows went: its lane may change. */
static int note_place(stave_writer *writer, uint32_t entry, stave_error *error)
{
    uint32_t *from = stave__table_add(&writer->entries);
    uint32_t *place = from != NULL ? stave__table_add(&writer->places) : NULL;
    if (place == NULL)
        return stave__fail_memory(error);
    *from = entry;
    *place = writer->out.blocks.rows - 1;
    return STAVE_OK;
}

static int put_new_rows(stave_writer *writer, stave_trace *trace, uint32_t index,
                        stave_error *error)
{
    struct stave__blocks *blocks = &trace->blocks;
    struct stave__entry *entry = stave__entry_at(blocks, index);
    stave_block block;
    int status = stave__blocks_pin(blocks, entry, error);
    if (status <= 0)
        return status;
    stave__entry_show(entry, entry->published, &block);
    if (entry->published > 0)
        block.begun = 0; /* what had begun at this row is not known */
    status = stave__blocks_reserve_for(blocks, &block, error);
    if (status >= 0) {
        size_t size = stave__block_encode(&block, blocks->bytes, blocks->numbers);
        status = stave__writer_put(&writer->out, blocks->bytes, size, error);
    }
    if (status >= 0)
        status = note_place(writer, index, error);
    if (status >= 0) {
        entry->published = entry->rows;
        entry->told_open = entry->sealed;
    }
    stave__blocks_unpin(blocks, entry);
    return status;
}

/* Rows, or open spans of a block that has been sealed since. */
static bool has_news(const struct stave__entry *entry)
{
    return entry->lane != STAVE__NO_LANE &&
           (entry->rows > entry->published || (entry->open_count > 0 && !entry->told_open));
}

/* Rows without a lane wait for it, and are left out when their boot ends without one. */
static bool is_done(const stave_trace *trace, const struct stave__entry *entry)
{
    if (entry->lane == STAVE__NO_LANE)
        return stave_trace_boot(trace, entry->boot)->ended;
    return entry->sealed && !has_news(entry);
}

static int put_rows(stave_writer *writer, stave_trace *trace, stave_error *error)
{
    uint32_t entries = trace->blocks.entries.rows;
    bool all_done = true;
    for (uint32_t i = writer->first; i < entries; i++) {
        const struct stave__entry *entry = stave__entry_at(&trace->blocks, i);
        if (has_news(entry)) {
            int status = put_new_rows(writer, trace, i, error);
            if (status < 0)
                return status;
        }
        all_done = all_done && is_done(trace, entry);
        if (all_done)
            writer->first = i + 1;
    }
    return STAVE_OK;
}

static int publish(stave_writer *writer, stave_trace *trace, stave_error *error)
{
    if (writer->failed || writer->finished)
        return stave__fail(error, STAVE_E_STATE, 0, "the file %s; a new one needs a new writer",
                           writer->failed ? "could not be written" : "is finished");
    writer->error = error;
    int status = stave__tables_write(trace, &writer->out, &writer->told, error);
    if (status >= 0)
        status = put_rows(writer, trace, error);
    writer->failed = status < 0;
    return status;
}

int stave_writer_publish(stave_writer *writer, stave_trace *trace, stave_error *error)
{
    return publish(writer, trace, error);
}

/* The index has the lane that rows are on at last. */
static void settle_lanes(stave_writer *writer, const stave_trace *trace)
{
    for (uint32_t i = 0; i < writer->places.rows; i++) {
        const uint32_t *entry = stave__table_at(&writer->entries, i);
        const uint32_t *place = stave__table_at(&writer->places, i);
        struct stave__indexed *row = stave__table_at(&writer->out.blocks, *place);
        row->header.lane = stave__entry_at(&trace->blocks, *entry)->lane;
    }
}

int stave_writer_finish(stave_writer *writer, stave_trace *trace, stave_error *error)
{
    int status = publish(writer, trace, error);
    if (status < 0)
        return status;
    settle_lanes(writer, trace);
    status = stave__writer_finish(&writer->out, error);
    writer->failed = status < 0;
    writer->finished = true;
    return status;
}

void stave_writer_close(stave_writer *writer)
{
    if (writer == NULL)
        return;
    stave__os_close(writer->fd);
    stave__writer_free(&writer->out);
    stave__table_free(&writer->entries);
    stave__table_free(&writer->places);
    free(writer->path);
    free(writer);
}
