/* watch.h - what time it is. */
#ifndef WORKFLOW_WATCH_H
#define WORKFLOW_WATCH_H

#include <time.h>

static inline double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

#endif
