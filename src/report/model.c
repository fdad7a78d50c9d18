#include "report/model.h"

#include <stdlib.h>

#include "base/error.h"
#include "report/room.h"

int stave__model_init(struct stave__model *model, stave_error *error)
{
    *model = (struct stave__model){.unit_ns = 1, .scope_lane = STAVE_NONE};
    int status = stave__strings_init(&model->texts);
    return status < 0 ? stave__fail_memory(error) : STAVE_OK;
}

struct stave__model_row *stave__model_add(struct stave__model *model)
{
    void *rows = stave__room_grow(model->rows, model->count, &model->size, sizeof *model->rows);
    if (rows == NULL || model->count == STAVE_NONE - 1)
        return NULL;
    model->rows = rows;
    return &model->rows[model->count++];
}

struct stave__summed *stave__model_sum(struct stave__model *model)
{
    void *summed = stave__room_grow(model->summed, model->summed_count, &model->summed_size,
                                    sizeof *model->summed);
    if (summed == NULL)
        return NULL;
    model->summed = summed;
    return &model->summed[model->summed_count++];
}

bool stave__model_declare(struct stave__model *model, const struct stave__declared_rule *rule)
{
    struct stave__declared *d = &model->declared;
    void *rules = stave__room_grow(d->rules, d->rules_count, &d->rules_size, sizeof *d->rules);
    if (rules == NULL)
        return false;
    d->rules = rules;
    d->rules[d->rules_count++] = *rule;
    return true;
}

bool stave__model_need(struct stave__model *model, uint32_t rule, uint32_t id)
{
    struct stave__declared *d = &model->declared;
    void *needs = stave__room_grow(d->needs, d->needs_count, &d->needs_size, sizeof *d->needs);
    if (needs == NULL)
        return false;
    d->needs = needs;
    d->needs[d->needs_count++] = (struct stave__declared_need){rule, id};
    return true;
}

/* ---- order ----------------------------------------------------------------------------------- */

struct key {
    int64_t start;
    uint64_t serial;
    uint32_t lane, at;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static void list_keys(const struct stave__model *model, struct key *keys)
{
    for (uint32_t i = 0; i < model->count; i++) {
        const struct stave__model_row *row = &model->rows[i];
        keys[i] = (struct key){row->start, row->serial, row->lane, i};
    }
}

/* Puts rows into the order of the keys; `moved` then says where each went. */
static void move(struct stave__model *model, const struct key *keys,
                 struct stave__model_row *sorted, uint32_t *moved)
{
    for (uint32_t i = 0; i < model->count; i++) {
        sorted[i] = model->rows[keys[i].at];
        moved[keys[i].at] = i;
    }
    for (uint32_t i = 0; i < model->count; i++)
        if (sorted[i].around != STAVE_NONE)
            sorted[i].around = moved[sorted[i].around];
}

int stave__model_sort(struct stave__model *model, stave_error *error)
{
    struct key *keys = malloc(((size_t)model->count + 1) * sizeof *keys);
    struct stave__model_row *sorted = malloc(((size_t)model->count + 1) * sizeof *sorted);
    uint32_t *moved = NULL;
    bool has_room = keys != NULL && sorted != NULL && stave__room(&moved, model->count);
    if (has_room) {
        list_keys(model, keys);
        qsort(keys, model->count, sizeof *keys, compare_keys);
        move(model, keys, sorted, moved);
        free(model->rows);
        model->rows = sorted;
        model->size = model->count;
    } else {
        free(sorted);
    }
    free(keys);
    free(moved);
    return has_room ? STAVE_OK : stave__fail_memory(error);
}

void stave__model_free(struct stave__model *model)
{
    stave__strings_free(&model->texts);
    free(model->declared.rules);
    free(model->declared.needs);
    free(model->rows);
    free(model->summed);
    free(model->lanes);
    *model = (struct stave__model){0};
}
