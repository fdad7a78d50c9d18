/* test_diagram_lanes.c - which lanes a diagram has, what stands on them, and what is measured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/analyze.h"
#include "unit/diagram_trace.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LOOSE 255
#define MISSED (1u << 20)

/* ---- order and merging ----------------------------------------------------------------------- */

static void test_order_of_lanes(void **state)
{
    struct diagram_trace t;
    uint32_t process[2];
    static const stave_lane lanes[] = {
        {.kind = STAVE_LANE_CORE, .number = 7},           {.kind = STAVE_LANE_TASK, .priority = 1},
        {.kind = STAVE_LANE_THREAD, .process = 2},        {.kind = STAVE_LANE_TASK, .priority = 9},
        {.kind = STAVE_LANE_ISR, .priority = 2},          {.kind = STAVE_LANE_THREAD, .process = 1},
        {.kind = STAVE_LANE_PROCESS, .process = 2},       {.kind = STAVE_LANE_TASK, .priority = 9},
        {.kind = STAVE_LANE_ISR, .priority = 4000000000},
    };
    static const char *const names[] = {"core", "low", "t2",       "high", "isr 2",
                                        "t1",   "p2",  "high too", "isr"};
    static const char *const expected[] = {"isr",  "isr 2", "high", "high too", "low",
                                           "core", "t2",    "p2",   "t1",       ""};
    diagram_open(&t, 0);
    for (uint32_t i = 0; i < 2; i++) {
        stave_process row = {.name = diagram_text(&t, i == 0 ? "one" : "two"), .number = i};
        assert_int_equal(stave__trace_process(t.trace, &row, &process[i], NULL), STAVE_OK);
    }
    for (uint32_t i = 0; i < COUNT(lanes); i++)
        diagram_span(&t, diagram_lane(&t, &lanes[i], names[i]), i, i + 1);
    struct page *page = diagram_page(&t);
    assert_int_equal(page->lane_count, COUNT(expected));
    for (uint32_t i = 0; i < COUNT(expected); i++)
        assert_string_equal(page->texts[page->lanes[i].name].bytes, expected[i]);
    assert_int_equal(page->lanes[0].priority, 4000000000);
    assert_int_equal(page->lanes[5].number, 7);
    assert_string_equal(page->texts[page->lanes[7].process].bytes, "two");
    assert_string_equal(page->texts[page->lanes[8].process].bytes, "one");
    assert_int_equal(page->lanes[9].kind, LOOSE);
    assert_int_equal(t.counts.lanes, COUNT(expected) - 1); /* the last is empty */
    diagram_close(&t);
}

/* A name that came first stands first, also when its lane came later. */
static void test_order_of_names(void **state)
{
    struct diagram_trace t;
    diagram_open(&t, 0);
    diagram_lane(&t, &(stave_lane){.kind = STAVE_LANE_TASK, .priority = 1}, "a");
    uint32_t b = diagram_lane(&t, &(stave_lane){.kind = STAVE_LANE_TASK, .priority = 2}, "b");
    uint32_t a = diagram_lane(&t, &(stave_lane){.kind = STAVE_LANE_TASK, .priority = 2}, "a");
    diagram_span(&t, b, 0, 1);
    diagram_span(&t, a, 2, 3);
    struct page *page = diagram_page(&t);
    assert_int_equal(page->lane_count, 3); /* the lane without rows is not drawn */
    assert_string_equal(page->texts[page->lanes[0].name].bytes, "a");
    assert_string_equal(page->texts[page->lanes[1].name].bytes, "b");
    diagram_close(&t);
}

