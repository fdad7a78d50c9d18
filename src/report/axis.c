#include "report/axis.h"

#include <math.h>
#include <stdlib.h>

#define LIMIT ((int64_t)1 << 60)

struct stave__axis_part {
    int64_t tick;
    int64_t time;  /* of that tick */
    int64_t least; /* where the part before it ended */
    double units;  /* of a tick */
};

static int64_t whole(double units)
{
    if (!(units > -(double)LIMIT))
        return -LIMIT;
    return units < (double)LIMIT ? (int64_t)nearbyint(units) : LIMIT;
}

static double units_of(double us)
{
    return us * 1000.0 * STAVE__AXIS_UNITS;
}

static int64_t time_in(const struct stave__axis_part *part, int64_t tick)
{
    double ticks = tick >= part->tick ? (double)((uint64_t)tick - (uint64_t)part->tick)
                                      : -(double)((uint64_t)part->tick - (uint64_t)tick);
    int64_t time = whole((double)part->time + ticks * part->units);
    return time > part->least ? time : part->least;
}

bool stave__axis_open(struct stave__axis *axis, const stave_trace *trace, uint32_t boot)
{
    uint32_t count = stave_trace_anchors(trace, boot);
    double zero_us = stave_trace_anchor(trace, boot, 0).us;
    double offset_us =
        stave_trace_boot(trace, boot)->offset_us - stave_trace_boot(trace, 0)->offset_us;
    if (boot > 0)
        offset_us += zero_us - stave_trace_anchor(trace, 0, 0).us;
    *axis = (struct stave__axis){.parts = malloc(((size_t)count + 1) * sizeof *axis->parts)};
    for (uint32_t i = 0; i < count && axis->parts != NULL; i++) {
        stave_anchor anchor = stave_trace_anchor(trace, boot, i);
        double ns = anchor.hz == 0 ? 1.0 : 1e9 / anchor.hz;
        struct stave__axis_part *part = &axis->parts[i];
        part->tick = anchor.tick;
        part->time = whole(units_of(anchor.us - zero_us) + units_of(offset_us));
        part->least = i > 0 ? time_in(part - 1, anchor.tick) : -LIMIT;
        part->units = isfinite(ns) && ns > 0 ? ns * STAVE__AXIS_UNITS : 0;
    }
    axis->count = count;
    return axis->parts != NULL;
}

/* The last part that begins at or before a tick, else the first. */
static const struct stave__axis_part *part_of(const struct stave__axis *axis, int64_t tick)
{
    uint32_t low = 0, high = axis->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (axis->parts[middle].tick <= tick)
            low = middle;
        else
            high = middle;
    }
    return &axis->parts[low];
}

int64_t stave__axis_at(const struct stave__axis *axis, int64_t tick)
{
    return time_in(part_of(axis, tick), tick);
}

double stave__axis_units(const struct stave__axis *axis, int64_t at, uint64_t ticks)
{
    return (double)ticks * part_of(axis, at)->units;
}

void stave__axis_free(struct stave__axis *axis)
{
    free(axis->parts);
    axis->parts = NULL;
}
