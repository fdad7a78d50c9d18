#include "causes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 64 };

/* The last range that begins at or before the timetag; NULL: there is none. */
static struct clips_range *range_of(const struct stave__clips_causes *causes, uint64_t timetag)
{
    size_t low = 0;
    size_t high = causes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (causes->ranges[middle].first <= timetag)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || timetag >= causes->ranges[low - 1].end)
        return NULL;
    return &causes->ranges[low - 1];
}

stave_run stave__clips_causes_find(const struct stave__clips_causes *causes, uint64_t timetag)
{
    const struct clips_range *range = range_of(causes, timetag);
    return range != NULL ? range->firing : (stave_run){0};
}

void stave__clips_causes_add(struct stave__clips_causes *causes, struct clips_range range)
{
    assert(causes->count < causes->capacity && range.first < range.end);
    assert(causes->count == 0 || causes->ranges[causes->count - 1].end <= range.first);
    causes->ranges[causes->count++] = range;
}

bool stave__clips_causes_grow(struct stave__clips_causes *causes)
{
    size_t capacity = causes->capacity == 0 ? CAPACITY_FIRST : 2 * causes->capacity;
    if (capacity > causes->max)
        capacity = causes->max;
    if (capacity == causes->capacity)
        return false;
    struct clips_range *ranges = realloc(causes->ranges, capacity * sizeof *ranges);
    if (ranges == NULL)
        return false;
    causes->ranges = ranges;
    causes->capacity = capacity;
    return true;
}

void stave__clips_causes_need(struct stave__clips_causes *causes, uint64_t timetag)
{
    struct clips_range *range = range_of(causes, timetag);
    if (range != NULL)
        range->is_needed = true;
}

void stave__clips_causes_sweep(struct stave__clips_causes *causes)
{
    size_t kept = 0;
    for (size_t i = 0; i < causes->count; i++) {
        if (!causes->ranges[i].is_needed)
            continue;
        causes->ranges[kept] = causes->ranges[i];
        causes->ranges[kept++].is_needed = false;
    }
    causes->count = kept;
}

void stave__clips_causes_forget_half(struct stave__clips_causes *causes)
{
    size_t forgotten = causes->count - causes->count / 2;
    if (forgotten == 0)
        return;
    causes->forgotten = causes->ranges[forgotten - 1].end;
    causes->count -= forgotten;
    memmove(causes->ranges, causes->ranges + forgotten, causes->count * sizeof *causes->ranges);
}

void stave__clips_causes_clear(struct stave__clips_causes *causes)
{
    causes->count = 0;
    causes->forgotten = 0;
}

void stave__clips_causes_free(struct stave__clips_causes *causes)
{
    free(causes->ranges);
    *causes = (struct stave__clips_causes){0};
}
