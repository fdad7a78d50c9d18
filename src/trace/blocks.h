/* trace/blocks.h - where a trace's rows live: blocks of columns, the older ones on disk.
 *
 *     struct stave__appender spans;
 *     stave__appender_init(&spans, blocks, STAVE_SPANS, lane, boot);
 *     if (stave__append_span(&spans, start, end, serial, flags, &error) < 0) ...
 *     stave__appender_seal(&spans);
 *
 * Invariants
 *  1. An entry never moves and is never taken back; its rows are only appended, and `rows` is
 *     raised after the columns are written.
 *  2. Entries begin in the order of their first row's `order`.
 *  3. A sealed block changes no more, but for the lane it is on.
 *  4. `data` of a pinned or unsealed block stays; any other may be dropped once it is on disk.
 *  5. When the disk refuses, blocks stay in memory: no row is lost for want of a temporary file. */
#ifndef STAVE_TRACE_BLOCKS_H
#define STAVE_TRACE_BLOCKS_H

#include "base/table.h"
#include "stave/trace.h"

#define STAVE__NO_LANE UINT32_MAX /* rows whose name has not been learned, or never was */
#define STAVE__NO_BLOCK UINT32_MAX

/* A block's columns, writable. Those that its kind lacks are NULL. */
struct stave__columns {
    int64_t *start;
    uint64_t *order;
    uint16_t *flags;
    int64_t *end;
    uint64_t *serial;
    uint64_t *value;
    uint32_t *name;
};

struct stave__entry {
    uint32_t kind;
    uint32_t lane;
    uint32_t boot;
    uint32_t rows;
    uint32_t capacity;
    uint32_t previous; /* block before it by the same appender, or STAVE__NO_BLOCK */
    int64_t first;     /* lowest start, highest end */
    int64_t last;
    uint64_t first_order;
    void *data;         /* the columns; NULL while only on disk */
    uint64_t stored_at; /* offset in the spill file + 1; 0 is not there */
    uint32_t pins;      /* cursors that show it */
    bool sealed;
    struct stave__entry *older, *newer; /* in the list of blocks that may be dropped */
};

struct stave__blocks {
    struct stave__table entries;
    uint64_t next_order;
    uint64_t cache_bytes;
    uint64_t resident; /* bytes of the blocks in the list */
    struct stave__entry *oldest, *newest;
    const char *temporary_dir;
    int spill_fd; /* -1 until needed */
    uint64_t spill_size;
    bool spill_failed;
};

void stave__blocks_init(struct stave__blocks *blocks, uint64_t cache_bytes,
                        const char *temporary_dir);
void stave__blocks_free(struct stave__blocks *blocks);

/* The columns of an entry's data. */
struct stave__columns stave__entry_columns(const struct stave__entry *entry);

/* Brings the block into memory and keeps it there until it is unpinned. */
int stave__blocks_pin(struct stave__blocks *blocks, struct stave__entry *entry, stave_error *error);
void stave__blocks_unpin(struct stave__blocks *blocks, struct stave__entry *entry);

/* Writes rows of one kind, lane and boot. It has at most one open block. */
struct stave__appender {
    struct stave__blocks *blocks;
    struct stave__entry *open; /* NULL before the first row and after sealing */
    struct stave__columns columns;
    uint32_t kind;
    uint32_t lane;
    uint32_t boot;
    uint32_t capacity; /* of the next block: they grow, so that a lane of few rows stays small */
    uint32_t last;     /* entry of its newest block, or STAVE__NO_BLOCK */
    uint64_t rows;     /* in its sealed blocks */
};

void stave__appender_init(struct stave__appender *appender, struct stave__blocks *blocks,
                          uint32_t kind, uint32_t lane, uint32_t boot);

/* No more rows into the open block; the next row begins a new one. */
void stave__appender_seal(struct stave__appender *appender);

/* Moves all its rows, written and to come, to another lane. */
void stave__appender_move(struct stave__appender *appender, uint32_t lane);

/* Room for one more row, the slow way: seals a full block and begins the next. */
int stave__appender_grow(struct stave__appender *appender, stave_error *error);

/* Begins a row: where to write it, with start, order and flags filled in. Or an error. */
static inline int stave__append(struct stave__appender *appender, int64_t start, uint16_t flags,
                                stave_error *error)
{
    struct stave__entry *entry = appender->open;
    if (entry == NULL || entry->rows == entry->capacity) {
        int status = stave__appender_grow(appender, error);
        if (status < 0)
            return status;
        entry = appender->open;
    }
    uint32_t i = entry->rows;
    assert(i < entry->capacity);
    appender->columns.start[i] = start;
    appender->columns.order[i] = appender->blocks->next_order++;
    appender->columns.flags[i] = flags;
    if (start < entry->first)
        entry->first = start;
    return (int)i;
}

static inline void stave__append_done(struct stave__appender *appender, int64_t end)
{
    if (end > appender->open->last)
        appender->open->last = end;
    appender->open->rows++;
}

static inline int stave__append_span(struct stave__appender *appender, int64_t start, int64_t end,
                                     uint64_t serial, uint16_t flags, stave_error *error)
{
    int i = stave__append(appender, start, flags, error);
    if (i < 0)
        return i;
    appender->columns.end[i] = end;
    appender->columns.serial[i] = serial;
    stave__append_done(appender, end);
    return STAVE_OK;
}

static inline int stave__append_mark(struct stave__appender *appender, int64_t time, uint32_t name,
                                     uint64_t value, uint16_t flags, stave_error *error)
{
    int i = stave__append(appender, time, flags, error);
    if (i < 0)
        return i;
    appender->columns.name[i] = name;
    appender->columns.value[i] = value;
    stave__append_done(appender, time);
    return STAVE_OK;
}

/* A gap (value: numbers lost) or a doubt (value: bound in ticks). */
static inline int stave__append_stretch(struct stave__appender *appender, int64_t start,
                                        int64_t end, uint64_t value, uint16_t flags,
                                        stave_error *error)
{
    int i = stave__append(appender, start, flags, error);
    if (i < 0)
        return i;
    appender->columns.end[i] = end;
    appender->columns.value[i] = value;
    stave__append_done(appender, end);
    return STAVE_OK;
}

#endif
