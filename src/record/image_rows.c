#include "record/image_rows.h"

#include <stdlib.h>

#include "base/error.h"
#include "record/record.h"
#include "record/sums.h"

#define OPEN_FEW 1024u
#define ALL_COLUMNS ((1u << STAVE_COLUMNS) - 1)

int stave__image_rows_open(struct stave__image_rows *rows, stave_error *error)
{
    rows->records = malloc(STAVE__CHUNK_SIZE);
    rows->columns_data = malloc(stave__columns_size(ALL_COLUMNS, STAVE__CHUNK_RECORDS));
    if (rows->records == NULL || rows->columns_data == NULL)
        return stave__fail_memory(error);
    stave__columns_lay_out(&rows->columns, ALL_COLUMNS, STAVE__CHUNK_RECORDS, rows->columns_data);
    return STAVE_OK;
}

void stave__image_rows_close(struct stave__image_rows *rows)
{
    free(rows->records);
    free(rows->columns_data);
}

/* ---- which records ---------------------------------------------------------------------------- */

static uint32_t kind_of(const struct stave__record *record)
{
    static const uint8_t kinds[8] = {[STAVE__ATTRIBUTE] = STAVE_ATTRIBUTES,
                                     [STAVE__MARK] = STAVE_MARKS,
                                     [STAVE__COUNTER] = STAVE_COUNTERS,
                                     [STAVE__SUM] = STAVE_CUMULATIVES};
    return stave__record_is_span(record) ? STAVE_SPANS : kinds[stave__what_kind(record->what)];
}

/* No clock is read for an attribute. */
static bool is_timed(const struct stave__record *record)
{
    return !stave__record_is(record, STAVE__ATTRIBUTE);
}

/* Not of a recording before, nor of before a session. */
static bool is_wanted(const struct stave__image_rows *rows, const struct stave__record *record)
{
    const struct stave__open_spans *spans = rows->spans;
    if (spans->is_of_session)
        return is_timed(record) ? (int64_t)(record->end - spans->session_start) >= 0
                                : record->serial >= spans->session_low;
    return record->serial > rows->spans->before ||
           (record->serial == 0 && (int64_t)(record->end - stave__recorder.since) >= 0);
}

/* The start of the first record that has a time, or of an open span. */
static int64_t first_time(const struct stave__image_rows *rows)
{
    for (uint32_t i = 0; i < rows->copied; i += stave__record_length(&rows->records[i])) {
        const struct stave__record *record = &rows->records[i];
        if (is_timed(record) && is_wanted(rows, record))
            return stave__since_start(stave__record_is_span(record) ? record->start : record->end);
    }
    return rows->spans->now_count > 0 ? rows->spans->now[0].start : 0;
}

