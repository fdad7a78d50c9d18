/* Some hundred rules and some thousand firings (make_rules.py): each firing's cause against what the rules themselves have noted,
 * counts and times of each rule against CLIPS' own (profile constructs). */
#include "clips_help.h"

#include <clips/proflfun.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRINGS_AT_LEAST = 5000, RULES_AT_LEAST = 300, CAUSED_AT_LEAST = 5000 };

static void *clips;
static stave_session *session;
static struct firings firings;
static double run_ns;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* It stops at each (halt), and at the end. */
static void run_all(void)
{
    double begin = now_ns();
    size_t runs = 0;
    clips_eval(clips, "(bind ?*pauses* TRUE)");
    while (EnvRun(clips, -1) != 0)
        runs++;
    run_ns = now_ns() - begin;
    assert_true(runs > 1);
}

static int set_up(void **state)
{
    clips = CreateEnvironment();
    clips_make_quiet(clips);
    assert_int_equal(EnvLoad(clips, STAVE_CLIPS_RULES), 1);
    EnvSetSalienceEvaluation(clips, EVERY_CYCLE);
    assert_int_equal(stave_clips_attach(clips, NULL, NULL), STAVE_OK);
    session = start_session();
    EnvReset(clips);
    assert_true(Profile(clips, "constructs"));
    run_all();
    assert_true(Profile(clips, "off"));
    firings = firings_of(session);
    return 0;
}

static int tear_down(void **state)
{
    firings_free(&firings);
    stave_session_free(session);
    assert_true(DestroyEnvironment(clips));
    return 0;
}

/* ---- causes ---------------------------------------------------------------------------------- */

static DATA_OBJECT slot_of(void *fact, const char *slot)
{
    DATA_OBJECT value;
    assert_true(EnvGetFactSlot(clips, fact, slot, &value));
    return value;
}

static void *first_note(void)
{
    void *template = EnvFindDeftemplate(clips, "MAIN::firing");
    assert_non_null(template);
    return EnvGetNextFactInTemplate(clips, template, NULL);
}

static void *next_note(void *note)
{
    return EnvGetNextFactInTemplate(clips, EnvFindDeftemplate(clips, "MAIN::firing"), note);
}

static void assert_as_noted(void *note)
{
    DATA_OBJECT n = slot_of(note, "n");
    DATA_OBJECT rule = slot_of(note, "rule");
    DATA_OBJECT cause = slot_of(note, "cause");
    size_t at = (size_t)DOToLong(n) - 1;
    assert_true(at < firings.count);
    const struct firing *firing = &firings.list[at];
    long noted = DOToLong(cause) != 0 ? (long)DOToLong(cause) - 1 : NOBODY;
    if (strcmp(firing->id, DOToString(rule)) != 0 || firing->cause != noted || firing->inside)
        fail_msg("firing %zu: %s, caused by %ld; noted %s, %ld", at, firing->id, firing->cause,
                 DOToString(rule), noted);
}

static void test_causes(void **state)
{
    size_t notes = 0;
    EnvSetCurrentModule(clips, EnvFindDefmodule(clips, "MAIN"));
    for (void *note = first_note(); note != NULL; note = next_note(note), notes++)
        assert_as_noted(note);
    assert_int_equal(notes, firings.count);
    assert_true(notes >= FIRINGS_AT_LEAST);
}

static void test_counts(void **state)
{
    stave_clips_counts counts = stave_clips_counts_of(clips);
    size_t caused = 0;
    for (size_t i = 0; i < firings.count; i++)
        caused += firings.list[i].cause != NOBODY;
    assert_int_equal(counts.firings, firings.count);
    assert_int_equal(counts.caused, caused);
    assert_int_equal(counts.unknown + counts.failed + counts.uncaptured, 0);
    assert_true(caused >= CAUSED_AT_LEAST);
}

/* ---- what CLIPS has counted ------------------------------------------------------------------ */

struct profiled {
    char id[128];
    long entries;
    double seconds;
};

/* A rule with an `or` in its conditions is several for CLIPS. */
static struct profiled profiled(struct defrule *rule)
{
    struct profiled sum = {0};
    snprintf(sum.id, sizeof sum.id, "%s::%s", EnvDefruleModule(clips, rule),
             EnvGetDefruleName(clips, rule));
    for (; rule != NULL; rule = rule->disjunct) {
        const struct constructProfileInfo *info = (const struct constructProfileInfo *)TestUserData(
            ProfileFunctionData(clips)->ProfileDataID, rule->header.usrData);
        sum.entries += info != NULL ? info->numberOfEntries : 0;
        sum.seconds += info != NULL ? info->totalWithChildrenTime : 0;
    }
    return sum;
}

static void for_each_rule(void (*check)(const struct profiled *rule))
{
    for (void *module = EnvGetNextDefmodule(clips, NULL); module != NULL;
         module = EnvGetNextDefmodule(clips, module)) {
        EnvSetCurrentModule(clips, module);
        for (void *rule = EnvGetNextDefrule(clips, NULL); rule != NULL;
             rule = EnvGetNextDefrule(clips, rule)) {
            struct profiled counted = profiled(rule);
            check(&counted);
        }
    }
}

static size_t rules_fired;
static uint64_t entries;

static void assert_same_count(const struct profiled *rule)
{
    const stave_rule_stats *stats = stave_report_rule_by_id(firings.report, rule->id);
    long calls = stats != NULL ? (long)stats->calls : 0;
    if (calls != rule->entries)
        fail_msg("%s: %ld calls, CLIPS says %ld", rule->id, calls, rule->entries);
    rules_fired += calls != 0;
    entries += (uint64_t)calls;
}

static void test_same_counts(void **state)
{
    rules_fired = 0;
    entries = 0;
    for_each_rule(assert_same_count);
    assert_int_equal(entries, firings.count);
    assert_true(rules_fired >= RULES_AT_LEAST);
    assert_int_equal(stave_report_rule_count(firings.report), rules_fired);
}

/* CLIPS takes the time with clock(3) before and after the actions, in whole microseconds of the processor's time; a firing lies
 * around that, and is taken by the wall. So each entry is at most a microsecond longer for CLIPS, by rounding, however
 * busy the machine is; a hundredth more is left for two clocks that are not quite the same. */
static void assert_not_shorter(const struct profiled *rule)
{
    const stave_rule_stats *stats = stave_report_rule_by_id(firings.report, rule->id);
    if (stats == NULL)
        return;
    double ours_ns = stats->mean_ns * (double)stats->timed;
    double least_ns = rule->seconds * 1e9 * 0.99 - (double)rule->entries * 1000;
    if (ours_ns < least_ns)
        fail_msg("%s: %.0f ns, CLIPS says at least %.0f", rule->id, ours_ns, least_ns);
}

static void test_times(void **state)
{
    double sum_ns = 0;
    for_each_rule(assert_not_shorter);
    for (size_t i = 0; i < firings.count; i++)
        sum_ns += firings.list[i].node->end_ns - firings.list[i].node->start_ns;
    assert_true(sum_ns <= run_ns * 1.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_same_counts),
        cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
