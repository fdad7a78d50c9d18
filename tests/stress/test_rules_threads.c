/* test_rules_threads.c - evaluations of many threads, in runs of their own and by each other's handles, while sessions come
 * and go and others read: each is in the right run and of the right rule, and all that begun are there, or counted. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "stress/rules_read.h"

#ifdef STAVE_SLOWED
#define RUNS 150u
#define MANY 30000u
#else
#define RUNS 400u
#define MANY 200000u
#endif
#define THREADS 4u

/* Of each thread: a rule for its own runs, one for those of the thread behind it, and what these are called. */
static struct worker {
    char run[16], own_id[16], others_id[16];
    stave_rule own, others;
    pthread_mutex_t lock;
    stave_run place; /* to evaluate in, of the last run */
} workers[THREADS];

static uint32_t running;

static void make_workers(void)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        struct worker *worker = &workers[i];
        snprintf(worker->run, sizeof worker->run, "run of %u", i);
        snprintf(worker->own_id, sizeof worker->own_id, "own %u", i);
        snprintf(worker->others_id, sizeof worker->others_id, "others' %u", i);
        worker->own = (stave_rule){.id = worker->own_id, .description = "the same for all"};
        worker->others = (stave_rule){.id = worker->others_id, .parent = &worker->own};
        pthread_mutex_init(&worker->lock, NULL);
    }
}

static void give(struct worker *worker, stave_run place)
{
    pthread_mutex_lock(&worker->lock);
    worker->place = place;
    pthread_mutex_unlock(&worker->lock);
}

static stave_run take(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    stave_run place = worker->place;
    pthread_mutex_unlock(&worker->lock);
    return place;
}

static void one_run(struct worker *worker, struct worker *other)
{
    stave_run run = stave_run_begin(worker->run);
    {
        STAVE_RULE(&worker->own);
        give(worker, run);
        STAVE_SCOPE("inside");
    }
    stave_run place = take(other);
    if (place.serial != 0) {
        STAVE_RULE_IN(place, &other->others, STAVE_KV("key", 1));
        STAVE_CUMULATIVE("sum");
        stave_rule_fail("of another's run");
    }
    stave_run_end(run);
}

static void *work(void *given)
{
    uint32_t number = (uint32_t)(uintptr_t)given;
    for (uint32_t i = 0; i < RUNS; i++)
        one_run(&workers[number], &workers[(number + 1) % THREADS]);
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
    return NULL;
}

static int pass_over(void *context, const void *data, size_t size)
{
    return STAVE_OK;
}

/* Sessions of all threads and of this one, one in another. */
static void *start_sessions(void *given)
{
    static stave_rule rule = {.id = "of who starts"};
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) > 0) {
        stave_session *all = stave_session_start(NULL, NULL);
        stave_session *mine =
            stave_session_start(&(stave_session_config){.this_thread = true}, NULL);
        {
            STAVE_RULE(&rule);
        }
        stave_session_stop(all);
        stave_session_snapshot(mine, (stave_sink){.write = pass_over}, NULL);
        stave_session_free(mine);
        stave_session_free(all);
    }
    return NULL;
}

static void run_threads(void *(*with)(void *), void *(*beside)(void *))
{
    pthread_t threads[THREADS], other;
    running = THREADS;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, with, (void *)i), 0);
    assert_int_equal(pthread_create(&other, NULL, beside, NULL), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
}

/* ---- each where it belongs ------------------------------------------------------------------- */

static void check_place(const struct rules_evaluation *e)
{
    uint32_t number;
    if (sscanf(e->id, "own %u", &number) == 1) {
        assert_null(e->place);
        assert_string_equal(e->outcome, "done");
    } else {
        assert_int_equal(sscanf(e->id, "others' %u", &number), 1);
        assert_string_equal(e->place, workers[number].run);
        assert_string_equal(e->outcome, "failed");
        assert_string_equal(e->reason, "of another's run");
    }
    assert_string_equal(e->run, workers[number].run);
    assert_true(e->is_in_session);
}

static void test_each_where_it_belongs(void **state)
{
    size_t evaluations = 0;
    stave_session_lost lost;
    stave_session *session = stave_session_start(NULL, NULL);
    assert_non_null(session);
    run_threads(work, start_sessions);
    stave_session_stop(session);
    stave_session_lost_of(session, &lost);
    assert_int_equal(lost.given_up + lost.dropped, 0);
    struct rules_read read = rules_read_session(session);
    for (size_t i = 0; i < read.count; i++) {
        if (strcmp(read.at[i].id, "of who starts") == 0)
            continue;
        evaluations++;
        if (i % 16 == 0) /* it takes a while */
            check_place(&read.at[i]);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(rules_count(&read, workers[i].own_id), RUNS);
        assert_true(rules_count(&read, workers[i].others_id) <= RUNS);
    }
    assert_true(evaluations > (size_t)THREADS * RUNS);
    rules_free(&read);
    stave_session_free(session);
}

/* ---- none is lost without being counted ------------------------------------------------------ */

static stave_rule often = {.id = "often"};

static void *evaluate_often(void *given)
{
    for (uint32_t i = 0; i < MANY; i++) {
        STAVE_RULE(&often);
    }
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void balance(void)
{
    stave_session_lost lost;
    stave_session *session =
        stave_session_start(&(stave_session_config){.max_bytes = 1 << 20}, NULL);
    run_threads(evaluate_often, start_sessions);
    stave_session_stop(session);
    struct rules_read read = rules_read_session(session);
    stave_session_lost_of(session, &lost);
    TRACES_MUST(lost.given_up > 0);
    TRACES_MUST(rules_count(&read, "often") + lost.given_up + lost.dropped == THREADS * MANY);
    rules_free(&read);
    stave_session_free(session);
    TRACES_MUST(stave__rules_on == 0);
}

/* In a process of its own, with little memory. */
static void test_balance(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        balance();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance), /* before this process has a recorder */
        cmocka_unit_test(test_each_where_it_belongs),
    };
    make_workers();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
