#include "analyze/conditions.h"

#include <stdlib.h>

#include "analyze/details.h"
#include "base/error.h"

#define FIRST_MET 64u

/* An attribute that meets some; then all of a span. */
struct stave__met {
    uint64_t serial;
    uint32_t lane;
    uint32_t bits;
};

static int compare_met(const void *a, const void *b)
{
    const struct stave__met *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static bool add_met(struct stave__conditions *conditions, const struct stave__met *met)
{
    if (conditions->used == conditions->size) {
        size_t size = conditions->size != 0 ? conditions->size * 2 : FIRST_MET;
        struct stave__met *larger = realloc(conditions->rows, size * sizeof *larger);
        if (larger == NULL)
            return false;
        conditions->rows = larger;
        conditions->size = size;
    }
    conditions->rows[conditions->used++] = *met;
    return true;
}

static bool take_block(struct stave__conditions *conditions, const stave_block *block)
{
    for (uint32_t i = 0; block->serial != NULL && i < block->rows; i++) {
        stave_tree_detail attribute = stave__detail_of(block, i);
        uint32_t bits = conditions->meets(conditions->context, &attribute) & conditions->wanted;
        struct stave__met met = {block->serial[i], block->lane, bits};
        if (bits != 0 && !add_met(conditions, &met))
            return false;
    }
    return true;
}

/* One row a span. */
static void unite(struct stave__conditions *conditions)
{
    struct stave__met *rows = conditions->rows;
    size_t used = 0;
    if (conditions->used == 0)
        return;
    qsort(rows, conditions->used, sizeof *rows, compare_met);
    for (size_t i = 1; i < conditions->used; i++) {
        if (compare_met(&rows[used], &rows[i]) == 0)
            rows[used].bits |= rows[i].bits;
        else
            rows[++used] = rows[i];
    }
    conditions->used = used + 1;
}

int stave__conditions_read(struct stave__conditions *conditions, struct stave__reading *reading,
                           uint32_t from, uint32_t end, stave_error *error)
{
    conditions->used = 0;
    for (uint32_t i = from; i < end && conditions->wanted != 0; i++) {
        if (reading->choices[i].kind != STAVE_ATTRIBUTES)
            continue;
        int status = stave__reading_show(reading, i, error);
        if (status < 0)
            return status;
        if (status > 0 && !take_block(conditions, &reading->block))
            return stave__fail_memory(error);
    }
    unite(conditions);
    return STAVE_OK;
}

bool stave__conditions_met(const struct stave__conditions *conditions, uint32_t lane,
                           uint64_t serial)
{
    if (conditions->wanted == 0)
        return true;
    if (conditions->used == 0)
        return false;
    struct stave__met span = {.serial = serial, .lane = lane};
    const struct stave__met *met =
        bsearch(&span, conditions->rows, conditions->used, sizeof *conditions->rows, compare_met);
    return met != NULL && met->bits == conditions->wanted;
}

void stave__conditions_free(struct stave__conditions *conditions)
{
    free(conditions->rows);
    conditions->rows = NULL;
}
