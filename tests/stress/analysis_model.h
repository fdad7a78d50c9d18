/* analysis_model.h - what a roll-up or a tree of a random trace must say, found by looking at every span, every union by
 * sorting intervals.
 *
 *     static struct model m;
 *     static struct expected e;
 *     model_make(&m, random, trace, cost, (struct window){0});
 *     model_expect(&m, name, &e);                          // the row of a name
 */
#ifndef ANALYSIS_MODEL_H
#define ANALYSIS_MODEL_H

#include "random_trace.h"
#include "stave/analyze.h"

#define SPANS_MAX 70 /* of a trace: the model is quadratic */
#define ROWS_MAX 4096

struct window {
    bool is;
    double from_us, to_us;
};

struct call {
    const struct random_span *span;
    size_t parent;
    uint32_t name;
    int64_t start, end; /* in the window */
    bool in;            /* the window */
    double self_ns, total_ns, busy_ns;
};

/* What a span cost to record, as the trace tells it. */
struct cost {
    double span_ns, inner_ns;
};

struct model {
    const struct random_trace *random;
    stave_trace *trace;
    struct window window;
    struct cost cost;
    struct call calls[SPANS_MAX];
    size_t count;
    size_t around[ROWS_MAX]; /* of each row the cumulative one around it, or RANDOM_NONE */
    double longest_ns;       /* total of a span: differences are rounded as it is */
};

struct expected {
    stave_rollup_row row;
    double durations[SPANS_MAX];
    size_t durations_count;
    double timed_ns;
};

/* `trace` is what random->trace has become in a file. */
void model_make(struct model *m, const struct random_trace *random, stave_trace *trace,
                struct cost cost, struct window window);

void model_expect(const struct model *m, uint32_t name, struct expected *e);

#endif
