/* Lists of roots: which, in which order, with which numbers and attributes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/calls.h"

static stave_roots *roots_of(const struct calls *calls, const stave_roots_config *config)
{
    stave_roots *roots = NULL;
    stave_error error = {0};
    assert_int_equal(stave_roots_new(calls->trace, config, &roots, &error), STAVE_OK);
    return roots;
}

/* A word for each: its number, of those that count if that is another one, its name, its total. */
static void check(const struct calls *calls, const stave_roots_config *config, uint64_t found,
                  const char *expected)
{
    char words[512] = "";
    size_t used = 0;
    stave_roots *roots = roots_of(calls, config);
    assert_int_equal(stave_roots_found(roots), found);
    for (uint64_t i = 0; i < stave_roots_count(roots); i++) {
        const stave_root *root = stave_roots_at(roots, i);
        char counted[24] = "";
        if (root->counted != root->number)
            snprintf(counted, sizeof counted, "/%llu", (unsigned long long)root->counted);
        used +=
            (size_t)snprintf(words + used, sizeof words - used, "%s%llu%s:%s=%g", i > 0 ? " " : "",
                             (unsigned long long)root->number, counted,
                             stave_trace_string(calls->trace, root->name, NULL), root->total_ns);
        assert_true(used < sizeof words);
    }
    assert_string_equal(words, expected);
    stave_roots_free(roots);
}

/* ---- order, limits, numbers ------------------------------------------------------------------ */

/* Two boots, the second with another clock, whose spans are all in memory if one is attached. */
static void open_boots(struct calls *calls, bool attach)
{
    struct stave__row row = {.start = 5, .end = 20, .serial = 9};
    calls_open(calls, 0);
    calls->lane = 1;
    calls_add(calls, "b", 0, 1, 10, 40);
    calls->lane = 0;
    calls_add(calls, "a", 0, 1, 10, 30);
    calls_add(calls, "in c", 1, 3, 60, 70);
    calls_add(calls, "c", 0, 2, 50, 90);
    calls_boot(calls, 1000, 1e6); /* 1 tick is 1000 ns */
    calls_add(calls, "in d", 1, 2, 1, 2);
    calls_add(calls, "d", 0, 1, 0, 4);
    calls->lane = 1;
    if (attach)
        row = (struct stave__row){
            .start = 5, .end = 20, .serial = 9, .flags = STAVE_FLAG_ATTACHED, .other = 77};
    calls_span(calls, &row, "e");
    calls_boot(calls, 2000, 0);
    calls_add(calls, "f", 0, 1, 0, 15000);
    calls_close(calls);
}

static bool is_later_letter(void *context, uint32_t name)
{
    return stave_trace_string(context, name, NULL)[0] >= 'c';
}

static void check_orders(const struct calls *calls)
{
    stave_roots_config config = {0};
    check(calls, NULL, 6, "0:a=20 1:b=30 2:c=40 3:d=4000 4:e=15000 5:f=15000");
    config.limit = 4;
    check(calls, &config, 6, "0:a=20 1:b=30 2:c=40 3:d=4000");
    config.order = STAVE_ROOTS_NEWEST;
    check(calls, &config, 6, "5:f=15000 4:e=15000 3:d=4000 2:c=40");
    config.order = STAVE_ROOTS_SLOWEST;
    config.limit = 1;
    check(calls, &config, 6, "4:e=15000"); /* the first of equals */
    config.limit = 5;
    check(calls, &config, 6, "4:e=15000 5:f=15000 3:d=4000 2:c=40 1:b=30");
    config.limit = UINT64_MAX;
    check(calls, &config, 6, "4:e=15000 5:f=15000 3:d=4000 2:c=40 1:b=30 0:a=20");
}

