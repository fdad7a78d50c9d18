/* A clock that stands still: found after exactly STAVE_TARGET_STILL_POLLS polls that read the same,
 * told once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulation.h"

#define POLLS STAVE_TARGET_STILL_POLLS
#define TEXT "stave: clock stands still"

/* A poll's first reading of the clock is its look. */
static int power_on(void **state)
{
    simulation_on();
    board.step = 0;
    simulation_start(&link_a, HZ, false);
    return 0;
}

static bool is_still(void)
{
    return do_counts().clock_still;
}

static uint32_t marks(void)
{
    struct host host;
    assert_true(simulation_end(&link_a));
    host_decode(&host, link_a.bytes + link_a.run, link_a.count - link_a.run);
    uint32_t count = host_count(&host, STAVE_MARKS, TEXT);
    host_free(&host);
    return count;
}

/* Also one that stands at 0 from the start, and one that stands where it stood before the start. */
static void test_found_once(void **state)
{
    for (uint64_t now = 0; now < 1000; now += 999) {
        simulation_on();
        board.step = 0;
        board.now = now;
        simulation_start(&link_a, HZ, false);
        do_poll(POLLS - 1);
        assert_false(is_still());
        do_poll(1);
        assert_true(is_still());
        do_poll(10 * POLLS);
        board.now += 5; /* it moves, and stops again */
        do_poll(2 * POLLS);
        assert_true(is_still());
        assert_int_equal(marks(), 1);
    }
}

static void test_again_after_a_second_start(void **state)
{
    do_poll(POLLS);
    assert_true(is_still());
    for (uint32_t starts = 0; starts < 3; starts++) {
        simulation_start(starts % 2 == 0 ? &link_b : &link_a, HZ, false);
        assert_false(is_still());
        do_poll(POLLS - 1);
        assert_false(is_still());
        do_poll(1);
        assert_true(is_still());
    }
    struct host host; /* of the last: its name comes again when its turn comes */
    board.step = 1;
    board.now += HZ;
    do_poll(2);
    assert_true(simulation_end(&link_b));
    host_decode(&host, link_b.bytes + link_b.run, link_b.count - link_b.run);
    assert_int_equal(host_count(&host, STAVE_MARKS, TEXT), 1);
    assert_int_equal(host.stats.unresolved, 0);
    host_free(&host);
}

/* A slow clock that moves in time is none. */
static void test_slow_is_not_still(void **state)
{
    for (uint32_t i = 0; i < 50; i++) {
        board.now++;
        do_poll(POLLS - 1);
    }
    assert_false(is_still());
    board.now++;
    assert_int_equal(marks(), 0);
}

static void fill(void)
{
    uint32_t dropped = do_counts().dropped_ring_full;
    while (do_counts().dropped_ring_full == dropped)
        do_mark(name_of(0));
}

/* A mark that found no place is not told, and tried again later: it burns few numbers. */
static void test_while_the_ring_is_full(void **state)
{
    board.now++;
    do_poll(1);
    link_a.room = 0;
    fill();
    do_poll(1); /* the oldest leaves it */
    fill();
    board.now++;
    do_poll(10 * POLLS);
    assert_false(is_still());
    assert_int_equal(do_counts().dropped_ring_full, 2 + 10);
    link_a.room = LINK_ANY;
    do_poll(POLLS);
    assert_true(is_still());
    assert_int_equal(marks(), 1);
}

/* The mark's time is the one at which the clock stands. */
static void test_time_of_the_mark(void **state)
{
    struct host host;
    board.now = model.start + 12345;
    do_poll(POLLS);
    assert_true(simulation_end(&link_a));
    host_decode(&host, link_a.bytes, link_a.count);
    const struct host_row *row = host_find(&host, STAVE_MARKS, TEXT, 0);
    assert_int_equal(row->start, 12345);
    assert_int_equal(row->flags, 0);
    host_free(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_found_once, power_on),
        cmocka_unit_test_setup(test_again_after_a_second_start, power_on),
        cmocka_unit_test_setup(test_slow_is_not_still, power_on),
        cmocka_unit_test_setup(test_while_the_ring_is_full, power_on),
        cmocka_unit_test_setup(test_time_of_the_mark, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
