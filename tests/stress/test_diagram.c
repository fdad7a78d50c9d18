/* test_diagram.c - pages of random traces, read back: every row is there, on the lane and in the row where
 * slow and plain code puts it.
 *
 *     test_diagram [FIRST_SEED [COUNT]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../reference/diagram_page.h"
#include "random_trace.h"
#include "stave/export.h"

static uint64_t first_seed = 1;
static uint64_t seed_count = 400;

#define LOOSE 255
#define LAST_ROW 63
#define MISSED (1u << 20)

/* Over all seeds: that there was something to see. */
static struct {
    uint64_t spans, marks, missed, folded;
} seen;

struct check {
    struct random_trace *random;
    struct page *page;
    const struct random_row **rows; /* room for all of the trace's */
    uint64_t *row_of;               /* the same */
    double *durations;
};

/* ---- spans ----------------------------------------------------------------------------------- */

/* Beyond the last row no depth is told from another. */
static uint32_t shown_depth(const struct random_row *span)
{
    return span->column.depth <= LAST_ROW ? span->column.depth : LAST_ROW + 1;
}

static int compare_spans(const void *a, const void *b)
{
    const struct random_row *x = *(const struct random_row *const *)a;
    const struct random_row *y = *(const struct random_row *const *)b;
    uint64_t x_length = (uint64_t)(x->column.end - x->column.start);
    uint64_t y_length = (uint64_t)(y->column.end - y->column.start);
    if (x->boot != y->boot)
        return x->boot < y->boot ? -1 : 1;
    if (x->column.start != y->column.start)
        return x->column.start < y->column.start ? -1 : 1;
    if (shown_depth(x) != shown_depth(y))
        return shown_depth(x) < shown_depth(y) ? -1 : 1;
    if (x_length != y_length)
        return x_length > y_length ? -1 : 1;
    return x->column.serial < y->column.serial ? -1 : 1;
}

static size_t find_spans(struct check *check, uint32_t lane)
{
    size_t count = 0;
    for (size_t i = 0; i < check->random->row_count; i++)
        if (check->random->rows[i].kind == STAVE_SPANS && check->random->rows[i].lane == lane)
            check->rows[count++] = &check->random->rows[i];
    qsort(check->rows, count, sizeof *check->rows, compare_spans);
    return count;
}

/* The row of span `index`, by looking at all before it that may still go on. */
static uint64_t row_for(const struct check *check, size_t index)
{
    const struct random_row *span = check->rows[index];
    uint64_t row = span->column.depth;
    for (size_t i = index; i-- > 0 && check->rows[i]->boot == span->boot;)
        if (check->rows[i]->column.end > span->column.start && check->row_of[i] >= row)
            row = check->row_of[i] + 1;
    return row < LAST_ROW ? row : LAST_ROW;
}

static void check_name(const struct check *check, uint64_t shown, uint32_t id)
{
    size_t size;
    const char *name = stave_trace_string(check->random->trace, id, &size);
    assert_true(shown < check->page->text_count);
    assert_int_equal(check->page->texts[shown].size, size);
    assert_memory_equal(check->page->texts[shown].bytes, name, size);
}

/* The shortest decimal that reads back as the float, in microseconds. */
static double deadline_us(float ms)
{
    char text[32];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)ms);
        if (strtof(text, NULL) == ms)
            break;
    }
    return strtod(text, NULL) * 1000.0;
}

static bool has_own_deadline(const struct random_row *span)
{
    return (span->column.flags & STAVE_FLAG_HAS_VALUE) != 0;
}

static bool is_missed(const struct check *check, const struct random_row *span)
{
    const stave_lane *lane = stave_trace_lane(check->random->trace, span->lane);
    if (has_own_deadline(span))
        return (span->column.flags & STAVE_FLAGS_END_UNKNOWN) == 0 &&
               span->column.end > (int64_t)span->column.value;
    return lane->has_deadline && (span->column.flags & STAVE_FLAGS_END_UNKNOWN) == 0 &&
           stave_duration_us(check->random->trace, span->boot, span->column.start,
                             span->column.end) > deadline_us(lane->deadline_ms);
}

/* The page says where a span's deadline is, its own or the lane's. */
static void check_deadline(const struct check *check, const struct page_lane *lane,
                           const struct page_row *shown, const struct random_row *span)
{
    const stave_lane *row = stave_trace_lane(check->random->trace, span->lane);
    if (!has_own_deadline(span)) {
        assert_int_equal(shown->which, row->has_deadline);
        return;
    }
    int64_t deadline = (int64_t)span->column.value, ticks;
    if (__builtin_sub_overflow(deadline, span->column.start, &ticks))
        ticks = deadline < 0 ? INT64_MIN : INT64_MAX;
    assert_int_equal(shown->which, lane->deadline_count + 1);
    assert_true(shown->own == ticks);
}

static void check_span(struct check *check, const struct page_row *shown, size_t index)
{
    const struct random_row *span = check->rows[index];
    check->row_of[index] = row_for(check, index);
    assert_int_equal(shown->boot, span->boot);
    assert_int_equal(shown->start, span->column.start);
    assert_int_equal(shown->length, span->column.end - span->column.start);
    assert_int_equal(shown->row, check->row_of[index]);
    assert_int_equal(shown->flags, span->column.flags | (is_missed(check, span) ? MISSED : 0));
    check_name(check, shown->name, span->column.name);
}