static void check_choices(const struct calls *calls)
{
    stave_roots_config named = {.root_counts = is_later_letter, .root_context = calls->trace};
    stave_roots_config windowed = {.windowed = true, .from_us = 0.04, .to_us = 0.05};
    stave_roots_config long_ones = {.least_ns = 30, .limit = 2};
    check(calls, &named, 4, "2/0:c=40 3/1:d=4000 4/2:e=15000 5/3:f=15000");
    named.order = STAVE_ROOTS_NEWEST;
    named.limit = 2;
    check(calls, &named, 4, "5/3:f=15000 4/2:e=15000");
    check(calls, &windowed, 2, "1:b=30 2:c=40"); /* borders included, roots whole */
    windowed.from_us = 1001;
    windowed.to_us = 1e9;
    check(calls, &windowed, 3, "3:d=4000 4:e=15000 5:f=15000");
    windowed.to_us = 1000;
    check(calls, &windowed, 0, "");
    check(calls, &long_ones, 5, "1:b=30 2:c=40");
}

static void test_orders_and_choices(void **state)
{
    for (int attach = 0; attach < 2; attach++) {
        struct calls calls;
        open_boots(&calls, attach == 1);
        check_orders(&calls);
        check_choices(&calls);
        stave_trace_free(calls.trace);
    }
}

