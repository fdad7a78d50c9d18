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
    struct stave__indexed *row = stave__table_add(&trace->file->unknown);
    if (row == NULL)
        return stave__fail_memory(error);
    *row = (struct stave__indexed){.offset = offset, .header = *header};
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
        (stave_trace_damages(trace) == 0 || h->lane >= STAVE__TABLE_ROWS_MAX ||
         h->boot >= STAVE__TABLE_ROWS_MAX))
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

static bool too_many_rows(const struct stave__file *file)
{
    return file->rows_of_tables > file->size + STAVE__TABLE_ROWS_MAX;
}

/* The names of rows to come may be missing from now on. */
static int note_lost_table(stave_trace *trace, const struct stave__header *h, stave_error *error)
{
    uint64_t behind = h->first + h->rows;
    if (h->kind != STAVE__STRINGS || h->first > stave_trace_strings(trace) ||
        h->rows > STAVE__BLOCK_ROWS_MAX || too_many_rows(trace->file))
        return STAVE_OK;
    return stave__tables_make_up(trace, (uint32_t)behind, 0, 0, error);
}

/* Rows of a table so far, where lost ones can be made up. */
static uint64_t rows_so_far(const stave_trace *trace, uint64_t kind)
{
    switch (kind) {
    case STAVE__STRINGS:
        return stave_trace_strings(trace);
    case STAVE__LANES:
        return trace->lanes.rows;
    case STAVE__BOOTS:
        return trace->boots.rows;
    default:
        return UINT64_MAX;
    }
}

/* A block in front of this one may have been lost, header and all: without its rows those of this one
 * would be lost too. They count as rows of tables. */
static int make_up_before(stave_trace *trace, const struct stave__header *h, stave_error *error)
{
    uint64_t have = rows_so_far(trace, h->kind);
    if (stave_trace_damages(trace) == 0 || h->first <= have ||
        h->first - have > STAVE__TABLE_ROWS_MAX)
        return STAVE_OK;
    trace->file->rows_of_tables += h->first - have;
    if (too_many_rows(trace->file))
        return STAVE_OK;
    uint32_t rows = (uint32_t)h->first;
    return stave__tables_make_up(trace, h->kind == STAVE__STRINGS ? rows : 0,
                                 h->kind == STAVE__LANES ? rows : 0,
                                 h->kind == STAVE__BOOTS ? rows : 0, error);
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
    if (!stave__header_is_sane(header) || too_many_rows(file))
        wrong = "a table of more rows than its file can have";
    else if (header->codec != STAVE__CODEC_NONE)
        wrong = "a table that is packed";
    else
        status = stave__blocks_read(&trace->blocks, offset,
                                    (uint32_t)header->size + STAVE__HEADER_SIZE, &wrong, error);
    if (status >= 0 && wrong == NULL)
        wrong = stave__blocks_compare(&trace->blocks, header);
    if (status >= 0 && wrong == NULL)
        status = make_up_before(trace, header, error);
    if (status >= 0 && wrong == NULL)
        wrong = stave__tables_read(trace, header, trace->blocks.bytes + STAVE__HEADER_SIZE, &status,
                                   error);
    if (status >= 0)
        status = stave__blocks_fault(wrong, offset, error);
    if (status < 0 || wrong == NULL)
        return status;
    status = stave__file_damage(trace, offset, header, wrong, error);
    return status < 0 ? status : note_lost_table(trace, header, error);
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
    if (header->kind >= STAVE__STRINGS && header->kind <= STAVE__PROPERTIES)
        return take_table(trace, offset, header, error);
    return add_unknown(trace, offset, header, error);
}
