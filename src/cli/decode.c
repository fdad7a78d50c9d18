/* stave decode: a recording to a .stave file, a CSV, its counters, a summary of its lanes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/json.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/save.h"
#include "cli/table.h"
#include "stave/analyze.h"

#define STATS_SCHEMA "stave.decode.stats/1"

static const char *csv_path;
static const char *stave_path;
static const char *stats_form;
static bool strict;

static const struct cli_option options[] = {
    {"-o", "FILE", &stave_path, NULL, "write the trace as a .stave file"},
    {"--csv", "FILE", &csv_path, NULL, "write the trace as CSV to FILE, - for standard output"},
    {"--stats", "json", &stats_form, NULL,
     "print the decoder's counters (to standard error with --csv -)"},
    {"--strict", NULL, NULL, &strict,
     "exit with 1 if anything was lost, skipped, unresolved or untimed"},
    {0},
};

/* ---- counters -------------------------------------------------------------------------------- */

static void print_stats(FILE *to, const stave_decode_stats *s)
{
    struct cli_json json = {.to = to};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", STATS_SCHEMA, strlen(STATS_SCHEMA));
    cli_json_u64(&json, "wire_version", s->wire_version);
#define PUT_COUNTER(name, text) cli_json_u64(&json, #name, s->name);
    STAVE_DECODE_COUNTERS(PUT_COUNTER)
#undef PUT_COUNTER
    cli_json_double(&json, "time_uncertain_us", s->time_uncertain_us);
    cli_json_u64(&json, "first_damage", s->first_damage);
    const char *text = s->damage_text != NULL ? s->damage_text : "";
    cli_json_text(&json, "damage_text", text, strlen(text));
    cli_json_close(&json);
}

/* ---- the summary of lanes -------------------------------------------------------------------- */

struct lane_row {
    const stave_lane *lane;
    const stave_lane_summary *summary;
    uint32_t index;
};

