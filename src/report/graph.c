#include "report/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/room.h"
#include "stave/trace.h"

struct making {
    struct stave__graph *graph;
    const struct stave__strings *texts;
    const struct stave__declared *declared;
    uint32_t *rule_of; /* of each text: the rule with this id plus 1; 0: none */
    uint32_t *edges;   /* each rule's dependencies and parent, by index: what the walk goes along */
    uint32_t *edges_at;
    uint32_t *mark; /* of each rule: the last one that has it among its own, plus 1 */
};

/* ---- which rules there are ------------------------------------------------------------------- */

struct named {
    const char *bytes;
    size_t size;
    uint32_t text;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    size_t size = x->size < y->size ? x->size : y->size;
    int order = memcmp(x->bytes, y->bytes, size);
    return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

static void note(struct making *m, struct named *ids, uint32_t text)
{
    struct named *id = &ids[m->graph->count];
    if (m->rule_of[text] != 0)
        return;
    m->rule_of[text] = ++m->graph->count;
    id->bytes = stave__strings_text(m->texts, text, &id->size);
    id->text = text;
}

static void note_all(struct making *m, struct named *ids)
{
    const struct stave__declared *declared = m->declared;
    for (uint32_t i = 0; i < declared->rules_count; i++) {
        note(m, ids, declared->rules[i].id);
        if (declared->rules[i].has_parent)
            note(m, ids, declared->rules[i].parent);
    }
    for (uint32_t i = 0; i < declared->needs_count; i++)
        note(m, ids, declared->needs[i].id);
}

/* Each id once, by its bytes. */
static bool list_rules(struct making *m)
{
    struct stave__graph *graph = m->graph;
    size_t most = (size_t)m->declared->rules_count * 2 + m->declared->needs_count;
    struct named *ids = malloc((most + 1) * sizeof *ids);
    if (ids == NULL)
        return false;
    note_all(m, ids);
    qsort(ids, graph->count, sizeof *ids, compare_named);
    graph->rules = calloc((size_t)graph->count + 1, sizeof *graph->rules);
    for (uint32_t i = 0; i < graph->count && graph->rules != NULL; i++) {
        graph->rules[i] = (struct stave__graph_rule){.id = ids[i].text, .parent = STAVE_NONE};
        m->rule_of[ids[i].text] = i + 1;
    }
    free(ids);
    return graph->rules != NULL;
}

static uint32_t rule_of(const struct making *m, uint32_t text)
{
    return m->rule_of[text] - 1;
}

/* Of those with one id the first one is it; the others' dependencies get no rule (STAVE_NONE in `own`). */
static void describe(struct making *m, uint32_t *own)
{
    struct stave__graph *graph = m->graph;
    for (uint32_t i = 0; i < m->declared->rules_count; i++) {
        const struct stave__declared_rule *declared = &m->declared->rules[i];
        uint32_t at = rule_of(m, declared->id);
        struct stave__graph_rule *rule = &graph->rules[at];
        graph->declared[i] = at;
        own[i] = rule->is_known ? STAVE_NONE : at;
        if (rule->is_known)
            continue;
        rule->is_known = true;
        rule->description = declared->description;
        if (declared->has_parent)
            rule->parent = rule_of(m, declared->parent);
    }
}

/* ---- what they name -------------------------------------------------------------------------- */

/* All that was declared, rule by rule, each rule's in the order of declaration. */
static void sort_needs(struct making *m, const uint32_t *own)
{
    struct stave__graph *graph = m->graph;
    for (uint32_t i = 0; i < m->declared->needs_count; i++) {
        uint32_t rule = own[m->declared->needs[i].rule];
        if (rule != STAVE_NONE)
            m->edges_at[rule]++;
    }
    stave__room_begin(m->edges_at, graph->count);
    for (uint32_t i = 0; i < m->declared->needs_count; i++) {
        uint32_t rule = own[m->declared->needs[i].rule];
        if (rule != STAVE_NONE)
            graph->needs[m->edges_at[rule]++] = rule_of(m, m->declared->needs[i].id);
    }
    for (uint32_t i = graph->count; i-- > 0;)
        m->edges_at[i + 1] = m->edges_at[i];
    m->edges_at[0] = 0;
}

/* Leaves each once, and out what is marked as cut: moves them together, from the first rule on. */
static void keep_once(struct making *m, const uint32_t *cuts_at, const uint32_t *cuts)
{
    struct stave__graph *graph = m->graph;
    uint32_t used = 0, from = 0;
    memset(m->mark, 0, graph->count * sizeof *m->mark);
    for (uint32_t rule = 0; rule < graph->count; rule++) {
        uint32_t end = m->edges_at[rule + 1];
        graph->rules[rule].needs = used;
        for (uint32_t i = cuts_at[rule]; i < cuts_at[rule + 1]; i++)
            m->mark[cuts[i]] = rule + 1;
        if (graph->rules[rule].parent != STAVE_NONE &&
            m->mark[graph->rules[rule].parent] == rule + 1)
            graph->rules[rule].parent = STAVE_NONE;
        for (; from < end; from++) {
            uint32_t need = graph->needs[from];
            if (m->mark[need] == rule + 1)
                continue;
            m->mark[need] = rule + 1;
            graph->needs[used++] = need;
        }
    }
    graph->rules[graph->count].needs = used;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A rule's dependencies and its parent, by index: their number. */
static uint32_t list_edges(const struct making *m, uint32_t rule, uint32_t *edges)
{
    const struct stave__graph *graph = m->graph;
    uint32_t from = m->edges_at[rule], count = m->edges_at[rule + 1] - from, once = 0;
    memcpy(edges, graph->needs + from, count * sizeof *edges);
    if (graph->rules[rule].parent != STAVE_NONE)
        edges[count++] = graph->rules[rule].parent;
    qsort(edges, count, sizeof *edges, compare_numbers);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || edges[i] != edges[once - 1])
            edges[once++] = edges[i];
    return once;
}

enum { NEW, OPEN, DONE };

struct walk {
    uint8_t *state;
    uint32_t *next, *end; /* of each rule that is open: in `edges` */
    uint32_t used;        /* of `edges` */
};

static void enter(struct making *m, struct walk *walk, uint32_t rule, uint32_t above)
{
    struct stave__graph *graph = m->graph;
    walk->state[rule] = OPEN;
    walk->next[rule] = walk->used;
    walk->used += list_edges(m, rule, m->edges + walk->used);
    walk->end[rule] = walk->used;
    graph->above[rule] = above;
    graph->depth[rule] = above != STAVE_NONE ? graph->depth[above] + 1 : 0;
}

/* Goes one step on from a rule: to which it is now. */
static uint32_t step(struct making *m, struct walk *walk, uint32_t rule)
{
    struct stave__graph *graph = m->graph;
    if (walk->next[rule] == walk->end[rule]) {
        walk->state[rule] = DONE;
        return graph->above[rule];
    }
    uint32_t to = m->edges[walk->next[rule]++];
    if (walk->state[to] == OPEN)
        graph->cycles[graph->cycles_count++] = (struct stave__cycle){to, rule};
    if (walk->state[to] != NEW)
        return rule;
    enter(m, walk, to, rule);
    return to;
}

/* Each rule is entered once, so that there is room for all of their edges. */
static void walk_all(struct making *m, struct walk *walk)
{
    for (uint32_t i = 0; i < m->graph->count; i++) {
        if (walk->state[i] != NEW)
            continue;
        enter(m, walk, i, STAVE_NONE);
        for (uint32_t at = i; at != STAVE_NONE;)
            at = step(m, walk, at);
    }
}

static bool find_cycles(struct making *m)
{
    struct stave__graph *graph = m->graph;
    struct walk walk = {.state = calloc((size_t)graph->count + 1, 1)};
    size_t edges = (size_t)m->declared->needs_count + graph->count;
    bool has_room = stave__room(&walk.next, graph->count) && stave__room(&walk.end, graph->count) &&
                    stave__room(&m->edges, edges) && walk.state != NULL;
    graph->cycles = has_room ? malloc((edges + 1) * sizeof *graph->cycles) : NULL;
    if (graph->cycles != NULL)
        walk_all(m, &walk);
    free(walk.state);
    free(walk.next);
    free(walk.end);
    return graph->cycles != NULL;
}

/* What the last rule of each cycle says of the first one counts as not declared. */
static bool cut_cycles(struct making *m)
{
    const struct stave__graph *graph = m->graph;
    uint32_t *cuts = NULL, *cuts_at = NULL;
    bool has_room =
        stave__room(&cuts_at, (size_t)graph->count + 1) && stave__room(&cuts, graph->cycles_count);
    if (has_room) {
        for (uint32_t i = 0; i < graph->cycles_count; i++)
            cuts_at[graph->cycles[i].last + 1]++;
        for (uint32_t i = 0; i < graph->count; i++)
            cuts_at[i + 1] += cuts_at[i];
        for (uint32_t i = 0; i < graph->cycles_count; i++)
            cuts[cuts_at[graph->cycles[i].last]++] = graph->cycles[i].first;
        for (uint32_t i = graph->count; i-- > 0;)
            cuts_at[i + 1] = cuts_at[i];
        cuts_at[0] = 0;
        keep_once(m, cuts_at, cuts);
    }
    free(cuts);
    free(cuts_at);
    return has_room;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool make(struct making *m)
{
    struct stave__graph *graph = m->graph;
    uint32_t *own = NULL;
    bool has_room = stave__room(&m->rule_of, m->texts->texts.rows) && list_rules(m) &&
                    stave__room(&m->edges_at, (size_t)graph->count + 1) &&
                    stave__room(&m->mark, graph->count) &&
                    stave__room(&graph->needs, m->declared->needs_count) &&
                    stave__room(&graph->declared, m->declared->rules_count) &&
                    stave__room(&graph->above, graph->count) &&
                    stave__room(&graph->depth, graph->count) &&
                    stave__room(&own, m->declared->rules_count);
    if (has_room) {
        describe(m, own);
        sort_needs(m, own);
    }
    free(own);
    return has_room && find_cycles(m) && cut_cycles(m);
}

int stave__graph_make(struct stave__graph *graph, const struct stave__strings *texts,
                      const struct stave__declared *declared, stave_error *error)
{
    struct making m = {.graph = graph, .texts = texts, .declared = declared};
    *graph = (struct stave__graph){0};
    bool made = make(&m);
    free(m.rule_of);
    free(m.edges);
    free(m.edges_at);
    free(m.mark);
    if (made)
        return STAVE_OK;
    stave__graph_free(graph);
    return stave__fail_memory(error);
}

uint32_t stave__graph_cycle(const struct stave__graph *graph, uint32_t cycle, uint32_t *rules,
                            uint32_t max)
{
    uint32_t rule = graph->cycles[cycle].last;
    uint32_t count = graph->depth[rule] - graph->depth[graph->cycles[cycle].first] + 1;
    for (uint32_t i = count; i-- > 0; rule = graph->above[rule])
        if (i < max)
            rules[i] = rule;
    return count;
}

void stave__graph_free(struct stave__graph *graph)
{
    free(graph->rules);
    free(graph->needs);
    free(graph->declared);
    free(graph->cycles);
    free(graph->above);
    free(graph->depth);
    *graph = (struct stave__graph){0};
}
