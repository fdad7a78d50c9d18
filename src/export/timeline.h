/* export/timeline.h - ticks of any boot in whole nanoseconds from the start of the trace.
 *
 *     if (stave__timeline_open(&timeline, trace, error) < 0) ...
 *     int64_t ns = stave__timeline_ns(&timeline, block->boot, block->start[i]);
 *     stave__timeline_close(&timeline);
 *
 * What viewers read are doubles, or integers of nanoseconds: of times since 1970 a double keeps 256 ns at best, of those
 * from the start each nanosecond of the first 104 days. All formats take their times from here, so that lengths, sums and
 * what is left between them are the same in each.
 *
 * Order     A later tick of a boot is never before an earlier one, also where the anchors of its clock say so.
 * Range     0 is the least start that blocks tell of; times beyond STAVE__NS_MAX either way stand there.  */
#ifndef STAVE_EXPORT_TIMELINE_H
#define STAVE_EXPORT_TIMELINE_H

#include "stave/trace.h"

#define STAVE__NS_MAX (((int64_t)1 << 62) - 1) /* 146 years; two of them can be added */

/* Ticks from `first` on, at one rate. */
struct stave__rate {
    int64_t first;
    int64_t tick, ns;   /* these are the same time */
    int64_t floor;      /* ns: where the rate before this one ends */
    double ns_per_tick; /* 0: ticks are nanoseconds */
};

struct stave__boot_line {
    uint32_t first, count; /* of the rates */
};

struct stave__timeline {
    const stave_trace *trace;
    struct stave__boot_line *boots;
    struct stave__rate *rates; /* those of a boot together, ascending */
    const struct stave__rate *now;
    uint32_t now_boot;
    int64_t now_end;  /* the tick at which `now` ends */
    double start_us;  /* of the trace on its own time line */
    int64_t end_ns;   /* no row ends later */
    bool has_epoch;   /* it is known when that was: */
    int64_t epoch_ns; /* since 1970; 0 where it is not */
};

int stave__timeline_open(struct stave__timeline *timeline, const stave_trace *trace,
                         stave_error *error);
void stave__timeline_close(struct stave__timeline *timeline);

/* Makes the rate of a tick the one at hand. */
void stave__timeline_turn(struct stave__timeline *timeline, uint32_t boot, int64_t tick);

/* A time on the trace's own time line. */
int64_t stave__timeline_from_us(const struct stave__timeline *timeline, double us);

static inline int64_t stave__ns_limit(double ns)
{
    if (!(ns < (double)STAVE__NS_MAX))
        return STAVE__NS_MAX;
    return ns > -(double)STAVE__NS_MAX ? (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5) : -STAVE__NS_MAX;
}

/* `from` and ticks more or less, in ns. */
static inline int64_t stave__rate_ns(const struct stave__rate *rate, int64_t tick)
{
    bool later = tick >= rate->tick;
    uint64_t ticks =
        later ? (uint64_t)tick - (uint64_t)rate->tick : (uint64_t)rate->tick - (uint64_t)tick;
    int64_t ns;
    if (rate->ns_per_tick != 0)
        ns = stave__ns_limit((double)ticks * rate->ns_per_tick);
    else
        ns = ticks < (uint64_t)STAVE__NS_MAX ? (int64_t)ticks : STAVE__NS_MAX;
    ns = later ? rate->ns + ns : rate->ns - ns;
    ns = ns < STAVE__NS_MAX ? ns : STAVE__NS_MAX;
    return ns > rate->floor ? ns : rate->floor;
}

static inline int64_t stave__timeline_ns(struct stave__timeline *timeline, uint32_t boot,
                                         int64_t tick)
{
    if (timeline->now == NULL || timeline->now_boot != boot || tick < timeline->now->first ||
        tick >= timeline->now_end)
        stave__timeline_turn(timeline, boot, tick);
    return stave__rate_ns(timeline->now, tick);
}

/* So many ticks at the rate of a tick, rounded down: sums of parts are not longer than the whole. */
static inline uint64_t stave__timeline_length(struct stave__timeline *timeline, uint32_t boot,
                                              int64_t at, uint64_t ticks)
{
    stave__timeline_ns(timeline, boot, at);
    if (timeline->now->ns_per_tick == 0)
        return ticks < (uint64_t)STAVE__NS_MAX ? ticks : (uint64_t)STAVE__NS_MAX;
    double ns = (double)ticks * timeline->now->ns_per_tick;
    return ns < (double)STAVE__NS_MAX ? (uint64_t)ns : (uint64_t)STAVE__NS_MAX;
}

#endif