/* ISRs above tasks, what has only markers below; then by priority, then by first appearance. */
static int compare_lanes(const void *a, const void *b)
{
    const struct lane_row *x = a, *y = b;
    bool x_spans = x->summary->spans != 0, y_spans = y->summary->spans != 0;
    if (x_spans != y_spans)
        return x_spans ? -1 : 1;
    if (x->lane->kind != y->lane->kind)
        return x->lane->kind > y->lane->kind ? -1 : 1;
    if (x->lane->priority != y->lane->priority)
        return x->lane->priority > y->lane->priority ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static const char *kind_text(const struct lane_row *row)
{
    if (row->summary->spans == 0)
        return "marker";
    return cli_lane_kind_text(row->lane->kind);
}

static void add_duration(struct cli_table *table, const struct lane_row *row, double us)
{
    bool any = row->summary->spans > row->summary->interrupted;
    cli_table_number(table, any ? "%.3f" : "", us);
}

static void add_row(struct cli_table *table, const stave_trace *trace, const struct lane_row *row)
{
    const stave_lane_summary *s = row->summary;
    const char *kind = kind_text(row);
    size_t size;
    const char *name = stave_trace_string(trace, row->lane->name, &size);
    cli_table_text(table, name, size);
    cli_table_text(table, kind, strlen(kind));
    cli_table_number(table, "%" PRIu32, row->lane->priority);
    cli_table_number(table, "%" PRIu64, s->spans);
    add_duration(table, row, s->min_us);
    add_duration(table, row, s->mean_us);
    add_duration(table, row, s->max_us);
    add_duration(table, row, s->total_us);
    cli_table_number(table, s->checked > 0 ? "%" PRIu64 : "", s->missed);
    cli_table_number(table, "%" PRIu64, s->interrupted);
    cli_table_number(table, "%" PRIu64, s->marks);
}

static void print_lanes(const stave_trace *trace, const struct lane_row *rows, size_t count)
{
    static const struct cli_column columns[] = {
        {"lane", false, 0},  {"kind", false, 0},   {"prio", true, 2},    {"spans", true, 0},
        {"min us", true, 1}, {"mean us", true, 0}, {"max us", true, 0},  {"total us", true, 0},
        {"missed", true, 0}, {"cut", true, 0},     {"markers", true, 0},
    };
    struct cli_table table;
    cli_table_begin(&table, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < count; i++)
        add_row(&table, trace, &rows[i]);
    cli_table_print(&table, stdout);
}

/* Lanes that have something to show. */
static size_t collect_lanes(const stave_trace *trace, const stave_lane_summary *summaries,
                            struct lane_row *rows)
{
    size_t count = 0;
    for (uint32_t i = 0; i < stave_trace_lanes(trace); i++) {
        const stave_lane *lane = stave_trace_lane(trace, i);
        if (lane->kind != STAVE_LANE_DEVICE && summaries[i].spans + summaries[i].marks > 0)
            rows[count++] = (struct lane_row){.lane = lane, .summary = &summaries[i], .index = i};
    }
    qsort(rows, count, sizeof *rows, compare_lanes);
    return count;
}

static double end_us(const stave_trace *trace)
{
    uint32_t boots = stave_trace_boots(trace);
    return boots > 0 ? stave_trace_boot(trace, boots - 1)->end_us : 0;
}

static void print_totals(const struct cli_trace *trace)
{
    const stave_decode_stats *s = &trace->stats;
    putchar('\n');
    cli_text_print(stdout, trace->name, strlen(trace->name));
    printf(": %" PRIu64 " spans, %" PRIu64 " markers, %" PRIu64 " gaps (%" PRIu64
           " %s lost), %" PRIu64 " restarts, up to %.6f s\n",
           s->spans, s->markers, s->gaps, s->frames_lost, trace->decoded ? "frames" : "events",
           s->resets, end_us(trace->trace) / 1e6);
}

static int print_summary(const struct cli_trace *trace)
{
    stave_error error = {0};
    uint32_t lanes = stave_trace_lanes(trace->trace);
    stave_lane_summary *summaries = calloc(lanes, sizeof *summaries);
    struct lane_row *rows = calloc(lanes, sizeof *rows);
    int exit_status = CLI_MISUSE;
    if (summaries == NULL || rows == NULL) {
        cli_message("out of memory");
    } else if (stave_summarize_lanes(trace->trace, summaries, lanes, &error) < 0) {
        cli_message("%s: %s", trace->name, error.message);
    } else {
        print_lanes(trace->trace, rows, collect_lanes(trace->trace, summaries, rows));
        print_totals(trace);
        exit_status = CLI_DONE;
    }
    free(summaries);
    free(rows);
    return exit_status;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* It is written already. */
static int look_at_grown(struct cli_output *output)
{
    output->regular = true;
    output->bytes = stave__os_size_of(output->path);
    return CLI_DONE;
}

static int save_stave(const struct cli_trace *trace)
{
    struct cli_output output = {
        .path = stave_path, .what = "the .stave file", .input = &trace->input, .binary = true};
    int exit_status =
        trace->growing_into != NULL ? look_at_grown(&output) : cli_save(&output, trace->trace, 0);
    if (output.regular && stats_form == NULL)
        cli_save_print(&output, trace->trace);
    return exit_status;
}

/* What is asked for, in turn; the first that fails says what it exits with. */
static int show(const struct cli_trace *trace, const char *path)
{
    (void)path;
    int exit_status = CLI_DONE;
    bool to_stdout = (csv_path != NULL && cli_is_stdout(csv_path)) ||
                     (stave_path != NULL && cli_is_stdout(stave_path));
    if (stave_path != NULL)
        exit_status = save_stave(trace);
    if (csv_path != NULL && exit_status == CLI_DONE)
        exit_status = cli_csv_save(trace, csv_path, stats_form == NULL && !to_stdout);
    if (stats_form != NULL)
        print_stats(to_stdout ? stderr : stdout, &trace->stats);
    if (stave_path == NULL && csv_path == NULL && stats_form == NULL)
        exit_status = print_summary(trace);
    return exit_status;
}

static int run(int operands_count, char **operands)
{
    (void)operands_count;
    if (stats_form != NULL && strcmp(stats_form, "json") != 0) {
        cli_message("--stats %s: only json is known", stats_form);
        return CLI_MISUSE;
    }
    if (stave_path != NULL && csv_path != NULL &&
        (strcmp(stave_path, csv_path) == 0 ||
         (cli_is_stdout(stave_path) && cli_is_stdout(csv_path)))) {
        cli_message("-o and --csv both name %s; they are two files", stave_path);
        return CLI_MISUSE;
    }
    const struct cli_opening how = {.strict = strict, .grow_into = stave_path};
    return cli_trace_run(operands[0], &how, show);
}

const struct cli_command cli_decode = {
    .name = "decode",
    .operands = "FILE|-",
    .summary = "Decode a recording: a summary of its lanes, a .stave file, a CSV, counters",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
