/* What the probes of stave/rules.h call. */
#include "record/rules.h"
#include "record/sessions.h"
#include "stave/block.h"

#define NAME_MASK (((uint64_t)1 << STAVE__DEPTH_SHIFT) - 1)
#define FAILED ((uint64_t)STAVE_FLAG_FAILED << STAVE__FLAGS_SHIFT)

/* In an evaluation's slot, between depth and flags: another outcome than done and failed was told. */
#define OUTCOME_TOLD ((uint64_t)1 << 40)

static bool is_on(void)
{
    return __atomic_load_n(&stave__rules_on, __ATOMIC_RELAXED) != 0;
}

/* ---- where the thread is --------------------------------------------------------------------- */

static enum stave__role role_of(const struct stave__open *slot)
{
    return stave__role_of((uint32_t)(slot->what & NAME_MASK));
}

static bool is_sum(const struct stave__open *slot)
{
    return (slot->what & STAVE__IS_SUM) != 0;
}

/* The innermost evaluation, one that is summed up included; NULL: there is none. */
static struct stave__open *innermost_rule(const struct stave__thread *self)
{
    struct stave__open *slot = self->top;
    while (slot > self->base && role_of(slot - 1) != STAVE__NAME_RULE)
        slot--;
    return slot > self->base ? slot - 1 : NULL;
}

/* The innermost place that can be evaluated in. */
static stave_run place_of(const struct stave__lane *lane)
{
    const struct stave__open *slot = lane->thread.top;
    for (; slot > lane->thread.base; slot--) {
        enum stave__role role = role_of(slot - 1);
        if ((role == STAVE__NAME_RULE || role == STAVE__NAME_RUN) && !is_sum(slot - 1))
            return (stave_run){.serial = slot[-1].serial,
                               .owner = stave__owner(lane->index, lane->life)};
    }
    return (stave_run){0};
}

