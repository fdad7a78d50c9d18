/* Header and dictionary: every 2 s, in which order, and what a late host misses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dictionary.h"

static struct host host;

static int power_on(void **state)
{
    simulation_on();
    board.step = 0;
    return 0;
}

/* ---- how often ------------------------------------------------------------------------------------ */

/* A header each 2 s to the tick, and each name once in between. */
static void test_every_two_seconds(void **state)
{
    dictionary_simulate(HZ, DICTIONARY_NAMES, false, 1000, 60);
    assert_int_equal(seen.headers, 29); /* the first was before, the next would be at 60 s */
    assert_int_equal(do_counts().dropped_ring_full, 0);
    uint32_t header = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        if (seen.frames[i].id != 0)
            continue;
        header++;
        assert_int_equal(seen.frames[i].ticks, header * 2 * (uint64_t)HZ);
        for (uint32_t j = 1; j <= DICTIONARY_NAMES && header < 29; j++)
            assert_int_equal(seen.frames[i + j].id, j);
    }
}

/* By the clock as it is: also one of nanoseconds, and slow ones. */
static void test_interval_at_other_rates(void **state)
{
    static const uint32_t rates[] = {0, 4000000000u, 32768, 1000, 1500, 100};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        uint64_t second = rates[i] != 0 ? rates[i] : 1000000000;
        bool half_wrap = STAVE_TARGET_CLOCK_BITS == 32 &&
                         2 * second > UINT64_C(1) << 31; /* sooner: in half a wrap */
        power_on(NULL);
        dictionary_simulate(rates[i], 3, false, 1000, 60);
        if (half_wrap)
            assert_int_equal(seen.headers, 60 * second / (UINT64_C(1) << 31));
        else
            assert_int_equal(seen.headers, 29);
    }
}

/* The interval follows the rate. */
static void test_interval_after_a_change_of_rate(void **state)
{
    dictionary_simulate(HZ, 3, false, 1000, 10);
    uint32_t headers = seen.headers;
    do_rate(HZ / 10);
    do_poll(1);
    size_t from = link_a.count;
    uint64_t begin = board.now;
    for (uint32_t ms = 0; ms < 10000; ms++) {
        board.now = begin + ms * (uint64_t)(HZ / 10000);
        do_poll(1);
    }
    dictionary_look(from);
    assert_int_equal(headers, 4);
    assert_int_equal(seen.headers, 5); /* at once, by the new interval */
}

/* What is owed is owed in ticks: a slower clock owes nothing of the faster one's. */
static void test_debt_ends_with_its_rate(void **state)
{
    simulation_start(&link_a, HZ, false);
    do_mark(name_of(0));
    do_poll(1);
    board.now += 3 * (uint64_t)HZ;
    do_poll(2);
    do_rate(32768);
    do_poll(1);
    size_t before = link_a.count;
    board.now += 3 * 32768;
    do_poll(2);
    assert_true(link_a.count > before);
    simulation_end(&link_a);
}

/* Names take turns, whatever a round is. */
static void test_one_at_a_time_in_turn(void **state)
{
    dictionary_simulate(HZ, DICTIONARY_NAMES, false, 1000, 60);
    uint32_t last = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        if (seen.frames[i].id == 0)
            continue;
        assert_int_equal(seen.frames[i].id, last % DICTIONARY_NAMES + 1);
        last = seen.frames[i].id;
    }
    assert_true(seen.names >= 2);
}

/* ---- a late host ---------------------------------------------------------------------------------- */

static uint32_t marks_since(const struct host *all, int64_t ticks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++)
        count += all->rows[i].kind == STAVE_MARKS && all->rows[i].start >= ticks;
    return count;
}

/* From whichever header on: what comes behind it is what the host who was there from the start has,
 * name by name and tick by tick. */
static void test_late_host(void **state)
{
    struct host all;
    dictionary_simulate(HZ, DICTIONARY_NAMES, false, 1000, 20);
    host_decode(&all, link_a.bytes, link_a.count);
    uint32_t headers = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        const struct dictionary_frame *entry = &seen.frames[i];
        if (entry->id != 0)
            continue;
        headers++;
        host_decode(&host, link_a.bytes + entry->offset, link_a.count - entry->offset);
        assert_int_equal(host.stats.unresolved, 0);
        assert_int_equal(host.stats.rates_assumed, 0);
        assert_int_equal(host.stats.frames_lost, 0);
        uint32_t since = all.count - host.count;
        assert_int_equal(host.count, marks_since(&all, host.rows[0].start));
        for (uint32_t row = 0; row < host.count; row++) {
            assert_int_equal(host.rows[row].start, all.rows[since + row].start);
            assert_string_equal(host.rows[row].name, all.rows[since + row].name);
            assert_true(host.rows[row].start_us == all.rows[since + row].start_us);
        }
        host_free(&host);
    }
    assert_int_equal(headers, 9);
    host_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_debt_ends_with_its_rate, power_on),
        cmocka_unit_test_setup(test_every_two_seconds, power_on),
        cmocka_unit_test_setup(test_interval_at_other_rates, power_on),
        cmocka_unit_test_setup(test_interval_after_a_change_of_rate, power_on),
        cmocka_unit_test_setup(test_one_at_a_time_in_turn, power_on),
        cmocka_unit_test_setup(test_late_host, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
