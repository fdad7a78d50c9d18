/* A full ring: what finds no place is dropped, counted, and seen by the host as a hole of that size.
 * Built with rings of 4, 64 and 1024. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulation.h"

#define RING STAVE_TARGET_RING

static struct host host;

static int power_on(void **state)
{
    simulation_on();
    simulation_start(&link_a, HZ, false);
    return 0;
}

static void marks(uint32_t count)
{
    while (count-- > 0)
        do_mark(name_of(0));
}

/* The name known, all sent, the link stuck: what is recorded from now on stays in the ring. */
static void begin(void)
{
    marks(1);
    do_poll(1);
    assert_int_equal(do_counts().waiting, 0);
    link_a.room = 0;
}

static void see(void)
{
    assert_true(simulation_end(&link_a));
    host_decode(&host, link_a.bytes, link_a.count);
}

/* ---- holes --------------------------------------------------------------------------------------- */

/* All of the ring and no more; then `lost` events that find no place, then some that do. */
static void check_hole(uint32_t lost, uint32_t behind)
{
    power_on(NULL);
    begin();
    marks(RING);
    assert_int_equal(do_counts().dropped_ring_full, 0);
    assert_int_equal(do_counts().waiting, RING);
    int64_t last = (int64_t)(board.read - model.start);
    marks(lost);
    assert_int_equal(do_counts().dropped_ring_full, lost);
    assert_int_equal(do_counts().waiting, RING);
    link_a.room = LINK_ANY;
    do_poll(1);
    marks(1);
    int64_t next = (int64_t)(board.read - model.start);
    marks(behind - 1);
    see();
    assert_int_equal(host.stats.frames_lost, lost);
    assert_int_equal(host.stats.markers, 1 + RING + behind);
    assert_int_equal(host.stats.gaps, lost != 0);
    if (lost != 0) {
        const struct host_row *gap = host_find(&host, STAVE_GAPS, "", 0);
        assert_int_equal(gap->value, lost);
        assert_int_equal(gap->start, last);
        assert_int_equal(gap->end, next);
    }
    assert_int_equal(do_counts().ring_peak, RING);
    host_free(&host);
}

/* Also as many as a host takes for damage unless what follows goes on from there, and nearly all
 * numbers. */
static void test_holes(void **state)
{
    for (uint32_t lost = 0; lost <= 130; lost++)
        check_hole(lost, 1);
    check_hole(8000, 1);
    check_hole(16000, 3);
}

/* Each kind burns as many numbers as it would have sent; a name that was never met burns none for its
 * announcement. */
static void test_what_each_burns(void **state)
{
    begin();
    marks(RING);
    do_begin(name_of(0));
    assert_int_equal(do_counts().dropped_ring_full, 1);
    do_begin_value(name_of(0), 1);
    assert_int_equal(do_counts().dropped_ring_full, 3);
    do_end(name_of(0));
    assert_int_equal(do_counts().dropped_ring_full, 4);
    do_mark_value(name_of(0), 1);
    assert_int_equal(do_counts().dropped_ring_full, 5);
    do_begin_value(name_of(1), 1);
    assert_int_equal(do_counts().dropped_ring_full, 7);
    link_a.room = LINK_ANY;
    do_poll(1);
    marks(1);
    see();
    assert_int_equal(host.stats.frames_lost, 7);
    host_free(&host);
}

/* begin_value finds its place or not, as a whole. */
static void test_two_frames_in_one_place(void **state)
{
    begin();
    for (uint32_t i = 0; i < RING; i++) {
        do_begin_value(name_of(0), i);
        do_begin_value(name_of(0), i);
    }
    assert_int_equal(do_counts().waiting, 2 * RING);
    assert_int_equal(do_counts().dropped_ring_full, 2 * RING);
    see();
    assert_int_equal(host.stats.markers, 1 + RING);
    assert_int_equal(host_find(&host, STAVE_MARKS, "name 0", RING)->value, (RING - 1) / 2);
    host_free(&host);
}

