/* Cumulative rows inside each other: in trees and roll-ups, in any order, and such as no program makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/calls.h"

/* An attached span elsewhere: then all of the boot is in memory. */
static void attach(struct calls *calls)
{
    struct stave__row row = {
        .start = 900, .end = 901, .serial = 1, .flags = STAVE_FLAG_ATTACHED, .other = 99};
    calls->lane = 1;
    calls_span(calls, &row, "elsewhere");
    calls->lane = 0;
}

struct entry {
    const char *name;
    uint64_t number;
    uint32_t around;
    uint64_t count, total;
};

/* In one span `f` from 0 to 100, `first` of them before the others. */
static void open_with(struct calls *calls, const struct entry *entries, size_t count, size_t first)
{
    calls_open(calls, 0);
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = &entries[(first + i) % count];
        calls_entry(calls, entry->name, 1, entry->number, entry->around, entry->count,
                    entry->total);
    }
    calls_add(calls, "f", 0, 1, 0, 100);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A query of rows, of cells; a row that makes another query. Every rotation and the reverse of it. */
static void test_entries_in_entries(void **state)
{
    static const struct entry forwards[] = {
        {"query", 1, 0, 3, 60}, {"row", 2, 1, 6, 40}, {"cell", 3, 2, 12, 10},
        {"query", 4, 2, 2, 20}, {"cell", 5, 1, 1, 5},
    };
    struct entry backwards[COUNT(forwards)];
    for (size_t i = 0; i < COUNT(forwards); i++)
        backwards[i] = forwards[COUNT(forwards) - 1 - i];
    for (size_t i = 0; i < 2 * COUNT(forwards); i++) {
        struct calls calls;
        bool is_back = i >= COUNT(forwards);
        open_with(&calls, is_back ? backwards : forwards, COUNT(forwards), i % COUNT(forwards));
        CHECK(&calls, NULL, {"f", 1, 100, 40}, {"query", 5, 60, 15 + 20}, {"cell", 13, 15, 15},
              {"row", 6, 40, 10});
        calls_check_tree(calls.trace, "f x1 self 40 total 100 busy 100\n"
                                      "  query x3 self 15 total 60 busy 60\n"
                                      "    row x6 self 10 total 40 busy 40\n"
                                      "      cell x12 self 10 total 10 busy 10\n"
                                      "      query x2 self 20 total 20 busy 20\n"
                                      "    cell x1 self 5 total 5 busy 5\n");
        stave_trace_free(calls.trace);
    }
}

/* What the whole boot in memory makes of them is the same; a name that is the span's own. */
static void test_entries_with_attached_spans(void **state)
{
    static const struct entry entries[] = {{"f", 1, 0, 3, 60}, {"g", 2, 1, 6, 40}};
    struct calls calls;
    open_with(&calls, entries, COUNT(entries), 0);
    attach(&calls);
    CHECK(&calls, NULL, {"f", 4, 100, 40 + 20}, {"g", 6, 40, 40}, {"elsewhere", 1, 1, 1});
    calls_check_tree(calls.trace, "f x1 self 40 total 100 busy 100\n"
                                  "  f x3 self 20 total 60 busy 60\n"
                                  "    g x6 self 40 total 40 busy 40\n");
    stave_trace_free(calls.trace);
}

/* Of other spans, and of those whose span is not there: they are in no tree, but in the roll-up. */
static void test_entries_of_several_spans(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_entry(&calls, "inner", 2, 2, 1, 1, 3);
    calls_entry(&calls, "outer", 2, 1, 0, 1, 8);
    calls_entry(&calls, "inner", 77, 2, 1, 1, 4);
    calls_entry(&calls, "outer", 77, 1, 0, 1, 6);
    calls_add(&calls, "g", 1, 2, 10, 30);
    calls_entry(&calls, "inner", 1, 2, 1, 1, 5);
    calls_entry(&calls, "outer", 1, 1, 0, 1, 20);
    calls_add(&calls, "f", 0, 1, 0, 100);
    CHECK(&calls, NULL, {"f", 1, 100, 60}, {"outer", 3, 34, 5 + 2 + 15}, {"g", 1, 20, 12},
          {"inner", 3, 12, 12});
    calls_check_tree(calls.trace, "f x1 self 60 total 100 busy 100\n"
                                  "  g x1 self 12 total 20 busy 20\n"
                                  "    outer x1 self 5 total 8 busy 8\n"
                                  "      inner x1 self 3 total 3 busy 3\n"
                                  "  outer x1 self 15 total 20 busy 20\n"
                                  "    inner x1 self 5 total 5 busy 5\n");
    stave_trace_free(calls.trace);
}

/* What is told of older ones: that something is around them, or nothing is. */
static void test_entries_without_numbers(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_cumulative(&calls, "inner", 1, 1, 5, 30);
    calls_cumulative(&calls, "outer", 1, 0, 2, 40);
    calls_add(&calls, "f", 0, 1, 0, 100);
    CHECK(&calls, NULL, {"f", 1, 100, 60}, {"outer", 2, 40, 40}, {"inner", 5, 30, 30});
    calls_check_tree(calls.trace, "f x1 self 60 total 100 busy 130\n"
                                  "  inner x5 self 30 total 30 busy 30\n"
                                  "  outer x2 self 40 total 40 busy 40\n");
    stave_trace_free(calls.trace);
}

