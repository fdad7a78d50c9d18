/* What the dictionary costs: never more than its share of the link. Built with several intervals,
 * shares and clocks; what is expected follows from these. Prints the figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dictionary.h"

static int power_on(void **state)
{
    simulation_on();
    board.step = 0;
    return 0;
}

/* A header that a 32-bit clock needs does not wait. */
static bool is_needed(const struct dictionary_frame *frame, uint64_t header)
{
    return STAVE_TARGET_CLOCK_BITS == 32 && frame->id == 0 &&
           frame->ticks - header >= UINT64_C(1) << 31;
}

/* From one frame to the next, what the first must pay: its bytes at the share of the link. */
static void check_price(uint64_t second)
{
    uint64_t share = STAVE_TARGET_LINK_BYTES / 100 * STAVE_TARGET_REPEAT_PERCENT, header = 0;
    for (uint32_t i = 0; i + 1 < seen.count; i++) {
        const struct dictionary_frame *frame = &seen.frames[i];
        if (frame->id == 0)
            header = frame->ticks;
        if (!is_needed(&frame[1], header))
            assert_true((frame[1].ticks - frame->ticks) * share >= frame->size * second);
    }
}

static void check_share(uint32_t hz, bool longest, uint32_t seconds)
{
    power_on(NULL);
    dictionary_simulate(hz, DICTIONARY_NAMES, longest, 1000, seconds);
    uint64_t carried = (uint64_t)STAVE_TARGET_LINK_BYTES * seconds;
    print_message(
        "%u Hz, %u names of %s bytes, each %u ms, %u %%: %u headers, %u names, %.2f %% of "
        "%u bytes/s, %.2f s from one to the same\n",
        (unsigned)hz, (unsigned)DICTIONARY_NAMES, longest ? "32" : "6 or 7",
        (unsigned)STAVE_TARGET_REPEAT_MS, (unsigned)STAVE_TARGET_REPEAT_PERCENT,
        (unsigned)seen.headers, (unsigned)seen.names, 100 * (double)seen.bytes / (double)carried,
        (unsigned)STAVE_TARGET_LINK_BYTES, (double)DICTIONARY_NAMES * seconds / seen.names);
    assert_true(seen.bytes <= carried * STAVE_TARGET_REPEAT_PERCENT / 100 + 2 * seen.largest);
    if (STAVE_TARGET_REPEAT_MS != 0) {
        check_price(hz != 0 ? hz : 1000000000);
        assert_true(seen.headers >= 1);
    }
}

/* The dictionary never takes more than its share; also with clocks so slow that a byte's price is less
 * than a tick. */
static void test_share(void **state)
{
    check_share(HZ, false, 120);
    check_share(HZ, true, 120);
    check_share(0, true, 120);
    check_share(1000, true, 120);
    check_share(32768, false, 120);
}

/* Where the interval is shorter than what a round pays, the share is used up: names and headers go on as
 * fast as they may, and no faster. */
static void test_interval_too_short(void **state)
{
    if (STAVE_TARGET_REPEAT_MS > 100)
        skip();
    dictionary_simulate(HZ, DICTIONARY_NAMES, false, 1000, 60);
    uint64_t share = (uint64_t)STAVE_TARGET_LINK_BYTES * STAVE_TARGET_REPEAT_PERCENT / 100 * 60;
    assert_true(seen.bytes <= share);
    assert_true(seen.bytes >= share * 9 / 10); /* the polls' milliseconds are what is missing */
    assert_true(seen.names >= seen.headers);
    assert_true(seen.names > 10 * DICTIONARY_NAMES);
}

/* A ring with a link that is busy all the time does not change that. */
static void test_share_of_a_busy_link(void **state)
{
    uint64_t begin = board.now;
    simulation_start(&link_a, HZ, false);
    for (uint32_t i = 0; i < DICTIONARY_NAMES; i++)
        do_mark(name_of(i));
    do_poll(1);
    size_t from = link_a.count;
    for (uint32_t ms = 1; ms <= 60000; ms++) {
        board.now = begin + ms * (uint64_t)(HZ / 1000);
        for (uint32_t i = 0; i < 3; i++)
            do_mark_value(name_of(0), UINT32_MAX);
        uint64_t may = from + ms * (uint64_t)STAVE_TARGET_LINK_BYTES / 1000;
        link_a.room = may > link_a.count ? may - link_a.count : 0;
        do_poll(1);
    }
    simulation_end(&link_a);
    dictionary_look(from);
    assert_true(do_counts().dropped_ring_full > 10000);
    assert_true(seen.bytes <=
                (uint64_t)STAVE_TARGET_LINK_BYTES * STAVE_TARGET_REPEAT_PERCENT / 100 * 60 +
                    2 * seen.largest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_share, power_on),
        cmocka_unit_test_setup(test_interval_too_short, power_on),
        cmocka_unit_test_setup(test_share_of_a_busy_link, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
