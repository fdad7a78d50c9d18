/* pool.h - threads that wait for work. */
#ifndef WORKFLOW_POOL_H
#define WORKFLOW_POOL_H

enum { POOL_THREADS_MAX = 64 };

struct pool;

/* With the thread that calls pool_run() they are `threads`. NULL: errno says why. */
struct pool *pool_new(unsigned threads);
void pool_free(struct pool *pool); /* takes NULL */
unsigned pool_threads(const struct pool *pool);

/* Calls work(context, 0) here and work(context, i) on each other thread; returns when all have. */
void pool_run(struct pool *pool, void (*work)(void *context, unsigned thread), void *context);

#endif
