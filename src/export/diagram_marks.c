#include "export/diagram_marks.h"

#include <stdlib.h>

#include "base/error.h"

int stave__marks_begin(struct stave__marks *marks, struct stave__rows *rows, stave_error *error)
{
    *marks = (struct stave__marks){.rows = *rows};
    *rows = (struct stave__rows){0};
    stave__rows_sort(&marks->rows);
    marks->next = malloc(((size_t)marks->rows.count + 1) * sizeof *marks->next);
    if (marks->next == NULL)
        return stave__fail_memory(error);
    for (uint32_t i = 0; i <= marks->rows.count; i++)
        marks->next[i] = i;
    return STAVE_OK;
}

void stave__marks_free(struct stave__marks *marks)
{
    stave__rows_free(&marks->rows);
    free(marks->next);
    marks->next = NULL;
}

/* ---- claiming -------------------------------------------------------------------------------- */

/* The first unclaimed marker from `at` on; halves the way for the next who asks. */
static uint32_t unclaimed(struct stave__marks *marks, uint32_t at)
{
    while (marks->next[at] != at) {
        marks->next[at] = marks->next[marks->next[at]];
        at = marks->next[at];
    }
    return at;
}

static bool is_before(const struct stave__drawn *mark, const struct stave__drawn *span)
{
    return mark->boot != span->boot ? mark->boot < span->boot : mark->start < span->start;
}

/* The first marker from `at` on that is not before a span begins. */
static uint32_t first_from(const struct stave__marks *marks, uint32_t at,
                           const struct stave__drawn *span)
{
    uint32_t end = marks->rows.count;
    while (at < end) {
        uint32_t middle = at + (end - at) / 2;
        if (is_before(&marks->rows.at[middle], span))
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

static bool holds(const struct stave__drawn *span, const struct stave__drawn *mark)
{
    return mark->boot == span->boot && mark->start >= span->start && mark->start <= span->end;
}

/* Claims what a span holds, from marker *at on: earlier ones are claimed, or before it. */
static int claim(struct stave__marks *marks, uint32_t *at, const struct stave__drawn *span,
                 struct stave__rows *of_lane, stave_error *error)
{
    const struct stave__rows *rows = &marks->rows;
    int status = STAVE_OK;
    *at = unclaimed(marks, *at);
    if (*at < rows->count && is_before(&rows->at[*at], span))
        *at = unclaimed(marks, first_from(marks, *at, span));
    while (status >= 0 && *at < rows->count && holds(span, &rows->at[*at])) {
        status = stave__rows_push(of_lane, &rows->at[*at], error);
        marks->next[*at] = *at + 1;
        *at = unclaimed(marks, *at + 1);
    }
    return status;
}

int stave__marks_claim(struct stave__marks *marks, const struct stave__rows *spans,
                       struct stave__rows *of_lane, stave_error *error)
{
    int status = STAVE_OK;
    uint32_t at = 0;
    for (uint32_t i = 0; i < spans->count && at < marks->rows.count && status >= 0; i++)
        status = claim(marks, &at, &spans->at[i], of_lane, error);
    return status;
}

int stave__marks_rest(struct stave__marks *marks, struct stave__rows *rest, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t at = unclaimed(marks, 0); at < marks->rows.count && status >= 0;
         at = unclaimed(marks, at + 1))
        status = stave__rows_push(rest, &marks->rows.at[at], error);
    return status;
}

/* ---- rows of a lane -------------------------------------------------------------------------- */

/* The innermost row whose last span still holds a time: rows of a lane are filled from the outside. */
static uint8_t innermost(const int64_t *ends, uint32_t rows, int64_t time)
{
    while (rows > 1 && ends[rows - 1] < time)
        rows--;
    return (uint8_t)(rows - (rows > 0));
}

void stave__marks_lay_out(struct stave__rows *marks, const struct stave__rows *spans)
{
    int64_t ends[STAVE__DIAGRAM_ROWS_MAX];
    uint32_t rows = 0, next = 0, boot = 0; /* rows: that have an end in this boot */
    for (uint32_t i = 0; i < marks->count; i++) {
        struct stave__drawn *mark = &marks->at[i];
        for (; next < spans->count && !is_before(mark, &spans->at[next]); next++) {
            const struct stave__drawn *span = &spans->at[next];
            if (span->boot != boot)
                rows = 0;
            boot = span->boot;
            while (rows <= span->row)
                ends[rows++] = INT64_MIN;
            if (span->end > ends[span->row])
                ends[span->row] = span->end;
        }
        mark->row = boot == mark->boot ? innermost(ends, rows, mark->start) : 0;
    }
}
