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

/* ---- the rows of a lane ---------------------------------------------------------------------- */

static bool grow(struct stave__owing *owing)
{
    uint32_t size = owing->size != 0 ? owing->size * 2 : FIRST_OWED; /* 0 beyond 2^31 */
    struct stave__owed *rows = size != 0 ? realloc(owing->rows, size * sizeof *rows) : NULL;
    if (rows == NULL)
        return false;
    owing->rows = rows;
    struct stave__place *places = realloc(owing->places, size * sizeof *places);
    if (places == NULL)
        return false;
    owing->places = places;
    owing->size = size;
    return true;
}

static bool owe(struct stave__owing *owing, struct stave__rolling *rolling,
                const stave_block *block, uint32_t row)
{
    uint32_t name = stave__roll_cumulative(rolling, block, row);
    if (name == STAVE_NONE || (owing->used == owing->size && !grow(owing)))
        return false;
    struct stave__place *place = &owing->places[owing->used];
    *place = stave__place_of(block, row, owing->used);
    if (!stave__place_is_told(block, row))
        place->around = 0;
    owing->rows[owing->used++] = (struct stave__owed){
        .units = stave__ticks_units(&rolling->ticks, block->start[row], block->total[row]),
        .calls = (double)block->value[row],
        .name = name,
        .parent = STAVE_NONE,
        .first = STAVE_NONE,
        .next = STAVE_NONE,
        .direct = stave__place_is_direct(block, row),
    };
    return true;
}

static bool read_block(struct stave__owing *owing, struct stave__rolling *rolling,
                       const stave_block *block)
{
    for (uint32_t i = 0; i < block->rows; i++)
        if (stave__ticks_in_window(&rolling->ticks, block->start[i], block->end[i]) &&
            !owe(owing, rolling, block, i))
            return false;
    return true;
}

/* Who is in whom. */
static void link_rows(struct stave__owing *owing)
{
    stave__places_solve(owing->places, owing->used);
    for (uint32_t i = owing->used; i-- > 0;) {
        const struct stave__place *place = &owing->places[i];
        if (place->parent == STAVE_NONE)
            continue;
        struct stave__owed *owed = &owing->rows[place->at];
        owed->parent = owing->places[place->parent].at;
        struct stave__owed *parent = &owing->rows[owed->parent];
        owed->next = parent->first;
        parent->first = place->at;
        parent->inner += owed->units;
        parent->directly += owed->calls;
    }
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
    link_rows(owing);
    return STAVE_OK;
}

/* ---- self and total -------------------------------------------------------------------------- */

static void leave(struct stave__rolling *rolling, const struct stave__owed *owed)
{
    struct stave__name *name = stave__names_at(&rolling->names, owed->name);
    double unit_ns = rolling->ticks.unit_ns;
    if (--name->open == 0) {
        name->row.total_ns += owed->units * unit_ns;
        stave__name_total_cost(name, rolling->cost, owed->calls, owed->within);
    }
    if (owed->units > owed->inner)
        name->row.self_ns += (owed->units - owed->inner) * unit_ns;
    stave__name_self_cost(name, rolling->cost, owed->calls, owed->directly);
}

/* A row and all in it: names are open while what is in them is added. */
static void descend(const struct stave__owing *owing, struct stave__rolling *rolling, uint32_t top)
{
    struct stave__owed *rows = owing->rows;
    for (uint32_t at = top;;) {
        stave__names_at(&rolling->names, rows[at].name)->open++;
        if (rows[at].first != STAVE_NONE) {
            at = rows[at].first;
            continue;
        }
        for (;; at = rows[at].parent) {
            leave(rolling, &rows[at]);
            if (at == top)
                return;
            rows[rows[at].parent].within += rows[at].calls + rows[at].within;
            if (rows[at].next != STAVE_NONE)
                break;
        }
        at = rows[at].next;
    }
}

/* The first place of a serial, or the number of places. */
static uint32_t first_of(const struct stave__owing *owing, uint64_t serial)
{
    uint32_t low = 0, high = owing->used;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (owing->places[middle].serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct stave__taken stave__owing_take(const struct stave__owing *owing,
                                      struct stave__rolling *rolling, uint64_t serial, uint8_t pass)
{
    struct stave__taken taken = {0};
    for (uint32_t i = first_of(owing, serial); i < owing->used; i++) {
        struct stave__owed *owed = &owing->rows[owing->places[i].at];
        if (owing->places[i].serial != serial || owed->taken == pass)
            break; /* a serial that occurs twice: its last row has taken them */
        owed->taken = pass;
        if (owed->parent != STAVE_NONE)
            continue;
        if (pass == 1)
            descend(owing, rolling, owing->places[i].at);
        taken.units += owed->direct ? owed->units : 0;
        taken.directly += owed->direct ? owed->calls : 0;
        taken.within += owed->calls + owed->within;
    }
    return taken;
}

void stave__owing_settle(struct stave__owing *owing, struct stave__rolling *rolling)
{
    for (uint32_t i = 0; i < owing->used; i++)
        if (owing->rows[i].taken == 0 && owing->rows[i].parent == STAVE_NONE)
            descend(owing, rolling, i);
    owing->used = 0;
}

void stave__owing_free(struct stave__owing *owing)
{
    free(owing->rows);
    free(owing->places);
}
