#include "cli/rollup.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/os.h"
#include "cli/names.h"
#include "cli/times.h"

#define SCHEMA "stave.report/1"
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- the columns of times -------------------------------------------------------------------- */

/* head, member, whether it is a sum, rank on a narrow terminal */
#define TIME_COLUMNS(X)                                                                            \
    X("total", total_ns, true, 0)                                                                  \
    X("self", self_ns, true, 0)                                                                    \
    X("min", min_ns, false, 3)                                                                     \
    X("mean", mean_ns, false, 2)                                                                   \
    X("p50", p50_ns, false, 4)                                                                     \
    X("p90", p90_ns, false, 5)                                                                     \
    X("p99", p99_ns, false, 1)                                                                     \
    X("max", max_ns, false, 0)

#define ONE(head, member, is_sum, rank) +1
#define TIMES (0 TIME_COLUMNS(ONE))

static void read_times(const stave_rollup_row *row, double times[TIMES])
{
    unsigned i = 0;
#define READ(head, member, is_sum, rank) times[i++] = row->member;
    TIME_COLUMNS(READ)
#undef READ
}

struct time_column {
    const char *name;
    bool is_sum;
    unsigned rank;
    char head[16];
    struct cli_unit unit;
};

/* One unit for the sums, one for the single times, so that a row can be compared in itself. */
static void choose_units(const struct cli_report *report, struct time_column columns[TIMES])
{
    struct cli_times sums = {0}, single = {0};
    for (uint32_t row = 0; row < report->rows_count; row++) {
        double times[TIMES];
        read_times(report->rows[row], times);
        for (unsigned i = 0; i < TIMES; i++)
            cli_times_add(columns[i].is_sum ? &sums : &single, times[i]);
    }
    for (unsigned i = 0; i < TIMES; i++) {
        columns[i].unit =
            columns[i].is_sum ? cli_unit_for_sums(&sums) : cli_unit_for_times(&single);
        snprintf(columns[i].head, sizeof columns[i].head, "%s %s", columns[i].name,
                 columns[i].unit.name);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

/* On a terminal, more than none stands out by a sign and a colour. */
static void add_warning(struct cli_table *table, uint64_t count, char sign, enum cli_style style)
{
    bool on_terminal = stave__os_terminal_width(fileno(stdout)) > 0;
    if (count == 0 || !on_terminal)
        cli_table_number(table, "%" PRIu64, count);
    else
        cli_table_number(table, "%c%" PRIu64, sign, count);
    if (count > 0)
        cli_table_style(table, style);
}

static void add_row(struct cli_table *table, const struct cli_report *report,
                    const stave_rollup_row *row, const struct time_column columns[TIMES])
{
    double times[TIMES];
    read_times(row, times);
    cli_table_name(table, report->trace->trace, row->name);
    cli_table_number(table, "%" PRIu64, row->calls);
    for (unsigned i = 0; i < TIMES; i++)
        cli_table_number(table, isfinite(times[i]) ? "%.*f" : "", columns[i].unit.decimals,
                         times[i] / columns[i].unit.ns);
    add_warning(table, row->failed, '!', CLI_BAD);
    add_warning(table, row->uncertain, '?', CLI_DOUBT);
}

static void print_calls(const struct cli_report *report)
{
#define COLUMN(head, member, is_sum, rank) {head, is_sum, rank, "", {0}},
    struct time_column times[] = {TIME_COLUMNS(COLUMN)};
#undef COLUMN
    struct cli_column columns[TIMES + 4] = {{"name", false, 0}, {"calls", true, 0}};
    struct cli_table table;
    choose_units(report, times);
    for (unsigned i = 0; i < TIMES; i++)
        columns[2 + i] = (struct cli_column){times[i].head, true, times[i].rank};
    columns[TIMES + 2] = (struct cli_column){"failed", true, 0};
    columns[TIMES + 3] = (struct cli_column){"uncertain", true, 0};
    cli_table_begin(&table, columns, COUNT(columns));
    for (uint32_t i = 0; i < report->rows_count; i++)
        add_row(&table, report, report->rows[i], times);
    cli_table_print(&table, stdout);
}

#define WHOLE_MAX 1e15 /* beyond it a double has no room for all whole numbers */

static void add_value(struct cli_table *table, double value)
{
    bool is_whole = value == floor(value) && fabs(value) < WHOLE_MAX;
    cli_table_number(table, is_whole ? "%.0f" : "%.6g", value);
}

static void print_counters(const struct cli_report *report)
{
    static const struct cli_column columns[] = {
        {"counter", false, 0}, {"lane", false, 0}, {"samples", true, 0},
        {"min", true, 0},      {"max", true, 0},   {"last", true, 0},
    };
    const stave_trace *trace = report->trace->trace;
    struct cli_table table;
    cli_table_begin(&table, columns, COUNT(columns));
    for (uint32_t i = 0; i < report->counters_count; i++) {
        const stave_rollup_counter *row = report->counters[i];
        cli_table_name(&table, trace, row->name);
        cli_table_name(&table, trace, stave_trace_lane(trace, row->lane)->name);
        cli_table_number(&table, "%" PRIu64, row->samples);
        add_value(&table, row->min);
        add_value(&table, row->max);
        add_value(&table, row->last);
    }
    cli_table_print(&table, stdout);
}

void cli_report_print(const struct cli_report *report)
{
    if (report->rows_count > 0)
        print_calls(report);
    if (report->rows_count > 0 && report->counters_count > 0)
        putchar('\n');
    if (report->counters_count > 0)
        print_counters(report);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_row(struct cli_json *json, const struct cli_report *report,
                    const stave_rollup_row *row)
{
    cli_json_open(json, NULL, '{');
    cli_json_name(json, "name", report->trace->trace, row->name);
    cli_json_u64(json, "calls", row->calls);
#define PUT(head, member, is_sum, rank) cli_json_whole(json, #member, row->member);
    TIME_COLUMNS(PUT)
#undef PUT
    cli_json_u64(json, "failed", row->failed);
    cli_json_u64(json, "uncertain", row->uncertain);
    cli_json_close(json);
}

static void put_counter(struct cli_json *json, const struct cli_report *report,
                        const stave_rollup_counter *row)
{
    const stave_trace *trace = report->trace->trace;
    cli_json_open(json, NULL, '{');
    cli_json_name(json, "name", trace, row->name);
    cli_json_name(json, "lane", trace, stave_trace_lane(trace, row->lane)->name);
    cli_json_u64(json, "samples", row->samples);
    cli_json_double(json, "min", row->min);
    cli_json_double(json, "max", row->max);
    cli_json_double(json, "last", row->last);
    cli_json_close(json);
}

/* What of the trace is not in the rows. */
static void put_losses(struct cli_json *json, const struct cli_report *report)
{
    cli_json_u64(json, "gaps", report->contents.rows[STAVE_GAPS]);
    cli_json_u64(json, "lost", report->contents.lost);
    cli_json_u64(json, "damaged_blocks", stave_trace_damages(report->trace->trace));
}

void cli_report_json(const struct cli_report *report)
{
    struct cli_json json = {.to = stdout};
    bool any = report->windowed || report->contents.range.any;
    cli_json_open(&json, NULL, '{');
    cli_json_word(&json, "schema", SCHEMA);
    cli_json_word(&json, "file", report->trace->name);
    cli_json_double_if(&json, "from_us", any, report->from_us);
    cli_json_double_if(&json, "to_us", any, report->to_us);
    put_losses(&json, report);
    cli_json_open(&json, "rollup", '[');
    for (uint32_t i = 0; i < report->rows_count; i++)
        put_row(&json, report, report->rows[i]);
    cli_json_close(&json);
    cli_json_open(&json, "counters", '[');
    for (uint32_t i = 0; i < report->counters_count; i++)
        put_counter(&json, report, report->counters[i]);
    cli_json_close(&json);
    cli_json_close(&json);
}
