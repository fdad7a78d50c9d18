/* A 32-bit counter at 168 MHz, which wraps every 25.6 s: times are those of a 64-bit clock, whatever
 * waits, and however long. Each frame's time is compared when it goes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulation.h"
#include "stress/device.h"

#define WRAP (UINT64_C(1) << 32)
#define HOUR (3600 * (uint64_t)HZ)
#define PAUSE_MAX (WRAP / 2 - 100000) /* between two polls, with what an interrupt takes */

_Static_assert(STAVE_TARGET_CLOCK_BITS == 32, "a 32-bit clock");

static int power_on(void **state)
{
    simulation_on();
    board.now = UINT32_MAX - 5; /* the first wrap comes at once */
    simulation_start(&link_a, HZ, false);
    return 0;
}

/* ---- an hour ------------------------------------------------------------------------------------- */

static struct {
    struct dice dice;
    unsigned stuck; /* thousandths, at each poll: the transport gets stuck, or goes on */
    uint32_t events;
    uint64_t longest_stuck; /* ticks */
} hour;

static void record(void)
{
    const struct stave_target_name *name = name_of((uint32_t)dice_below(&hour.dice, 10));
    hour.events++;
    if (dice_chance(&hour.dice, 500))
        do_mark_value(name, hour.events);
    else if (dice_chance(&hour.dice, 500))
        do_begin(name);
    else
        do_end(name);
}

/* From now to the next poll, events in between. */
static void pass_time(void)
{
    uint64_t limit = dice_chance(&hour.dice, 200) ? PAUSE_MAX : PAUSE_MAX / 8;
    uint64_t end = board.now + 1 + dice_below(&hour.dice, limit);
    for (uint64_t events = dice_below(&hour.dice, 12); events > 0; events--) {
        if (board.now < end)
            board.now += dice_below(&hour.dice, end - board.now) >> dice_below(&hour.dice, 4);
        record();
    }
    if (board.now < end)
        board.now = end;
}

static void stick(void)
{
    static uint64_t since;
    if (!dice_chance(&hour.dice, hour.stuck))
        return;
    if (link_a.room == 0) {
        if (hour.longest_stuck < board.now - since)
            hour.longest_stuck = board.now - since;
        link_a.room = LINK_ANY;
    } else {
        since = board.now;
        link_a.room = dice_below(&hour.dice, 2) * dice_below(&hour.dice, 300);
        if (link_a.room != 0)
            link_a.at_a_time = 1 + dice_below(&hour.dice, 30);
        else
            link_a.at_a_time = LINK_ANY;
    }
}

static bool comes(void)
{
    return dice_chance(&hour.dice, 5);
}

static void interrupt(void)
{
    board.comes = NULL;
    board.now += dice_below(&hour.dice, 2000);
    record();
    board.comes = comes;
}

static void play_hour(uint64_t seed, unsigned stuck, bool drop)
{
    simulation_on();
    hour.dice.state = seed;
    hour.stuck = stuck;
    hour.longest_stuck = 0;
    hour.events = 0;
    board.now = UINT32_MAX - 5;
    board.interrupt = interrupt;
    simulation_start(&link_a, HZ, drop);
    board.comes = comes;
    while (board.now - model.start < HOUR) {
        pass_time();
        stick();
        if (dice_chance(&hour.dice, 5))
            do_rate(HZ / (1 + (uint32_t)dice_below(&hour.dice, 3)));
        do_poll(1);
    }
    board.comes = NULL;
    simulation_end(&link_a);
    assert_true(link_a.ticks >= HOUR);
    assert_true(hour.events > 8000);
}

static void test_an_hour(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        play_hour(seed, 0, false);
        assert_int_equal(do_counts().dropped_ring_full, 0);
    }
}

static void test_an_hour_with_a_bad_link(void **state)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        play_hour(seed, 20, seed % 2 != 0);
        assert_true(hour.longest_stuck > 2 * WRAP);
        struct stave_target_counts counts = do_counts();
        assert_true(counts.sent > 1000);
        assert_true(counts.dropped_ring_full + counts.dropped_transport_full > 1000);
    }
}

/* ---- with nothing to do -------------------------------------------------------------------------- */

