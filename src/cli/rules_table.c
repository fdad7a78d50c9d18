/* What `stave report` prints of rules. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/names.h"
#include "cli/rules.h"
#include "cli/times.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* head, member, whether it is a sum, rank on a narrow terminal */
#define TIME_COLUMNS(X)                                                                            \
    X("self", self_ns, true, 0)                                                                    \
    X("total", total_ns, true, 0)                                                                  \
    X("busy", busy_ns, true, 3)                                                                    \
    X("first", first_ns, false, 4)                                                                 \
    X("min", min_ns, false, 6)                                                                     \
    X("median", median_ns, false, 0)                                                               \
    X("p99", p99_ns, false, 5)                                                                     \
    X("max", max_ns, false, 0)

#define ONE(head, member, is_sum, rank) +1
#define TIMES (0 TIME_COLUMNS(ONE))

struct time_column {
    const char *name;
    bool is_sum;
    unsigned rank;
    char head[16];
    struct cli_unit unit;
};

static void read_times(const stave_rule_stats *rule, double times[TIMES])
{
    unsigned i = 0;
#define READ(head, member, is_sum, rank) times[i++] = rule->member;
    TIME_COLUMNS(READ)
#undef READ
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* One unit for the sums, one for the single times. */
static void choose_units(const struct cli_rules_list *list, struct time_column columns[TIMES])
{
    struct cli_times sums = {0}, single = {0};
    for (size_t i = 0; i < list->count; i++) {
        double times[TIMES];
        read_times(list->at[i], times);
        for (unsigned t = 0; t < TIMES; t++)
            if (isfinite(times[t]))
                cli_times_add(columns[t].is_sum ? &sums : &single, times[t]);
    }
    for (unsigned t = 0; t < TIMES; t++) {
        columns[t].unit =
            columns[t].is_sum ? cli_unit_for_sums(&sums) : cli_unit_for_times(&single);
        snprintf(columns[t].head, sizeof columns[t].head, "%s %s", columns[t].name,
                 columns[t].unit.name);
    }
}

static void add_rule(struct cli_table *table, const stave_rule_stats *rule,
                     const struct time_column columns[TIMES])
{
    double times[TIMES];
    read_times(rule, times);
    cli_table_word(table, rule->is_known ? cli_rule_name(rule) : "(not declared)");
    cli_table_word(table, rule->id);
    cli_table_number(table, "%" PRIu64, rule->calls);
    cli_table_number(table, "%" PRIu64, rule->failed);
    if (rule->failed > 0)
        cli_table_style(table, CLI_BAD);
    cli_table_number(table, "%" PRIu64, rule->skipped);
    for (unsigned t = 0; t < TIMES; t++)
        cli_table_number(table, isfinite(times[t]) ? "%.*f" : "", columns[t].unit.decimals,
                         times[t] / columns[t].unit.ns);
    cli_table_number(table, "%" PRIu64, rule->critical);
}

static void print_rules(const struct cli_rules_list *list)
{
#define COLUMN(head, member, is_sum, rank) {head, is_sum, rank, "", {0}},
    struct time_column times[] = {TIME_COLUMNS(COLUMN)};
#undef COLUMN
    struct cli_column columns[TIMES + 6] = {{"rule", false, 0},
                                            {"id", false, 7},
                                            {"calls", true, 0},
                                            {"failed", true, 0},
                                            {"skipped", true, 2}};
    struct cli_table table;
    unsigned count = 5;
    choose_units(list, times);
    for (unsigned t = 0; t < TIMES; t++)
        columns[count++] = (struct cli_column){times[t].head, true, times[t].rank};
    columns[count++] = (struct cli_column){"critical", true, 1};
    cli_table_begin(&table, columns, count);
    table.most[0] = table.most[1] = CLI_RULES_NAME_MOST;
    for (size_t i = 0; i < list->count; i++)
        add_rule(&table, list->at[i], times);
    cli_table_print(&table, stdout);
    if (list->more > 0)
        printf("(%zu more)\n", list->more);
}

/* ---- runs ------------------------------------------------------------------------------------ */

#define RUNS_SHOWN 10
#define PATH_SHOWN 8 /* rules of a path */

static double length_of(const stave_report_run *run)
{
    return run->end_ns - run->start_ns;
}

static int compare_runs(const void *a, const void *b)
{
    const stave_report_run *x = *(const stave_report_run *const *)a;
    const stave_report_run *y = *(const stave_report_run *const *)b;
    if (length_of(x) != length_of(y))
        return length_of(x) > length_of(y) ? -1 : 1;
    return (x > y) - (x < y); /* as they stand: by start */
}

/* "stock > total"; of a long one the beginning. */
static void add_path(struct cli_table *table, const stave_report *report,
                     const stave_report_run *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        cli_table_word(table, "");
        return;
    }
    for (uint32_t i = 0; i < run->critical_count && i < PATH_SHOWN; i++) {
        const stave_report_node *node = stave_report_node_at(report, run->critical[i]);
        fprintf(to, "%s%s", i > 0 ? " > " : "", cli_rule_node_name(report, node));
    }
    if (run->critical_count > PATH_SHOWN)
        fprintf(to, " > (%" PRIu32 " more)", run->critical_count - PATH_SHOWN);
    fclose(to);
    cli_table_text(table, text != NULL ? text : "", size);
    free(text);
}

static const char *run_name(const stave_report *report, const stave_report_run *run)
{
    return run->name[0] != '\0' ? run->name : stave_report_lane_name(report, run->lane);
}

