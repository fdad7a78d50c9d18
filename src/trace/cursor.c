/* Reading a trace block by block. */
#include "trace/cursor.h"

#include <stdlib.h>

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

static int compare_choices(const void *a, const void *b)
{
    const struct stave__choice *x = a, *y = b;
    if (x->boot != y->boot)
        return x->boot < y->boot ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->first_order != y->first_order)
        return x->first_order < y->first_order ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

int stave__trace_select(const stave_trace *trace, const stave_filter *filter,
                        struct stave__choice **choices, uint32_t *count, stave_error *error)
{
    const struct stave__blocks *blocks = &trace->blocks;
    struct stave__choice *chosen = calloc((size_t)blocks->entries.rows + 1, sizeof *chosen);
    uint32_t used = 0;
    if (chosen == NULL)
        return stave__fail_memory(error);
    for (uint32_t i = 0; i < blocks->entries.rows; i++) {
        const struct stave__entry *entry = stave__entry_at(blocks, i);
        if (stave__filter_passes(trace, filter, entry))
            chosen[used++] = (struct stave__choice){entry->boot, entry->lane, entry->kind, i,
                                                    entry->first_order};
    }
    qsort(chosen, used, sizeof *chosen, compare_choices);
    *choices = chosen;
    *count = used;
    return STAVE_OK;
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
