#include "trace/rules.h"

#include "base/error.h"
#include "trace/trace.h"

void stave__rule_tables_init(struct stave__rule_tables *tables)
{
    tables->rules.row_size = sizeof(struct stave__rule_row);
    tables->dependencies.row_size = sizeof(struct stave__dependency_row);
    tables->sessions.row_size = sizeof(struct stave__session_row);
    tables->summaries.row_size = sizeof(struct stave__summary_row);
}

void stave__rule_tables_free(struct stave__rule_tables *tables)
{
    stave__table_free(&tables->rules);
    stave__table_free(&tables->dependencies);
    stave__table_free(&tables->sessions);
    stave__table_free(&tables->summaries);
}

struct stave__table *stave__rule_table_of(struct stave__rule_tables *tables,
                                          enum stave__table_kind kind)
{
    switch (kind) {
    case STAVE__RULES:
        return &tables->rules;
    case STAVE__DEPENDENCIES:
        return &tables->dependencies;
    case STAVE__SESSIONS:
        return &tables->sessions;
    case STAVE__SUMMARIES:
        return &tables->summaries;
    default:
        return NULL;
    }
}

const struct stave__rule_tables *stave__trace_rules(const stave_trace *trace)
{
    return &trace->rules;
}

/* ---- references ------------------------------------------------------------------------------ */

bool stave__rules_row_is_right(const stave_trace *trace, enum stave__table_kind kind,
                               const void *row)
{
    uint32_t strings = stave_trace_strings(trace);
    const struct stave__rule_row *rule = row;
    const struct stave__dependency_row *dependency = row;
    const struct stave__session_row *session = row;
    const struct stave__summary_row *summary = row;
    switch (kind) {
    case STAVE__RULES:
        return rule->name < strings && rule->id < strings && rule->parent < strings;
    case STAVE__DEPENDENCIES:
        return dependency->rule < strings && dependency->depends_on < strings;
    case STAVE__SESSIONS:
        return session->boot < stave_trace_boots(trace) &&
               session->lane <= stave_trace_lanes(trace);
    case STAVE__SUMMARIES:
        return summary->rule < strings;
    default:
        return true;
    }
}

static void settle(uint32_t *reference, uint32_t strings)
{
    if (*reference >= strings)
        *reference = 0;
}

/* What is said of a rule without its name, or of one without its id, is said of none. */
void stave__rules_row_settle(const stave_trace *trace, enum stave__table_kind kind, void *row)
{
    uint32_t strings = stave_trace_strings(trace);
    struct stave__rule_row *rule = row;
    struct stave__dependency_row *dependency = row;
    struct stave__summary_row *summary = row;
    if (kind == STAVE__RULES) {
        if (rule->id >= strings)
            rule->name = rule->id = 0;
        if (rule->parent >= strings)
            rule->has_parent = false;
        settle(&rule->name, strings);
        settle(&rule->parent, strings);
    } else if (kind == STAVE__DEPENDENCIES) {
        if (dependency->depends_on >= strings)
            dependency->rule = dependency->depends_on = 0;
        settle(&dependency->rule, strings);
    } else if (kind == STAVE__SUMMARIES) {
        settle(&summary->rule, strings);
    }
}

/* ---- adding ---------------------------------------------------------------------------------- */

int stave__trace_add_rule(stave_trace *trace, const struct stave__rule_row *row, stave_error *error)
{
    struct stave__rule_row *added = stave__table_add(&trace->rules.rules);
    if (added == NULL)
        return stave__fail_memory(error);
    *added = *row;
    return STAVE_OK;
}

int stave__trace_add_dependency(stave_trace *trace, const struct stave__dependency_row *row,
                                stave_error *error)
{
    struct stave__dependency_row *added = stave__table_add(&trace->rules.dependencies);
    if (added == NULL)
        return stave__fail_memory(error);
    *added = *row;
    return STAVE_OK;
}

int stave__trace_add_session(stave_trace *trace, const struct stave__session_row *row,
                             stave_error *error)
{
    struct stave__session_row *added = stave__table_add(&trace->rules.sessions);
    if (added == NULL)
        return stave__fail_memory(error);
    *added = *row;
    return STAVE_OK;
}

int stave__trace_add_summary(stave_trace *trace, const struct stave__summary_row *row,
                             stave_error *error)
{
    struct stave__summary_row *added = stave__table_add(&trace->rules.summaries);
    if (added == NULL)
        return stave__fail_memory(error);
    *added = *row;
    return STAVE_OK;
}