static void test_deadlines_share_a_lane(void **state)
{
    struct diagram_trace t;
    stave_lane task = {.kind = STAVE_LANE_TASK, .priority = 3};
    diagram_open(&t, 0);
    uint32_t none = diagram_lane(&t, &task, "a");
    task.has_deadline = true;
    task.deadline_ms = 0.01f;
    uint32_t tight = diagram_lane(&t, &task, "a");
    task.deadline_ms = INFINITY;
    uint32_t endless = diagram_lane(&t, &task, "a");
    task.deadline_ms = 1.0f;
    uint32_t wide = diagram_lane(&t, &task, "a");
    diagram_span(&t, none, 0, 5000000);
    diagram_span(&t, wide, 6000000, 6500000);
    diagram_span(&t, tight, 7000000, 7020000);
    diagram_span(&t, endless, 8000000, 9000000);
    struct page *page = diagram_page(&t);
    struct page_lane *lane = &page->lanes[0];
    assert_int_equal(page->lane_count, 2);
    assert_int_equal(lane->spans.count, 4);
    assert_int_equal(lane->deadline_count, 2);
    assert_int_equal(lane->parts, 4);
    assert_int_equal(lane->spans.at[0].which, 0);
    assert_true(lane->deadlines_us[lane->spans.at[1].which - 1] == 1000.0);
    assert_true(lane->deadlines_us[lane->spans.at[2].which - 1] == 10.0);
    assert_int_equal(lane->spans.at[3].which, 0);
    assert_int_equal(lane->checked, 2);
    assert_int_equal(lane->missed, 1);
    assert_int_equal(lane->spans.at[2].flags, MISSED);
    assert_int_equal(lane->worst, 3);
    assert_int_equal(t.counts.with_deadline, 2);
    assert_int_equal(t.counts.missed, 1);
    diagram_close(&t);
}

static void test_threads_are_not_merged(void **state)
{
    struct diagram_trace t;
    diagram_open(&t, 0);
    for (uint64_t i = 0; i < 2; i++)
        diagram_span(
            &t, diagram_lane(&t, &(stave_lane){.kind = STAVE_LANE_THREAD, .number = i}, "a"), 0, 1);
    struct page *page = diagram_page(&t);
    assert_int_equal(page->lane_count, 3);
    assert_int_equal(page->lanes[0].number, 0);
    assert_int_equal(page->lanes[1].number, 1);
    diagram_close(&t);
}

/* ---- rows of a lane -------------------------------------------------------------------------- */

static uint32_t open_thread(struct diagram_trace *t)
{
    diagram_open(t, 0);
    return diagram_lane(t, &(stave_lane){.kind = STAVE_LANE_THREAD}, "thread");
}

/* The row of each span, in the order of the page. */
static void check_rows(struct diagram_trace *t, const uint64_t *rows, uint64_t count, bool folded)
{
    struct page_lane *lane = &diagram_page(t)->lanes[0];
    uint64_t most = 0;
    assert_int_equal(lane->spans.count, count);
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(lane->spans.at[i].row, rows[i]);
        most = rows[i] > most ? rows[i] : most;
    }
    assert_int_equal(lane->rows, most + 1);
    assert_int_equal(lane->folded, folded);
    assert_int_equal(lane->parts & 1, most > 0);
    diagram_close(t);
}

#define CHECK_ROWS(t, ...)                                                                         \
    do {                                                                                           \
        const uint64_t rows_[] = {__VA_ARGS__};                                                    \
        check_rows((t), rows_, COUNT(rows_), false);                                               \
    } while (0)

static void test_nested_spans(void **state)
{
    struct diagram_trace t;
    uint32_t lane = open_thread(&t);
    diagram_deep_span(&t, lane, 2, 20, 30); /* as they ended */
    diagram_deep_span(&t, lane, 1, 10, 40);
    diagram_deep_span(&t, lane, 1, 40, 50);
    diagram_deep_span(&t, lane, 0, 0, 100);
    diagram_deep_span(&t, lane, 0, 100, 101);
    CHECK_ROWS(&t, 0, 1, 2, 1, 0);
}

