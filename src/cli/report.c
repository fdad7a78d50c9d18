/* stave report: the roll-up, a row for each name; of a file with rules, a row for each rule. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/contents.h"
#include "cli/input.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/rollup.h"
#include "cli/rules.h"
#include "cli/times.h"

static const char *from_text, *to_text, *lane_pattern, *name_pattern, *session_text, *limit_text;
static bool as_json, strict, spans;

static const struct cli_option options[] = {
    {"--from", "T", &from_text, NULL, "from this time on, such as 1.5ms (ns, us, ms, s, min)"},
    {"--to", "T", &to_text, NULL, "up to this time"},
    {"--lane", "NAME", &lane_pattern, NULL, "only calls on lanes of this name; a shell pattern"},
    {"--name", "NAME", &name_pattern, NULL, "only rows of this name; a shell pattern"},
    {"--limit", "N", &limit_text, NULL, "the first N rows, and how many more there are"},
    {"--spans", NULL, NULL, &spans, "the spans of a file that has rules, and not these"},
    {"--session", "N", &session_text, NULL, "of rules: only what session N captured"},
    {"--json", NULL, NULL, &as_json, "as JSON, times in whole nanoseconds"},
    {"--strict", NULL, NULL, &strict, "exit with 1 if anything was lost, is damaged or cut off"},
    {0},
};

static uint64_t session, limit; /* 0: none */

/* ---- which lanes ----------------------------------------------------------------------------- */

static bool lane_counts(void *context, uint32_t lane)
{
    const struct cli_report *report = context;
    return report->lanes[lane];
}

static bool choose_lanes(struct cli_report *report)
{
    const stave_trace *trace = report->trace->trace;
    uint32_t lanes = stave_trace_lanes(trace);
    bool any = lane_pattern == NULL;
    report->lanes = calloc((size_t)lanes + 1, sizeof *report->lanes);
    if (report->lanes == NULL) {
        cli_message("out of memory");
        return false;
    }
    for (uint32_t i = 0; i < lanes; i++) {
        report->lanes[i] = cli_name_matches(trace, stave_trace_lane(trace, i)->name, lane_pattern);
        any = any || report->lanes[i];
    }
    if (!any)
        cli_message("%s: no lane has a name like %s; `stave ls` lists them", report->trace->name,
                    lane_pattern);
    report->no_lane = !any;
    return true;
}

/* ---- which rows ------------------------------------------------------------------------------ */

/* The worst is what took longest to be recorded: what was called most often. */
static int compare_costly(const void *a, const void *b)
{
    const stave_rollup_row *x = *(const stave_rollup_row *const *)a;
    const stave_rollup_row *y = *(const stave_rollup_row *const *)b;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return (x > y) - (x < y); /* as the rows stand */
}

static void choose_row(struct cli_report *report, const stave_rollup_row *row)
{
    if (limit != 0 && report->rows_count == limit) {
        report->rows_more++;
        return;
    }
    report->rows[report->rows_count++] = row;
    if (row->costly)
        report->costly[report->costly_count++] = row;
}

static bool choose_rows(struct cli_report *report)
{
    const stave_trace *trace = report->trace->trace;
    uint32_t rows = stave_rollup_rows(report->rollup);
    uint32_t counters = stave_rollup_counters(report->rollup);
    report->rows = calloc((size_t)rows + 1, sizeof(stave_rollup_row *));
    report->costly = calloc((size_t)rows + 1, sizeof(stave_rollup_row *));
    report->counters = calloc((size_t)counters + 1, sizeof(stave_rollup_counter *));
    if (report->rows == NULL || report->costly == NULL || report->counters == NULL) {
        cli_message("out of memory");
        return false;
    }
    for (uint32_t i = 0; i < rows; i++) {
        const stave_rollup_row *row = stave_rollup_row_at(report->rollup, i);
        if (cli_name_matches(trace, row->name, name_pattern))
            choose_row(report, row);
    }
    qsort(report->costly, report->costly_count, sizeof(stave_rollup_row *), compare_costly);
    for (uint32_t i = 0; i < counters; i++) {
        const stave_rollup_counter *row = stave_rollup_counter_at(report->rollup, i);
        if (report->lanes[row->lane] && cli_name_matches(trace, row->name, name_pattern))
            report->counters[report->counters_count++] = row;
    }
    return true;
}

