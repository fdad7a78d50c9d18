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

static int number_of(const struct workflow *in, const char *id)
{
    for (int i = 0; i < in->count; i++)
        if (strcmp(in->rules[i].id, id) == 0)
            return i;
    fail_msg("there is no rule %s", id);
    return -1;
}

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

static stave_session *start_session(void)
{
    stave_error error = {0};
    stave_session *session = stave_session_start(NULL, &error);
    assert_string_equal(error.message, "");
    assert_non_null(session);
    return session;
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

/* ---- expressions ----------------------------------------------------------------------------- */

static const struct order_line some_lines[] = {
    {.product = 5, .quantity = 2, .price = 300, .amount = 600, .weight = 10},
    {.product = 6, .quantity = 1, .price = -7, .amount = -7, .weight = 20},
    {.product = 5, .quantity = 4, .price = 100, .amount = 400, .weight = 30}};
static const struct order some_order = {.customer = 3,
                                        .country = 2,
                                        .net = 1000,
                                        .tax = -100,
                                        .total = INT64_MIN,
                                        .lines = some_lines,
                                        .line_count = 3};
static const struct order no_lines = {.net = 1};

/* What it says of some_order, or why it throws. */
static const struct {
    const char *expression;
    bool holds;
    const char *throws;
} expressions[] = {
    {"1 + 2 * 3 == 7", true, NULL},
    {"(1 + 2) * 3 == 9", true, NULL},
    {"10 - 3 - 2 == 5", true, NULL},
    {"100 / 10 / 5 == 2 and 7 % 4 == 3", true, NULL},
    {"-7 / 2 == -3 and -7 % 2 == -1", true, NULL},
    {"- - 5 == 5", true, NULL},
    {"-(2 + 3) * 2 == -10", true, NULL},
    {"not 1 == 2 and 1 < 2", true, NULL},
    {"not (1 == 1 or 1 == 2)", false, NULL},
    {"1 == 2 or 2 == 2 and 1 == 1", true, NULL},
    {"1 == 1 or 2 == 2 and 1 == 2", true, NULL},
    {"order.net == 1000 and order.tax == -100", true, NULL},
    {"sum(order.lines) == 993", true, NULL},
    {"sum(order.lines, line.quantity * line.weight) == 160", true, NULL},
    {"sum(order.lines, 1 + line.weight / 20) == 5", true, NULL},
    {"min(order.lines) == -7 and max(order.lines) == 600", true, NULL},
    {"max(order.lines, -line.quantity) == -1", true, NULL},
    {"count(order.lines) == 3", true, NULL},
    {"count(order.lines, line.price > 100) * 2 + 1 == 3", true, NULL},
    {"all(order.lines, line.quantity > 0)", true, NULL},
    {"all(order.lines, line.price > 0)", false, NULL},
    {"any(order.lines, line.price < 0) and not any(order.lines, line.price == 0)", true, NULL},
    {"sum(order.lines, repeats(line.product)) == 5 and products() == 2", true, NULL},
    {"sum(order.lines, line.amount - order.net) == 993 - 3 * order.net", true, NULL},
    {"order.total / -1 == order.total and order.total % -1 == 0", true, NULL},
    {"999999999999999999 + 1 == 1000000000000000 * 1000", true, NULL},
    {"1 / (order.customer - 3) == 1", false, "division by zero"},
    {"1 == 1 or 1 / 0 == 1", true, NULL},
    {"5 % 0 == 1", false, "division by zero"},
    {"any(order.lines, 10 / (line.weight - 20) > 99)", false, "division by zero"},
    {"tax(99, 0, 5) > 0", false, "there is no tax rate for country 99"},
    {"tax(1, -1, 5) > 0", false, "there is no postcode -1"},
    {"credit(0) > 0", false, "customer 0 is not known"},
};

static void check_expression(const char *text, bool holds_it, const char *throws)
{
    char file[400];
    struct complaint complaint;
    struct verdict verdict;
    snprintf(file, sizeof file, "rule r \"r\"\n when %s\n", text);
    struct workflow *one = workflow_read(file, &complaint);
    if (one == NULL)
        fail_msg("%s: %s", text, complaint.text);
    workflow_execute(one, &some_order, &verdict);
    if (verdict.passed != holds_it || verdict.threw != (throws != NULL))
        fail_msg("%s: passed %d, threw %d", text, (int)verdict.passed, (int)verdict.threw);
    workflow_free(one);
}

static void test_expressions(void **state)
{
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++)
        check_expression(expressions[i].expression, expressions[i].holds, expressions[i].throws);
}

