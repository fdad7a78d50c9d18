/* stave roots: a line for each root. */
#include "cli/roots.h"

#include <inttypes.h>
#include <math.h>

#include "cli/input.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/times.h"

static const char *name_pattern, *slowest_text, *from_text, *to_text, *least_text, *limit_text;
static struct cli_list where_list;
static bool as_json, strict;

static const struct cli_option options[] = {
    {"--slowest", "N", &slowest_text, NULL, "the N with the highest total, the worst first"},
    {"--name", "NAME", &name_pattern, NULL, "only roots of this name; a shell pattern"},
    {"--where", "KEY=VALUE", where_list.texts, NULL, "only those with this attribute; repeatable"},
    {"--min-dur", "D", &least_text, NULL, "only those with a total of at least D, such as 1.5ms"},
    {"--from", "T", &from_text, NULL, "only those that reach beyond this time, such as 1.5ms"},
    {"--to", "T", &to_text, NULL, "only those that begin before this time"},
    {"--limit", "N", &limit_text, NULL, "N lines, and how many roots more there are"},
    {"--json", NULL, NULL, &as_json, "as JSON, with all values whole"},
    {"--strict", NULL, NULL, &strict, "exit with 1 if anything was lost, is damaged or cut off"},
    {0},
};

static uint64_t slowest, limit;
static double least_us, from_us = -HUGE_VAL, to_us = HUGE_VAL;

/* ---- which roots ----------------------------------------------------------------------------- */

static bool root_counts(void *context, uint32_t name)
{
    return cli_name_matches(context, name, name_pattern);
}

static int make_list(struct cli_roots *shown, const struct cli_trace *trace, stave_error *error)
{
    uint64_t most = slowest != 0 && (limit == 0 || slowest < limit) ? slowest : limit;
    stave_roots_config config = {
        .order = slowest != 0 ? STAVE_ROOTS_SLOWEST : STAVE_ROOTS_OLDEST,
        .limit = most,
        .root_counts = name_pattern != NULL ? root_counts : NULL,
        .root_context = trace->trace,
        .least_ns = least_us * CLI_US_NS,
        .windowed = from_text != NULL || to_text != NULL,
        .from_us = from_us,
        .to_us = to_us,
        .conditions = cli_where_conditions(&shown->where),
        .meets = cli_where_meets,
        .meets_context = &shown->where,
        .progress = cli_progress_report(),
    };
    cli_progress_begin("reading", trace->name);
    int status = stave_roots_new(trace->trace, &config, &shown->roots, error);
    cli_progress_end();
    return status;
}

static void explain_nothing(const struct cli_roots *shown)
{
    uint64_t counted = stave_roots_counted(shown->roots);
    if (stave_roots_all(shown->roots) == 0)
        cli_message("%s: no spans in it", shown->file);
    else if (counted == 0)
        cli_message("%s: no root has a name like %s", shown->file, name_pattern);
    else
        cli_message("%s: no such root; it has %" PRIu64 "%s%s", shown->file, counted,
                    name_pattern != NULL ? " named " : "",
                    name_pattern != NULL ? name_pattern : "");
}

/* ---- the command ----------------------------------------------------------------------------- */

static int print_list(const struct cli_roots *shown, stave_error *error)
{
    if (as_json)
        return cli_roots_json(shown, error);
    return stave_roots_count(shown->roots) > 0 ? cli_roots_print(shown, error) : STAVE_OK;
}

static int show(const struct cli_trace *trace, const char *path)
{
    (void)path;
    stave_error error = {0};
    struct cli_roots shown = {
        .file = trace->name,
        .pattern = name_pattern,
        .slowest = slowest != 0,
        .limited = limit != 0,
        .where = {.trace = trace->trace},
        .trace = trace->trace,
    };
    cli_where_add_all(&shown.where, &where_list);
    int exit_status = CLI_DONE;
    int status = make_list(&shown, trace, &error);
    if (status >= 0 && stave_roots_count(shown.roots) == 0) {
        explain_nothing(&shown);
        exit_status = CLI_NO;
    }
    if (status >= 0)
        status = print_list(&shown, &error);
    if (status < 0) {
        cli_message("%s: %s", trace->name, error.message);
        exit_status = CLI_MISUSE;
    }
    stave_roots_free(shown.roots);
    return exit_status;
}

static bool parse(const char *option, const char *text, uint64_t *number)
{
    return text == NULL || cli_number_parse(option, text, 1, UINT64_MAX, number);
}

static int run(int operands_count, char **operands)
{
    (void)operands_count;
    if (!parse("--slowest", slowest_text, &slowest) || !parse("--limit", limit_text, &limit) ||
        !cli_window_parse(from_text, to_text, &from_us, &to_us) ||
        !cli_duration_parse("--min-dur", least_text, &least_us) || !cli_where_check(&where_list))
        return CLI_MISUSE;
    return cli_trace_run(operands[0], &(struct cli_opening){.strict = strict}, show);
}

const struct cli_command cli_roots = {
    .name = "roots",
    .operands = "FILE|-",
    .summary = "List root spans with their ids: all, the slowest, those with an attribute",
    .options = options,
    .list = &where_list,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
