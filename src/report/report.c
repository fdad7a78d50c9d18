#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "report/room.h"

/* ---- making ---------------------------------------------------------------------------------- */

static void begin_run(struct stave__making *making, uint32_t index)
{
    const struct stave__model *model = making->model;
    const struct stave__strings *texts = &making->report->texts;
    const struct stave__laid_run *laid = &making->layout.runs[index];
    const struct stave__model_row *row = laid->row != STAVE_NONE ? &model->rows[laid->row] : NULL;
    making->report->runs[index] = (stave_report_run){
        .name = row != NULL ? stave__strings_text(texts, row->name, NULL) : "",
        .id = row != NULL && row->note != STAVE_NONE ? stave__strings_text(texts, row->note, NULL)
                                                     : NULL,
        .lane = laid->lane,
        .serial = laid->serial,
        .start_ns = (double)(laid->start - model->origin) * model->unit_ns,
        .end_ns = (double)(laid->end - model->origin) * model->unit_ns,
        .is_unfinished = row != NULL && (row->flags & STAVE_FLAGS_END_UNKNOWN) != 0,
    };
}

bool stave__make_runs(struct stave__making *making)
{
    stave_report *report = making->report;
    report->runs_count = making->layout.runs_count;
    report->runs = calloc((size_t)report->runs_count + 1, sizeof *report->runs);
    if (report->runs == NULL)
        return false;
    for (uint32_t i = 0; i < report->runs_count; i++)
        begin_run(making, i);
    for (uint32_t i = 0; i < report->nodes_count; i++) {
        const stave_report_node *node = &report->nodes[i];
        stave_report_run *run = &report->runs[node->run];
        run->evaluations += node->rule != STAVE_NONE;
        run->skipped += node->rule != STAVE_NONE && node->outcome == STAVE_SKIPPED;
        run->busy_ns += node->self_ns;
    }
    return true;
}

/* From here on rows name the graph's rules. */
static void name_rules(struct stave__making *making)
{
    struct stave__model *model = making->model;
    const uint32_t *declared = making->report->graph.declared;
    for (uint32_t i = 0; i < model->count; i++)
        if (model->rows[i].kind == STAVE__EVALUATION)
            model->rows[i].rule = declared[model->rows[i].rule];
    for (uint32_t i = 0; i < model->summed_count; i++)
        model->summed[i].rule = declared[model->summed[i].rule];
}

static int lay_out(struct stave__making *making, stave_error *error)
{
    struct stave__layout *layout = &making->layout;
    layout->model = making->model;
    layout->graph = &making->report->graph;
    int status = stave__model_sort(making->model, error);
    if (status >= 0)
        status = stave__layout_enclose(layout, error);
    if (status >= 0)
        status = stave__layout_run(layout, error);
    if (status >= 0)
        status = stave__layout_place(layout, error);
    return status >= 0 ? stave__layout_cut(layout, error) : status;
}

/* Texts and names of lanes go over to the report. */
static void take_over(struct stave__making *making)
{
    stave_report *report = making->report;
    report->texts = making->model->texts;
    report->lanes = making->model->lanes;
    report->lanes_count = making->model->lanes_count;
    report->lost = making->model->lost;
    report->session = making->model->session;
    making->model->texts = (struct stave__strings){0};
    making->model->lanes = NULL;
}

static int make(struct stave__making *making, stave_error *error)
{
    stave_report *report = making->report;
    take_over(making);
    int status = stave__graph_make(&report->graph, &report->texts, &making->model->declared, error);
    if (status < 0)
        return status;
    name_rules(making);
    status = lay_out(making, error);
    if (status < 0)
        return status;
    report->lost.unplaced = making->layout.unplaced;
    report->lost.circles = making->layout.circles;
    if (stave__make_nodes(making) && stave__make_sums(making) && stave__make_runs(making) &&
        stave__make_critical(making) && stave__make_stats(making))
        return STAVE_OK;
    return stave__fail_memory(error);
}