/* ---- what no program makes ------------------------------------------------------------------- */

static void test_an_entry_around_that_is_not_there(void **state)
{
    static const struct entry entries[] = {{"in the lost one", 3, 2, 4, 30}, {"leaf", 4, 3, 1, 10}};
    struct calls calls;
    open_with(&calls, entries, COUNT(entries), 0);
    CHECK(&calls, NULL, {"f", 1, 100, 70}, {"in the lost one", 4, 30, 20}, {"leaf", 1, 10, 10});
    calls_check_tree(calls.trace, "f x1 self 70 total 100 busy 100\n"
                                  "  in the lost one x4 self 20 total 30 busy 30\n"
                                  "    leaf x1 self 10 total 10 busy 10\n");
    stave_trace_free(calls.trace);
}

static void test_entries_around_themselves(void **state)
{
    static const struct entry entries[] = {
        {"itself", 1, 1, 1, 10}, {"a", 2, 3, 1, 10}, {"b", 3, 2, 1, 10}, {"below b", 4, 3, 1, 4}};
    struct calls calls;
    open_with(&calls, entries, COUNT(entries), 1);
    CHECK(&calls, NULL, {"f", 1, 100, 70}, {"a", 1, 10, 10}, {"itself", 1, 10, 10}, {"b", 1, 10, 6},
          {"below b", 1, 4, 4});
    calls_check_tree(calls.trace, "f x1 self 70 total 100 busy 100\n"
                                  "  itself x1 self 10 total 10 busy 10\n"
                                  "  a x1 self 10 total 10 busy 10\n"
                                  "  b x1 self 6 total 10 busy 10\n"
                                  "    below b x1 self 4 total 4 busy 4\n");
    stave_trace_free(calls.trace);
}

/* Nobody knows which of the two is meant. */
static void test_entries_that_are_there_twice(void **state)
{
    static const struct entry entries[] = {
        {"outer", 1, 0, 1, 20}, {"other", 1, 0, 1, 30}, {"inner", 2, 1, 1, 10}};
    struct calls calls;
    open_with(&calls, entries, COUNT(entries), 0);
    CHECK(&calls, NULL, {"f", 1, 100, 40}, {"other", 1, 30, 30}, {"outer", 1, 20, 20},
          {"inner", 1, 10, 10});
    stave_trace_free(calls.trace);
}

/* More inside than there is. */
static void test_an_entry_that_holds_too_much(void **state)
{
    static const struct entry entries[] = {
        {"outer", 1, 0, 1, 20}, {"one", 2, 1, 1, 15}, {"two", 3, 1, 1, 15}};
    struct calls calls;
    open_with(&calls, entries, COUNT(entries), 0);
    CHECK(&calls, NULL, {"f", 1, 100, 80}, {"one", 1, 15, 15}, {"two", 1, 15, 15},
          {"outer", 1, 20, 0});
    stave_trace_free(calls.trace);
}

#define DEEP 300000u

/* A chain as deep as a file likes, all of one name; `circle`: one that ends in itself. */
static void check_chain(bool circle)
{
    struct calls calls;
    calls_open(&calls, 0);
    for (uint32_t i = DEEP; i > 0; i--)
        calls_entry(&calls, "chain", 1, i, i == 1 && circle ? DEEP : i - 1, 1, DEEP + 1 - i);
    calls_add(&calls, "f", 0, 1, 0, DEEP);
    calls_close(&calls);
    stave_rollup *rollup = calls_rollup(calls.trace, NULL);
    const stave_rollup_row *chain = calls_row_of(&calls, rollup, "chain");
    assert_int_equal(chain->calls, DEEP);
    double all = DEEP * (DEEP + 1.0) / 2; /* on a circle all are directly in the span */
    assert_true(chain->self_ns == (circle ? all : DEEP));
    assert_true(chain->total_ns == (circle ? all : DEEP));
    stave_rollup_free(rollup);
    stave_tree *tree = NULL;
    assert_int_equal(stave_tree_new(calls.trace, NULL, &tree, NULL), STAVE_OK);
    assert_int_equal(stave_tree_nodes(tree), DEEP + 1);
    assert_int_equal(stave_tree_node_at(tree, DEEP)->depth, circle ? 1 : DEEP);
    stave_tree_free(tree);
    stave_trace_free(calls.trace);
}

static void test_deep_entries(void **state)
{
    check_chain(false);
    check_chain(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_in_entries),
        cmocka_unit_test(test_entries_with_attached_spans),
        cmocka_unit_test(test_entries_of_several_spans),
        cmocka_unit_test(test_entries_without_numbers),
        cmocka_unit_test(test_an_entry_around_that_is_not_there),
        cmocka_unit_test(test_entries_around_themselves),
        cmocka_unit_test(test_entries_that_are_there_twice),
        cmocka_unit_test(test_an_entry_that_holds_too_much),
        cmocka_unit_test(test_deep_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
