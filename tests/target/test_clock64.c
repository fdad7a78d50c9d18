/* A 64-bit clock in nanoseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulation.h"

#define SECOND UINT64_C(1000000000)
#define DAY (86400 * SECOND)

_Static_assert(STAVE_TARGET_CLOCK_BITS == 64, "a 64-bit clock");

static struct host host;

static int power_on(void **state)
{
    simulation_on();
    return 0;
}

static void mark_at(uint64_t ticks)
{
    board.now = model.start + ticks - 1;
    do_mark(name_of(0));
}

static void poll_after(uint64_t ticks)
{
    board.now += ticks;
    do_poll(1);
}

static void see(void)
{
    host_decode(&host, link_a.bytes, link_a.count);
}

static void check_mark(uint32_t index, int64_t ticks)
{
    assert_int_equal(host_find(&host, STAVE_MARKS, "name 0", index)->start, ticks);
}

/* Also a clock that wraps, and steps of which a 32-bit one would lose the upper half. */
static void test_large_times(void **state)
{
    static const uint64_t starts[] = {0, UINT32_MAX, INT64_MAX - 10, UINT64_MAX - 10};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        simulation_on();
        board.now = starts[i];
        simulation_start(&link_a, 0, false);
        mark_at(100);
        mark_at(UINT64_C(1) << 32);
        mark_at(UINT64_C(1) << 33);
        mark_at(365 * DAY);
        mark_at((UINT64_C(1) << 62) - 1);
        assert_true(simulation_end(&link_a));
        see();
        check_mark(0, 100);
        check_mark(1, INT64_C(1) << 32);
        check_mark(2, INT64_C(1) << 33);
        check_mark(3, 365 * (int64_t)DAY);
        check_mark(4, (INT64_C(1) << 62) - 1);
        host_free(&host);
    }
}

/* Without a single poll. */
static void test_idle_for_days(void **state)
{
    simulation_start(&link_a, 0, false);
    mark_at(5);
    do_poll(1);
    mark_at(9 * DAY);
    do_poll(1);
    mark_at(99 * DAY);
    assert_true(simulation_end(&link_a));
    see();
    check_mark(0, 5);
    check_mark(1, 9 * (int64_t)DAY);
    check_mark(2, 99 * (int64_t)DAY);
    assert_true(host_find(&host, STAVE_MARKS, "name 0", 2)->start_us == 99 * 86400e6);
    host_free(&host);
}

/* By less than what a host takes for a restart: times go back, and nothing is lost. */
static void test_small_step_back(void **state)
{
    simulation_start(&link_a, 0, false);
    mark_at(SECOND);
    mark_at(SECOND - 5000000);
    mark_at(SECOND - 2000000);
    assert_true(simulation_end(&link_a));
    see();
    check_mark(0, SECOND);
    check_mark(1, SECOND - 5000000);
    check_mark(2, SECOND - 2000000);
    assert_int_equal(host.stats.resets, 0);
    host_free(&host);
}

/* An hour: the dictionary goes on at once, not when the old time is reached again. A host takes an
 * absolute time that goes back for a restart; behind an event it does not. */
static void step_back(bool event)
{
    simulation_on();
    simulation_start(&link_a, 0, false);
    mark_at(3600 * SECOND);
    poll_after(0);
    poll_after(SECOND / 10);
    assert_int_equal(link_a.headers, 2);
    assert_int_equal(link_a.names, 1);
    board.now = model.start + SECOND - 1;
    if (event)
        do_mark(name_of(0));
    poll_after(0);
    assert_int_equal(link_a.names, 2);
    poll_after(SECOND / 10);
    assert_int_equal(link_a.headers, 3);
    mark_at(3 * SECOND);
    do_poll(1);
    assert_int_equal(do_counts().waiting, 0);
    see();
    assert_int_equal(host.stats.resets, !event);
    assert_int_equal(host.stats.frames_lost, 0);
    assert_int_equal(host.stats.markers, 2 + event);
    check_mark(0, 3600 * (int64_t)SECOND);
    if (event)
        check_mark(1, SECOND);
    check_mark(1 + event, 3 * SECOND);
    host_free(&host);
}

static void test_large_step_back(void **state)
{
    step_back(true);
    step_back(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_large_times, power_on),
        cmocka_unit_test_setup(test_idle_for_days, power_on),
        cmocka_unit_test_setup(test_small_step_back, power_on),
        cmocka_unit_test_setup(test_large_step_back, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
