/* record/clock.h - the ticks of records: the processor's counter, or a clock of the caller's.
 *
 * The counter's rate is not told by the processor in a way that can be relied on: it is measured against
 * CLOCK_MONOTONIC, from the start to whenever a recording is written.  */
#ifndef STAVE_RECORD_CLOCK_H
#define STAVE_RECORD_CLOCK_H

#include <stdint.h>

/* The same moment on three clocks. */
struct stave__moment {
    uint64_t tick;
    int64_t monotonic_ns;
    int64_t realtime_ns;
};

struct stave__clock {
    uint64_t (*own)(void *context); /* NULL: the processor's counter */
    void *context;
    struct stave__moment start;
};

uint64_t stave__clock_tick(const struct stave__clock *clock);
struct stave__moment stave__clock_moment(const struct stave__clock *clock);

/* Ticks a second between two moments; 0: ticks are nanoseconds. */
double stave__clock_rate(const struct stave__clock *clock, const struct stave__moment *from,
                         const struct stave__moment *to);

#endif
