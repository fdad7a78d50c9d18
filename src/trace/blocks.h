/* trace/blocks.h - where a trace's rows live: blocks of columns, those not in use on disk.
 *
 *     struct stave__appender spans;
 *     stave__appender_init(&spans, blocks, STAVE_SPANS, lane, boot);
 *     if (stave__append_span(&spans, start, end, serial, flags, &error) < 0) ...
 *     stave__appender_seal(&spans, &error);
 *
 * On disk is the trace's file, or a temporary one: both hold blocks as src/store/ writes them.
 *
 * Invariants
 *  1. An entry never moves and is never taken back; its rows are only appended, and `rows` is
 *     raised after the columns are written.
 *  2. Of a trace that is being made, entries begin in the order of their first row's `order`.
 *  3. A sealed block changes no more, but for the lane it is on.
 *  4. `data` of a pinned or unsealed block stays; any other may be dropped once it is on disk.
 *  5. When the disk refuses, blocks stay in memory: no row is lost for want of a temporary file. */
#ifndef STAVE_TRACE_BLOCKS_H
#define STAVE_TRACE_BLOCKS_H

#include "base/table.h"
#include "stave/trace.h"
#include "store/block.h"

#define STAVE__NO_LANE STAVE_NONE /* rows whose name has not been learned, or never was */
#define STAVE__NO_BLOCK UINT32_MAX

struct stave__entry {
    uint8_t kind;
    bool sealed;
    bool in_file;     /* in the trace's file, not in the temporary one */
    bool damaged;     /* not sound, and listed */
    bool summarized;  /* busy to deepest are known */
    uint32_t columns; /* STAVE_COLUMN bits */
    uint32_t lane;
    uint32_t boot;
    uint32_t rows;
    uint32_t capacity;
    uint32_t previous; /* block before it by the same appender, or STAVE__NO_BLOCK */
    int64_t first;     /* lowest start, highest end */
    int64_t last;
    uint64_t first_order;
    uint64_t begun;
    uint64_t busy, longest;
    uint32_t longest_name, deepest;
    void *data;            /* the columns; NULL while only on disk */
    stave_open_span *open; /* comes and goes with `data` */
    uint32_t open_count;
    uint32_t published;                 /* rows that a stave_writer has put into its file */
    bool told_open;                     /* ... and its open spans */
    uint32_t pins;                      /* cursors that show it */
    uint64_t stored_at;                 /* offset on disk */
    uint32_t stored_size;               /* header and body; 0: is not there */
    uint32_t header_crc;                /* in the trace's file: of what was said of it there */
    struct stave__entry *older, *newer; /* in the list of blocks that may be dropped */
};

struct stave__blocks {
    struct stave__table entries;
    struct stave__table damages; /* stave_damage */
    struct stave__limits limits; /* of what rows of the trace's file may refer to */
    uint64_t next_order;
    uint64_t cache_bytes;
    uint64_t resident; /* bytes of the blocks in the list */
    struct stave__entry *oldest, *newest;
    const char *temporary_dir;
    int file_fd;  /* the trace's file, or -1 */
    int spill_fd; /* -1 until needed */
    uint64_t spill_size;
    bool spill_failed;
    uint8_t *bytes; /* a block as it is on disk */
    size_t bytes_size;
    uint64_t *numbers; /* scratch of store/block.h: as many as the block at hand has rows */
    uint32_t numbers_size;
};

void stave__blocks_init(struct stave__blocks *blocks, uint64_t cache_bytes,
                        const char *temporary_dir);
void stave__blocks_free(struct stave__blocks *blocks);

static inline struct stave__entry *stave__entry_at(const struct stave__blocks *blocks,
                                                   uint32_t index)
{
    return stave__table_at(&blocks->entries, index);
}

/* The columns of an entry's data. */
union stave__columns stave__entry_columns(const struct stave__entry *entry);

/* Bytes that its rows take in memory. */
size_t stave__entry_bytes(const struct stave__entry *entry);

/* The public view of a pinned entry: its rows as they are now, from the row `from` on. */
void stave__entry_show(const struct stave__entry *entry, uint32_t from, stave_block *block);

/* Brings the block into memory and keeps it there until it is unpinned: 1; 0 when it turns out to be
 * damaged (it is listed then, and not pinned); or an error. */
