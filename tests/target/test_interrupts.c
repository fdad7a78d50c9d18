/* An interrupt at every point of every call: before the lock, between the reading of the clock and the
 * unlock (then it waits for that), after it, and while the transport is asked; and a second one in the
 * first. What goes out is checked by the model; here, what a host must see of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulation.h"

#define TASK name_of(2)
#define ISR name_of(1)
#define NESTED name_of(4)

static struct host host;

static int power_on(void **state)
{
    simulation_on();
    return 0;
}

static void see(void)
{
    assert_true(simulation_end(&link_a));
    host_decode(&host, link_a.bytes, link_a.count);
}

/* ---- one event ------------------------------------------------------------------------------------ */

static void isr(void)
{
    do_begin(ISR);
    do_end(ISR);
}

/* Where the handler's span lies. Times are even, and each reading of the clock is a step later. */
struct seen {
    int64_t mark, start, end;
};

static struct seen mark_with_interrupt(uint32_t point, bool known)
{
    simulation_on();
    simulation_start(&link_a, HZ, false);
    if (known) {
        do_mark(TASK);
        isr();
        do_poll(1);
    }
    board.interrupt = isr;
    board.fire[0] = board.points + point;
    board.now = model.start + 1000;
    do_mark_value(TASK, 7);
    assert_int_equal(board.fired, point <= 4);
    see();
    struct seen seen = {.mark = host_find(&host, STAVE_MARKS, "name 2", known)->start};
    if (board.fired != 0) {
        const struct host_row *span = host_find(&host, STAVE_SPANS, "name 1", known);
        seen.start = span->start;
        seen.end = span->end;
        assert_int_equal(host.stats.orphan_ends, 0);
    }
    assert_int_equal(host.stats.frames_lost, 0);
    assert_int_equal(do_counts().sent, host.stats.frames);
    host_free(&host);
    return seen;
}

/* Time and number are one: the order of numbers is that of times, whenever the interrupt came. */
static void test_between_time_and_number(void **state)
{
    for (int known = 0; known < 2; known++) {
        struct seen before = mark_with_interrupt(1, known);
        assert_int_equal(before.start, 1001);
        assert_int_equal(before.end, 1002);
        assert_int_equal(before.mark, 1003);
        for (uint32_t point = 2; point <= 4; point++) {
            struct seen after = mark_with_interrupt(point, known);
            assert_int_equal(after.mark, 1001);
            assert_int_equal(after.start, 1002);
            assert_int_equal(after.end, 1003);
        }
        assert_int_equal(mark_with_interrupt(5, known).mark, 1001); /* there is no such point */
    }
}

/* Two contexts meet one name at the same time: it gets one number. */
static void same_name(void)
{
    do_mark(TASK);
}

static void test_same_new_name(void **state)
{
    for (uint32_t point = 1; point <= 4; point++) {
        simulation_on();
        simulation_start(&link_a, HZ, false);
        board.interrupt = same_name;
        board.fire[0] = board.points + point;
        do_mark(TASK);
        see();
        assert_int_equal(model.names_count, 1);
        assert_int_equal(host.stats.markers, 2);
        assert_int_equal(link_a.names, 1);
        host_free(&host);
    }
}

/* ---- everything ---------------------------------------------------------------------------------- */

static uint32_t handled;

static void handler(void)
{
    handled++;
    do_begin_value(ISR, handled);
    if (handled == 1)
        do_mark_value(NESTED, handled);
    do_end(ISR);
}

/* A frame is counted as sent a little after it is. */
static void counting(void)
{
    struct stave_target_counts counts;
    handled++;
    model_call(&(struct model_call){.what = MODEL_COUNT});
    stave_target_get_counts(&counts);
    model_return();
    const struct stave_target_counts *expected = model_counts();
    assert_int_equal((uint32_t)(counts.sent + counts.waiting),
                     (uint32_t)(expected->sent + expected->waiting));
    assert_int_equal(counts.dropped_ring_full, expected->dropped_ring_full);
    assert_int_equal(counts.dropped_transport_full, expected->dropped_transport_full);
    do_rate(HZ / 2);
}

/* A bit of all: every call, a poll in parts, a second start, a drop; rings of 4 get full. Each polled
 * time is a change of the dictionary or more. */
static void scenario(bool drop)
{
    simulation_start(&link_a, HZ, drop);
    do_begin(TASK);
    do_poll(1);
    do_rate(HZ / 3);
    link_a.room = 40;
    do_mark_value(NESTED, UINT32_MAX);
    board.now += 3 * (uint64_t)HZ;
    do_poll(1);
    do_end(TASK);
    board.now += HZ;
    do_poll(1);
    (void)do_counts();
    link_a.room = LINK_ANY;
    do_poll(2);
    simulation_start(&link_a, HZ, drop);
    do_mark(TASK);
    board.now += HZ;
    do_poll(2);
}

/* Plays it with interrupts at the points `first` and `second`; false when there is no such point. */
static bool play(void (*interrupt)(void), bool drop, uint32_t first, uint32_t second)
{
    simulation_on();
    handled = 0;
    board.interrupt = interrupt;
    board.fire[0] = first;
    board.fire[1] = second;
    scenario(drop);
    uint32_t expected = (first != 0 ? 1u : 0) + (second != 0 ? 1u : 0);
    if (board.fired != expected)
        return false;
    assert_int_equal(handled, expected);
    assert_true(simulation_end(&link_a));
    return true;
}

static void play_all(void (*interrupt)(void))
{
    for (int drop = 0; drop < 2; drop++) {
        uint32_t points = 0;
        assert_true(play(interrupt, drop, 0, 0));
        while (play(interrupt, drop, points + 1, 0))
            points++;
        assert_true(points > 100);
    }
}

static void test_at_every_point(void **state)
{
    play_all(handler);
}

static void test_counts_and_rate_at_every_point(void **state)
{
    play_all(counting);
}

/* The second one soon after the first: in its handler, or in what follows. */
static void test_at_two_points(void **state)
{
    uint32_t played = 0;
    for (uint32_t first = 1; play(handler, false, first, 0); first++)
        for (uint32_t second = first + 1; second <= first + 25; second++)
            played += play(handler, first % 2 != 0, first, second);
    assert_true(played > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_between_time_and_number, power_on),
        cmocka_unit_test_setup(test_same_new_name, power_on),
        cmocka_unit_test_setup(test_at_every_point, power_on),
        cmocka_unit_test_setup(test_counts_and_rate_at_every_point, power_on),
        cmocka_unit_test_setup(test_at_two_points, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
