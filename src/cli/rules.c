#include "cli/rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/times.h"

bool cli_rules_are_shown(const struct cli_trace *trace, bool spans)
{
    return !spans && stave_trace_has_rules(trace->trace);
}

bool cli_rules_allow(const struct cli_trace *trace, const char *option, const char *given,
                     bool are_rules)
{
    if (given == NULL)
        return true;
    if (are_rules)
        cli_message("%s: it has rules, and %s is for spans; --spans shows these", trace->name,
                    option);
    else
        cli_message("%s: %s is for rules, and spans are shown", trace->name, option);
    return false;
}

bool cli_session_parse(const char *text, uint64_t *session)
{
    return text == NULL || cli_number_parse("--session", text, 1, UINT64_MAX, session);
}

/* What was lost in the session is an answer of no, as any loss. */
static int end(const struct cli_rules *rules, int exit_status)
{
    stave_report_lost lost;
    stave_report_lost_of(rules->report, &lost);
    bool is_lossy = lost.given_up + lost.dropped + lost.unplaced > 0;
    return exit_status == CLI_DONE && rules->trace->strict && is_lossy ? CLI_NO : exit_status;
}

int cli_rules_use(struct cli_rules *rules, int (*show)(const struct cli_rules *rules))
{
    stave_error error = {0};
    stave_report_config config = {.session = rules->session, .progress = cli_progress_report()};
    cli_progress_begin("reading", rules->trace->name);
    stave_report *report = stave_report_from_trace(rules->trace->trace, &config, &error);
    cli_progress_end();
    if (report == NULL) {
        cli_message("%s: %s", rules->trace->name, error.message);
        return error.status == STAVE_E_NOTHING ? CLI_NO : CLI_MISUSE;
    }
    rules->report = report;
    int exit_status = end(rules, show(rules));
    stave_report_free(report);
    return exit_status;
}

bool cli_rules_explain_nothing(const struct cli_rules *rules)
{
    const stave_report *report = rules->report;
    for (size_t i = 0; i < stave_report_rule_count(report); i++) {
        const stave_rule_stats *rule = stave_report_rule_at(report, i);
        if (rule->calls + rule->skipped > 0)
            return false;
    }
    cli_message("%s: no evaluations in it", rules->trace->name);
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

struct cli_rules_list cli_rules_list(const struct cli_rules *rules)
{
    size_t all = stave_report_rule_count(rules->report);
    struct cli_rules_list list = {.at = calloc(all + 1, sizeof(stave_rule_stats *))};
    if (list.at == NULL)
        cli_message("out of memory");
    for (size_t i = 0; list.at != NULL && i < all; i++) {
        const stave_rule_stats *rule = stave_report_rule_at(rules->report, i);
        if (!cli_text_matches(cli_rule_name(rule), rules->name_pattern))
            continue;
        if (rules->limit != 0 && list.count == rules->limit)
            list.more++;
        else
            list.at[list.count++] = rule;
    }
    return list;
}

const char *cli_rule_name(const stave_rule_stats *rule)
{
    return rule->description[0] != '\0' ? rule->description : rule->id;
}

const char *cli_rule_node_name(const stave_report *report, const stave_report_node *node)
{
    return node->rule != STAVE_NONE ? cli_rule_name(stave_report_rule_at(report, node->rule))
                                    : node->name;
}

/* ---- which run ------------------------------------------------------------------------------- */

static bool is_wanted(const struct cli_rules *rules, const stave_report_run *run)
{
    if (!cli_text_matches(run->name, rules->name_pattern))
        return false;
    return rules->id == NULL || (run->id != NULL && strcmp(run->id, rules->id) == 0);
}

/* Of those that are wanted: the Nth, the one that took longest, the newest with its id; else the first. */
static uint32_t find_run(const struct cli_rules *rules)
{
    uint32_t found = STAVE_NONE;
    uint64_t passed = 0;
    double longest = -1;
    for (uint32_t i = 0; i < stave_report_run_count(rules->report); i++) {
        const stave_report_run *run = stave_report_run_at(rules->report, i);
        double took = run->end_ns - run->start_ns;
        if (!is_wanted(rules, run))
            continue;
        passed++;
        bool is_it = rules->slowest      ? took > longest
                     : rules->id != NULL ? true
                     : rules->run != 0   ? passed == rules->run
                                         : found == STAVE_NONE;
        longest = is_it ? took : longest;
        found = is_it ? i : found;
    }
    return found;
}

uint32_t *cli_rules_levels(const struct cli_rules *rules, uint32_t run)
{
    uint32_t count = stave_report_node_count(rules->report);
    uint32_t *levels = malloc(((size_t)count + 1) * sizeof *levels);
    if (levels == NULL) {
        cli_message("out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) { /* parents come first */
        const stave_report_node *node = stave_report_node_at(rules->report, i);
        uint32_t above = node->parent != STAVE_NONE ? levels[node->parent] : STAVE_NONE;
        levels[i] = node->run != run ? STAVE_NONE : above != STAVE_NONE ? above + 1 : 0;
    }
    return levels;
}

uint32_t cli_rules_choose_run(const struct cli_rules *rules)
{
    uint32_t run = find_run(rules);
    if (run == STAVE_NONE)
        cli_message("%s: there is no such run; it has %" PRIu32, rules->trace->name,
                    stave_report_run_count(rules->report));
    return run;
}
