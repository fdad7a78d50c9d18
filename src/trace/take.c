/* One block of a file: an entry, a part of the tables, or something of a later version. */
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

static uint32_t known_name(const stave_trace *trace, uint64_t name)
{
    return name < stave_trace_strings(trace) ? (uint32_t)name : 0;
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
    int status = STAVE_OK;
    if (is_lost)
        status = stave__tables_make_up(trace, STAVE__LANES, (uint32_t)h->lane + 1, error);
    if (is_lost && status >= 0)
        status = stave__tables_make_up(trace, STAVE__BOOTS, (uint32_t)h->boot + 1, error);
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
        .longest_name = known_name(trace, h->longest_name),
        .deepest = (uint32_t)h->deepest,
        .open_count = (uint32_t)h->open_count,
        .stored_at = offset,
        .stored_size = (uint32_t)h->size + STAVE__HEADER_SIZE,
        .header_crc = stave__header_crc(h),
    };
    trace->file->packed |= h->codec != STAVE__CODEC_NONE;
    return STAVE_OK;
}

/* Memory for rows of tables is not had by a number in a file. */
static bool has_room(const struct stave__file *file)
{
    return file->rows_of_tables <= file->size + STAVE__TABLE_ROWS_MAX;
}

/* A block in front of this one may have been lost, header and all: without its rows those of this one
 * would be lost too. They count as rows of tables. */
static int make_up_before(stave_trace *trace, const struct stave__header *h, stave_error *error)
{
    uint64_t have = stave__tables_rows(trace, h->kind);
    if (!stave__tables_can_make_up(h->kind) || stave_trace_damages(trace) == 0 ||
        h->first <= have || h->first - have > STAVE__MADE_UP_MAX)
        return STAVE_OK;
    trace->file->rows_of_tables += h->first - have;
    return has_room(trace->file) ? stave__tables_make_up(trace, h->kind, (uint32_t)h->first, error)
                                 : STAVE_OK;
}

/* A block that was lost, its header still there. */
static int make_up_for(stave_trace *trace, const struct stave__header *h, stave_error *error)
{
    if (!stave__tables_can_make_up(h->kind) || h->first > stave__tables_rows(trace, h->kind) ||
        h->rows > STAVE__BLOCK_ROWS_MAX || !has_room(trace->file))
        return STAVE_OK;
    return stave__tables_make_up(trace, h->kind, (uint32_t)(h->first + h->rows), error);
}

int stave__file_read(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                     const char **wrong, stave_error *error)
{
    uint32_t size = (uint32_t)header->size + STAVE__HEADER_SIZE;
    int status = stave__blocks_read(&trace->blocks, offset, size, wrong, error);
    if (status >= 0 && *wrong == NULL)
        *wrong = stave__blocks_compare(&trace->blocks, header);
    return status;
}

static int take_table(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                      stave_error *error)
{
    struct stave__file *file = trace->file;
    const char *wrong = NULL;
    int status = STAVE_OK;
    file->tables++;
    if (stave__header_is_sane(header))
        file->rows_of_tables += header->rows;
    if (!stave__header_is_sane(header) || !has_room(file))
        wrong = "a table of more rows than its file can have";
    else if (header->codec != STAVE__CODEC_NONE)
        wrong = "a table that is packed";
    else
        status = stave__file_read(trace, offset, header, &wrong, error);
    if (status >= 0 && wrong == NULL)
        status = make_up_before(trace, header, error);
    if (status >= 0 && wrong == NULL)
        wrong = stave__tables_read(trace, header, trace->blocks.bytes + STAVE__HEADER_SIZE, &status,
                                   error);
    if (status < 0 || wrong == NULL)
        return status;
    status = stave__file_damage(trace, offset, header, wrong, error);
    return status < 0 ? status : make_up_for(trace, header, error);
}

int stave__file_take(stave_trace *trace, uint64_t offset, const struct stave__header *header,
                     stave_error *error)
{
    if (header->kind == STAVE__INDEX)
        return STAVE_OK;
    if (header->version > STAVE__BLOCK_VERSION)
        return add_unknown(trace, offset, header, error);
    if (header->kind < STAVE_ROW_KINDS)
        return add_entry(trace, offset, header, error);
    if (stave__tables_is_known(header->kind))
        return take_table(trace, offset, header, error);
    return add_unknown(trace, offset, header, error);
}
