#include "store/block.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "store/bytes.h"
#include "store/column.h"

/* Columns of the spans that were open, behind those of the rows. */
enum {
    OPEN_SERIAL = 32,
    OPEN_START,
    OPEN_NAME,
    OPEN_FLAGS, /* these three where a span has flags or another one */
    OPEN_OTHER,
    OPEN_OTHER_LANE,
    OPEN_END
};
#define OPEN_COLUMNS (OPEN_END - OPEN_SERIAL)
#define OPEN_ALL ((1u << OPEN_COLUMNS) - 1)
#define OPEN_PLAIN ((1u << (OPEN_FLAGS - OPEN_SERIAL)) - 1)

/* END stands first, since others refer to it. */
static const uint8_t column_order[STAVE_COLUMNS] = {3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12};
#define KNOWN_COLUMNS ((1u << STAVE_COLUMNS) - 1)
#define END_NUMBER 3
#define START_NUMBER 0
#define ORDER_NUMBER 1
#define VALUE_NUMBER 5

/* What a column's rows look like most often. */
static const enum stave__transform usual_transform[STAVE_COLUMNS] = {
    [START_NUMBER] = STAVE__FROM_END,
    [ORDER_NUMBER] = STAVE__DELTA,
    [END_NUMBER] = STAVE__DELTA,
    [4] = STAVE__DELTA,
    [8] = STAVE__DELTA,
};

/* ---- summary --------------------------------------------------------------------------------- */

void stave__block_summarize(const stave_block *block, struct stave__header *header)
{
    uint64_t busy = 0, longest = 0;
    uint32_t longest_at = 0;
    int64_t low = INT64_MAX; /* from here on all is covered, as far as rows stand in order */
    for (uint32_t i = block->rows; i-- > 0 && block->end != NULL;) {
        int64_t start = block->start[i], end = block->end[i];
        uint64_t length = (uint64_t)end - (uint64_t)start;
        if (length >= longest) {
            longest = length;
            longest_at = i;
        }
        if (start >= low)
            continue;
        busy += (uint64_t)(end < low ? end : low) - (uint64_t)start;
        low = start;
    }
    header->busy = busy;
    header->longest = longest;
    header->longest_name = block->rows > 0 ? stave_block_name(block, longest_at) : 0;
    header->deepest = 0;
    for (uint32_t i = 0; block->depth != NULL && i < block->rows; i++)
        if (block->depth[i] > header->deepest)
            header->deepest = block->depth[i];
}

/* ---- encoding -------------------------------------------------------------------------------- */

size_t stave__block_bound(const stave_block *block)
{
    return STAVE__HEADER_SIZE + STAVE_COLUMNS * stave__column_bound(block->rows) +
           OPEN_COLUMNS * stave__column_bound(block->open_count);
}

static const void *column_of(const stave_block *block, uint32_t number)
{
    switch (1u << number) {
#define CASE(name, at, member, type)                                                               \
    case STAVE_COLUMN_##name:                                                                      \
        return block->member;
        STAVE_COLUMN_TABLE(CASE)
#undef CASE
    default:
        return NULL;
    }
}

/* The rows of a column, 64 bits wide. */
static const uint64_t *widen(const void *column, uint32_t width, uint32_t rows, uint64_t *scratch)
{
    if (width == sizeof(uint64_t))
        return column;
    for (uint32_t i = 0; i < rows; i++)
        scratch[i] = width == sizeof(uint32_t) ? ((const uint32_t *)column)[i]
                                               : ((const uint16_t *)column)[i];
    return scratch;
}

static bool all_zero(const uint64_t *values, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++)
        if (values[i] != 0)
            return false;
    return true;
}

static enum stave__transform transform_for(const stave_block *block, uint32_t number)
{
    enum stave__transform usual = usual_transform[number];
    if (block->end == NULL)
        return usual == STAVE__FROM_END ? STAVE__DELTA : usual;
    if (number == ORDER_NUMBER && block->rows > 0 &&
        memcmp(block->order, block->end, block->rows * sizeof *block->end) == 0)
        return STAVE__FROM_END; /* a recorder's order is the time itself */
    if (number == VALUE_NUMBER && block->kind == STAVE_SPANS)
        return STAVE__FROM_END; /* a deadline is near the end */
    return usual;
}

static uint8_t *put_rows(const stave_block *block, uint8_t *at, uint32_t *mask, uint64_t *scratch)
{
    for (uint32_t i = 0; i < STAVE_COLUMNS; i++) {
        uint32_t number = column_order[i];
        const void *column = column_of(block, number);
        if (column == NULL)
            continue;
        const uint64_t *values = widen(column, stave__column_width[number], block->rows, scratch);
        bool optional = (stave__kind_has[block->kind] & 1u << number) == 0;
        if (optional && all_zero(values, block->rows))
            continue;
        *mask |= 1u << number;
        at = stave__column_put(at, number, transform_for(block, number), values, block->rows,
                               (const uint64_t *)block->end);
    }
    return at;
}

