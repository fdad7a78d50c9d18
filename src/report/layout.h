/* report/layout.h - where each row of a model stands: in which run, in what, below what. docs/rules.md, "The tree".
 *
 *     struct stave__layout layout = {.model = &model, .graph = &graph};          // model: sorted
 *     if (stave__layout_enclose(&layout, error) < 0 ||       // enclose.c: what is around, the scope
 *         stave__layout_run(&layout, error) < 0 ||           // runs.c: which runs there are
 *         stave__layout_place(&layout, error) < 0 ||         // place.c: dependencies, parents, links
 *         stave__layout_cut(&layout, error) < 0) ...         // circles.c
 *     stave__layout_free(&layout);
 *
 * Rows are numbers in the order start, lane, serial: what is said of one stands in an array, by its number.  */
#ifndef STAVE_REPORT_LAYOUT_H
#define STAVE_REPORT_LAYOUT_H

#include "report/model.h"

/* A run with something in it. */
struct stave__laid_run {
    uint32_t row; /* its span; STAVE_NONE: it has none */
    uint32_t lane;
    uint64_t serial; /* of its span, also of one that is not in the records; 0: there is none */
    int64_t start, end;
};

struct stave__layout {
    struct stave__model *model;
    const struct stave__graph *graph;
    uint32_t *order;   /* all rows, each behind what is around it; NULL: as they stand */
    bool *is_node;     /* evaluations in the scope, and spans that have one around them */
    uint32_t *handle;  /* the row of the place in which it was begun by a handle; STAVE_NONE */
    bool *is_lost;     /* that place is not there */
    uint32_t *outmost; /* the run that it is in, as a row, or where the way outwards ends */
    uint32_t *thread;  /* the node directly around it on its thread */
    uint32_t *inside;  /* the node that it is directly in: by handle, or on its thread */
    uint32_t *run;     /* of nodes */
    struct stave__laid_run *runs;
    uint32_t runs_count;
    uint32_t *parent;   /* of nodes: a node; STAVE_NONE: a root */
    uint8_t *place;     /* enum stave_report_place */
    bool *is_missing;   /* an evaluation of which a dependency was not there */
    uint32_t *links_at; /* of each row where its links begin, and one more */
    uint32_t *links;    /* rows */
    uint32_t links_size;
    uint64_t unplaced, circles;
};

int stave__layout_enclose(struct stave__layout *layout, stave_error *error);
int stave__layout_run(struct stave__layout *layout, stave_error *error);
int stave__layout_place(struct stave__layout *layout, stave_error *error);
int stave__layout_cut(struct stave__layout *layout, stave_error *error);
void stave__layout_free(struct stave__layout *layout);

static inline uint32_t stave__layout_at(const struct stave__layout *layout, uint32_t index)
{
    return layout->order != NULL ? layout->order[index] : index;
}

static inline bool stave__is_evaluation(const struct stave__layout *layout, uint32_t row)
{
    return layout->is_node[row] && layout->model->rows[row].kind == STAVE__EVALUATION;
}

/* Whether two rows at which ways outwards end are one run: a run's span; what a thread evaluated outside of any;
 * what names one place that is not there. */
bool stave__is_same_run(const struct stave__layout *layout, uint32_t a, uint32_t b);

/* The evaluation that a handle names had ended when this one began: it caused it. */
static inline bool stave__is_caused(const struct stave__layout *layout, uint32_t row)
{
    uint32_t place = layout->handle[row];
    return place != STAVE_NONE && stave__is_evaluation(layout, place) && place < row &&
           layout->model->rows[place].end <= layout->model->rows[row].start;
}

#endif
