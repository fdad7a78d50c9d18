/* A roll-up of a boot with attached spans: all its spans in memory, then from the roots down. */
#include <stdlib.h>

#include "analyze/forest.h"
#include "analyze/rolling.h"
#include "base/error.h"

/* ---- the tree -------------------------------------------------------------------------------- */

struct descent {
    struct stave__rolling *rolling;
    struct stave__forest forest;
    double *
        within; /* of each node the calls on its lane that were made in it; NULL: costs are not known */
};

/* The row of a node's name, or STAVE_NONE when out of memory. */
static uint32_t row_of(const struct descent *descent, const struct stave__node *node)
{
    return stave__names_row(&descent->rolling->names, node->name);
}

static bool counts(const struct descent *descent, const struct stave__node *node)
{
    return descent->rolling->counts[node->lane];
}

/* What is done at a node, before and after all below it. False when out of memory. */
typedef bool visit(const struct descent *descent, uint32_t at);

static bool descend(const struct descent *descent, uint32_t root, visit *enter, visit *leave)
{
    const struct stave__node *nodes = descent->forest.nodes;
    for (uint32_t at = root;;) {
        if (!enter(descent, at))
            return false;
        if (nodes[at].first != STAVE_NONE) {
            at = nodes[at].first;
            continue;
        }
        for (;; at = nodes[at].parent) {
            if (!leave(descent, at))
                return false;
            if (at == root)
                return true;
            if (nodes[at].next != STAVE_NONE)
                break;
        }
        at = nodes[at].next;
    }
}

static int descend_all(const struct descent *descent, visit *enter, visit *leave,
                       stave_error *error)
{
    for (uint32_t i = 0; i < descent->forest.count; i++)
        if (descent->forest.nodes[i].parent == STAVE_NONE && !descend(descent, i, enter, leave))
            return stave__fail_memory(error);
    return STAVE_OK;
}

/* ---- what recording cost --------------------------------------------------------------------- */

/* Calls take from the self of a node's name: their own, or what others in it cost. */
static bool charge_self(const struct descent *descent, uint32_t at, double ns)
{
    const struct stave__node *node = &descent->forest.nodes[at];
    if (!counts(descent, node))
        return true;
    uint32_t row = row_of(descent, node);
    if (row != STAVE_NONE)
        stave__names_at(&descent->rolling->names, row)->row.net_self_ns += ns;
    return row != STAVE_NONE;
}

static bool pass_by(const struct descent *descent, uint32_t at)
{
    (void)descent;
    (void)at;
    return true;
}

/* A cumulative row is in what is around it, with all that is in itself. */
static bool count_entry(const struct descent *descent, uint32_t at)
{
    const struct stave__node *node = &descent->forest.nodes[at];
    struct stave__cost cost = descent->rolling->cost;
    double calls = (double)node->other;
    if (!node->cumulative)
        return true;
    if (!charge_self(descent, at, stave__cost_of_self(cost, calls, 0)))
        return false;
    if (node->parent == STAVE_NONE)
        return true;
    bool takes = node->direct || descent->forest.nodes[node->parent].cumulative;
    descent->within[node->parent] += calls + descent->within[at];
    return !takes || charge_self(descent, node->parent, stave__cost_of_self(cost, 0, calls));
}

/* A span that is attached elsewhere is in the self of the one around it in its lane, with all that is in it. */
static bool count_span(const struct descent *descent, uint32_t at, uint32_t around, bool attached)
{
    struct stave__cost cost = descent->rolling->cost;
    double within = 1 + descent->within[at];
    if (!charge_self(descent, at, stave__cost_of_self(cost, 1, 0)))
        return false;
    if (around == STAVE_NONE)
        return true;
    descent->within[around] += within;
    return charge_self(descent, around,
                       attached ? stave__cost_of_total(cost, 0, within)
                                : stave__cost_of_self(cost, 0, 1));
}

/* From a lane's first row on, so that what is in a span comes before it. */
static bool count_spans(const struct descent *descent)
{
    const struct stave__forest *forest = &descent->forest;
    uint32_t named = forest->named_count;
    while (named > 0 && forest->named[named - 1].node >= forest->spans)
        named--;
    for (uint32_t i = forest->spans; i-- > 0;) {
        bool attached = named > 0 && forest->named[named - 1].node == i;
        uint32_t around = attached ? forest->named[--named].around : forest->nodes[i].parent;
        if (!count_span(descent, i, around, attached))
            return false;
    }
    return true;
}

static int count_costs(struct descent *descent, stave_error *error)
{
    if (descent->rolling->cost.span_ns <= 0)
        return STAVE_OK;
    descent->within = calloc(descent->forest.count + (size_t)1, sizeof *descent->within);
    if (descent->within == NULL)
        return stave__fail_memory(error);
    int status = descend_all(descent, pass_by, count_entry, error);
    if (status >= 0 && !count_spans(descent))
        status = stave__fail_memory(error);
    return status;
}

/* ---- self and total -------------------------------------------------------------------------- */

static bool enter(const struct descent *descent, uint32_t at)
{
    const struct stave__node *node = &descent->forest.nodes[at];
    if (!counts(descent, node))
        return true;
    uint32_t row = row_of(descent, node);
    if (row != STAVE_NONE)
        stave__names_at(&descent->rolling->names, row)->open++;
    return row != STAVE_NONE;
}

static void add_total(const struct descent *descent, struct stave__name *name, uint32_t at)
{
    const struct stave__node *node = &descent->forest.nodes[at];
    name->row.total_ns += node->extent.length * descent->rolling->ticks.unit_ns;
    if (descent->within != NULL)
        stave__name_total_cost(name, descent->rolling->cost,
                               node->cumulative ? (double)node->other : 1, descent->within[at]);
}

/* All of a cumulative row but its self and total has been added already. */
static bool leave(const struct descent *descent, uint32_t at)
{
    const struct stave__node *node = &descent->forest.nodes[at];
    struct stave__rolling *rolling = descent->rolling;
    double unit_ns = rolling->ticks.unit_ns;
    if (!counts(descent, node))
        return true;
    uint32_t row = row_of(descent, node);
    struct stave__name *name = stave__names_at(&rolling->names, row);
    if (--name->open == 0)
        add_total(descent, name, at);
    if (node->cumulative) {
        name->row.self_ns += node->self * unit_ns;
        return true;
    }
    double own = stave__ticks_length(descent->forest.ticks, node->start, node->end);
    return stave__names_call(&rolling->names, row, own * unit_ns, node->self * unit_ns,
                             node->flags);
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
        status = count_costs(&descent, error);
    if (status >= 0)
        status = descend_all(&descent, enter, leave, error);
    free(descent.within);
    stave__forest_free(&descent.forest);
    return status < 0 ? status : STAVE_OK;
}