static void test_overlapping_spans(void **state)
{
    struct diagram_trace t;
    uint32_t lane = open_thread(&t);
    diagram_span(&t, lane, 0, 10);
    diagram_span(&t, lane, 5, 15);
    diagram_span(&t, lane, 9, 12);
    diagram_span(&t, lane, 10, 20); /* the first row is free, but those above it are not */
    diagram_span(&t, lane, 15, 16);
    diagram_span(&t, lane, 20, 21);
    CHECK_ROWS(&t, 0, 1, 2, 3, 4, 0);
}

static void test_spans_without_length(void **state)
{
    struct diagram_trace t;
    uint32_t lane = open_thread(&t);
    diagram_span(&t, lane, 10, 10);
    diagram_span(&t, lane, 10, 20); /* the longer one first */
    diagram_span(&t, lane, 20, 20);
    diagram_span(&t, lane, 20, 20);
    CHECK_ROWS(&t, 0, 1, 0, 0);
}

/* A depth is kept, also where nothing is in the rows below. */
static void test_depth_without_parents(void **state)
{
    struct diagram_trace t;
    uint32_t lane = open_thread(&t);
    diagram_deep_span(&t, lane, 3, 0, 10);
    diagram_deep_span(&t, lane, 1, 5, 20);
    diagram_deep_span(&t, lane, 1, 20, 30);
    CHECK_ROWS(&t, 3, 4, 1);
}

static void test_boots_do_not_overlap(void **state)
{
    struct diagram_trace t;
    uint32_t lane = open_thread(&t);
    diagram_span(&t, lane, 0, 100);
    diagram_boot(&t, 50, 0);
    diagram_span(&t, lane, -5, 10);
    diagram_span(&t, lane, 20, 30);
    CHECK_ROWS(&t, 0, 0, 0);
}

static void check_folding(uint32_t spans, bool deep, bool folded)
{
    struct diagram_trace t;
    uint64_t rows[70];
    uint32_t lane = open_thread(&t);
    for (uint32_t i = 0; i < spans; i++) {
        diagram_deep_span(&t, lane, deep ? i : 0, i, 1000 - i);
        rows[i] = i < 63 ? i : 63;
    }
    check_rows(&t, rows, spans, folded);
}

static void test_folding(void **state)
{
    for (int deep = 0; deep < 2; deep++) {
        check_folding(63, deep, false);
        check_folding(64, deep, false);
        check_folding(65, deep, true);
        check_folding(70, deep, true);
    }
}

static void test_depth_beyond_all(void **state)
{
    struct diagram_trace t;
    uint32_t lane = open_thread(&t);
    diagram_deep_span(&t, lane, UINT32_MAX, 0, 10);
    check_rows(&t, (const uint64_t[]){63}, 1, true);
}

/* The whole range of ticks. */
static void test_far_times(void **state)
{
    struct diagram_trace t;
    uint32_t lane = open_thread(&t);
    diagram_span(&t, lane, INT64_MIN, INT64_MAX);
    diagram_span(&t, lane, INT64_MAX, INT64_MAX);
    struct page_lane *drawn = &diagram_page(&t)->lanes[0];
    assert_true(drawn->spans.at[0].start == INT64_MIN);
    assert_true(drawn->spans.at[0].length == UINT64_MAX);
    assert_true(drawn->spans.at[1].start == INT64_MAX);
    assert_int_equal(drawn->spans.at[1].row, 0);
    diagram_close(&t);
}

/* ---- markers --------------------------------------------------------------------------------- */

struct device {
    struct diagram_trace t;
    uint32_t isr, high, low, marker;
};

static void open_device(struct device *d)
{
    diagram_open(&d->t, 0);
    d->low = diagram_lane(&d->t, &(stave_lane){.kind = STAVE_LANE_TASK, .priority = 1}, "low");
    d->high = diagram_lane(&d->t, &(stave_lane){.kind = STAVE_LANE_TASK, .priority = 2}, "high");
    d->isr = diagram_lane(&d->t, &(stave_lane){.kind = STAVE_LANE_ISR}, "isr");
    d->marker = diagram_lane(&d->t, &(stave_lane){.kind = STAVE_LANE_TASK}, "marker");
}

