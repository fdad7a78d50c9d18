#include "engine.h"

#include "evaluate.h"

void workflow_execute(const struct workflow *workflow, const struct order *order,
                      struct verdict *verdict)
{
    STAVE_RUN(run, workflow->name, STAVE_ID(order->number));
    *verdict = evaluate_rules(workflow, workflow->roots, order);
}

void workflow_execute_all(const struct workflow *workflow, const struct order *orders,
                          uint32_t count, struct verdict *verdicts)
{
    for (uint32_t i = 0; i < count; i++)
        workflow_execute(workflow, &orders[i], &verdicts[i]);
}

struct tally tally_of(const struct verdict *verdicts, uint32_t count)
{
    struct tally tally = {0};
    for (uint32_t i = 0; i < count; i++) {
        tally.passed += (unsigned)__builtin_popcountll(verdicts[i].passed);
        tally.failed += (unsigned)__builtin_popcountll(verdicts[i].failed);
        tally.threw += (unsigned)__builtin_popcountll(verdicts[i].threw);
        tally.skipped += (unsigned)__builtin_popcountll(verdicts[i].skipped);
        tally.orders_passed += (verdicts[i].failed | verdicts[i].skipped) == 0;
    }
    return tally;
}
