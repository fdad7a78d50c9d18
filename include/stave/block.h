/* stave/block.h - a block of rows: the one form in which rows are kept, iterated and stored.
 *
 *     for (uint32_t i = 0; i < block->rows; i++)
 *         if (block->kind == STAVE_SPANS)
 *             total += block->end[i] - block->start[i];
 *
 * A block holds rows of one kind, of one lane, in one boot, as columns. Its columns are those that
 * its kind always has, and of those that its kind may have the ones that some row needs; a column
 * that is not there is NULL, and its rows count as 0. Times are ticks of the boot's clock.
 * docs/format.md says how a block stands in a file.
 *
 * Order      Rows of a lane stand in the order in which they took effect: a span when it ended, so that
 *            its children stand before it.
 * Ownership  Whoever hands out a block says how long it is valid. Nothing in it may be written.  */
#ifndef STAVE_BLOCK_H
#define STAVE_BLOCK_H

#include <stdint.h>

#include "stave/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* bit, member, type. The bit's number is the column's number in files. */
#define STAVE_COLUMN_TABLE(X)                                                                      \
    X(START, 0, start, int64_t)                                                                    \
    X(ORDER, 1, order, uint64_t)                                                                   \
    X(FLAGS, 2, flags, uint16_t)                                                                   \
    X(END, 3, end, int64_t)                                                                        \
    X(SERIAL, 4, serial, uint64_t)                                                                 \
    X(VALUE, 5, value, uint64_t)                                                                   \
    X(NAME, 6, name, uint32_t)                                                                     \
    X(DEPTH, 7, depth, uint32_t)                                                                   \
    X(OTHER, 8, other, uint64_t)                                                                   \
    X(OTHER_LANE, 9, other_lane, uint32_t)                                                         \
    X(TOTAL, 10, total, uint64_t)                                                                  \
    X(LEAST, 11, least, uint64_t)                                                                  \
    X(MOST, 12, most, uint64_t)

enum {
#define STAVE_COLUMN_BIT(name, number, member, type) STAVE_COLUMN_##name = 1 << (number),
    STAVE_COLUMN_TABLE(STAVE_COLUMN_BIT)
#undef STAVE_COLUMN_BIT
        STAVE_COLUMNS = 13
};

/* kind, its number in files, its name in output, columns it always has, columns it may have. Every
 * kind has start, order and flags.
 *
 * spans        a stretch of time with an identity, (lane, serial); value: the span's own deadline, an
 *              absolute tick (an int64_t), which counts instead of its lane's
 * marks        a moment; serial: the span it is in
 * gaps         value: how many events were lost; name: why, 0 where there is one reason only
 * doubts       times in it may be early; value: by how many ticks at most
 * counters     name: of the counter; value: from here on
 * cumulatives  many short calls in one row; serial: the span that they are in; start, end: from the
 *              first one's to the last one's; value: how many; total, least, most: ticks; depth: 0
 *              where nothing but that span is around them; other: its number among the span's
 *              cumulatives, from 1, 0: not told; other_lane: the number of the one around it, 0: none
 * attributes   serial: of the span that it tells something about; name: the key; value
 * links        serial: of the span it leads from; other, other_lane: of the span it leads to; value:
 *              a stave_link_kind */
#define STAVE_ROW_KIND_TABLE(X)                                                                    \
    X(STAVE_SPANS, 0, "spans", STAVE_COLUMN_END | STAVE_COLUMN_SERIAL,                             \
      STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME | STAVE_COLUMN_DEPTH | STAVE_COLUMN_OTHER |           \
          STAVE_COLUMN_OTHER_LANE)                                                                 \
    X(STAVE_MARKS, 1, "marks", STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME, STAVE_COLUMN_SERIAL)        \
    X(STAVE_GAPS, 2, "gaps", STAVE_COLUMN_END | STAVE_COLUMN_VALUE, STAVE_COLUMN_NAME)             \
    X(STAVE_DOUBTS, 3, "doubts", STAVE_COLUMN_END | STAVE_COLUMN_VALUE, 0)                         \
    X(STAVE_COUNTERS, 4, "counters", STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME, 0)                    \
    X(STAVE_CUMULATIVES, 5, "cumulatives",                                                         \
      STAVE_COLUMN_END | STAVE_COLUMN_SERIAL | STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME |            \
          STAVE_COLUMN_TOTAL | STAVE_COLUMN_LEAST | STAVE_COLUMN_MOST,                             \
      STAVE_COLUMN_DEPTH | STAVE_COLUMN_OTHER | STAVE_COLUMN_OTHER_LANE)                           \
    X(STAVE_ATTRIBUTES, 6, "attributes",                                                           \
      STAVE_COLUMN_SERIAL | STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME, 0)                             \
    X(STAVE_LINKS, 7, "links",                                                                     \
      STAVE_COLUMN_SERIAL | STAVE_COLUMN_VALUE | STAVE_COLUMN_OTHER | STAVE_COLUMN_OTHER_LANE, 0)

typedef enum stave_row_kind {
#define STAVE_ROW_KIND_ENUM(kind, number, text, has, may_have) kind = (number),
    STAVE_ROW_KIND_TABLE(STAVE_ROW_KIND_ENUM)
#undef STAVE_ROW_KIND_ENUM
        STAVE_ROW_KINDS
} stave_row_kind;

#define STAVE_KIND_BIT(kind) (1u << (kind))

