#include "cli/rollup.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/os_command.h"
#include "cli/names.h"
#include "cli/times.h"

#define SCHEMA "stave.report/1"
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- the columns of times -------------------------------------------------------------------- */

/* head, member, whether it is a sum, rank on a narrow terminal, whether it is there only when the trace knows what
 * its recording cost */
#define TIME_COLUMNS(X)                                                                            \
    X("total", total_ns, true, 0, false)                                                           \
    X("net total", net_total_ns, true, 2, true)                                                    \
    X("self", self_ns, true, 0, false)                                                             \
    X("net self", net_self_ns, true, 1, true)                                                      \
    X("min", min_ns, false, 5, false)                                                              \
    X("mean", mean_ns, false, 4, false)                                                            \
    X("p50", p50_ns, false, 6, false)                                                              \
    X("p90", p90_ns, false, 7, false)                                                              \
    X("p99", p99_ns, false, 3, false)                                                              \
    X("max", max_ns, false, 0, false)

#define ONE(head, member, is_sum, rank, is_net) +1
#define TIMES (0 TIME_COLUMNS(ONE))

static void read_times(const stave_rollup_row *row, double times[TIMES])
{
    unsigned i = 0;
#define READ(head, member, is_sum, rank, is_net) times[i++] = row->member;
    TIME_COLUMNS(READ)
#undef READ
}

struct time_column {
    const char *name;
    bool is_sum;
    unsigned rank;
    bool is_net;
    char head[16];
    struct cli_unit unit;
};

static bool is_shown(const struct cli_report *report, bool is_net)
{
    return !is_net || stave_rollup_cost_of(report->rollup)->known;
}

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
        if (is_shown(report, columns[i].is_net))
            cli_table_number(table, isfinite(times[i]) ? "%.*f" : "", columns[i].unit.decimals,
                             times[i] / columns[i].unit.ns);
    add_warning(table, row->failed, '!', CLI_BAD);
    add_warning(table, row->uncertain, '?', CLI_DOUBT);
}

static void print_calls(const struct cli_report *report)
{
#define COLUMN(head, member, is_sum, rank, is_net) {head, is_sum, rank, is_net, "", {0}},
    struct time_column times[] = {TIME_COLUMNS(COLUMN)};
#undef COLUMN
    struct cli_column columns[TIMES + 4] = {{"name", false, 0}, {"calls", true, 0}};
    struct cli_table table;
    unsigned count = 2;
    choose_units(report, times);
    for (unsigned i = 0; i < TIMES; i++)
        if (is_shown(report, times[i].is_net))
            columns[count++] = (struct cli_column){times[i].head, true, times[i].rank};
    columns[count++] = (struct cli_column){"failed", true, 0};
    columns[count++] = (struct cli_column){"uncertain", true, 0};
    cli_table_begin(&table, columns, count);
    for (uint32_t i = 0; i < report->rows_count; i++)
        add_row(&table, report, report->rows[i], times);
    cli_table_print(&table, stdout);
    if (report->rows_more > 0)
        printf("(%" PRIu32 " more)\n", report->rows_more);
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

/* ---- what recording cost --------------------------------------------------------------------- */

static struct cli_unit unit_of(double ns)
{
    struct cli_times times = {0};
    cli_times_add(&times, ns);
    return cli_unit_for_sums(&times);
}

/* Columns of what was recorded for longer than it took. */
static void print_costly(const struct cli_report *report)
{
    double span_ns = stave_rollup_cost_of(report->rollup)->span_ns;
    struct cli_unit unit = unit_of(span_ns * (double)report->costly[0]->calls);
    char net[16], cost[16];
    snprintf(net, sizeof net, "net total %s", unit.name);
    snprintf(cost, sizeof cost, "cost %s", unit.name);
    const struct cli_column columns[] = {
        {"cost more than it took", false, 0}, {"calls", true, 0}, {net, true, 0}, {cost, true, 0}};
    struct cli_table table;
    cli_table_begin(&table, columns, COUNT(columns));
    for (uint32_t i = 0; i < report->costly_count; i++) {
        const stave_rollup_row *row = report->costly[i];
        cli_table_name(&table, report->trace->trace, row->name);
        cli_table_number(&table, "%" PRIu64, row->calls);
        cli_table_number(&table, "%.*f", unit.decimals, row->net_total_ns / unit.ns);
        cli_table_number(&table, "%.*f", unit.decimals, span_ns * (double)row->calls / unit.ns);
    }
    cli_table_print(&table, stdout);
    puts("(cheaper: one span around all of these calls, or none; STAVE_CUMULATIVE saves memory, "
         "not time)");
}

static void print_cost(const struct cli_report *report)
{
    const stave_rollup_cost *cost = stave_rollup_cost_of(report->rollup);
    struct cli_unit unit = unit_of(cost->total_ns);
    if (!cost->known)
        return;
    printf("\na span cost %.1f ns, %.1f ns of that in its own time; %" PRIu64
           " spans cost %.*f %s, %.1f %% of the time in spans\n",
           cost->span_ns, cost->inner_ns, cost->calls, unit.decimals, cost->total_ns / unit.ns,
           unit.name, 100 * cost->share);
    if (report->costly_count == 0)
        return;
    putchar('\n');
    print_costly(report);
}

void cli_report_print(const struct cli_report *report)
{
    if (report->rows_count > 0)
        print_calls(report);
    if (report->rows_count > 0 && report->counters_count > 0)
        putchar('\n');
    if (report->counters_count > 0)
        print_counters(report);
    if (report->rows_count > 0)
        print_cost(report);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_row(struct cli_json *json, const struct cli_report *report,
                    const stave_rollup_row *row)
{
    cli_json_open(json, NULL, '{');
    cli_json_name(json, "name", report->trace->trace, row->name);
    cli_json_u64(json, "calls", row->calls);
#define PUT(head, member, is_sum, rank, is_net)                                                    \
    if (is_shown(report, is_net))                                                                  \
        cli_json_whole(json, #member, row->member);
    TIME_COLUMNS(PUT)
#undef PUT
    cli_json_u64(json, "failed", row->failed);
    cli_json_u64(json, "uncertain", row->uncertain);
    if (stave_rollup_cost_of(report->rollup)->known)
        cli_json_bool(json, "costly", row->costly);
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

static void put_cost(struct cli_json *json, const struct cli_report *report)
{
    const stave_rollup_cost *cost = stave_rollup_cost_of(report->rollup);
    if (!cost->known)
        return;
    cli_json_open(json, "cost", '{');
    cli_json_double(json, "span_ns", cost->span_ns);
    cli_json_double(json, "inner_ns", cost->inner_ns);
    cli_json_u64(json, "calls", cost->calls);
    cli_json_whole(json, "total_ns", cost->total_ns);
    cli_json_whole(json, "time_ns", cost->time_ns);
    cli_json_double(json, "share", cost->share);
    cli_json_close(json);
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
    put_cost(&json, report);
    cli_json_u64(&json, "more_rows", report->rows_more);
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
