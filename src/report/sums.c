/* Self, total and busy of each node: docs/rules.md, "Self, total, busy". */
#include <stdlib.h>

#include "analyze/intervals.h"
#include "report/report.h"
#include "report/room.h"

/* What lies in a node and hangs below another: a list for each node. */
struct extra {
    uint32_t row, next; /* next: plus 1; 0: none */
};

struct summing {
    struct stave__making *making;
    struct stave__ticks units; /* all whole */
    struct stave__intervals pool;
    struct stave__interval_set *extents; /* of nodes */
    struct stave__stretches taken;       /* of the node at hand */
    uint32_t *extra_of;                  /* of each node its list */
    struct extra *extras;
    uint32_t extras_count, extras_size;
};

static struct stave__stretch own_of(const struct summing *s, uint32_t node)
{
    const struct stave__model_row *row = stave__row_of(s->making, node);
    return (struct stave__stretch){row->start, row->end};
}

/* ---- what lies in a node and hangs elsewhere ------------------------------------------------- */

static bool add_extra(struct summing *s, uint32_t node, uint32_t row)
{
    void *extras = stave__room_grow(s->extras, s->extras_count, &s->extras_size, sizeof *s->extras);
    if (extras == NULL)
        return false;
    s->extras = extras;
    s->extras[s->extras_count] = (struct extra){row, s->extra_of[node]};
    s->extra_of[node] = ++s->extras_count;
    return true;
}

static bool find_extras(struct summing *s)
{
    const struct stave__layout *layout = &s->making->layout;
    bool done = true;
    for (uint32_t i = 0; i < s->making->report->nodes_count && done; i++) {
        uint32_t row = s->making->row[i], parent = layout->parent[row];
        uint32_t inside = layout->inside[row], thread = layout->thread[row];
        if (inside != STAVE_NONE && inside != parent)
            done = add_extra(s, s->making->node[inside], row);
        if (done && thread != STAVE_NONE && thread != parent && thread != inside)
            done = add_extra(s, s->making->node[thread], row);
    }
    return done;
}

/* ---- one node -------------------------------------------------------------------------------- */

/* An interval as far as it is in that of the node. */
static bool take(struct summing *s, const struct stave__stretch *own, struct stave__stretch other)
{
    int64_t start = other.start > own->start ? other.start : own->start;
    int64_t end = other.end < own->end ? other.end : own->end;
    return start >= end || stave__stretches_add(&s->taken, start, end);
}

static bool take_extras(struct summing *s, uint32_t node, const struct stave__stretch *own)
{
    for (uint32_t at = s->extra_of[node]; at != 0; at = s->extras[at - 1].next) {
        const struct stave__model_row *row = &s->making->model->rows[s->extras[at - 1].row];
        if (!take(s, own, (struct stave__stretch){row->start, row->end}))
            return false;
    }
    return true;
}

static bool sum_node(struct summing *s, uint32_t at)
{
    stave_report_node *node = &s->making->report->nodes[at];
    struct stave__stretch own = own_of(s, at);
    double ns = s->making->model->unit_ns;
    s->taken.used = 0;
    for (uint32_t i = node->first_child; i != STAVE_NONE; i = s->making->report->nodes[i].next) {
        struct stave__stretch child = own_of(s, i);
        if (!take(s, &own, child) ||
            !stave__extent_take(&s->pool, &s->extents[at], &own, &s->extents[i], &child))
            return false;
        node->busy_ns += s->making->report->nodes[i].busy_ns;
    }
    if (!take_extras(s, at, &own) || !stave__extent_close(&s->pool, &s->extents[at], &own))
        return false;
    node->self_ns = stave__ticks_length(&s->units, own.start, own.end) -
                    stave__stretches_union(s->taken.at, s->taken.used, &s->units);
    node->self_ns *= ns;
    node->busy_ns += node->self_ns;
    node->total_ns = s->extents[at].length * ns;
    return true;
}

static bool sum_all(struct summing *s)
{
    for (uint32_t i = s->making->report->nodes_count; i-- > 0;)
        if (!sum_node(s, i))
            return false;
    return true;
}

bool stave__make_sums(struct stave__making *making)
{
    struct summing s = {.making = making, .units = {.steady = true, .unit_ns = 1}};
    size_t count = making->report->nodes_count;
    s.pool.ticks = &s.units;
    s.extents = calloc(count + 1, sizeof *s.extents);
    bool done =
        s.extents != NULL && stave__room(&s.extra_of, count) && find_extras(&s) && sum_all(&s);
    stave__intervals_free(&s.pool);
    free(s.extents);
    free(s.taken.at);
    free(s.extra_of);
    free(s.extras);
    return done;
}
