/* What `stave tree --json` prints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/branches.h"
#include "cli/details.h"
#include "cli/names.h"
#include "cli/notes.h"
#include "cli/values.h"

#define SCHEMA "stave.tree/1"

struct writing {
    const struct cli_branches *branches;
    struct cli_json json;
    uint32_t *shown; /* of each node its place among those shown */
    uint32_t *below; /* how many are below it */
};

static const stave_tree_node *node_at(const struct writing *w, uint32_t index)
{
    return stave_tree_node_at(w->branches->tree, index);
}

static bool is_shown(const struct writing *w, uint32_t index)
{
    return node_at(w, index)->depth < w->branches->levels;
}

static void number_nodes(struct writing *w)
{
    uint32_t count = 0, nodes = stave_tree_nodes(w->branches->tree);
    for (uint32_t i = 0; i < nodes; i++)
        w->shown[i] = is_shown(w, i) ? count++ : 0;
    for (uint32_t i = nodes; i-- > 1;) /* children stand behind their parents */
        w->below[node_at(w, i)->parent] += w->below[i] + 1;
}

/* ---- a span ---------------------------------------------------------------------------------- */

static double us_at(const struct writing *w, const stave_tree_node *node, int64_t tick)
{
    return stave_time_us(w->branches->trace, node->boot, tick);
}

static void put_place(struct writing *w, const stave_tree_node *node)
{
    const stave_trace *trace = w->branches->trace;
    struct cli_json *json = &w->json;
    const stave_place *place = node->unnamed ? NULL : stave_trace_place_of(trace, node->name);
    if (place == NULL) {
        cli_json_double_if(json, "file", false, 0);
        cli_json_double_if(json, "line", false, 0);
        return;
    }
    cli_json_name(json, "file", trace, place->file);
    cli_json_u64(json, "line", place->line);
}

static void put_identity(struct writing *w, const stave_tree_node *node)
{
    const stave_trace *trace = w->branches->trace;
    struct cli_json *json = &w->json;
    cli_json_name(json, "name", trace, node->name);
    put_place(w, node);
    cli_json_name(json, "lane", trace, stave_trace_lane(trace, node->lane)->name);
    cli_json_u64(json, "serial", node->serial);
    if (node->parent == STAVE_NONE)
        cli_json_double_if(json, "parent", false, 0);
    else
        cli_json_u64(json, "parent", w->shown[node->parent]);
}

static void put_times(struct writing *w, const stave_tree_node *node)
{
    struct cli_json *json = &w->json;
    cli_json_double(json, "from_us", us_at(w, node, node->start));
    cli_json_double(json, "to_us", us_at(w, node, node->end));
    cli_json_whole(json, "total_ns", node->total_ns);
    cli_json_whole(json, "busy_ns", node->busy_ns);
    cli_json_whole(json, "self_ns", node->self_ns);
    cli_json_u64(json, "calls", node->calls);
    cli_json_bool(json, "cumulative", node->cumulative);
}

/* A span is one call, and its own times say all. */
static void put_spread(struct writing *w, const stave_tree_node *node)
{
    struct cli_spread spread = {(double)NAN, (double)NAN, (double)NAN};
    if (node->cumulative)
        spread = cli_spread_of(w->branches->trace, node);
    cli_json_whole(&w->json, "least_ns", spread.least_ns);
    cli_json_whole(&w->json, "most_ns", spread.most_ns);
    cli_json_whole(&w->json, "mean_ns", spread.mean_ns);
}

static void put_marks(struct writing *w, uint32_t index)
{
    const stave_trace *trace = w->branches->trace;
    const stave_tree_detail *mark;
    uint32_t count = cli_details_of(w->branches->tree, index, STAVE_MARKS, &mark);
    cli_json_open(&w->json, "marks", '[');
    for (uint32_t i = 0; i < count; i++, mark++) {
        cli_json_open(&w->json, NULL, '{');
        cli_json_name(&w->json, "name", trace, mark->name);
        cli_json_double(&w->json, "at_us", us_at(w, node_at(w, index), mark->time));
        if ((mark->flags & STAVE_FLAG_HAS_VALUE) == 0)
            cli_json_double_if(&w->json, "value", false, 0);
        else
            cli_json_value(&w->json, "value", trace, mark->flags, mark->value);
        cli_json_close(&w->json);
    }
    cli_json_close(&w->json);
}

static void put_attributes(struct writing *w, uint32_t index)
{
    const stave_tree_detail *first;
    uint32_t count = cli_details_of(w->branches->tree, index, STAVE_ATTRIBUTES, &first);
    cli_attributes_json(&w->json, w->branches->trace, first, count);
}

static void put_node(struct writing *w, uint32_t index)
{
    const stave_tree_node *node = node_at(w, index);
    bool is_lowest = node->depth + 1 >= w->branches->levels;
    cli_json_open(&w->json, NULL, '{');
    put_identity(w, node);
    put_times(w, node);
    put_spread(w, node);
    cli_notes_json(&w->json, node->flags);
    put_attributes(w, index);
    put_marks(w, index);
    cli_json_u64(&w->json, "deeper", is_lowest ? w->below[index] : 0);
    cli_json_close(&w->json);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void put_all(struct writing *w)
{
    const stave_tree *tree = w->branches->tree;
    struct cli_json *json = &w->json;
    cli_json_open(json, NULL, '{');
    cli_json_word(json, "schema", SCHEMA);
    cli_json_word(json, "file", w->branches->file);
    cli_json_u64(json, "trace", stave_tree_root(tree) + 1);
    cli_json_u64(json, "traces", stave_tree_roots(tree));
    cli_json_open(json, "spans", '[');
    for (uint32_t i = 0; i < stave_tree_nodes(tree); i++)
        if (is_shown(w, i))
            put_node(w, i);
    cli_json_close(json);
    cli_json_close(json);
}

bool cli_branches_json(const struct cli_branches *branches)
{
    size_t nodes = stave_tree_nodes(branches->tree);
    struct writing w = {.branches = branches, .json = {.to = stdout}};
    w.shown = calloc(nodes, sizeof *w.shown);
    w.below = calloc(nodes, sizeof *w.below);
    bool done = w.shown != NULL && w.below != NULL;
    if (done) {
        number_nodes(&w);
        put_all(&w);
    }
    free(w.shown);
    free(w.below);
    return done;
}
