/* Reading a trace block by block. */
#include "trace/cursor.h"

#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"

static bool in_window(const stave_trace *trace, const stave_filter *filter,
                      const struct stave__entry *entry)
{
    return !filter->windowed || (stave_time_us(trace, entry->boot, entry->first) <= filter->to_us &&
                                 stave_time_us(trace, entry->boot, entry->last) >= filter->from_us);
}

bool stave__filter_passes(const stave_trace *trace, const stave_filter *filter,
                          const struct stave__entry *entry)
{
    return entry->rows > 0 && entry->lane != STAVE__NO_LANE &&
           (filter->kinds == 0 || (filter->kinds & STAVE_KIND_BIT(entry->kind)) != 0) &&
           (!filter->one_lane || entry->lane == filter->lane) &&
           (!filter->one_boot || entry->boot == filter->boot) && in_window(trace, filter, entry);
}

/* A block that may still have rows to show: it grows, or its lane is not known yet. */
struct unfinished {
    uint32_t index; /* of its entry */
    uint32_t shown; /* rows */
};

struct stave_cursor {
    stave_trace *trace;
    stave_filter filter;
    uint32_t next; /* entry that was not looked at */
    struct unfinished *unfinished;
    uint32_t unfinished_count, unfinished_size;
    uint32_t again;              /* the next of them to look at, this time round */
    struct stave__entry *pinned; /* shown in `block`, or NULL */
    stave_block block;
};

int stave_cursor_open_sized(stave_trace *trace, const stave_filter *filter, size_t filter_size,
                            stave_cursor **cursor, stave_error *error)
{
    stave_filter own;
    int status = stave__config_copy(&own, sizeof own, filter, filter_size, error);
    if (status < 0)
        return status;
    stave_cursor *c = calloc(1, sizeof *c);
    if (c == NULL)
        return stave__fail_memory(error);
    c->trace = trace;
    c->filter = own;
    *cursor = c;
    return STAVE_OK;
}

static void let_go(stave_cursor *cursor)
{
    if (cursor->pinned != NULL)
        stave__blocks_unpin(&cursor->trace->blocks, cursor->pinned);
    cursor->pinned = NULL;
}

static struct stave__entry *entry_at(const stave_cursor *cursor, uint32_t index)
{
    return stave__entry_at(&cursor->trace->blocks, index);
}

/* Whether rows may come that the filter could let through. */
static bool is_unfinished(const stave_cursor *cursor, const struct stave__entry *entry)
{
    bool nameless =
        entry->lane == STAVE__NO_LANE && !stave_trace_boot(cursor->trace, entry->boot)->ended;
    return !entry->sealed || nameless;
}

static int remember(stave_cursor *cursor, uint32_t index, uint32_t shown, stave_error *error)
{
    if (cursor->unfinished_count == cursor->unfinished_size) {
        uint32_t size = cursor->unfinished_size != 0 ? cursor->unfinished_size * 2 : 16;
        struct unfinished *larger = realloc(cursor->unfinished, size * sizeof *larger);
        if (larger == NULL)
            return stave__fail_memory(error);
        cursor->unfinished = larger;
        cursor->unfinished_size = size;
    }
    cursor->unfinished[cursor->unfinished_count++] = (struct unfinished){index, shown};
    return STAVE_OK;
}

/* Shows the rows of an entry from `from` on: 1; 0 when it is damaged; or an error. */
static int show(stave_cursor *cursor, struct stave__entry *entry, uint32_t from, stave_error *error)
{
    int status = stave__blocks_pin(&cursor->trace->blocks, entry, error);
    if (status <= 0)
        return status;
    cursor->pinned = entry;
    stave__entry_show(entry, from, &cursor->block);
    return 1;
}

/* The next entry that was not looked at and has rows to show; 0 when there is none. */
static int show_next(stave_cursor *cursor, stave_error *error)
{
    int status = 0;
    while (status == 0 && cursor->next < cursor->trace->blocks.entries.rows) {
        struct stave__entry *entry = entry_at(cursor, cursor->next);
        bool passes = stave__filter_passes(cursor->trace, &cursor->filter, entry);
        if (is_unfinished(cursor, entry))
            status = remember(cursor, cursor->next, passes ? entry->rows : 0, error);
        if (status >= 0 && passes)
            status = show(cursor, entry, 0, error);
        if (status >= 0)
            cursor->next++;
    }
    return status;
}

/* Rows that have come to entries since they were looked at; 0 when there are none. */
static int show_again(stave_cursor *cursor, stave_error *error)
{
    while (cursor->again < cursor->unfinished_count) {
        struct unfinished *unfinished = &cursor->unfinished[cursor->again];
        struct stave__entry *entry = entry_at(cursor, unfinished->index);
        uint32_t from = unfinished->shown;
        bool passes =
            stave__filter_passes(cursor->trace, &cursor->filter, entry) && entry->rows > from;
        if (passes)
            unfinished->shown = entry->rows;
        if (is_unfinished(cursor, entry))
            cursor->again++;
        else
            *unfinished = cursor->unfinished[--cursor->unfinished_count];
        int status = passes ? show(cursor, entry, from, error) : 0;
        if (status != 0)
            return status;
    }
    cursor->again = 0;
    return 0;
}

int stave_cursor_next(stave_cursor *cursor, const stave_block **block, stave_error *error)
{
    let_go(cursor);
    int status = show_next(cursor, error);
    if (status == 0)
        status = show_again(cursor, error);
    if (status > 0)
        *block = &cursor->block;
    return status;
}

void stave_cursor_close(stave_cursor *cursor)
{
    if (cursor == NULL)
        return;
    let_go(cursor);
    free(cursor->unfinished);
    free(cursor);
}

/* ---- what is known of a block without its rows ----------------------------------------------- */

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

/* A summary in a file may name what is not there; rows that do are found when they are decoded. */
static uint32_t known_name(const stave_trace *trace, uint32_t name)
{
    return name < stave_trace_strings(trace) ? name : trace->blocks.limits.lost_name;
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
        .longest_name = known_name(trace, entry->longest_name),
        .deepest = entry->deepest,
        .open_count = entry->open_count,
        .offset = entry->in_file ? entry->stored_at : 0,
        .size = entry->in_file ? entry->stored_size : 0,
        .damaged = entry->damaged,
    };
    memset(info, 0, info_size);
    memcpy(info, &own, info_size < sizeof own ? info_size : sizeof own);
    return STAVE_OK;
}
