/* A .stave file to a trace. */
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "base/os.h"
#include "trace/file.h"
#include "trace/tables.h"

#define BEHIND_ALL ((uint64_t)1 << 63) /* order of rows that no producer wrote */

void stave__file_free(struct stave__file *file)
{
    if (file == NULL)
        return;
    stave__table_free(&file->unknown);
    free(file);
}

/* ---- one block ------------------------------------------------------------------------------- */

static int add_damage(stave_trace *trace, uint64_t offset, const struct stave__header *header,
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
        return add_damage(trace, offset, h, wrong, error);
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

/* The names of rows to come may be missing from now on. */
static int note_lost_table(stave_trace *trace, const struct stave__header *h, stave_error *error)
{
    uint64_t behind = h->first + h->rows;
    if (h->kind != STAVE__STRINGS || h->first > stave_trace_strings(trace) ||
        h->rows > STAVE__BLOCK_ROWS_MAX)
        return STAVE_OK;
    return stave__tables_make_up(trace, (uint32_t)behind, 0, 0, error);
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
    struct stave__file *file = trace->file;
    const char *wrong = NULL;
    int status = STAVE_OK;
    file->tables++;
    file->rows_of_tables += header->rows;
    if (!stave__header_is_sane(header) || file->rows_of_tables > file->size + STAVE__TABLE_ROWS_MAX)
        wrong = "a table of more rows than its file can have";
    else
        status = stave__blocks_read(&trace->blocks, offset,
                                    (uint32_t)header->size + STAVE__HEADER_SIZE, &wrong, error);
    if (status >= 0 && wrong == NULL)
        wrong = read_table(trace, header, &status, error);
    if (status < 0 || wrong == NULL)
        return status;
    status = add_damage(trace, offset, header, wrong, error);
    return status < 0 ? status : note_lost_table(trace, header, error);
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

/* ---- the index ------------------------------------------------------------------------------- */

/* Blocks that the index names must lie between the file's head and the index, and not overlap. */
static bool is_right(const struct stave__indexed *row, uint64_t *end, uint64_t index_offset)
{
    if (row->offset < *end || row->offset > index_offset || row->header.size > STAVE__BODY_MAX ||
        index_offset - row->offset < STAVE__HEADER_SIZE + row->header.size)
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

/* Whether the whole file is known by its index. When it is not sound, what it gave is to be forgotten. */
static int take_index(stave_trace *trace, bool *sound, stave_error *error)
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

/* ---- spans that nobody ended ----------------------------------------------------------------- */

/* What a lane was left with in a boot. */
struct left {
    uint32_t lane, boot;
    uint32_t entry; /* its last block of spans that is not damaged */
    int64_t last;   /* ticks */
};

static int compare_left(const void *a, const void *b)
{
    const struct left *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->boot != y->boot)
        return x->boot < y->boot ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* Makes the open spans of a block rows of their own, innermost first. */
static int end_spans(stave_trace *trace, const struct left *left, stave_error *error)
{
    struct stave__entry *entry = stave__entry_at(&trace->blocks, left->entry);
    int status = stave__blocks_pin(&trace->blocks, entry, error);
    if (status <= 0)
        return status;
    struct stave__appender spans;
    stave__appender_init(&spans, &trace->blocks, STAVE_SPANS, left->lane, left->boot);
    spans.mask |= STAVE_COLUMN_NAME | STAVE_COLUMN_DEPTH;
    for (uint32_t i = entry->open_count; i-- > 0 && status >= 0;) {
        const stave_open_span *open = &entry->open[i];
        struct stave__row row = {
            .start = open->start,
            .end = left->last > open->start ? left->last : open->start,
            .flags = STAVE_FLAG_UNFINISHED,
            .serial = open->serial,
            .name = open->name,
            .depth = i,
        };
        status = stave__append_row(&spans, &row, error);
    }
    stave__blocks_unpin(&trace->blocks, entry);
    return status < 0 ? status : stave__appender_seal(&spans, error);
}

/* One for each lane and boot with spans: the last block of each. */
static uint32_t gather_left(const stave_trace *trace, struct left *all)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < trace->blocks.entries.rows; i++) {
        const struct stave__entry *entry = stave__entry_at(&trace->blocks, i);
        if (entry->kind == STAVE_SPANS)
            all[count++] = (struct left){entry->lane, entry->boot, i, entry->last};
    }
    qsort(all, count, sizeof *all, compare_left);
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && all[kept - 1].lane == all[i].lane && all[kept - 1].boot == all[i].boot) {
            int64_t last = all[kept - 1].last > all[i].last ? all[kept - 1].last : all[i].last;
            all[kept - 1] = all[i];
            all[kept - 1].last = last;
        } else {
            all[kept++] = all[i];
        }
    }
    return kept;
}

