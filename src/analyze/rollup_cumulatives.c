/* Rows that stand for many calls. */
#include <stdlib.h>

#include "analyze/rolling.h"
#include "base/error.h"

#define FIRST_OWED 64u

/* A row that the window cuts counts whole, and is not certain. */
static bool is_cut(const struct stave__ticks *ticks, const stave_block *block, uint32_t row)
{
    return block->start[row] < ticks->from || block->end[row] > ticks->to;
}

uint32_t stave__roll_cumulative(struct stave__rolling *rolling, const stave_block *block,
                                uint32_t row)
{
    struct stave__ticks *ticks = &rolling->ticks;
    uint64_t calls = block->value[row];
    uint16_t flags = block->flags[row];
    int64_t at = block->start[row];
    uint32_t string = stave_block_name(block, row);
    if (string == 0)
        string = stave__lane_name(rolling->trace, block->lane);
    uint32_t index = stave__names_row(&rolling->names, string);
    if (index == STAVE_NONE)
        return index;
    struct stave__name *name = stave__names_at(&rolling->names, index);
    double total_ns = stave__ticks_units(ticks, at, block->total[row]) * ticks->unit_ns;
    name->row.calls += calls;
    name->row.self_ns += total_ns;
    if (flags & STAVE_FLAG_FAILED)
        name->row.failed += calls;
    if ((flags & STAVE_FLAGS_DOUBT) != 0 || is_cut(ticks, block, row))
        name->row.uncertain += calls;
    if (calls > 0 && (flags & STAVE_FLAGS_END_UNKNOWN) == 0)
        stave__name_time(name, calls, total_ns,
                         stave__ticks_units(ticks, at, block->least[row]) * ticks->unit_ns,
                         stave__ticks_units(ticks, at, block->most[row]) * ticks->unit_ns);
    return index;
}

static bool owe(struct stave__owing *owing, const struct stave__owed *owed)
{
    if (owing->used == owing->size) {
        size_t size = owing->size != 0 ? owing->size * 2 : FIRST_OWED;
        struct stave__owed *larger = realloc(owing->rows, size * sizeof *larger);
        if (larger == NULL)
            return false;
        owing->rows = larger;
        owing->size = size;
    }
    owing->rows[owing->used++] = *owed;
    return true;
}

static bool read_block(struct stave__owing *owing, struct stave__rolling *rolling,
                       const stave_block *block)
{
    struct stave__ticks *ticks = &rolling->ticks;
    for (uint32_t i = 0; i < block->rows; i++) {
        if (!stave__ticks_in_window(ticks, block->start[i], block->end[i]))
            continue;
        struct stave__owed owed = {
            .serial = block->serial[i],
            .units = stave__ticks_units(ticks, block->start[i], block->total[i]),
            .name = stave__roll_cumulative(rolling, block, i),
            .direct = stave_block_depth(block, i) == 0,
        };
        if (owed.name == STAVE_NONE || !owe(owing, &owed))
            return false;
    }
    return true;
}

static int compare_owed(const void *a, const void *b)
{
    const struct stave__owed *x = a, *y = b;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

int stave__owing_read(struct stave__owing *owing, struct stave__rolling *rolling, uint32_t from,
                      uint32_t end, stave_error *error)
{
    owing->used = 0;
    for (uint32_t i = from; i < end; i++) {
        int status = stave__reading_show(&rolling->reading, i, error);
        if (status < 0)
            return status;
        if (status > 0 && !read_block(owing, rolling, &rolling->reading.block))
            return stave__fail_memory(error);
    }
    if (owing->used > 0)
        qsort(owing->rows, owing->used, sizeof *owing->rows, compare_owed);
    return STAVE_OK;
}

static void add_total(struct stave__rolling *rolling, const struct stave__owed *owed)
{
    struct stave__name *name = stave__names_at(&rolling->names, owed->name);
    if (name->open == 0)
        name->row.total_ns += owed->units * rolling->ticks.unit_ns;
}

/* The first row of a serial, or the number of rows. */
static size_t first_of(const struct stave__owing *owing, uint64_t serial)
{
    size_t low = 0, high = owing->used;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (owing->rows[middle].serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double stave__owing_take(const struct stave__owing *owing, struct stave__rolling *rolling,
                         uint64_t serial, uint8_t pass)
{
    double direct = 0;
    for (size_t i = first_of(owing, serial); i < owing->used; i++) {
        struct stave__owed *owed = &owing->rows[i];
        if (owed->serial != serial || owed->taken == pass)
            break; /* a serial that occurs twice: its last row has taken them */
        owed->taken = pass;
        if (pass == 1)
            add_total(rolling, owed);
        direct += owed->direct ? owed->units : 0;
    }
    return direct;
}

void stave__owing_settle(struct stave__owing *owing, struct stave__rolling *rolling)
{
    for (size_t i = 0; i < owing->used; i++)
        if (owing->rows[i].taken == 0)
            add_total(rolling, &owing->rows[i]);
    owing->used = 0;
}
