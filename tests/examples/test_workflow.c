/* examples/workflow: the same answers as plain C gives, on one thread and on many, and reports that agree with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stave/report.h>

#include "engine.h"
#include "workflow_checks.h"

enum { ORDERS = 12000, SEED = 7 };

static struct workflow *workflow; /* of WORKFLOW_FILE */
static struct orders *orders;
static struct verdict *verdicts;

/* ---- the rules of orders.workflow, in C ------------------------------------------------------ */

enum outcome { PASSED, FAILED, THREW, SKIPPED };

struct plain {
    enum outcome known, lines, quantities, amounts, once, discount, net, tax, shipping, total,
        parcel, payment, credit, parts, release;
};

static enum outcome holds(bool condition)
{
    return condition ? PASSED : FAILED;
}

static int64_t sum(const struct order *order)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < order->line_count; i++)
        sum += order->lines[i].amount;
    return sum;
}

static int64_t weigh(const struct order *order)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < order->line_count; i++)
        sum += order->lines[i].quantity * order->lines[i].weight;
    return sum;
}

static int64_t heaviest(const struct order *order)
{
    int64_t weight = 0;
    for (int64_t i = 0; i < order->line_count; i++)
        weight = order->lines[i].weight > weight ? order->lines[i].weight : weight;
    return weight;
}

static bool has_quantities(const struct order *order)
{
    for (int64_t i = 0; i < order->line_count; i++)
        if (order->lines[i].quantity <= 0 || order->lines[i].price < 0)
            return false;
    return true;
}

static bool has_amounts(const struct order *order)
{
    for (int64_t i = 0; i < order->line_count; i++)
        if (order->lines[i].amount != order->lines[i].quantity * order->lines[i].price)
            return false;
    return true;
}

static bool has_each_once(const struct order *order)
{
    for (int64_t i = 0; i < order->line_count; i++)
        for (int64_t j = 0; j < i; j++)
            if (order->lines[i].product == order->lines[j].product)
                return false;
    return true;
}

static void judge_lines(const struct order *order, struct plain *plain)
{
    plain->lines = plain->quantities = plain->amounts = plain->once = SKIPPED;
    if (order->line_count == 0) {
        plain->lines = FAILED;
        return;
    }
    plain->quantities = holds(has_quantities(order));
    plain->amounts = holds(has_amounts(order));
    if (plain->quantities == PASSED)
        plain->once = holds(has_each_once(order));
    plain->lines =
        holds(plain->quantities == PASSED && plain->amounts == PASSED && plain->once == PASSED);
}

static enum outcome judge_tax(const struct order *order)
{
    if (order->country > COUNTRIES)
        return THREW;
    return holds(order->tax == order->net * rate_at(order->country, order->postcode) / 1000);
}

static bool has_shipping(const struct order *order)
{
    return order->shipping == 490 + weigh(order) / 1000 * 60 ||
           (order->net >= 20000 && order->shipping == 0);
}

static void judge_amounts(const struct order *order, struct plain *plain)
{
    plain->discount = plain->net = plain->tax = plain->shipping = plain->total = SKIPPED;
    plain->parcel = plain->lines == PASSED ? holds(heaviest(order) <= 31500) : SKIPPED;
    if (plain->lines == PASSED)
        plain->discount = holds(order->discount * 5 <= sum(order));
    if (plain->discount == PASSED)
        plain->net = holds(order->net == sum(order) - order->discount);
    if (plain->net == PASSED && plain->known == PASSED) {
        plain->tax = judge_tax(order);
        plain->shipping = holds(has_shipping(order));
    }
    if (plain->tax == PASSED && plain->shipping == PASSED)
        plain->total = holds(order->total == order->net + order->tax + order->shipping);
}

static enum outcome judge_credit(const struct order *order)
{
    struct call call = {.order = order};
    if (order->customer > CUSTOMERS)
        return THREW;
    return holds(order->total - order->paid <= function_credit(&call, order->customer));
}

static enum outcome judge_parts(const struct order *order)
{
    int64_t rest = order->total - order->paid;
    if (order->parts == 0)
        return THREW;
    return holds(rest / order->parts >= 100 || rest == 0);
}

static void judge_payment(const struct order *order, struct plain *plain)
{
    plain->payment = plain->credit = plain->parts = plain->release = SKIPPED;
    if (plain->total != PASSED)
        return;
    plain->payment = holds(order->paid <= order->total);
    if (plain->payment == PASSED) {
        plain->credit = judge_credit(order);
        plain->parts = judge_parts(order);
        plain->payment = holds(plain->credit == PASSED && plain->parts == PASSED);
    }
    if (plain->payment == PASSED && plain->parcel == PASSED)
        plain->release = holds(order->hold == 0);
}

