/* Reading a trace block by block. */
#include "trace/cursor.h"

#include <stdlib.h>

#include "base/error.h"

bool stave__filter_passes(const stave_filter *filter, const struct stave__entry *entry)
{
    return entry->rows > 0 && entry->lane != STAVE__NO_LANE &&
           (filter->kinds == 0 || (filter->kinds & STAVE_KIND_BIT(entry->kind)) != 0) &&
           (!filter->one_lane || entry->lane == filter->lane) &&
           (!filter->one_boot || entry->boot == filter->boot);
}

void stave__block_show(const struct stave__entry *entry, stave_block *block)
{
    struct stave__columns columns = stave__entry_columns(entry);
    *block = (stave_block){
        .kind = entry->kind,
        .lane = entry->lane,
        .boot = entry->boot,
        .rows = entry->rows,
        .first = entry->first,
        .last = entry->last,
        .start = columns.start,
        .order = columns.order,
        .flags = columns.flags,
        .end = columns.end,
        .serial = columns.serial,
        .value = columns.value,
        .name = columns.name,
    };
}

struct stave_cursor {
    stave_trace *trace;
    stave_filter filter;
    uint32_t next;
    struct stave__entry *pinned; /* shown in `block`, or NULL */
    stave_block block;
};

int stave_cursor_open(stave_trace *trace, const stave_filter *filter, stave_cursor **cursor,
                      stave_error *error)
{
    stave_cursor *c = calloc(1, sizeof *c);
    if (c == NULL)
        return stave__fail_memory(error);
    c->trace = trace;
    if (filter != NULL)
        c->filter = *filter;
    *cursor = c;
    return STAVE_OK;
}

static void let_go(stave_cursor *cursor)
{
    if (cursor->pinned != NULL)
        stave__blocks_unpin(&cursor->trace->blocks, cursor->pinned);
    cursor->pinned = NULL;
}

int stave_cursor_next(stave_cursor *cursor, const stave_block **block, stave_error *error)
{
    struct stave__blocks *blocks = &cursor->trace->blocks;
    let_go(cursor);
    while (cursor->next < blocks->entries.rows) {
        struct stave__entry *entry = stave__table_at(&blocks->entries, cursor->next);
        if (!stave__filter_passes(&cursor->filter, entry)) {
            cursor->next++;
            continue;
        }
        int status = stave__blocks_pin(blocks, entry, error);
        if (status < 0)
            return status;
        cursor->next++;
        cursor->pinned = entry;
        stave__block_show(entry, &cursor->block);
        *block = &cursor->block;
        return 1;
    }
    return 0;
}

void stave_cursor_close(stave_cursor *cursor)
{
    if (cursor == NULL)
        return;
    let_go(cursor);
    free(cursor);
}
