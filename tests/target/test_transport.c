/* The transport takes all, a part, or nothing: whole frames wait or are dropped, never a part, and what
 * comes first after a drop is a header with the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulation.h"
#include "wire/frame.h"

static struct host host;

static int power_on(void **state)
{
    simulation_on();
    return 0;
}

static void see(struct link *link)
{
    assert_true(simulation_end(link));
    host_decode(&host, link->bytes + link->run, link->count - link->run);
}

/* Something of every kind of frame. */
static void record_some(void)
{
    do_begin_value(name_of(0), 1000000);
    do_mark(name_of(1));
    do_mark_value(name_of(2), 5);
    do_end(name_of(0));
}

/* Which kind the frame at `at` is. */
static struct wire_frame frame_at(const struct link *link, size_t at)
{
    struct wire_frame frame;
    assert_int_equal(
        stave__wire_frame_decode(WIRE_VERSION_2, link->bytes + at + 1, link->bytes[at], &frame),
        WIRE_SOUND);
    return frame;
}

/* ---- parts --------------------------------------------------------------------------------------- */

/* Bytes in parts of every size make the same stream as in one. */
static void test_parts_of_every_size(void **state)
{
    static uint8_t whole[1000];
    size_t whole_size = 0;
    for (size_t size = 64; size >= 1; size--) {
        simulation_on();
        simulation_start(&link_a, HZ, size % 2 == 0);
        link_a.at_a_time = size;
        record_some();
        while (!do_poll(1))
            assert_false(board.locked);
        assert_int_equal(link_a.refused, 0);
        if (size == 64)
            whole_size = link_a.count;
        assert_int_equal(link_a.count, whole_size);
        assert_true(whole_size < sizeof whole);
        for (size_t i = 0; size == 64 && i < whole_size; i++)
            whole[i] = link_a.bytes[i];
        assert_memory_equal(link_a.bytes, whole, whole_size);
        assert_true(link_a.most <= 64);
        assert_int_equal(do_counts().sent, 9);
    }
}

/* With a full ring all is dropped but the rest of a frame that is half sent; then comes a header. */
static void drop_at_once(void)
{
    for (uint32_t i = 0; i < STAVE_TARGET_RING; i++)
        do_mark(name_of(0));
    do_poll(1);
    assert_true(do_counts().dropped_transport_full > 0);
    uint64_t dropped_at = board.read - model.start;
    bool half = link_is_half(&link_a);
    size_t at = link_a.frame;
    link_a.room = LINK_ANY;
    do_poll(1);
    if (half)
        at += 1u + link_a.bytes[at];
    struct wire_frame header = frame_at(&link_a, at);
    assert_int_equal(header.kind, WIRE_TRACE_START);
    assert_int_equal(header.hz, HZ);
    assert_true(header.ticks > 0 && header.ticks <= (int64_t)dropped_at);
}

/* It stops taking after every number of bytes, and goes on after more has been recorded. */
static void stop_at(size_t room, bool drop)
{
    simulation_on();
    simulation_start(&link_a, HZ, drop);
    record_some();
    link_a.room = room;
    do_poll(1);
    record_some();
    do_poll(3);
    assert_int_equal(link_a.count, room);
    assert_int_equal(do_counts().dropped_transport_full, 0); /* there are places to wait in */
    if (drop)
        drop_at_once();
    record_some();
    see(&link_a);
    struct stave_target_counts counts = do_counts();
    assert_int_equal(counts.sent, link_a.frames);
    if (room != 0) /* else the first frame that came is behind the hole */
        assert_int_equal(host.stats.frames_lost,
                         counts.dropped_transport_full + counts.dropped_ring_full);
    host_free(&host);
}

static void test_stop_after_every_byte(void **state)
{
    for (size_t room = 0; room < 130; room++) {
        stop_at(room, false);
        stop_at(room, true);
    }
}

/* A transport that says that it took more than there was took all. */
static void test_lies(void **state)
{
    simulation_start(&link_a, HZ, false);
    link_a.lies = true;
    record_some();
    assert_true(do_poll(1));
    assert_int_equal(do_counts().sent, 9);
    see(&link_a);
    assert_int_equal(host.stats.frames_lost, 0);
    host_free(&host);
}

/* ---- waiting and dropping ------------------------------------------------------------------------- */