/* Those of a lane of the page have these times. */
static void check_marks(const struct page_lane *lane, const int64_t *times, uint64_t count)
{
    assert_int_equal(lane->marks.count, count);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(lane->marks.at[i].start, times[i]);
}

#define CHECK_MARKS(lane, ...)                                                                     \
    do {                                                                                           \
        const int64_t times_[] = {__VA_ARGS__};                                                    \
        check_marks((lane), times_, COUNT(times_));                                                \
    } while (0)

static void test_markers_of_a_device(void **state)
{
    struct device d;
    open_device(&d);
    diagram_span(&d.t, d.low, 0, 100);
    diagram_span(&d.t, d.high, 20, 60);
    diagram_span(&d.t, d.high, 70, 70);
    diagram_span(&d.t, d.isr, 30, 40);
    static const int64_t times[] = {101, 100, 70, 60, 41, 40, 35, 30, 29, 20, 19, 0, -1};
    for (size_t i = COUNT(times); i-- > 0;)
        diagram_mark(&d.t, d.marker, times[i], NULL);
    struct page *page = diagram_page(&d.t);
    assert_int_equal(page->lane_count, 4);
    CHECK_MARKS(&page->lanes[0], 30, 35, 40);
    CHECK_MARKS(&page->lanes[1], 20, 29, 41, 60, 70);
    CHECK_MARKS(&page->lanes[2], 0, 19, 100);
    CHECK_MARKS(&page->lanes[3], -1, 101);
    assert_int_equal(page->lanes[3].kind, LOOSE);
    assert_string_equal(diagram_name(&d.t, &page->lanes[0].marks.at[0]), "marker");
    assert_int_equal(d.t.counts.markers, COUNT(times));
    assert_int_equal(d.t.counts.lanes, 4);
    diagram_close(&d.t);
}

/* Only in its own boot; of equal times all. */
static void test_markers_of_boots(void **state)
{
    struct device d;
    open_device(&d);
    diagram_span(&d.t, d.high, 0, 100);
    diagram_boot(&d.t, 1000, 0);
    diagram_mark(&d.t, d.marker, 50, NULL);
    diagram_mark(&d.t, d.marker, 60, "first");
    diagram_mark(&d.t, d.marker, 60, "second");
    diagram_span(&d.t, d.high, 60, 60);
    struct page *page = diagram_page(&d.t);
    CHECK_MARKS(&page->lanes[0], 60, 60);
    assert_int_equal(page->lanes[0].marks.at[0].boot, 1);
    assert_string_equal(diagram_name(&d.t, &page->lanes[0].marks.at[0]), "first");
    assert_string_equal(diagram_name(&d.t, &page->lanes[0].marks.at[1]), "second");
    CHECK_MARKS(&page->lanes[1], 50);
    diagram_close(&d.t);
}

/* Spans that hold a marker again, one that was claimed before, and none. */
static void test_markers_in_overlapping_spans(void **state)
{
    struct device d;
    open_device(&d);
    diagram_span(&d.t, d.high, 0, 50);
    diagram_span(&d.t, d.high, 10, 20);
    diagram_span(&d.t, d.high, 15, 70);
    diagram_span(&d.t, d.low, 40, 90);
    for (int64_t at = 5; at < 100; at += 10)
        diagram_mark(&d.t, d.marker, at, NULL);
    struct page *page = diagram_page(&d.t);
    CHECK_MARKS(&page->lanes[0], 5, 15, 25, 35, 45, 55, 65);
    static const uint64_t rows[] = {0, 2, 2, 2, 2, 2, 2};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(page->lanes[0].marks.at[i].row, rows[i]);
    CHECK_MARKS(&page->lanes[1], 75, 85);
    CHECK_MARKS(&page->lanes[2], 95);
    diagram_close(&d.t);
}

