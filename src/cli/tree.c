/* stave tree: one root and all below it; of a file with rules, one run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/branches.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/rules.h"
#include "cli/text.h"
#include "cli/times.h"
#include "cli/where.h"

static const char *trace_text, *depth_text, *name_pattern, *id, *session_text;
static struct cli_list where_list;
static bool slowest, as_json, strict, spans;

static const struct cli_option options[] = {
    {"--trace", "N", &trace_text, NULL,
     "the Nth root, or run of rules, in the order of their starts (1)"},
    {"--slowest", NULL, NULL, &slowest, "the root with the highest total instead"},
    {"--id", "VALUE", &id, NULL, "the newest root with this id instead"},
    {"--name", "NAME", &name_pattern, NULL, "only roots of this name; a shell pattern"},
    {"--where", "KEY=VALUE", where_list.texts, NULL, "only those with this attribute; repeatable"},
    {"--depth", "N", &depth_text, NULL, "N levels, and how many spans are below them"},
    {"--spans", NULL, NULL, &spans, "the spans of a file that has rules, and not these"},
    {"--session", "N", &session_text, NULL, "of rules: only what session N captured"},
    {"--json", NULL, NULL, &as_json, "as JSON, with all values whole"},
    {"--strict", NULL, NULL, &strict, "exit with 1 if anything was lost, is damaged or cut off"},
    {0},
};

static uint64_t number = 1, levels = UINT32_MAX;

/* ---- which root ------------------------------------------------------------------------------ */

static bool root_counts(void *context, uint32_t name)
{
    return cli_name_matches(context, name, name_pattern);
}

static int new_tree(const struct cli_trace *trace, uint64_t root, bool the_slowest,
                    stave_tree **tree, stave_error *error)
{
    stave_tree_config config = {
        .root = root,
        .slowest = the_slowest,
        .progress = cli_progress_report(),
        .detail_levels = (uint32_t)levels,
        .root_counts = name_pattern != NULL ? root_counts : NULL,
        .root_context = trace->trace,
    };
    cli_progress_begin("reading", trace->name);
    int status = stave_tree_new(trace->trace, &config, tree, error);
    cli_progress_end();
    return status;
}

static void list_conditions(struct cli_where *where, const struct cli_trace *trace)
{
    *where = (struct cli_where){.trace = trace->trace};
    if (id != NULL)
        cli_where_add_id(where, id);
    cli_where_add_all(where, &where_list);
}

/* The number of the one root with the attributes that are asked for; STAVE_E_NOTHING if there is none. */
static int find_root(const struct cli_trace *trace, struct cli_where *where, uint64_t *root,
                     stave_error *error)
{
    stave_roots *roots = NULL;
    stave_roots_config config = {
        .order = slowest      ? STAVE_ROOTS_SLOWEST
                 : id != NULL ? STAVE_ROOTS_NEWEST
                              : STAVE_ROOTS_OLDEST,
        .limit = 1,
        .root_counts = name_pattern != NULL ? root_counts : NULL,
        .root_context = trace->trace,
        .conditions = cli_where_conditions(where),
        .meets = cli_where_meets,
        .meets_context = where,
        .progress = cli_progress_report(),
    };
    cli_progress_begin("reading", trace->name);
    int status = stave_roots_new(trace->trace, &config, &roots, error);
    cli_progress_end();
    if (status < 0)
        return status;
    status = stave_roots_count(roots) > 0 ? STAVE_OK : STAVE_E_NOTHING;
    if (status >= 0)
        *root = stave_roots_at(roots, 0)->counted;
    stave_roots_free(roots);
    return status;
}

static int choose_tree(const struct cli_trace *trace, stave_tree **tree, stave_error *error)
{
    struct cli_where where;
    uint64_t root = number - 1;
    list_conditions(&where, trace);
    if (where.count == 0)
        return new_tree(trace, root, slowest, tree, error);
    int status = find_root(trace, &where, &root, error);
    return status >= 0 ? new_tree(trace, root, false, tree, error) : status;
}

static bool has_roots(const struct cli_trace *trace)
{
    stave_tree *first = NULL;
    bool has = new_tree(trace, 0, false, &first, NULL) >= 0;
    stave_tree_free(first);
    return has;
}

/* There is no such root: how many are there? */
static void explain_no_root(const struct cli_trace *trace)
{
    stave_tree *first = NULL;
    if ((id != NULL || where_list.count > 0) && has_roots(trace))
        cli_message("%s: no root%s%s has %s", trace->name, name_pattern != NULL ? " named " : "",
                    name_pattern != NULL ? name_pattern : "",
                    id != NULL && where_list.count == 0 ? "this id" : "these attributes");
    else if (number > 1 && new_tree(trace, 0, false, &first, NULL) >= 0)
        cli_message("%s: there is no trace %" PRIu64 "; it has %" PRIu64, trace->name, number,
                    stave_tree_roots(first));
    else if (name_pattern != NULL)
        cli_message("%s: no root has a name like %s", trace->name, name_pattern);
    else
        cli_message("%s: no spans in it", trace->name);
    stave_tree_free(first);
}

