/* Rows of a lane to rows of a model. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shortest.h"
#include "report/read.h"
#include "trace/rules.h"

/* ---- spans ----------------------------------------------------------------------------------- */

/* Whether spans in a row are kept: those in evaluations, and in what was begun by a handle, which may lead into one.
 * A run's outcome, which it has none, says so of what it is in itself. */
static bool is_kept_in(const struct stave__model *model, uint32_t row)
{
    if (row == STAVE_NONE)
        return false;
    return model->rows[row].kind != STAVE__RUN || model->rows[row].outcome != 0;
}

static uint8_t kind_of(uint8_t meaning)
{
    if (meaning == STAVE__ROLE_RULE)
        return STAVE__EVALUATION;
    return meaning == STAVE__ROLE_RUN ? STAVE__RUN : STAVE__SPAN;
}

static void fill(struct stave__rule_reading *r, const stave_block *block, uint32_t at,
                 uint32_t around, struct stave__model_row *row)
{
    uint32_t name = stave_block_name(block, at);
    uint8_t kind = kind_of(r->meanings[name]);
    uint16_t flags = block->flags[at];
    bool is_attached = (flags & STAVE_FLAG_ATTACHED) != 0;
    if (name == 0 && block->lane < stave_trace_lanes(r->trace))
        name = stave_trace_lane(r->trace, block->lane)->name;
    *row = (struct stave__model_row){
        .start = stave__axis_at(&r->axis, block->start[at]),
        .end = stave__axis_at(&r->axis, block->end[at]),
        .serial = block->serial[at],
        .place = is_attached ? stave_block_other(block, at) : 0,
        .around = around,
        .lane = stave__read_lane(r, block->lane),
        .place_lane =
            is_attached ? stave__read_lane(r, stave_block_other_lane(block, at)) : STAVE_NONE,
        .rule = kind == STAVE__EVALUATION ? r->declared[name] : STAVE_NONE,
        .name = kind == STAVE__EVALUATION ? 0 : stave__read_text(r, name),
        .note = STAVE_NONE,
        .flags = flags,
        .kind = kind,
        .outcome = flags & STAVE_FLAG_FAILED ? STAVE_FAILED : STAVE_DONE,
    };
    if (kind == STAVE__RUN)
        row->outcome = is_attached || is_kept_in(r->model, around);
}

static bool take_span(struct stave__rule_reading *r, const stave_block *block, uint32_t at)
{
    struct stave__span span = stave__span_of(block, at);
    const struct stave__span *parent = stave__around_find(&r->around, &span);
    uint8_t meaning = r->meanings[stave_block_name(block, at)];
    bool is_attached = (block->flags[at] & STAVE_FLAG_ATTACHED) != 0;
    span.at =
        parent != NULL ? parent->at : STAVE_NONE; /* the row around it, if it is none itself */
    if (kind_of(meaning) != STAVE__SPAN || is_attached || is_kept_in(r->model, span.at)) {
        struct stave__model_row *row = stave__model_add(r->model);
        if (row == NULL)
            return false;
        fill(r, block, at, span.at, row);
        span.at = r->model->count - 1;
    }
    return stave__around_push(&r->around, &span) && !r->out_of_memory;
}

/* From the last to the first: what is around a row comes before it. */
static int read_spans(struct stave__rule_reading *r, uint32_t from, uint32_t end,
                      stave_error *error)
{
    r->around.used = 0;
    for (uint32_t i = end; i-- > from;) {
        if (r->reading.choices[i].kind != STAVE_SPANS)
            continue;
        int status = stave__reading_show(&r->reading, i, error);
        if (status < 0)
            return status;
        for (uint32_t row = status > 0 ? r->reading.block.rows : 0; row-- > 0;)
            if (!take_span(r, &r->reading.block, row))
                return stave__fail_memory(error);
    }
    return STAVE_OK;
}

/* ---- attributes ------------------------------------------------------------------------------ */

struct owner {
    uint64_t serial;
    uint32_t row;
};