static void test_marks_of_a_thread(void **state)
{
    struct diagram_trace t;
    uint32_t lane = open_thread(&t);
    static const int64_t times[] = {0, 15, 25, 30, 35, 40, 45, 200};
    static const uint64_t rows[] = {0, 1, 2, 2, 1, 1, 0, 0};
    diagram_deep_span(&t, lane, 2, 20, 30);
    diagram_deep_span(&t, lane, 1, 10, 40);
    diagram_deep_span(&t, lane, 0, 0, 100);
    for (size_t i = 0; i < COUNT(times); i++)
        diagram_mark(&t, lane, times[i], "m");
    uint32_t idle = diagram_lane(&t, &(stave_lane){.kind = STAVE_LANE_CORE}, "core");
    diagram_mark(&t, idle, 7, NULL); /* a lane of nothing else */
    struct page *page = diagram_page(&t);
    check_marks(&page->lanes[0], times, COUNT(times));
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(page->lanes[0].marks.at[i].row, rows[i]);
    CHECK_MARKS(&page->lanes[1], 7);
    assert_int_equal(page->lanes[1].rows, 1);
    assert_string_equal(diagram_name(&t, &page->lanes[1].marks.at[0]), "core");
    assert_int_equal(page->lanes[2].marks.count, 0);
    diagram_close(&t);
}

/* ---- what is measured ------------------------------------------------------------------------ */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Against a sorted list, for every number of spans. */
static void check_percentile(uint32_t spans, uint64_t factor)
{
    struct diagram_trace t;
    double *durations = calloc(spans, sizeof *durations), sum = 0;
    uint32_t lane = open_thread(&t);
    for (uint32_t i = 0; i < spans; i++) {
        int64_t length = (int64_t)((i + 1) * factor % 100003);
        diagram_span(&t, lane, (int64_t)i * 200000, (int64_t)i * 200000 + length);
        durations[i] = (double)length / 1000.0;
        sum += durations[i];
    }
    qsort(durations, spans, sizeof *durations, compare_doubles);
    const struct page_lane *drawn = &diagram_page(&t)->lanes[0];
    uint32_t rank = (99 * spans + 99) / 100;
    assert_true(drawn->p99_us == durations[rank - 1]);
    assert_true(drawn->min_us == durations[0]);
    assert_true(drawn->max_us == durations[spans - 1]);
    assert_true(fabs(drawn->mean_us - sum / spans) <= 1e-9 * sum);
    assert_true((double)drawn->spans.at[drawn->worst - 1].length / 1000.0 == drawn->max_us);
    assert_int_equal(drawn->whole, spans);
    diagram_close(&t);
    free(durations);
}

static void test_percentile(void **state)
{
    for (uint32_t spans = 1; spans < 205; spans++)
        check_percentile(spans, 7919);
    check_percentile(5000, 1);      /* ascending */
    check_percentile(5000, 99991);  /* mixed */
    check_percentile(5000, 100002); /* descending */
    check_percentile(5000, 100003); /* equal */
}

static void test_spans_without_an_end(void **state)
{
    struct diagram_trace t;
    stave_lane task = {.kind = STAVE_LANE_TASK, .has_deadline = true, .deadline_ms = 0.001f};
    static const uint16_t flags[] = {STAVE_FLAG_INTERRUPTED, STAVE_FLAG_UNFINISHED,
                                     STAVE_FLAG_UNCERTAIN | STAVE_FLAG_FAILED};
    diagram_open(&t, 0);
    uint32_t lane = diagram_lane(&t, &task, "task");
    for (uint32_t i = 0; i < COUNT(flags); i++)
        diagram_row(
            &t, STAVE_SPANS, lane,
            &(struct stave__row){
                .start = i * 10000, .end = (i + 1) * 10000 - i, .serial = i + 1, .flags = flags[i]},
            NULL);
    const struct page_lane *drawn = &diagram_page(&t)->lanes[0];
    assert_int_equal(drawn->spans.count, 3);
    assert_int_equal(drawn->whole, 1);
    assert_int_equal(drawn->checked, 1);
    assert_int_equal(drawn->missed, 1);
    assert_int_equal(drawn->worst, 3);
    assert_true(drawn->min_us == 9.998 && drawn->max_us == 9.998);
    assert_int_equal(drawn->spans.at[0].flags, flags[0]);
    assert_int_equal(drawn->spans.at[1].flags, flags[1]);
    assert_int_equal(drawn->spans.at[2].flags, flags[2] | MISSED);
    assert_int_equal(t.counts.interrupted, 2);
    diagram_close(&t);
}

