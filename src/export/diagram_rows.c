#include "export/diagram_rows.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/deadline.h"
#include "analyze/durations.h"
#include "base/error.h"

#define FIRST_ROOM 32u

/* ---- gathering ------------------------------------------------------------------------------- */

int stave__rows_reserve(struct stave__rows *rows, uint64_t count, stave_error *error)
{
    if (count > STAVE__DRAWN_MAX)
        return stave__fail(error, STAVE_E_LIMIT, 0,
                           "more than 2^32 - 2 rows on one lane; a diagram cannot show them");
    if (count <= rows->room)
        return STAVE_OK;
    struct stave__drawn *larger = realloc(rows->at, (size_t)count * sizeof *larger);
    if (larger == NULL)
        return stave__fail_memory(error);
    rows->at = larger;
    rows->room = (size_t)count;
    return STAVE_OK;
}

/* Twice the room, up to the limit. */
static int grow(struct stave__rows *rows, stave_error *error)
{
    uint64_t room = rows->room < FIRST_ROOM ? FIRST_ROOM : 2 * (uint64_t)rows->room;
    if (room > STAVE__DRAWN_MAX && rows->room < STAVE__DRAWN_MAX)
        room = STAVE__DRAWN_MAX;
    return stave__rows_reserve(rows, room, error);
}

int stave__rows_push(struct stave__rows *rows, const struct stave__drawn *row, stave_error *error)
{
    int status = rows->count == rows->room ? grow(rows, error) : STAVE_OK;
    if (status >= 0)
        rows->at[rows->count++] = *row;
    return status;
}

