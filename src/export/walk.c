#include "export/walk.h"

#include <stdlib.h>

#include "base/error.h"
#include "export/walk_nesting.h"

/* The choices of each lane together; within it they keep their order. */
static bool sort_choices(struct stave__walk *walk)
{
    const struct stave__reading *reading = &walk->reading;
    uint32_t lanes = stave_trace_lanes(walk->trace);
    uint32_t *places = calloc((size_t)lanes + 1, sizeof *places);
    walk->choices = calloc((size_t)reading->count + 1, sizeof *walk->choices);
    if (places == NULL || walk->choices == NULL) {
        free(places);
        return false;
    }
    for (uint32_t i = 0; i < reading->count; i++)
        places[reading->choices[i].lane + 1]++;
    for (uint32_t i = 1; i <= lanes; i++)
        places[i] += places[i - 1];
    for (uint32_t i = 0; i < reading->count; i++)
        walk->choices[places[reading->choices[i].lane]++] = i;
    free(places);
    return true;
}

static bool choose_names(struct stave__walk *walk)
{
    uint32_t strings = stave_trace_strings(walk->trace);
    if (walk->config.name_counts == NULL)
        return true;
    walk->name_counts = calloc((size_t)strings + 1, sizeof *walk->name_counts);
    for (uint32_t i = 0; walk->name_counts != NULL && i < strings; i++)
        walk->name_counts[i] = walk->config.name_counts(walk->config.name_context, i);
    return walk->name_counts != NULL;
}

int stave__walk_open(struct stave__walk *walk, stave_trace *trace,
                     const stave_export_config *config, stave_error *error)
{
    stave_filter all = {0};
    *walk = (struct stave__walk){.trace = trace, .config = *config};
    int status = stave__reading_open(&walk->reading, trace, &all, config->progress, error);
    if (status < 0)
        return status;
    status = stave__timeline_open(&walk->timeline, trace, error);
    if (status < 0)
        return status;
    walk->from = config->windowed ? stave__timeline_from_us(&walk->timeline, config->from_us) : 0;
    walk->from = walk->from > 0 ? walk->from : 0;
    walk->to =
        config->windowed ? stave__timeline_from_us(&walk->timeline, config->to_us) : STAVE__NS_MAX;
    walk->rows = stave__lane_rows_new(config->temporary_dir);
    walk->nesting = stave__nesting_new(config->temporary_dir);
    if (walk->rows == NULL || walk->nesting == NULL || !sort_choices(walk) || !choose_names(walk))
        return stave__fail_memory(error);
    return STAVE_OK;
}

void stave__walk_close(struct stave__walk *walk)
{
    stave__nesting_free(walk->nesting);
    stave__lane_rows_free(walk->rows);
    stave__timeline_close(&walk->timeline);
    stave__reading_close(&walk->reading);
    free(walk->choices);
    free(walk->name_counts);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static void count_moment(stave_export_counts *counts, const struct stave__moment *moment)
{
    counts->marks += moment->kind == STAVE_MARKS;
    counts->counters += moment->kind == STAVE_COUNTERS;
    counts->gaps += moment->kind == STAVE_GAPS;
    counts->doubts += moment->kind == STAVE_DOUBTS;
    if (moment->kind == STAVE_GAPS)
        counts->lost += moment->value;
}

static int run_moments(struct stave__walk *walk, stave_error *error)
{
    struct stave__sorter *moments = &walk->rows->moments;
    const struct stave__moment *moment;
    int status = STAVE_OK;
    while (status >= 0 && (moment = stave__sorter_next(moments, error)) != NULL) {
        count_moment(&walk->counts, moment);
        if (walk->visitor->moment == NULL)
            walk->counts.left_out++;
        else
            status = walk->visitor->moment(walk->state, walk->rows->lane, moment);
    }
    return status < 0 ? status : moments->status;
}

static bool has_something(const struct stave__lane_rows *rows)
{
    return rows->spans.count + rows->entries.count + rows->moments.count > 0;
}

static int tell_lane(const struct stave__walk *walk, int (*visit)(void *state, uint32_t lane))
{
    return visit != NULL ? visit(walk->state, walk->rows->lane) : STAVE_OK;
}

static int run_lane(struct stave__walk *walk, uint32_t from, uint32_t end, stave_error *error)
{
    int status = stave__lane_rows_collect(walk, from, end, error);
    if (status < 0 || !has_something(walk->rows))
        return status;
    walk->counts.lanes++;
    status = tell_lane(walk, walk->visitor->lane);
    if (status >= 0)
        status = stave__nesting_run(walk, error);
    if (status >= 0)
        status = run_moments(walk, error);
    return status < 0 ? status : tell_lane(walk, walk->visitor->lane_end);
}

static int run_lanes(struct stave__walk *walk, stave_error *error)
{
    int status = STAVE_OK;
    uint32_t end;
    for (uint32_t from = 0; from < walk->reading.count && status >= 0; from = end) {
        uint32_t lane = stave__lane_rows_lane(walk, from);
        end = from + 1;
        while (end < walk->reading.count && stave__lane_rows_lane(walk, end) == lane)
            end++;
        walk->losses_alone = walk->config.lane_counts != NULL &&
                             !walk->config.lane_counts(walk->config.lane_context, lane);
        status = run_lane(walk, from, end, error);
    }
    return status;
}

int stave__walk_run(struct stave__walk *walk, const struct stave__visitor *visitor, void *state,
                    stave_error *error)
{
    walk->visitor = visitor;
    walk->state = state;
    walk->counts = (stave_export_counts){.start_us = walk->timeline.start_us};
    int status = STAVE_OK;
    if ((visitor->wants & STAVE__WANTS_LINKS) != 0)
        status = stave__lane_rows_find_links(walk, error);
    if (status >= 0 && visitor->begin != NULL)
        status = visitor->begin(state, walk);
    if (status >= 0)
        status = run_lanes(walk, error);
    if (status >= 0 && visitor->end != NULL)
        status = visitor->end(state);
    if (status == STAVE_E_MEMORY)
        return stave__fail_memory(error);
    return status < 0 ? status : STAVE_OK;
}