static void print_run_rows(const struct cli_rules *rules, const stave_report_run *const *runs,
                           uint32_t count)
{
    struct cli_times times = {0};
    for (uint32_t i = 0; i < count; i++) {
        cli_times_add(&times, length_of(runs[i]));
        cli_times_add(&times, runs[i]->busy_ns);
        cli_times_add(&times, runs[i]->critical_ns);
    }
    struct cli_unit unit = cli_unit_for_times(&times);
    char took[24], busy[24], critical[24];
    snprintf(took, sizeof took, "took %s", unit.name);
    snprintf(busy, sizeof busy, "busy %s", unit.name);
    snprintf(critical, sizeof critical, "critical %s", unit.name);
    const struct cli_column columns[] = {
        {"run", false, 0}, {"id", false, 3},    {"evaluations", true, 2},   {took, true, 0},
        {busy, true, 1},   {critical, true, 0}, {"critical path", false, 0}};
    struct cli_table table;
    cli_table_begin(&table, columns, COUNT(columns));
    for (uint32_t i = 0; i < count; i++) {
        const stave_report_run *run = runs[i];
        cli_table_word(&table, run_name(rules->report, run));
        cli_table_word(&table, run->id != NULL ? run->id : "");
        cli_table_number(&table, "%" PRIu64, run->evaluations);
        cli_table_number(&table, "%.*f", unit.decimals, length_of(run) / unit.ns);
        cli_table_number(&table, "%.*f", unit.decimals, run->busy_ns / unit.ns);
        cli_table_number(&table, "%.*f", unit.decimals, run->critical_ns / unit.ns);
        add_path(&table, rules->report, run);
    }
    cli_table_print(&table, stdout);
}

/* The longest ones. False when there is no memory. */
static bool print_runs(const struct cli_rules *rules)
{
    uint32_t count = stave_report_run_count(rules->report);
    const stave_report_run **runs = calloc((size_t)count + 1, sizeof(stave_report_run *));
    if (runs == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        runs[i] = stave_report_run_at(rules->report, i);
    qsort(runs, count, sizeof(stave_report_run *), compare_runs);
    if (count > 0) {
        putchar('\n');
        print_run_rows(rules, runs, count < RUNS_SHOWN ? count : RUNS_SHOWN);
    }
    if (count > RUNS_SHOWN)
        printf("(the longest %d of %" PRIu32 "; --json has all)\n", RUNS_SHOWN, count);
    free(runs);
    return true;
}

/* ---- what is wrong --------------------------------------------------------------------------- */

#define CYCLE_SHOWN 16u

static void print_cycle(const stave_report *report, uint32_t index)
{
    uint32_t rules[CYCLE_SHOWN];
    uint32_t count = stave_report_cycle_at(report, index, rules, CYCLE_SHOWN);
    fputs("cycle: ", stdout);
    for (uint32_t i = 0; i < count && i < CYCLE_SHOWN; i++) {
        const char *name = cli_rule_name(stave_report_rule_at(report, rules[i]));
        cli_text_print(stdout, name, strlen(name));
        fputs(" > ", stdout);
    }
    if (count > CYCLE_SHOWN)
        printf("(%" PRIu32 " more) > ", count - CYCLE_SHOWN);
    const char *first = cli_rule_name(stave_report_rule_at(report, rules[0]));
    cli_text_print(stdout, first, strlen(first));
    puts("; the last step is cut");
}

static void print_count(uint64_t count, const char *what)
{
    if (count > 0)
        printf("%s: %" PRIu64 "\n", what, count);
}

static bool is_wrong(const stave_report *report)
{
    stave_report_lost lost;
    stave_report_lost_of(report, &lost);
    return stave_report_cycle_count(report) > 0 ||
           lost.given_up + lost.dropped + lost.unplaced + lost.circles > 0;
}

static void print_wrong(const stave_report *report)
{
    stave_report_lost lost;
    uint32_t cycles = stave_report_cycle_count(report);
    stave_report_lost_of(report, &lost);
    for (uint32_t i = 0; i < cycles && i < CYCLE_SHOWN; i++)
        print_cycle(report, i);
    if (cycles > CYCLE_SHOWN)
        printf("(%" PRIu32 " more cycles)\n", cycles - CYCLE_SHOWN);
    print_count(lost.given_up, "evaluations given up, since memory was full");
    print_count(lost.dropped, "evaluations dropped, since there was no room");
    print_count(lost.unplaced, "evaluations whose run is not in the records");
    print_count(lost.circles, "evaluations that would be below themselves, made roots");
}

/* Of a part of the file: of which. */
static void print_session(const struct cli_rules *rules)
{
    uint64_t session = stave_report_session(rules->report);
    if (session == 0)
        return;
    cli_text_print(stdout, rules->trace->name, strlen(rules->trace->name));
    printf(": session %" PRIu64 "\n\n", session);
}

static int print_report(const struct cli_rules *rules, const struct cli_rules_list *list)
{
    if (list->at == NULL)
        return CLI_MISUSE;
    if (list->count == 0) {
        cli_message("%s: no rule has a name like %s", rules->trace->name, rules->name_pattern);
        return CLI_NO;
    }
    print_session(rules);
    print_rules(list);
    if (!print_runs(rules)) {
        cli_message("out of memory");
        return CLI_MISUSE;
    }
    if (is_wrong(rules->report))
        putchar('\n');
    print_wrong(rules->report);
    return CLI_DONE;
}

int cli_rules_print(const struct cli_rules *rules)
{
    if (cli_rules_explain_nothing(rules)) {
        print_wrong(rules->report);
        return CLI_NO;
    }
    struct cli_rules_list list = cli_rules_list(rules);
    int exit_status = print_report(rules, &list);
    free(list.at);
    return exit_status;
}
