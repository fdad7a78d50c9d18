/* Clocks: ticks to microseconds through a boot's anchors. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "trace/trace.h"

#define FIRST_ANCHORS 4u

static double ticks_us(double ticks, double hz)
{
    return hz == 0 ? ticks / 1000.0 : ticks * 1000000.0 / hz;
}

/* The exact difference, rounded once: it may need 65 bits. */
static double tick_difference(int64_t a, int64_t b)
{
    return a >= b ? (double)((uint64_t)a - (uint64_t)b) : -(double)((uint64_t)b - (uint64_t)a);
}

/* The anchor in force at a tick: the last one at or before it, else the first. */
static const stave_anchor *anchor_for(const struct stave__boot *boot, int64_t tick)
{
    uint32_t low = 0; /* in force unless a later one is */
    uint32_t high = boot->anchors_used;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (boot->anchors[middle].tick <= tick)
            low = middle;
        else
            high = middle;
    }
    return &boot->anchors[low];
}

double stave__boot_us(const struct stave__boot *boot, int64_t tick)
{
    const stave_anchor *anchor = anchor_for(boot, tick);
    return anchor->us + ticks_us(tick_difference(tick, anchor->tick), anchor->hz);
}

double stave__boot_rate(const struct stave__boot *boot, int64_t tick)
{
    return anchor_for(boot, tick)->hz;
}

void stave__boot_set_rate(struct stave__boot *boot, double hz)
{
    assert(boot->anchors_used == 1);
    boot->anchors[0].hz = hz;
}

static stave_anchor *add_anchor(struct stave__boot *boot)
{
    if (boot->anchors_used == boot->anchors_size) {
        uint32_t size = boot->anchors_size != 0 ? boot->anchors_size * 2 : FIRST_ANCHORS;
        stave_anchor *larger = realloc(boot->anchors, size * sizeof *larger);
        if (larger == NULL)
            return NULL;
        boot->anchors = larger;
        boot->anchors_size = size;
    }
    return &boot->anchors[boot->anchors_used++];
}

int stave__boot_change_rate(struct stave__boot *boot, int64_t tick, double hz, stave_error *error)
{
    while (boot->anchors_used > 1 && boot->anchors[boot->anchors_used - 1].tick >= tick)
        boot->anchors_used--;
    double us = stave__boot_us(boot, tick);
    stave_anchor *anchor = add_anchor(boot);
    if (anchor == NULL)
        return stave__fail_memory(error);
    *anchor = (stave_anchor){.tick = tick, .us = us, .hz = hz};
    return STAVE_OK;
}

int stave__boot_add_anchor(struct stave__boot *boot, const stave_anchor *anchor, stave_error *error)
{
    stave_anchor *row = add_anchor(boot);
    if (row == NULL)
        return stave__fail_memory(error);
    *row = *anchor;
    return STAVE_OK;
}

int stave__trace_boot(stave_trace *trace, double offset_us, double hz, uint32_t *id,
                      stave_error *error)
{
    struct stave__boot boot = {.shown = {.offset_us = offset_us}};
    stave_anchor *anchor = add_anchor(&boot);
    struct stave__boot *row = anchor != NULL ? stave__table_add(&trace->boots) : NULL;
    if (row == NULL) {
        free(boot.anchors);
        return stave__fail_memory(error);
    }
    *anchor = (stave_anchor){.hz = hz};
    *row = boot;
    *id = trace->boots.rows - 1;
    return STAVE_OK;
}

double stave_duration_us(const stave_trace *trace, uint32_t boot, int64_t start, int64_t end)
{
    const struct stave__boot *b = stave__boot_at(trace, boot);
    const stave_anchor *anchor = anchor_for(b, start);
    if (anchor == anchor_for(b, end))
        return ticks_us(tick_difference(end, start), anchor->hz);
    return stave__boot_us(b, end) - stave__boot_us(b, start);
}

double stave_time_us(const stave_trace *trace, uint32_t boot, int64_t tick)
{
    const struct stave__boot *b = stave__boot_at(trace, boot);
    return stave__boot_us(b, tick) + b->shown.offset_us;
}
