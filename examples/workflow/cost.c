#include "cost.h"

#include <stdio.h>

#include "watch.h"

struct cost {
    const struct workflow *workflow;
    const struct orders *orders;
    struct pool *pool; /* NULL: on this thread */
    struct verdict *verdicts;
    unsigned passes;
    stave_error *error;
};

static double execute(const struct cost *cost)
{
    double begin_ms = processor_ms();
    if (cost->pool != NULL)
        workflow_execute_parallel(cost->workflow, cost->pool, cost->orders->at, cost->orders->count,
                                  cost->verdicts);
    else
        workflow_execute_all(cost->workflow, cost->orders->at, cost->orders->count, cost->verdicts);
    return processor_ms() - begin_ms;
}

/* What a session lost was captured, too, until it was given up. Below 0: no session. */
static double execute_captured(const struct cost *cost)
{
    stave_session *session = stave_session_start(NULL, cost->error);
    if (session == NULL)
        return -1;
    double ms = execute(cost);
    stave_session_free(session);
    return ms;
}

static double least(const double *values, unsigned count)
{
    double found = values[0];
    for (unsigned i = 1; i < count; i++)
        found = values[i] < found ? values[i] : found;
    return found;
}

static void show(const struct cost *cost, const char *name, double without_ms, double with_ms)
{
    struct tally tally = tally_of(cost->verdicts, cost->orders->count);
    double evaluated = (double)(tally.passed + tally.failed);
    printf("%-20s %10.1f %10.1f %9.1f %% %12.1f %12.1f\n", name, without_ms, with_ms,
           100 * (with_ms / without_ms - 1), without_ms * 1e6 / evaluated,
           (with_ms - without_ms) * 1e6 / evaluated);
}

static bool measure(const struct cost *cost, const char *name)
{
    double without_ms[COST_PASSES_MAX] = {0}, with_ms[COST_PASSES_MAX] = {0};
    for (unsigned i = 0; i < cost->passes; i++) {
        without_ms[i] = execute(cost);
        with_ms[i] = execute_captured(cost);
        if (with_ms[i] < 0)
            return false;
    }
    show(cost, name, least(without_ms, cost->passes), least(with_ms, cost->passes));
    return true;
}

bool cost_show(const struct workflow *workflow, const struct orders *orders, struct pool *pool,
               unsigned passes, struct verdict *verdicts, stave_error *error)
{
    struct cost cost = {.workflow = workflow,
                        .orders = orders,
                        .verdicts = verdicts,
                        .passes = passes,
                        .error = error};
    printf("\nWhat capture costs in processor time, the fastest of %u passes each\n", passes);
    printf("%-20s %10s %10s %11s %12s %12s\n", "", "without ms", "with ms", "more", "ns a rule",
           "ns more");
    bool is_done = measure(&cost, "execute");
    cost.pool = pool;
    return is_done && measure(&cost, "execute-parallel");
}
