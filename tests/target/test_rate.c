/* The clock changes its rate: ticks stay what they are, microseconds follow piece by piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulation.h"

static struct host host;

static int power_on(void **state)
{
    simulation_on();
    simulation_start(&link_a, 1000000, false);
    return 0;
}

static void at(uint64_t ticks)
{
    board.now = model.start + ticks - 1;
}

static void mark_at(uint64_t ticks)
{
    at(ticks);
    do_mark(name_of(0));
}

static void rate_at(uint64_t ticks, uint32_t hz)
{
    at(ticks);
    do_rate(hz);
}

static void see(void)
{
    assert_true(simulation_end(&link_a));
    host_decode(&host, link_a.bytes, link_a.count);
}

static void check_mark(uint32_t index, int64_t ticks, double us)
{
    const struct host_row *row = host_find(&host, STAVE_MARKS, "name 0", index);
    assert_int_equal(row->start, ticks);
    assert_true(row->start_us == us);
}

static void test_piece_by_piece(void **state)
{
    mark_at(1000);          /* 1 MHz: 1000 us */
    rate_at(2000, 2000000); /* 2000 us */
    mark_at(4000);          /* 2 MHz: 1000 us more */
    rate_at(6000, 0);       /* 4000 us */
    mark_at(16000);         /* nanoseconds: 10 us more */
    rate_at(20000, 32768);  /* 4014 us */
    mark_at(20000 + 32768); /* a second more */
    see();
    check_mark(0, 1000, 1000);
    check_mark(1, 4000, 3000);
    check_mark(2, 16000, 4010);
    check_mark(3, 52768, 1004014);
    assert_int_equal(stave_trace_anchors(host.trace, 0), 4);
    host_free(&host);
}

/* A span over a change is as long as its pieces. */
static void test_span_over_a_change(void **state)
{
    at(100);
    do_begin(name_of(0));
    rate_at(200, 500000);
    at(300);
    do_end(name_of(0));
    see();
    const struct host_row *row = host_find(&host, STAVE_SPANS, "name 0", 0);
    assert_true(row->start_us == 100 && row->end_us == 400);
    host_free(&host);
}

/* A rate that stays is a header more, and changes nothing. */
static void test_same_rate(void **state)
{
    rate_at(100, 1000000);
    mark_at(200);
    see();
    check_mark(0, 200, 200);
    assert_int_equal(stave_trace_anchors(host.trace, 0), 1);
    assert_int_equal(link_a.headers, 2);
    host_free(&host);
}

static void fill(void)
{
    do_poll(1);
    link_a.room = 0;
    at(50);
    while (do_counts().dropped_ring_full == 0)
        do_mark(name_of(1));
}

/* The announcement waits, with its time. */
static void test_while_the_ring_is_full(void **state)
{
    fill();
    rate_at(5000, 2000000);
    mark_at(6000); /* dropped */
    link_a.room = LINK_ANY;
    at(7000);
    do_poll(1);
    mark_at(9000);
    see();
    check_mark(0, 9000, 7000);
    host_free(&host);
}

/* Of two that wait the later counts: from its time on. */
static void test_two_while_the_ring_is_full(void **state)
{
    fill();
    rate_at(5000, 10);
    rate_at(6000, 2000000);
    link_a.room = LINK_ANY;
    do_poll(1);
    mark_at(9000);
    see();
    check_mark(0, 9000, 7500);
    host_free(&host);
}

/* With a 32-bit clock a header goes first; a second change may come between the two. */
static void test_change_while_one_is_half_announced(void **state)
{
    fill();
    rate_at(5000, 10);
    link_a.room = 3; /* the oldest leaves the ring, the first header takes its place */
    do_poll(1);
    link_a.room = 60;
    do_poll(1);
    rate_at(6000, 2000000);
    link_a.room = LINK_ANY;
    do_poll(1);
    mark_at(9000);
    see();
    const struct host_row *row = host_find(&host, STAVE_MARKS, "name 0", 0);
    assert_int_equal(row->start, 9000);
    host_free(&host);
}

/* What the transport drops takes the announcement with it: the next header has the new rate. */
static void test_dropped(void **state)
{
    simulation_on();
    simulation_start(&link_a, 1000000, true);
    mark_at(1000);
    do_poll(1);
    link_a.room = 0;
    rate_at(2000, 2000000);
    do_poll(1); /* the announcement is on its way */
    for (uint32_t i = 0; i < STAVE_TARGET_RING; i++)
        mark_at(2100 + i);
    at(3000);
    do_poll(1);
    uint64_t dropped_at = board.read - model.start;
    link_a.room = LINK_ANY;
    mark_at(5000);
    see();
    assert_int_equal(do_counts().dropped_transport_full, 1 + STAVE_TARGET_RING);
    check_mark(0, 1000, 1000);
    check_mark(1, 5000, (double)dropped_at + (double)(5000 - dropped_at) / 2);
    assert_true(stave_trace_anchor(host.trace, 0, 1).hz == 2000000);
    host_free(&host);
}

/* From a handler, in the middle of another call. */
static void change(void)
{
    do_rate(2000000);
}

static void test_in_an_interrupt(void **state)
{
    for (uint32_t point = 1; point <= 4; point++) {
        power_on(NULL);
        do_poll(1);
        board.interrupt = change;
        board.fire[0] = board.points + point;
        mark_at(1000);
        assert_int_equal(board.fired, 1);
        see();
        /* 1: before the lock. Later: behind the event */
        bool before = point == 1;
        check_mark(0, before ? 1001 : 1000, before ? 1000.5 : 1000);
        host_free(&host);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_piece_by_piece, power_on),
        cmocka_unit_test_setup(test_span_over_a_change, power_on),
        cmocka_unit_test_setup(test_same_rate, power_on),
        cmocka_unit_test_setup(test_while_the_ring_is_full, power_on),
        cmocka_unit_test_setup(test_two_while_the_ring_is_full, power_on),
        cmocka_unit_test_setup(test_change_while_one_is_half_announced, power_on),
        cmocka_unit_test_setup(test_dropped, power_on),
        cmocka_unit_test_setup(test_in_an_interrupt, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
