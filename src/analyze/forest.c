/* Spans in memory: who is whose parent. */
#include "analyze/forest.h"

#include <assert.h>
#include <stdlib.h>

#include "analyze/nesting.h"
#include "base/error.h"

#define FIRST_NODES 256u
#define FIRST_NAMED 64u

/* ---- rows to nodes --------------------------------------------------------------------------- */

uint32_t stave__row_name(const stave_trace *trace, const stave_block *block, uint32_t row)
{
    uint32_t name = stave_block_name(block, row);
    if (name == 0 && block->lane < stave_trace_lanes(trace))
        name = stave_trace_lane(trace, block->lane)->name;
    return name;
}

static struct stave__node *add_node(struct stave__forest *forest)
{
    if (forest->count == forest->size) {
        uint32_t size = forest->size != 0 ? forest->size + forest->size / 2 : FIRST_NODES;
        if (size < forest->size || size >= STAVE_NONE)
            return NULL;
        struct stave__node *larger = realloc(forest->nodes, size * sizeof *larger);
        if (larger == NULL)
            return NULL;
        forest->nodes = larger;
        forest->size = size;
    }
    return &forest->nodes[forest->count++];
}

static bool add_named(struct stave__forest *forest, uint32_t node, uint32_t around)
{
    if (forest->named_count == forest->named_size) {
        uint32_t size = forest->named_size != 0 ? forest->named_size * 2 : FIRST_NAMED;
        struct stave__named *larger =
            size != 0 ? realloc(forest->named, size * sizeof *larger) : NULL;
        if (larger == NULL)
            return false;
        forest->named = larger;
        forest->named_size = size;
    }
    forest->named[forest->named_count++] = (struct stave__named){node, around};
    return true;
}

static bool add_place(struct stave__forest *forest, const struct stave__place *place)
{
    if (forest->places_count == forest->places_size) {
        uint32_t size = forest->places_size != 0 ? forest->places_size * 2 : FIRST_NAMED;
        struct stave__place *larger =
            size != 0 ? realloc(forest->places, size * sizeof *larger) : NULL;
        if (larger == NULL)
            return false;
        forest->places = larger;
        forest->places_size = size;
    }
    forest->places[forest->places_count++] = *place;
    return true;
}

/* Of the node that was added last, the first of them being node `spans`. */
static bool add_spread(struct stave__forest *forest, const stave_block *block, uint32_t row)
{
    uint32_t at = forest->count - 1 - forest->spans;
    if (at == forest->spreads_size) {
        uint32_t size = forest->spreads_size != 0 ? forest->spreads_size * 2 : FIRST_NAMED;
        struct stave__spread *larger =
            size != 0 ? realloc(forest->spreads, size * sizeof *larger) : NULL;
        if (larger == NULL)
            return false;
        forest->spreads = larger;
        forest->spreads_size = size;
    }
    forest->spreads[at] = (struct stave__spread){block->least[row], block->most[row]};
    return true;
}

/* The parent waits for one more. */
static void set_parent(struct stave__forest *forest, uint32_t node, uint32_t parent)
{
    forest->nodes[node].parent = parent;
    if (parent != STAVE_NONE)
        forest->nodes[parent].waiting++;
}

/* What spans and cumulative rows have in common. */
static struct stave__node *add_row(struct stave__forest *forest, const stave_block *block,
                                   uint32_t row)
{
    struct stave__node *node = add_node(forest);
    if (node == NULL)
        return NULL;
    *node = (struct stave__node){
        .start = stave__ticks_clip(forest->ticks, block->start[row]),
        .end = stave__ticks_clip(forest->ticks, block->end[row]),
        .serial = block->serial[row],
        .other = 0,
        .self = 0,
        .extent = {0, 0, 0},
        .lane = block->lane,
        .name = stave__row_name(forest->ticks->trace, block, row),
        .parent = STAVE_NONE,
        .first = STAVE_NONE,
        .next = STAVE_NONE,
        .waiting = 0,
        .flags = block->flags[row],
        .cumulative = false,
        .unnamed = stave_block_name(block, row) == 0,
        .direct = false,
    };
    return node;
}

/* ---- spans ----------------------------------------------------------------------------------- */

struct walk {
    struct stave__forest *forest;
    struct stave__around around;
    uint64_t to_pass; /* rows before the run */
    bool run;         /* only one: done when its first span holds no more */
    bool done;
};

