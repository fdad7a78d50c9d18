/* Each thread has a job: the order that it has taken. Which of its rules are to be evaluated is a word of bits, from which
 * all threads take them.
 *
 *   J1  A job's order, run and sets are written by its owner, before it releases the first rules into `ready`.
 *   J2  Who takes a bit out of `ready` evaluates that rule, once. Until it has put it into `done` the job stays what it is,
 *       since its owner waits for all rules.
 *   J3  What came of a rule is in the verdict before it is in `done`. Of those that a rule comes after, one is the last to get into
 *       `done`: who put it there releases the rule. So that happens once, and all that a rule comes after has ended when it
 *       begins. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "evaluate.h"

struct job {
    _Alignas(64) _Atomic uint64_t ready; /* rules that anyone may take */
    _Atomic uint64_t done;
    _Atomic uint64_t passed, failed, threw, skipped;
    const struct order *order;
    stave_run run;
};

struct batch {
    const struct workflow *workflow;
    const struct order *orders;
    struct verdict *verdicts;
    uint32_t count;
    unsigned threads;
    _Atomic uint32_t taken;  /* orders */
    _Atomic unsigned owners; /* threads that may have one */
    struct job jobs[POOL_THREADS_MAX];
};

/* ---- one rule -------------------------------------------------------------------------------- */

/* -1: there is none. */
static int take_rule(struct job *job)
{
    uint64_t ready = atomic_load_explicit(&job->ready, memory_order_relaxed);
    while (ready != 0) {
        uint64_t bit = ready & (0 - ready);
        ready = atomic_fetch_and_explicit(&job->ready, ~bit, memory_order_acquire);
        if ((ready & bit) != 0)
            return first_rule(bit);
    }
    return -1;
}

static void release(struct job *job, uint64_t rules)
{
    atomic_fetch_or_explicit(&job->ready, rules, memory_order_release);
}

/* Those that come after `number`, and after nothing that is not in `done`. */
static uint64_t find_followers(const struct workflow *workflow, int number, uint64_t done)
{
    uint64_t found = 0;
    for (uint64_t left = workflow->rules[number].followers; left != 0; left &= left - 1)
        if ((workflow->rules[first_rule(left)].after & ~done) == 0)
            found |= left & (0 - left);
    return found;
}

static void note(struct job *job, const struct verdict *verdict)
{
    atomic_fetch_or(&job->passed, verdict->passed);
    if ((verdict->failed | verdict->skipped) == 0)
        return;
    atomic_fetch_or(&job->failed, verdict->failed);
    atomic_fetch_or(&job->threw, verdict->threw);
    atomic_fetch_or(&job->skipped, verdict->skipped);
}

static void run_rule(const struct workflow *workflow, struct job *job, int number)
{
    struct verdict done = {.passed = atomic_load(&job->passed)};
    struct verdict verdict = evaluate_rule_in(workflow, number, job->order, &done, job->run);
    uint64_t bit = 1ull << number;
    note(job, &verdict);
    uint64_t followers = find_followers(workflow, number, atomic_fetch_or(&job->done, bit) | bit);
    if (followers != 0) /* else the job may be another one by now */
        release(job, followers);
}

/* ---- one order ------------------------------------------------------------------------------- */

/* One rule of another thread's order; false when none is to be had. */
static bool help(struct batch *batch, unsigned thread)
{
    for (unsigned i = 1; i < batch->threads; i++) {
        struct job *job = &batch->jobs[(thread + i) % batch->threads];
        int number = take_rule(job);
        if (number >= 0) {
            run_rule(batch->workflow, job, number);
            return true;
        }
    }
    return false;
}

/* Rules take microseconds: giving way is enough of a wait. */
static void help_or_wait(struct batch *batch, unsigned thread)
{
    if (!help(batch, thread))
        sched_yield();
}

static void begin_job(struct job *job, const struct workflow *workflow, const struct order *order,
                      stave_run run)
{
    uint64_t first = 0;
    for (uint64_t left = workflow->roots; left != 0; left &= left - 1)
        if (workflow->rules[first_rule(left)].after == 0)
            first |= left & (0 - left);
    job->order = order;
    job->run = run;
    atomic_store_explicit(&job->done, 0, memory_order_relaxed);
    atomic_store_explicit(&job->passed, 0, memory_order_relaxed);
    atomic_store_explicit(&job->failed, 0, memory_order_relaxed);
    atomic_store_explicit(&job->threw, 0, memory_order_relaxed);
    atomic_store_explicit(&job->skipped, 0, memory_order_relaxed);
    release(job, first);
}

/* The run begins and ends on this thread, and lasts until all of the order's rules are done, on whatever thread. */
static void run_order(struct batch *batch, unsigned thread, uint32_t index)
{
    const struct workflow *workflow = batch->workflow;
    struct job *job = &batch->jobs[thread];
    STAVE_RUN(run, workflow->name, STAVE_ID(batch->orders[index].number));
    begin_job(job, workflow, &batch->orders[index], run);
    while (atomic_load(&job->done) != workflow->roots) {
        int number = take_rule(job);
        if (number >= 0)
            run_rule(workflow, job, number);
        else
            help_or_wait(batch, thread);
    }
    batch->verdicts[index] = (struct verdict){.passed = atomic_load(&job->passed),
                                              .failed = atomic_load(&job->failed),
                                              .threw = atomic_load(&job->threw),
                                              .skipped = atomic_load(&job->skipped)};
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void work(void *context, unsigned thread)
{
    struct batch *batch = context;
    uint32_t index;
    while ((index = atomic_fetch_add(&batch->taken, 1)) < batch->count)
        run_order(batch, thread, index);
    atomic_fetch_sub(&batch->owners, 1);
    while (atomic_load(&batch->owners) > 0)
        help_or_wait(batch, thread);
}

void workflow_execute_parallel(const struct workflow *workflow, struct pool *pool,
                               const struct order *orders, uint32_t count, struct verdict *verdicts)
{
    struct batch batch = {.workflow = workflow,
                          .orders = orders,
                          .verdicts = verdicts,
                          .count = count,
                          .threads = pool_threads(pool),
                          .owners = pool_threads(pool)};
    pool_run(pool, work, &batch);
}
