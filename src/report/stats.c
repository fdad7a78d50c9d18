/* The rows of rules. */
#include <math.h>
#include <stdlib.h>

#include "report/report.h"
#include "report/room.h"

struct adding {
    struct stave__making *making;
    stave_rule_stats *stats; /* of the graph's rules */
    double *sums;            /* of each rule its durations */
    double *durations;       /* rule after rule */
    uint32_t *at;            /* of each rule where they begin, and one more */
    uint32_t *open;          /* of each rule how many of it are around the node at hand */
};

/* ---- counts ---------------------------------------------------------------------------------- */

static uint64_t *outcome_of(stave_rule_stats *stats, uint32_t outcome)
{
    switch (outcome) {
    case STAVE_FAILED:
        return &stats->failed;
    case STAVE_CACHED:
        return &stats->cached;
    case STAVE_CANCELLED:
        return &stats->cancelled;
    case STAVE_TIMED_OUT:
        return &stats->timed_out;
    default:
        return NULL;
    }
}

static bool is_unfinished(const struct stave__model_row *row)
{
    return (row->flags & STAVE_FLAGS_END_UNKNOWN) != 0;
}

/* Whether its duration says how long the rule takes. */
static bool is_timed(const struct stave__model_row *row)
{
    return row->outcome != STAVE_SKIPPED && row->outcome != STAVE_CACHED && !is_unfinished(row);
}

static void count(struct adding *a, uint32_t at)
{
    const struct stave__model_row *row = &a->making->model->rows[at];
    stave_rule_stats *stats = &a->stats[row->rule];
    uint64_t *outcome = outcome_of(stats, row->outcome);
    stats->missing += a->making->layout.is_missing[at];
    stats->timed += is_timed(row);
    if (row->outcome == STAVE_SKIPPED) {
        stats->skipped++;
        return;
    }
    stats->calls++;
    stats->unfinished += is_unfinished(row);
    if (outcome != NULL)
        ++*outcome;
}

/* ---- durations ------------------------------------------------------------------------------- */

