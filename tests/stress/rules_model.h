/* rules_model.h - models of rules and evaluations for tests, row by row.
 *
 *     struct stave__model model;
 *     rules_model_open(&model);
 *     uint32_t price = rules_model_rule(&model, "price", "price is positive");
 *     uint32_t total = rules_model_rule(&model, "total", "total matches");
 *     rules_model_need(&model, total, "price");
 *     uint32_t run = rules_model_run(&model, "order", 1, 1, 0, 16);
 *     struct stave__model_row *row = rules_model_add(&model, price, 1, 2, 0, 4);       // lane, serial, from, to
 *     row->around = run;
 *     stave_report *report = rules_model_report(&model);
 *
 * Include it after cmocka.h: out of memory ends the test. */
#ifndef RULES_MODEL_H
#define RULES_MODEL_H

#include "report/report.h"

void rules_model_open(struct stave__model *model);
uint32_t rules_model_text(struct stave__model *model, const char *text);

/* Declares one; its number. */
uint32_t rules_model_rule(struct stave__model *model, const char *id, const char *description);
void rules_model_need(struct stave__model *model, uint32_t rule, const char *id);
void rules_model_parent(struct stave__model *model, uint32_t rule, const char *id);

/* An evaluation in nothing. The row is good until the next one. */
struct stave__model_row *rules_model_add(struct stave__model *model, uint32_t rule, uint32_t lane,
                                         uint64_t serial, int64_t start, int64_t end);
/* Its number as a row, for `around`. */
uint32_t rules_model_run(struct stave__model *model, const char *name, uint32_t lane,
                         uint64_t serial, int64_t start, int64_t end);
uint32_t rules_model_span(struct stave__model *model, const char *name, uint32_t lane,
                          uint64_t serial, int64_t start, int64_t end);
void rules_model_attach(struct stave__model_row *row, uint32_t lane, uint64_t serial);

/* Uses the model up. */
stave_report *rules_model_report(struct stave__model *model);

/* The first node of the rule with this id, or of the span of this name; fails the test if there is none. */
const stave_report_node *rules_model_node(const stave_report *report, const char *id);
uint32_t rules_model_index(const stave_report *report, const stave_report_node *node);

#endif
