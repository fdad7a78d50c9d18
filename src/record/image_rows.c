#include "record/image_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/sums.h"

#define ALL_COLUMNS ((1u << STAVE_COLUMNS) - 1)

int stave__image_rows_open(struct stave__image_rows *rows, stave_error *error)
{
    rows->records = malloc(STAVE__CHUNK_SIZE);
    rows->open = malloc(STAVE_DEPTH_MAX * sizeof *rows->open);
    rows->columns_data = malloc(stave__columns_size(ALL_COLUMNS, STAVE__CHUNK_RECORDS));
    if (rows->records == NULL || rows->open == NULL || rows->columns_data == NULL)
        return stave__fail_memory(error);
    stave__columns_lay_out(&rows->columns, ALL_COLUMNS, STAVE__CHUNK_RECORDS, rows->columns_data);
    return STAVE_OK;
}

void stave__image_rows_close(struct stave__image_rows *rows)
{
    free(rows->records);
    free(rows->open);
    free(rows->columns_data);
}

/* ---- what a record says ---------------------------------------------------------------------- */

static int64_t since_start(uint64_t tick)
{
    return (int64_t)(tick - stave__recorder.clock.start.tick);
}

static bool is_span(const struct stave__record *record)
{
    return (record->what & STAVE__NOT_SPAN) == 0;
}

static uint32_t name_of(uint64_t what)
{
    return (uint32_t)(what & ((1u << STAVE__DEPTH_SHIFT) - 1));
}

static uint32_t depth_of(uint64_t what)
{
    return (uint32_t)(what >> STAVE__DEPTH_SHIFT) & (2 * STAVE_DEPTH_MAX - 1);
}

/* What else than a span it is. */
static uint32_t kind_of(uint64_t what)
{
    return (uint32_t)(what >> STAVE__DEPTH_SHIFT) & 7;
}

static uint16_t flags_of(uint64_t what)
{
    return (uint16_t)((what & ~STAVE__NOT_SPAN) >> STAVE__FLAGS_SHIFT);
}

static bool has_text(const struct stave__record *record)
{
    return !is_span(record) && kind_of(record->what) != STAVE__SUM &&
           (flags_of(record->what) & STAVE_FLAG_TEXT) != 0;
}

static bool is_timed(const struct stave__record *record)
{
    return is_span(record) || kind_of(record->what) != STAVE__ATTRIBUTE;
}

/* How many records it takes. */
static uint32_t length_of(const struct stave__record *record)
{
    if (is_span(record))
        return 1;
    if (kind_of(record->what) == STAVE__SUM)
        return 2;
    return has_text(record) ? 1 + (uint32_t)((record->start + sizeof *record - 1) / sizeof *record)
                            : 1;
}

/* ---- open spans ------------------------------------------------------------------------------ */

/* R5. A slot that was given to another span while it was read has another serial, and ends the copy. */
static bool copy_slot(struct stave__image_rows *rows, const struct stave__lane *lane,
                      const struct stave__open *slot)
{
    uint64_t serial = __atomic_load_n(&slot->serial, __ATOMIC_ACQUIRE);
    uint64_t what = __atomic_load_n(&slot->what, __ATOMIC_ACQUIRE);
    uint64_t start = __atomic_load_n(&slot->start, __ATOMIC_ACQUIRE);
    bool still = __atomic_load_n(&slot->serial, __ATOMIC_ACQUIRE) == serial &&
                 __atomic_load_n(&lane->thread.top, __ATOMIC_ACQUIRE) > slot;
    if (!still || serial > rows->until || (what & STAVE__IS_SUM) != 0)
        return false;
    if (serial > rows->before)
        rows->open[rows->open_count++] =
            (stave_open_span){.serial = serial,
                              .start = since_start(start),
                              .name = name_of(what),
                              .flags = flags_of(what) | stave__image_doubt(name_of(what))};
    return true;
}

