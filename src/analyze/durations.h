/* analyze/durations.h - how many durations there are, the shortest, the longest and the mean, in any unit.
 *
 *     struct stave__durations whole = {0};
 *     bool longest = stave__durations_add(&whole, us);        // of those so far
 *     double mean_us = stave__durations_mean(&whole);
 */
#ifndef STAVE_ANALYZE_DURATIONS_H
#define STAVE_ANALYZE_DURATIONS_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: none. */
struct stave__durations {
    uint64_t count;
    double least, most, sum;
};

/* Whether it is longer than all before it. */
static inline bool stave__durations_add(struct stave__durations *durations, double duration)
{
    bool is_longest = durations->count == 0 || duration > durations->most;
    if (is_longest)
        durations->most = duration;
    if (durations->count == 0 || duration < durations->least)
        durations->least = duration;
    durations->sum += duration;
    durations->count++;
    return is_longest;
}

/* 0 where there are none. */
static inline double stave__durations_mean(const struct stave__durations *durations)
{
    return durations->count > 0 ? durations->sum / (double)durations->count : 0;
}

#endif