/* What waits is the oldest. */
static void test_wait(void **state)
{
    simulation_start(&link_a, HZ, false);
    do_poll(1);
    link_a.room = 0;
    for (uint32_t i = 0; i < 500; i++) {
        do_mark_value(name_of(0), i);
        assert_false(do_poll(1));
    }
    struct stave_target_counts counts = do_counts();
    assert_int_equal(counts.waiting, STAVE_TARGET_RING + 2); /* one with its name is on its way */
    assert_int_equal(counts.dropped_ring_full, 500 - 1 - STAVE_TARGET_RING);
    see(&link_a);
    for (uint32_t i = 0; i <= STAVE_TARGET_RING; i++)
        assert_int_equal(host_find(&host, STAVE_MARKS, "name 0", i)->value, i);
    host_free(&host);
}

/* What is kept is the newest, and recording goes on from now. */
static void test_drop(void **state)
{
    const uint32_t count = 3 * STAVE_TARGET_RING + 8;
    uint64_t dropped_at = 0;
    simulation_start(&link_a, HZ, true);
    do_mark_value(name_of(0), 12345);
    do_poll(1);
    size_t before = link_a.count;
    link_a.room = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t dropped = do_counts().dropped_transport_full;
        do_mark_value(name_of(0), i);
        assert_false(do_poll(1));
        if (do_counts().dropped_transport_full != dropped)
            dropped_at = model.frames[model.count - 1].ticks;
    }
    struct stave_target_counts counts = do_counts();
    assert_int_equal(counts.sent, 3);
    /* three times a full ring and the frame on its way: a mark, then twice the header */
    assert_int_equal(counts.dropped_transport_full, 3 * (STAVE_TARGET_RING + 1));
    assert_int_equal(counts.dropped_ring_full, 0);
    assert_int_equal(counts.waiting, 8); /* the header and the last seven */
    see(&link_a);
    struct wire_frame header = frame_at(&link_a, before);
    assert_int_equal(header.kind, WIRE_TRACE_START);
    assert_int_equal(header.ticks, dropped_at);
    assert_int_equal(host.stats.frames_lost, 3 * (STAVE_TARGET_RING + 1));
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(host_find(&host, STAVE_MARKS, "name 0", 1 + i)->value, count - 7 + i);
    host_free(&host);
}

static void fill_and_poll(uint32_t marks)
{
    for (uint32_t i = 0; i < marks; i++) {
        do_mark_value(name_of(0), i);
        do_poll(1);
    }
}

/* Polling a transport that takes nothing, with nothing to say, loses nothing. */
static void test_drop_with_nothing_to_say(void **state)
{
    simulation_start(&link_a, HZ, true);
    do_mark(name_of(0));
    do_poll(1);
    link_a.room = 0;
    fill_and_poll(STAVE_TARGET_RING + 1);
    do_poll(20000); /* more than there are numbers */
    assert_int_equal(do_counts().dropped_transport_full, STAVE_TARGET_RING + 1);
    assert_int_equal(do_counts().waiting, 1);
    do_mark(name_of(0));
    see(&link_a);
    assert_int_equal(host.stats.frames_lost, STAVE_TARGET_RING + 1);
    assert_int_equal(host.stats.markers, 2);
    host_free(&host);
}

/* A frame of which a part is out waits for its rest, however long, while what is behind it is dropped. */
static void test_half_a_frame_is_not_dropped(void **state)
{
    simulation_start(&link_a, HZ, true);
    do_poll(1);
    size_t before = link_a.count;
    link_a.room = 1;
    fill_and_poll(1 + STAVE_TARGET_RING + 2 * (STAVE_TARGET_RING - 1) + 9);
    assert_true(link_is_half(&link_a));
    /* the mark behind its name; then, twice with the header, all places */
    assert_int_equal(do_counts().dropped_transport_full, 1 + 3 * STAVE_TARGET_RING);
    assert_int_equal(do_counts().dropped_ring_full, 0);
    assert_int_equal(do_counts().waiting, 1 + 1 + 9);
    see(&link_a);
    size_t behind = before + 1u + link_a.bytes[before];
    assert_int_equal(frame_at(&link_a, before).kind, WIRE_NAME_REGISTERED);
    assert_int_equal(frame_at(&link_a, behind).kind, WIRE_TRACE_START);
    assert_int_equal(host.stats.frames_lost, 1 + 3 * STAVE_TARGET_RING);
    assert_int_equal(host.stats.markers, 9);
    host_free(&host);
}

