#include "record/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os_process.h"

struct stave__rules stave__rules;

#define ROLES_SIZE ((size_t)1 << STAVE__DEPTH_SHIFT)

/* ---- memory: address space until it is used -------------------------------------------------- */

void stave__rules_close(void)
{
    struct stave__rules *rules = &stave__rules;
    stave__dictionary_close(&rules->texts);
    stave__os_unmap(rules->known, STAVE__NAMES_MAX * sizeof *rules->known);
    stave__os_unmap(rules->run_names, STAVE__NAMES_MAX * sizeof *rules->run_names);
    stave__os_unmap(rules->roles, ROLES_SIZE);
    stave__os_unmap(rules->news, STAVE__NEWS_MAX * sizeof *rules->news);
    stave__os_unmap(rules->dependencies, STAVE__WORDS_MAX * sizeof *rules->dependencies);
    *rules = (struct stave__rules){0};
}

static int reserve(struct stave__rules *rules, stave_error *error)
{
    rules->known = stave__os_reserve(STAVE__NAMES_MAX * sizeof *rules->known);
    rules->run_names = stave__os_reserve(STAVE__NAMES_MAX * sizeof *rules->run_names);
    rules->roles = stave__os_reserve(ROLES_SIZE);
    rules->news = stave__os_reserve(STAVE__NEWS_MAX * sizeof *rules->news);
    rules->dependencies = stave__os_reserve(STAVE__WORDS_MAX * sizeof *rules->dependencies);
    bool all = rules->known != NULL && rules->run_names != NULL && rules->roles != NULL &&
               rules->news != NULL && rules->dependencies != NULL;
    return all ? STAVE_OK : stave__fail_memory(error);
}

/* U4 */
static void announce(enum stave__role role, uint32_t number)
{
    uint64_t at = __atomic_fetch_add(&stave__rules.news_count, 1, __ATOMIC_RELAXED);
    if (at < STAVE__NEWS_MAX)
        STAVE__PUBLISH(stave__rules.news[at], (uint64_t)role << STAVE__NEWS_ROLE_SHIFT | number);
}

/* U1. A name that is nobody else's. */
static uint32_t make_name(enum stave__role role, const char *text)
{
    uint32_t name =
        stave__dictionary_add_own(&stave__recorder.names, text, strlen(text), STAVE__ROOM_NAMES);
    if (name != STAVE__NO_ID)
        STAVE__STORE(stave__rules.roles[name], (uint8_t)role);
    return name;
}

static void make_keys(void)
{
    static const char *const texts[STAVE__NAME_ROLES] = {[STAVE__NAME_SKIPPED] = "skipped",
                                                         [STAVE__NAME_CACHED] = "cached",
                                                         [STAVE__NAME_CANCELLED] = "cancelled",
                                                         [STAVE__NAME_TIMED_OUT] = "timed out"};
    for (uint32_t role = STAVE__NAME_SKIPPED; role < STAVE__NAME_ROLES; role++) {
        stave__rules.outcomes[role] = make_name((enum stave__role)role, texts[role]);
        announce((enum stave__role)role, stave__rules.outcomes[role]);
    }
}

