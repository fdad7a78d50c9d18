#include "analyze/root_walk.h"

#include "analyze/nesting.h"
#include "base/error.h"

#define ATTACHED_SEEN 1

int stave__compare_roots(const struct stave__root *a, const struct stave__root *b)
{
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    if (a->serial != b->serial)
        return a->serial < b->serial ? -1 : 1;
    return a->at > b->at ? -1 : a->at < b->at;
}

/* ---- a boot without attached spans ----------------------------------------------------------- */

struct lanes {
    const struct stave__root_walk *walk;
    struct stave__around around;
    uint64_t passed; /* rows of the lane */
};

/* What a root holds lies in it: its length is its total. */
static bool take_root(const struct lanes *lanes, const struct stave__span *span,
                      const stave_block *block, uint32_t row)
{
    const struct stave__root_walk *walk = lanes->walk;
    uint32_t name = stave__row_name(walk->trace, block, row);
    struct stave__root_seen seen = {
        .root = {span->start, span->serial, lanes->passed, block->lane, name},
        .end = span->end,
        .total_ns = stave__ticks_length(walk->ticks, span->start, span->end) * walk->ticks->unit_ns,
        .flags = block->flags[row],
    };
    return walk->take(walk->context, &seen);
}

static int take_span(struct lanes *lanes, const stave_block *block, uint32_t row)
{
    struct stave__span span = stave__span_of(block, row);
    if (block->flags[row] & STAVE_FLAG_ATTACHED)
        return ATTACHED_SEEN;
    if (stave__around_find(&lanes->around, &span) == NULL && !take_root(lanes, &span, block, row))
        return STAVE_E_MEMORY;
    lanes->passed++;
    return stave__around_push(&lanes->around, &span) ? STAVE_OK : STAVE_E_MEMORY;
}

static int take_block(struct lanes *lanes, const stave_block *block, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = block->rows; i-- > 0 && status == STAVE_OK;)
        status = take_span(lanes, block, i);
    return status < 0 ? stave__fail_memory(error) : status;
}

/* The blocks of spans, lane by lane. */
static int walk_lanes(const struct stave__root_walk *walk, uint32_t from, uint32_t end,
                      stave_error *error)
{
    struct stave__reading *reading = walk->reading;
    struct lanes lanes = {.walk = walk};
    int status = STAVE_OK;
    uint32_t next;
    for (uint32_t lane = from; lane < end && status == STAVE_OK; lane = next) {
        next = stave__reading_end(reading, lane, end, STAVE__SAME_LANE);
        lanes.around.used = 0;
        lanes.passed = 0;
        for (uint32_t i = next; i-- > lane && status == STAVE_OK;) {
            if (reading->choices[i].kind != STAVE_SPANS)
                continue;
            status = stave__reading_show(reading, i, error);
            if (status > 0)
                status = take_block(&lanes, &reading->block, error);
        }
    }
    stave__around_free(&lanes.around);
    return status;
}

/* ---- a boot with attached spans -------------------------------------------------------------- */

static int fill_forest(const struct stave__root_walk *walk, struct stave__forest *forest,
                       uint32_t from, uint32_t end, stave_error *error)
{
    struct stave__reading *reading = walk->reading;
    int status = STAVE_OK;
    uint32_t next;
    for (uint32_t i = from; i < end && status >= 0; i = next) {
        next = stave__reading_end(reading, i, end, STAVE__SAME_KIND);
        if (reading->choices[i].kind == STAVE_SPANS)
            status = stave__forest_add_spans(forest, reading, i, next, NULL, error);
    }
    if (status >= 0)
        status = stave__forest_add_cumulatives(forest, reading, from, end, error);
    return status >= 0 ? stave__forest_solve(forest, error) : status;
}

static bool take_nodes(const struct stave__root_walk *walk, const struct stave__forest *forest)
{
    for (uint32_t i = 0; i < forest->spans; i++) {
        const struct stave__node *node = &forest->nodes[i];
        struct stave__root_seen seen = {
            .root = {node->start, node->serial, i, node->lane, node->name},
            .end = node->end,
            .total_ns = node->extent.length * forest->ticks->unit_ns,
            .flags = node->flags,
        };
        if (node->parent == STAVE_NONE && !walk->take(walk->context, &seen))
            return false;
    }
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

int stave__walk_roots(const struct stave__root_walk *walk, struct stave__forest *forest,
                      uint32_t from, uint32_t end, stave_error *error)
{
    int status = STAVE_OK;
    if (forest->count == 0) {
        status = walk_lanes(walk, from, end, error);
        if (status != ATTACHED_SEEN)
            return status;
        walk->again(walk->context);
        status = fill_forest(walk, forest, from, end, error);
    }
    return status < 0 || take_nodes(walk, forest) ? status : stave__fail_memory(error);
}