void stave__image_rows_begin(struct stave__image_rows *rows, uint32_t index)
{
    const struct stave__lane *lane = &stave__recorder.lanes[index];
    rows->lane = index;
    rows->before = __atomic_load_n(&lane->before, __ATOMIC_RELAXED);
    rows->until = UINT64_MAX;
    rows->open_count = 0;
    rows->copied = 0;
    rows->seen = 0;
    memset(rows->orders, 0, sizeof rows->orders);
    uint32_t state = __atomic_load_n(&lane->state, __ATOMIC_ACQUIRE);
    if (state == STAVE__LANE_UNUSED)
        rows->until = 0; /* what it begins from now on has begun too late */
    if (state != STAVE__LANE_ALIVE)
        return;
    /* First: of those up to here what is open later stands below the top, what is not has a record. */
    rows->until = __atomic_load_n(&lane->thread.serial, __ATOMIC_ACQUIRE);
    const struct stave__open *top = __atomic_load_n(&lane->thread.top, __ATOMIC_ACQUIRE);
    for (const struct stave__open *slot = lane->thread.base; slot < top; slot++)
        if (!copy_slot(rows, lane, slot))
            break;
}

/* How many of them began before a serial. */
static uint32_t open_before(const struct stave__image_rows *rows, uint64_t serial)
{
    uint32_t low = 0, high = rows->open_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows->open[middle].serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One of them has ended since. */
static void close_one(struct stave__image_rows *rows, uint64_t serial)
{
    uint32_t at = open_before(rows, serial);
    if (at == rows->open_count || rows->open[at].serial != serial)
        return;
    rows->open_count--;
    memmove(&rows->open[at], &rows->open[at + 1], (rows->open_count - at) * sizeof *rows->open);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static uint64_t order_of(struct stave__image_rows *rows, int64_t time)
{
    uint64_t *order = &rows->orders[rows->kind];
    if (time > 0 && (uint64_t)time > *order)
        *order = (uint64_t)time;
    return *order;
}

/* What rows of all kinds have. */
static void put_row(struct stave__image_rows *rows, struct stave__image_file *file,
                    const struct stave__record *record, uint32_t row, int64_t start, int64_t end)
{
    const union stave__columns *to = &rows->columns;
    uint32_t name = name_of(record->what);
    to->start[row] = start;
    to->end[row] = end;
    to->order[row] = order_of(rows, end);
    to->serial[row] = record->serial;
    to->name[row] = stave__image_name(file, name);
    to->flags[row] = stave__image_doubt(name);
}

/* Each returns whether the record is of this kind, and then fills in a row. */
static bool take_span(struct stave__image_rows *rows, struct stave__image_file *file,
                      const struct stave__record *record, uint32_t row)
{
    const union stave__columns *to = &rows->columns;
    if (!is_span(record))
        return false;
    put_row(rows, file, record, row, since_start(record->start), since_start(record->end));
    to->depth[row] = depth_of(record->what);
    to->flags[row] |= flags_of(record->what);
    close_one(rows, record->serial);
    return true;
}

static uint64_t value_of(struct stave__image_file *file, const struct stave__record *record)
{
    if (!has_text(record))
        return record->start;
    return stave__image_text(file, (const char *)(record + 1), (size_t)record->start);
}

static bool take_moment(struct stave__image_rows *rows, struct stave__image_file *file,
                        const struct stave__record *record, uint32_t row, uint32_t kind)
{
    const union stave__columns *to = &rows->columns;
    if (is_span(record) || kind_of(record->what) != kind)
        return false;
    /* No clock is read for an attribute. */
    int64_t time = kind == STAVE__ATTRIBUTE ? rows->seen : since_start(record->end);
    if (time < 0 && record->serial == 0)
        return false; /* of a recording before */
    put_row(rows, file, record, row, time, time);
    to->value[row] = value_of(file, record);
    to->flags[row] |= flags_of(record->what);
    return true;
}

static bool take_attribute(struct stave__image_rows *rows, struct stave__image_file *file,
                           const struct stave__record *record, uint32_t row)
{
    return take_moment(rows, file, record, row, STAVE__ATTRIBUTE);
}

static bool take_mark(struct stave__image_rows *rows, struct stave__image_file *file,
                      const struct stave__record *record, uint32_t row)
{
    return take_moment(rows, file, record, row, STAVE__MARK);
}

static bool take_counter(struct stave__image_rows *rows, struct stave__image_file *file,
                         const struct stave__record *record, uint32_t row)
{
    return take_moment(rows, file, record, row, STAVE__COUNTER);
}

static uint32_t bits_of(uint64_t what, uint32_t shift, uint32_t mask)
{
    return (uint32_t)(what >> shift) & mask;
}

static bool take_sum(struct stave__image_rows *rows, struct stave__image_file *file,
                     const struct stave__record *record, uint32_t row)
{
    const union stave__columns *to = &rows->columns;
    if (is_span(record) || kind_of(record->what) != STAVE__SUM)
        return false;
    put_row(rows, file, record, row, since_start(record->start), since_start(record->end));
    to->depth[row] = bits_of(record->what, STAVE__SUM_DEPTH_SHIFT, STAVE__SUM_DEPTH_MAX);
    to->other[row] = bits_of(record->what, STAVE__SUM_NUMBER_SHIFT, STAVE__SUM_NUMBER_MAX);
    to->other_lane[row] = bits_of(record->what, STAVE__SUM_AROUND_SHIFT, STAVE__SUM_NUMBER_MAX);
    to->value[row] = record[1].start;
    to->total[row] = record[1].end;
    to->least[row] = record[1].serial;
    to->most[row] = record[1].what;
    return true;
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
    X(STAVE_ATTRIBUTES, STAVE_COLUMN_SERIAL | STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME,              \
      take_attribute)                                                                              \
    X(STAVE_MARKS, STAVE_COLUMN_SERIAL | STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME, take_mark)        \
    X(STAVE_COUNTERS, STAVE_COLUMN_VALUE | STAVE_COLUMN_NAME, take_counter)

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

void stave__image_rows_put_open(struct stave__image_rows *rows, struct stave__image_file *file)
{
    if (rows->open_count == 0)
        return;
    for (uint32_t i = 0; i < rows->open_count; i++)
        rows->open[i].name = stave__image_name(file, rows->open[i].name);
    stave_block block = block_of(rows, STAVE_SPANS, SPAN_COLUMNS, 0);
    block.open = rows->open;
    block.open_count = rows->open_count;
    block.first = block.last = rows->open[rows->open_count - 1].start;
    put_block(file, &block);
}

/* Neither begun since the open ones were copied, nor of a recording before. */
static bool is_wanted(const struct stave__image_rows *rows, const struct stave__record *record)
{
    return record->serial <= rows->until && (record->serial > rows->before || record->serial == 0);
}

static void put_kind(struct stave__image_rows *rows, struct stave__image_file *file, uint32_t kind,
                     uint32_t columns,
                     bool (*take)(struct stave__image_rows *, struct stave__image_file *,
                                  const struct stave__record *, uint32_t))
{
    uint32_t count = 0;
    rows->kind = kind;
    for (uint32_t i = 0; i < rows->copied; i += length_of(&rows->records[i])) {
        const struct stave__record *record = &rows->records[i];
        if (is_wanted(rows, record) && take(rows, file, record, count))
            count++;
        if (since_start(record->end) > rows->seen && is_timed(record))
            rows->seen = since_start(record->end);
    }
    if (count == 0)
        return;
    stave_block block = block_of(rows, kind, columns, count);
    put_block(file, &block);
}

/* The start of the first record that has a time, or of an open span. */
static int64_t first_time(const struct stave__image_rows *rows)
{
    for (uint32_t i = 0; i < rows->copied; i += length_of(&rows->records[i]))
        if (is_timed(&rows->records[i]) && is_wanted(rows, &rows->records[i]))
            return since_start(is_span(&rows->records[i]) ? rows->records[i].start
                                                          : rows->records[i].end);
    return rows->open_count > 0 ? rows->open[0].start : 0;
}

void stave__image_rows_put(struct stave__image_rows *rows, struct stave__image_file *file)
{
    int64_t seen = rows->seen != 0 ? rows->seen : first_time(rows);
#define PUT_KIND(kind, columns, take)                                                              \
    rows->seen = seen;                                                                             \
    put_kind(rows, file, kind, columns, take);
    KINDS(PUT_KIND)
#undef PUT_KIND
}