/* A name whose announcement was dropped comes with the dictionary. */
static void test_dropped_name(void **state)
{
    simulation_start(&link_a, HZ, true);
    do_poll(1);
    link_a.room = 0;
    fill_and_poll(STAVE_TARGET_RING + 1);
    assert_int_equal(do_counts().dropped_transport_full, STAVE_TARGET_RING + 2);
    link_a.room = LINK_ANY;
    do_mark(name_of(0));
    do_poll(1);
    board.now += HZ;
    do_poll(1);
    see(&link_a);
    assert_int_equal(host.stats.markers, 1);
    assert_int_equal(host.stats.unresolved, 0);
    host_free(&host);
}

/* ---- a second start ------------------------------------------------------------------------------- */

/* After every number of bytes, on the same transport: the rest of the frame comes first. */
static void start_again_at(size_t room, bool drop)
{
    simulation_on();
    simulation_start(&link_a, HZ, drop);
    record_some();
    link_a.room = room;
    board.now += HZ;
    do_poll(1);
    bool half = link_is_half(&link_a);
    simulation_start(&link_a, HZ, drop);
    assert_int_equal(do_counts().waiting, 1 + half);
    do_poll(2);
    assert_int_equal(do_counts().dropped_transport_full, 0);
    link_a.room = LINK_ANY;
    record_some();
    see(&link_a); /* from the header of the second run on */
    assert_int_equal(frame_at(&link_a, link_a.run).kind, WIRE_TRACE_START);
    assert_int_equal(frame_at(&link_a, link_a.run).sequence, 0);
    assert_int_equal(host.stats.frames_lost, 0);
    assert_int_equal(do_counts().sent, host.stats.frames);
    host_free(&host);
}

static void test_start_again_after_every_byte(void **state)
{
    for (size_t room = 0; room < 130; room++) {
        start_again_at(room, false);
        start_again_at(room, true);
    }
}

/* On another transport nothing of the old frame comes. */
static void test_start_again_elsewhere(void **state)
{
    for (size_t room = 0; room < 130; room++) {
        simulation_on();
        simulation_start(&link_a, HZ, false);
        record_some();
        link_a.room = room;
        do_poll(1);
        size_t before = link_a.count;
        simulation_start(&link_b, HZ, false);
        assert_int_equal(do_counts().waiting, 1);
        record_some();
        see(&link_b);
        assert_int_equal(link_a.count, before);
        assert_int_equal(frame_at(&link_b, 0).kind, WIRE_TRACE_START);
        assert_int_equal(host.stats.frames_lost, 0);
        host_free(&host);
    }
}

/* Twice while it is half sent. */
static void test_start_twice_in_half_a_frame(void **state)
{
    simulation_start(&link_a, HZ, false);
    link_a.room = 5;
    do_poll(1);
    simulation_start(&link_a, HZ, true);
    simulation_start(&link_a, HZ, true);
    link_a.room = 1;
    do_poll(1);
    simulation_start(&link_a, HZ, false);
    assert_int_equal(do_counts().waiting, 2);
    record_some();
    see(&link_a);
    assert_int_equal(do_counts().sent, host.stats.frames);
    host_free(&host);
}

/* A poll sends at most a ring of events; then it says that there may be more. */
static void record_one(void)
{
    do_mark(name_of(0));
}

static void test_poll_comes_back(void **state)
{
    simulation_start(&link_a, HZ, false);
    record_one();
    do_poll(1);
    uint32_t before = link_a.frames;
    for (uint32_t i = 0; i < STAVE_TARGET_RING; i++)
        record_one();
    board.interrupt = record_one;
    board.fire[0] = board.points + 20;
    assert_false(do_poll(1));
    assert_int_equal(board.fired, 1);
    assert_int_equal(link_a.frames - before, STAVE_TARGET_RING);
    assert_int_equal(do_counts().waiting, 1);
    see(&link_a);
    host_free(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_parts_of_every_size, power_on),
        cmocka_unit_test_setup(test_stop_after_every_byte, power_on),
        cmocka_unit_test_setup(test_lies, power_on),
        cmocka_unit_test_setup(test_wait, power_on),
        cmocka_unit_test_setup(test_drop, power_on),
        cmocka_unit_test_setup(test_drop_with_nothing_to_say, power_on),
        cmocka_unit_test_setup(test_half_a_frame_is_not_dropped, power_on),
        cmocka_unit_test_setup(test_dropped_name, power_on),
        cmocka_unit_test_setup(test_start_again_after_every_byte, power_on),
        cmocka_unit_test_setup(test_start_again_elsewhere, power_on),
        cmocka_unit_test_setup(test_start_twice_in_half_a_frame, power_on),
        cmocka_unit_test_setup(test_poll_comes_back, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
