/* report/graph.h - the rules that were declared: who needs whom, without circles.
 *
 *     struct stave__declared declared = {.rules = rules, .rules_count = 2, .needs = needs, .needs_count = 1};
 *     if (stave__graph_make(&graph, &texts, &declared, error) < 0) ...
 *     for (uint32_t i = graph.rules[r].needs; i < graph.rules[r + 1].needs; i++)
 *         ... graph.rules[graph.needs[i]] ...
 *     stave__graph_free(&graph);
 *
 * Rules stand in the order of their ids' bytes, those that are only named among them. A cycle is cut between its
 * last and its first rule (docs/rules.md, "Cycles"); what was cut is in none of the lists.
 *
 * Time and memory are linear in what was declared, but for sorting; nothing recurses.  */
#ifndef STAVE_REPORT_GRAPH_H
#define STAVE_REPORT_GRAPH_H

#include <stdbool.h>

#include "base/strings.h"

/* As they were met; texts are ids of the strings. */
struct stave__declared_rule {
    uint32_t id, description;
    bool has_parent;
    uint32_t parent; /* an id */
};

struct stave__declared_need {
    uint32_t rule; /* index of a declared one */
    uint32_t id;   /* that it depends on */
};

struct stave__declared {
    struct stave__declared_rule *rules; /* of those with one id the first holds */
    uint32_t rules_count, rules_size;
    struct stave__declared_need *needs; /* of each rule in the order of declaration */
    uint32_t needs_count, needs_size;
};

struct stave__graph_rule {
    uint32_t id, description; /* texts */
    uint32_t parent;          /* STAVE_NONE: none */
    uint32_t needs; /* where its dependencies begin; they end where the next rule's begin */
    bool is_known;
};

/* From `first` on each rule names the next one, up to `last`, which names `first`. */
struct stave__cycle {
    uint32_t first, last;
};

struct stave__graph {
    struct stave__graph_rule
        *rules; /* one more than there are, for the end of the last one's needs */
    uint32_t count;
    uint32_t *needs;             /* each once, in the order of declaration */
    uint32_t *declared;          /* of each declared rule which it is */
    struct stave__cycle *cycles; /* in the order in which the walk found them */
    uint32_t cycles_count;
    uint32_t *above; /* of each rule the one from which the walk came */
    uint32_t *depth; /* and how many steps it took */
};

int stave__graph_make(struct stave__graph *graph, const struct stave__strings *texts,
                      const struct stave__declared *declared, stave_error *error);

/* How many rules a cycle has; the first `max` of them. */
uint32_t stave__graph_cycle(const struct stave__graph *graph, uint32_t cycle, uint32_t *rules,
                            uint32_t max);

void stave__graph_free(struct stave__graph *graph);

#endif