/* What kinds there are, a bit each, and how many records they take. */
static uint32_t survey(struct stave__image_rows *rows)
{
    uint32_t kinds = 0, length;
    rows->has_attached = false;
    for (uint32_t i = 0; i < rows->copied; i += length) {
        const struct stave__record *record = &rows->records[i];
        length = stave__record_length(record);
        if (!is_wanted(rows, record))
            continue;
        kinds |= STAVE_KIND_BIT(kind_of(record));
        rows->has_attached = rows->has_attached || stave__record_is_attached(record);
        rows->taken += length;
    }
    return kinds;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static uint64_t order_of(struct stave__image_rows *rows, int64_t time)
{
    uint64_t *order = &rows->place->orders[rows->kind];
    if (time > 0 && (uint64_t)time > *order)
        *order = (uint64_t)time;
    return *order;
}

/* What rows of all kinds have. */
static void put_row(struct stave__image_rows *rows, struct stave__image_file *file,
                    const struct stave__record *record, uint32_t row, int64_t start, int64_t end)
{
    const union stave__columns *to = &rows->columns;
    uint32_t name = stave__what_name(record->what);
    to->start[row] = start;
    to->end[row] = end;
    to->order[row] = order_of(rows, end);
    to->serial[row] = record->serial;
    to->name[row] = stave__image_name(file, name);
    to->flags[row] = stave__image_doubt(name);
}

static void take_span(struct stave__image_rows *rows, struct stave__image_file *file,
                      const struct stave__record *record, uint32_t row)
{
    const union stave__columns *to = &rows->columns;
    put_row(rows, file, record, row, stave__since_start(record->start),
            stave__since_start(record->end));
    to->depth[row] = stave__what_depth(record->what);
    to->flags[row] |= stave__what_flags(record->what);
    if (!rows->has_attached)
        return;
    bool is_attached = stave__record_is_attached(record);
    to->other[row] = is_attached ? record[1].start : 0;
    to->other_lane[row] = is_attached ? stave__image_lane_of(file, (uint32_t)record[1].end) : 0;
}

static uint64_t value_of(struct stave__image_file *file, const struct stave__record *record)
{
    if (!stave__record_has_text(record))
        return record->start;
    return stave__image_text(file, (const char *)(record + 1), (size_t)record->start);
}

/* Attributes, marks, counters. */
static void take_moment(struct stave__image_rows *rows, struct stave__image_file *file,
                        const struct stave__record *record, uint32_t row)
{
    const union stave__columns *to = &rows->columns;
    int64_t time = is_timed(record) ? stave__since_start(record->end) : rows->place->seen;
    put_row(rows, file, record, row, time, time);
    to->value[row] = value_of(file, record);
    to->flags[row] |= stave__what_flags(record->what);
}

static uint32_t bits_of(uint64_t what, uint32_t shift, uint32_t mask)
{
    return (uint32_t)(what >> shift) & mask;
}

static void take_sum(struct stave__image_rows *rows, struct stave__image_file *file,
                     const struct stave__record *record, uint32_t row)
{
    const union stave__columns *to = &rows->columns;
    put_row(rows, file, record, row, stave__since_start(record->start),
            stave__since_start(record->end));
    to->depth[row] = bits_of(record->what, STAVE__SUM_DEPTH_SHIFT, STAVE__SUM_DEPTH_MAX);
    to->other[row] = bits_of(record->what, STAVE__SUM_NUMBER_SHIFT, STAVE__SUM_NUMBER_MAX);
    to->other_lane[row] = bits_of(record->what, STAVE__SUM_AROUND_SHIFT, STAVE__SUM_NUMBER_MAX);
    to->value[row] = record[1].start;
    to->total[row] = record[1].end;
    to->least[row] = record[1].serial;
    to->most[row] = record[1].what;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

#define SPAN_COLUMNS                                                                               \
    (STAVE_COLUMN_END | STAVE_COLUMN_SERIAL | STAVE_COLUMN_NAME | STAVE_COLUMN_DEPTH)

/* kind, the columns beside start, order and flags, what makes a row */
#define KINDS(X)                                                                                   \
    X(STAVE_SPANS, SPAN_COLUMNS, take_span)                                                        \
    X(STAVE_CUMULATIVES,                                                                           \
      STAVE_COLUMN_END | STAVE_COLUMN_SERIAL | STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME |            \
          STAVE_COLUMN_TOTAL | STAVE_COLUMN_LEAST | STAVE_COLUMN_MOST | STAVE_COLUMN_DEPTH |       \
          STAVE_COLUMN_OTHER | STAVE_COLUMN_OTHER_LANE,                                            \
      take_sum)                                                                                    \
    X(STAVE_ATTRIBUTES, STAVE_COLUMN_SERIAL | STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME, take_moment) \
    X(STAVE_MARKS, STAVE_COLUMN_SERIAL | STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME, take_moment)      \
    X(STAVE_COUNTERS, STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME, take_moment)

static stave_block block_of(const struct stave__image_rows *rows, uint32_t kind, uint32_t columns,
                            uint32_t count)
{
    const union stave__columns *c = &rows->columns;
    columns |= STAVE_COLUMN_START | STAVE_COLUMN_ORDER | STAVE_COLUMN_FLAGS;
    stave_block block = {
        .kind = kind, .lane = rows->lane, .rows = count, .first = INT64_MAX, .last = INT64_MIN};
#define SET_COLUMN(name, number, member, type)                                                     \
    block.member = columns & STAVE_COLUMN_##name ? c->member : NULL;
    STAVE_COLUMN_TABLE(SET_COLUMN)
#undef SET_COLUMN
    for (uint32_t i = 0; i < count; i++) {
        int64_t end = stave_block_end(&block, i);
        block.first = block.start[i] < block.first ? block.start[i] : block.first;
        block.last = end > block.last ? end : block.last;
    }
    return block;
}

static void put_block(struct stave__image_file *file, const stave_block *block)
{
    stave__image_texts(file);
    size_t size = stave__block_encode(block, file->block, file->values);
    if (file->status >= 0)
        file->status = stave__writer_put(&file->writer, file->block, size, file->error);
}

/* Tells of the open spans in a block: those in spans->around. */
static void set_open(struct stave__image_rows *rows, struct stave__image_file *file,
                     stave_block *block)
{
    stave_open_span *open = rows->spans->around;
    uint32_t count = rows->spans->around_count;
    for (uint32_t i = 0; i < count; i++) {
        open[i].flags |= stave__image_doubt(open[i].name);
        open[i].name = stave__image_name(file, open[i].name);
        if ((open[i].flags & STAVE_FLAG_ATTACHED) != 0)
            open[i].other_lane = stave__image_lane_of(file, open[i].other_lane);
    }
    block->open = open;
    block->open_count = count;
    rows->place->told = count > 0 ? open[count - 1].serial : 0;
}

/* Until when they were open at least. */
static void stretch(const struct stave__image_file *file, stave_block *block)
{
    int64_t now = stave__since_start(file->now.tick);
    block->last = now > block->last ? now : block->last;
}

/* Without rows: those in spans->around, open until then at least. */
static void put_open(struct stave__image_rows *rows, struct stave__image_file *file, int64_t until)
{
    const struct stave__open_spans *spans = rows->spans;
    stave_block block = block_of(rows, STAVE_SPANS, SPAN_COLUMNS, 0);
    if (spans->around_count == 0 ||
        spans->around[spans->around_count - 1].serial == rows->place->told)
        return;
    set_open(rows, file, &block);
    block.first = block.last = block.open[block.open_count - 1].start;
    block.last = until > block.last ? until : block.last;
    put_block(file, &block);
}

void stave__image_rows_put_open(struct stave__image_rows *rows, struct stave__image_file *file)
{
    rows->place->cut = rows->spans->until + 1; /* of an ended thread: 0, and none */
    rows->place->cut_time = stave__since_start(file->now.tick);
    stave__open_spans_at(rows->spans, UINT32_MAX, UINT64_MAX);
    put_open(rows, file, rows->place->cut_time);
}

void stave__image_rows_put_open_at_cut(struct stave__image_rows *rows,
                                       struct stave__image_file *file)
{
    stave__open_spans_at(rows->spans, rows->piece, rows->last_span);
    put_open(rows, file, rows->place->cut_time);
}

void stave__image_rows_put_open_before(struct stave__image_rows *rows,
                                       struct stave__image_file *file)
{
    rows->place->told = 0;
    stave__open_spans_at(rows->spans, -1, rows->place->cut);
    put_open(rows, file, rows->place->cut_time);
}

/* Spans begin with the first row's: all that began after it have ended before. Of many open ones, more than rows,
 * nothing is said, but for the last block. */
static void set_around(struct stave__image_rows *rows, struct stave__image_file *file,
                       stave_block *block)
{
    rows->last_span = rows->place->cut = block->serial[block->rows - 1];
    rows->place->cut_time = block->end[block->rows - 1];
    uint64_t last = rows->is_last ? UINT64_MAX : rows->last_span;
    stave__open_spans_at(rows->spans, rows->piece, last);
    uint32_t few = block->rows > OPEN_FEW ? block->rows : OPEN_FEW;
    if (!rows->is_last && rows->spans->around_count > few) {
        rows->place->told = 0; /* a block takes the place of what those before it have said */
        return;
    }
    block->begun = block->serial[0];
    set_open(rows, file, block);
    if (rows->is_last && block->open_count > 0)
        stretch(file, block);
}

static void put_kind(struct stave__image_rows *rows, struct stave__image_file *file, uint32_t kind,
                     uint32_t columns,
                     void (*take)(struct stave__image_rows *, struct stave__image_file *,
                                  const struct stave__record *, uint32_t))
{
    uint32_t count = 0;
    rows->kind = kind;
    if (kind == STAVE_SPANS && rows->has_attached)
        columns |= STAVE_COLUMN_OTHER | STAVE_COLUMN_OTHER_LANE;
    for (uint32_t i = 0; i < rows->copied; i += stave__record_length(&rows->records[i])) {
        const struct stave__record *record = &rows->records[i];
        if (kind_of(record) == kind && is_wanted(rows, record))
            take(rows, file, record, count++);
        if (is_timed(record) && stave__since_start(record->end) > rows->place->seen)
            rows->place->seen = stave__since_start(record->end);
    }
    stave_block block = block_of(rows, kind, columns, count);
    if (kind == STAVE_SPANS)
        set_around(rows, file, &block);
    put_block(file, &block);
}

void stave__image_rows_put(struct stave__image_rows *rows, struct stave__image_file *file)
{
    int64_t seen = rows->place->seen != 0 ? rows->place->seen : first_time(rows);
    uint32_t kinds = survey(rows);
#define PUT_KIND(kind, columns, take)                                                              \
    if ((kinds & STAVE_KIND_BIT(kind)) != 0) {                                                     \
        rows->place->seen = seen;                                                                  \
        put_kind(rows, file, kind, columns, take);                                                 \
    }
    KINDS(PUT_KIND)
#undef PUT_KIND
}