/* Rows are in the order of their starts: what comes first began first. */
static void list_durations(struct adding *a)
{
    const struct stave__making *making = a->making;
    uint32_t rules = making->report->graph.count;
    for (uint32_t i = 0; i < rules; i++)
        a->at[i] = (uint32_t)a->stats[i].timed;
    stave__room_begin(a->at, rules);
    for (uint32_t i = 0; i < making->model->count; i++) {
        const struct stave__model_row *row = &making->model->rows[i];
        if (!stave__is_evaluation(&making->layout, i) || !is_timed(row))
            continue;
        double ns = (double)(row->end - row->start) * making->model->unit_ns;
        a->sums[row->rule] += ns;
        a->durations[a->at[row->rule]++] = ns;
    }
    for (uint32_t i = rules; i-- > 0;)
        a->at[i + 1] = a->at[i];
    a->at[0] = 0;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least that `percent` % of them do not exceed. */
static double percentile(const double *sorted, uint64_t count, uint64_t percent)
{
    return sorted[(count * percent + 99) / 100 - 1];
}

static void measure(struct adding *a, uint32_t rule)
{
    stave_rule_stats *stats = &a->stats[rule];
    double *durations = a->durations + a->at[rule];
    uint64_t timed = stats->timed;
    double unknown = (double)NAN;
    stats->first_ns = stats->min_ns = stats->mean_ns = stats->median_ns = unknown;
    stats->p99_ns = stats->max_ns = unknown;
    if (timed == 0)
        return;
    stats->first_ns = durations[0];
    qsort(durations, timed, sizeof *durations, compare_doubles);
    stats->min_ns = durations[0];
    stats->mean_ns = a->sums[rule] / (double)timed;
    stats->median_ns = percentile(durations, timed, 50);
    stats->p99_ns = percentile(durations, timed, 99);
    stats->max_ns = durations[timed - 1];
}

/* ---- sums over nodes ------------------------------------------------------------------------- */

static void enter(struct adding *a, const stave_report_node *node)
{
    if (node->rule == STAVE_NONE)
        return;
    stave_rule_stats *stats = &a->stats[node->rule];
    stats->self_ns += node->self_ns;
    stats->critical += node->is_critical;
    if (a->open[node->rule]++ > 0)
        return;
    stats->total_ns += node->total_ns;
    stats->busy_ns += node->busy_ns;
}

static void leave(struct adding *a, const stave_report_node *node)
{
    if (node->rule != STAVE_NONE)
        a->open[node->rule]--;
}

/* Each node is followed by all that is below it: the way back up to its parent leaves the others. */
static void add_nodes(struct adding *a)
{
    const stave_report *report = a->making->report;
    uint32_t around = STAVE_NONE;
    for (uint32_t i = 0; i < report->nodes_count; i++) {
        for (; around != report->nodes[i].parent; around = report->nodes[around].parent)
            leave(a, &report->nodes[around]);
        enter(a, &report->nodes[i]);
        around = i;
    }
}

/* ---- what was counted elsewhere -------------------------------------------------------------- */

static double lesser(double a, double b)
{
    return isnan(a) || b < a ? b : a;
}

static double greater(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

/* Whose total is not known is not in the mean. */
static void add_times(struct adding *a, const struct stave__summed *summed, double ns)
{
    stave_rule_stats *stats = &a->stats[summed->rule];
    double self = isnan(summed->self) ? summed->total : summed->self;
    if (!isnan(self))
        stats->self_ns += self * ns;
    if (isnan(stats->first_ns))
        stats->first_ns = summed->first * ns;
    stats->min_ns = lesser(stats->min_ns, summed->least * ns);
    stats->max_ns = greater(stats->max_ns, summed->most * ns);
    if (isnan(summed->total))
        return;
    stats->total_ns += summed->total * ns;
    stats->busy_ns += summed->total * ns;
    stats->timed += summed->calls - summed->cached;
    a->sums[summed->rule] += summed->total * ns;
    if (stats->timed > 0)
        stats->mean_ns = a->sums[summed->rule] / (double)stats->timed;
}

static void add_summed(struct adding *a, const struct stave__summed *summed)
{
    stave_rule_stats *stats = &a->stats[summed->rule];
    stats->calls += summed->calls;
    stats->summed += summed->calls;
    stats->failed += summed->failed;
    stats->skipped += summed->skipped;
    stats->cached += summed->cached;
    stats->cancelled += summed->cancelled;
    stats->timed_out += summed->timed_out;
    add_times(a, summed, a->making->model->unit_ns);
}

/* ---- the order in which they are shown ------------------------------------------------------- */

struct ranked {
    double self_ns, total_ns;
    uint32_t rule; /* which are by id */
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->self_ns != y->self_ns)
        return x->self_ns > y->self_ns ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return (x->rule > y->rule) - (x->rule < y->rule);
}

static void show(struct adding *a, struct ranked *ranked)
{
    stave_report *report = a->making->report;
    for (uint32_t i = 0; i < report->graph.count; i++)
        ranked[i] = (struct ranked){a->stats[i].self_ns, a->stats[i].total_ns, i};
    qsort(ranked, report->graph.count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < report->graph.count; i++) {
        report->rules[i] = a->stats[ranked[i].rule];
        report->shown[ranked[i].rule] = i;
    }
    for (uint32_t i = 0; i < report->nodes_count; i++)
        if (report->nodes[i].rule != STAVE_NONE)
            report->nodes[i].rule = report->shown[report->nodes[i].rule];
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void describe(struct adding *a, uint32_t rule)
{
    const stave_report *report = a->making->report;
    const struct stave__graph_rule *known = &report->graph.rules[rule];
    a->stats[rule].id = stave__strings_text(&report->texts, known->id, NULL);
    a->stats[rule].description = stave__strings_text(&report->texts, known->description, NULL);
    a->stats[rule].is_known = known->is_known;
}

static void add_all(struct adding *a)
{
    const struct stave__making *making = a->making;
    for (uint32_t i = 0; i < making->report->graph.count; i++)
        describe(a, i);
    for (uint32_t i = 0; i < making->model->count; i++)
        if (stave__is_evaluation(&making->layout, i))
            count(a, i);
    list_durations(a);
    for (uint32_t i = 0; i < making->report->graph.count; i++)
        measure(a, i);
    add_nodes(a);
    for (uint32_t i = 0; i < making->model->summed_count; i++)
        add_summed(a, &making->model->summed[i]);
}

bool stave__make_stats(struct stave__making *making)
{
    struct adding a = {.making = making};
    stave_report *report = making->report;
    size_t rules = report->graph.count;
    struct ranked *ranked = malloc((rules + 1) * sizeof *ranked);
    report->rules = malloc((rules + 1) * sizeof *report->rules);
    a.stats = calloc(rules + 1, sizeof *a.stats);
    a.sums = calloc(rules + 1, sizeof *a.sums);
    a.durations = malloc(((size_t)making->model->count + 1) * sizeof *a.durations);
    bool done = ranked != NULL && report->rules != NULL && a.stats != NULL && a.sums != NULL &&
                a.durations != NULL && stave__room(&a.at, rules + 1) &&
                stave__room(&a.open, rules) && stave__room(&report->shown, rules);
    if (done) {
        add_all(&a);
        show(&a, ranked);
    }
    free(ranked);
    free(a.stats);
    free(a.sums);
    free(a.durations);
    free(a.at);
    free(a.open);
    return done;
}
