/* What is known of a trace's file, and whether all of it is sound. */

#include "base/config.h"
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
            .finished = f->finished,
        };
        for (uint32_t i = 0; i < trace->blocks.entries.rows; i++)
            own.blocks += stave__entry_at(&trace->blocks, i)->in_file;
    }
    stave__config_give(file, file_size, &own, sizeof own);
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

int stave__file_read_unknown(stave_trace *trace, struct stave__unknown *unknown, stave_error *error)
{
    const char *wrong = NULL;
    if (unknown->damaged)
        return 0;
    int status = stave__file_read(trace, unknown->offset, &unknown->header, &wrong, error);
    if (status < 0 || wrong == NULL)
        return status < 0 ? status : 1;
    status = stave__file_damage(trace, unknown->offset, &unknown->header, wrong, error);
    unknown->damaged = status >= 0;
    return status < 0 ? status : 0;
}

static int check_unknown(stave_trace *trace, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < trace->file->unknown.rows && status >= 0; i++)
        status = stave__file_read_unknown(trace, stave__table_at(&trace->file->unknown, i), error);
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