static uint64_t open_value(const stave_open_span *open, uint32_t number)
{
    switch (number) {
    case OPEN_SERIAL:
        return open->serial;
    case OPEN_START:
        return (uint64_t)open->start;
    case OPEN_NAME:
        return open->name;
    case OPEN_FLAGS:
        return open->flags;
    case OPEN_OTHER:
        return open->other;
    default:
        return open->other_lane;
    }
}

static uint8_t *put_open(const stave_block *block, uint8_t *at, uint64_t *scratch)
{
    uint32_t count = block->open_count, end = OPEN_FLAGS;
    for (uint32_t i = 0; i < count; i++)
        if ((block->open[i].flags | block->open[i].other | block->open[i].other_lane) != 0)
            end = OPEN_END;
    for (uint32_t number = OPEN_SERIAL; number < end && count > 0; number++) {
        bool delta = number == OPEN_SERIAL || number == OPEN_START || number == OPEN_OTHER;
        for (uint32_t i = 0; i < count; i++)
            scratch[i] = open_value(&block->open[i], number);
        at = stave__column_put(at, number, delta ? STAVE__DELTA : STAVE__PLAIN, scratch, count,
                               NULL);
    }
    return at;
}

size_t stave__block_encode(const stave_block *block, uint8_t *bytes, uint64_t *scratch)
{
    assert(block->rows <= STAVE__BLOCK_ROWS_MAX && block->open_count <= STAVE__COLUMN_ROWS_MAX);
    struct stave__header header = {
        .kind = block->kind,
        .rows = block->rows,
        .lane = block->lane,
        .boot = block->boot,
        .first = (uint64_t)block->first,
        .last = (uint64_t)block->last,
        .first_order = block->rows > 0 ? block->order[0] : 0,
        .begun = block->begun,
        .open_count = block->open_count,
    };
    uint32_t mask = 0;
    uint8_t *body = bytes + STAVE__HEADER_SIZE;
    uint8_t *at = put_rows(block, body, &mask, scratch);
    at = put_open(block, at, scratch);
    header.columns = mask;
    stave__block_summarize(block, &header);
    return stave__header_seal(&header, bytes, (size_t)(at - body));
}

/* ---- decoding -------------------------------------------------------------------------------- */

const char *stave__block_check(const struct stave__header *header)
{
    if (!stave__header_is_sane(header))
        return "a block's size is beyond its limit";
    if (header->version > STAVE__BLOCK_VERSION || header->kind >= STAVE_ROW_KINDS)
        return "a block of an unknown kind";
    uint32_t has = stave__kind_has[header->kind];
    uint32_t never = KNOWN_COLUMNS & ~stave__kind_may_have[header->kind];
    bool empty = header->rows == 0 && (header->kind != STAVE_SPANS || header->open_count == 0);
    if (empty || (header->columns & has) != has || (header->columns & never) != 0)
        return "a block without the columns of its kind";
    if ((int64_t)header->first > (int64_t)header->last)
        return "a block that ends before it begins";
    if (header->open_count > 0 && header->kind != STAVE_SPANS)
        return "open spans in a block of another kind";
    return NULL;
}

/* The values that a column was decoded into, in their own width; false when one does not fit. */
static bool narrow(const uint64_t *values, void *column, uint32_t width, uint32_t rows)
{
    uint64_t all = 0;
    if (width == sizeof(uint32_t)) {
        uint32_t *to = column;
        for (uint32_t i = 0; i < rows; i++) {
            all |= values[i];
            to[i] = (uint32_t)values[i];
        }
        return all <= UINT32_MAX;
    }
    uint16_t *to = column;
    for (uint32_t i = 0; i < rows; i++) {
        all |= values[i];
        to[i] = (uint16_t)values[i];
    }
    return all <= UINT16_MAX;
}

static bool get_rows(const struct stave__column *column, const union stave__columns *columns,
                     uint32_t seen, uint64_t *scratch)
{
    const uint64_t *ends = (seen & STAVE_COLUMN_END) != 0 ? (const uint64_t *)columns->end : NULL;
    uint32_t width = stave__column_width[column->number];
    void *to = columns->at[column->number];
    if (width == sizeof(uint64_t))
        return stave__column_get(column, ends, to);
    return stave__column_get(column, ends, scratch) && narrow(scratch, to, width, column->count);
}