int stave__blocks_pin(struct stave__blocks *blocks, struct stave__entry *entry, stave_error *error);
void stave__blocks_unpin(struct stave__blocks *blocks, struct stave__entry *entry);

/* Lists a place of the trace's file that is not sound. */
int stave__blocks_damage(struct stave__blocks *blocks, const stave_damage *damage,
                         stave_error *error);

/* ---- appending ------------------------------------------------------------------------------- */

/* The spans that a lane's producer has open, outermost first; it takes a span off only after its row
 * was appended. */
struct stave__stack {
    const stave_open_span *spans;
    uint32_t count;
    uint64_t begun; /* highest serial given out */
};

/* Writes rows of one kind, lane and boot. It has at most one open block. */
struct stave__appender {
    struct stave__blocks *blocks;
    struct stave__entry *open; /* NULL before the first row and after sealing */
    union stave__columns columns;
    const struct stave__stack *stack; /* for spans, may be set; NULL: none are open at borders */
    uint32_t mask;                    /* STAVE_COLUMN bits of the blocks to come; more may be set */
    uint32_t kind;
    uint32_t lane;
    uint32_t boot;
    uint32_t capacity; /* of the next block: they grow, so that a lane of few rows stays small */
    uint32_t last;     /* entry of its newest block, or STAVE__NO_BLOCK */
    uint64_t rows;     /* in its sealed blocks */
    uint64_t told;     /* highest serial given out when its newest block was sealed */
};

void stave__appender_init(struct stave__appender *appender, struct stave__blocks *blocks,
                          uint32_t kind, uint32_t lane, uint32_t boot);

/* No more rows into the open block; the next row begins a new one. Spans that are open and in no block
 * yet get a block without rows. Without a stack it cannot fail. */
int stave__appender_seal(struct stave__appender *appender, stave_error *error);

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
        assert(entry != NULL);
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

/* The same where `mask` has STAVE_COLUMN_VALUE: a deadline of its own when the flags say so, else 0. */
static inline int stave__append_span_due(struct stave__appender *appender, int64_t start,
                                         int64_t end, uint64_t serial, uint64_t value,
                                         uint16_t flags, stave_error *error)
{
    int i = stave__append(appender, start, flags, error);
    if (i < 0)
        return i;
    appender->columns.end[i] = end;
    appender->columns.serial[i] = serial;
    appender->columns.value[i] = value;
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

/* A row of any kind; what the appender's `mask` lacks must be 0. `order` is given by the blocks. */
struct stave__row {
#define STAVE__ROW_MEMBER(name, number, member, type) type member;
    STAVE_COLUMN_TABLE(STAVE__ROW_MEMBER)
#undef STAVE__ROW_MEMBER
};

int stave__append_row(struct stave__appender *appender, const struct stave__row *row,
                      stave_error *error);

/* ---- blocks on disk: stored.c ---------------------------------------------------------------- */

/* Puts a block of the trace into the temporary file. */
int stave__entry_store(struct stave__blocks *blocks, struct stave__entry *entry,
                       stave_error *error);

/* Reads its columns back; as stave__blocks_pin(). */
int stave__entry_load(struct stave__blocks *blocks, struct stave__entry *entry, stave_error *error);

/* Lists a block of the trace's file that is not sound, and leaves it out from now on. */
int stave__entry_damage(struct stave__blocks *blocks, struct stave__entry *entry, const char *what,
                        stave_error *error);

/* The bytes of a block at `offset` of the trace's file, header in front, into blocks->bytes. NULL in
 * *wrong when its checksum is right; then there is room in blocks->numbers for its rows. */
int stave__blocks_read(struct stave__blocks *blocks, uint64_t offset, uint32_t size,
                       const char **wrong, stave_error *error);

/* NULL when the block in blocks->bytes has this header, else what is wrong. */
const char *stave__blocks_compare(const struct stave__blocks *blocks,
                                  const struct stave__header *header);

/* A checksum of all fields but the lane, which the index may know better. */
uint32_t stave__header_crc(const struct stave__header *header);

/* Room in blocks->bytes and blocks->numbers, in the second form for encoding a block. */
int stave__blocks_reserve(struct stave__blocks *blocks, size_t size, uint64_t numbers,
                          stave_error *error);
int stave__blocks_reserve_for(struct stave__blocks *blocks, const stave_block *block,
                              stave_error *error);

#endif
