/* docs/rules.md, "One run, by hand": its five rules, each number of its tables. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stress/rules_model.h"
#include "unit/recording.h"

#define MS 1e6

struct expected {
    const char *id, *parent; /* NULL: a root */
    double start, end, self, total, busy, slack;
    bool is_critical;
};

static const struct expected nodes[] = {
    {"price", NULL, 0, 4, 4, 4, 4, 2, false},      {"stock", NULL, 0, 6, 6, 16, 21, 0, true},
    {"total", "stock", 6, 16, 7, 10, 10, 0, true}, {"discount", "total", 8, 11, 3, 3, 3, 0, false},
    {"ship", "stock", 7, 12, 5, 5, 5, 5, false},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void declare(struct stave__model *model, uint32_t rules[COUNT(nodes)])
{
    static const char *const descriptions[COUNT(nodes)] = {"price is positive", "all in stock",
                                                           "total matches", "discount is allowed",
                                                           "can be shipped"};
    for (size_t i = 0; i < COUNT(nodes); i++)
        rules[i] = rules_model_rule(model, nodes[i].id, descriptions[i]);
    rules_model_need(model, rules[2], "price");
    rules_model_need(model, rules[2], "stock");
    rules_model_need(model, rules[4], "stock");
}

/* In memory, in milliseconds; rows as they end. */
static stave_report *make_in_memory(void)
{
    struct stave__model model;
    uint32_t rules[COUNT(nodes)];
    rules_model_open(&model);
    model.unit_ns = MS;
    declare(&model, rules);
    uint32_t run = rules_model_run(&model, "order", 1, 1, 0, 16);
    rules_model_add(&model, rules[0], 1, 2, 0, 4)->around = run;
    rules_model_attach(rules_model_add(&model, rules[1], 2, 1, 0, 6), 1, 1);
    uint32_t total = model.count;
    rules_model_add(&model, rules[2], 1, 3, 6, 16)->around = run;
    rules_model_add(&model, rules[3], 1, 4, 8, 11)->around = total;
    rules_model_attach(rules_model_add(&model, rules[4], 2, 2, 7, 12), 1, 1);
    return rules_model_report(&model);
}

/* ---- as a program evaluates it --------------------------------------------------------------- */

static stave_rule price = {.id = "price", .description = "price is positive"};
static stave_rule stock = {.id = "stock", .description = "all in stock"};
static stave_rule total = {
    .id = "total", .description = "total matches", .depends_on = STAVE_RULES(&price, &stock)};
static stave_rule discount = {.id = "discount", .description = "discount is allowed"};
static stave_rule ship = {
    .id = "ship", .description = "can be shipped", .depends_on = STAVE_RULES(&stock)};

static uint64_t zero_ns; /* the clock when the session begins */

/* The second thread takes one step after the other: it begins a rule, or ends the one that it has begun. */
static struct {
    sem_t go, done;
    stave_rule *rule; /* NULL: end */
    stave_run run;
    bool is_over;
} second;

static void *take_steps(void *none)
{
    stave_evaluation open = {0};
    for (sem_wait(&second.go); !second.is_over; sem_wait(&second.go)) {
        if (second.rule != NULL)
            open = stave_rule_begin(second.rule, second.run);
        else
            stave_rule_end(open, STAVE_DONE, NULL);
        sem_post(&second.done);
    }
    return none;
}

static void on_second_thread(double ms, stave_rule *rule)
{
    recorded_ns = zero_ns + (uint64_t)(ms * MS);
    second.rule = rule;
    sem_post(&second.go);
    sem_wait(&second.done);
}

static stave_evaluation begin(double ms, stave_rule *rule)
{
    recorded_ns = zero_ns + (uint64_t)(ms * MS);
    return stave_rule_begin(rule, (stave_run){0});
}

static void end(double ms, stave_evaluation evaluation)
{
    recorded_ns = zero_ns + (uint64_t)(ms * MS);
    stave_rule_end(evaluation, STAVE_DONE, NULL);
}

static void evaluate_all(void)
{
    second.run = stave_run_begin("order");
    stave_evaluation outer = begin(0, &price);
    on_second_thread(0, &stock);
    end(4, outer);
    on_second_thread(6, NULL);
    outer = begin(6, &total);
    on_second_thread(7, &ship);
    stave_evaluation inner = begin(8, &discount);
    end(11, inner);
    on_second_thread(12, NULL);
    end(16, outer);
    stave_run_end(second.run);
}

static stave_report *make_by_capture(void)
{
    pthread_t thread;
    stave_error error = {0};
    zero_ns = ++recorded_ns;
    stave_session *session = stave_session_start(NULL, &error);
    sem_init(&second.go, 0, 0);
    sem_init(&second.done, 0, 0);
    second.is_over = false;
    assert_int_equal(pthread_create(&thread, NULL, take_steps, NULL), 0);
    evaluate_all();
    second.is_over = true;
    sem_post(&second.go);
    assert_int_equal(pthread_join(thread, NULL), 0);
    stave_report *report = stave_session_report(session, &error);
    stave_session_free(session);
    if (report == NULL)
        fail_msg("%s", error.message);
    return report;
}

/* ---- the tables ------------------------------------------------------------------------------ */

static stave_report *(*make_example)(void);

static void check_node(const stave_report *report, const struct expected *expected)
{
    const stave_report_node *node = rules_model_node(report, expected->id);
    assert_true(node->start_ns == expected->start * MS);
    assert_true(node->end_ns == expected->end * MS);
    assert_true(node->self_ns == expected->self * MS);
    assert_true(node->total_ns == expected->total * MS);
    assert_true(node->busy_ns == expected->busy * MS);
    assert_true(node->slack_ns == expected->slack * MS);
    assert_int_equal(node->is_critical, expected->is_critical);
    if (expected->parent == NULL)
        assert_int_equal(node->parent, STAVE_NONE);
    else
        assert_ptr_equal(stave_report_node_at(report, node->parent),
                         rules_model_node(report, expected->parent));
}

static void test_nodes(void **state)
{
    stave_report *report = make_example();
    assert_int_equal(stave_report_node_count(report), COUNT(nodes));
    for (size_t i = 0; i < COUNT(nodes); i++)
        check_node(report, &nodes[i]);
    assert_int_equal(rules_model_node(report, "total")->place, STAVE_PLACE_DEPENDENCY);
    assert_int_equal(rules_model_node(report, "discount")->place, STAVE_PLACE_INSIDE);
    stave_report_free(report);
}

static void test_links(void **state)
{
    stave_report *report = make_example();
    uint32_t count;
    const stave_report_node *node = rules_model_node(report, "total");
    const uint32_t *links = stave_report_links(report, rules_model_index(report, node), &count);
    assert_int_equal(count, 1);
    assert_ptr_equal(stave_report_node_at(report, links[0]), rules_model_node(report, "price"));
    assert_null(stave_report_links(report, 0, &count));
    assert_int_equal(count, 0);
    stave_report_free(report);
}

static void test_run(void **state)
{
    stave_report *report = make_example();
    assert_int_equal(stave_report_run_count(report), 1);
    const stave_report_run *run = stave_report_run_at(report, 0);
    assert_string_equal(run->name, "order");
    assert_int_equal(run->evaluations, 5);
    assert_true(run->start_ns == 0 && run->end_ns == 16 * MS);
    assert_true(run->busy_ns == 25 * MS);
    assert_true(run->critical_ns == 16 * MS);
    assert_int_equal(run->critical_count, 2);
    assert_ptr_equal(stave_report_node_at(report, run->critical[0]),
                     rules_model_node(report, "stock"));
    assert_ptr_equal(stave_report_node_at(report, run->critical[1]),
                     rules_model_node(report, "total"));
    stave_report_free(report);
}

/* By self, then total, then id. */
static void test_rules(void **state)
{
    static const char *const order[] = {"total", "stock", "ship", "price", "discount"};
    stave_report *report = make_example();
    assert_int_equal(stave_report_rule_count(report), COUNT(nodes));
    for (size_t i = 0; i < COUNT(nodes); i++) {
        const stave_rule_stats *stats = stave_report_rule_by_id(report, nodes[i].id);
        assert_string_equal(stave_report_rule_at(report, i)->id, order[i]);
        assert_int_equal(stats->calls, 1);
        assert_true(stats->self_ns == nodes[i].self * MS);
        assert_true(stats->total_ns == nodes[i].total * MS);
        assert_true(stats->busy_ns == nodes[i].busy * MS);
        assert_true(stats->max_ns == (nodes[i].end - nodes[i].start) * MS);
        assert_int_equal(stats->critical, nodes[i].is_critical);
    }
    assert_string_equal(stave_report_rule_by_id(report, "ship")->description, "can be shipped");
    assert_null(stave_report_rule_by_id(report, "shipping"));
    stave_report_free(report);
}

static int in_memory(void **state)
{
    make_example = make_in_memory;
    return 0;
}

static int by_capture(void **state)
{
    make_example = make_by_capture;
    return set_up(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nodes, in_memory),
        cmocka_unit_test_setup(test_links, in_memory),
        cmocka_unit_test_setup(test_run, in_memory),
        cmocka_unit_test_setup(test_rules, in_memory),
        cmocka_unit_test_setup_teardown(test_nodes, by_capture, tear_down),
        cmocka_unit_test_setup_teardown(test_links, by_capture, tear_down),
        cmocka_unit_test_setup_teardown(test_run, by_capture, tear_down),
        cmocka_unit_test_setup_teardown(test_rules, by_capture, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
