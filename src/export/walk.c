#include "export/walk.h"

#include <stdlib.h>

#include "base/error.h"
#include "export/walk_nesting.h"

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
    if (walk->rows == NULL || walk->nesting == NULL ||
        !stave__reading_sort_by_lane(&walk->reading, &walk->choices) || !choose_names(walk))
        return stave__fail_memory(error);
    return STAVE_OK;
}

void stave__walk_close(struct stave__walk *walk)
{
    stave__nesting_free(walk->nesting);
    stave__lane_rows_free(walk->rows);
    stave__timeline_close(&walk->timeline);
    stave__reading_close(&walk->reading);
    stave__lane_choices_free(&walk->choices);
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

static int run_lane(struct stave__walk *walk, uint32_t lane, stave_error *error)
{
    walk->losses_alone = walk->config.lane_counts != NULL &&
                         !walk->config.lane_counts(walk->config.lane_context, lane);
    int status = stave__lane_rows_collect(walk, lane, error);
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
    const uint32_t *first = walk->choices.first;
    uint32_t lanes = stave_trace_lanes(walk->trace);
    int status = STAVE_OK;
    for (uint32_t lane = 0; lane < lanes && status >= 0; lane++)
        if (first[lane] < first[lane + 1])
            status = run_lane(walk, lane, error);
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