static int end_open_spans(stave_trace *trace, stave_error *error)
{
    uint32_t entries = trace->blocks.entries.rows;
    struct left *all = calloc((size_t)entries + 1, sizeof *all);
    if (all == NULL)
        return stave__fail_memory(error);
    uint32_t count = gather_left(trace, all);
    int status = STAVE_OK;
    trace->blocks.next_order = BEHIND_ALL;
    for (uint32_t i = 0; i < count && status >= 0; i++)
        if (stave__entry_at(&trace->blocks, all[i].entry)->open_count > 0)
            status = end_spans(trace, &all[i], error);
    free(all);
    return status < 0 ? status : STAVE_OK;
}

/* Boots that their producer did not end, ended with their last row. */
static void end_boots(stave_trace *trace)
{
    for (uint32_t i = 0; i < trace->boots.rows; i++) {
        stave_boot *boot = &stave__boot_at(trace, i)->shown;
        if (!boot->ended)
            boot->end_us = boot->offset_us;
    }
    for (uint32_t i = 0; i < trace->blocks.entries.rows; i++) {
        const struct stave__entry *entry = stave__entry_at(&trace->blocks, i);
        stave_boot *boot = &stave__boot_at(trace, entry->boot)->shown;
        double us = stave_time_us(trace, entry->boot, entry->last);
        if (!boot->ended && us > boot->end_us)
            boot->end_us = us;
    }
    for (uint32_t i = 0; i < trace->boots.rows; i++)
        stave__boot_at(trace, i)->shown.ended = true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Where names were lost, one stands for them. */
static int settle_limits(stave_trace *trace, stave_error *error)
{
    struct stave__limits *limits = &trace->blocks.limits;
    int status = STAVE_OK;
    if (stave_trace_damages(trace) > 0 && limits->lost_name == 0 && !trace->file->follow)
        status = stave__trace_string(trace, STAVE__LOST_NAME, strlen(STAVE__LOST_NAME),
                                     &limits->lost_name, error);
    limits->strings = stave_trace_strings(trace);
    limits->lanes = trace->lanes.rows;
    return status;
}

static int check_head(const stave_trace *trace, const char *path, stave_error *error)
{
    uint8_t head[STAVE__FILE_HEAD_SIZE];
    uint32_t version = 0;
    if (trace->file->size >= sizeof head &&
        stave__os_read_at(trace->blocks.file_fd, head, sizeof head, 0, NULL) >= 0)
        version = stave__file_head_read(head);
    if (version == 0)
        return stave__fail(error, STAVE_E_FORMAT, 0, "%s: offset 0: not a .stave file", path);
    if (version > STAVE__FILE_VERSION)
        return stave__fail(error, STAVE_E_FORMAT, 8,
                           "%s: offset 8: version %u of the format; this stave reads up to %d. Use "
                           "a newer one",
                           path, (unsigned)version, STAVE__FILE_VERSION);
    return STAVE_OK;
}

static int read_blocks(stave_trace *trace, bool ignore_index, bool *indexed, stave_error *error)
{
    int status = STAVE_OK;
    *indexed = false;
    if (!ignore_index)
        status = take_index(trace, indexed, error);
    if (status < 0 || *indexed || !ignore_index)
        return status;
    trace->file->scanned = STAVE__FILE_HEAD_SIZE;
    return stave__file_scan(trace, error);
}

static int finish_open(stave_trace *trace, stave_error *error)
{
    int status = settle_limits(trace, error);
    if (status < 0 || trace->file->follow)
        return status;
    status = end_open_spans(trace, error);
    if (status >= 0)
        end_boots(trace);
    return status;
}

/* One attempt: with the index, or without. */
static int attempt(const char *path, const stave_trace_config *config, bool ignore_index,
                   stave_trace **trace, bool *indexed, stave_error *error)
{
    stave_trace *t;
    int status = stave_trace_new(config, &t, error);
    if (status < 0)
        return status;
    t->file = calloc(1, sizeof *t->file);
    if (t->file == NULL) {
        stave_trace_free(t);
        return stave__fail_memory(error);
    }
    t->file->unknown.row_size = sizeof(struct stave__indexed);
    t->file->follow = config->follow;
    t->file->progress = config->progress;
    status = stave__os_open_input(path, &t->blocks.file_fd, error);
    if (status >= 0)
        status = stave__os_size(t->blocks.file_fd, path, &t->file->size, error);
    if (status >= 0)
        status = check_head(t, path, error);
    if (status >= 0)
        status = read_blocks(t, ignore_index, indexed, error);
    t->file->indexed = *indexed;
    if (status >= 0 && (*indexed || ignore_index))
        status = finish_open(t, error);
    if (status < 0) {
        stave_trace_free(t);
        return status;
    }
    *trace = t;
    return STAVE_OK;
}

int stave_trace_open_sized(const char *path, const stave_trace_config *config, size_t config_size,
                           stave_trace **trace, stave_error *error)
{
    stave_trace_config own;
    bool indexed = false;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status < 0)
        return status;
    status = attempt(path, &own, own.ignore_index, trace, &indexed, error);
    if (status < 0 || indexed || own.ignore_index)
        return status;
    stave_trace_free(*trace); /* a part of what a damaged index said */
    return attempt(path, &own, true, trace, &indexed, error);
}

