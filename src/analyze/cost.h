/* analyze/cost.h - what recording took of the times that it recorded, as the recorder of the trace tells it.
 *
 * A call costs whoever is around it on its lane `span_ns`. Of that `inner_ns` lie in the call's own time, the rest in the
 * self of the span that it is directly in. docs/analysis.md has the whole of it.  */
#ifndef STAVE_ANALYZE_COST_H
#define STAVE_ANALYZE_COST_H

#include "stave/trace.h"

/* All 0: not told. Never negative, inner_ns at most span_ns. */
struct stave__cost {
    double span_ns, inner_ns;
};

struct stave__cost stave__cost_told(const stave_trace *trace);

/* What is in the times of calls, of one or of an entry's count: `within` are the calls inside them, `directly` those
 * that are directly in them. */
static inline double stave__cost_of_total(struct stave__cost cost, double calls, double within)
{
    return cost.inner_ns * calls + cost.span_ns * within;
}

static inline double stave__cost_of_self(struct stave__cost cost, double calls, double directly)
{
    return cost.inner_ns * calls + (cost.span_ns - cost.inner_ns) * directly;
}

#endif
