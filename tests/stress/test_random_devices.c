/* test_random_devices.c - 10,000 random devices (4,000 under sanitizers): the project decodes each as the reference does.
 *
 *     test_random_devices [FIRST_SEED [COUNT]]  */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "project.h"

static uint64_t first_seed = 1;
#ifdef STAVE_SLOWED
static uint64_t seed_count = 2000;
#else
static uint64_t seed_count = 10000;
#endif

/* Of the streams of seeds 1 to 2000. It changes with the generator, and only then. */
#define DEVICES_HASH UINT64_C(0xb9091fdd4178bb77)

static bool decodes_alike(uint64_t seed, const unsigned char *bytes, size_t size)
{
    struct reference_counters counters;
    char *csv = reference_decode(bytes, size, &counters);
    struct outcome outcome;
    project_decode(bytes, size, &(struct cuts){0}, &outcome);
    bool same = outcome_is_reference(&outcome, csv, &counters);
    outcome_free(&outcome);

    if (seed % 10 == 0) {
        struct dice dice = {seed};
        const struct cuts cuts = {.dice = &dice, .cache_bytes = seed % 20 == 0 ? 4096 : 0};
        project_decode(bytes, size, &cuts, &outcome);
        same &= outcome_is_reference(&outcome, csv, &counters);
        outcome_free(&outcome);
    }
    free(csv);
    return same;
}

static void test_random_devices(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
        size_t size;
        unsigned char *bytes = device_stream(seed, &size);
        bool same = decodes_alike(seed, bytes, size);
        free(bytes);
        if (!same) {
            print_error("the device with seed %llu\n", (unsigned long long)seed);
            fail();
        }
    }
}

/* A seed must name the same stream for everyone, or a report of one is worth nothing. */
static void test_a_seed_is_a_stream(void **state)
{
    (void)state;
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        size_t size;
        unsigned char *bytes = device_stream(seed, &size);
        for (size_t i = 0; i < size; i++)
            hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
        free(bytes);
    }
    assert_int_equal(hash, DEVICES_HASH);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed_count = strtoull(argv[2], NULL, 10);
    else if (argc > 1)
        seed_count = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_seed_is_a_stream),
        cmocka_unit_test(test_random_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
