/* cli/rules.h - a trace with rules: what `stave report` and `stave tree` show of it.
 *
 *     if (cli_rules_are_shown(trace, spans)) {                      // it has rules, and --spans was not given
 *         struct cli_rules rules = {.trace = trace, .session = session};
 *         return cli_rules_use(&rules, print, context);
 *     }
 */
#ifndef STAVE_CLI_RULES_H
#define STAVE_CLI_RULES_H

#include "cli/input.h"
#include "cli/json.h"
#include "stave/report.h"

struct cli_rules {
    const struct cli_trace *trace;
    uint64_t session; /* asked for; 0: none */
    const stave_report *report;
    const char *name_pattern; /* of rules, of runs; NULL: all */
    uint64_t limit;           /* rules that are shown; 0: all */
    /* of a tree */
    uint64_t run; /* its number, from 1; 0: see the next two */
    bool slowest;
    const char *id; /* of a run */
    uint32_t levels;
    const char *path; /* of a file to be written */
};

bool cli_rules_are_shown(const struct cli_trace *trace, bool spans);

/* For an option that only spans or only rules have. False after a message. */
bool cli_rules_allow(const struct cli_trace *trace, const char *option, const char *given,
                     bool are_rules);

/* A number of --session, or 0; false after a message. */
bool cli_session_parse(const char *text, uint64_t *session);

/* Makes the report, shows it, frees it: what the command exits with. */
int cli_rules_use(struct cli_rules *rules, int (*show)(const struct cli_rules *rules));

/* Nothing was evaluated or summed up: true, after a message. */
bool cli_rules_explain_nothing(const struct cli_rules *rules);

/* Columns of a name on no terminal: descriptions may be of 32 KiB. */
#define CLI_RULES_NAME_MOST 200

/* The rules to be shown, and how many more there are than the limit. */
struct cli_rules_list {
    const stave_rule_stats **at; /* to be freed; NULL after a message */
    size_t count, more;
};

struct cli_rules_list cli_rules_list(const struct cli_rules *rules);

/* The description, or where there is none the id. */
const char *cli_rule_name(const stave_rule_stats *rule);
const char *cli_rule_node_name(const stave_report *report, const stave_report_node *node);

/* What `show` may be. */
int cli_rules_print(const struct cli_rules *rules);      /* rules_table.c */
int cli_rules_json(const struct cli_rules *rules);       /* rules_json.c */
int cli_rules_tree_print(const struct cli_rules *rules); /* rules_tree.c */
int cli_rules_tree_json(const struct cli_rules *rules);  /* rules_json.c */

/* Of each node of a report its level below the roots of the run, STAVE_NONE of those of others: a run that lies in another
 * one's evaluation has its roots in there. To be freed; NULL after a message. */
uint32_t *cli_rules_levels(const struct cli_rules *rules, uint32_t run);

/* The run that a tree is of, or STAVE_NONE after a message. */
uint32_t cli_rules_choose_run(const struct cli_rules *rules);

#endif