static int compare_owners(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The lane's rows of the model, those from `first` on, by serial. */
static struct owner *list_owners(const struct stave__model *model, uint32_t first)
{
    uint32_t count = model->count - first;
    struct owner *owners = malloc(((size_t)count + 1) * sizeof *owners);
    for (uint32_t i = 0; i < count && owners != NULL; i++)
        owners[i] = (struct owner){model->rows[first + i].serial, first + i};
    if (owners != NULL)
        qsort(owners, count, sizeof *owners, compare_owners);
    return owners;
}

static struct stave__model_row *find_owner(const struct stave__model *model,
                                           const struct owner *owners, uint32_t count,
                                           uint64_t serial)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (owners[middle].serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && owners[low].serial == serial ? &model->rows[owners[low].row] : NULL;
}

static uint8_t outcome_of(uint8_t meaning)
{
    switch (meaning) {
    case STAVE__ROLE_SKIPPED:
        return STAVE_SKIPPED;
    case STAVE__ROLE_CACHED:
        return STAVE_CACHED;
    case STAVE__ROLE_CANCELLED:
        return STAVE_CANCELLED;
    case STAVE__ROLE_TIMED_OUT:
        return STAVE_TIMED_OUT;
    default:
        return STAVE_DONE;
    }
}

/* A value as text: what a run's id is shown as. */
static uint32_t text_of_value(struct stave__rule_reading *r, uint32_t flags, uint64_t value)
{
    char text[STAVE__SHORTEST_MAX];
    size_t size;
    uint32_t id = 0;
    double real;
    switch (stave_value_type(flags)) {
    case STAVE_FLAG_TEXT:
        return stave__read_text(r, (uint32_t)value);
    case STAVE_FLAG_REAL:
        memcpy(&real, &value, sizeof real);
        size = isfinite(real) ? stave__shortest(real, text) : 0;
        break;
    case STAVE_FLAG_SIGNED:
        size = (size_t)snprintf(text, sizeof text, "%" PRId64, (int64_t)value);
        break;
    case STAVE_FLAG_BOOL:
        size = (size_t)snprintf(text, sizeof text, "%s", value != 0 ? "true" : "false");
        break;
    default:
        size = (size_t)snprintf(text, sizeof text, "%" PRIu64, value);
    }
    r->out_of_memory =
        stave__strings_add(&r->model->texts, text, size, &id) < 0 || r->out_of_memory;
    return id;
}

static void note(struct stave__rule_reading *r, struct stave__model_row *row,
                 const stave_block *block, uint32_t at)
{
    uint8_t meaning = r->meanings[block->name[at]], outcome = outcome_of(meaning);
    uint32_t type = stave_value_type(block->flags[at]);
    uint64_t value = stave_block_value(block, at);
    if (row->kind == STAVE__RUN && meaning == STAVE__MEANS_ID)
        row->note = text_of_value(r, block->flags[at], value);
    if (row->kind != STAVE__EVALUATION)
        return;
    if (meaning == STAVE__MEANS_ERROR && type == STAVE_FLAG_TEXT)
        row->note = stave__read_text(r, (uint32_t)value);
    else if (outcome != STAVE_DONE && type == STAVE_FLAG_BOOL && value != 0)
        row->outcome = outcome;
}

static bool is_told(uint8_t meaning)
{
    return outcome_of(meaning) != STAVE_DONE || meaning == STAVE__MEANS_ERROR ||
           meaning == STAVE__MEANS_ID;
}

static int read_attributes(struct stave__rule_reading *r, uint32_t from, uint32_t end,
                           uint32_t first, stave_error *error)
{
    struct owner *owners = NULL;
    uint32_t count = r->model->count - first;
    int status = STAVE_OK;
    for (uint32_t i = from; i < end && status >= 0 && count > 0; i++) {
        const stave_block *block = &r->reading.block;
        if (r->reading.choices[i].kind != STAVE_ATTRIBUTES)
            continue;
        status = stave__reading_show(&r->reading, i, error);
        if (status > 0 && owners == NULL && (owners = list_owners(r->model, first)) == NULL)
            status = stave__fail_memory(error);
        for (uint32_t at = 0; status > 0 && at < block->rows; at++) {
            struct stave__model_row *row = NULL;
            if (is_told(r->meanings[block->name[at]]))
                row = find_owner(r->model, owners, count, block->serial[at]);
            if (row != NULL)
                note(r, row, block, at);
        }
    }
    free(owners);
    return status < 0 ? status : STAVE_OK;
}

/* ---- cumulative entries ---------------------------------------------------------------------- */

static bool is_in_scope(const struct stave__rule_reading *r, const stave_block *block, uint32_t at)
{
    const struct stave__model *model = r->model;
    int64_t start = stave__axis_at(&r->axis, block->start[at]);
    if (!model->is_scoped)
        return true;
    return start >= model->from && start < model->to &&
           (r->scope_lane == STAVE_NONE || r->scope_lane == block->lane);
}

static bool sum_up(struct stave__rule_reading *r, const stave_block *block, uint32_t at)
{
    struct stave__summed *summed = stave__model_sum(r->model);
    if (summed == NULL)
        return false;
    int64_t start = block->start[at];
    *summed = (struct stave__summed){
        .rule = r->declared[block->name[at]],
        .calls = block->value[at],
        .total = stave__axis_units(&r->axis, start, block->total[at]),
        .self = (double)NAN,
        .first = (double)NAN,
        .least = stave__axis_units(&r->axis, start, block->least[at]),
        .most = stave__axis_units(&r->axis, start, block->most[at]),
    };
    return true;
}

static int read_cumulatives(struct stave__rule_reading *r, uint32_t from, uint32_t end,
                            stave_error *error)
{
    for (uint32_t i = from; i < end; i++) {
        const stave_block *block = &r->reading.block;
        if (r->reading.choices[i].kind != STAVE_CUMULATIVES)
            continue;
        int status = stave__reading_show(&r->reading, i, error);
        if (status < 0)
            return status;
        for (uint32_t at = 0; status > 0 && at < block->rows; at++)
            if (r->meanings[block->name[at]] == STAVE__ROLE_RULE && is_in_scope(r, block, at) &&
                !sum_up(r, block, at))
                return stave__fail_memory(error);
    }
    return STAVE_OK;
}

/* ---- a lane ---------------------------------------------------------------------------------- */

int stave__read_rows(struct stave__rule_reading *r, uint32_t from, uint32_t end, stave_error *error)
{
    uint32_t first = r->model->count;
    int status = read_spans(r, from, end, error);
    if (status >= 0)
        status = read_attributes(r, from, end, first, error);
    if (status >= 0)
        status = read_cumulatives(r, from, end, error);
    if (status >= 0 && r->out_of_memory)
        status = stave__fail_memory(error);
    return status;
}