static void test_no_whole_span(void **state)
{
    struct diagram_trace t;
    uint32_t lane = open_thread(&t);
    diagram_row(&t, STAVE_SPANS, lane,
                &(struct stave__row){.end = 5, .serial = 1, .flags = STAVE_FLAG_UNFINISHED}, NULL);
    const struct page_lane *drawn = &diagram_page(&t)->lanes[0];
    assert_int_equal(drawn->whole, 0);
    assert_int_equal(drawn->worst, 0);
    assert_true(drawn->min_us == 0 && drawn->mean_us == 0 && drawn->p99_us == 0 &&
                drawn->max_us == 0);
    diagram_close(&t);
}

static void own_deadline(struct diagram_trace *t, uint32_t lane, int64_t start, int64_t end,
                         int64_t deadline)
{
    struct stave__row row = {.start = start, .end = end, .serial = ++t->serial};
    row.flags = STAVE_FLAG_HAS_VALUE;
    row.value = (uint64_t)deadline;
    diagram_row(t, STAVE_SPANS, lane, &row, NULL);
}

/* Beside the lane's, and instead of it; the comparison is exact, and the worst is found among both. */
static void test_own_deadlines(void **state)
{
    struct diagram_trace t;
    stave_lane task = {.kind = STAVE_LANE_TASK, .has_deadline = true, .deadline_ms = 1.0f};
    diagram_open(&t, 168e6);
    uint32_t lane = diagram_lane(&t, &task, "a");
    diagram_span(&t, lane, 0, 168001);
    own_deadline(&t, lane, 1000000, 1900000, 1900000);
    own_deadline(&t, lane, 2000000, 2000007, 2000006);
    own_deadline(&t, lane, 3000000, 3000001, 2999000);
    own_deadline(&t, lane, INT64_MIN + 1, INT64_MIN + 2, INT64_MAX);
    const struct page_lane *drawn = &diagram_page(&t)->lanes[0];
    static const uint64_t which[] = {2, 1, 2, 2, 2};
    static const int64_t own[] = {INT64_MAX, 0, 900000, 6, -1000};
    static const uint64_t flags[] = {0, MISSED, 0, MISSED, MISSED};
    assert_int_equal(drawn->deadline_count, 1);
    assert_int_equal(drawn->parts, 4 | 8);
    for (size_t i = 0; i < COUNT(which); i++) {
        assert_int_equal(drawn->spans.at[i].which, which[i]);
        assert_true(drawn->spans.at[i].own == own[i]);
        assert_int_equal(drawn->spans.at[i].flags & MISSED, flags[i]);
    }
    assert_int_equal(drawn->checked, 5);
    assert_int_equal(drawn->missed, 3);
    assert_int_equal(drawn->worst, 5);
    diagram_close(&t);
}

