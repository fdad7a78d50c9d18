/* Below what each node stands: docs/rules.md, "The tree". */
#include <stdlib.h>

#include "base/error.h"
#include "report/groups.h"
#include "report/room.h"

struct placing {
    struct stave__layout *layout;
    struct stave__groups groups;
    uint32_t *found; /* what the one at hand depended on, in the order of declaration */
    uint32_t found_count;
};

static const struct stave__model_row *row_at(const struct placing *p, uint32_t row)
{
    return &p->layout->model->rows[row];
}

/* ---- 1: dependencies ------------------------------------------------------------------------- */

static void find_needs(struct placing *p, uint32_t row)
{
    const struct stave__graph *graph = p->layout->graph;
    const struct stave__model_row *at = row_at(p, row);
    uint32_t end = graph->rules[at->rule + 1].needs;
    p->found_count = 0;
    for (uint32_t i = graph->rules[at->rule].needs; i < end; i++) {
        struct stave__group group =
            stave__groups_find(&p->groups, p->layout->run[row], graph->needs[i]);
        uint32_t need = stave__groups_ended(&p->groups, group, at->start, row);
        if (need != STAVE_NONE)
            p->found[p->found_count++] = need;
        else
            p->layout->is_missing[row] = true;
    }
}

/* What caused it comes last, unless it is one of the others anyway. */
static void find_cause(struct placing *p, uint32_t row)
{
    uint32_t cause = p->layout->handle[row];
    if (!stave__is_caused(p->layout, row))
        return;
    for (uint32_t i = 0; i < p->found_count; i++)
        if (p->found[i] == cause)
            return;
    p->found[p->found_count++] = cause;
}

/* Of all that it depended on, the one that ended last. */
static uint32_t last_found(const struct placing *p)
{
    uint32_t last = p->found[0];
    for (uint32_t i = 1; i < p->found_count; i++) {
        int64_t end = row_at(p, p->found[i])->end, latest = row_at(p, last)->end;
        if (end > latest || (end == latest && p->found[i] > last))
            last = p->found[i];
    }
    return last;
}

/* All but the parent; false when there is no memory. */
static bool add_links(struct placing *p, uint32_t row, uint32_t parent)
{
    struct stave__layout *layout = p->layout;
    uint32_t used = layout->links_at[row];
    for (uint32_t i = 0; i < p->found_count; i++) {
        if (p->found[i] == parent)
            continue;
        void *links =
            stave__room_grow(layout->links, used, &layout->links_size, sizeof *layout->links);
        if (links == NULL)
            return false;
        layout->links = links;
        layout->links[used++] = p->found[i];
    }
    layout->links_at[row + 1] = used;
    return true;
}

/* ---- 3: the declared parent ------------------------------------------------------------------ */

static uint32_t find_parent(const struct placing *p, uint32_t row)
{
    const struct stave__model_row *at = row_at(p, row);
    uint32_t rule = p->layout->graph->rules[at->rule].parent;
    if (rule == STAVE_NONE)
        return STAVE_NONE;
    struct stave__group group = stave__groups_find(&p->groups, p->layout->run[row], rule);
    uint32_t parent = stave__groups_open(&p->groups, group, at->start);
    if (parent == STAVE_NONE)
        parent = stave__groups_next(&p->groups, group, at->start);
    if (parent == STAVE_NONE)
        parent = stave__groups_ended(&p->groups, group, at->start, STAVE_NONE);
    return parent;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void put(struct placing *p, uint32_t row, uint32_t parent, enum stave_report_place place)
{
    p->layout->parent[row] = parent;
    p->layout->place[row] = parent != STAVE_NONE ? (uint8_t)place : STAVE_PLACE_ROOT;
}

static bool place_evaluation(struct placing *p, uint32_t row)
{
    find_needs(p, row);
    find_cause(p, row);
    if (p->found_count > 0) {
        put(p, row, last_found(p), STAVE_PLACE_DEPENDENCY);
        return add_links(p, row, p->layout->parent[row]);
    }
    put(p, row, p->layout->inside[row], STAVE_PLACE_INSIDE);
    if (p->layout->parent[row] == STAVE_NONE)
        put(p, row, find_parent(p, row), STAVE_PLACE_PARENT);
    return true;
}

static bool place_all(struct placing *p)
{
    struct stave__layout *layout = p->layout;
    bool done = true;
    for (uint32_t i = 0; i < layout->model->count && done; i++) {
        layout->links_at[i + 1] = layout->links_at[i];
        put(p, i, STAVE_NONE, STAVE_PLACE_ROOT);
        if (stave__is_evaluation(layout, i))
            done = place_evaluation(p, i);
        else if (layout->is_node[i])
            put(p, i, layout->inside[i], STAVE_PLACE_INSIDE);
    }
    return done;
}

static uint32_t most_needs(const struct stave__graph *graph)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        uint32_t needs = graph->rules[i + 1].needs - graph->rules[i].needs;
        most = needs > most ? needs : most;
    }
    return most;
}

int stave__layout_place(struct stave__layout *layout, stave_error *error)
{
    size_t count = layout->model->count;
    struct placing p = {.layout = layout};
    layout->place = calloc(count + 1, sizeof *layout->place);
    layout->is_missing = calloc(count + 1, sizeof *layout->is_missing);
    bool done = layout->place != NULL && layout->is_missing != NULL &&
                stave__room(&layout->parent, count) && stave__room(&layout->links_at, count + 1) &&
                stave__room(&p.found, (size_t)most_needs(layout->graph) + 1) &&
                stave__groups_make(&p.groups, layout) && place_all(&p);
    stave__groups_free(&p.groups);
    free(p.found);
    return done ? STAVE_OK : stave__fail_memory(error);
}