int stave__report_make(struct stave__model *model, stave_report **report, stave_error *error)
{
    struct stave__making making = {.report = calloc(1, sizeof **report), .model = model};
    int status = making.report != NULL ? make(&making, error) : stave__fail_memory(error);
    stave__layout_free(&making.layout);
    stave__model_free(model);
    free(making.node);
    free(making.row);
    if (status >= 0)
        *report = making.report;
    else
        stave_report_free(making.report);
    return status;
}

void stave_report_free(stave_report *report)
{
    if (report == NULL)
        return;
    stave__strings_free(&report->texts);
    stave__graph_free(&report->graph);
    free(report->nodes);
    free(report->links_at);
    free(report->links);
    free(report->rules);
    free(report->shown);
    free(report->runs);
    free(report->critical);
    free(report->lanes);
    free(report);
}

/* ---- what it shows --------------------------------------------------------------------------- */

uint64_t stave_report_session(const stave_report *report)
{
    return report->session;
}

size_t stave_report_rule_count(const stave_report *report)
{
    return report->graph.count;
}

const stave_rule_stats *stave_report_rule_at(const stave_report *report, size_t index)
{
    return index < report->graph.count ? &report->rules[index] : NULL;
}

const stave_rule_stats *stave_report_rule_by_id(const stave_report *report, const char *id)
{
    uint32_t low = 0, high = report->graph.count, text;
    size_t size = id != NULL ? strnlen(id, STAVE_TEXT_MAX) : 0; /* as it is captured */
    if (!stave__strings_find(&report->texts, id != NULL ? id : "", size, &text))
        return NULL;
    id = stave__strings_text(&report->texts, text, NULL);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const char *other =
            stave__strings_text(&report->texts, report->graph.rules[middle].id, NULL);
        if (strcmp(other, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low < report->graph.count && report->graph.rules[low].id == text;
    return is_there ? &report->rules[report->shown[low]] : NULL;
}

uint32_t stave_report_node_count(const stave_report *report)
{
    return report->nodes_count;
}

const stave_report_node *stave_report_node_at(const stave_report *report, uint32_t index)
{
    return index < report->nodes_count ? &report->nodes[index] : NULL;
}

const char *stave_outcome_text(uint32_t outcome)
{
    static const char *const texts[] = {
        [STAVE_DONE] = "done",     [STAVE_FAILED] = "failed",       [STAVE_SKIPPED] = "skipped",
        [STAVE_CACHED] = "cached", [STAVE_CANCELLED] = "cancelled", [STAVE_TIMED_OUT] = "timed out",
    };
    return outcome < sizeof texts / sizeof texts[0] ? texts[outcome] : "unknown outcome";
}

const uint32_t *stave_report_links(const stave_report *report, uint32_t index, uint32_t *count)
{
    bool is_there = index < report->nodes_count;
    *count = is_there ? report->links_at[index + 1] - report->links_at[index] : 0;
    return *count > 0 ? report->links + report->links_at[index] : NULL;
}

uint32_t stave_report_lane_count(const stave_report *report)
{
    return report->lanes_count;
}

const char *stave_report_lane_name(const stave_report *report, uint32_t lane)
{
    return lane < report->lanes_count
               ? stave__strings_text(&report->texts, report->lanes[lane], NULL)
               : "";
}

uint32_t stave_report_run_count(const stave_report *report)
{
    return report->runs_count;
}

const stave_report_run *stave_report_run_at(const stave_report *report, uint32_t index)
{
    return index < report->runs_count ? &report->runs[index] : NULL;
}

uint32_t stave_report_cycle_count(const stave_report *report)
{
    return report->graph.cycles_count;
}

uint32_t stave_report_cycle_at(const stave_report *report, uint32_t index, uint32_t *rules,
                               uint32_t max)
{
    if (index >= report->graph.cycles_count)
        return 0;
    uint32_t count = stave__graph_cycle(&report->graph, index, rules, max);
    for (uint32_t i = 0; i < count && i < max; i++)
        rules[i] = report->shown[rules[i]];
    return count;
}

void stave_report_lost_of_sized(const stave_report *report, stave_report_lost *lost,
                                size_t lost_size)
{
    stave__config_give(lost, lost_size, &report->lost, sizeof report->lost);
}
