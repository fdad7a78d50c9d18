#include "record/clock.h"

#include "base/os_process.h"
#include "stave/stave.h"

#define TRIES 5

uint64_t stave__clock_tick(const struct stave__clock *clock)
{
    return clock->own != NULL ? clock->own(clock->context) : stave__now();
}

/* Read between two readings of the counter, as near together as they come in a few tries. */
struct stave__moment stave__clock_moment(const struct stave__clock *clock)
{
    struct stave__moment best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = stave__clock_tick(clock);
        int64_t monotonic_ns = stave__os_monotonic_ns();
        int64_t realtime_ns = stave__os_realtime_ns();
        uint64_t took = stave__clock_tick(clock) - before;
        if (took >= least)
            continue;
        least = took;
        best = (struct stave__moment){before + took / 2, monotonic_ns, realtime_ns};
        if (clock->own != NULL)
            break; /* a clock of tests counts its readings */
    }
    return best;
}

double stave__clock_rate(const struct stave__clock *clock, const struct stave__moment *from,
                         const struct stave__moment *to)
{
    int64_t ns = to->monotonic_ns - from->monotonic_ns;
    if (clock->own != NULL)
        return 0;
    return ns > 0 ? (double)(to->tick - from->tick) * 1e9 / (double)ns : 0;
}
