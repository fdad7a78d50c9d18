/* report/report.h - a report in memory, and how it is made of a model.
 *
 *     struct stave__model model;                                       // read.c, or a test, has filled it
 *     stave_report *report;
 *     if (stave__report_make(&model, &report, error) < 0) ...          // the model is used up, also after an error
 *
 * What is known of a row while the report is made stands in struct stave__making; each step has a file of its own and
 * adds to the report.  */
#ifndef STAVE_REPORT_REPORT_H
#define STAVE_REPORT_REPORT_H

#include "report/layout.h"

struct stave_report {
    struct stave__strings texts;
    struct stave__graph graph;
    stave_report_node *nodes;
    uint32_t nodes_count;
    uint32_t *links_at;      /* of each node where its links begin, and one more */
    uint32_t *links;         /* nodes */
    stave_rule_stats *rules; /* as they are shown */
    uint32_t *shown;         /* of each of the graph's where it is shown */
    stave_report_run *runs;
    uint32_t runs_count;
    uint32_t *critical; /* all paths */
    uint32_t *lanes;    /* names, texts */
    uint32_t lanes_count;
    stave_report_lost lost;
    uint64_t session; /* 0: all */
};

struct stave__making {
    stave_report *report;
    struct stave__model *model;
    struct stave__layout layout;
    uint32_t *node; /* of each row its node; STAVE_NONE: it is none */
    uint32_t *row;  /* of each node its row */
};

int stave__report_make(struct stave__model *model, stave_report **report, stave_error *error);

/* The steps, in this order. False: out of memory. Until the last, a node's `rule` is the graph's, not as shown. */
bool stave__make_nodes(struct stave__making *making);    /* nodes.c */
bool stave__make_sums(struct stave__making *making);     /* sums.c */
bool stave__make_runs(struct stave__making *making);     /* report.c */
bool stave__make_critical(struct stave__making *making); /* critical.c */
bool stave__make_stats(struct stave__making *making);    /* stats.c */

static inline const struct stave__model_row *stave__row_of(const struct stave__making *making,
                                                           uint32_t node)
{
    return &making->model->rows[making->row[node]];
}

/* As files have it: whole nanoseconds from the origin. A file that is not sound may have sums beyond all times. */
static inline uint64_t stave__whole_ns(double ns)
{
    const double most = 9e18;
    if (!(ns > 0))
        return 0;
    return (uint64_t)((ns < most ? ns : most) + 0.5);
}

#endif