static void idle(uint64_t ticks)
{
    for (; ticks > PAUSE_MAX; ticks -= PAUSE_MAX) {
        board.now += PAUSE_MAX;
        do_poll(1);
    }
    board.now += ticks;
    do_poll(1);
}

static int64_t time_of(uint32_t index)
{
    struct host host;
    host_decode(&host, link_a.bytes + link_a.run, link_a.count - link_a.run);
    int64_t start = host_find(&host, STAVE_MARKS, "name 0", index)->start;
    host_free(&host);
    return start;
}

static void test_idle_for_a_day(void **state)
{
    do_mark(name_of(0));
    idle(24 * HOUR);
    uint64_t now = board.now - model.start;
    do_mark(name_of(0));
    assert_true(simulation_end(&link_a));
    assert_int_equal(time_of(0), 1);
    assert_int_equal(time_of(1), now + 1);
    assert_true(now > 3000 * WRAP);
}

/* The transport stands for a day; what it had, what comes then, and between them. */
static void test_stuck_for_a_day(void **state)
{
    link_a.room = 0;
    for (uint32_t i = 0; i < 5; i++) {
        do_mark(name_of(0));
        idle(5 * HOUR);
    }
    assert_true(simulation_end(&link_a));
    for (uint32_t i = 0; i < 5; i++)
        assert_true(time_of(i) / (int64_t)HOUR == 5 * i);
    assert_int_equal(do_counts().dropped_ring_full, 0);
}

/* One header is told the time again and again, so that an idle device does not fill its ring. */
static void test_idle_and_stuck_takes_one_place(void **state)
{
    do_mark(name_of(0));
    do_poll(1);
    link_a.room = 0;
    idle(24 * HOUR);
    assert_int_equal(do_counts().waiting, 3); /* on its way, a name, and the one that ages */
    assert_true(simulation_end(&link_a));
}

/* ---- a full ring --------------------------------------------------------------------------------- */

static void fill(void)
{
    do_poll(1);
    link_a.room = 0;
    while (do_counts().dropped_ring_full == 0)
        do_mark(name_of(0));
}

static void check_time_after(uint64_t ticks)
{
    uint64_t now = board.now - model.start;
    assert_true(now > ticks);
    link_a.room = LINK_ANY;
    do_poll(1);
    do_mark(name_of(1));
    assert_true(simulation_end(&link_a));
    struct host host;
    host_decode(&host, link_a.bytes, link_a.count);
    assert_true(host_find(&host, STAVE_MARKS, "name 1", 0)->start >= (int64_t)now);
    assert_true(host_find(&host, STAVE_MARKS, "name 1", 0)->start < (int64_t)now + 200);
    host_free(&host);
}

static void test_full_for_an_hour(void **state)
{
    fill();
    idle(HOUR);
    check_time_after(HOUR);
}

/* Rates at times that no frame before them is near to. */
static void test_full_with_a_change_of_rate(void **state)
{
    for (uint32_t changes = 1; changes <= 2; changes++) {
        power_on(NULL);
        fill();
        for (uint32_t i = 0; i < changes; i++) {
            idle(7 * WRAP + WRAP / 3);
            do_rate(HZ / 2 - i);
        }
        idle(7 * WRAP);
        check_time_after((changes + 1) * 7 * WRAP);
    }
}

/* The youngest in a full ring is a header: it must not be told a time behind that of the change of rate
 * that waits for a place. */
static void test_full_of_headers_with_a_change_of_rate(void **state)
{
    do_poll(1);
    link_a.room = 0;
    for (uint32_t i = 0; do_counts().waiting + 1 < STAVE_TARGET_RING; i++)
        do_mark(name_of(0));
    idle(3 * WRAP);
    do_rate(HZ / 2);
    idle(3 * WRAP);
    check_time_after(6 * WRAP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_hour),
        cmocka_unit_test(test_an_hour_with_a_bad_link),
        cmocka_unit_test_setup(test_idle_for_a_day, power_on),
        cmocka_unit_test_setup(test_stuck_for_a_day, power_on),
        cmocka_unit_test_setup(test_idle_and_stuck_takes_one_place, power_on),
        cmocka_unit_test_setup(test_full_for_an_hour, power_on),
        cmocka_unit_test_setup(test_full_with_a_change_of_rate, power_on),
        cmocka_unit_test_setup(test_full_of_headers_with_a_change_of_rate, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
