/* Deadlines: the decimal that was meant by a float of milliseconds. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/deadline.h"

static double us_of(float ms)
{
    return stave__deadline_us(&(stave_lane){.has_deadline = true, .deadline_ms = ms});
}

static void test_decimals_that_were_meant(void **state)
{
    static const struct {
        float ms;
        double us;
    } cases[] = {
        {0.7f, 700},      {0.1f, 100},           {0.01f, 10},      {1.5f, 1500},
        {33.333f, 33333}, {1e-4f, 0.1},          {2.5e-6f, .0025}, {0, 0},
        {-1.25f, -1250},  {12345.67f, 12345670}, {1e9f, 1e12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(us_of(cases[i].ms) == cases[i].us);
    for (int us = 1; us < 300000; us++)
        assert_true(us_of((float)(us / 1000.0)) == us);
}

static void test_no_deadline(void **state)
{
    assert_true(isinf(stave__deadline_us(&(stave_lane){.deadline_ms = 1})));
    assert_true(isinf(us_of(INFINITY)));
    assert_true(isinf(us_of(NAN)));
}

/* Whatever the float, it is the one that the deadline gives. */
static void test_any_float(void **state)
{
    uint32_t bits = 1;
    for (int i = 0; i < 200000; i++) {
        float ms;
        bits = bits * 1664525 + 1013904223;
        memcpy(&ms, &bits, sizeof ms);
        if (isfinite(ms))
            assert_true((float)(us_of(ms) / 1000.0) == ms);
    }
    assert_true(us_of(FLT_MAX) == (double)FLT_MAX * 1000.0);
    assert_true(us_of(FLT_MIN) == (double)FLT_MIN * 1000.0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimals_that_were_meant),
        cmocka_unit_test(test_no_deadline),
        cmocka_unit_test(test_any_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