static bool add_span(struct walk *walk, const stave_block *block, uint32_t row,
                     const struct stave__span *parent)
{
    struct stave__forest *forest = walk->forest;
    struct stave__node *node = add_row(forest, block, row);
    uint32_t at = forest->count - 1;
    if (node == NULL)
        return false;
    if (node->flags & STAVE_FLAG_ATTACHED) {
        node->other = stave_block_other(block, row);
        node->parent = stave_block_other_lane(block, row);
        return add_named(forest, at, parent != NULL ? parent->at : STAVE_NONE);
    }
    if (parent != NULL)
        set_parent(forest, at, parent->at);
    return true;
}

static bool take_span(struct walk *walk, const stave_block *block, uint32_t row)
{
    struct stave__span span = stave__span_of(block, row);
    if (!stave__ticks_in_window(walk->forest->ticks, span.start, span.end))
        return true;
    bool begun = walk->around.used > 0;
    const struct stave__span *parent = stave__around_find(&walk->around, &span);
    walk->done = walk->run && begun && parent == NULL;
    if (walk->done)
        return true;
    span.at = walk->forest->count;
    return add_span(walk, block, row, parent) && stave__around_push(&walk->around, &span);
}

static bool take_block(struct walk *walk, const stave_block *block)
{
    for (uint32_t i = block->rows; i-- > 0 && !walk->done;) {
        if (walk->to_pass > 0)
            walk->to_pass--;
        else if (!take_span(walk, block, i))
            return false;
    }
    return true;
}

int stave__forest_add_spans(struct stave__forest *forest, struct stave__reading *reading,
                            uint32_t from, uint32_t end, const struct stave__run *run,
                            stave_error *error)
{
    struct walk walk = {.forest = forest, .run = run != NULL};
    int status = STAVE_OK;
    assert(forest->spans == forest->count);
    if (run != NULL)
        walk.to_pass = run->passed;
    for (uint32_t i = end; i-- > from && status >= 0 && !walk.done;) {
        status = stave__reading_show(reading, i, error);
        if (status > 0 && !take_block(&walk, &reading->block))
            status = stave__fail_memory(error);
    }
    stave__around_free(&walk.around);
    forest->spans = forest->count;
    return status < 0 ? status : STAVE_OK;
}

/* ---- cumulative rows ------------------------------------------------------------------------- */

static bool add_cumulative(struct stave__forest *forest, const stave_block *block, uint32_t row)
{
    struct stave__node *node = add_row(forest, block, row);
    uint32_t at = forest->count - 1;
    if (node == NULL || !add_spread(forest, block, row))
        return false;
    node->start = block->start[row]; /* they count whole */
    node->end = block->end[row];
    node->other = block->value[row];
    node->self = stave__ticks_units(forest->ticks, block->start[row], block->total[row]);
    node->cumulative = true;
    node->direct = stave__place_is_direct(block, row);
    if (!stave__place_is_told(block, row))
        return add_named(forest, at, STAVE_NONE);
    struct stave__place place = stave__place_of(block, row, at);
    return add_place(forest, &place);
}

static bool add_cumulatives(struct stave__forest *forest, const stave_block *block)
{
    for (uint32_t i = 0; i < block->rows; i++)
        if (stave__ticks_in_window(forest->ticks, block->start[i], block->end[i]) &&
            !add_cumulative(forest, block, i))
            return false;
    return true;
}

int stave__forest_add_cumulatives(struct stave__forest *forest, struct stave__reading *reading,
                                  uint32_t from, uint32_t end, stave_error *error)
{
    for (uint32_t i = from; i < end; i++) {
        if (reading->choices[i].kind != STAVE_CUMULATIVES)
            continue;
        int status = stave__reading_show(reading, i, error);
        if (status < 0)
            return status;
        if (status > 0 && !add_cumulatives(forest, &reading->block))
            return stave__fail_memory(error);
    }
    return STAVE_OK;
}

/* Those that are in others have these as parents, the rest their spans. */
static bool place_cumulatives(struct stave__forest *forest)
{
    stave__places_solve(forest->places, forest->places_count);
    for (uint32_t i = 0; i < forest->places_count; i++) {
        const struct stave__place *place = &forest->places[i];
        if (place->parent != STAVE_NONE)
            set_parent(forest, place->at, forest->places[place->parent].at);
        else if (!add_named(forest, place->at, STAVE_NONE))
            return false;
    }
    return true;
}

/* ---- parents by name ------------------------------------------------------------------------- */

/* A span that others name as their parent: few, so that those that look whether they are one of them
 * seldom wait for memory. */
struct wanted {
    uint64_t serial;
    uint32_t lane;
    uint32_t node; /* STAVE_NONE: it is not there, or not found yet */
    bool used;
};

/* Open addressing, more than half of it free. */
struct directory {
    struct wanted *slots;
    uint64_t mask;
};

