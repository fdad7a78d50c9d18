/* What is known of a trace's file, and whether all of it is sound. */
#include <string.h>

#include "trace/file.h"

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

/* One that turns out to be damaged is listed once: its offset is 0 from then on. */
static int check_unknown(stave_trace *trace, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < trace->file->unknown.rows && status >= 0; i++) {
        struct stave__indexed *row = stave__table_at(&trace->file->unknown, i);
        uint32_t size = (uint32_t)row->header.size + STAVE__HEADER_SIZE;
        const char *wrong;
        if (row->offset == 0)
            continue;
        status = stave__blocks_read(&trace->blocks, row->offset, size, &wrong, error);
        if (status >= 0 && wrong == NULL)
            wrong = stave__blocks_compare(&trace->blocks, &row->header);
        if (status < 0 || wrong == NULL)
            continue;
        status = stave__file_damage(trace, row->offset, &row->header, wrong, error);
        row->offset = 0;
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
