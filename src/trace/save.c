/* A trace to a .stave file: tables first, then blocks in the order in which they were begun. */
#include <stdlib.h>

#include "base/config.h"
#include "base/error.h"
#include "store/crc32c.h"
#include "trace/file.h"
#include "trace/packing.h"
#include "trace/tables.h"

#define ZSTD_LEVEL_MAX 19u

struct saving {
    stave_trace *trace;
    stave_save_config config;
    struct stave__writer writer;
    struct stave__told told;
    uint8_t *packed; /* room for a packed block */
    size_t packed_size;
};

/* ---- packing --------------------------------------------------------------------------------- */

static bool reserve_packed(struct saving *saving, size_t size)
{
    if (size <= saving->packed_size)
        return true;
    free(saving->packed);
    saving->packed = malloc(size);
    saving->packed_size = saving->packed != NULL ? size : 0;
    return saving->packed != NULL;
}

/* The block at *bytes packed, if that makes it smaller and not more often than a reader takes. */
static int pack(struct saving *saving, const uint8_t **bytes, size_t *size, stave_error *error)
{
    struct stave__header header;
    const uint8_t *body = *bytes + STAVE__HEADER_SIZE;
    if (saving->config.zstd_level == 0 || !stave__header_read(*bytes, &header))
        return STAVE_OK;
    size_t room = stave__pack_bound(header.size);
    if (!reserve_packed(saving, STAVE__HEADER_SIZE + room))
        return stave__fail_memory(error);
    uint8_t *packed_body = saving->packed + STAVE__HEADER_SIZE;
    size_t packed =
        stave__pack(packed_body, room, body, header.size, (int)saving->config.zstd_level);
    if (packed == 0 || packed >= header.size || header.size > (uint64_t)STAVE__PACKING_MAX * packed)
        return STAVE_OK;
    header.codec = STAVE__CODEC_ZSTD;
    header.size = packed;
    header.body_crc = stave__crc32c(0, packed_body, packed);
    stave__header_write(&header, saving->packed);
    *bytes = saving->packed;
    *size = STAVE__HEADER_SIZE + packed;
    return STAVE_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static int put_pinned(struct saving *saving, const struct stave__entry *entry, stave_error *error)
{
    struct stave__blocks *blocks = &saving->trace->blocks;
    stave_block block;
    stave__entry_show(entry, 0, &block);
    int status = stave__blocks_reserve_for(blocks, &block, error);
    if (status < 0)
        return status;
    size_t size = stave__block_encode(&block, blocks->bytes, blocks->numbers);
    const uint8_t *bytes = blocks->bytes;
    status = pack(saving, &bytes, &size, error);
    return status < 0 ? status : stave__writer_put(&saving->writer, bytes, size, error);
}

static int put_entry(struct saving *saving, struct stave__entry *entry, stave_error *error)
{
    struct stave__blocks *blocks = &saving->trace->blocks;
    bool empty = entry->rows == 0 && entry->open_count == 0;
    if (empty || entry->lane == STAVE__NO_LANE)
        return STAVE_OK;
    int status = stave__blocks_pin(blocks, entry, error);
    if (status <= 0)
        return status;
    status = put_pinned(saving, entry, error);
    stave__blocks_unpin(blocks, entry);
    return status;
}

static int put_entries(struct saving *saving, stave_error *error)
{
    const stave_progress *progress = &saving->config.progress;
    uint32_t entries = saving->trace->blocks.entries.rows;
    int status = STAVE_OK;
    for (uint32_t i = 0; i < entries && status >= 0; i++) {
        status = put_entry(saving, stave__entry_at(&saving->trace->blocks, i), error);
        if (progress->report != NULL && i % 64 == 0)
            progress->report(progress->context, i, entries);
    }
    return status;
}

/* What a later version wrote goes on as it is; its references hold, since ids stay the same. */
static int put_unknown(struct saving *saving, stave_error *error)
{
    stave_trace *trace = saving->trace;
    uint32_t count = trace->file != NULL ? trace->file->unknown.rows : 0;
    int status = STAVE_OK;
    for (uint32_t i = 0; i < count && status >= 0; i++) {
        struct stave__unknown *unknown = stave__table_at(&trace->file->unknown, i);
        status = stave__file_read_unknown(trace, unknown, error);
        if (status > 0)
            status = stave__writer_put(&saving->writer, trace->blocks.bytes,
                                       STAVE__HEADER_SIZE + unknown->header.size, error);
    }
    return status;
}

/* ---- what was lost before ---------------------------------------------------------------------- */

/* Adds to what a file says that it has lost; nothing where that is 0. */
static int add_loss(stave_trace *trace, const char *key, uint64_t count, stave_error *error)
{
    const stave_property *told = stave_trace_find_property(trace, key);
    uint64_t before = told != NULL && told->flags == 0 ? told->value : 0;
    return count == 0 ? STAVE_OK : stave__trace_set_property(trace, key, 0, before + count, error);
}

/* A file made of one that is damaged, cut or not finished says so: what is missing is not there to show
 * it. All of the old one is read for that. */
static int note_losses(stave_trace *trace, stave_error *error)
{
    uint64_t rows = 0, bytes = 0;
    if (trace->file == NULL || trace->file->losses_told)
        return STAVE_OK;
    int damages = stave_trace_check(trace, (stave_progress){0}, error);
    for (uint32_t i = 0; damages > 0 && i < stave_trace_damages(trace); i++) {
        rows += stave_trace_damage(trace, i).rows;
        bytes += stave_trace_damage(trace, i).size;
    }
    int status = damages;
    if (status >= 0)
        status = add_loss(trace, "file.damages", (uint64_t)damages, error);
    if (status >= 0)
        status = add_loss(trace, "file.lost_rows", rows, error);
    if (status >= 0)
        status = add_loss(trace, "file.lost_bytes", bytes + trace->file->cut, error);
    if (status >= 0)
        status = add_loss(trace, "file.unfinished", !trace->file->finished, error);
    trace->file->losses_told = status >= 0;
    return status;
}

int stave_trace_save_sized(stave_trace *trace, stave_sink sink, const stave_save_config *config,
                           size_t config_size, stave_error *error)
{
    struct saving saving = {.trace = trace};
    int status =
        stave__config_copy(&saving.config, sizeof saving.config, config, config_size, error);
    if (status < 0)
        return status;
    if (saving.config.zstd_level > ZSTD_LEVEL_MAX)
        return stave__fail(error, STAVE_E_ARGUMENT, 0, "zstd level %u; there are 1 to %u",
                           (unsigned)saving.config.zstd_level, ZSTD_LEVEL_MAX);
    if (saving.config.zstd_level > 0 && stave__pack_bound(1) == 0)
        return stave__fail(error, STAVE_E_STATE, 0,
                           "this stave was built without zstd; build it with libzstd");
    status = note_losses(trace, error);
    if (status >= 0)
        status = stave__writer_begin(&saving.writer, sink, error);
    if (status >= 0)
        status = stave__tables_write(trace, &saving.writer, &saving.told, error);
    if (status >= 0)
        status = put_entries(&saving, error);
    if (status >= 0)
        status = put_unknown(&saving, error);
    if (status >= 0)
        status = stave__writer_finish(&saving.writer, error);
    stave__writer_free(&saving.writer);
    free(saving.packed);
    return status < 0 ? status : STAVE_OK;
}
