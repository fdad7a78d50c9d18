/* Sets of intervals against a plain map of ticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/intervals.h"
#include "unit/calls.h"

#define TICKS 600
#define SETS 12

struct fixture {
    struct calls calls;
    struct stave__ticks ticks;
    struct stave__intervals pool;
};

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % limit);
}

static void open_fixture(struct fixture *fixture)
{
    calls_open(&fixture->calls, 0);
    stave__ticks_init(&fixture->ticks, fixture->calls.trace, 0);
    fixture->pool = (struct stave__intervals){.ticks = &fixture->ticks};
}

static void close_fixture(struct fixture *fixture)
{
    stave__intervals_free(&fixture->pool);
    stave_trace_free(fixture->calls.trace);
}

/* Whether the set has these ticks: their number, and that of the stretches they are in. */
static void check_set(const struct stave__interval_set *set, const bool *map)
{
    uint32_t ticks = 0, stretches = 0;
    for (int i = 0; i < TICKS; i++) {
        ticks += map[i];
        stretches += map[i] && (i == 0 || !map[i - 1]);
    }
    assert_true(set->length == ticks);
    assert_int_equal(set->count, stretches);
    assert_true((set->root == 0) == (stretches == 0));
}

static void test_random_sets(void **state)
{
    struct fixture fixture;
    open_fixture(&fixture);
    for (uint32_t round = 0; round < 200; round++) {
        struct stave__interval_set sets[SETS] = {0};
        static bool maps[SETS][TICKS];
        memset(maps, 0, sizeof maps);
        random_state = round;
        for (uint32_t step = 0; step < 400; step++) {
            uint32_t at = random_below(SETS), other = random_below(SETS);
            uint32_t start = random_below(TICKS), length = random_below(1 + round % 40);
            uint32_t end = start + length < TICKS ? start + length : TICKS;
            if (random_below(20) > 0 || other == at) {
                assert_true(stave__intervals_add(&fixture.pool, &sets[at], start, end));
                memset(maps[at] + start, 1, end - start);
            } else if (random_below(10) == 0) {
                stave__intervals_clear(&fixture.pool, &sets[at]);
                memset(maps[at], 0, TICKS);
            } else {
                assert_true(stave__intervals_unite(&fixture.pool, &sets[at], &sets[other]));
                for (int i = 0; i < TICKS; i++)
                    maps[at][i] |= maps[other][i];
                memset(maps[other], 0, TICKS);
                check_set(&sets[other], maps[other]);
            }
            check_set(&sets[at], maps[at]);
        }
        for (uint32_t i = 0; i < SETS; i++)
            stave__intervals_clear(&fixture.pool, &sets[i]);
    }
    assert_true(fixture.pool.size <= 4096); /* what is given back is used again */
    close_fixture(&fixture);
}

/* In order, the tree is a list: no stack may grow with it. */
static void test_long_lists(void **state)
{
    enum { LONG = 1000000 };
    struct fixture fixture;
    struct stave__interval_set up = {0}, down = {0};
    open_fixture(&fixture);
    for (int64_t i = 0; i < LONG; i++) {
        assert_true(stave__intervals_add(&fixture.pool, &up, i * 10, i * 10 + 3));
        assert_true(
            stave__intervals_add(&fixture.pool, &down, (LONG - i) * 10 + 4, (LONG - i) * 10 + 5));
    }
    assert_true(up.length == 3.0 * LONG && down.length == LONG);
    assert_true(stave__intervals_unite(&fixture.pool, &up, &down));
    assert_true(up.length == 4.0 * LONG && up.count == 2 * LONG && down.root == 0);
    assert_true(stave__intervals_add(&fixture.pool, &up, 0, 10 * LONG + 10));
    assert_true(up.count == 1 && up.length == 10.0 * LONG + 10);
    close_fixture(&fixture);
}

static void test_limits(void **state)
{
    struct fixture fixture;
    struct stave__interval_set set = {0};
    open_fixture(&fixture);
    assert_true(stave__intervals_add(&fixture.pool, &set, 5, 5));
    assert_true(set.root == 0 && set.length == 0);
    assert_true(stave__intervals_add(&fixture.pool, &set, INT64_MAX - 1, INT64_MAX));
    assert_true(stave__intervals_add(&fixture.pool, &set, INT64_MIN, INT64_MIN + 2));
    assert_true(set.length == 3 && set.count == 2);
    assert_true(stave__intervals_add(&fixture.pool, &set, INT64_MIN, INT64_MAX));
    assert_true(set.length == 0x1p64 && set.count == 1);
    close_fixture(&fixture);
}

static void test_at_once(void **state)
{
    struct fixture fixture;
    open_fixture(&fixture);
    for (uint32_t round = 0; round < 500; round++) {
        struct stave__stretch stretches[40];
        bool map[TICKS] = {0};
        double ticks = 0;
        size_t count = random_below(40);
        random_state = round;
        for (size_t i = 0; i < count; i++) {
            uint32_t start = random_below(TICKS - 50), length = random_below(50);
            stretches[i] = (struct stave__stretch){start, start + length};
            memset(map + start, 1, length);
        }
        for (int i = 0; i < TICKS; i++)
            ticks += map[i];
        assert_true(stave__stretches_union(stretches, count, &fixture.ticks) == ticks);
    }
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_sets),
        cmocka_unit_test(test_long_lists),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
