/* What `stave tree` prints of rules: one run, a line for each evaluation and span. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/names.h"
#include "cli/rules.h"
#include "cli/times.h"

#define LEVELS_DRAWN 20u
#define LINKS_SHOWN 4u
#define FLUSH_ROWS 2000u
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct drawing {
    const struct cli_rules *rules;
    uint32_t run;
    uint32_t *levels; /* of each node; STAVE_NONE: it is of another run */
    uint32_t lines;   /* printed */
    struct cli_unit unit;
    struct cli_table table;
};

static const stave_report_node *node_at(const struct drawing *d, uint32_t index)
{
    return stave_report_node_at(d->rules->report, index);
}

static bool is_shown(const struct drawing *d, uint32_t index)
{
    return d->levels[index] != STAVE_NONE && d->levels[index] < d->rules->levels;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Two columns a level; of those that are too deep, the level. */
static void put_indent(FILE *to, uint32_t level)
{
    if (level <= LEVELS_DRAWN)
        fprintf(to, "%*s", 2 * (int)level, "");
    else
        fprintf(to, "%*s(%" PRIu32 ") ", 2 * (int)LEVELS_DRAWN, "", level);
}

/* How many of the run are below a node that is on the last level shown. */
static uint32_t count_below(const struct drawing *d, uint32_t index)
{
    const stave_report_node *node = node_at(d, index);
    uint32_t count = 0, nodes = stave_report_node_count(d->rules->report);
    if (d->levels[index] + 1 < d->rules->levels)
        return 0;
    for (uint32_t i = index + 1; i < nodes && node_at(d, i)->depth > node->depth; i++)
        count += d->levels[i] != STAVE_NONE;
    return count;
}

static void put_name(const struct drawing *d, FILE *to, uint32_t index)
{
    const stave_report_node *node = node_at(d, index);
    uint32_t below = count_below(d, index);
    put_indent(to, d->levels[index]);
    fputs(cli_rule_node_name(d->rules->report, node), to);
    if (below > 0)
        fprintf(to, " (%" PRIu32 " deeper)", below);
}

static void put_links(const struct drawing *d, FILE *to, uint32_t index, const char **comma)
{
    uint32_t count;
    const uint32_t *links = stave_report_links(d->rules->report, index, &count);
    for (uint32_t i = 0; i < count && i < LINKS_SHOWN; i++) {
        const stave_report_node *other = node_at(d, links[i]);
        fprintf(to, "%s%s", i == 0 ? *comma : " and ", i == 0 ? "also after " : "");
        fputs(cli_rule_node_name(d->rules->report, other), to);
        *comma = ", ";
    }
    if (count > LINKS_SHOWN)
        fprintf(to, " and %" PRIu32 " more", count - LINKS_SHOWN);
}

static void put_word(FILE *to, const char *word, const char **comma)
{
    if (word[0] == '\0')
        return;
    fprintf(to, "%s%s", *comma, word);
    *comma = ", ";
}

/* Outcome, reason, what else it came after. */
static void put_notes(const struct drawing *d, FILE *to, uint32_t index)
{
    const stave_report_node *node = node_at(d, index);
    const char *comma = "";
    put_word(to, node->is_critical ? "critical" : "", &comma);
    put_word(to, node->outcome != STAVE_DONE ? stave_outcome_text(node->outcome) : "", &comma);
    if (node->reason != NULL)
        fprintf(to, ": %s", node->reason);
    put_word(to, node->flags & STAVE_FLAGS_END_UNKNOWN ? "unfinished" : "", &comma);
    put_links(d, to, index, &comma);
}

static void add_text(struct drawing *d, uint32_t index,
                     void (*put)(const struct drawing *d, FILE *to, uint32_t index))
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to != NULL) {
        put(d, to, index);
        fclose(to);
    }
    cli_table_text(&d->table, text != NULL ? text : "", text != NULL ? size : 0);
    free(text);
}

