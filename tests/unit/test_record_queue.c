/* The queue of chunks: what is put in comes out, once and in order, also between threads. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "record/queue.h"

#define THREADS 4u
#define ROOM 64u

#ifdef STAVE_SLOWED
#define NUMBERS 10000u
#else
#define NUMBERS 100000u /* of each thread */
#endif

/* ---- one thread ------------------------------------------------------------------------------ */

static void test_order(void **state)
{
    struct stave__queue queue;
    uint32_t number;
    assert_true(stave__queue_open(&queue, 4));
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(stave__queue_put(&queue, 2 * i));
        assert_true(stave__queue_put(&queue, 2 * i + 1));
        assert_true(stave__queue_get(&queue, &number));
        assert_int_equal(number, 2 * i);
        assert_true(stave__queue_get(&queue, &number));
        assert_int_equal(number, 2 * i + 1);
    }
    stave__queue_close(&queue);
}

/* The room is a power of two, at least what was asked for. */
static void test_full_and_empty(void **state)
{
    static const uint32_t rooms[][2] = {{1, 2}, {2, 2}, {3, 4}, {64, 64}, {65, 128}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        struct stave__queue queue;
        uint32_t number = 7;
        assert_true(stave__queue_open(&queue, rooms[i][0]));
        assert_false(stave__queue_get(&queue, &number));
        assert_int_equal(number, 7);
        for (uint32_t put = 0; put < rooms[i][1]; put++)
            assert_true(stave__queue_put(&queue, put));
        assert_false(stave__queue_put(&queue, 1000));
        for (uint32_t got = 0; got < rooms[i][1]; got++) {
            assert_true(stave__queue_get(&queue, &number));
            assert_int_equal(number, got);
        }
        assert_false(stave__queue_get(&queue, &number));
        stave__queue_close(&queue);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct stave__queue shared;
static uint32_t times[THREADS * NUMBERS]; /* each number was taken out */
static uint32_t out_of_order, taken;

static void *put_numbers(void *given)
{
    uint32_t first = *(uint32_t *)given * NUMBERS;
    for (uint32_t i = 0; i < NUMBERS; i++)
        while (!stave__queue_put(&shared, first + i))
            sched_yield();
    return NULL;
}

/* Those of one thread come in its order, for whoever takes them. */
static void *get_numbers(void *given)
{
    uint32_t latest[THREADS] = {0}, number;
    while (__atomic_load_n(&taken, __ATOMIC_RELAXED) < THREADS * NUMBERS) {
        if (!stave__queue_get(&shared, &number)) {
            sched_yield();
            continue;
        }
        uint32_t thread = number / NUMBERS, place = number % NUMBERS + 1;
        __atomic_fetch_add(&out_of_order, place <= latest[thread], __ATOMIC_RELAXED);
        latest[thread] = place;
        __atomic_fetch_add(&times[number], 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t putting[THREADS], getting[THREADS];
    uint32_t which[THREADS];
    assert_true(stave__queue_open(&shared, ROOM));
    for (uint32_t i = 0; i < THREADS; i++) {
        which[i] = i;
        assert_int_equal(pthread_create(&putting[i], NULL, put_numbers, &which[i]), 0);
        assert_int_equal(pthread_create(&getting[i], NULL, get_numbers, NULL), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(putting[i], NULL);
        pthread_join(getting[i], NULL);
    }
    for (uint32_t i = 0; i < THREADS * NUMBERS; i++)
        assert_int_equal(times[i], 1);
    assert_int_equal(out_of_order, 0);
    stave__queue_close(&shared);
}

/* As the pool has it: numbers go round, none is lost and none is twice anywhere. */
static uint32_t held[ROOM];
static uint32_t held_twice;

static void *go_round(void *given)
{
    uint32_t number;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        if (!stave__queue_get(&shared, &number))
            continue;
        bool twice = __atomic_exchange_n(&held[number], 1, __ATOMIC_RELAXED) != 0;
        __atomic_fetch_add(&held_twice, twice, __ATOMIC_RELAXED);
        __atomic_store_n(&held[number], 0, __ATOMIC_RELAXED);
        while (!stave__queue_put(&shared, number))
            sched_yield();
    }
    return NULL;
}

static void test_numbers_that_go_round(void **state)
{
    pthread_t threads[THREADS];
    uint32_t number, seen[ROOM] = {0};
    assert_true(stave__queue_open(&shared, ROOM));
    for (uint32_t i = 0; i < ROOM; i++)
        assert_true(stave__queue_put(&shared, i));
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, go_round, NULL), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    while (stave__queue_get(&shared, &number))
        seen[number]++;
    for (uint32_t i = 0; i < ROOM; i++)
        assert_int_equal(seen[i], 1);
    assert_int_equal(held_twice, 0);
    stave__queue_close(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_full_and_empty),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_numbers_that_go_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
