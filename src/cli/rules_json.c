/* What `stave report --json` and `stave tree --json` print of rules. */
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/names.h"
#include "cli/rules.h"

#define REPORT_SCHEMA "stave.rules/1"
#define TREE_SCHEMA "stave.rules.tree/1"

static void put_text_if(struct cli_json *json, const char *key, const char *text)
{
    if (text != NULL)
        cli_json_word(json, key, text);
    else
        cli_json_double(json, key, (double)NAN); /* null */
}

/* ---- rules ----------------------------------------------------------------------------------- */

#define COUNTS(X)                                                                                  \
    X(calls)                                                                                       \
    X(failed)                                                                                      \
    X(skipped)                                                                                     \
    X(cached) X(cancelled) X(timed_out) X(unfinished) X(summed) X(missing) X(timed) X(critical)
#define TIMES(X)                                                                                   \
    X(self_ns)                                                                                     \
    X(total_ns) X(busy_ns) X(first_ns) X(min_ns) X(mean_ns) X(median_ns) X(p99_ns) X(max_ns)

static void put_rule(struct cli_json *json, const stave_rule_stats *rule)
{
    cli_json_open(json, NULL, '{');
    cli_json_word(json, "id", rule->id);
    cli_json_word(json, "description", rule->description);
    cli_json_bool(json, "is_known", rule->is_known);
#define PUT(member) cli_json_u64(json, #member, rule->member);
    COUNTS(PUT)
#undef PUT
#define PUT(member) cli_json_whole(json, #member, rule->member);
    TIMES(PUT)
#undef PUT
    cli_json_close(json);
}