/* What is missing for an answer; false when nothing is. */
static bool explain_nothing(const struct cli_report *report)
{
    const char *name = report->trace->name;
    if (report->rows_count + report->counters_count > 0)
        return false;
    if (report->no_lane)
        return true; /* it is said */
    if (stave_rollup_rows(report->rollup) > 0)
        cli_message("%s: no call has a name like %s", name, name_pattern);
    else if (report->windowed || lane_pattern != NULL)
        cli_message("%s: no calls there", name);
    else
        cli_message("%s: no calls in it", name);
    return true;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int roll_up(struct cli_report *report, stave_error *error)
{
    stave_rollup_config config = {
        .windowed = report->windowed,
        .from_us = report->from_us,
        .to_us = report->to_us,
        .lane_counts = lane_pattern != NULL ? lane_counts : NULL,
        .lane_context = report,
        .progress = cli_progress_report(),
    };
    cli_progress_begin("reading", report->trace->name);
    int status = stave_rollup_new(report->trace->trace, &config, &report->rollup, error);
    cli_progress_end();
    return status;
}

/* The window as far as it is said; the sides that are not are the trace's. False after a message. */
static bool choose_window(struct cli_report *report)
{
    report->windowed = from_text != NULL || to_text != NULL;
    report->from_us = report->contents.range.from_us;
    report->to_us = report->contents.range.to_us;
    if (!cli_window_parse(from_text, to_text, &report->from_us, &report->to_us))
        return false;
    if (report->from_us > report->to_us && from_text != NULL)
        report->to_us = report->from_us;
    else if (report->from_us > report->to_us)
        report->from_us = report->to_us;
    return true;
}

static int show(struct cli_report *report, stave_error *error)
{
    stave_trace *trace = report->trace->trace;
    int status = cli_contents_read(trace, &report->contents, NULL, error);
    if (status >= 0 && (!choose_window(report) || !choose_lanes(report)))
        return CLI_MISUSE;
    if (status >= 0)
        status = roll_up(report, error);
    if (status < 0) {
        cli_message("%s: %s", report->trace->name, error->message);
        return CLI_MISUSE;
    }
    if (!choose_rows(report))
        return CLI_MISUSE;
    bool nothing = explain_nothing(report);
    if (as_json)
        cli_report_json(report);
    else if (!nothing)
        cli_report_print(report);
    return nothing ? CLI_NO : CLI_DONE;
}

static int use_rules(const struct cli_trace *trace)
{
    struct cli_rules rules = {
        .trace = trace, .session = session, .name_pattern = name_pattern, .limit = limit};
    if (!cli_rules_allow(trace, "--from", from_text, true) ||
        !cli_rules_allow(trace, "--to", to_text, true) ||
        !cli_rules_allow(trace, "--lane", lane_pattern, true))
        return CLI_MISUSE;
    return cli_rules_use(&rules, as_json ? cli_rules_json : cli_rules_print);
}

static int use(const struct cli_trace *trace, const char *path)
{
    (void)path;
    stave_error error = {0};
    if (cli_rules_are_shown(trace, spans))
        return use_rules(trace);
    if (!cli_rules_allow(trace, "--session", session_text, false))
        return CLI_MISUSE;
    struct cli_report report = {.trace = trace};
    int exit_status = show(&report, &error);
    stave_rollup_free(report.rollup);
    free(report.lanes);
    free(report.rows);
    free(report.costly);
    free(report.counters);
    return exit_status;
}

static int run(int operands_count, char **operands)
{
    (void)operands_count;
    double from_us = 0, to_us = 0;
    if (!cli_window_parse(from_text, to_text, &from_us, &to_us) || /* before a long work */
        !cli_session_parse(session_text, &session) ||
        (limit_text != NULL && !cli_number_parse("--limit", limit_text, 1, UINT64_MAX, &limit)))
        return CLI_MISUSE;
    return cli_trace_run(operands[0], &(struct cli_opening){.strict = strict}, use);
}

const struct cli_command cli_report = {
    .name = "report",
    .operands = "FILE|-",
    .summary = "Roll up the calls of each name or rule: how many, how long, how slow at worst",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
