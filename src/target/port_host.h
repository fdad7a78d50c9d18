/* target/port_host.h - firmware on a POSIX host, in a test or a simulation: threads stand for
 * interrupt handlers and tasks, a mutex for the lock, CLOCK_MONOTONIC in nanoseconds for the clock.
 *
 * The one port that is not freestanding. A signal handler may not record.  */
#ifndef STAVE_TARGET_PORT_HOST_H
#define STAVE_TARGET_PORT_HOST_H

#include <pthread.h>
#include <time.h>

static pthread_mutex_t stave_port_mutex = PTHREAD_MUTEX_INITIALIZER;

static inline uint32_t stave_port_lock(void)
{
    pthread_mutex_lock(&stave_port_mutex);
    return 0;
}

static inline void stave_port_unlock(uint32_t before)
{
    (void)before;
    pthread_mutex_unlock(&stave_port_mutex);
}

#ifdef STAVE_TARGET_OWN_CLOCK
#include "target/port_own_clock.h"
#else

#ifndef CLOCK_MONOTONIC
#error "this port needs POSIX: build with -std=gnu11 or -D_POSIX_C_SOURCE=200809L"
#endif

#undef STAVE_TARGET_CLOCK_BITS
#define STAVE_TARGET_CLOCK_BITS 64

static inline void stave_port_start(void)
{
}

static inline uint64_t stave_port_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif

#endif