static void add_time(struct drawing *d, double ns)
{
    cli_table_number(&d->table, "%.*f", d->unit.decimals, ns / d->unit.ns);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void add_node(struct drawing *d, uint32_t index)
{
    const stave_report_node *node = node_at(d, index);
    const stave_report_run *run = stave_report_run_at(d->rules->report, d->run);
    add_text(d, index, put_name);
    add_time(d, node->start_ns - run->start_ns);
    add_time(d, node->total_ns);
    add_time(d, node->busy_ns);
    add_time(d, node->self_ns);
    if (node->rule != STAVE_NONE)
        add_time(d, node->slack_ns);
    else
        cli_table_word(&d->table, "");
    cli_table_word(&d->table, stave_report_lane_name(d->rules->report, node->lane));
    add_text(d, index, put_notes);
    if (node->outcome == STAVE_FAILED || node->outcome == STAVE_TIMED_OUT)
        cli_table_style(&d->table, CLI_BAD);
    if (++d->lines % FLUSH_ROWS == 0)
        cli_table_flush(&d->table, stdout);
}

static void choose_unit(struct drawing *d)
{
    struct cli_times times = {0};
    for (uint32_t i = 0; i < stave_report_node_count(d->rules->report); i++) {
        const stave_report_node *node = node_at(d, i);
        if (!is_shown(d, i))
            continue;
        cli_times_add(&times, node->total_ns);
        cli_times_add(&times, node->busy_ns);
        cli_times_add(&times, node->self_ns);
    }
    d->unit = cli_unit_for_times(&times);
}

static void print_lines(struct drawing *d)
{
    char heads[5][24];
    static const char *const names[] = {"at", "total", "busy", "self", "slack"};
    for (size_t i = 0; i < COUNT(names); i++)
        snprintf(heads[i], sizeof heads[i], "%s %s", names[i], d->unit.name);
    const struct cli_column columns[] = {
        {"rule", false, 0},  {heads[0], true, 4}, {heads[1], true, 0},  {heads[2], true, 2},
        {heads[3], true, 0}, {heads[4], true, 1}, {"thread", false, 3}, {"", false, 0},
    };
    cli_table_begin(&d->table, columns, COUNT(columns));
    d->table.most[0] = CLI_RULES_NAME_MOST;
    for (uint32_t i = 0; i < stave_report_node_count(d->rules->report); i++)
        if (is_shown(d, i))
            add_node(d, i);
    cli_table_print(&d->table, stdout);
}

static void print_which(const struct drawing *d)
{
    const stave_report_run *run = stave_report_run_at(d->rules->report, d->run);
    cli_text_print(stdout, d->rules->trace->name, strlen(d->rules->trace->name));
    printf(": run %" PRIu32 " of %" PRIu32, d->run + 1, stave_report_run_count(d->rules->report));
    if (run->name[0] != '\0') {
        fputs(", ", stdout);
        cli_text_print(stdout, run->name, strlen(run->name));
    }
    if (run->id != NULL) {
        fputs(" id=", stdout);
        cli_text_print(stdout, run->id, strlen(run->id));
    }
    printf("; %.*f %s, the critical path %.*f %s\n\n", d->unit.decimals,
           (run->end_ns - run->start_ns) / d->unit.ns, d->unit.name, d->unit.decimals,
           run->critical_ns / d->unit.ns, d->unit.name);
}

int cli_rules_tree_print(const struct cli_rules *rules)
{
    struct drawing d = {.rules = rules, .run = cli_rules_choose_run(rules)};
    if (d.run == STAVE_NONE)
        return CLI_NO;
    d.levels = cli_rules_levels(rules, d.run);
    if (d.levels == NULL)
        return CLI_MISUSE;
    choose_unit(&d);
    print_which(&d);
    print_lines(&d);
    free(d.levels);
    return CLI_DONE;
}