/* Of a row no two overlap, but for the last one of a folded lane. */
static void check_rows_are_free(const struct page_lane *lane)
{
    int64_t ends[LAST_ROW + 1];
    for (uint64_t i = 0; i < lane->spans.count; i++) {
        const struct page_row *span = &lane->spans.at[i];
        if (i == 0 || span->boot != lane->spans.at[i - 1].boot)
            for (int row = 0; row <= LAST_ROW; row++)
                ends[row] = INT64_MIN;
        assert_true(span->row < lane->rows);
        assert_true(ends[span->row] <= span->start || (lane->folded && span->row == LAST_ROW));
        ends[span->row] = span->start + (int64_t)span->length;
    }
}

/* ---- measures -------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void check_measures(struct check *check, const struct page_lane *lane, size_t count)
{
    uint64_t whole = 0, missed = 0;
    for (size_t i = 0; i < count; i++) {
        const struct random_row *span = check->rows[i];
        missed += is_missed(check, span);
        if ((span->column.flags & STAVE_FLAGS_END_UNKNOWN) == 0)
            check->durations[whole++] = stave_duration_us(check->random->trace, span->boot,
                                                          span->column.start, span->column.end);
    }
    assert_int_equal(lane->whole, whole);
    assert_int_equal(lane->missed, missed);
    assert_int_equal(lane->worst != 0, whole != 0);
    if (whole == 0)
        return;
    qsort(check->durations, whole, sizeof *check->durations, compare_doubles);
    assert_true(lane->min_us == check->durations[0]);
    assert_true(lane->max_us == check->durations[whole - 1]);
    assert_true(lane->p99_us == check->durations[(99 * whole + 99) / 100 - 1]);
    assert_true(missed == 0 || lane->spans.at[lane->worst - 1].flags & MISSED);
}

/* ---- marks ----------------------------------------------------------------------------------- */

static bool holds(const struct page_row *span, const struct random_row *mark)
{
    return span->boot == mark->boot && span->start <= mark->column.start &&
           mark->column.start <= span->start + (int64_t)span->length;
}

/* Whether a lane holds a mark, and in which row. */
static bool lane_holds(const struct page_lane *lane, const struct random_row *mark, uint64_t *row)
{
    bool found = false;
    *row = 0;
    for (uint64_t i = 0; i < lane->spans.count; i++) {
        if (!holds(&lane->spans.at[i], mark))
            continue;
        found = true;
        if (lane->spans.at[i].row > *row)
            *row = lane->spans.at[i].row;
    }
    return found;
}

static struct page_lane *lane_of(const struct check *check, uint32_t lane)
{
    const stave_lane *row = stave_trace_lane(check->random->trace, lane);
    return page_find_lane(check->page, row->kind,
                          stave_trace_string(check->random->trace, row->name, NULL));
}

/* The lane on which a mark should stand; the last one is that of marks that no span holds. */
static struct page_lane *lane_for(const struct check *check, const struct random_row *mark,
                                  uint64_t *row)
{
    uint32_t kind = stave_trace_lane(check->random->trace, mark->lane)->kind;
    struct page_lane *lanes = check->page->lanes, *last = &lanes[check->page->lane_count - 1];
    *row = 0;
    if (kind == STAVE_LANE_TASK || kind == STAVE_LANE_ISR)
        for (struct page_lane *lane = lanes; lane < last; lane++)
            if (lane_holds(lane, mark, row))
                return lane;
    if (kind == STAVE_LANE_TASK || kind == STAVE_LANE_ISR || kind == STAVE_LANE_DEVICE)
        return last;
    struct page_lane *own = lane_of(check, mark->lane);
    assert_non_null(own);
    lane_holds(own, mark, row);
    return own;
}

static int compare_marks(const void *a, const void *b)
{
    const struct random_row *x = *(const struct random_row *const *)a;
    const struct random_row *y = *(const struct random_row *const *)b;
    if (x->boot != y->boot)
        return x->boot < y->boot ? -1 : 1;
    if (x->column.start != y->column.start)
        return x->column.start < y->column.start ? -1 : 1;
    return x->column.order < y->column.order ? -1 : x->column.order > y->column.order;
}

static void check_mark(const struct check *check, const struct page_row *shown,
                       const struct random_row *mark)
{
    uint16_t flags = mark->column.flags;
    uint32_t lane_name = stave_trace_lane(check->random->trace, mark->lane)->name;
    assert_int_equal(shown->boot, mark->boot);
    assert_int_equal(shown->start, mark->column.start);
    check_name(check, shown->name, mark->column.name != 0 ? mark->column.name : lane_name);
    if ((flags & STAVE_FLAG_HAS_VALUE) == 0)
        assert_int_equal(shown->which, 0);
    else if (flags & STAVE_FLAG_TEXT)
        check_name(check, shown->value, (uint32_t)mark->column.value);
    else
        assert_int_equal(shown->value, mark->column.value);
}