/* A span that is open at a hole ends there; its own end is no error. */
static void test_span_over_a_hole(void **state)
{
    begin();
    do_begin(name_of(1));
    int64_t start = (int64_t)(board.read - model.start);
    marks(RING + 3);
    link_a.room = LINK_ANY;
    do_poll(1);
    do_end(name_of(1));
    see();
    const struct host_row *span = host_find(&host, STAVE_SPANS, "name 1", 0);
    assert_int_equal(span->start, start);
    assert_int_equal(span->end, start + RING - 1);
    assert_int_equal(span->flags, STAVE_FLAG_INTERRUPTED);
    assert_int_equal(host.stats.orphan_ends, 0);
    assert_int_equal(host.stats.frames_lost, 4);
    host_free(&host);
}

/* ---- every small schedule ------------------------------------------------------------------------- */

/* Three things can happen, `length` times: an event of two frames, a poll with room for one frame, a
 * poll with room for all. Every order of them, against the model. */
static void play(uint32_t order, uint32_t length)
{
    simulation_on();
    simulation_start(&link_a, HZ, false);
    link_a.room = 0;
    for (; length > 0; length--, order /= 3) {
        link_a.room = order % 3 == 2 ? LINK_ANY : 0;
        if (order % 3 == 0) {
            do_begin_value(name_of(0), order);
            continue;
        }
        if (order % 3 == 1)
            link_a.room = 15;
        do_poll(1);
    }
    assert_true(simulation_end(&link_a));
}

static void test_every_order(void **state)
{
    uint32_t orders = 1, length = RING == 4 ? 9 : 5;
    for (uint32_t i = 0; i < length; i++)
        orders *= 3;
    for (uint32_t order = 0; order < orders; order++)
        play(order, length);
}

/* ---- peak ---------------------------------------------------------------------------------------- */

static void test_peak(void **state)
{
    assert_int_equal(do_counts().ring_peak, 1); /* the header */
    do_poll(1);
    marks(3);
    assert_int_equal(do_counts().ring_peak, 3);
    do_poll(1);
    marks(2);
    do_poll(1);
    assert_int_equal(do_counts().ring_peak, 3);
    simulation_start(&link_a, HZ, false);
    assert_int_equal(do_counts().ring_peak, 1);
}

/* A transport that drops empties the ring as well. */
static void test_peak_of_what_was_dropped(void **state)
{
    simulation_on();
    simulation_start(&link_a, HZ, true);
    do_poll(1);
    link_a.room = 0;
    marks(RING);
    do_poll(1); /* takes one of them */
    assert_int_equal(do_counts().dropped_transport_full, 0);
    marks(1);
    do_poll(1);
    assert_int_equal(do_counts().ring_peak, RING);
    assert_int_equal(do_counts().dropped_transport_full, RING + 2); /* with the name */
}

/* Nothing comes behind what was dropped: a header does, before the poll says that nothing waits. */
static void test_hole_at_the_end(void **state)
{
    simulation_start(&link_a, HZ, false);
    do_poll(1);
    link_a.room = 0;
    marks(RING + 5);
    link_a.room = LINK_ANY;
    assert_true(do_poll(3));
    assert_int_equal(do_counts().dropped_ring_full, 5);
    assert_int_equal(do_counts().waiting, 0);
    size_t end = link_a.count;
    assert_true(do_poll(3)); /* once */
    assert_int_equal(link_a.count, end);
    host_decode(&host, link_a.bytes, end);
    assert_int_equal(host.stats.frames_lost, 5);
    assert_int_equal(host.stats.gaps, 1);
    host_free(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_hole_at_the_end, power_on),
        cmocka_unit_test_setup(test_holes, power_on),
        cmocka_unit_test_setup(test_what_each_burns, power_on),
        cmocka_unit_test_setup(test_two_frames_in_one_place, power_on),
        cmocka_unit_test_setup(test_span_over_a_hole, power_on),
        cmocka_unit_test_setup(test_every_order, power_on),
        cmocka_unit_test_setup(test_peak, power_on),
        cmocka_unit_test_setup(test_peak_of_what_was_dropped, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
