/* One block of a file: an entry, a part of the tables, or something of a later version. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/file.h"
#include "trace/tables.h"

int stave__file_damage(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                       const char *what, stave_error *error)
{
    stave_damage damage = {
        .offset = offset,
        .size = STAVE__HEADER_SIZE + header->size,
        .rows = stave__header_has_rows(header) ? header->rows : 0,
        .what = what,
    };
    return stave__blocks_damage(&trace->blocks, &damage, error);
}

static int add_unknown(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                       stave_error *error)
{
    struct stave__unknown *row = stave__table_add(&trace->file->unknown);
    if (row == NULL)
        return stave__fail_memory(error);
    *row = (struct stave__unknown){.offset = offset, .header = *header};
    return STAVE_OK;
}

/* Its rows are decoded when they are asked for. Lanes and boots that were lost are made up. */
static int add_entry(stave_trace *trace, uint64_t offset, const struct stave__header *h,
                     stave_error *error)
{
    const char *wrong = stave__block_check(h);
    bool is_lost = h->lane >= trace->lanes.rows || h->boot >= trace->boots.rows;
    if (wrong == NULL && is_lost &&
        (stave_trace_damages(trace) == 0 || h->lane >= STAVE__MADE_UP_MAX ||
         h->boot >= STAVE__MADE_UP_MAX))
        wrong = "a block of a lane or boot that is not there";
    if (wrong != NULL)
        return stave__file_damage(trace, offset, h, wrong, error);
    int status = is_lost ? stave__tables_make_up(trace, 0, (uint32_t)h->lane + 1,
                                                 (uint32_t)h->boot + 1, error)
                         : STAVE_OK;
    if (status < 0)
        return status;
    struct stave__entry *entry = stave__table_add(&trace->blocks.entries);
    if (entry == NULL)
        return stave__fail_memory(error);
    *entry = (struct stave__entry){
        .kind = (uint8_t)h->kind,
        .sealed = true,
        .in_file = true,
        .summarized = true,
        .columns = (uint32_t)h->columns & ((1u << STAVE_COLUMNS) - 1),
        .lane = (uint32_t)h->lane,
        .boot = (uint32_t)h->boot,
        .rows = (uint32_t)h->rows,
        .capacity = (uint32_t)h->rows,
        .previous = STAVE__NO_BLOCK,
        .first = (int64_t)h->first,
        .last = (int64_t)h->last,
        .first_order = h->first_order,
        .begun = h->begun,
        .busy = h->busy,
        .longest = h->longest,
        .longest_name = (uint32_t)h->longest_name,
        .deepest = (uint32_t)h->deepest,
        .open_count = (uint32_t)h->open_count,
        .stored_at = offset,
        .stored_size = (uint32_t)h->size + STAVE__HEADER_SIZE,
    };
    trace->file->packed |= h->codec != STAVE__CODEC_NONE;
    return STAVE_OK;
}

/* Counts what a table adds; false, and nothing counted, when it is more than its file can have. */
static bool count_table(struct stave__file *file, uint64_t rows, uint64_t bytes)
{
    uint64_t all_rows = file->rows_of_tables + rows, all_bytes = file->bytes_of_tables + bytes;
    if (all_rows > file->size + STAVE__TABLE_ROWS_MAX ||
        all_bytes > file->size * STAVE__TABLE_PACKING_MAX + STAVE__BODY_MAX)
        return false;
    file->rows_of_tables = all_rows;
    file->bytes_of_tables = all_bytes;
    return true;
}

/* Rows up to `rows` of a table that was lost: without them all that refer to them would be, too. */
static int make_up(stave_trace *trace, uint64_t kind, uint64_t rows, stave_error *error)
{
    uint32_t n = (uint32_t)rows;
    return stave__tables_make_up(trace, kind == STAVE__STRINGS ? n : 0,
                                 kind == STAVE__LANES ? n : 0, kind == STAVE__BOOTS ? n : 0, error);
}

/* A table that was lost without a trace stood before this one. */
static int make_up_before(stave_trace *trace, const struct stave__header *h, stave_error *error)
{
    uint32_t known = stave__tables_rows(trace, h->kind);
    if (stave_trace_damages(trace) == 0 || h->first <= known || h->first > STAVE__MADE_UP_MAX ||
        !count_table(trace->file, h->first - known, 0))
        return STAVE_OK;
    return make_up(trace, h->kind, h->first, error);
}

/* A table that was lost, its header still there. */
static int make_up_for(stave_trace *trace, const struct stave__header *h, stave_error *error)
{
    if (h->first > stave__tables_rows(trace, h->kind) || h->rows > STAVE__BLOCK_ROWS_MAX)
        return STAVE_OK;
    return make_up(trace, h->kind, h->first + h->rows, error);
}

int stave__file_read(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                     const char **wrong, stave_error *error)
{
    struct stave__header own;
    struct stave__blocks *blocks = &trace->blocks;
    uint32_t size = (uint32_t)header->size + STAVE__HEADER_SIZE;
    int status = stave__blocks_read(blocks, offset, size, wrong, error);
    if (status >= 0 && *wrong == NULL &&
        (!stave__header_read(blocks->bytes, &own) || memcmp(&own, header, sizeof own) != 0))
        *wrong = "a block is not the one that the index names";
    return status;
}

static const char *read_table(stave_trace *trace, const struct stave__header *header, int *status,
                              stave_error *error)
{
    const uint8_t *body;
    void *memory;
    const char *wrong = stave__blocks_unpack(&trace->blocks, header, &body, &memory);
    if (wrong == stave__no_memory)
        *status = stave__fail_memory(error);
    else if (wrong == NULL)
        wrong = stave__tables_read(trace, header, body, status, error);
    free(memory);
    return wrong;
}

static int take_table(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                      stave_error *error)
{
    const char *wrong = "a table of more than its file can have";
    int status = STAVE_OK;
    bool fits =
        stave__header_is_sane(header) && count_table(trace->file, header->rows, header->raw_size);
    trace->file->tables++;
    if (fits)
        status = make_up_before(trace, header, error);
    if (fits && status >= 0)
        status = stave__file_read(trace, offset, header, &wrong, error);
    if (status >= 0 && wrong == NULL)
        wrong = read_table(trace, header, &status, error);
    if (status < 0 || wrong == NULL)
        return status;
    status = stave__file_damage(trace, offset, header, wrong, error);
    return status < 0 || !fits ? status : make_up_for(trace, header, error);
}

int stave__file_take(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                     stave_error *error)
{
    if (header->version > STAVE__BLOCK_VERSION)
        return add_unknown(trace, offset, header, error);
    if (header->kind == STAVE__INDEX)
        return STAVE_OK;
    if (header->kind < STAVE_ROW_KINDS)
        return add_entry(trace, offset, header, error);
    if (header->kind >= STAVE__STRINGS && header->kind <= STAVE__PROPERTIES)
        return take_table(trace, offset, header, error);
    return add_unknown(trace, offset, header, error);
}
