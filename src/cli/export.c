/* stave export: a recording to a file of another viewer. */
#include "stave/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/input.h"
#include "cli/names.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/rules.h"
#include "cli/text.h"
#include "cli/times.h"

static const char *format_text, *output_path, *from_text, *to_text, *least_text, *lane_pattern,
    *name_pattern, *session_text;
static bool no_args, strict, spans;

static const struct cli_option options[] = {
    {"--format", "FORMAT", &format_text, NULL,
     "speedscope, chrome, perfetto, folded, pprof or otlp; else by the end of FILE's name"},
    {"-o, --output", "FILE", &output_path, NULL,
     "where it goes, - for standard output; by default the input's name with the format's end"},
    {"--from", "T", &from_text, NULL, "from this time on, such as 1.5ms (ns, us, ms, s, min)"},
    {"--to", "T", &to_text, NULL, "up to this time"},
    {"--min-dur", "D", &least_text, NULL, "only spans of at least D, such as 10us"},
    {"--lane", "NAME", &lane_pattern, NULL, "only lanes of this name; a shell pattern"},
    {"--name", "NAME", &name_pattern, NULL,
     "only spans of this name and what is in them, and marks of it; a shell pattern"},
    {"--no-args", NULL, NULL, &no_args, "no arguments, so that speedscope merges spans by name"},
    {"--spans", NULL, NULL, &spans, "the spans of a file that has rules, and not these"},
    {"--session", "N", &session_text, NULL, "of rules: only what session N captured"},
    {"--strict", NULL, NULL, &strict, "exit with 1 if anything was lost, is damaged or cut off"},
    {0},
};

static int format;
static double least_us, from_us = -HUGE_VAL, to_us = HUGE_VAL;

/* ---- what is exported ------------------------------------------------------------------------ */

struct export
{
    const struct cli_trace *trace;
    const char *name; /* of the input's file */
    stave_export_counts counts;
};

static bool lane_counts(void *context, uint32_t lane)
{
    const stave_trace *trace = context;
    return cli_name_matches(trace, stave_trace_lane(trace, lane)->name, lane_pattern);
}

static bool name_counts(void *context, uint32_t name)
{
    return cli_name_matches(context, name, name_pattern);
}