static struct plain judge(const struct order *order)
{
    struct plain plain;
    plain.known = holds(order->customer > 0 && order->country > 0);
    judge_lines(order, &plain);
    judge_amounts(order, &plain);
    judge_payment(order, &plain);
    return plain;
}

/* ---- the two, compared ----------------------------------------------------------------------- */

static enum outcome outcome_of(const struct verdict *verdict, int number)
{
    uint64_t bit = 1ull << number;
    assert_int_equal(((verdict->passed & bit) != 0) + ((verdict->failed & bit) != 0) +
                         ((verdict->skipped & bit) != 0),
                     1);
    if ((verdict->passed & bit) != 0)
        return PASSED;
    if ((verdict->skipped & bit) != 0)
        return SKIPPED;
    return (verdict->threw & bit) != 0 ? THREW : FAILED;
}

static void compare(const struct verdict *verdict, const struct plain *plain)
{
#define COMPARE(rule)                                                                              \
    assert_int_equal(outcome_of(verdict, number_of(workflow, #rule)), plain->rule);
    COMPARE(known)
    COMPARE(lines)
    COMPARE(quantities)
    COMPARE(amounts)
    COMPARE(once)
    COMPARE(discount)
    COMPARE(net)
    COMPARE(tax)
    COMPARE(shipping)
    COMPARE(total)
    COMPARE(parcel)
    COMPARE(payment)
    COMPARE(credit)
    COMPARE(parts)
    COMPARE(release)
#undef COMPARE
}

static void test_as_in_plain_c(void **state)
{
    uint64_t threw = 0, failed = 0;
    for (uint32_t i = 0; i < ORDERS; i++) {
        struct plain plain = judge(&orders->at[i]);
        compare(&verdicts[i], &plain);
        threw |= verdicts[i].threw;
        failed |= verdicts[i].failed & ~verdicts[i].threw;
    }
    assert_int_equal(threw, 1ull << number_of(workflow, "tax") |
                                1ull << number_of(workflow, "credit") |
                                1ull << number_of(workflow, "parts"));
    assert_true((failed >> number_of(workflow, "once") & 1) != 0);
    assert_true((failed >> number_of(workflow, "total") & 1) != 0);
}

static void test_the_mended_rule_answers_the_same(void **state)
{
    struct complaint complaint;
    struct workflow *mended = workflow_load(MENDED_FILE, &complaint);
    assert_string_equal(complaint.text, "");
    struct verdict verdict;
    for (uint32_t i = 0; i < ORDERS; i++) {
        workflow_execute(mended, &orders->at[i], &verdict);
        assert_memory_equal(&verdict, &verdicts[i], sizeof verdict);
    }
    workflow_free(mended);
}

static void test_in_parallel(void **state)
{
    struct verdict *others = calloc(ORDERS, sizeof *others);
    assert_non_null(others);
    for (unsigned threads = 1; threads <= 5; threads++) {
        struct pool *pool = pool_new(threads);
        assert_non_null(pool);
        memset(others, 0, ORDERS * sizeof *others);
        workflow_execute_parallel(workflow, pool, orders->at, ORDERS, others);
        assert_memory_equal(others, verdicts, ORDERS * sizeof *others);
        memset(others, 0, ORDERS * sizeof *others);
        for (uint32_t i = 0; i < 200; i++)
            workflow_execute_parallel(workflow, pool, &orders->at[i], 1, &others[i]);
        assert_memory_equal(others, verdicts, 200 * sizeof *others);
        workflow_execute_parallel(workflow, pool, orders->at, 0, others);
        pool_free(pool);
    }
    free(others);
}

/* ---- reports --------------------------------------------------------------------------------- */

struct counts {
    uint64_t calls, failed, skipped;
};

static struct counts count(int number)
{
    struct counts counts = {0};
    for (uint32_t i = 0; i < ORDERS; i++) {
        enum outcome outcome = outcome_of(&verdicts[i], number);
        counts.calls += outcome != SKIPPED;
        counts.failed += outcome == FAILED || outcome == THREW;
        counts.skipped += outcome == SKIPPED;
    }
    return counts;
}

static void check_counts(const stave_report *report)
{
    assert_int_equal(stave_report_rule_count(report), (size_t)workflow->count);
    for (int i = 0; i < workflow->count; i++) {
        const stave_rule_stats *rule = stave_report_rule_by_id(report, workflow->rules[i].id);
        struct counts expected = count(i);
        assert_non_null(rule);
        assert_string_equal(rule->description, workflow->rules[i].description);
        assert_int_equal(rule->calls, expected.calls);
        assert_int_equal(rule->failed, expected.failed);
        assert_int_equal(rule->skipped, expected.skipped);
        assert_int_equal(rule->timed, expected.calls);
        assert_int_equal(rule->missing, 0);
    }
}

static void check_runs(const stave_report *report)
{
    stave_report_lost lost;
    stave_report_lost_of(report, &lost);
    assert_int_equal(lost.given_up + lost.dropped + lost.unplaced + lost.circles, 0);
    assert_int_equal(stave_report_cycle_count(report), 0);
    assert_int_equal(stave_report_run_count(report), ORDERS);
    for (uint32_t i = 0; i < ORDERS; i++) {
        const stave_report_run *run = stave_report_run_at(report, i);
        char *end;
        unsigned long number = strtoul(run->id, &end, 10);
        assert_true(number >= 1 && number <= ORDERS && *end == '\0');
        assert_string_equal(run->name, "orders");
        assert_int_equal(run->evaluations, workflow->count);
        assert_int_equal(run->skipped, __builtin_popcountll(verdicts[number - 1].skipped));
        assert_false(run->is_unfinished);
    }
}

/* The verdict's word on the run that a node is in; what it hangs below is in the same run. */
static void check_node(const stave_report *report, const stave_report_node *node)
{
    const stave_rule_stats *rule = stave_report_rule_at(report, node->rule);
    unsigned long order = strtoul(stave_report_run_at(report, node->run)->id, NULL, 10);
    int number = number_of(workflow, rule->id);
    enum outcome outcome = outcome_of(&verdicts[order - 1], number);
    assert_int_equal(node->outcome, outcome == PASSED    ? STAVE_DONE
                                    : outcome == SKIPPED ? STAVE_SKIPPED
                                                         : STAVE_FAILED);
    if (outcome == FAILED && workflow->rules[number].parts == 0)
        assert_string_equal(node->reason, workflow->rules[number].expression);
    if (outcome == SKIPPED)
        assert_non_null(strstr(node->reason, " did not pass"));
    if (outcome == THREW && strcmp(rule->id, "parts") == 0)
        assert_string_equal(node->reason, "division by zero");
    if (outcome == THREW && strcmp(rule->id, "tax") == 0)
        assert_string_equal(node->reason, "there is no tax rate for country 31");
    if (node->parent != STAVE_NONE)
        assert_int_equal(stave_report_node_at(report, node->parent)->run, node->run);
}

/* What comes after rules hangs below one of them, what is in one in it. */
static void check_place(const stave_report *report, const stave_report_node *node)
{
    const stave_rule_stats *stats = stave_report_rule_at(report, node->rule);
    const struct rule *rule = &workflow->rules[number_of(workflow, stats->id)];
    if (rule->after != 0)
        assert_int_equal(node->place, STAVE_PLACE_DEPENDENCY);
    else if (node->outcome != STAVE_SKIPPED)
        assert_int_equal(node->place, rule->parent < 0 ? STAVE_PLACE_ROOT : STAVE_PLACE_INSIDE);
}

static void check_report(stave_session *session)
{
    stave_error error = {0};
    stave_session_stop(session);
    stave_report *report = stave_session_report(session, &error);
    assert_string_equal(error.message, "");
    assert_non_null(report);
    check_counts(report);
    check_runs(report);
    for (uint32_t i = 0; i < stave_report_node_count(report); i++) {
        const stave_report_node *node = stave_report_node_at(report, i);
        if (node->rule != STAVE_NONE) {
            check_node(report, node);
            check_place(report, node);
        }
    }
    stave_report_free(report);
    stave_session_free(session);
}

static void test_report(void **state)
{
    stave_session *session = start_session();
    struct verdict *others = calloc(ORDERS, sizeof *others);
    assert_non_null(others);
    workflow_execute_all(workflow, orders->at, ORDERS, others);
    check_report(session);
    free(others);
}

static void test_report_of_threads(void **state)
{
    stave_session *session = start_session();
    struct verdict *others = calloc(ORDERS, sizeof *others);
    struct pool *pool = pool_new(4);
    assert_non_null(others);
    assert_non_null(pool);
    workflow_execute_parallel(workflow, pool, orders->at, ORDERS, others);
    check_report(session);
    pool_free(pool);
    free(others);
}

/* ---------------------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    struct complaint complaint;
    workflow = workflow_load(WORKFLOW_FILE, &complaint);
    orders = orders_new(ORDERS, SEED);
    verdicts = calloc(ORDERS, sizeof *verdicts);
    if (workflow == NULL || orders == NULL || verdicts == NULL)
        return -1;
    workflow_execute_all(workflow, orders->at, ORDERS, verdicts);
    return 0;
}

static int tear_down(void **state)
{
    workflow_free(workflow);
    orders_free(orders);
    free(verdicts);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_in_plain_c),
        cmocka_unit_test(test_the_mended_rule_answers_the_same),
        cmocka_unit_test(test_in_parallel),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_report_of_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
