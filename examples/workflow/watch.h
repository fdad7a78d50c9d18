/* watch.h - what time it is. */
#ifndef WORKFLOW_WATCH_H
#define WORKFLOW_WATCH_H

#include <time.h>

static inline double read_clock_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static inline double now_ms(void)
{
    return read_clock_ms(CLOCK_MONOTONIC);
}

/* What all threads have computed: other programs on the machine are not in it. */
static inline double processor_ms(void)
{
    return read_clock_ms(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
