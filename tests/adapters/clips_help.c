#include "clips_help.h"

#include <stdlib.h>
#include <string.h>

/* ---- environments ---------------------------------------------------------------------------- */

static int takes_all(void *clips, const char *name)
{
    (void)clips;
    (void)name;
    return TRUE;
}

static int drop(void *clips, const char *name, const char *text)
{
    (void)clips;
    (void)name;
    (void)text;
    return TRUE;
}

void clips_make_quiet(void *clips)
{
    assert_true(EnvAddRouter(clips, "quiet", 40, takes_all, drop, NULL, NULL, NULL));
}

void clips_build(void *clips, const char *construct)
{
    if (!EnvBuild(clips, construct))
        fail_msg("CLIPS does not take: %s", construct);
}

void *clips_with(const char *const *constructs)
{
    void *clips = CreateEnvironment();
    assert_non_null(clips);
    clips_make_quiet(clips);
    for (; *constructs != NULL; constructs++)
        clips_build(clips, *constructs);
    assert_int_equal(stave_clips_attach(clips, NULL, NULL), STAVE_OK);
    return clips;
}

long long clips_eval(void *clips, const char *command)
{
    DATA_OBJECT value;
    assert_true(EnvEval(clips, command, &value));
    return value.type == INTEGER ? ValueToLong(value.value) : 0;
}

/* ---- firings --------------------------------------------------------------------------------- */

stave_session *start_session(void)
{
    stave_error error = {0};
    stave_session *session = stave_session_start(NULL, &error);
    if (session == NULL)
        fail_msg("%s", error.message);
    return session;
}

static int by_serial(const void *a, const void *b)
{
    const stave_report_node *one = ((const struct firing *)a)->node;
    const stave_report_node *other = ((const struct firing *)b)->node;
    return (one->serial > other->serial) - (one->serial < other->serial);
}

static long index_of(const struct firings *firings, const stave_report_node *node)
{
    struct firing key = {.node = node};
    struct firing *found =
        bsearch(&key, firings->list, firings->count, sizeof *firings->list, by_serial);
    assert_non_null(found);
    return found - firings->list;
}

static void find_cause(const struct firings *firings, struct firing *firing)
{
    uint32_t parent = firing->node->parent;
    firing->cause = NOBODY;
    if (parent == STAVE_NONE)
        return;
    firing->cause = index_of(firings, stave_report_node_at(firings->report, parent));
    firing->inside = firing->node->place == STAVE_PLACE_INSIDE;
}

struct firings firings_of(stave_session *session)
{
    stave_error error = {0};
    struct firings firings = {.report = stave_session_report(session, &error)};
    if (firings.report == NULL)
        fail_msg("%s", error.message);
    firings.count = stave_report_node_count(firings.report);
    firings.list = calloc(firings.count + 1, sizeof *firings.list);
    assert_non_null(firings.list);
    for (uint32_t i = 0; i < firings.count; i++) {
        const stave_report_node *node = stave_report_node_at(firings.report, i);
        firings.list[i].node = node;
        firings.list[i].id = stave_report_rule_at(firings.report, node->rule)->id;
    }
    qsort(firings.list, firings.count, sizeof *firings.list, by_serial);
    for (size_t i = 0; i < firings.count; i++)
        find_cause(&firings, &firings.list[i]);
    return firings;
}

void firings_free(struct firings *firings)
{
    free(firings->list);
    stave_report_free(firings->report);
    *firings = (struct firings){0};
}

void assert_firings(stave_session *session, const struct expected *expected, size_t count)
{
    struct firings firings = firings_of(session);
    for (size_t i = 0; i < firings.count && i < count; i++) {
        if (strcmp(firings.list[i].id, expected[i].id) != 0 ||
            firings.list[i].cause != expected[i].cause)
            fail_msg("firing %zu is %s, caused by %ld; expected %s, %ld", i, firings.list[i].id,
                     firings.list[i].cause, expected[i].id, expected[i].cause);
    }
    assert_int_equal(firings.count, count);
    firings_free(&firings);
}