static void put_rules(struct cli_json *json, const struct cli_rules_list *list)
{
    cli_json_u64(json, "more_rules", list->more);
    cli_json_open(json, "rules", '[');
    for (size_t i = 0; i < list->count; i++)
        put_rule(json, list->at[i]);
    cli_json_close(json);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void put_step(struct cli_json *json, const stave_report *report,
                     const stave_report_node *node)
{
    cli_json_open(json, NULL, '{');
    cli_json_word(json, "id", stave_report_rule_at(report, node->rule)->id);
    cli_json_whole(json, "start_ns", node->start_ns);
    cli_json_whole(json, "end_ns", node->end_ns);
    cli_json_close(json);
}

static void put_run_members(struct cli_json *json, const stave_report *report,
                            const stave_report_run *run)
{
    cli_json_word(json, "name", run->name);
    put_text_if(json, "id", run->id);
    cli_json_word(json, "lane", stave_report_lane_name(report, run->lane));
    cli_json_u64(json, "serial", run->serial);
    cli_json_u64(json, "evaluations", run->evaluations);
    cli_json_u64(json, "skipped", run->skipped);
    cli_json_bool(json, "is_unfinished", run->is_unfinished);
    cli_json_whole(json, "start_ns", run->start_ns);
    cli_json_whole(json, "end_ns", run->end_ns);
    cli_json_whole(json, "busy_ns", run->busy_ns);
    cli_json_whole(json, "critical_ns", run->critical_ns);
}

static void put_runs(struct cli_json *json, const stave_report *report)
{
    cli_json_open(json, "runs", '[');
    for (uint32_t i = 0; i < stave_report_run_count(report); i++) {
        const stave_report_run *run = stave_report_run_at(report, i);
        cli_json_open(json, NULL, '{');
        put_run_members(json, report, run);
        cli_json_open(json, "critical", '[');
        for (uint32_t n = 0; n < run->critical_count; n++)
            put_step(json, report, stave_report_node_at(report, run->critical[n]));
        cli_json_close(json);
        cli_json_close(json);
    }
    cli_json_close(json);
}

/* ---- what is wrong --------------------------------------------------------------------------- */

#define CYCLE_SHOWN 1024u /* rules of a cycle */

static void put_cycles(struct cli_json *json, const stave_report *report)
{
    static uint32_t rules[CYCLE_SHOWN];
    cli_json_open(json, "cycles", '[');
    for (uint32_t i = 0; i < stave_report_cycle_count(report); i++) {
        uint32_t count = stave_report_cycle_at(report, i, rules, CYCLE_SHOWN);
        cli_json_open(json, NULL, '{');
        cli_json_u64(json, "count", count);
        cli_json_open(json, "rules", '[');
        for (uint32_t r = 0; r < count && r < CYCLE_SHOWN; r++)
            cli_json_word(json, NULL, stave_report_rule_at(report, rules[r])->id);
        cli_json_close(json);
        cli_json_close(json);
    }
    cli_json_close(json);
}

static void put_lost(struct cli_json *json, const stave_report *report)
{
    stave_report_lost lost;
    stave_report_lost_of(report, &lost);
    cli_json_open(json, "lost", '{');
    cli_json_u64(json, "given_up", lost.given_up);
    cli_json_u64(json, "dropped", lost.dropped);
    cli_json_u64(json, "records", lost.records);
    cli_json_u64(json, "unplaced", lost.unplaced);
    cli_json_u64(json, "circles", lost.circles);
    cli_json_close(json);
}

static void put_head(struct cli_json *json, const struct cli_rules *rules, const char *schema)
{
    cli_json_open(json, NULL, '{');
    cli_json_word(json, "schema", schema);
    cli_json_word(json, "file", rules->trace->name);
    uint64_t session = stave_report_session(rules->report);
    if (session != 0)
        cli_json_u64(json, "session", session);
    else
        put_text_if(json, "session", NULL);
}

int cli_rules_json(const struct cli_rules *rules)
{
    struct cli_json json = {.to = stdout};
    struct cli_rules_list list = cli_rules_list(rules);
    if (list.at == NULL)
        return CLI_MISUSE;
    put_head(&json, rules, REPORT_SCHEMA);
    put_rules(&json, &list);
    free(list.at);
    put_runs(&json, rules->report);
    put_cycles(&json, rules->report);
    put_lost(&json, rules->report);
    cli_json_close(&json);
    return cli_rules_explain_nothing(rules) ? CLI_NO : CLI_DONE;
}

/* ---- a tree ---------------------------------------------------------------------------------- */

static const char *const places[] = {"root", "dependency", "inside", "parent"};

struct writing {
    struct cli_json json;
    const struct cli_rules *rules;
    uint32_t run;
    uint32_t *shown; /* of each node its number among those shown; STAVE_NONE: it is not */
};

static void put_number_if(struct cli_json *json, const char *key, uint32_t number)
{
    if (number != STAVE_NONE)
        cli_json_u64(json, key, number);
    else
        put_text_if(json, key, NULL);
}

static void put_place(struct writing *w, uint32_t index, const stave_report_node *node)
{
    uint32_t count;
    const uint32_t *links = stave_report_links(w->rules->report, index, &count);
    put_number_if(&w->json, "parent",
                  node->parent != STAVE_NONE ? w->shown[node->parent] : STAVE_NONE);
    cli_json_word(&w->json, "place", places[node->place]);
    cli_json_open(&w->json, "links", '[');
    for (uint32_t i = 0; i < count; i++)
        if (w->shown[links[i]] != STAVE_NONE)
            cli_json_u64(&w->json, NULL, w->shown[links[i]]);
    cli_json_close(&w->json);
}

static void put_times(struct writing *w, const stave_report_node *node)
{
    cli_json_whole(&w->json, "start_ns", node->start_ns);
    cli_json_whole(&w->json, "end_ns", node->end_ns);
    cli_json_whole(&w->json, "self_ns", node->self_ns);
    cli_json_whole(&w->json, "total_ns", node->total_ns);
    cli_json_whole(&w->json, "busy_ns", node->busy_ns);
    cli_json_whole(&w->json, "slack_ns", node->rule != STAVE_NONE ? node->slack_ns : (double)NAN);
    cli_json_bool(&w->json, "critical", node->is_critical);
}

static void put_node(struct writing *w, uint32_t index)
{
    const stave_report *report = w->rules->report;
    const stave_report_node *node = stave_report_node_at(report, index);
    cli_json_open(&w->json, NULL, '{');
    put_text_if(&w->json, "rule",
                node->rule != STAVE_NONE ? stave_report_rule_at(report, node->rule)->id : NULL);
    cli_json_word(&w->json, "name", node->name);
    cli_json_word(&w->json, "lane", stave_report_lane_name(report, node->lane));
    cli_json_u64(&w->json, "serial", node->serial);
    put_place(w, index, node);
    put_times(w, node);
    cli_json_word(&w->json, "outcome", stave_outcome_text(node->outcome));
    put_text_if(&w->json, "reason", node->reason);
    cli_json_close(&w->json);
}

static void put_tree(struct writing *w)
{
    const stave_report *report = w->rules->report;
    put_head(&w->json, w->rules, TREE_SCHEMA);
    cli_json_open(&w->json, "run", '{');
    cli_json_u64(&w->json, "number", (uint64_t)w->run + 1);
    cli_json_u64(&w->json, "runs", stave_report_run_count(report));
    put_run_members(&w->json, report, stave_report_run_at(report, w->run));
    cli_json_close(&w->json);
    cli_json_open(&w->json, "nodes", '[');
    for (uint32_t i = 0; i < stave_report_node_count(report); i++)
        if (w->shown[i] != STAVE_NONE)
            put_node(w, i);
    cli_json_close(&w->json);
    cli_json_close(&w->json);
}

/* Those of the run, down to the last level; where their levels stood. */
static void number_nodes(struct writing *w)
{
    uint32_t count = 0, nodes = stave_report_node_count(w->rules->report);
    for (uint32_t i = 0; i < nodes; i++) {
        bool is_shown = w->shown[i] != STAVE_NONE && w->shown[i] < w->rules->levels;
        w->shown[i] = is_shown ? count++ : STAVE_NONE;
    }
}

int cli_rules_tree_json(const struct cli_rules *rules)
{
    struct writing w = {.json = {.to = stdout}, .rules = rules};
    w.run = cli_rules_choose_run(rules);
    if (w.run == STAVE_NONE)
        return CLI_NO;
    w.shown = cli_rules_levels(rules, w.run);
    if (w.shown == NULL)
        return CLI_MISUSE;
    number_nodes(&w);
    put_tree(&w);
    free(w.shown);
    return CLI_DONE;
}