static int write_export(void *context, stave_sink sink, stave_error *error)
{
    struct export *export = context;
    const stave_export_config config = {
        .name = export->name,
        .windowed = from_text != NULL || to_text != NULL,
        .from_us = from_us,
        .to_us = to_us,
        .least_ns = (uint64_t)ceil(least_us * CLI_US_NS),
        .lane_counts = lane_pattern != NULL ? lane_counts : NULL,
        .lane_context = export->trace->trace,
        .name_counts = name_pattern != NULL ? name_counts : NULL,
        .name_context = export->trace->trace,
        .no_args = no_args,
        .progress = cli_progress_report(),
    };
    return stave_export(export->trace->trace, (stave_export_format)format, &config, sink,
                        &export->counts, error);
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void print_any(FILE *to, uint64_t count, const char *what)
{
    if (count > 0)
        fprintf(to, ", %" PRIu64 " %s%s", count, what, count != 1 ? "s" : "");
}

static void print_some(FILE *to, uint64_t count, const char *what)
{
    if (count > 0)
        fprintf(to, ", %" PRIu64 " %s", count, what);
}

static void print_counts(FILE *to, const char *path, const stave_export_counts *counts)
{
    cli_text_print(to, path, strlen(path));
    fprintf(to, ": %" PRIu64 " span%s on %" PRIu32 " lane%s", counts->spans,
            counts->spans != 1 ? "s" : "", counts->lanes, counts->lanes != 1 ? "s" : "");
    print_any(to, counts->cumulatives, "cumulative");
    print_any(to, counts->marks, "marker");
    print_any(to, counts->counters, "counter value");
    print_any(to, counts->links, "link");
    print_any(to, counts->gaps, "gap");
    print_some(to, counts->lost, "lost");
    print_some(to, counts->failed, "failed");
    print_some(to, counts->uncertain, "in doubt");
    print_some(to, counts->missed, "late");
    print_some(to, counts->overlapping, "overlapping");
    print_some(to, counts->unplaced, "without room in their span");
    print_some(to, counts->deeper, "too deep to be shown");
    print_some(to, counts->left_out, "that the format has no place for");
    if (counts->start_us != 0)
        fprintf(to, "; its 0 is %.3f ms", counts->start_us / CLI_MS_US);
    fputc('\n', to);
}

/* Where nothing was exported but what was lost. */
static void explain_nothing(const struct cli_trace *trace)
{
    if (lane_pattern != NULL)
        cli_message(
            "%s: nothing there on a lane with a name like %s; `stave ls` lists lanes and times",
            trace->name, lane_pattern);
    else if (name_pattern != NULL)
        cli_message("%s: nothing there has a name like %s", trace->name, name_pattern);
    else if (from_text != NULL || to_text != NULL)
        cli_message("%s: nothing in that time; `stave ls` says when it was recorded", trace->name);
    else
        cli_message("%s: nothing there to export", trace->name);
}

static bool is_nothing(const stave_export_counts *counts)
{
    uint64_t rows = counts->spans + counts->cumulatives + counts->marks + counts->counters;
    return rows == 0 && (counts->gaps == 0 || name_pattern != NULL || lane_pattern != NULL);
}

/* ---- where it goes --------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* The format whose files' names end so; the longest such end. */
static int format_by_name(const char *path)
{
    int found = STAVE_E_ARGUMENT;
    size_t longest = 0;
    for (int i = 0; path != NULL && i < STAVE_EXPORT_COUNT; i++) {
        const char *suffix = stave_export_suffix((stave_export_format)i);
        if (!ends_with(path, suffix) || strlen(suffix) <= longest)
            continue;
        longest = strlen(suffix);
        found = i;
    }
    return found;
}

static bool find_format(void)
{
    format = format_text != NULL ? stave_export_find(format_text) : format_by_name(output_path);
    if (format >= 0)
        return true;
    if (format_text != NULL)
        cli_message("--format %s: there is speedscope, chrome, perfetto, folded, pprof, otlp",
                    format_text);
    else if (output_path != NULL)
        cli_message(
            "%s: no format has this end; there is .speedscope.json, .json, .pftrace, .folded, "
            ".pb.gz, .otlp.json, or --format",
            output_path);
    else
        cli_message("which format? --format speedscope, chrome, perfetto, folded, pprof or otlp");
    return false;
}

/* The input's name without its last end, and the format's. To be freed; NULL: out of memory. */
static char *default_output(const char *input)
{
    const char *suffix = stave_export_suffix((stave_export_format)format);
    const char *name = strcmp(input, "-") == 0 ? "stave" : cli_last_part(input);
    const char *dot = strrchr(name, '.');
    size_t size = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    char *path = malloc(size + strlen(suffix) + 1);
    if (path == NULL)
        return NULL;
    memcpy(path, name, size);
    memcpy(path + size, suffix, strlen(suffix) + 1);
    return path;
}

static int export_to(struct export *export, const char *path)
{
    bool text = format != STAVE_EXPORT_PERFETTO && format != STAVE_EXPORT_PPROF;
    struct cli_output output = {
        .path = path, .what = "the export", .input = &export->trace->input, .binary = !text};
    int exit_status = cli_output_write(&output, write_export, export);
    if (exit_status != CLI_DONE)
        return exit_status;
    print_counts(output.regular ? stdout : stderr, cli_is_stdout(path) ? "standard output" : path,
                 &export->counts);
    if (!is_nothing(&export->counts))
        return CLI_DONE;
    explain_nothing(export->trace);
    return CLI_NO;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static uint64_t session;

/* Two formats have a form for rules; what chooses among spans is for spans. */
static bool has_rules_form(const struct cli_trace *trace)
{
    bool chooses = from_text != NULL || to_text != NULL || least_text != NULL ||
                   lane_pattern != NULL || name_pattern != NULL || no_args;
    return (format == STAVE_EXPORT_SPEEDSCOPE || format == STAVE_EXPORT_CHROME) && !chooses &&
           cli_rules_are_shown(trace, spans);
}

static int write_rules(void *context, stave_sink sink, stave_error *error)
{
    const struct cli_rules *rules = context;
    return format == STAVE_EXPORT_CHROME ? stave_report_sink_chrome(rules->report, sink, error)
                                         : stave_report_sink_speedscope(rules->report, sink, error);
}

static int export_rules(const struct cli_rules *rules)
{
    struct cli_rules own = *rules;
    struct cli_output output = {
        .path = rules->path, .what = "the export", .input = &rules->trace->input};
    int exit_status = cli_output_write(&output, write_rules, &own);
    if (exit_status != CLI_DONE)
        return exit_status;
    FILE *to = output.regular ? stdout : stderr;
    const char *path = cli_is_stdout(rules->path) ? "standard output" : rules->path;
    cli_text_print(to, path, strlen(path));
    uint32_t runs = stave_report_run_count(rules->report);
    fprintf(to, ": %" PRIu32 " evaluations and spans, %" PRIu32 " run%s\n",
            stave_report_node_count(rules->report), runs, runs == 1 ? "" : "s");
    return CLI_DONE;
}

static int export_trace(const struct cli_trace *trace, const char *name, const char *path)
{
    struct export export = {.trace = trace,
                            .name = strcmp(name, "-") != 0 ? name : "standard input"};
    struct cli_rules rules = {.trace = trace, .session = session, .path = path};
    if (has_rules_form(trace))
        return cli_rules_use(&rules, export_rules);
    return cli_rules_allow(trace, "--session", session_text, false) ? export_to(&export, path)
                                                                    : CLI_MISUSE;
}

static int use(const struct cli_trace *trace, const char *path)
{
    char *own = output_path == NULL ? default_output(path) : NULL;
    if (output_path == NULL && own == NULL) {
        cli_message("out of memory");
        return CLI_MISUSE;
    }
    int exit_status = export_trace(trace, cli_last_part(path), own != NULL ? own : output_path);
    free(own);
    return exit_status;
}

static int run(int operands_count, char **operands)
{
    (void)operands_count;
    if (!find_format() || !cli_window_parse(from_text, to_text, &from_us, &to_us) ||
        !cli_duration_parse("--min-dur", least_text, &least_us) ||
        !cli_session_parse(session_text, &session))
        return CLI_MISUSE;
    return cli_trace_run(operands[0], &(struct cli_opening){.strict = strict}, use);
}

const struct cli_command cli_export = {
    .name = "export",
    .operands = "FILE|-",
    .summary =
        "Write a recording for another viewer: speedscope, Perfetto, Chrome, pprof and others",
    .details =
        "FILE is a .stave file, a recording of the etrace format or a CSV, told by its content.\n",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
