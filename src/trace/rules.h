/* trace/rules.h - what a trace says of rules: the tables 40 to 43 of docs/format.md ("Rules").
 *
 *     const struct stave__rule_tables *tables = stave__trace_rules(trace);
 *     for (uint32_t i = 0; i < tables->rules.rows; i++) {
 *         const struct stave__rule_row *rule = stave__table_at(&tables->rules, i);
 *         ...
 *     }
 *
 * As in the file: texts, boots and lanes are there, names and ids need not be those of rules. A row whose name is 0 was
 * lost.  */
#ifndef STAVE_TRACE_RULES_H
#define STAVE_TRACE_RULES_H

#include "base/table.h"
#include "stave/trace.h"
#include "store/header.h"

enum stave__rule_role {
    STAVE__ROLE_RULE = 0,
    STAVE__ROLE_RUN = 1,
    STAVE__ROLE_SKIPPED = 2, /* keys of attributes, from here on */
    STAVE__ROLE_CACHED = 3,
    STAVE__ROLE_CANCELLED = 4,
    STAVE__ROLE_TIMED_OUT = 5
};

struct stave__rule_row {
    uint32_t name; /* string id, no other row's */
    uint32_t id;   /* string ids of ids: compared by their texts */
    uint32_t role; /* enum stave__rule_role; others are passed over */
    uint32_t parent;
    bool has_parent;
};

struct stave__dependency_row {
    uint32_t rule;       /* string id of a name */
    uint32_t depends_on; /* string id of an id */
};

struct stave__session_row {
    uint64_t number; /* in its process, from 1 */
    uint32_t boot;
    uint32_t lane;       /* index plus 1; 0: all */
    int64_t start, stop; /* ticks; INT64_MAX: it goes on */
    uint64_t given_up, dropped;
};

/* Times in nanoseconds, UINT64_MAX: not known. */
struct stave__summary_row {
    uint64_t session; /* its number */
    uint32_t rule;    /* string id of a name */
    uint64_t calls, failed, skipped, cached, cancelled, timed_out;
    uint64_t total, self, first, least, most;
};

struct stave__rule_tables {
    struct stave__table rules, dependencies, sessions, summaries;
};

const struct stave__rule_tables *stave__trace_rules(const stave_trace *trace);

int stave__trace_add_rule(stave_trace *trace, const struct stave__rule_row *row,
                          stave_error *error);
int stave__trace_add_dependency(stave_trace *trace, const struct stave__dependency_row *row,
                                stave_error *error);
int stave__trace_add_session(stave_trace *trace, const struct stave__session_row *row,
                             stave_error *error);
int stave__trace_add_summary(stave_trace *trace, const struct stave__summary_row *row,
                             stave_error *error);

/* For tables.c and lost.c: NULL for a kind that is none of theirs; whether what a row refers to is there; what is not
 * becomes 0. */
void stave__rule_tables_init(struct stave__rule_tables *tables);
void stave__rule_tables_free(struct stave__rule_tables *tables);
struct stave__table *stave__rule_table_of(struct stave__rule_tables *tables,
                                          enum stave__table_kind kind);
bool stave__rules_row_is_right(const stave_trace *trace, enum stave__table_kind kind,
                               const void *row);
void stave__rules_row_settle(const stave_trace *trace, enum stave__table_kind kind, void *row);

/* The trace in a file that is open for reading, which it closes at its end, also after an error. */
int stave__trace_open_descriptor(int fd, stave_trace **trace, stave_error *error);

#endif
