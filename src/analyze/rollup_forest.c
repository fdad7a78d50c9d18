/* A roll-up of a boot with attached spans: all its spans in memory, then from the roots down. */
#include "analyze/forest.h"
#include "analyze/rolling.h"
#include "base/error.h"

/* ---- the tree -------------------------------------------------------------------------------- */

struct descent {
    struct stave__rolling *rolling;
    struct stave__forest forest;
};

static bool enter(const struct descent *descent, const struct stave__node *node)
{
    struct stave__names *names = &descent->rolling->names;
    if (!descent->rolling->counts[node->lane])
        return true;
    uint32_t row = stave__names_row(names, node->name);
    if (row != STAVE_NONE)
        stave__names_at(names, row)->open++;
    return row != STAVE_NONE;
}

/* All of a cumulative row but its self and total has been added already. */
static bool leave(const struct descent *descent, const struct stave__node *node)
{
    struct stave__rolling *rolling = descent->rolling;
    double unit_ns = rolling->ticks.unit_ns;
    if (!rolling->counts[node->lane])
        return true;
    uint32_t row = stave__names_row(&rolling->names, node->name);
    struct stave__name *name = stave__names_at(&rolling->names, row);
    if (--name->open == 0)
        name->row.total_ns += node->extent.length * unit_ns;
    if (node->cumulative) {
        name->row.self_ns += node->self * unit_ns;
        return true;
    }
    double own = stave__ticks_length(descent->forest.ticks, node->start, node->end);
    return stave__names_call(&rolling->names, row, own * unit_ns, node->self * unit_ns,
                             node->flags);
}

static bool descend(const struct descent *descent, uint32_t root)
{
    const struct stave__node *nodes = descent->forest.nodes;
    for (uint32_t at = root;;) {
        if (!enter(descent, &nodes[at]))
            return false;
        if (nodes[at].first != STAVE_NONE) {
            at = nodes[at].first;
            continue;
        }
        for (;; at = nodes[at].parent) {
            if (!leave(descent, &nodes[at]))
                return false;
            if (at == root)
                return true;
            if (nodes[at].next != STAVE_NONE)
                break;
        }
        at = nodes[at].next;
    }
}

static int descend_all(const struct descent *descent, stave_error *error)
{
    for (uint32_t i = 0; i < descent->forest.count; i++)
        if (descent->forest.nodes[i].parent == STAVE_NONE && !descend(descent, i))
            return stave__fail_memory(error);
    return STAVE_OK;
}

/* ---- the rows -------------------------------------------------------------------------------- */

static int add_spans(struct descent *descent, uint32_t from, uint32_t end, stave_error *error)
{
    struct stave__reading *reading = &descent->rolling->reading;
    int status = STAVE_OK;
    uint32_t next;
    for (uint32_t i = from; i < end && status >= 0; i = next) {
        next = stave__reading_end(reading, i, end, STAVE__SAME_KIND);
        if (reading->choices[i].kind == STAVE_SPANS)
            status = stave__forest_add_spans(&descent->forest, reading, i, next, NULL, error);
    }
    return status;
}

static bool count_block(struct stave__rolling *rolling, const stave_block *block)
{
    for (uint32_t i = 0; i < block->rows; i++)
        if (stave__ticks_in_window(&rolling->ticks, block->start[i], block->end[i]) &&
            stave__roll_cumulative(rolling, block, i) == STAVE_NONE)
            return false;
    return true;
}

/* Cumulative rows but for their selves and totals. */
static int count_cumulatives(struct stave__rolling *rolling, uint32_t from, uint32_t end,
                             stave_error *error)
{
    for (uint32_t i = from; i < end; i++) {
        const struct stave__choice *choice = &rolling->reading.choices[i];
        if (choice->kind != STAVE_CUMULATIVES || !rolling->counts[choice->lane])
            continue;
        int status = stave__reading_show(&rolling->reading, i, error);
        if (status < 0)
            return status;
        if (status > 0 && !count_block(rolling, &rolling->reading.block))
            return stave__fail_memory(error);
    }
    return STAVE_OK;
}

int stave__roll_forest(struct stave__rolling *rolling, uint32_t from, uint32_t end,
                       stave_error *error)
{
    struct descent descent = {.rolling = rolling, .forest = {.ticks = &rolling->ticks}};
    int status = add_spans(&descent, from, end, error);
    if (status >= 0)
        status = count_cumulatives(rolling, from, end, error);
    if (status >= 0)
        status =
            stave__forest_add_cumulatives(&descent.forest, &rolling->reading, from, end, error);
    if (status >= 0)
        status = stave__forest_solve(&descent.forest, error);
    if (status >= 0)
        status = descend_all(&descent, error);
    stave__forest_free(&descent.forest);
    return status < 0 ? status : STAVE_OK;
}
