/* analyze/ticks.h - a boot's clock, for measuring many stretches of it, and the window on it.
 *
 *     stave__ticks_init(&ticks, trace, boot);
 *     double ns = stave__ticks_length(&ticks, start, end) * ticks.unit_ns;
 *
 * Lengths are in units: ticks where the clock has one rate, whole numbers, so that sums and differences
 * are exact up to 2^53; nanoseconds where it has several. They are never negative, whatever the
 * anchors say.  */
#ifndef STAVE_ANALYZE_TICKS_H
#define STAVE_ANALYZE_TICKS_H

#include "stave/trace.h"

struct stave__ticks {
    const stave_trace *trace;
    uint32_t boot;
    bool steady; /* one rate */
    double unit_ns;
    int64_t from, to; /* the window; nothing is in it when from > to */
    /* Where there are several rates: the ticks from `first` to `last` all have this one. */
    int64_t first, last;
    double rate_ns;
};

/* Without a window. */
void stave__ticks_init(struct stave__ticks *ticks, const stave_trace *trace, uint32_t boot);

/* The ticks whose times are in [from_us, to_us]. */
void stave__ticks_window(struct stave__ticks *ticks, double from_us, double to_us);

/* Of several rates, more than one of them in it, or not the last one asked for: 30 ns and more. */
double stave__ticks_length_elsewhere(struct stave__ticks *ticks, int64_t start, int64_t end);

/* `start` is at most `end`. */
static inline double stave__ticks_length(struct stave__ticks *ticks, int64_t start, int64_t end)
{
    double length = (double)((uint64_t)end - (uint64_t)start);
    if (ticks->steady)
        return length;
    if (start >= ticks->first && end <= ticks->last)
        return length * ticks->rate_ns;
    return stave__ticks_length_elsewhere(ticks, start, end);
}

/* So many ticks at the rate of tick `at`, in units. */
double stave__ticks_units(struct stave__ticks *ticks, int64_t at, uint64_t count);

static inline bool stave__ticks_in_window(const struct stave__ticks *ticks, int64_t start,
                                          int64_t end)
{
    return start <= ticks->to && end >= ticks->from;
}

/* A tick of a stretch that is in the window, or the nearest that is. */
static inline int64_t stave__ticks_clip(const struct stave__ticks *ticks, int64_t tick)
{
    if (tick < ticks->from)
        return ticks->from;
    return tick > ticks->to ? ticks->to : tick;
}

#endif
