/* Deadlines in CSVs (docs/csv.md, "Deadlines"): which are a lane's and which a span's own, and which
 * spans miss theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/analyze.h"
#include "stave/export.h"
#include "unit/csv_rows.h"

/* ---- lanes and spans ------------------------------------------------------------------------- */

static void assert_own_deadline(unsigned i, int64_t deadline)
{
    assert_int_equal(csv_rows[i].flags & STAVE_FLAG_HAS_VALUE, STAVE_FLAG_HAS_VALUE);
    assert_true((int64_t)csv_rows[i].value == deadline);
}

static void assert_lanes_deadline(unsigned i, float deadline_ms)
{
    assert_int_equal(csv_rows[i].flags & STAVE_FLAG_HAS_VALUE, 0);
    assert_int_equal(csv_rows[i].value, 0);
    assert_true(csv_rows[i].lane.has_deadline);
    assert_true(csv_rows[i].lane.deadline_ms == deadline_ms);
}

/* Lanes: the device's, and of each name, type and priority one with a deadline, one without. What the
 * first allows is the lane's, all else the span's own. */
static void test_deadlines(void **state)
{
    csv_open(CSV_HEAD_LINE "job,task,0.0,1.0,1,1500.0,,0\n"
                           "job,task,1000000.1,1000001.0,1,1001500.1,,0\n"
                           "job,task,5.0,6.0,1,1505.0001,,0\n"
                           "job,task,5.0,6.0,2,1505.0,,0\n"
                           "job,isr,5.0,6.0,1,1505.0,,0\n"
                           "job,task,5.0,6.0,1,,,0\n"
                           "job,task,5.0,6.0,1,5,,0\n"
                           "job,task,5.0,6.0,1,4e0,,0\n"
                           "job,task,6.0,7.0,1,1506.0,,0\n");
    assert_int_equal(stave_trace_lanes(csv_file.trace), 1 + 4);
    assert_lanes_deadline(0, 1.5f);
    assert_lanes_deadline(1, 1.5f);
    assert_own_deadline(2, 1505000);
    assert_lanes_deadline(3, 1.5f);
    assert_lanes_deadline(4, 1.5f);
    assert_int_equal(csv_rows[4].lane.kind, STAVE_LANE_ISR);
    assert_false(csv_rows[5].lane.has_deadline);
    assert_int_equal(csv_rows[5].flags, 0);
    assert_own_deadline(6, 5000);
    assert_own_deadline(7, 4000);
    assert_lanes_deadline(8, 1.5f);
    assert_int_equal(csv_file.stats.rounded, 1);
    assert_true(stave_trace_boot(csv_file.trace, 0)->end_us == 1000001.0); /* no deadline's */
    csv_close();
}

/* A lane whose first deadline no float gives has none; its spans all have their own. Spans without any
 * may be on it too. */
static void test_deadlines_of_no_float(void **state)
{
    csv_open(CSV_HEAD_LINE "job,task,0.0,1.0,1,100.0,,0\n"
                           "job,task,7.0,9.0,1,100.0,,0\n"
                           "job,task,0.0,1.0,1,1500.0,,0\n"
                           "job,task,1.0,2.0,1,,,0\n");
    assert_int_equal(stave_trace_lanes(csv_file.trace), 1 + 1);
    for (unsigned i = 0; i < csv_rows_count; i++)
        assert_false(csv_rows[i].lane.has_deadline);
    assert_own_deadline(0, 100000);
    assert_own_deadline(1, 100000);
    assert_own_deadline(2, 1500000);
    assert_int_equal(csv_rows[3].flags, 0);
    csv_close();
}

/* However far from the start: what no float of milliseconds says is at the limit of ticks. */
static void test_far_deadlines(void **state)
{
    csv_open(CSV_HEAD_LINE "a,task,0.0,1.0,1,1500.0,,0\n"
                           "a,task,1.0,2.0,1,1e400,,0\n"
                           "a,task,1.0,2.0,1,-4e41,,0\n"
                           "a,task,-9e15,2.0,1,9e15,,1\n");
    assert_own_deadline(1, INT64_MAX);
    assert_own_deadline(2, INT64_MIN);
    assert_own_deadline(3, INT64_C(9000000000000000000));
    assert_int_equal(csv_rows[1].flags, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_SATURATED);
    assert_int_equal(csv_rows[3].flags, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_INTERRUPTED);
    assert_int_equal(csv_file.stats.saturated, 2);
    csv_close();
}

/* After twelve days several floats give what stands in a file; the one that is taken must also be missed
 * by the same spans. */
static void test_late_deadlines(void **state)
{
    csv_open(CSV_HEAD_LINE "a,task,2000000000000.0,2000000123456.787,1,2000000123456.787,,0\n"
                           "b,task,2000000000000.0,2000000000100.0,1,2000000000100.0,,0\n");
    assert_own_deadline(0, INT64_C(2000000123456787));
    assert_lanes_deadline(1, 0.1f);
    csv_close();
}