static void print_why(void)
{
    if (slowest)
        fputs(", the slowest", stdout);
    else if (id != NULL)
        fputs(", the newest", stdout);
    else if (where_list.count > 0)
        fputs(", the first", stdout);
}

static void print_which(const struct cli_trace *trace, const stave_tree *tree)
{
    const stave_tree_node *root = stave_tree_node_at(tree, 0);
    const stave_lane *lane = stave_trace_lane(trace->trace, root->lane);
    double ns = stave_time_us(trace->trace, root->boot, root->start) * 1000.0;
    struct cli_times times = {0};
    struct cli_where where;
    size_t size;
    const char *name = stave_trace_string(trace->trace, lane->name, &size);
    cli_times_add(&times, ns);
    struct cli_unit unit = cli_unit_for_sums(&times);
    cli_text_print(stdout, trace->name, strlen(trace->name));
    printf(": trace %" PRIu64 " of %" PRIu64, stave_tree_root(tree) + 1, stave_tree_roots(tree));
    if (name_pattern != NULL) {
        fputs(" named ", stdout);
        cli_text_print(stdout, name_pattern, strlen(name_pattern));
    }
    print_why();
    list_conditions(&where, trace);
    cli_where_print(&where);
    printf(", at %.*f %s on ", unit.decimals, ns / unit.ns, unit.name);
    cli_text_print(stdout, name, size);
    fputs("\n\n", stdout);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int print_tree(const struct cli_trace *trace, const stave_tree *tree)
{
    struct cli_branches branches = {
        .file = trace->name, .trace = trace->trace, .tree = tree, .levels = (uint32_t)levels};
    if (!as_json)
        print_which(trace, tree);
    if (as_json ? cli_branches_json(&branches) : cli_branches_print(&branches))
        return CLI_DONE;
    cli_message("out of memory");
    return CLI_MISUSE;
}

static uint64_t session;

static int show_rules(const struct cli_trace *trace)
{
    struct cli_rules rules = {
        .trace = trace,
        .session = session,
        .name_pattern = name_pattern,
        .run = number,
        .slowest = slowest,
        .id = id,
        .levels = (uint32_t)levels,
    };
    if (!cli_rules_allow(trace, "--where", where_list.texts[0], true))
        return CLI_MISUSE;
    return cli_rules_use(&rules, as_json ? cli_rules_tree_json : cli_rules_tree_print);
}

static int show(const struct cli_trace *trace, const char *path)
{
    (void)path;
    stave_error error = {0};
    if (cli_rules_are_shown(trace, spans))
        return show_rules(trace);
    if (!cli_rules_allow(trace, "--session", session_text, false))
        return CLI_MISUSE;
    stave_tree *tree = NULL;
    int exit_status = CLI_MISUSE;
    int status = choose_tree(trace, &tree, &error);
    if (status >= 0) {
        exit_status = print_tree(trace, tree);
    } else if (status == STAVE_E_NOTHING) {
        explain_no_root(trace);
        exit_status = CLI_NO;
    } else {
        cli_message("%s: %s", trace->name, error.message);
    }
    stave_tree_free(tree);
    return exit_status;
}

static bool is_one_choice(void)
{
    const char *choices[4];
    unsigned count = 0;
    if (trace_text != NULL)
        choices[count++] = "--trace";
    if (slowest)
        choices[count++] = "--slowest";
    if (id != NULL)
        choices[count++] = "--id";
    if (trace_text != NULL && where_list.count > 0)
        choices[count++] = "--where";
    if (count < 2)
        return true;
    cli_message("%s and %s each choose a root; give one of them", choices[0], choices[1]);
    return false;
}

static int run(int operands_count, char **operands)
{
    (void)operands_count;
    if (!is_one_choice())
        return CLI_MISUSE;
    if (trace_text != NULL && !cli_number_parse("--trace", trace_text, 1, UINT64_MAX, &number))
        return CLI_MISUSE;
    if (!cli_where_check(&where_list))
        return CLI_MISUSE;
    if (depth_text != NULL && !cli_number_parse("--depth", depth_text, 1, UINT32_MAX, &levels))
        return CLI_MISUSE;
    if (!cli_session_parse(session_text, &session))
        return CLI_MISUSE;
    return cli_trace_run(operands[0], &(struct cli_opening){.strict = strict}, show);
}

const struct cli_command cli_tree = {
    .name = "tree",
    .operands = "FILE|-",
    .summary = "Show one root span and all below it, or one run of rules",
    .options = options,
    .list = &where_list,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
