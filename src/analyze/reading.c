#include "analyze/reading.h"

#include <stdlib.h>

#define REPORT_ROWS 65536u

static uint64_t count_rows(const struct stave__reading *reading)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < reading->count; i++)
        rows += stave__entry_at(&reading->trace->blocks, reading->choices[i].index)->rows;
    return rows;
}

int stave__reading_open(struct stave__reading *reading, stave_trace *trace,
                        const stave_filter *filter, stave_progress progress, stave_error *error)
{
    *reading = (struct stave__reading){.trace = trace, .read.progress = progress};
    int status = stave__trace_select(trace, filter, &reading->choices, &reading->count, error);
    if (status >= 0)
        reading->read.total = count_rows(reading);
    return status;
}

static void let_go(struct stave__reading *reading)
{
    if (reading->pinned != NULL)
        stave__blocks_unpin(&reading->trace->blocks, reading->pinned);
    reading->pinned = NULL;
}

void stave__reading_close(struct stave__reading *reading)
{
    let_go(reading);
    free(reading->choices);
    reading->choices = NULL;
}

static bool alike(const struct stave__choice *a, const struct stave__choice *b,
                  enum stave__same same)
{
    return a->boot == b->boot && (same < STAVE__SAME_LANE || a->lane == b->lane) &&
           (same < STAVE__SAME_KIND || a->kind == b->kind);
}

uint32_t stave__reading_end(const struct stave__reading *reading, uint32_t from, uint32_t end,
                            enum stave__same same)
{
    uint32_t at = from + 1;
    while (at < end && alike(&reading->choices[from], &reading->choices[at], same))
        at++;
    return at;
}

void stave__rows_read_add(struct stave__rows_read *read, uint64_t rows)
{
    read->done += rows;
    if (read->done > read->total)
        read->total = read->done; /* something had to be read twice */
    if (read->progress.report == NULL || read->done - read->reported < REPORT_ROWS)
        return;
    read->reported = read->done;
    read->progress.report(read->progress.context, read->done, read->total);
}

int stave__reading_show(struct stave__reading *reading, uint32_t choice, stave_error *error)
{
    struct stave__blocks *blocks = &reading->trace->blocks;
    struct stave__entry *entry = stave__entry_at(blocks, reading->choices[choice].index);
    let_go(reading);
    stave__rows_read_add(&reading->read, entry->rows);
    int status = stave__blocks_pin(blocks, entry, error);
    if (status <= 0)
        return status;
    reading->pinned = entry;
    stave__entry_show(entry, 0, &reading->block);
    return 1;
}

bool stave__reading_sort_by_lane(const struct stave__reading *reading,
                                 struct stave__lane_choices *sorted)
{
    size_t lanes = stave_trace_lanes(reading->trace);
    uint32_t *at = malloc(((size_t)reading->count + 1) * sizeof *at);
    uint32_t *first = calloc(lanes + 2, sizeof *first);
    *sorted = (struct stave__lane_choices){.at = at, .first = first};
    if (at == NULL || first == NULL) {
        stave__lane_choices_free(sorted);
        return false;
    }
    for (uint32_t i = 0; i < reading->count; i++)
        first[reading->choices[i].lane + 2]++;
    for (size_t i = 1; i < lanes + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < reading->count; i++) /* each grows up to where the next one begins */
        at[first[reading->choices[i].lane + 1]++] = i;
    return true;
}

void stave__lane_choices_free(struct stave__lane_choices *sorted)
{
    free(sorted->at);
    free(sorted->first);
    *sorted = (struct stave__lane_choices){0};
}

void stave__reading_again(struct stave__reading *reading)
{
    reading->read.total += count_rows(reading);
}
