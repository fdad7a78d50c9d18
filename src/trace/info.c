/* What is known of a block without its rows. */

#include "base/config.h"
#include "trace/trace.h"

uint32_t stave_trace_blocks(const stave_trace *trace)
{
    return trace->blocks.entries.rows;
}

/* The summary of a block that has not been on disk. */
static int summarize(stave_trace *trace, struct stave__entry *entry, stave_error *error)
{
    stave_block block;
    struct stave__header header = {0};
    int status = stave__blocks_pin(&trace->blocks, entry, error);
    if (status <= 0)
        return status;
    stave__entry_show(entry, 0, &block);
    stave__block_summarize(&block, &header);
    stave__blocks_unpin(&trace->blocks, entry);
    entry->busy = header.busy;
    entry->longest = header.longest;
    entry->longest_name = (uint32_t)header.longest_name;
    entry->deepest = (uint32_t)header.deepest;
    entry->summarized = entry->sealed;
    return STAVE_OK;
}

int stave_trace_block_sized(stave_trace *trace, uint32_t index, stave_block_info *info,
                            size_t info_size, stave_error *error)
{
    struct stave__entry *entry = stave__entry_at(&trace->blocks, index);
    int status = entry->summarized ? STAVE_OK : summarize(trace, entry, error);
    if (status < 0)
        return status;
    stave_block_info own = {
        .kind = entry->kind,
        .lane = entry->lane,
        .boot = entry->boot,
        .rows = entry->rows,
        .first = entry->first,
        .last = entry->last,
        .busy = entry->busy,
        .longest = entry->longest,
        .longest_name = entry->longest_name,
        .deepest = entry->deepest,
        .open_count = entry->open_count,
        .offset = entry->in_file ? entry->stored_at : 0,
        .size = entry->in_file ? entry->stored_size : 0,
        .damaged = entry->damaged,
    };
    stave__config_give(info, info_size, &own, sizeof own);
    return STAVE_OK;
}