/* The bits of `flags`, the same for all kinds and in files. What is not certain has one. */
enum stave_row_flag {
    STAVE_FLAG_INTERRUPTED = 1 << 0, /* a span whose end was lost: it lasted at least to `end` */
    STAVE_FLAG_HAS_VALUE = 1 << 1,   /* a mark that carries a value; a doubt whose bound is known; a
                                      * span with a deadline of its own */
    STAVE_FLAG_SATURATED = 1 << 2,   /* a time beyond the range of ticks stands at its limit */
    STAVE_FLAG_RESTART = 1 << 3,     /* the mark at which a boot ended */
    STAVE_FLAG_UNFINISHED = 1 << 4,  /* a span still open when the recording ended */
    STAVE_FLAG_FAILED = 1 << 5,      /* a span that its program calls a failure */
    STAVE_FLAG_UNWOUND = 1 << 6,     /* a span left by longjmp or an exception */
    STAVE_FLAG_OVERLAP = 1 << 7,     /* a span that does not nest with another of its lane */
    STAVE_FLAG_UNCERTAIN = 1 << 8,   /* a span whose start or end may be wrong */
    STAVE_FLAG_TRUNCATED = 1 << 9,   /* something of the row did not fit: a text, a depth */
    STAVE_FLAG_ATTACHED = 1 << 10, /* a span whose parent is (other_lane, other), not its lane's */
    STAVE_FLAG_SIGNED = 1 << 11, /* value: an int64_t; without this and the next three a uint64_t */
    STAVE_FLAG_REAL = 1 << 12,   /* value: the bits of a double */
    STAVE_FLAG_TEXT = 1 << 13,   /* value: a string id */
    STAVE_FLAG_BOOL = 1 << 14    /* value: 0: false, 1: true; a file may have any: not 0: true */
};

/* The one flag that says how a value is to be read, also where a file has several; 0: a uint64_t. */
static inline uint32_t stave_value_type(uint32_t flags)
{
    if (flags & STAVE_FLAG_TEXT)
        return STAVE_FLAG_TEXT;
    if (flags & STAVE_FLAG_REAL)
        return STAVE_FLAG_REAL;
    if (flags & STAVE_FLAG_SIGNED)
        return STAVE_FLAG_SIGNED;
    return flags & STAVE_FLAG_BOOL;
}

/* A span's end is not known: it counts in calls and, as far as it is known, in totals. */
#define STAVE_FLAGS_END_UNKNOWN (STAVE_FLAG_INTERRUPTED | STAVE_FLAG_UNFINISHED)

/* A span that is shown with doubt. */
#define STAVE_FLAGS_DOUBT                                                                          \
    (STAVE_FLAGS_END_UNKNOWN | STAVE_FLAG_SATURATED | STAVE_FLAG_UNWOUND | STAVE_FLAG_OVERLAP |    \
     STAVE_FLAG_UNCERTAIN | STAVE_FLAG_TRUNCATED)

typedef enum stave_link_kind {
    STAVE_LINK_CONTEXT = 0,   /* the same request, message or job */
    STAVE_LINK_DEPENDENCY = 1 /* the one could only begin when the other had ended */
} stave_link_kind;

/* A span that was open at a block's end. */
typedef struct stave_open_span {
    uint64_t serial;
    int64_t start;       /* ticks */
    uint32_t name;       /* string id, 0: the lane's */
    uint16_t flags;      /* enum stave_row_flag, as far as they are known */
    uint32_t other_lane; /* of an attached span: its parent */
    uint64_t other;
} stave_open_span;

typedef struct stave_block {
    uint32_t kind; /* a stave_row_kind */
    uint32_t lane;
    uint32_t boot;
    uint32_t rows;
    int64_t first; /* no start is lower and no end higher, ticks */
    int64_t last;
    const int64_t *start;   /* ticks */
    const uint64_t *order;  /* ascending; the order in which rows took effect, over all blocks */
    const uint16_t *flags;  /* enum stave_row_flag */
    const int64_t *end;     /* ticks, never before start */
    const uint64_t *serial; /* (lane, serial) is a span's identity, taken at its start, from 1 */
    const uint64_t *value;
    const uint32_t *name;  /* string id; 0: the lane's name */
    const uint32_t *depth; /* spans of the same lane around it */
    const uint64_t *other; /* with other_lane: the identity of another span, or a place in it */
    const uint32_t *other_lane;
    const uint64_t *total; /* ticks */
    const uint64_t *least;
    const uint64_t *most;
    /* Blocks of spans alone. The lane's spans that were open when the block was sealed, outermost
     * first; none while it is not. Those that were open when it began are the ones of `open`, and of
     * its rows, with a serial of at most `begun`. */
    const stave_open_span *open;
    uint32_t open_count;
    /* Highest serial that the lane had given out when the block began; 0: not known. */
    uint64_t begun;
} stave_block;

static inline uint32_t stave_block_name(const stave_block *block, uint32_t row)
{
    return block->name != NULL ? block->name[row] : 0;
}

static inline uint32_t stave_block_depth(const stave_block *block, uint32_t row)
{
    return block->depth != NULL ? block->depth[row] : 0;
}

static inline uint64_t stave_block_value(const stave_block *block, uint32_t row)
{
    return block->value != NULL ? block->value[row] : 0;
}

/* The other span of an attached span or a link; a cumulative row's number. */
static inline uint64_t stave_block_other(const stave_block *block, uint32_t row)
{
    return block->other != NULL ? block->other[row] : 0;
}

/* The other span's lane; the number of the cumulative row around a cumulative one. */
static inline uint32_t stave_block_other_lane(const stave_block *block, uint32_t row)
{
    return block->other_lane != NULL ? block->other_lane[row] : 0;
}

/* The end of a row's time: its start where its kind has no end. */
static inline int64_t stave_block_end(const stave_block *block, uint32_t row)
{
    return block->end != NULL ? block->end[row] : block->start[row];
}

#ifdef __cplusplus
}
#endif

#endif
