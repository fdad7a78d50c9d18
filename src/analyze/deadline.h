/* analyze/deadline.h - what spans are allowed, and which of them missed it.
 *
 *     double lane_us = stave__deadline_us(stave_trace_lane(trace, block->lane));
 *     struct stave__deadline deadline = stave__deadline_of(lane_us, flags, stave_block_value(block, i));
 *     missed += stave__deadline_missed(&deadline, block->end[i], duration_us);
 */
#ifndef STAVE_ANALYZE_DEADLINE_H
#define STAVE_ANALYZE_DEADLINE_H

#include <math.h>

#include "trace/deadline.h"

/* Of one span. */
struct stave__deadline {
    bool own;       /* else its lane's, or none */
    int64_t tick;   /* its own: absolute */
    double lane_us; /* its lane's, from its start; infinite: none */
};

/* `lane_us` is what the span's lane allows; flags and value are the span's. */
static inline struct stave__deadline stave__deadline_of(double lane_us, uint16_t flags,
                                                        uint64_t value)
{
    bool own = (flags & STAVE_FLAG_HAS_VALUE) != 0;
    return (struct stave__deadline){
        .own = own,
        .tick = own ? (int64_t)value : 0,
        .lane_us = own ? HUGE_VAL : lane_us,
    };
}

/* Whether there is any. */
static inline bool stave__deadline_exists(const struct stave__deadline *deadline)
{
    return deadline->own || !isinf(deadline->lane_us);
}

/* Whether a span whose end is known ended after it: its own is compared in ticks, without rounding. */
static inline bool stave__deadline_missed(const struct stave__deadline *deadline, int64_t end,
                                          double duration_us)
{
    return deadline->own ? end > deadline->tick : duration_us > deadline->lane_us;
}

#endif