void stave__rows_free(struct stave__rows *rows)
{
    free(rows->at);
    *rows = (struct stave__rows){0};
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_drawn(const void *a, const void *b)
{
    const struct stave__drawn *x = a, *y = b;
    int order = compare(x->boot, y->boot);
    if (order == 0 && x->start != y->start)
        order = x->start < y->start ? -1 : 1;
    if (order == 0)
        order = compare(x->row, y->row);
    if (order == 0)
        order = compare(stave__drawn_length(y), stave__drawn_length(x));
    return order != 0 ? order : compare(x->tie, y->tie);
}

void stave__rows_sort(struct stave__rows *rows)
{
    bool sorted = true;
    for (uint32_t i = 1; i < rows->count && sorted; i++)
        sorted = compare_drawn(&rows->at[i - 1], &rows->at[i]) <= 0;
    if (!sorted) /* most lanes are */
        qsort(rows->at, rows->count, sizeof *rows->at, compare_drawn);
}

/* ---- rows of a lane -------------------------------------------------------------------------- */

/* Rows of a lane that spans still take, as a stack. */
struct taken {
    uint32_t count;                        /* rows from here on are free */
    int64_t ends[STAVE__DIAGRAM_ROWS_MAX]; /* of those below */
};

/* Rows whose last span has ended are free, until one below which another still goes on. */
static void give_back(struct taken *taken, int64_t start)
{
    while (taken->count > 0 && taken->ends[taken->count - 1] <= start)
        taken->count--;
}

static void take(struct taken *taken, uint32_t row, int64_t end)
{
    while (taken->count <= row)
        taken->ends[taken->count++] = INT64_MIN;
    if (end > taken->ends[row])
        taken->ends[row] = end;
}

struct stave__layout stave__rows_lay_out(struct stave__rows *rows)
{
    const uint32_t last = STAVE__DIAGRAM_ROWS_MAX - 1;
    struct stave__layout layout = {.rows = 1};
    struct taken taken = {0};
    for (uint32_t i = 0; i < rows->count; i++) {
        struct stave__drawn *span = &rows->at[i];
        if (i > 0 && span->boot != rows->at[i - 1].boot)
            taken.count = 0;
        give_back(&taken, span->start);
        uint32_t row = span->row > taken.count ? span->row : taken.count;
        layout.folded |= row > last;
        row = row < last ? row : last;
        take(&taken, row, span->end);
        span->row = (uint8_t)row;
        if (row >= layout.rows)
            layout.rows = row + 1;
    }
    return layout;
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* The longest durations, as many as do not count for the percentile and one more: the least of them is
 * it. A heap: most durations are not even compared twice, and no order of them makes it slow. */
struct longest {
    double *heap; /* the least first */
    uint32_t count, size;
};

static void sift_down(struct longest *longest)
{
    uint32_t at = 0;
    double us = longest->heap[0];
    for (uint64_t child = 1; child < longest->count; child = 2 * (uint64_t)at + 1) {
        if (child + 1 < longest->count && longest->heap[child + 1] < longest->heap[child])
            child++;
        if (!(longest->heap[child] < us))
            break;
        longest->heap[at] = longest->heap[child];
        at = (uint32_t)child;
    }
    longest->heap[at] = us;
}

static void sift_up(struct longest *longest, double us)
{
    uint32_t at = longest->count++;
    for (; at > 0 && us < longest->heap[(at - 1) / 2]; at = (at - 1) / 2)
        longest->heap[at] = longest->heap[(at - 1) / 2];
    longest->heap[at] = us;
}

static void add_to_longest(struct longest *longest, double us)
{
    if (longest->count < longest->size) {
        sift_up(longest, us);
    } else if (us > longest->heap[0]) {
        longest->heap[0] = us;
        sift_down(longest);
    }
}

static bool is_whole(const struct stave__drawn *span)
{
    return (span->flags & STAVE_FLAGS_END_UNKNOWN) == 0;
}

static uint32_t count_whole(const struct stave__rows *rows)
{
    uint32_t whole = 0;
    for (uint32_t i = 0; i < rows->count; i++)
        whole += is_whole(&rows->at[i]);
    return whole;
}

/* How many of `count` numbers are at least percentile 99 (nearest rank), it included. */
static uint32_t from_p99_on(uint32_t count)
{
    uint32_t rank = count / 100 * 99 + (count % 100 * 99 + 99) / 100;
    return count - rank + 1;
}

/* On the way through a lane's spans. */
struct measuring {
    struct stave__measures m;
    struct stave__durations whole; /* us */
    struct longest longest;
    double excess_us;                    /* of the worst that missed its deadline */
    uint32_t longest_span, worst_missed; /* plus 1; 0: none yet */
};

static void add_duration(struct measuring *measuring, uint32_t index, double us)
{
    if (stave__durations_add(&measuring->whole, us))
        measuring->longest_span = index + 1;
    add_to_longest(&measuring->longest, us);
}

/* By how much a span missed its deadline. */
static double excess_us(const stave_trace *trace, const struct stave__drawn *span,
                        const struct stave__deadline *deadline, double us)
{
    return deadline->own ? stave_duration_us(trace, span->boot, deadline->tick, span->end)
                         : us - deadline->lane_us;
}

static void add_missed(struct measuring *measuring, uint32_t index, double excess)
{
    measuring->m.missed++;
    if (measuring->worst_missed != 0 && !(excess > measuring->excess_us))
        return;
    measuring->excess_us = excess;
    measuring->worst_missed = index + 1;
}

static void measure_span(struct measuring *measuring, uint32_t index, struct stave__drawn *span,
                         const stave_trace *trace, const double *deadlines_us)
{
    bool of_lane = span->which != 0 && (span->flags & STAVE_FLAG_HAS_VALUE) == 0;
    double lane_us = of_lane ? deadlines_us[span->which - 1] : HUGE_VAL;
    struct stave__deadline deadline = stave__deadline_of(lane_us, span->flags, span->value);
    double us = stave_duration_us(trace, span->boot, span->start, span->end);
    add_duration(measuring, index, us);
    measuring->m.checked += stave__deadline_exists(&deadline);
    span->missed = stave__deadline_missed(&deadline, span->end, us);
    if (span->missed)
        add_missed(measuring, index, excess_us(trace, span, &deadline, us));
}

static void measure_all(struct measuring *measuring, struct stave__rows *rows,
                        const stave_trace *trace, const double *deadlines_us)
{
    for (uint32_t i = 0; i < rows->count; i++)
        if (is_whole(&rows->at[i]))
            measure_span(measuring, i, &rows->at[i], trace, deadlines_us);
}

int stave__rows_measure(struct stave__rows *rows, const stave_trace *trace,
                        const double *deadlines_us, struct stave__measures *measures,
                        stave_error *error)
{
    uint32_t whole = count_whole(rows);
    struct measuring measuring = {.longest = {.size = from_p99_on(whole)}};
    *measures = measuring.m;
    if (whole == 0)
        return STAVE_OK;
    measuring.longest.heap = calloc(measuring.longest.size, sizeof *measuring.longest.heap);
    if (measuring.longest.heap == NULL)
        return stave__fail_memory(error);
    measure_all(&measuring, rows, trace, deadlines_us);
    measuring.m.whole = whole;
    measuring.m.min_us = measuring.whole.least;
    measuring.m.mean_us = stave__durations_mean(&measuring.whole);
    measuring.m.max_us = measuring.whole.most;
    measuring.m.p99_us = measuring.longest.heap[0];
    measuring.m.worst =
        measuring.worst_missed != 0 ? measuring.worst_missed : measuring.longest_span;
    free(measuring.longest.heap);
    *measures = measuring.m;
    return STAVE_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Behind the last row of the boot in which row `from` is. */
static uint32_t run_end(const struct stave__rows *rows, uint32_t from)
{
    uint32_t at = from + 1;
    while (at < rows->count && rows->at[at].boot == rows->at[from].boot)
        at++;
    return at;
}

void stave__rows_write_runs(const struct stave__rows *rows, struct stave__stream *stream)
{
    uint32_t runs = 0;
    for (uint32_t i = 0; i < rows->count; i++)
        runs += i == 0 || rows->at[i].boot != rows->at[i - 1].boot;
    stave__stream_u(stream, runs);
    for (uint32_t i = 0, end; i < rows->count; i = end) {
        end = run_end(rows, i);
        stave__stream_u(stream, rows->at[i].boot);
        stave__stream_s(stream, rows->at[i].start);
        stave__stream_u(stream, end - i);
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        bool first = i == 0 || rows->at[i].boot != rows->at[i - 1].boot;
        uint64_t before = (uint64_t)rows->at[first ? i : i - 1].start;
        stave__stream_u(stream, (uint64_t)rows->at[i].start - before);
    }
}

void stave__rows_write_column(const struct stave__rows *rows, struct stave__stream *stream,
                              uint64_t (*number)(const struct stave__drawn *row))
{
    for (uint32_t i = 0; i < rows->count; i++)
        stave__stream_u(stream, number(&rows->at[i]));
}

uint64_t stave__drawn_length(const struct stave__drawn *row)
{
    return (uint64_t)row->end - (uint64_t)row->start;
}

uint64_t stave__drawn_value(const struct stave__drawn *row)
{
    return row->value;
}

uint64_t stave__drawn_flags(const struct stave__drawn *row)
{
    return row->flags | (row->missed ? STAVE__DIAGRAM_MISSED : 0u);
}

uint64_t stave__drawn_name(const struct stave__drawn *row)
{
    return row->name;
}

uint64_t stave__drawn_which(const struct stave__drawn *row)
{
    return row->which;
}

uint64_t stave__drawn_row(const struct stave__drawn *row)
{
    return row->row;
}
