/* Percentiles against a sorted list. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/quantiles.h"
#include "stave/analyze.h"

static uint64_t random_state = 1;

static double random_real(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) * 0x1p-53;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* By the definition: the least that at least p % do not exceed. */
static double true_percentile(const double *sorted, size_t count, uint32_t percent)
{
    size_t i = 0;
    while ((i + 1) * 100 < percent * count)
        i++;
    return sorted[i];
}

static void check(const double *numbers, size_t count)
{
    struct stave__quantiles quantiles = {0};
    double *sorted = malloc(count * sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = numbers[i];
        assert_true(stave__quantiles_add(&quantiles, numbers[i]));
    }
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    assert_int_equal(quantiles.count, count);
    for (uint32_t percent = 1; percent <= 100; percent++) {
        double wanted = true_percentile(sorted, count, percent);
        double got = stave__quantiles_at(&quantiles, percent);
        if (count <= STAVE_ROLLUP_EXACT)
            assert_true(got == wanted);
        assert_true(got >= wanted && got <= wanted * (1 + 1 / 256.0));
    }
    free(sorted);
    stave__quantiles_free(&quantiles);
}

static void test_none(void **state)
{
    struct stave__quantiles quantiles = {0};
    assert_true(isnan(stave__quantiles_at(&quantiles, 50)));
    stave__quantiles_free(&quantiles);
}

static void test_few(void **state)
{
    static double numbers[STAVE_ROLLUP_EXACT];
    for (size_t i = 0; i < STAVE_ROLLUP_EXACT; i++)
        numbers[i] = random_real() * 1e6;
    for (size_t count = 1; count <= STAVE_ROLLUP_EXACT; count += 1 + count / 5)
        check(numbers, count);
    check(numbers, STAVE_ROLLUP_EXACT);
}

static void test_many(void **state)
{
    static double numbers[20000];
    for (int scale = -18; scale < 100; scale += 9) {
        for (size_t i = 0; i < 20000; i++)
            numbers[i] = ldexp(1 + random_real(), scale + (int)(random_real() * 6));
        check(numbers, STAVE_ROLLUP_EXACT + 1);
        check(numbers, 20000);
    }
}

/* Bounds of buckets are in the bucket below, whole numbers up to 512 among them; zeros too. */
static void test_exact_beyond(void **state)
{
    struct stave__quantiles quantiles = {0};
    for (int round = 0; round < 10; round++)
        for (int i = 0; i < 500; i++)
            assert_true(stave__quantiles_add(&quantiles, i));
    assert_non_null(quantiles.histogram);
    for (uint32_t percent = 1; percent <= 100; percent++)
        assert_true(stave__quantiles_at(&quantiles, percent) == percent * 5 - 1);
    stave__quantiles_free(&quantiles);

    for (int i = 0; i < 1000; i++)
        assert_true(stave__quantiles_add(&quantiles, i < 990 ? 0 : 1e30));
    assert_true(stave__quantiles_at(&quantiles, 99) == 0);
    assert_true(stave__quantiles_at(&quantiles, 100) >= 1e30);
    stave__quantiles_free(&quantiles);
}

static void test_out_of_range(void **state)
{
    struct stave__quantiles quantiles = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(stave__quantiles_add(&quantiles, i < 500 ? 1e-300 : INFINITY));
    assert_true(stave__quantiles_at(&quantiles, 50) == 0x1p-20);
    assert_true(stave__quantiles_at(&quantiles, 51) == 0x1p107);
    stave__quantiles_free(&quantiles);
}

/* A count that is full goes on in another. */
static void test_full_counts(void **state)
{
    struct stave__quantiles quantiles = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(stave__quantiles_add(&quantiles, 1024));
    uint64_t bucket = stave__quantiles_bucket(1024);
    quantiles.histogram->octaves[bucket / 256][bucket % 256] = UINT32_MAX;
    quantiles.count = UINT32_MAX;
    assert_true(stave__quantiles_add(&quantiles, 1024));
    assert_true(stave__quantiles_add(&quantiles, 1024));
    assert_int_equal(quantiles.count, (uint64_t)UINT32_MAX + 2);
    assert_int_equal(quantiles.histogram->octaves[bucket / 256][bucket % 256], 1);
    assert_true(stave__quantiles_add(&quantiles, 4096));
    assert_true(stave__quantiles_at(&quantiles, 99) == 1024);
    assert_true(stave__quantiles_at(&quantiles, 100) == 4096);
    stave__quantiles_free(&quantiles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),         cmocka_unit_test(test_few),
        cmocka_unit_test(test_many),         cmocka_unit_test(test_exact_beyond),
        cmocka_unit_test(test_out_of_range), cmocka_unit_test(test_full_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
