#include "record/bell.h"

#include <time.h>

#define SECOND ((int64_t)1000000000)

void stave__bell_make(struct stave__bell *bell)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&bell->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&bell->rings, &attributes);
    pthread_condattr_destroy(&attributes);
    bell->rung = bell->ending = false;
}

void stave__bell_destroy(struct stave__bell *bell)
{
    pthread_cond_destroy(&bell->rings);
    pthread_mutex_destroy(&bell->lock);
}

void stave__bell_ring(struct stave__bell *bell, bool ending)
{
    pthread_mutex_lock(&bell->lock);
    bell->rung = true;
    bell->ending |= ending;
    pthread_cond_signal(&bell->rings);
    pthread_mutex_unlock(&bell->lock);
}

bool stave__bell_wait(struct stave__bell *bell, int64_t until_ns)
{
    struct timespec at = {.tv_sec = until_ns / SECOND, .tv_nsec = until_ns % SECOND};
    int status = 0;
    pthread_mutex_lock(&bell->lock);
    while (!bell->rung && !bell->ending && status == 0)
        status = pthread_cond_timedwait(&bell->rings, &bell->lock, &at);
    bell->rung = false;
    bool ending = bell->ending;
    pthread_mutex_unlock(&bell->lock);
    return ending;
}
