#include "arrange.h"

#include <stdlib.h>

#include "native.h"

/* ---- the order of rules ---------------------------------------------------------------------- */

static uint64_t renumber(uint64_t rules, const int *numbers)
{
    uint64_t renumbered = 0;
    for (int i = 0; i < RULES_MAX; i++)
        if ((rules >> i & 1) != 0)
            renumbered |= 1ull << numbers[i];
    return renumbered;
}

/* Of those whose turn may come, the first of the highest priority. There is one, since all come after such as stand
 * above them. */
static int choose(const struct workflow *workflow, uint64_t placed)
{
    int chosen = -1;
    for (int i = 0; i < workflow->count; i++) {
        const struct rule *rule = &workflow->rules[i];
        if ((placed >> i & 1) == 0 && (rule->after & ~placed) == 0 &&
            (chosen < 0 || rule->priority > workflow->rules[chosen].priority))
            chosen = i;
    }
    return chosen;
}

static void place(struct rule *rule, struct workflow *from, int chosen, const int *numbers)
{
    *rule = from->rules[chosen];
    rule->after = renumber(rule->after, numbers);
    rule->condition = native_find(from->native, chosen);
}

static void arrange(struct workflow *workflow)
{
    struct workflow read = *workflow;
    int numbers[RULES_MAX] = {0};
    uint64_t placed = 0;
    for (int i = 0; i < workflow->count; i++) {
        int chosen = choose(&read, placed);
        numbers[chosen] = i;
        placed |= 1ull << chosen;
        place(&workflow->rules[i], &read, chosen, numbers);
    }
    for (int i = 0; i < workflow->count; i++)
        if (workflow->rules[i].parent >= 0)
            workflow->rules[i].parent = numbers[workflow->rules[i].parent];
}

static void link_rules(struct workflow *workflow)
{
    for (int i = 0; i < workflow->count; i++) {
        const struct rule *rule = &workflow->rules[i];
        if (rule->parent < 0)
            workflow->roots |= 1ull << i;
        else
            workflow->rules[rule->parent].parts |= 1ull << i;
        for (int other = 0; other < i; other++)
            if ((rule->after >> other & 1) != 0)
                workflow->rules[other].followers |= 1ull << i;
    }
}

/* ---- what Stave knows of them ---------------------------------------------------------------- */

/* As lists that end with NULL, one after the other: a rule's number of them and one. */
static stave_rule *const *list_of(stave_rule **list, size_t *used, stave_rule *probes,
                                  uint64_t rules)
{
    stave_rule **start = list + *used;
    for (int i = 0; i < RULES_MAX; i++)
        if ((rules >> i & 1) != 0)
            list[(*used)++] = &probes[i];
    list[(*used)++] = NULL;
    return start;
}

static bool make_probes(struct workflow *workflow)
{
    enum { LIST = RULES_MAX * (RULES_MAX + 1) };
    size_t used = 0, probes = (size_t)workflow->count * sizeof(stave_rule);
    workflow->probes = calloc(1, probes + LIST * sizeof(stave_rule *));
    if (workflow->probes == NULL)
        return false;
    stave_rule **list = (stave_rule **)(void *)&workflow->probes[workflow->count];
    for (int i = 0; i < workflow->count; i++) {
        const struct rule *rule = &workflow->rules[i];
        workflow->probes[i] =
            (stave_rule){.id = rule->id,
                         .description = rule->description,
                         .depends_on = list_of(list, &used, workflow->probes, rule->after),
                         .parent = rule->parent >= 0 ? &workflow->probes[rule->parent] : NULL};
    }
    return true;
}

bool workflow_arrange(struct workflow *workflow)
{
    arrange(workflow);
    link_rules(workflow);
    return make_probes(workflow);
}