int stave__rules_open(stave_error *error)
{
    struct stave__rules *rules = &stave__rules;
    int status = stave__dictionary_open(&rules->texts, error);
    if (status >= 0)
        status = reserve(rules, error);
    if (status >= 0)
        make_keys();
    else
        stave__rules_close();
    return status;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* What stands in a place, or is put there. The one that is there first holds. */
static uint32_t name_in(uint32_t *place, enum stave__role role, const char *text, uint32_t number)
{
    uint32_t name = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (name != 0)
        return name;
    uint32_t made = make_name(role, text);
    if (made == STAVE__NO_ID ||
        !__atomic_compare_exchange_n(place, &name, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made == STAVE__NO_ID ? made : name;
    announce(role, role == STAVE__NAME_RULE ? number : made);
    return made;
}

static uint32_t id_of(const char *id)
{
    id = text_or_empty(id);
    return stave__dictionary_add(&stave__rules.texts, id, strlen(id));
}

/* Of a rule whose id has this number. */
static uint32_t name_of(uint32_t id, const stave_rule *rule)
{
    if (id == STAVE__NO_ID)
        return STAVE__NO_ID;
    return name_in(&stave__rules.known[id].name, STAVE__NAME_RULE, text_or_empty(rule->description),
                   id);
}

uint32_t stave__run_name(const char *text)
{
    if (text == NULL)
        text = "run";
    uint32_t number = stave__dictionary_add(&stave__rules.texts, text, strlen(text));
    if (number == STAVE__NO_ID)
        return STAVE__NO_ID;
    return name_in(&stave__rules.run_names[number], STAVE__NAME_RUN, text, number);
}

/* ---- what a rule brings along ---------------------------------------------------------------- */

static uint64_t count_of(const stave_rule *rule)
{
    uint64_t count = 0;
    for (stave_rule *const *at = rule->depends_on; at != NULL && *at != NULL; at++)
        count++;
    for (const char *const *at = rule->depends_on_ids; at != NULL && *at != NULL; at++)
        count++;
    return count < STAVE_DEPENDENCIES_MAX ? count : STAVE_DEPENDENCIES_MAX;
}

/* Words that are this rule's alone, so that they stand in its order. NULL: there is no room. */
static uint64_t *take_words(uint64_t count)
{
    uint64_t at = __atomic_fetch_add(&stave__rules.dependencies_count, count, __ATOMIC_RELAXED);
    if (at + count <= STAVE__WORDS_MAX)
        return stave__rules.dependencies + at;
    __atomic_fetch_sub(&stave__rules.dependencies_count, count, __ATOMIC_RELAXED);
    return NULL;
}

static void put_word(uint64_t *word, uint32_t rule, uint32_t depends_on)
{
    uint32_t known = depends_on != STAVE__NO_ID ? depends_on : 0;
    STAVE__PUBLISH(*word, (uint64_t)rule << STAVE__DEPENDENCY_RULE_SHIFT | known);
}

static void tell_dependencies(uint32_t rule_id, const stave_rule *rule)
{
    uint64_t count = count_of(rule), i = 0;
    uint64_t *words = take_words(count);
    if (words == NULL)
        return;
    for (stave_rule *const *at = rule->depends_on; at != NULL && i < count && *at != NULL; at++) {
        uint32_t id = id_of((*at)->id);
        name_of(id, *at);
        put_word(&words[i++], rule_id, id);
    }
    for (const char *const *at = rule->depends_on_ids; i < count; at++)
        put_word(&words[i++], rule_id, id_of(*at));
}

static void tell_parent(uint32_t rule_id, const stave_rule *rule)
{
    uint32_t id = rule->parent != NULL ? id_of(rule->parent->id) : STAVE__NO_ID;
    if (id == STAVE__NO_ID)
        return;
    name_of(id, rule->parent);
    STAVE__PUBLISH(stave__rules.known[rule_id].parent, id);
    announce(STAVE__NAME_RULE, rule_id); /* again */
}

/* Whether the caller is the first. */
static bool claim(uint32_t *flag)
{
    return __atomic_exchange_n(flag, 1, __ATOMIC_RELAXED) == 0;
}

/* U3 */
static void tell(uint32_t id, const stave_rule *rule)
{
    if (!claim(&stave__rules.known[id].told))
        return;
    tell_dependencies(id, rule);
    tell_parent(id, rule);
}

uint32_t stave__rule_name(stave_rule *rule)
{
    uint32_t name = __atomic_load_n(&rule->number, __ATOMIC_RELAXED);
    if (name != 0)
        return name;
    uint32_t id = id_of(rule->id);
    name = name_of(id, rule);
    if (stave__is_name(name))
        tell(id, rule);
    __atomic_store_n(&rule->number, name, __ATOMIC_RELEASE); /* R6 */
    return name;
}

/* ---- all that can be reached ----------------------------------------------------------------- */

/* Rules that are still to be looked at. */
struct waiting {
    struct {
        stave_rule *rule;
    } * at;
    size_t count, room;
};

/* Without memory for it a rule is met at its first use. */
static void wait(struct waiting *waiting, stave_rule *rule)
{
    if (waiting->count == waiting->room) {
        size_t room = waiting->room != 0 ? waiting->room * 2 : 64;
        void *larger = realloc(waiting->at, room * sizeof *waiting->at);
        if (larger == NULL)
            return;
        waiting->at = larger;
        waiting->room = room;
    }
    waiting->at[waiting->count++].rule = rule;
}

static void declare(struct waiting *waiting, stave_rule *rule)
{
    uint32_t id = id_of(rule->id);
    if (!stave__is_name(name_of(id, rule)) || !claim(&stave__rules.known[id].walked))
        return;
    tell(id, rule);
    for (stave_rule *const *at = rule->depends_on; at != NULL && *at != NULL; at++)
        wait(waiting, *at);
    if (rule->parent != NULL)
        wait(waiting, rule->parent);
}

void stave__rule_declare(stave_rule *rule, size_t rule_size)
{
    struct waiting waiting = {0};
    (void)rule_size; /* all have what this one has */
    if (rule == NULL || !__atomic_load_n(&stave__recorder.made, __ATOMIC_ACQUIRE))
        return;
    wait(&waiting, rule);
    while (waiting.count > 0)
        declare(&waiting, waiting.at[--waiting.count].rule);
    free(waiting.at);
}
