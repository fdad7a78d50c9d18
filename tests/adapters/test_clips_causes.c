/* The ranges of timetags against a plain array that says for each timetag who caused it. */
#include "clips_help.h"

#include "causes.h"

#include <stdlib.h>
#include <string.h>

enum { TIMETAGS = 20000, STEPS = 4000 };

/* serial of the firing, 0: none */
static uint64_t told[TIMETAGS];
static bool pending[TIMETAGS];

static uint64_t random_below(uint64_t *state, uint64_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % n;
}

static struct clips_range range(uint64_t first, uint64_t end, uint64_t serial)
{
    return (struct clips_range){.first = first, .end = end, .firing = {.serial = serial}};
}

static uint64_t found(const struct stave__clips_causes *causes, uint64_t timetag)
{
    return stave__clips_causes_find(causes, timetag).serial;
}

static void test_none(void **state)
{
    struct stave__clips_causes causes = {.max = 4};
    assert_int_equal(found(&causes, 0), 0);
    stave__clips_causes_need(&causes, 0);
    stave__clips_causes_sweep(&causes);
    stave__clips_causes_forget_half(&causes);
    assert_int_equal(causes.forgotten, 0);
    stave__clips_causes_free(&causes);
}

static void test_borders(void **state)
{
    struct stave__clips_causes causes = {.max = 4};
    assert_true(stave__clips_causes_grow(&causes));
    stave__clips_causes_add(&causes, range(3, 5, 1));
    stave__clips_causes_add(&causes, range(5, 6, 2));
    stave__clips_causes_add(&causes, range(9, 12, 3));
    const uint64_t expected[] = {0, 0, 0, 1, 1, 2, 0, 0, 0, 3, 3, 3, 0, 0};
    for (uint64_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(found(&causes, i), expected[i]);
    stave__clips_causes_free(&causes);
}

static void test_max(void **state)
{
    struct stave__clips_causes causes = {.max = 100};
    while (stave__clips_causes_grow(&causes))
        ;
    assert_int_equal(causes.capacity, 100);
    for (uint64_t i = 0; i < 100; i++)
        stave__clips_causes_add(&causes, range(2 * i, 2 * i + 1, i + 1));
    stave__clips_causes_forget_half(&causes);
    assert_int_equal(causes.count, 50);
    assert_int_equal(causes.forgotten, 99);
    assert_int_equal(found(&causes, 98), 0);
    assert_int_equal(found(&causes, 100), 51);
    stave__clips_causes_clear(&causes);
    assert_int_equal(found(&causes, 100), 0);
    assert_int_equal(causes.forgotten, 0);
    stave__clips_causes_free(&causes);
}

/* No range that is needed goes in a sweep, and each that is not. */
static void sweep(struct stave__clips_causes *causes)
{
    size_t needed = 0;
    for (size_t i = 0; i < causes->count; i++) {
        bool any = false;
        for (uint64_t tag = causes->ranges[i].first; tag < causes->ranges[i].end; tag++)
            any = any || pending[tag];
        needed += any;
    }
    for (uint64_t tag = 0; tag < TIMETAGS; tag++)
        if (pending[tag])
            stave__clips_causes_need(causes, tag);
    stave__clips_causes_sweep(causes);
    assert_int_equal(causes->count, needed);
}

static uint64_t add_some(struct stave__clips_causes *causes, uint64_t *random, uint64_t next,
                         uint64_t serial)
{
    uint64_t first = next + random_below(random, 3);
    uint64_t end = first + 1 + random_below(random, 3);
    if (causes->count == causes->capacity)
        assert_true(stave__clips_causes_grow(causes));
    stave__clips_causes_add(causes, range(first, end, serial));
    for (uint64_t tag = first; tag < end; tag++) {
        told[tag] = serial;
        pending[tag] = random_below(random, 4) == 0;
    }
    return end;
}

static void test_random(void **state)
{
    struct stave__clips_causes causes = {.max = STEPS};
    uint64_t random = 7;
    uint64_t next = 0;
    memset(told, 0, sizeof told);
    memset(pending, 0, sizeof pending);
    for (uint64_t step = 1; step <= STEPS; step++) {
        next = add_some(&causes, &random, next, step);
        pending[random_below(&random, next)] = false;
        if (step % 97 == 0)
            sweep(&causes);
    }
    for (uint64_t tag = 0; tag < TIMETAGS; tag++)
        if (pending[tag])
            assert_int_equal(found(&causes, tag), told[tag]);
        else
            assert_true(found(&causes, tag) == 0 || found(&causes, tag) == told[tag]);
    stave__clips_causes_free(&causes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_max),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