/* Of a lane that has none. */
static void test_own_deadlines_alone(void **state)
{
    struct diagram_trace t;
    diagram_open(&t, 0);
    uint32_t lane = diagram_lane(&t, &(stave_lane){.kind = STAVE_LANE_TASK}, "a");
    own_deadline(&t, lane, 0, 100, 99);
    diagram_span(&t, lane, 200, 300);
    const struct page_lane *drawn = &diagram_page(&t)->lanes[0];
    assert_int_equal(drawn->deadline_count, 0);
    assert_int_equal(drawn->parts, 4 | 8);
    assert_int_equal(drawn->spans.at[0].which, 1);
    assert_int_equal(drawn->spans.at[0].own, 99);
    assert_int_equal(drawn->spans.at[1].which, 0);
    assert_int_equal(t.counts.with_deadline, 1);
    assert_int_equal(t.counts.missed, 1);
    diagram_close(&t);
}

/* The one that exceeds its own deadline the most, the first of equals; not the longest. */
static void test_worst(void **state)
{
    struct diagram_trace t;
    stave_lane task = {.kind = STAVE_LANE_TASK, .has_deadline = true, .deadline_ms = 1.0f};
    diagram_open(&t, 0);
    uint32_t wide = diagram_lane(&t, &task, "a");
    task.deadline_ms = 0.001f;
    uint32_t tight = diagram_lane(&t, &task, "a");
    diagram_span(&t, wide, 0, 1002000);        /* 2 us too long */
    diagram_span(&t, tight, 2000000, 2003000); /* 2 us too long */
    diagram_span(&t, tight, 3000000, 3004000); /* 3 us too long */
    diagram_span(&t, tight, 4000000, 4004000);
    assert_int_equal(diagram_page(&t)->lanes[0].worst, 3);
    assert_int_equal(t.counts.missed, 4);
    diagram_close(&t);
}

/* The limit itself is kept; the summary of lanes says the same at every rate of the clock. */
static void check_deadlines(double hz)
{
    struct diagram_trace t;
    stave_lane task = {.kind = STAVE_LANE_TASK, .has_deadline = true, .deadline_ms = 0.1f};
    stave_lane_summary summary;
    diagram_open(&t, hz);
    uint32_t lane = diagram_lane(&t, &task, "task");
    int64_t ticks = (int64_t)(0.0001 * (hz != 0 ? hz : 1e9));
    for (int64_t i = -20; i <= 20; i++)
        diagram_span(&t, lane, i * 1000000, i * 1000000 + ticks + i);
    const struct page_lane *drawn = &diagram_page(&t)->lanes[0];
    assert_int_equal(stave_summarize_lanes(t.trace, &summary, 1, NULL), STAVE_OK);
    assert_int_equal(drawn->missed, summary.missed);
    assert_in_range(drawn->missed, 19, 21);
    assert_true(drawn->min_us == summary.min_us && drawn->max_us == summary.max_us);
    diagram_close(&t);
}

static void test_deadlines(void **state)
{
    static const double rates[] = {0, 1e6, 168e6, 32768e3, 480e6 / 7};
    for (size_t i = 0; i < COUNT(rates); i++)
        check_deadlines(rates[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_lanes),
        cmocka_unit_test(test_order_of_names),
        cmocka_unit_test(test_deadlines_share_a_lane),
        cmocka_unit_test(test_threads_are_not_merged),
        cmocka_unit_test(test_nested_spans),
        cmocka_unit_test(test_overlapping_spans),
        cmocka_unit_test(test_spans_without_length),
        cmocka_unit_test(test_depth_without_parents),
        cmocka_unit_test(test_boots_do_not_overlap),
        cmocka_unit_test(test_folding),
        cmocka_unit_test(test_depth_beyond_all),
        cmocka_unit_test(test_far_times),
        cmocka_unit_test(test_markers_of_a_device),
        cmocka_unit_test(test_markers_of_boots),
        cmocka_unit_test(test_markers_in_overlapping_spans),
        cmocka_unit_test(test_marks_of_a_thread),
        cmocka_unit_test(test_percentile),
        cmocka_unit_test(test_spans_without_an_end),
        cmocka_unit_test(test_no_whole_span),
        cmocka_unit_test(test_worst),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_own_deadlines),
        cmocka_unit_test(test_own_deadlines_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
