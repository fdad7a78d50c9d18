/* evaluate.h - one rule, and what is in it: what both ways to execute a workflow are made of. */
#ifndef WORKFLOW_EVALUATE_H
#define WORKFLOW_EVALUATE_H

#include "engine.h"

/* Of these rules the one that is numbered first; there has to be one. */
static inline int first_rule(uint64_t rules)
{
    return __builtin_ctzll(rules);
}

/* Evaluates or skips a rule of which all that it comes after is in `done`. Returns what came of it and its parts. */
struct verdict evaluate_rule(const struct workflow *workflow, int number, const struct order *order,
                             const struct verdict *done);

/* The same in a run that may be another thread's. */
struct verdict evaluate_rule_in(const struct workflow *workflow, int number,
                                const struct order *order, const struct verdict *done,
                                stave_run run);

/* These rules, one after the other. */
struct verdict evaluate_rules(const struct workflow *workflow, uint64_t rules,
                              const struct order *order);

#endif