/* False when the value does not fit. */
static bool set_open(stave_open_span *open, uint32_t number, uint64_t value)
{
    switch (number) {
    case OPEN_SERIAL:
        open->serial = value;
        return true;
    case OPEN_START:
        open->start = (int64_t)value;
        return true;
    case OPEN_NAME:
        open->name = (uint32_t)value;
        return value <= UINT32_MAX;
    case OPEN_FLAGS:
        open->flags = (uint16_t)value;
        return value <= UINT16_MAX;
    case OPEN_OTHER:
        open->other = value;
        return true;
    default:
        open->other_lane = (uint32_t)value;
        return value <= UINT32_MAX;
    }
}

static bool get_open(const struct stave__column *column, stave_open_span *open, uint64_t *scratch)
{
    bool right = stave__column_get(column, NULL, scratch);
    for (uint32_t i = 0; i < column->count && right; i++)
        right = set_open(&open[i], column->number, scratch[i]);
    return right;
}

/* Every column once, each with as many values as there are rows. */
static bool get_columns(const struct stave__header *header, const uint8_t *body,
                        const union stave__columns *columns, stave_open_span *open,
                        uint64_t *scratch)
{
    const uint8_t *at = body, *end = body + header->raw_size;
    uint32_t seen = 0, open_seen = 0;
    struct stave__column column;
    while (at < end) {
        at = stave__column_next(at, end, &column);
        if (at == NULL)
            return false;
        if (column.number < STAVE_COLUMNS) {
            uint32_t bit = 1u << column.number;
            if ((header->columns & bit) == 0 || (seen & bit) != 0 || column.count != header->rows ||
                !get_rows(&column, columns, seen, scratch))
                return false;
            seen |= bit;
        } else if (column.number >= OPEN_SERIAL && column.number < OPEN_END) {
            uint32_t bit = 1u << (column.number - OPEN_SERIAL);
            if ((open_seen & bit) != 0 || column.count != header->open_count ||
                !get_open(&column, open, scratch))
                return false;
            open_seen |= bit;
        }
    }
    bool open_right =
        header->open_count == 0 ? open_seen == 0 : open_seen == OPEN_PLAIN || open_seen == OPEN_ALL;
    return seen == (header->columns & KNOWN_COLUMNS) && open_right;
}

static bool times_are_right(const struct stave__header *header, const union stave__columns *c)
{
    int64_t first = (int64_t)header->first, last = (int64_t)header->last;
    uint64_t order = header->first_order;
    bool right = true;
    for (uint32_t i = 0; i < header->rows; i++) {
        int64_t end = c->end != NULL ? c->end[i] : c->start[i];
        right &=
            (c->start[i] >= first) & (end <= last) & (end >= c->start[i]) & (c->order[i] >= order);
        order = c->order[i];
    }
    return right;
}

/* Whether a name is there, or another may stand for it. */
static inline bool settle_name(uint32_t *name, const struct stave__limits *limits)
{
    if (*name < limits->strings)
        return true;
    *name = limits->lost_name;
    return limits->lost_name != 0;
}

static bool texts_are_right(const struct stave__header *header, const struct stave__limits *limits,
                            const union stave__columns *c)
{
    bool right = true;
    for (uint32_t i = 0; c->value != NULL && i < header->rows; i++) {
        if ((c->flags[i] & STAVE_FLAG_TEXT) == 0 || c->value[i] < limits->strings)
            continue;
        c->value[i] = limits->lost_name;
        right &= limits->lost_name != 0;
    }
    return right;
}

static bool references_are_right(const struct stave__header *header,
                                 const struct stave__limits *limits, const union stave__columns *c,
                                 stave_open_span *open)
{
    bool right = texts_are_right(header, limits, c);
    for (uint32_t i = 0; c->name != NULL && i < header->rows; i++)
        right &= settle_name(&c->name[i], limits);
    bool has_lanes = c->other_lane != NULL && header->kind != STAVE_CUMULATIVES;
    for (uint32_t i = 0; has_lanes && i < header->rows; i++)
        right &= c->other_lane[i] < limits->lanes;
    for (uint32_t i = 0; i < header->open_count; i++)
        right &= settle_name(&open[i].name, limits) && open[i].other_lane < limits->lanes;
    return right;
}

const char *stave__block_decode(const struct stave__header *header, const uint8_t *body,
                                const struct stave__limits *limits,
                                const union stave__columns *columns, stave_open_span *open,
                                uint64_t *scratch)
{
    if (!get_columns(header, body, columns, open, scratch))
        return "columns that are not sound";
    if (!times_are_right(header, columns))
        return "times that contradict the block's own";
    if (!references_are_right(header, limits, columns, open))
        return "rows that refer to a name or lane which is not there";
    return NULL;
}
