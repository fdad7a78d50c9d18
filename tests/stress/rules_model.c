#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules_model.h"

void rules_model_open(struct stave__model *model)
{
    assert_int_equal(stave__model_init(model, NULL), STAVE_OK);
}

uint32_t rules_model_text(struct stave__model *model, const char *text)
{
    uint32_t id;
    assert_int_equal(stave__strings_add(&model->texts, text, strlen(text), &id), STAVE_OK);
    return id;
}

uint32_t rules_model_rule(struct stave__model *model, const char *id, const char *description)
{
    struct stave__declared_rule rule = {
        .id = rules_model_text(model, id),
        .description = rules_model_text(model, description),
    };
    assert_true(stave__model_declare(model, &rule));
    return model->declared.rules_count - 1;
}

void rules_model_need(struct stave__model *model, uint32_t rule, const char *id)
{
    assert_true(stave__model_need(model, rule, rules_model_text(model, id)));
}

void rules_model_parent(struct stave__model *model, uint32_t rule, const char *id)
{
    model->declared.rules[rule].parent = rules_model_text(model, id);
    model->declared.rules[rule].has_parent = true;
}

struct stave__model_row *rules_model_add(struct stave__model *model, uint32_t rule, uint32_t lane,
                                         uint64_t serial, int64_t start, int64_t end)
{
    struct stave__model_row *row = stave__model_add(model);
    assert_non_null(row);
    *row = (struct stave__model_row){
        .start = start,
        .end = end,
        .serial = serial,
        .around = STAVE_NONE,
        .lane = lane,
        .rule = rule,
        .note = STAVE_NONE,
        .kind = STAVE__EVALUATION,
    };
    return row;
}

static uint32_t add_other(struct stave__model *model, const char *name, uint32_t lane,
                          uint64_t serial, int64_t start, int64_t end, enum stave__row_of kind)
{
    struct stave__model_row *row = rules_model_add(model, STAVE_NONE, lane, serial, start, end);
    row->name = rules_model_text(model, name);
    row->kind = (uint8_t)kind;
    return model->count - 1;
}

uint32_t rules_model_run(struct stave__model *model, const char *name, uint32_t lane,
                         uint64_t serial, int64_t start, int64_t end)
{
    return add_other(model, name, lane, serial, start, end, STAVE__RUN);
}

uint32_t rules_model_span(struct stave__model *model, const char *name, uint32_t lane,
                          uint64_t serial, int64_t start, int64_t end)
{
    return add_other(model, name, lane, serial, start, end, STAVE__SPAN);
}

void rules_model_attach(struct stave__model_row *row, uint32_t lane, uint64_t serial)
{
    row->flags |= STAVE_FLAG_ATTACHED;
    row->place_lane = lane;
    row->place = serial;
}

stave_report *rules_model_report(struct stave__model *model)
{
    stave_report *report;
    stave_error error = {0};
    assert_int_equal(stave__report_make(model, &report, &error), STAVE_OK);
    return report;
}

static bool is_called(const stave_report *report, const stave_report_node *node, const char *id)
{
    if (node->rule == STAVE_NONE)
        return strcmp(node->name, id) == 0;
    return strcmp(stave_report_rule_at(report, node->rule)->id, id) == 0;
}

const stave_report_node *rules_model_node(const stave_report *report, const char *id)
{
    for (uint32_t i = 0; i < stave_report_node_count(report); i++)
        if (is_called(report, stave_report_node_at(report, i), id))
            return stave_report_node_at(report, i);
    print_message("no node of %s\n", id);
    fail();
    return NULL;
}

uint32_t rules_model_index(const stave_report *report, const stave_report_node *node)
{
    return (uint32_t)(node - stave_report_node_at(report, 0));
}
