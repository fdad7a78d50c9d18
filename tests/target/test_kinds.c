/* The five calls, and spans that are not paired, against rows written out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulation.h"

#define A name_of(2) /* a task with a deadline */
#define B name_of(1) /* an isr */

static struct host host;

static int power_on(void **state)
{
    simulation_on();
    simulation_start(&link_a, HZ, false);
    return 0;
}

/* At an exact time after the start. */
static void at(uint64_t ticks)
{
    board.now = model.start + ticks - board.step;
}

/* Also after the second start, whose frames follow on the same link. */
static void see(void)
{
    assert_true(simulation_end(&link_a));
    host_decode(&host, link_a.bytes + link_a.run, link_a.count - link_a.run);
}

static void check_row(const struct host_row *row, int64_t start, int64_t end, uint64_t value,
                      uint32_t flags)
{
    assert_int_equal(row->start, start);
    assert_int_equal(row->end, end);
    assert_int_equal(row->value, value);
    assert_int_equal(row->flags, flags);
}

static void test_five_calls(void **state)
{
    at(100);
    do_begin(A);
    at(200);
    do_mark(B);
    at(300);
    do_mark_value(B, 77);
    at(400);
    do_begin_value(B, 88);
    at(500);
    do_end(B);
    at(600);
    do_end(A);
    see();
    assert_int_equal(host.count, 5);
    check_row(host_find(&host, STAVE_SPANS, "name 2", 0), 100, 600, 0, 0);
    check_row(host_find(&host, STAVE_SPANS, "name 1", 0), 400, 500, 0, 0);
    check_row(host_find(&host, STAVE_MARKS, "name 1", 0), 200, 200, 0, 0);
    check_row(host_find(&host, STAVE_MARKS, "name 1", 1), 300, 300, 77, STAVE_FLAG_HAS_VALUE);
    check_row(host_find(&host, STAVE_MARKS, "name 1", 2), 400, 400, 88, STAVE_FLAG_HAS_VALUE);
    assert_int_equal(host.stats.frames, 1 + 2 + 7); /* begin_value is two */
    host_free(&host);
}

static void test_values(void **state)
{
    static const uint32_t values[] = {0,          1,         127,      128,
                                      16383,      16384,     0x1fffff, 0x0fffffff,
                                      0x10000000, INT32_MAX, 1u << 31, UINT32_MAX};
    enum { COUNT = sizeof values / sizeof values[0] };
    for (uint32_t i = 0; i < COUNT; i++) {
        do_mark_value(A, values[i]);
        do_begin_value(B, values[i]);
        do_end(B);
    }
    do_mark(A); /* none is not 0 */
    see();
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct host_row *row = host_find(&host, STAVE_MARKS, "name 2", i);
        check_row(row, row->start, row->start, values[i], STAVE_FLAG_HAS_VALUE);
        const struct host_row *mark = host_find(&host, STAVE_MARKS, "name 1", i);
        check_row(mark, host_find(&host, STAVE_SPANS, "name 1", i)->start, mark->start, values[i],
                  STAVE_FLAG_HAS_VALUE);
    }
    assert_int_equal(host_find(&host, STAVE_MARKS, "name 2", COUNT)->flags, 0);
    host_free(&host);
}

static void test_begin_without_end(void **state)
{
    at(10);
    do_begin(A);
    at(25);
    do_mark(B);
    see();
    check_row(host_find(&host, STAVE_SPANS, "name 2", 0), 10, 25, 0, STAVE_FLAG_INTERRUPTED);
    assert_int_equal(host.stats.orphan_ends, 0);
    host_free(&host);
}

static void test_end_without_begin(void **state)
{
    at(10);
    do_end(A);
    at(20);
    do_end(A);
    at(30);
    do_begin(A);
    at(40);
    do_end(A);
    see();
    assert_int_equal(host.stats.orphan_ends, 2);
    assert_int_equal(host.stats.spans, 1);
    check_row(host_find(&host, STAVE_SPANS, "name 2", 0), 30, 40, 0, 0);
    host_free(&host);
}

static void test_begin_in_begin(void **state)
{
    at(10);
    do_begin(A);
    at(20);
    do_begin(A);
    at(30);
    do_end(A);
    at(40);
    do_end(A);
    see();
    assert_int_equal(host.stats.duplicate_starts, 1);
    assert_int_equal(host.stats.orphan_ends, 1);
    assert_int_equal(host.stats.spans, 1);
    check_row(host_find(&host, STAVE_SPANS, "name 2", 0), 20, 30, 0, 0);
    host_free(&host);
}

/* Before a start there are no places; nothing of it is counted afterwards. */
static void test_before_the_start(void **state)
{
    simulation_on();
    do_begin(A);
    do_begin_value(A, 1);
    do_rate(5);
    assert_true(do_poll(3));
    struct stave_target_counts counts;
    stave_target_get_counts(&counts);
    assert_int_equal(counts.sent, 0);
    assert_int_equal(counts.waiting, 0);
    assert_int_equal(counts.ring_peak, 0);
    assert_int_equal(*A->number, 0);
    assert_int_equal(board.clock_started, 0);

    simulation_start(&link_a, HZ, false);
    assert_int_equal(board.clock_started, 1);
    do_mark(A);
    see();
    assert_int_equal(do_counts().sent, 3);
    assert_int_equal(do_counts().dropped_ring_full, 0);
    assert_int_equal(host.count, 1);
    assert_true(stave_trace_anchor(host.trace, 0, 0).hz == HZ);
    host_free(&host);
}

/* The host sees a restart: numbers and times begin anew. */
static void test_second_start(void **state)
{
    at(HZ);
    do_mark(A);
    do_poll(1);
    simulation_start(&link_a, 0, false);
    assert_int_equal(do_counts().sent, 0);
    assert_int_equal(do_counts().waiting, 1);
    at(50);
    do_mark(B);
    do_poll(1);
    see();
    assert_int_equal(host.stats.frames, 1 + 2);
    host_free(&host);

    host_decode(&host, link_a.bytes, link_a.count);
    assert_int_equal(host.stats.resets, 1);
    assert_int_equal(host.stats.frames_lost, 0);
    assert_int_equal(host.stats.duplicates, 0);
    assert_int_equal(stave_trace_boots(host.trace), 2);
    assert_true(stave_trace_boot(host.trace, 0)->end_us == 1e6);
    check_row(host_find(&host, STAVE_MARKS, "name 2", 0), HZ, HZ, 0, 0);
    const struct host_row *row = host_find(&host, STAVE_MARKS, "name 1", 0);
    check_row(row, 50, 50, 0, 0);
    assert_int_equal(row->boot, 1);
    assert_true(row->start_us == 1e6 + 0.05); /* a tick is a nanosecond now */
    host_free(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_five_calls, power_on),
        cmocka_unit_test_setup(test_values, power_on),
        cmocka_unit_test_setup(test_begin_without_end, power_on),
        cmocka_unit_test_setup(test_end_without_begin, power_on),
        cmocka_unit_test_setup(test_begin_in_begin, power_on),
        cmocka_unit_test_setup(test_before_the_start, power_on),
        cmocka_unit_test_setup(test_second_start, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