/* What throws is told with its reason. */
static void test_reasons(void **state)
{
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        if (expressions[i].throws == NULL)
            continue;
        stave_session *session = start_session();
        check_expression(expressions[i].expression, false, expressions[i].throws);
        stave_report *report = stave_session_report(session, NULL);
        assert_int_equal(stave_report_node_count(report), 1);
        assert_int_equal(stave_report_node_at(report, 0)->outcome, STAVE_FAILED);
        assert_string_equal(stave_report_node_at(report, 0)->reason, expressions[i].throws);
        stave_report_free(report);
        stave_session_free(session);
    }
}

static void test_no_lines(void **state)
{
    struct complaint complaint;
    struct verdict verdict;
    struct workflow *one = workflow_read("rule none \"n\"\n when count(order.lines) == 0\n"
                                         "rule sum \"s\"\n when sum(order.lines) == 0\n"
                                         "rule all \"a\"\n when all(order.lines, 1 == 2)\n"
                                         "rule max \"m\"\n when max(order.lines) == 0\n",
                                         &complaint);
    assert_string_equal(complaint.text, "");
    workflow_execute(one, &no_lines, &verdict);
    assert_int_equal(verdict.passed, 7);
    assert_int_equal(verdict.threw, 8);
    workflow_free(one);
}

/* ---- the order of rules ---------------------------------------------------------------------- */

/* As an editor of another system writes them: blank lines, expressions of several lines, the places of mistakes. */
static void test_crlf(void **state)
{
    (void)state;
    struct complaint complaint;
    struct workflow *one = workflow_read("workflow w\r\n\r\n# c\r\nrule a \"a\"\r\n  priority 2\r\n"
                                         "  when 1 == 1 and\r\n    \r\n    2 == 2\r\n\r\n"
                                         "rule b \"b\"\r\n  after a\r\n  when 1 == 2\r\n",
                                         &complaint);
    assert_string_equal(complaint.text, "");
    assert_non_null(one);
    assert_string_equal(one->name, "w");
    assert_string_equal(one->rules[0].expression, "1 == 1 and 2 == 2");
    assert_string_equal(one->rules[1].expression, "1 == 2");
    workflow_free(one);
    assert_null(
        workflow_read("rule a \"a\"\r\n  when 1 == 1 and\r\n    nothing > 1\r\n", &complaint));
    assert_int_equal(complaint.line, 3);
    assert_int_equal(complaint.column, 5);
    assert_null(workflow_read("rule a \"a\"\r\n  when 1 \r== 1\r\n", &complaint));
    assert_int_equal(complaint.line, 2);
}

static void test_priorities(void **state)
{
    static const char *const expected[] = {"high", "b", "part2", "part1", "low", "after-low"};
    struct complaint complaint;
    struct workflow *one =
        workflow_read("rule low \"low\"\n priority -5\n when 1 == 1\n"
                      "rule b \"b\"\n when 1 == 1\n"
                      "rule high \"high\"\n priority 7\n when 1 == 1\n"
                      "rule after-low \"x\"\n priority 99\n after low\n when 1 == 1\n"
                      "rule part1 \"x\"\n in b\n when 1 == 1\n"
                      "rule part2 \"x\"\n in b\n priority 1\n when 1 == 1\n",
                      &complaint);
    assert_string_equal(complaint.text, "");
    assert_int_equal(one->count, 6);
    assert_string_equal(one->rules[0].id, expected[0]);
    assert_true(number_of(one, "part2") < number_of(one, "part1"));
    assert_true(number_of(one, "b") < number_of(one, "low"));
    assert_int_equal(number_of(one, "after-low"), number_of(one, "low") + 1);
    assert_int_equal(one->rules[number_of(one, "part1")].parent, number_of(one, "b"));
    workflow_free(one);
}

