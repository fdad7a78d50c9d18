/* Attributes and marks of a tree's spans: whose they are, in which order, and from the probes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/analyze.h"
#include "stress/recorded.h"
#include "unit/calls.h"

/* ---- what a tree has ------------------------------------------------------------------------- */

static int put_value(char *to, size_t size, const stave_trace *trace,
                     const stave_tree_detail *detail)
{
    double real;
    memcpy(&real, &detail->value, sizeof real);
    if (detail->kind == STAVE_MARKS && (detail->flags & STAVE_FLAG_HAS_VALUE) == 0)
        return 0;
    if (detail->flags & STAVE_FLAG_TEXT)
        return snprintf(to, size, "=\"%s\"",
                        stave_trace_string(trace, (uint32_t)detail->value, NULL));
    if (detail->flags & STAVE_FLAG_REAL)
        return snprintf(to, size, "=%gr", real);
    if (detail->flags & STAVE_FLAG_SIGNED)
        return snprintf(to, size, "=%llds", (long long)detail->value);
    if (detail->flags & STAVE_FLAG_BOOL)
        return snprintf(to, size, detail->value != 0 ? "=true" : "=false");
    return snprintf(to, size, "=%llu", (unsigned long long)detail->value);
}

/* A line for each node of the first tree: its name; its details; of marks the time, too. */
static void check(stave_trace *trace, uint32_t levels, const char *expected)
{
    char lines[2048] = "";
    size_t used = 0, size = sizeof lines;
    stave_tree *tree = NULL;
    stave_tree_config config = {.detail_levels = levels};
    assert_int_equal(stave_tree_new(trace, &config, &tree, NULL), STAVE_OK);
    for (uint32_t i = 0; i < stave_tree_nodes(tree); i++) {
        uint32_t count;
        const stave_tree_detail *detail = stave_tree_details(tree, i, &count);
        assert_true((detail == NULL) == (count == 0));
        const char *name = stave_trace_string(trace, stave_tree_node_at(tree, i)->name, NULL);
        used += (size_t)snprintf(lines + used, size - used, "%s:", name);
        for (; count > 0; count--, detail++) {
            name = stave_trace_string(trace, detail->name, NULL);
            used += (size_t)snprintf(lines + used, size - used, " %s", name);
            used += (size_t)put_value(lines + used, size - used, trace, detail);
            if (detail->kind == STAVE_MARKS)
                used +=
                    (size_t)snprintf(lines + used, size - used, "@%lld", (long long)detail->time);
        }
        used += (size_t)snprintf(lines + used, size - used, "\n");
        assert_true(used < size);
    }
    assert_string_equal(lines, expected);
    stave_tree_free(tree);
}

static void add(struct calls *calls, stave_row_kind kind, uint64_t serial, const char *name,
                uint64_t value)
{
    struct stave__row row = {.start = 7, .serial = serial, .value = value};
    row.flags = kind == STAVE_MARKS ? STAVE_FLAG_HAS_VALUE : 0;
    calls_row(calls, kind, &row, name);
}

/* ---- whose they are -------------------------------------------------------------------------- */

static void test_of_a_lane_and_serial(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    add(&calls, STAVE_MARKS, 2, "mark", 1);
    add(&calls, STAVE_ATTRIBUTES, 2, "z", 2);
    add(&calls, STAVE_ATTRIBUTES, 1, "a", 3);
    add(&calls, STAVE_ATTRIBUTES, 2, "a", 4);
    add(&calls, STAVE_ATTRIBUTES, 2, "z", 5);
    add(&calls, STAVE_ATTRIBUTES, 9, "nobody's", 6);
    add(&calls, STAVE_ATTRIBUTES, 4, "of another root", 7);
    calls_entry(&calls, "entry", 2, 1, 0, 1, 1);
    calls_add(&calls, "g", 1, 2, 10, 30);
    calls_add(&calls, "f", 0, 1, 0, 100);
    calls_add(&calls, "other", 0, 4, 200, 300);
    calls.lane = 1;
    add(&calls, STAVE_ATTRIBUTES, 1, "of another lane", 8);
    struct stave__row row = {
        .start = 20, .end = 40, .serial = 2, .flags = STAVE_FLAG_ATTACHED, .other = 1};
    calls_span(&calls, &row, "attached");
    add(&calls, STAVE_ATTRIBUTES, 2, "x", 9);
    calls_boot(&calls, 1000, 0);
    calls.lane = 0;
    add(&calls, STAVE_ATTRIBUTES, 1, "of another boot", 10);
    calls_close(&calls);
    check(calls.trace, UINT32_MAX, "f: a=3\ng: z=2 a=4 z=5 mark=1@7\nentry:\nattached: x=9\n");
    check(calls.trace, 1, "f: a=3\ng:\nentry:\nattached:\n");
    check(calls.trace, 0, "f:\ng:\nentry:\nattached:\n");
    stave_trace_free(calls.trace);
}

/* In the order in which they were recorded, over many blocks. */
static void test_many(void **state)
{
    enum { MANY = 100000 };
    struct calls calls;
    calls_open(&calls, 0);
    for (uint64_t i = 0; i < MANY; i++)
        add(&calls, STAVE_ATTRIBUTES, i % 3, "n", i);
    calls_add(&calls, "g", 1, 2, 10, 30);
    calls_add(&calls, "f", 0, 1, 0, 100);
    calls_close(&calls);
    stave_tree *tree = NULL;
    stave_tree_config config = {.detail_levels = 2};
    assert_int_equal(stave_tree_new(calls.trace, &config, &tree, NULL), STAVE_OK);
    for (uint32_t node = 0; node < 2; node++) {
        uint32_t count;
        const stave_tree_detail *details = stave_tree_details(tree, node, &count);
        assert_int_equal(count, MANY / 3);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(details[i].value, 3 * i + node + 1);
    }
    stave_tree_free(tree);
    stave_trace_free(calls.trace);
}

/* ---- from the probes on ---------------------------------------------------------------------- */

static void test_recorded(void **state)
{
    recorded_start(&(stave_config){0});
    {
        STAVE_TRACE("request", STAVE_ID("c-1"));
        STAVE_SPAN(query, "query", STAVE_KV("rows", 240u), STAVE_KV("balance", -3),
                   STAVE_KV("cached", false));
        recorded_ns += 5;
        STAVE_MARK("cache miss", STAVE_KV("share", 0.25), STAVE_KV("table", "users"));
        STAVE_MARK("here");
        STAVE_MARK("last", STAVE_KV("is", true));
        stave_fail(query, "no row");
    }
    struct recorded seen = recorded_now();
    check(seen.trace, UINT32_MAX,
          "request: id=\"c-1\"\n"
          "query: rows=240s balance=-3s cached=false table=\"users\" error=\"no row\" "
          "cache miss=0.25r@5 here@5 last=true@5\n");
    recorded_free(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_a_lane_and_serial),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
