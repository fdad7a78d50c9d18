/* test_export_timeline.c - export/timeline.h: no later tick is earlier in ns, whatever anchors say; lengths are exact where rates
 * are; times beyond the range stand at its limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/timeline.h"
#include "export/put_rows.h"

static stave_trace *trace;
static struct stave__timeline timeline;

static void begin(double hz)
{
    uint32_t boot;
    rows_begin();
    rows_check(stave__trace_boot(rows_now, 0, hz, &boot, NULL));
    rows_lane(&(stave_lane){.kind = STAVE_LANE_THREAD}, "main");
}

static void anchor(int64_t tick, double us, double hz, int64_t realtime_ns)
{
    stave_anchor row = {.tick = tick, .us = us, .hz = hz, .realtime_ns = realtime_ns};
    rows_check(stave__boot_add_anchor(stave__boot_at(rows_now, 0), &row, NULL));
}

/* One span, which says where the trace begins and ends. */
static void open(int64_t first, int64_t last)
{
    rows_put(0, 0, STAVE_SPANS, (struct stave__row){.start = first, .end = last, .serial = 1});
    trace = rows_finish(false);
    assert_int_equal(stave__timeline_open(&timeline, trace, NULL), STAVE_OK);
}

static void finish(void)
{
    stave__timeline_close(&timeline);
    stave_trace_free(trace);
}

static int64_t ns(int64_t tick)
{
    return stave__timeline_ns(&timeline, 0, tick);
}

static void test_clocks_that_are_put_back(void **state)
{
    begin(1e6);
    anchor(1000, 900, 1e6, 0);   /* 100 us back */
    anchor(1050, 2000, 2e6, 0);  /* forth, and twice as fast */
    anchor(1500, 10, 32768, 0);  /* far back */
    anchor(1600, 1e6, 168e6, 0); /* far forth */
    open(0, 5000);
    assert_int_equal(ns(0), 0);
    assert_int_equal(ns(999), 999000);
    assert_int_equal(ns(1000), 1000000); /* stands still until it is there again */
    assert_int_equal(ns(1049), 1000000);
    assert_int_equal(ns(1050), 2000000);
    assert_int_equal(ns(1052), 2001000);
    int64_t before = ns(-500);
    for (int64_t tick = -500; tick < 5000; tick++) {
        assert_true(ns(tick) >= before);
        before = ns(tick);
    }
    for (int64_t tick = 4999; tick >= -500; tick -= 7) { /* in any order the same */
        assert_true(ns(tick) <= before);
        before = ns(tick);
    }
    assert_int_equal(timeline.end_ns, ns(5000));
    finish();
}

static void test_lengths_are_exact(void **state)
{
    const int64_t uptime = INT64_C(1) << 52, today = INT64_C(1782648000000000000);
    begin(0);
    anchor(uptime, (double)uptime / 1000, 0, today);
    anchor(uptime + 1000000000, (double)(uptime + 1000000000) / 1000, 0, today + 1000000000);
    open(uptime, uptime + 2000000000);
    for (int64_t tick = uptime; tick < uptime + 2000000000; tick += 7654321)
        for (int64_t length = 40; length <= 50; length++)
            assert_int_equal(ns(tick + length) - ns(tick), length);
    assert_true(timeline.has_epoch);
    assert_int_equal(timeline.epoch_ns, today);
    finish();
}

static void test_limits(void **state)
{
    begin(1e-6);
    open(0, 10);
    assert_int_equal(ns(1), 1000000000000000);
    assert_int_equal(ns(INT64_MAX), STAVE__NS_MAX);
    assert_int_equal(ns(INT64_MIN), -STAVE__NS_MAX);
    assert_int_equal(stave__timeline_length(&timeline, 0, 0, UINT64_MAX), STAVE__NS_MAX);
    assert_int_equal(stave__timeline_from_us(&timeline, 1e300), STAVE__NS_MAX);
    assert_int_equal(stave__timeline_from_us(&timeline, -1e300), -STAVE__NS_MAX);
    assert_false(timeline.has_epoch);
    finish();
    begin(0);
    open(INT64_MIN, INT64_MAX);
    assert_int_equal(ns(INT64_MAX), STAVE__NS_MAX);
    assert_int_equal(ns(INT64_MIN), 0);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clocks_that_are_put_back),
        cmocka_unit_test(test_lengths_are_exact),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
