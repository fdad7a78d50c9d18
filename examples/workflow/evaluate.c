#include "evaluate.h"

enum answer { NO, YES, THREW };

static void add(struct verdict *verdict, const struct verdict *more)
{
    verdict->passed |= more->passed;
    verdict->failed |= more->failed;
    verdict->threw |= more->threw;
    verdict->skipped |= more->skipped;
}

/* ---- skipping -------------------------------------------------------------------------------- */

/* With its parts, and theirs. `rules` loses what it is the turn of, and gets what is in that. */
static struct verdict skip(const struct workflow *workflow, uint64_t rules, const char *reason,
                           stave_run run)
{
    struct verdict verdict = {0};
    while (rules != 0) {
        int number = first_rule(rules);
        stave_rule_skip(&workflow->probes[number], run, reason);
        verdict.skipped |= 1ull << number;
        rules = (rules | workflow->rules[number].parts) & ~verdict.skipped;
    }
    return verdict;
}

/* What it comes after and what has not passed; 0: nothing. */
static uint64_t missing(const struct workflow *workflow, int number, const struct verdict *done)
{
    return workflow->rules[number].after & ~done->passed;
}

/* ---- evaluating ------------------------------------------------------------------------------ */

/* What the condition throws arrives here, out of any depth of compiled code. */
static enum answer ask(const struct rule *rule, struct call *call)
{
    if (setjmp(call->out) != 0)
        return THREW;
    return rule->condition(call, call->order) != 0 ? YES : NO;
}

/* Tells the evaluation that is open on this thread, if one is captured. */
static struct verdict fail(const struct workflow *workflow, int number, const char *reason)
{
    stave_rule_fail(reason);
    struct verdict verdict = skip(workflow, workflow->rules[number].parts,
                                  workflow->rules[number].blame, (stave_run){0});
    verdict.failed |= 1ull << number;
    return verdict;
}

static struct verdict evaluate_parts(const struct workflow *workflow, int number,
                                     const struct order *order)
{
    struct verdict verdict = evaluate_rules(workflow, workflow->rules[number].parts, order);
    uint64_t self = 1ull << number;
    if ((verdict.failed | verdict.skipped) == 0) {
        verdict.passed |= self;
        return verdict;
    }
    stave_rule_fail(workflow->rules[first_rule(verdict.failed | verdict.skipped)].blame);
    verdict.failed |= self;
    return verdict;
}

static struct verdict judge(const struct workflow *workflow, int number, const struct order *order)
{
    const struct rule *rule = &workflow->rules[number];
    struct call call;
    call.order = order;
    enum answer answer = ask(rule, &call);
    if (answer == YES)
        return evaluate_parts(workflow, number, order);
    struct verdict verdict = fail(workflow, number, answer == NO ? rule->expression : call.reason);
    if (answer == THREW)
        verdict.threw |= 1ull << number;
    return verdict;
}

struct verdict evaluate_rule(const struct workflow *workflow, int number, const struct order *order,
                             const struct verdict *done)
{
    uint64_t lacking = missing(workflow, number, done);
    if (lacking != 0)
        return skip(workflow, 1ull << number, workflow->rules[first_rule(lacking)].blame,
                    (stave_run){0});
    STAVE_RULE(&workflow->probes[number]);
    return judge(workflow, number, order);
}

struct verdict evaluate_rule_in(const struct workflow *workflow, int number,
                                const struct order *order, const struct verdict *done,
                                stave_run run)
{
    uint64_t lacking = missing(workflow, number, done);
    if (lacking != 0)
        return skip(workflow, 1ull << number, workflow->rules[first_rule(lacking)].blame, run);
    STAVE_RULE_IN(run, &workflow->probes[number]);
    return judge(workflow, number, order);
}

/* Rules' numbers are an order in which each comes after what it has to. */
struct verdict evaluate_rules(const struct workflow *workflow, uint64_t rules,
                              const struct order *order)
{
    struct verdict done = {0};
    for (; rules != 0; rules &= rules - 1) {
        struct verdict verdict = evaluate_rule(workflow, first_rule(rules), order, &done);
        add(&done, &verdict);
    }
    return done;
}
