#include "analyze/ticks.h"

#include <math.h>

static double anchor_ns(const stave_anchor *anchor)
{
    return anchor->hz == 0 ? 1.0 : 1e9 / anchor->hz;
}

void stave__ticks_init(struct stave__ticks *ticks, const stave_trace *trace, uint32_t boot)
{
    stave_anchor anchor = stave_trace_anchor(trace, boot, 0);
    double ns = anchor_ns(&anchor);
    bool steady = stave_trace_anchors(trace, boot) == 1 && isfinite(ns) && ns > 0;
    *ticks = (struct stave__ticks){
        .trace = trace,
        .boot = boot,
        .steady = steady,
        .unit_ns = steady ? ns : 1.0,
        .from = INT64_MIN,
        .to = INT64_MAX,
        .first = INT64_MAX, /* none yet */
        .last = INT64_MIN,
    };
}

/* ---- the window ------------------------------------------------------------------------------ */

/* The least tick whose time is at least `us` (or, with `beyond`, more), as far as there is one. */
static bool first_tick_from(const struct stave__ticks *ticks, double us, bool beyond, int64_t *tick)
{
    int64_t low = INT64_MIN, high = INT64_MAX;
    while (low < high) {
        int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
        double time = stave_time_us(ticks->trace, ticks->boot, middle);
        if (beyond ? time > us : time >= us)
            high = middle;
        else
            low = middle + 1;
    }
    double time = stave_time_us(ticks->trace, ticks->boot, low);
    *tick = low;
    return beyond ? time > us : time >= us;
}

void stave__ticks_window(struct stave__ticks *ticks, double from_us, double to_us)
{
    int64_t from, beyond;
    bool is_from = first_tick_from(ticks, from_us, false, &from);
    bool is_beyond = first_tick_from(ticks, to_us, true, &beyond);
    ticks->from = from;
    ticks->to = is_beyond ? beyond - (beyond > INT64_MIN) : INT64_MAX;
    if (!is_from || !(from_us <= to_us) || (is_beyond && beyond == INT64_MIN)) {
        ticks->from = INT64_MAX; /* nothing */
        ticks->to = INT64_MIN;
    }
}

/* ---- several rates --------------------------------------------------------------------------- */

/* Makes the anchor in force at a tick the one at hand. */
static void go_to(struct stave__ticks *ticks, int64_t tick)
{
    uint32_t count = stave_trace_anchors(ticks->trace, ticks->boot);
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (stave_trace_anchor(ticks->trace, ticks->boot, middle).tick <= tick)
            low = middle;
        else
            high = middle;
    }
    stave_anchor anchor = stave_trace_anchor(ticks->trace, ticks->boot, low);
    double ns = anchor_ns(&anchor);
    ticks->first = low == 0 ? INT64_MIN : anchor.tick;
    ticks->last = INT64_MAX;
    if (low + 1 < count)
        ticks->last = stave_trace_anchor(ticks->trace, ticks->boot, low + 1).tick - 1;
    ticks->rate_ns = isfinite(ns) && ns > 0 ? ns : 0;
}

double stave__ticks_length_elsewhere(struct stave__ticks *ticks, int64_t start, int64_t end)
{
    go_to(ticks, start);
    if (end <= ticks->last)
        return (double)((uint64_t)end - (uint64_t)start) * ticks->rate_ns;
    double ns = stave_duration_us(ticks->trace, ticks->boot, start, end) * 1000.0;
    return ns > 0 ? ns : 0;
}

double stave__ticks_units(struct stave__ticks *ticks, int64_t at, uint64_t count)
{
    if (ticks->steady)
        return (double)count;
    if (at < ticks->first || at > ticks->last)
        go_to(ticks, at);
    return (double)count * ticks->rate_ns;
}
