/* cost.h - what it costs to capture, measured on all orders. */
#ifndef WORKFLOW_COST_H
#define WORKFLOW_COST_H

#include "engine.h"

enum { COST_PASSES_MAX = 99 };

/* Passes with and without a session take turns; the fastest of each counts, the one that other work on the machine
 * held up least. */
bool cost_show(const struct workflow *workflow, const struct orders *orders, struct pool *pool,
               unsigned passes, struct verdict *verdicts, stave_error *error);

#endif