/* Where the slots are in memory goes in, too: a file that wants all in one place cannot know it. */
static uint64_t hash_of(const struct directory *directory, uint32_t lane, uint64_t serial)
{
    uint64_t hash = (serial ^ (uintptr_t)directory->slots) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ lane) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 31;
}

/* The slot of an identity, or the free one where it would be. */
static struct wanted *slot_of(const struct directory *directory, uint32_t lane, uint64_t serial)
{
    uint64_t hash = hash_of(directory, lane, serial);
    for (uint64_t i = hash & directory->mask;; i = (i + 1) & directory->mask) {
        struct wanted *slot = &directory->slots[i];
        if (!slot->used || (slot->lane == lane && slot->serial == serial))
            return slot;
    }
}

static struct wanted *parent_of(const struct directory *directory, const struct stave__node *node)
{
    return node->cumulative ? slot_of(directory, node->lane, node->serial)
                            : slot_of(directory, node->parent, node->other);
}

static bool make_directory(struct directory *directory, uint64_t count)
{
    uint64_t size = 16;
    while (size < count * 2)
        size *= 2;
    directory->mask = size - 1;
    directory->slots = calloc(size, sizeof *directory->slots);
    return directory->slots != NULL;
}

static void want(const struct directory *directory, const struct stave__node *node)
{
    struct wanted *slot = parent_of(directory, node);
    *slot = (struct wanted){
        .serial = node->cumulative ? node->serial : node->other,
        .lane = node->cumulative ? node->lane : node->parent,
        .node = STAVE_NONE,
        .used = true,
    };
}

/* Of spans with one identity the first node, which is the last row. */
static void find_wanted(const struct directory *directory, const struct stave__forest *forest)
{
    for (uint32_t i = 0; i < forest->spans; i++) {
        struct wanted *slot = slot_of(directory, forest->nodes[i].lane, forest->nodes[i].serial);
        if (slot->used && slot->node == STAVE_NONE)
            slot->node = i;
    }
}

static bool find_named(struct stave__forest *forest)
{
    struct directory directory;
    if (forest->named_count == 0)
        return true;
    if (!make_directory(&directory, forest->named_count))
        return false;
    for (uint32_t i = 0; i < forest->named_count; i++)
        want(&directory, &forest->nodes[forest->named[i].node]);
    find_wanted(&directory, forest);
    for (uint32_t i = 0; i < forest->named_count; i++) {
        uint32_t node = forest->named[i].node;
        set_parent(forest, node, parent_of(&directory, &forest->nodes[node])->node);
    }
    free(directory.slots);
    return true;
}

/* ---- order ----------------------------------------------------------------------------------- */

#define DONE UINT32_MAX

/* A node whose children are all in the order joins it, and its parent's children. */
static uint32_t join(struct stave__forest *forest, uint32_t at)
{
    struct stave__node *node = &forest->nodes[at];
    node->waiting = DONE;
    if (node->parent != STAVE_NONE) {
        struct stave__node *parent = &forest->nodes[node->parent];
        node->next = parent->first;
        parent->first = at;
        parent->waiting--;
    }
    return node->parent;
}

/* Children before parents (Kahn's way); how many are in the order. Each is followed by its parent as
 * soon as can be: without attached spans that is the order of the rows. */
static uint32_t order_up(struct stave__forest *forest, uint32_t *order)
{
    uint32_t used = 0;
    for (uint32_t i = forest->count; i-- > 0;) {
        for (uint32_t at = i; at != STAVE_NONE && forest->nodes[at].waiting == 0;) {
            order[used++] = at;
            at = join(forest, at);
        }
    }
    return used;
}

/* Who is left waits for himself: every node on a circle becomes a root. */
static void cut_circles(struct stave__forest *forest, uint32_t *order, uint32_t used)
{
    if (used == forest->count)
        return;
    for (uint32_t i = 0; i < forest->count; i++) {
        if (forest->nodes[i].waiting == DONE)
            continue;
        forest->nodes[i].parent = STAVE_NONE;
        order[used++] = i;
    }
    assert(used == forest->count);
}

int stave__forest_solve(struct stave__forest *forest, stave_error *error)
{
    if (!place_cumulatives(forest) || !find_named(forest))
        return stave__fail_memory(error);
    uint32_t *order = malloc((forest->count + (size_t)1) * sizeof *order);
    if (order == NULL)
        return stave__fail_memory(error);
    cut_circles(forest, order, order_up(forest, order));
    int status = stave__forest_sum(forest, order, error);
    free(order);
    return status;
}

void stave__forest_free(struct stave__forest *forest)
{
    stave__intervals_free(&forest->extents);
    free(forest->nodes);
    free(forest->named);
    free(forest->places);
    free(forest->spreads);
    *forest = (struct stave__forest){.ticks = forest->ticks};
}
