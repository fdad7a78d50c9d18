/* record/rules.h - the rules of the process, and the names of runs: found once, never forgotten.
 *
 *     uint32_t name = stave__rule_name(rule);       // of its evaluations; STAVE__NO_ID: there is no room
 *     if (stave__role_of(name) == STAVE__NAME_RULE) ...
 *
 * Invariants
 * U1  A rule's name is one of the dictionary that nobody finds by its text, so that equal descriptions have names of
 *     their own, and a record's name says which rule it is of. What a name stands for is stored before anyone else
 *     gets it.
 * U2  Rules are found by the number of their id, which is a text of a dictionary of its own. Of several threads that make
 *     one at once the first to store its name in `known` wins; the names of the others stay without use.
 * U3  Who first uses a rule brings along what it depends on, and its parent; those that it points to are made by it, and
 *     bring theirs along themselves.
 * U4  `news` and `dependencies` only grow: a place is taken, then stored by one word, which is not 0. A reader goes up to the
 *     first that is 0, and on from there the next time.  */
#ifndef STAVE_RECORD_RULES_H
#define STAVE_RECORD_RULES_H

#include "record/recorder.h"
#include "stave/rules.h"

/* What the name of a record is that of; those behind RULE are the roles of docs/format.md, plus 1. */
enum stave__role {
    STAVE__NAME_OTHER,
    STAVE__NAME_RULE,
    STAVE__NAME_RUN,
    STAVE__NAME_SKIPPED,
    STAVE__NAME_CACHED,
    STAVE__NAME_CANCELLED,
    STAVE__NAME_TIMED_OUT,
    STAVE__NAME_ROLES
};

/* By the number of its id. */
struct stave__rule_known {
    uint32_t name;   /* U2; 0: nothing but its id */
    uint32_t parent; /* the number of its id; 0: none */
    uint32_t told;   /* U3: someone has brought the rest along, or is about to; */
    uint32_t walked; /* likewise all that can be reached from it */
};

struct stave__rules {
    struct stave__dictionary ids, runs;
    struct stave__rule_known *known;
    uint32_t *run_names; /* by the number of the text in `runs` */
    uint8_t *roles;      /* by name; enum stave__role */
    uint64_t *news;      /* U4: a role, and below it the number of a rule's id, or another's name */
    uint64_t *
        dependencies; /* U4: a rule, and below it what it depends on (0: no room), by their ids' numbers */
    uint64_t news_count, dependencies_count;
    uint32_t outcomes[STAVE__NAME_ROLES]; /* names of the keys, from STAVE__NAME_SKIPPED on */
};

extern struct stave__rules stave__rules;

#define STAVE__NEWS_MAX ((uint64_t)4 * STAVE__NAMES_MAX)
#define STAVE__NEWS_FIRST                                                                          \
    (STAVE__NAME_ROLES - STAVE__NAME_SKIPPED) /* of the keys: there from the beginning */
#define STAVE__WORDS_MAX ((uint64_t)1 << 24)  /* dependencies of all rules together */
#define STAVE__NEWS_ROLE_SHIFT 32
#define STAVE__DEPENDENCY_RULE_SHIFT 32

int stave__rules_open(stave_error *error);
void stave__rules_close(void);

/* The name of a rule's evaluations: found or made, with what it depends on. STAVE__NO_ID: there is no room. */
uint32_t stave__rule_name(stave_rule *rule);

/* The name of runs that are called so; NULL: "run". */
uint32_t stave__run_name(const char *text);

static inline enum stave__role stave__role_of(uint32_t name)
{
    return (enum stave__role)__atomic_load_n(&stave__rules.roles[name], __ATOMIC_RELAXED);
}

#endif