stave_run stave_rule_here(void)
{
    return stave__has_lane() ? place_of((const struct stave__lane *)stave__own) : (stave_run){0};
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* Where an evaluation is to begin: NULL: nowhere, it is not captured. */
static struct stave__lane *lane_for(stave_run run, uint32_t abi)
{
    if (!is_on())
        return NULL;
    struct stave__lane *lane = stave__lane_of_thread();
    if (lane == NULL) {
        stave__sessions_drop(NULL, stave__clock_tick(&stave__recorder.clock), run.serial != 0);
        return NULL;
    }
    if (run.serial == 0 && !stave__sessions_capture(lane))
        return NULL;
    if (abi == STAVE_ABI)
        return lane;
    stave__count_dropped_site(lane, STAVE__OTHER_ABI);
    stave__sessions_drop(lane, stave__clock_tick(&stave__recorder.clock), run.serial != 0);
    return NULL;
}

static stave_span begin_in(struct stave__lane *lane, uint32_t name, stave_run run)
{
    const struct stave__attached to = {.serial = run.serial, .owner = run.owner};
    stave_run here = place_of(lane);
    bool is_here = run.serial == 0 || (here.serial == run.serial && here.owner == run.owner);
    return is_here ? stave__span_begin(lane, name) : stave__span_begin_attached(lane, name, &to);
}

static stave_span begin(struct stave__lane *lane, stave_rule *rule, stave_run run)
{
    stave_span span = begin_in(lane, stave__rule_name(rule), run);
    if (span.slot == NULL)
        stave__sessions_drop(lane, stave__clock_tick(&stave__recorder.clock), run.serial != 0);
    return span;
}

stave_span stave__rule_begin_slowly(stave_rule *rule, size_t rule_size, uint32_t abi)
{
    struct stave__lane *lane = lane_for((stave_run){0}, abi);
    (void)rule_size; /* all have what this one has */
    return lane != NULL ? begin(lane, rule, (stave_run){0}) : (stave_span){0};
}

stave_evaluation stave__rule_begin(stave_rule *rule, stave_run run, size_t rule_size, uint32_t abi)
{
    struct stave__lane *lane = lane_for(run, abi);
    stave_evaluation evaluation = {0};
    (void)rule_size;
    if (lane == NULL)
        return evaluation;
    evaluation.span = begin(lane, rule, run);
    if (evaluation.span.slot != NULL)
        evaluation.here = place_of(lane);
    return evaluation;
}

/* ---- how it came out ------------------------------------------------------------------------- */

static void tell_other(stave_span span, stave_outcome outcome)
{
    uint32_t key = stave__rules.outcomes[STAVE__NAME_SKIPPED + (uint32_t)(outcome - STAVE_SKIPPED)];
    STAVE__STORE(span.slot->what, span.slot->what | OUTCOME_TOLD);
    stave__set_key(span, key, stave__bool(true));
}

/* What was told before holds no longer. */
static void take_back(stave_span span)
{
    if ((span.slot->what & OUTCOME_TOLD) == 0)
        return;
    STAVE__STORE(span.slot->what, span.slot->what & ~OUTCOME_TOLD);
    stave__set_key(span, stave__rules.outcomes[STAVE__NAME_SKIPPED], stave__bool(false));
}

/* Tools that do not know rules see a failure in what timed out, too. */
static void tell(stave_span span, stave_outcome outcome, const char *reason)
{
    bool has_failed = outcome == STAVE_FAILED || outcome == STAVE_TIMED_OUT;
    uint64_t what = span.slot->what;
    if (is_sum(span.slot) || (uint32_t)outcome > STAVE_TIMED_OUT)
        return;
    STAVE__STORE(span.slot->what, has_failed ? what | FAILED : what & ~FAILED);
    if (outcome >= STAVE_SKIPPED)
        tell_other(span, outcome);
    else
        take_back(span);
    if (reason != NULL)
        stave_set_str(span, "error", reason);
}

void stave_rule_outcome(stave_outcome outcome, const char *reason)
{
    struct stave__open *slot = innermost_rule(stave__own);
    if (slot != NULL)
        tell((stave_span){.slot = slot, .serial = slot->serial}, outcome, reason);
}

void stave_rule_fail(const char *reason)
{
    stave_rule_outcome(STAVE_FAILED, reason);
}

void stave_rule_end(stave_evaluation evaluation, stave_outcome outcome, const char *reason)
{
    if (evaluation.span.slot == NULL)
        return;
    bool is_told = outcome != STAVE_DONE || reason != NULL;
    if (is_told && stave__is_open(stave__own, evaluation.span)) {
        if (outcome != STAVE_DONE)
            tell(evaluation.span, outcome, reason);
        else
            stave_set_str(evaluation.span, "error", reason);
    }
    stave_end(evaluation.span);
}

/* One that is summed up is none: an entry counts calls. */
void stave__rule_skip(stave_rule *rule, stave_run run, const char *reason, size_t rule_size,
                      uint32_t abi)
{
    struct stave__lane *lane = lane_for(run, abi);
    (void)rule_size;
    if (lane == NULL || stave__is_in_sum(&lane->thread))
        return;
    stave_span span = begin(lane, rule, run);
    if (span.slot == NULL)
        return;
    tell(span, STAVE_SKIPPED, reason);
    stave__span_end_at(lane, span, span.slot->start);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* None in what is summed up, which has no place of its own. */
stave_run stave_run_begin(const char *name)
{
    struct stave__lane *lane = is_on() ? stave__lane_of_thread() : NULL;
    if (lane == NULL || !stave__sessions_capture(lane) || stave__is_in_sum(&lane->thread))
        return (stave_run){0};
    stave_span span = stave__span_begin(lane, stave__run_name(name));
    return span.slot != NULL ? place_of(lane) : (stave_run){0};
}

/* Serials ascend from the outside in. */
void stave_run_end(stave_run run)
{
    const struct stave__lane *lane = (const struct stave__lane *)stave__own;
    struct stave__open *slot = stave__own->top;
    if (run.serial == 0)
        return;
    if (!stave__has_lane() || run.owner != stave__owner(lane->index, lane->life)) {
        stave__count_ended_twice();
        return;
    }
    while (slot > stave__own->base && slot[-1].serial > run.serial)
        slot--;
    stave_end((stave_span){.slot = slot - 1, .serial = run.serial});
}
