/* report/model.h - what a report is made from: evaluations, the spans and runs around and in them, rules. Plain arrays.
 *
 *     struct stave__model model;
 *     if (stave__model_init(&model, error) < 0) ...
 *     struct stave__model_row *row = stave__model_add(&model);              // NULL: out of memory, or too many
 *     *row = (struct stave__model_row){.start = 0, .end = 4, .serial = 1, .kind = STAVE__EVALUATION, ...};
 *     if (stave__model_sort(&model, error) < 0) ...
 *     stave__model_free(&model);
 *
 * Times are whole numbers of a unit, so that sums are exact. Rows may come in any order.  */
#ifndef STAVE_REPORT_MODEL_H
#define STAVE_REPORT_MODEL_H

#include "report/graph.h"
#include "stave/report.h"

enum stave__row_of {
    STAVE__EVALUATION,
    STAVE__SPAN, /* a node if an evaluation is around it */
    STAVE__RUN,
};

struct stave__model_row {
    int64_t start, end; /* units; end >= start */
    uint64_t serial;
    uint64_t place;  /* with place_lane: the serial of the place that it was begun in by a handle */
    uint32_t around; /* the row directly around it on its thread; STAVE_NONE */
    uint32_t lane, place_lane;
    uint32_t rule;  /* of an evaluation: a declared one; once sorted: the graph's */
    uint32_t name;  /* text: of a span, of a run */
    uint32_t note;  /* text: of an evaluation the reason, of a run its id; STAVE_NONE */
    uint16_t flags; /* STAVE_FLAG_ATTACHED: it was begun by a handle */
    uint8_t kind;   /* enum stave__row_of */
    uint8_t outcome;
};

/* What was counted elsewhere: summaries, and cumulative entries of evaluations. Units; NaN: not known. */
struct stave__summed {
    uint32_t rule; /* as in rows */
    uint64_t calls, failed, skipped, cached, cancelled, timed_out;
    double total, self, first, least, most;
};

struct stave__model {
    struct stave__strings texts;
    struct stave__declared declared;
    struct stave__model_row *rows;
    uint32_t count, size;
    struct stave__summed *summed;
    uint32_t summed_count, summed_size;
    uint32_t *lanes; /* of each lane its name, a text */
    uint32_t lanes_count;
    double unit_ns;
    int64_t
        origin; /* the time that starts are counted from; by default that of the first evaluation */
    bool has_origin;
    /* Of these evaluations alone; the others are spans, and no nodes by themselves. */
    bool is_scoped;
    int64_t from, to;    /* their starts: from <= start < to */
    uint32_t scope_lane; /* of this lane or begun by a handle in what is; STAVE_NONE: of all */
    struct stave_report_lost lost;
    uint64_t session; /* its number; 0: of all */
};

int stave__model_init(struct stave__model *model, stave_error *error);
struct stave__model_row *stave__model_add(struct stave__model *model);
struct stave__summed *stave__model_sum(struct stave__model *model);
bool stave__model_declare(struct stave__model *model, const struct stave__declared_rule *rule);
bool stave__model_need(struct stave__model *model, uint32_t rule, uint32_t id);

/* By start, lane, serial; what is around them follows. */
int stave__model_sort(struct stave__model *model, stave_error *error);

void stave__model_free(struct stave__model *model);

#endif
