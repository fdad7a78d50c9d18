#include "analyze/cost.h"

#include <string.h>

#define MOST_NS 1e9 /* a file may say anything */

/* Below 0: the trace does not say it, or it cannot be. */
static double told(const stave_trace *trace, const char *key)
{
    const stave_property *property = stave_trace_find_property(trace, key);
    double value;
    if (property == NULL || property->flags != STAVE_FLAG_REAL)
        return -1;
    memcpy(&value, &property->value, sizeof value);
    return value >= 0 && value <= MOST_NS ? value : -1;
}

struct stave__cost stave__cost_told(const stave_trace *trace)
{
    struct stave__cost cost = {.span_ns = told(trace, "record.span_ns"),
                               .inner_ns = told(trace, "record.inner_ns")};
    bool is_told = cost.span_ns > 0 && cost.inner_ns >= 0 && cost.inner_ns <= cost.span_ns;
    return is_told ? cost : (struct stave__cost){0};
}