static void test_parts_of_parts(void **state)
{
    struct complaint complaint;
    struct verdict verdict;
    struct workflow *one = workflow_read("rule a \"a\"\n when 1 == 1\n"
                                         "rule b \"b\"\n in a\n when order.net == 0\n"
                                         "rule c \"c\"\n in b\n when 1 == 1\n"
                                         "rule d \"d\"\n in c\n when 1 == 1\n"
                                         "rule e \"e\"\n in a\n when 1 == 1\n"
                                         "rule f \"f\"\n after a\n when 1 == 1\n"
                                         "rule g \"g\"\n in f\n when 1 == 1\n",
                                         &complaint);
    assert_string_equal(complaint.text, "");
    stave_session *session = start_session();
    workflow_execute(one, &some_order, &verdict);
    stave_report *report = stave_session_report(session, NULL);
    assert_int_equal(verdict.failed, 1ull << number_of(one, "a") | 1ull << number_of(one, "b"));
    assert_int_equal(verdict.passed, 1ull << number_of(one, "e"));
    assert_int_equal(verdict.skipped, 127 & ~verdict.failed & ~verdict.passed);
    assert_int_equal(stave_report_rule_by_id(report, "d")->skipped, 1);
    assert_int_equal(stave_report_rule_by_id(report, "d")->calls, 0);
    assert_int_equal(stave_report_rule_by_id(report, "g")->skipped, 1);
    assert_string_equal(stave_report_node_at(report, 0)->reason, "b did not pass");
    stave_report_free(report);
    stave_session_free(session);
    workflow_free(one);
}

/* ---- files that are wrong -------------------------------------------------------------------- */

static const struct {
    const char *text;
    unsigned line, column;
    const char *says;
} wrong[] = {
    {"", 0, 0, "there is no rule in it"},
    {"# nothing\n", 1, 0, "there is no rule in it"},
    {"rules\n", 1, 1, "'rules' is not known here"},
    {"rule\n", 1, 5, "a name is expected"},
    {"rule a\n", 1, 7, "between \"quotes\""},
    {"rule a \"open\n", 1, 8, "between \"quotes\""},
    {"rule a \"a\" when 1 == 1\n", 1, 12, "on lines of its own"},
    {"rule abcdefghijklmnopqrstuvwxyz0123456 \"a\"\n", 1, 6, "31 letters at most"},
    {" when 1 == 1\n", 1, 2, "it belongs to no rule"},
    {"rule a \"a\"\n", 1, 0, "'a' has no condition: add a line 'when"},
    {"rule a \"a\"\n when 1 == 1\nrule a \"a\"\n", 3, 0, "there is a rule 'a' already"},
    {"rule a \"a\"\n when 1 == 1\n when 1 == 1\n", 3, 0, "has a condition already"},
    {"rule a \"a\"\n until 1 == 1\n", 2, 2, "'until' is not known here: a rule has after, in"},
    {"rule a \"a\"\n after b\n", 2, 8, "there is no rule 'b' above 'a'"},
    {"rule a \"a\"\n after a\n", 2, 8, "there is no rule 'a' above 'a'"},
    {"rule a \"a\"\n in b\n", 2, 5, "there is no rule 'b' above 'a'"},
    {"rule a \"a\"\n priority much\n", 2, 11, "a number from -1000 to 1000"},
    {"rule a \"a\"\n priority 1001\n", 2, 11, "a number from -1000 to 1000"},
    {"rule a \"a\"\n when 1 == 1\nrule b \"b\"\n in a\n in a\n", 5, 4, "'b' is in a rule already"},
    {"rule a \"a\"\n when 1 == 1\nrule b \"b\"\n in a\n after a\n when 1 == 1\n", 3, 0,
     "'b' and 'a', which it comes after, have to be in the same rule"},
    {"rule a \"a\"\n when order.nett > 0\n", 2, 7,
     "there is no 'order.nett'; there are number, cu"},
    {"rule a \"a\"\n when order.net > 0\n   and\n   order.x > 0\n", 4, 4, "there is no 'order.x'"},
    {"rule a \"a\"\n when all(order.lines, line.size > 0)\n", 2, 24, "there are product, quantity"},
    {"rule a \"a\"\n when line.price > 0\n", 2, 7, "which line?"},
    {"rule a \"a\"\n when order.lines > 0\n", 2, 7, "sum(order.lines), say"},
    {"rule a \"a\"\n when sum(order.net) > 0\n", 2, 11, "'order.lines' is expected"},
    {"rule a \"a\"\n when all(order.lines)\n", 2, 22, "it takes a condition"},
    {"rule a \"a\"\n when all(order.lines, line.price)\n", 2, 34, "compare it"},
    {"rule a \"a\"\n when sum(order.lines, sum(order.lines)) > 0\n", 2, 24, "asked for each line"},
    {"rule a \"a\"\n when order.net\n", 2, 0, "has to be a condition: compare it"},
    {"rule a \"a\"\n when order.net > \n", 2, 0, "the expression ends"},
    {"rule a \"a\"\n when 1 < 2 < 3\n", 2, 13, "'<' stands between numbers"},
    {"rule a \"a\"\n when 1 and 2\n", 2, 9, "'and' stands between conditions"},
    {"rule a \"a\"\n when not 1\n", 2, 0, "compare the number"},
    {"rule a \"a\"\n when -(1 == 1) == 1\n", 2, 0, "only numbers have a sign"},
    {"rule a \"a\"\n when 12.5 > 1\n", 2, 7, "a number is whole"},
    {"rule a \"a\"\n when 1234567890123456789 > 1\n", 2, 7, "at most 18 digits"},
    {"rule a \"a\"\n when tax(1, 2) > 1\n", 2, 15, "tax(country, postcode, amount)"},
    {"rule a \"a\"\n when credit(1, 2) > 1\n", 2, 15, "credit(customer)"},
    {"rule a \"a\"\n when system(1) > 1\n", 2, 7, "there are order.FIELD"},
    {"rule a \"a\"\n when 1 == 1; }\n", 2, 13, "';' cannot stand here"},
    {"rule a \"a\"\n when 1 = 1\n", 2, 9, "'=' cannot stand here"},
    {"rule a \"a\"\n when (1 == 1\n", 2, 0, "')' is expected"},
    {"rule a \"a\"\n when ((((((((((((((((((((((((((((((((((1))))\n", 2, 0, "two rules of it"},
};

