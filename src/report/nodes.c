/* The tree: nodes from the roots down, each followed by all that is below it. */
#include <stdlib.h>

#include "report/report.h"
#include "report/room.h"

struct lists {
    uint32_t *first, *next; /* child, sibling; by rows */
    uint32_t root;          /* the first */
};

/* From the last row to the first, so that lists are in the order of rows. */
static void list_children(const struct stave__layout *layout, struct lists *lists)
{
    lists->root = STAVE_NONE;
    for (uint32_t i = layout->model->count; i-- > 0;) {
        uint32_t parent = layout->parent[i];
        lists->first[i] = lists->first[i] != 0 ? lists->first[i] - 1 : STAVE_NONE;
        if (!layout->is_node[i])
            continue;
        if (parent == STAVE_NONE) {
            lists->next[i] = lists->root;
            lists->root = i;
        }
    }
}

/* Parents may stand behind their children, so `first` counts from 1 until all are in, and 0 is none. */
static void hang_children(const struct stave__layout *layout, struct lists *lists)
{
    for (uint32_t i = layout->model->count; i-- > 0;) {
        uint32_t parent = layout->parent[i];
        if (!layout->is_node[i] || parent == STAVE_NONE)
            continue;
        lists->next[i] = lists->first[parent] != 0 ? lists->first[parent] - 1 : STAVE_NONE;
        lists->first[parent] = i + 1;
    }
}

static uint32_t next_row(const struct stave__layout *layout, const struct lists *lists,
                         uint32_t row)
{
    if (lists->first[row] != STAVE_NONE)
        return lists->first[row];
    while (lists->next[row] == STAVE_NONE && layout->parent[row] != STAVE_NONE)
        row = layout->parent[row];
    return lists->next[row];
}

static uint32_t node_or_none(const struct stave__making *making, uint32_t row)
{
    return row != STAVE_NONE ? making->node[row] : STAVE_NONE;
}

static const char *text_at(const struct stave__making *making, uint32_t text)
{
    return stave__strings_text(&making->report->texts, text, NULL);
}

static double ns_from_origin(const struct stave__model *model, int64_t time)
{
    return (double)(time - model->origin) * model->unit_ns;
}

static void fill(const struct stave__making *making, const struct lists *lists, uint32_t at)
{
    const struct stave__layout *layout = &making->layout;
    const struct stave__model_row *row = stave__row_of(making, at);
    bool is_rule = row->kind == STAVE__EVALUATION;
    bool has_reason = is_rule && row->note != STAVE_NONE && row->outcome != STAVE_DONE;
    uint32_t index = making->row[at], parent = node_or_none(making, layout->parent[index]);
    uint32_t name = is_rule ? making->report->graph.rules[row->rule].description : row->name;
    making->report->nodes[at] = (stave_report_node){
        .rule = is_rule ? row->rule : STAVE_NONE,
        .name = text_at(making, name),
        .run = layout->run[index],
        .lane = row->lane,
        .serial = row->serial,
        .parent = parent,
        .first_child = node_or_none(making, lists->first[index]),
        .next = node_or_none(making, lists->next[index]),
        .depth = parent != STAVE_NONE ? making->report->nodes[parent].depth + 1 : 0,
        .place = layout->place[index],
        .outcome = row->outcome,
        .flags = row->flags,
        .reason = has_reason ? text_at(making, row->note) : NULL,
        .start_ns = ns_from_origin(making->model, row->start),
        .end_ns = ns_from_origin(making->model, row->end),
    };
}

/* Those of nodes, node by node. */
static bool copy_links(struct stave__making *making)
{
    const struct stave__layout *layout = &making->layout;
    stave_report *report = making->report;
    uint32_t used = 0, rows = layout->model->count;
    if (!stave__room(&report->links_at, (size_t)report->nodes_count + 1) ||
        !stave__room(&report->links, layout->links_at[rows]))
        return false;
    for (uint32_t at = 0; at < report->nodes_count; at++) {
        uint32_t row = making->row[at];
        for (uint32_t i = layout->links_at[row]; i < layout->links_at[row + 1]; i++)
            report->links[used++] = making->node[layout->links[i]];
        report->links_at[at + 1] = used;
    }
    return true;
}

/* The origin that is not said is the start of the first evaluation. */
static void find_origin(const struct stave__layout *layout)
{
    struct stave__model *model = layout->model;
    for (uint32_t i = 0; i < model->count && !model->has_origin; i++) {
        if (!stave__is_evaluation(layout, i))
            continue;
        model->origin = model->rows[i].start;
        model->has_origin = true;
    }
}

static bool make(struct stave__making *making, struct lists *lists)
{
    const struct stave__layout *layout = &making->layout;
    stave_report *report = making->report;
    hang_children(layout, lists);
    list_children(layout, lists);
    for (uint32_t i = 0; i < layout->model->count; i++)
        making->node[i] = STAVE_NONE;
    for (uint32_t at = lists->root; at != STAVE_NONE; at = next_row(layout, lists, at)) {
        making->node[at] = report->nodes_count;
        making->row[report->nodes_count++] = at;
    }
    report->nodes = malloc(((size_t)report->nodes_count + 1) * sizeof *report->nodes);
    if (report->nodes == NULL)
        return false;
    find_origin(layout);
    for (uint32_t i = 0; i < report->nodes_count; i++)
        fill(making, lists, i);
    return copy_links(making);
}

bool stave__make_nodes(struct stave__making *making)
{
    struct lists lists = {0};
    size_t rows = making->model->count;
    bool made = stave__room(&making->node, rows) && stave__room(&making->row, rows) &&
                stave__room(&lists.first, rows) && stave__room(&lists.next, rows) &&
                make(making, &lists);
    free(lists.first);
    free(lists.next);
    return made;
}
