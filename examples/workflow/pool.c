#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <stave/stave.h>

struct member {
    struct pool *pool;
    pthread_t thread;
    unsigned number;
};

struct pool {
    pthread_mutex_t lock; /* of all that follows, but for the members */
    pthread_cond_t changed;
    void (*work)(void *context, unsigned thread);
    void *context;
    uint64_t round; /* counts pool_run() */
    unsigned busy;  /* threads that are not through with it */
    bool is_over;
    unsigned started;
    struct member members[POOL_THREADS_MAX];
};

/* False when there is none any more. */
static bool wait_for_round(struct pool *pool, uint64_t done)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->round == done && !pool->is_over)
        pthread_cond_wait(&pool->changed, &pool->lock);
    bool is_over = pool->is_over;
    pthread_mutex_unlock(&pool->lock);
    return !is_over;
}

static void end_round(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    if (--pool->busy == 0)
        pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

static void *serve(void *context)
{
    struct member *member = context;
    char name[16];
    snprintf(name, sizeof name, "worker %u", member->number);
    stave_thread_name(name);
    for (uint64_t done = 0; wait_for_round(member->pool, done); done++) {
        member->pool->work(member->pool->context, member->number);
        end_round(member->pool);
    }
    return NULL;
}

struct pool *pool_new(unsigned threads)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    for (unsigned i = 1; i < threads; i++) {
        struct member *member = &pool->members[i];
        *member = (struct member){.pool = pool, .number = i};
        int failed = pthread_create(&member->thread, NULL, serve, member);
        if (failed != 0) {
            pool_free(pool);
            errno = failed;
            return NULL;
        }
        pool->started++;
    }
    return pool;
}

void pool_free(struct pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->is_over = true;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 1; i <= pool->started; i++)
        pthread_join(pool->members[i].thread, NULL);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

unsigned pool_threads(const struct pool *pool)
{
    return pool->started + 1;
}

void pool_run(struct pool *pool, void (*work)(void *context, unsigned thread), void *context)
{
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->context = context;
    pool->busy = pool->started;
    pool->round++;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    work(context, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->changed, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
