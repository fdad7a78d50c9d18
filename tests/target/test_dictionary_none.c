/* STAVE_TARGET_REPEAT_MS 0: nothing is repeated but what a host cannot do without. */
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

/* A 64-bit clock needs nothing; a 32-bit one needs a header in each half of a wrap. */
static void test_no_repeats(void **state)
{
    dictionary_simulate(HZ, DICTIONARY_NAMES, false, 1000, 60);
    assert_int_equal(seen.names, 0);
    assert_int_equal(seen.headers,
                     STAVE_TARGET_CLOCK_BITS == 32 ? 60 * (uint64_t)HZ / (UINT64_C(1) << 31) : 0);
}

/* What a host cannot know any more comes once: after a second start, after a drop. */
static void test_once_after_a_start_or_a_drop(void **state)
{
    for (int drop = 0; drop < 2; drop++) {
        power_on(NULL);
        dictionary_simulate(HZ, DICTIONARY_NAMES, false, 1000, 1);
        simulation_start(&link_a, HZ, drop);
        if (drop) {
            link_a.room = 0;
            do_poll(1);
            for (uint32_t i = 0; i < STAVE_TARGET_RING; i++)
                do_mark(name_of(0));
            do_poll(1);
            assert_int_equal(do_counts().dropped_transport_full, 2 + STAVE_TARGET_RING);
            link_a.room = LINK_ANY;
        }
        for (uint32_t i = 0; i < 3 * DICTIONARY_NAMES; i++) {
            board.now += HZ / 20;
            do_mark(name_of(i % DICTIONARY_NAMES));
            do_poll(1);
        }
        size_t end = link_a.count;
        assert_true(simulation_end(&link_a));
        dictionary_look(link_a.run);
        assert_int_equal(seen.names, DICTIONARY_NAMES);
        assert_int_equal(seen.headers, 1);
        host_decode(&host, link_a.bytes + link_a.run, end - link_a.run);
        assert_int_equal(host.stats.unresolved, 0);
        assert_int_equal(host.stats.markers, 3 * DICTIONARY_NAMES);
        host_free(&host);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_no_repeats, power_on),
        cmocka_unit_test_setup(test_once_after_a_start_or_a_drop, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