/* What is listed is what trees number, in lanes as no program makes them, too. */
static void test_numbers_are_those_of_trees(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls.random = 7;
    for (calls.lane = 0; calls.lane < 3; calls.lane++)
        calls_random_lane(&calls, 400, false);
    calls_close(&calls);
    stave_roots_config slowest = {.order = STAVE_ROOTS_SLOWEST, .limit = 20};
    stave_roots *roots = roots_of(&calls, &slowest);
    assert_int_equal(stave_roots_count(roots), 20);
    for (uint64_t i = 0; i < 20; i++) {
        const stave_root *root = stave_roots_at(roots, i);
        stave_tree_config config = {.root = root->number};
        stave_tree *tree;
        assert_int_equal(stave_tree_new(calls.trace, &config, &tree, NULL), STAVE_OK);
        const stave_tree_node *node = stave_tree_node_at(tree, 0);
        assert_int_equal(stave_tree_roots(tree), stave_roots_all(roots));
        assert_true(node->lane == root->lane && node->serial == root->serial);
        assert_true(node->start == root->start && node->end == root->end);
        assert_true(node->flags == root->flags && node->total_ns == root->total_ns);
        assert_true(i == 0 || root->total_ns <= stave_roots_at(roots, i - 1)->total_ns);
        stave_tree_free(tree);
    }
    stave_roots_free(roots);
    stave_trace_free(calls.trace);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void add_attribute(struct calls *calls, uint64_t serial, const char *key, uint64_t value)
{
    struct stave__row row = {.start = 7, .serial = serial, .value = value};
    calls_row(calls, STAVE_ATTRIBUTES, &row, key);
}

/* Bit 0: 1 is there; bit 1: 2. */
static uint32_t is_one_or_two(void *context, const stave_tree_detail *attribute)
{
    assert_int_equal(attribute->kind, STAVE_ATTRIBUTES);
    return attribute->value == 1   ? 5
           : attribute->value == 2 ? 2
                                   : 8; /* bits that nobody wants, too */
}

static void test_conditions(void **state)
{
    struct calls calls;
    stave_roots_config config = {.conditions = 3, .meets = is_one_or_two};
    calls_open(&calls, 0);
    add_attribute(&calls, 2, "k", 2);
    add_attribute(&calls, 1, "k", 1);
    add_attribute(&calls, 4, "k", 2); /* of a child */
    add_attribute(&calls, 2, "k", 3);
    add_attribute(&calls, 2, "l", 1);
    calls_add(&calls, "a", 0, 1, 0, 10);
    calls_add(&calls, "b", 0, 2, 20, 30);
    calls_add(&calls, "in c", 1, 4, 41, 45);
    calls_add(&calls, "c", 0, 3, 40, 50);
    calls.lane = 1;
    add_attribute(&calls, 1, "k", 2); /* of another lane than a's */
    calls_add(&calls, "d", 0, 1, 60, 70);
    calls_boot(&calls, 1000, 0);
    add_attribute(&calls, 1, "k", 1); /* of another boot than d's */
    calls_add(&calls, "e", 0, 1, 0, 10);
    calls_close(&calls);
    check(&calls, &config, 1, "1:b=10");
    config.conditions = 1;
    check(&calls, &config, 3, "0:a=10 1:b=10 4:e=10");
    config.conditions = 2;
    config.order = STAVE_ROOTS_NEWEST;
    check(&calls, &config, 2, "3:d=10 1:b=10");
    config.conditions = 0;
    config.limit = 1;
    check(&calls, &config, 5, "4:e=10");
    config.conditions = 16;
    check(&calls, &config, 0, "");
    stave_trace_free(calls.trace);
}

enum { MANY = 30000 };

/* Three attributes a root; lengths go up and down. */
static void open_many(struct calls *calls)
{
    calls_open(calls, 0);
    for (uint64_t i = 0; i < MANY; i++) {
        int64_t start = (int64_t)i * 1000;
        calls->lane = (uint32_t)(i % 3);
        add_attribute(calls, i + 1, "n", i);
        add_attribute(calls, i + 1, "m", 2 * i);
        add_attribute(calls, MANY - i, "late", 3 * (MANY - 1 - i));
        calls_add(calls, "r", 0, i + 1, start, start + 1 + (int64_t)(i * 7919 % 997));
    }
    calls_close(calls);
}

static void check_attributes(stave_roots *roots, const struct calls *calls, uint64_t index)
{
    const stave_tree_detail *attributes;
    uint32_t count, sum = 0;
    uint64_t i = stave_roots_at(roots, index)->serial - 1;
    bool has_late = (MANY - 1 - i) % 3 == i % 3; /* else it is one of another lane */
    assert_int_equal(stave_roots_attributes(roots, index, &attributes, &count, NULL), STAVE_OK);
    assert_int_equal(count, has_late ? 3 : 2);
    for (uint32_t a = 0; a < count; a++)
        sum += strcmp(stave_trace_string(calls->trace, attributes[a].name, NULL), "n") == 0
                   ? attributes[a].value == i
                   : attributes[a].value == 2 * i || attributes[a].value == 3 * i;
    assert_int_equal(sum, count);
}

/* More than are read at a time; in any order. */
static void test_attributes_of_many(void **state)
{
    struct calls calls;
    open_many(&calls);
    stave_roots_config slowest = {.order = STAVE_ROOTS_SLOWEST};
    stave_roots *by_start = roots_of(&calls, NULL), *by_total = roots_of(&calls, &slowest);
    assert_int_equal(stave_roots_count(by_start), MANY);
    for (uint64_t i = 0; i < MANY; i++) {
        assert_int_equal(stave_roots_at(by_start, i)->number, i);
        check_attributes(by_start, &calls, i);
        check_attributes(by_total, &calls, i);
    }
    for (uint64_t i = MANY; i > 0; i -= 1000)
        check_attributes(by_start, &calls, i - 1);
    stave_roots_free(by_start);
    stave_roots_free(by_total);
    stave_trace_free(calls.trace);
}

/* A few of many, of which the worse half is given up again and again. */
static void test_few_of_many(void **state)
{
    struct calls calls;
    open_many(&calls);
    stave_roots_config config = {.order = STAVE_ROOTS_SLOWEST};
    stave_roots *all = roots_of(&calls, &config);
    config.limit = 100;
    stave_roots *few = roots_of(&calls, &config);
    assert_int_equal(stave_roots_count(few), 100);
    assert_int_equal(stave_roots_found(few), MANY);
    for (uint64_t i = 0; i < 100; i++)
        assert_memory_equal(stave_roots_at(few, i), stave_roots_at(all, i), sizeof(stave_root));
    stave_roots_free(all);
    stave_roots_free(few);
    stave_trace_free(calls.trace);
}

/* ---- nothing, and what is refused ------------------------------------------------------------ */

static void test_nothing(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    check(&calls, NULL, 0, "");
    stave_trace_free(calls.trace);
}

static void test_no_such_order(void **state)
{
    struct calls calls;
    stave_roots *roots = NULL;
    stave_error error = {0};
    stave_roots_config config = {.order = (stave_roots_order)3};
    calls_open(&calls, 0);
    assert_int_equal(stave_roots_new(calls.trace, &config, &roots, &error), STAVE_E_ARGUMENT);
    assert_null(roots);
    assert_true(error.message[0] != '\0');
    stave_trace_free(calls.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders_and_choices),
        cmocka_unit_test(test_numbers_are_those_of_trees),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_attributes_of_many),
        cmocka_unit_test(test_few_of_many),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_no_such_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