int stave_trace_refresh(stave_trace *trace, stave_error *error)
{
    struct stave__file *file = trace->file;
    if (file == NULL || !file->follow || file->indexed)
        return 0;
    uint32_t entries = trace->blocks.entries.rows;
    uint64_t tables = file->tables;
    int status = stave__os_size(trace->blocks.file_fd, "the file", &file->size, error);
    if (status >= 0 && file->scanned < file->size)
        status = stave__file_scan(trace, error);
    if (status >= 0)
        status = settle_limits(trace, error);
    if (status < 0)
        return status;
    return trace->blocks.entries.rows > entries || file->tables > tables;
}

/* ---- what is known of it --------------------------------------------------------------------- */

void stave_trace_file_of_sized(const stave_trace *trace, stave_trace_file *file, size_t file_size)
{
    stave_trace_file own = {0};
    const struct stave__file *f = trace->file;
    if (f != NULL) {
        own = (stave_trace_file){
            .size = f->size,
            .tables = f->tables,
            .unknown = f->unknown.rows,
            .cut = f->cut,
            .indexed = f->indexed,
            .packed = f->packed,
        };
        for (uint32_t i = 0; i < trace->blocks.entries.rows; i++)
            own.blocks += stave__entry_at(&trace->blocks, i)->in_file;
    }
    memset(file, 0, file_size);
    memcpy(file, &own, file_size < sizeof own ? file_size : sizeof own);
}

uint32_t stave_trace_damages(const stave_trace *trace)
{
    return trace->blocks.damages.rows;
}

stave_damage stave_trace_damage(const stave_trace *trace, uint32_t index)
{
    const stave_damage *damage = stave__table_at(&trace->blocks.damages, index);
    return *damage;
}

static int check_unknown(stave_trace *trace, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < trace->file->unknown.rows && status >= 0; i++) {
        const struct stave__indexed *row = stave__table_at(&trace->file->unknown, i);
        const char *wrong;
        status = stave__blocks_read(&trace->blocks, row->offset,
                                    (uint32_t)row->header.size + STAVE__HEADER_SIZE, &wrong, error);
        if (status >= 0 && wrong != NULL)
            status = add_damage(trace, row->offset, &row->header, wrong, error);
    }
    return status;
}

int stave_trace_check(stave_trace *trace, stave_progress progress, stave_error *error)
{
    struct stave__blocks *blocks = &trace->blocks;
    for (uint32_t i = 0; i < blocks->entries.rows; i++) {
        struct stave__entry *entry = stave__entry_at(blocks, i);
        int status = stave__blocks_pin(blocks, entry, error);
        if (status < 0)
            return status;
        if (status > 0)
            stave__blocks_unpin(blocks, entry);
        if (progress.report != NULL && i % 64 == 0)
            progress.report(progress.context, i, blocks->entries.rows);
    }
    int status = trace->file != NULL ? check_unknown(trace, error) : STAVE_OK;
    return status < 0 ? status : (int)blocks->damages.rows;
}