/* Times that are not whole nanoseconds: their deadlines are one all the same. */
static void test_deadlines_of_cycles(void **state)
{
    csv_open(CSV_HEAD_LINE "f,task,1200.0972222222222,1400.0,3,2700.097222222222,,0\n"
                           "f,task,2200.1944444444443,2400.0,3,3700.1944444444443,,0\n"
                           "f,task,3200.2916666666665,3400.0,3,4700.291666666666,,0\n");
    assert_int_equal(stave_trace_lanes(csv_file.trace), 2);
    assert_true(csv_rows[0].lane.deadline_ms == 1.5f);
    assert_int_equal(csv_file.stats.rounded, 3);
    assert_int_equal(csv_rows[0].start, 1200097);
    csv_close();
}

/* ---- who misses ------------------------------------------------------------------------------ */

enum { SPANS = 5000, JITTERED = 200000 };

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* From 1 ns to 100 s, of any size. */
static int64_t random_length(void)
{
    const uint64_t most = UINT64_C(100000000000);
    return 1 + (int64_t)((next_random() % most) >> next_random() % 37);
}

static size_t put_us(char *to, int64_t ns, char behind)
{
    bool negative = ns < 0;
    uint64_t n = negative ? 0 - (uint64_t)ns : (uint64_t)ns;
    return (size_t)sprintf(to, "%s%llu.%03llu%c", negative ? "-" : "",
                           (unsigned long long)(n / 1000), (unsigned long long)(n % 1000), behind);
}

/* A span from `start` to `end`. */
static size_t put_span(char *to, int64_t start, int64_t end, int64_t deadline)
{
    size_t size = (size_t)sprintf(to, "job,task,");
    size += put_us(to + size, start, ',');
    size += put_us(to + size, end, ',');
    size += put_us(to + size, deadline, '\n');
    return size;
}

static const char head[] = "name,type,start_us,end_us,deadline_us\n";

static int ignore(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    (void)size;
    return STAVE_OK;
}

/* By the summary of lanes and, where it was built in, by the diagram. */
static void assert_missed(uint64_t checked, uint64_t missed)
{
    stave_lane_summary lanes[2];
    stave_diagram_counts counts;
    stave_diagram_source source = {.trace = csv_file.trace, .name = "a CSV"};
    assert_int_equal(stave_trace_lanes(csv_file.trace), 1 + 1);
    assert_int_equal(stave_summarize_lanes(csv_file.trace, lanes, 2, NULL), STAVE_OK);
    assert_int_equal(lanes[1].checked, checked);
    assert_int_equal(lanes[1].missed, missed);
    int status =
        stave_export_diagram(&source, 1, NULL, (stave_sink){.write = ignore}, &counts, NULL);
    if (status == STAVE_E_STATE)
        return;
    assert_int_equal(status, STAVE_OK);
    assert_int_equal(counts.with_deadline, checked);
    assert_int_equal(counts.missed, missed);
}

/* Spans that end `late` ns behind their deadlines, the first of them at `first` ns or behind it. */
static void check_spans(int64_t first, int64_t late, uint64_t missed)
{
    char *file = malloc(SPANS * 128), *at = file + sprintf(file, "%s", head);
    int64_t start = first;
    for (int i = 0; i < SPANS; i++) {
        int64_t length = random_length() + 1; /* so that none ends before it starts */
        at += put_span(at, start, start + length, start + length - late);
        start += (int64_t)(next_random() % 1000000);
    }
    csv_read(file, (size_t)(at - file), 0, &csv_file);
    assert_int_equal(csv_file.status, STAVE_OK);
    assert_int_equal(csv_file.stats.rounded, 0);
    assert_missed(SPANS, missed);
    csv_read_free(&csv_file);
    free(file);
}

/* In the first second, after an hour, twelve days and forty days, and before the start. */
static void test_missed_by_a_nanosecond(void **state)
{
    static const int64_t day = INT64_C(86400000000000);
    const int64_t firsts[] = {0, day / 24 + 1, 12 * day + 7, 40 * day, -3 * day};
    random_state = 88172645463325252u;
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        check_spans(firsts[i], 0, 0);
        check_spans(firsts[i], -1, 0);
        check_spans(firsts[i], 1, SPANS);
    }
}

/* Released every millisecond, started up to 100 us later: one lane, whose spans have 500 us from their
 * release. */
static void test_jittered_starts(void **state)
{
    char *file = malloc(JITTERED * 64), *at = file + sprintf(file, "%s", head);
    uint64_t missed = 0;
    random_state = 362436069;
    for (int64_t i = 0; i < JITTERED; i++) {
        int64_t start = i * 1000000 + (int64_t)(next_random() % 100001);
        int64_t end = start + 400000 + (int64_t)(next_random() % 50000);
        missed += end > i * 1000000 + 500000;
        at += put_span(at, start, end, i * 1000000 + 500000);
    }
    csv_read(file, (size_t)(at - file), 0, &csv_file);
    assert_int_equal(csv_file.status, STAVE_OK);
    assert_int_equal(csv_file.stats.spans, JITTERED);
    assert_in_range(missed, JITTERED / 10, JITTERED / 2);
    assert_missed(JITTERED, missed);
    csv_read_free(&csv_file);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadlines),           cmocka_unit_test(test_deadlines_of_no_float),
        cmocka_unit_test(test_far_deadlines),       cmocka_unit_test(test_late_deadlines),
        cmocka_unit_test(test_deadlines_of_cycles), cmocka_unit_test(test_missed_by_a_nanosecond),
        cmocka_unit_test(test_jittered_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
