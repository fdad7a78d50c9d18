/* One root and all below it. */
#include <assert.h>
#include <stdlib.h>

#include "analyze/tree_details.h"
#include "analyze/tree_roots.h"
#include "base/config.h"
#include "base/error.h"

#define FIRST_NODES 64u
#define FIRST_CHILDREN 64u

struct stave_tree {
    stave_tree_node *nodes;
    uint32_t count, size;
    uint64_t roots, root;
    struct stave__details details;
};

/* ---- children in their order ----------------------------------------------------------------- */

struct child {
    int64_t start;
    uint64_t serial;
    uint32_t lane, name;
    uint32_t node;
    bool cumulative;
};

struct children {
    struct child *rows;
    size_t used, size;
};

/* By start; spans before cumulative rows; then whatever makes the order the same everywhere, at last
 * the order of rows: of one lane the last row is the first node. */
static int compare_children(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->cumulative != y->cumulative)
        return x->cumulative ? 1 : -1;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->node > y->node ? -1 : x->node < y->node;
}

static bool add_child(struct children *children, const struct stave__forest *forest, uint32_t node)
{
    const struct stave__node *from = &forest->nodes[node];
    if (children->used == children->size) {
        size_t size = children->size != 0 ? children->size * 2 : FIRST_CHILDREN;
        struct child *larger = realloc(children->rows, size * sizeof *larger);
        if (larger == NULL)
            return false;
        children->rows = larger;
        children->size = size;
    }
    children->rows[children->used++] = (struct child){
        from->start, from->serial, from->lane, from->name, node, from->cumulative,
    };
    return true;
}