static void check_wrong(size_t i)
{
    struct complaint complaint;
    struct workflow *read = workflow_read(wrong[i].text, &complaint);
    if (read != NULL)
        fail_msg("%s is read", wrong[i].text);
    if (strstr(complaint.text, wrong[i].says) == NULL || complaint.line != wrong[i].line ||
        (wrong[i].column != 0 && complaint.column != wrong[i].column))
        fail_msg("%s: %u:%u %s", wrong[i].text, complaint.line, complaint.column, complaint.text);
}

static void test_wrong_files(void **state)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_wrong(i);
}

/* Any file is refused or read, whatever byte of it is another one. */
static void test_damaged_files(void **state)
{
    static const char text[] =
        "workflow w\nrule a \"a\"\n when sum(order.lines, line.price * 2) > 1\n"
        "rule b \"b\"\n after a\n priority 2\n when -order.net / 2 <= 3\n"
        "  or not all(order.lines, line.price == 1)\n";
    static const char bytes[] = {' ', '\n', '\t', '"', '(',    ')', ',',
                                 '#', '0',  'a',  '.', '\x80', '=', '-'};
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        for (size_t j = 0; j < sizeof bytes; j++) {
            char damaged[sizeof text];
            struct complaint complaint;
            memcpy(damaged, text, sizeof text);
            damaged[i] = bytes[j];
            struct workflow *read = workflow_read(damaged, &complaint);
            assert_true((read == NULL) == (complaint.text[0] != '\0'));
            workflow_free(read);
        }
    }
}

static void test_many_rules(void **state)
{
    struct text text = {0};
    struct complaint complaint;
    for (int i = 0; i < RULES_MAX; i++)
        text_add(&text, "rule r%d \"r\"\n when 1 == 1\n", i);
    struct workflow *read = workflow_read(text.at, &complaint);
    struct verdict verdict;
    assert_non_null(read);
    workflow_execute(read, &some_order, &verdict);
    assert_true(verdict.passed == UINT64_MAX);
    workflow_free(read);
    text_add(&text, "rule more \"r\"\n when 1 == 1\n");
    assert_null(workflow_read(text.at, &complaint));
    assert_string_equal(complaint.text, "a workflow has at most 64 rules: make two of it");
    text_free(&text);
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
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_no_lines),
        cmocka_unit_test(test_crlf),
        cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_parts_of_parts),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_many_rules),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