/* All marks in the order of their lanes' rows: each is the next one of its lane. */
static size_t check_marks(struct check *check)
{
    size_t count = 0;
    uint64_t *next = calloc(check->page->lane_count, sizeof *next);
    assert_non_null(next);
    for (size_t i = 0; i < check->random->row_count; i++)
        if (check->random->rows[i].kind == STAVE_MARKS)
            check->rows[count++] = &check->random->rows[i];
    qsort(check->rows, count, sizeof *check->rows, compare_marks);
    for (size_t i = 0; i < count; i++) {
        uint64_t row;
        struct page_lane *lane = lane_for(check, check->rows[i], &row);
        uint64_t at = next[lane - check->page->lanes]++;
        assert_true(at < lane->marks.count);
        check_mark(check, &lane->marks.at[at], check->rows[i]);
        assert_int_equal(lane->marks.at[at].row, row);
    }
    for (uint64_t i = 0; i < check->page->lane_count; i++)
        assert_int_equal(next[i], check->page->lanes[i].marks.count);
    free(next);
    return count;
}

/* ---- bands ----------------------------------------------------------------------------------- */

static uint64_t check_bands(struct check *check, uint32_t kind, const struct page_rows *bands)
{
    uint64_t count = 0, length = 0, shown = 0, value = 0, shown_value = 0;
    for (size_t i = 0; i < check->random->row_count; i++) {
        const struct random_row *row = &check->random->rows[i];
        if (row->kind == kind) {
            count++;
            length += (uint64_t)(row->column.end - row->column.start);
            value += row->column.value;
        }
    }
    for (uint64_t i = 0; i < bands->count; i++) {
        shown += bands->at[i].length;
        shown_value += bands->at[i].value;
        assert_true(bands->at[i].which < check->page->lane_count);
    }
    assert_int_equal(bands->count, count);
    assert_int_equal(shown, length);
    assert_int_equal(shown_value, value);
    return count;
}

/* ---- a trace --------------------------------------------------------------------------------- */

static size_t check_lanes(struct check *check)
{
    size_t spans = 0;
    for (uint32_t i = 0; i < check->random->lane_count; i++) {
        size_t count = find_spans(check, i);
        const struct page_lane *lane = lane_of(check, i);
        spans += count;
        if (count == 0) {
            assert_true(lane == NULL || lane->spans.count == 0);
            continue;
        }
        assert_non_null(lane);
        assert_int_equal(lane->spans.count, count);
        for (size_t j = 0; j < count; j++) {
            check_span(check, &lane->spans.at[j], j);
            check_deadline(check, lane, &lane->spans.at[j], check->rows[j]);
        }
        check_rows_are_free(lane);
        seen.folded += lane->folded;
        check_measures(check, lane, count);
    }
    return spans;
}

static void check_page(struct check *check, const stave_diagram_counts *counts)
{
    const struct page_source *source = &check->page->sources[0];
    size_t rows = check->random->row_count;
    check->rows = calloc(rows + 1, sizeof *check->rows);
    check->row_of = calloc(rows + 1, sizeof *check->row_of);
    check->durations = calloc(rows + 1, sizeof *check->durations);
    assert_true(check->rows != NULL && check->row_of != NULL && check->durations != NULL);
    assert_int_equal(counts->spans, check_lanes(check));
    assert_int_equal(counts->markers, check_marks(check));
    assert_int_equal(counts->gaps, check_bands(check, STAVE_GAPS, &source->gaps));
    uint64_t doubts = check_bands(check, STAVE_DOUBTS, &source->doubts);
    assert_int_equal(counts->not_drawn, rows - counts->events - doubts);
    free(check->rows);
    free(check->row_of);
    free(check->durations);
}

static void check_seed(uint64_t seed)
{
    struct random_trace_options options;
    struct page_sink sink = {0};
    stave_diagram_counts counts;
    random_trace_choose(seed, &options);
    options.others = seed % 2 != 0 ? 500 : options.others; /* marks are few otherwise */
    struct check check = {.random = random_trace_new(&options)};
    stave_diagram_source source = {.trace = check.random->trace, .name = "random"};
    int status =
        stave_export_diagram(&source, 1, NULL, ((stave_sink){page_take, &sink}), &counts, NULL);
    if (status == STAVE_OK) {
        seen.spans += counts.spans;
        seen.marks += counts.markers;
        seen.missed += counts.missed;
        check.page = page_read(&sink);
        check_page(&check, &counts);
        page_free(check.page);
    } else {
        assert_int_equal(status, STAVE_E_NOTHING);
        for (size_t i = 0; i < check.random->row_count; i++)
            assert_true(check.random->rows[i].kind > STAVE_GAPS);
    }
    page_sink_free(&sink);
    random_trace_free(check.random);
}

static void test_random_traces(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++)
        check_seed(seed);
    if (seed_count < 400)
        return;
    assert_true(seen.spans > 100 * seed_count && seen.marks > 20 * seed_count);
    assert_true(seen.missed > seed_count && seen.folded > 10);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_traces)};
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed_count = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
