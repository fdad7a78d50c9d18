#include "export/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "trace/trace.h"

/* The ticks of a boot that its blocks span. */
struct extent {
    bool any;
    int64_t first, last;
};

static struct extent *find_extents(const stave_trace *trace)
{
    struct extent *extents = calloc((size_t)stave_trace_boots(trace) + 1, sizeof *extents);
    for (uint32_t i = 0; extents != NULL && i < trace->blocks.entries.rows; i++) {
        const struct stave__entry *entry = stave__entry_at(&trace->blocks, i);
        struct extent *extent = &extents[entry->boot];
        if (entry->rows == 0 || entry->lane == STAVE__NO_LANE)
            continue;
        extent->first = !extent->any || entry->first < extent->first ? entry->first : extent->first;
        extent->last = !extent->any || entry->last > extent->last ? entry->last : extent->last;
        extent->any = true;
    }
    return extents;
}

static double find_start(const stave_trace *trace, const struct extent *extents)
{
    double start = HUGE_VAL;
    for (uint32_t i = 0; i < stave_trace_boots(trace); i++)
        if (extents[i].any)
            start = fmin(start, stave_time_us(trace, i, extents[i].first));
    return isfinite(start) ? start : 0;
}

int64_t stave__timeline_from_us(const struct stave__timeline *timeline, double us)
{
    return stave__ns_limit((us - timeline->start_us) * 1000.0);
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* Anchor `index` is in force from `first` on until `end`; the boot's first tick is a place where the time is known. */
static struct stave__rate rate_of(const struct stave__timeline *timeline, uint32_t boot,
                                  uint32_t index, int64_t first, int64_t end, int64_t known)
{
    const stave_trace *trace = timeline->trace;
    stave_anchor anchor = stave_trace_anchor(trace, boot, index);
    struct stave__rate rate = {
        .first = first,
        .tick = known,
        .ns = stave__timeline_from_us(timeline, stave_time_us(trace, boot, known)),
        .floor = -STAVE__NS_MAX,
        .ns_per_tick = anchor.hz == 0 ? 0 : 1e9 / anchor.hz,
    };
    if (known < first || known >= end) {
        rate.tick = known < first ? first : end - 1;
        rate.ns += stave__ns_limit(stave_duration_us(trace, boot, known, rate.tick) * 1000.0);
        if (rate.ns > STAVE__NS_MAX || rate.ns < -STAVE__NS_MAX)
            rate.ns = rate.ns > 0 ? STAVE__NS_MAX : -STAVE__NS_MAX;
    }
    return rate;
}

static void make_rates(struct stave__timeline *timeline, uint32_t boot, int64_t known)
{
    struct stave__boot_line *line = &timeline->boots[boot];
    struct stave__rate *rates = timeline->rates + line->first;
    line->count = stave_trace_anchors(timeline->trace, boot);
    for (uint32_t i = 0; i < line->count; i++) {
        int64_t first = i > 0 ? stave_trace_anchor(timeline->trace, boot, i).tick : INT64_MIN;
        int64_t end =
            i + 1 < line->count ? stave_trace_anchor(timeline->trace, boot, i + 1).tick : INT64_MAX;
        rates[i] = rate_of(timeline, boot, i, first, end, known);
        if (i > 0)
            rates[i].floor = stave__rate_ns(&rates[i - 1], first);
    }
}

static bool make_all_rates(struct stave__timeline *timeline, const struct extent *extents)
{
    uint32_t boots = stave_trace_boots(timeline->trace), count = 0;
    for (uint32_t i = 0; i < boots; i++)
        count += stave_trace_anchors(timeline->trace, i);
    timeline->boots = calloc((size_t)boots + 1, sizeof *timeline->boots);
    timeline->rates = calloc((size_t)count + 1, sizeof *timeline->rates);
    if (timeline->boots == NULL || timeline->rates == NULL)
        return false;
    for (uint32_t i = 0, first = 0; i < boots; i++) {
        timeline->boots[i].first = first;
        make_rates(timeline, i, extents[i].first);
        first += timeline->boots[i].count;
    }
    return true;
}

void stave__timeline_turn(struct stave__timeline *timeline, uint32_t boot, int64_t tick)
{
    const struct stave__boot_line *line = &timeline->boots[boot];
    const struct stave__rate *rates = timeline->rates + line->first;
    uint32_t low = 0, high = line->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (rates[middle].first <= tick)
            low = middle;
        else
            high = middle;
    }
    timeline->now = &rates[low];
    timeline->now_boot = boot;
    timeline->now_end = low + 1 < line->count ? rates[low + 1].first : INT64_MAX;
}

/* ---- when that was --------------------------------------------------------------------------- */

static void find_epoch(struct stave__timeline *timeline)
{
    const stave_trace *trace = timeline->trace;
    for (uint32_t boot = 0; boot < stave_trace_boots(trace) && !timeline->has_epoch; boot++) {
        for (uint32_t i = 0; i < stave_trace_anchors(trace, boot) && !timeline->has_epoch; i++) {
            stave_anchor anchor = stave_trace_anchor(trace, boot, i);
            if (anchor.realtime_ns <= 0)
                continue;
            int64_t ns = stave__timeline_ns(timeline, boot, anchor.tick);
            timeline->has_epoch = ns > -STAVE__NS_MAX && anchor.realtime_ns - ns > 0;
            timeline->epoch_ns = timeline->has_epoch ? anchor.realtime_ns - ns : 0;
        }
    }
}

int stave__timeline_open(struct stave__timeline *timeline, const stave_trace *trace,
                         stave_error *error)
{
    struct extent *extents = find_extents(trace);
    *timeline = (struct stave__timeline){.trace = trace};
    if (extents == NULL)
        return stave__fail_memory(error);
    timeline->start_us = find_start(trace, extents);
    if (!make_all_rates(timeline, extents)) {
        free(extents);
        return stave__fail_memory(error);
    }
    for (uint32_t i = 0; i < stave_trace_boots(trace); i++) {
        int64_t end = extents[i].any ? stave__timeline_ns(timeline, i, extents[i].last) : 0;
        timeline->end_ns = end > timeline->end_ns ? end : timeline->end_ns;
    }
    find_epoch(timeline);
    free(extents);
    return STAVE_OK;
}

void stave__timeline_close(struct stave__timeline *timeline)
{
    free(timeline->boots);
    free(timeline->rates);
}
