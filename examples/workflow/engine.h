/* engine.h - orders through a workflow.
 *
 *     struct verdict verdict;
 *     workflow_execute(workflow, &order, &verdict);                              // on this thread
 *     workflow_execute_all(workflow, orders, count, verdicts);                   // one after the other
 *     workflow_execute_parallel(workflow, pool, orders, count, verdicts);        // on all of the pool's
 *
 * A rule whose condition does not hold, or throws, has not passed; nor has one of whose parts one has not. What comes after
 * it is skipped, and so are its parts if it is its own condition.
 *
 * Threads    Of the pool, each takes an order and evaluates its rules, the highest priority of those whose turn it is first. One
 *            that has no order any more, or has to wait for a rule of its own, helps others with theirs: so the rules of one order
 *            may be evaluated by several threads at once, but for parts, which stay with what they are in.
 * Traced     Each order is a run, whose id is the order's number; each rule that is evaluated an evaluation in it. */
#ifndef WORKFLOW_ENGINE_H
#define WORKFLOW_ENGINE_H

#include "pool.h"
#include "workflow.h"

/* Sets of rules; each rule is in one of passed, failed and skipped. */
struct verdict {
    uint64_t passed;
    uint64_t failed;
    uint64_t threw; /* of those that failed */
    uint64_t skipped;
};

/* Of all rules and orders. */
struct tally {
    uint64_t passed, failed, threw, skipped;
    uint64_t orders_passed; /* those with no rule that did not */
};

void workflow_execute(const struct workflow *workflow, const struct order *order,
                      struct verdict *verdict);
void workflow_execute_all(const struct workflow *workflow, const struct order *orders,
                          uint32_t count, struct verdict *verdicts);
void workflow_execute_parallel(const struct workflow *workflow, struct pool *pool,
                               const struct order *orders, uint32_t count,
                               struct verdict *verdicts);

struct tally tally_of(const struct verdict *verdicts, uint32_t count);

#endif
