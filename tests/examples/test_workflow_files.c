/* examples/workflow: what a file of rules says: its expressions, the order of its rules, mistakes in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <stave/report.h>

#include "engine.h"
#include "workflow_checks.h"

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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions), cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_no_lines),    cmocka_unit_test(test_crlf),
        cmocka_unit_test(test_priorities),  cmocka_unit_test(test_parts_of_parts),
        cmocka_unit_test(test_wrong_files), cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_many_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