/* Links the children of a node anew, by start. */
static bool sort_children(struct children *children, struct stave__forest *forest, uint32_t parent)
{
    bool sorted = true;
    children->used = 0;
    for (uint32_t i = forest->nodes[parent].first; i != STAVE_NONE; i = forest->nodes[i].next) {
        if (!add_child(children, forest, i))
            return false;
        size_t used = children->used;
        sorted = sorted && (used == 1 || compare_children(&children->rows[used - 2],
                                                          &children->rows[used - 1]) < 0);
    }
    if (sorted)
        return true;
    qsort(children->rows, children->used, sizeof *children->rows, compare_children);
    uint32_t next = STAVE_NONE;
    for (size_t i = children->used; i-- > 0;) {
        forest->nodes[children->rows[i].node].next = next;
        next = children->rows[i].node;
    }
    forest->nodes[parent].first = next;
    return true;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static stave_tree_node *add_node(stave_tree *tree)
{
    if (tree->count == tree->size) {
        uint32_t size = tree->size != 0 ? tree->size * 2 : FIRST_NODES; /* 0 beyond 2^31 */
        stave_tree_node *larger = size != 0 ? realloc(tree->nodes, size * sizeof *larger) : NULL;
        if (larger == NULL)
            return NULL;
        tree->nodes = larger;
        tree->size = size;
    }
    return &tree->nodes[tree->count++];
}

/* A node of the forest that has been emitted knows where, in `waiting`. */
static bool emit(stave_tree *tree, const struct stave__forest *forest, struct stave__node *from,
                 bool is_root)
{
    double unit_ns = forest->ticks->unit_ns;
    stave_tree_node *node = add_node(tree);
    if (node == NULL)
        return false;
    from->waiting = tree->count - 1;
    struct stave__spread spread = {0};
    if (from->cumulative)
        spread = forest->spreads[(uint32_t)(from - forest->nodes) - forest->spans];
    uint32_t parent = is_root ? STAVE_NONE : forest->nodes[from->parent].waiting;
    *node = (stave_tree_node){
        .lane = from->lane,
        .boot = forest->ticks->boot,
        .serial = from->serial,
        .name = from->name,
        .flags = from->flags,
        .start = from->start,
        .end = from->end,
        .parent = parent,
        .depth = is_root ? 0 : tree->nodes[parent].depth + 1,
        .self_ns = from->self * unit_ns,
        .total_ns = from->extent.length * unit_ns,
        .busy_ns = from->self * unit_ns, /* and what is below, once that is there */
        .calls = from->cumulative ? from->other : 1,
        .cumulative = from->cumulative,
        .unnamed = from->unnamed,
        .least = spread.least,
        .most = spread.most,
    };
    return true;
}

/* The next of a tree behind a node and all below it; STAVE_NONE behind the last. */
static uint32_t behind(const struct stave__forest *forest, uint32_t root, uint32_t at)
{
    while (at != root && forest->nodes[at].next == STAVE_NONE)
        at = forest->nodes[at].parent;
    return at == root ? STAVE_NONE : forest->nodes[at].next;
}

static int emit_tree(stave_tree *tree, struct stave__forest *forest, uint32_t root,
                     stave_error *error)
{
    struct children children = {0};
    bool added = true;
    for (uint32_t at = root; at != STAVE_NONE && added;) {
        struct stave__node *node = &forest->nodes[at];
        added = emit(tree, forest, node, at == root) && sort_children(&children, forest, at);
        at = node->first != STAVE_NONE ? node->first : behind(forest, root, at);
    }
    for (uint32_t i = tree->count; i-- > 1;)
        tree->nodes[tree->nodes[i].parent].busy_ns += tree->nodes[i].busy_ns;
    free(children.rows);
    return added ? STAVE_OK : stave__fail_memory(error);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* The root's lane among the choices of its boot. */
static void find_lane(const struct stave__choosing *choosing, uint32_t *from, uint32_t *end)
{
    const struct stave__chosen *chosen = &choosing->chosen;
    *from = chosen->from;
    while (choosing->reading.choices[*from].lane != chosen->root.lane)
        (*from)++;
    *end = stave__reading_end(&choosing->reading, *from, chosen->end, STAVE__SAME_LANE);
}

/* The root's rows, when there is no forest of its boot: node 0 is the root. */
static int collect(struct stave__choosing *choosing, stave_error *error)
{
    struct stave__forest *forest = &choosing->kept;
    struct stave__run run = {.passed = choosing->chosen.root.at};
    uint32_t from, end;
    find_lane(choosing, &from, &end);
    uint32_t spans_end = stave__reading_end(&choosing->reading, from, end, STAVE__SAME_KIND);
    int status = stave__forest_add_spans(forest, &choosing->reading, from, spans_end, &run, error);
    if (status >= 0)
        status = stave__forest_add_cumulatives(forest, &choosing->reading, from, end, error);
    return status >= 0 ? stave__forest_solve(forest, error) : status;
}

static int grow_nodes(stave_tree *tree, struct stave__choosing *choosing, stave_error *error)
{
    int status = stave__choose_root(choosing, error);
    if (status >= 0 && !choosing->is_chosen)
        status = stave__fail(error, STAVE_E_NOTHING, 0, "the trace has %llu roots",
                             (unsigned long long)choosing->before);
    if (status < 0)
        return status;
    tree->roots = choosing->before;
    tree->root = choosing->chosen.number;
    if (choosing->chosen.in_forest)
        return emit_tree(tree, &choosing->kept, (uint32_t)choosing->chosen.root.at, error);
    status = collect(choosing, error);
    return status >= 0 ? emit_tree(tree, &choosing->kept, 0, error) : status;
}

/* What else was recorded of its spans. */
static int add_details(stave_tree *tree, stave_trace *trace, const stave_tree_config *config,
                       stave_error *error)
{
    struct stave__detailing detailing = {
        .trace = trace,
        .nodes = tree->nodes,
        .count = tree->count,
        .levels = config->detail_levels,
        .progress = config->progress,
    };
    return config->detail_levels > 0 ? stave__tree_details_read(&tree->details, &detailing, error)
                                     : STAVE_OK;
}

int stave_tree_new_sized(stave_trace *trace, const stave_tree_config *config, size_t config_size,
                         stave_tree **tree, stave_error *error)
{
    stave_tree_config own;
    int status = stave__config_copy(&own, sizeof own, config, config_size, error);
    if (status < 0)
        return status;
    stave_tree *made = calloc(1, sizeof *made);
    if (made == NULL)
        return stave__fail_memory(error);
    struct stave__choosing choosing = {.trace = trace, .config = &own};
    status = grow_nodes(made, &choosing, error);
    stave__choosing_end(&choosing);
    if (status >= 0)
        status = add_details(made, trace, &own, error);
    if (status < 0) {
        stave_tree_free(made);
        return status;
    }
    *tree = made;
    return STAVE_OK;
}

void stave_tree_free(stave_tree *tree)
{
    if (tree == NULL)
        return;
    stave__details_free(&tree->details);
    free(tree->nodes);
    free(tree);
}

/* ---- what is shown --------------------------------------------------------------------------- */

uint64_t stave_tree_roots(const stave_tree *tree)
{
    return tree->roots;
}

uint64_t stave_tree_root(const stave_tree *tree)
{
    return tree->root;
}

uint32_t stave_tree_nodes(const stave_tree *tree)
{
    return tree->count;
}

const stave_tree_node *stave_tree_node_at(const stave_tree *tree, uint32_t index)
{
    assert(index < tree->count);
    return &tree->nodes[index];
}

const stave_tree_detail *stave_tree_details(const stave_tree *tree, uint32_t index, uint32_t *count)
{
    assert(index < tree->count);
    return stave__details_of(&tree->details, index, count);
}
