/* Traces that are kept: what is in one, which ones stay, in which order, and what is counted of the others. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/traces.h"
#include "stress/recorded.h"

static stave_counts before; /* of earlier tests */

#define COUNTED(counter) (recorded_counts().counter - before.counter)

static void start(const stave_config *config)
{
    stave_config own = *config;
    own.max_bytes = 1 << 20;
    recorded_start(&own);
    before = recorded_counts();
}

static void control(const stave_controls *controls)
{
    stave_error error = {0};
    if (stave_control(controls, &error) < 0)
        fail_msg("%s", error.message);
}

/* A root of this length, and number. */
static void run(const char *name, uint64_t number, uint64_t ns)
{
    stave_span root = stave_begin_trace(stave_name_intern(name));
    stave_set_u64(root, "id", number);
    recorded_pass(ns);
    stave_end(root);
}

static stave_traces_cursor *all(const stave_traces_query *query)
{
    stave_traces_cursor *cursor;
    stave_error error = {0};
    if (stave_traces(query, &cursor, &error) < 0)
        fail_msg("%s", error.message);
    return cursor;
}

/* The numbers of all traces that are asked for, in their order: "5 4 3 ". */
static const char *numbers(const stave_traces_query *query)
{
    static char text[4096];
    stave_traces_cursor *cursor = all(query);
    stave_kept_trace *trace;
    size_t used = 0;
    text[0] = '\0';
    while (stave_traces_next(cursor, &trace, NULL) > 0) {
        assert_non_null(trace->id);
        assert_int_equal(trace->id->type, STAVE_VALUE_U64);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%" PRIu64 " ", trace->id->value.u64);
        assert_true(used < sizeof text);
        stave_trace_release(trace);
    }
    stave_traces_close(cursor);
    return text;
}

static stave_kept_trace *only_one(const stave_traces_query *query)
{
    stave_traces_cursor *cursor = all(query);
    stave_kept_trace *trace, *other;
    assert_int_equal(stave_traces_next(cursor, &trace, NULL), 1);
    assert_int_equal(stave_traces_next(cursor, &other, NULL), 0);
    stave_traces_close(cursor);
    return trace;
}

/* ---- what is in one -------------------------------------------------------------------------- */

static void navigate(int row, const char *key)
{
    STAVE_TRACE("Navigate", STAVE_KV("row", row), STAVE_ID("c-8f21"), STAVE_KV("key", key));
    recorded_pass(10);
    {
        STAVE_SCOPE("lookup", STAVE_KV("share", 0.5), STAVE_KV("cached", true));
        recorded_pass(5);
        STAVE_SCOPE("hash");
        recorded_pass(2);
    }
    STAVE_SPAN(query, "query");
    for (int i = 0; i < 4; i++) {
        STAVE_CUMULATIVE("row");
        recorded_pass((uint64_t)i + 1);
        STAVE_CUMULATIVE("cell");
        recorded_pass(1);
    }
    STAVE_SET(query, "rows", 4u);
    stave_fail(query, "too many");
    recorded_pass(6);
}

static void assert_node(const stave_kept_trace *trace, uint32_t node, const char *name,
                        uint64_t start, uint64_t duration, uint32_t depth, const char *parent)
{
    const stave_kept_span *span = &trace->spans[node];
    assert_true(node > 0 && node < trace->span_count);
    assert_string_equal(span->name, name);
    assert_int_equal(span->start_ns, start);
    assert_int_equal(span->duration_ns, duration);
    assert_int_equal(span->depth, depth);
    assert_string_equal(trace->spans[span->parent].name, parent);
}

static void assert_sum(const stave_kept_span *span, uint64_t count, uint64_t total, uint64_t min,
                       uint64_t max, double avg)
{
    assert_int_equal(span->count, count);
    assert_int_equal(span->total_ns, total);
    assert_int_equal(span->min_ns, min);
    assert_int_equal(span->max_ns, max);
    assert_float_equal(span->avg_ns, avg, 1e-9);
}

static void assert_head(const stave_kept_trace *trace)
{
    assert_string_equal(trace->name, "Navigate");
    assert_int_equal(trace->duration_ns, 37);
    assert_non_null(trace->id);
    assert_int_equal(trace->id->type, STAVE_VALUE_TEXT);
    assert_string_equal(trace->id->value.text, "c-8f21");
    assert_int_equal(trace->argument_count, 2);
    assert_string_equal(trace->arguments[0].key, "row");
    assert_int_equal(trace->arguments[0].type, STAVE_VALUE_I64);
    assert_int_equal(trace->arguments[0].value.i64, -7);
    assert_string_equal(trace->arguments[1].key, "key");
    assert_string_equal(trace->arguments[1].value.text, "home");
    assert_int_equal(trace->arguments[1].text_size, 4);
    assert_int_equal(trace->kept & STAVE_KEPT_NEWEST, STAVE_KEPT_NEWEST);
}

static void test_what_a_trace_holds(void **state)
{
    start(&(stave_config){0});
    navigate(-7, "home");
    stave_kept_trace *trace = only_one(NULL);
    assert_head(trace);
    assert_int_equal(trace->span_count, 6);
    const stave_kept_span *root = &trace->spans[0];
    assert_int_equal(root->start_ns, 0);
    assert_int_equal(root->duration_ns, 37);
    uint32_t lookup = root->first_child;
    assert_node(trace, lookup, "lookup", 10, 7, 1, "Navigate");
    assert_int_equal(trace->spans[lookup].data_count, 2);
    assert_int_equal(trace->spans[lookup].data->type, STAVE_VALUE_F64);
    assert_int_equal(trace->spans[lookup].data[1].type, STAVE_VALUE_BOOL);
    assert_true(trace->spans[lookup].data[1].value.boolean);
    assert_float_equal(trace->spans[lookup].data->value.f64, 0.5, 0);
    assert_node(trace, trace->spans[lookup].first_child, "hash", 15, 2, 2, "lookup");
    uint32_t query = trace->spans[lookup].next;
    assert_node(trace, query, "query", 17, 20, 1, "Navigate");
    assert_int_equal(trace->spans[query].next, 0);
    assert_int_equal(trace->spans[query].flags, STAVE_FLAG_FAILED);
    assert_int_equal(trace->spans[query].data_count, 2);
    assert_string_equal(trace->spans[query].data[1].key, "error");
    assert_string_equal(trace->spans[query].data[1].value.text, "too many");
    uint32_t row = trace->spans[query].first_child;
    assert_node(trace, row, "row", 17, 14, 2, "query");
    assert_sum(&trace->spans[row], 4, 14, 2, 5, 3.5);
    uint32_t cell = trace->spans[row].first_child;
    assert_node(trace, cell, "cell", 18, 13, 3, "row");
    assert_sum(&trace->spans[cell], 4, 4, 1, 1, 1);
    stave_trace_release(trace);
}

/* It is a copy: what is recorded later does not change it, nor that its cursor is closed. */
static void test_a_trace_outlives_its_records(void **state)
{
    start(&(stave_config){0});
    navigate(-7, "home");
    stave_kept_trace *trace = only_one(&(stave_traces_query){.id = "c-8f21"});
    for (uint64_t i = 0; i < 50000; i++)
        run("other", i, 1);
    stave_clear();
    assert_head(trace);
    assert_string_equal(trace->spans[trace->spans[0].first_child].name, "lookup");
    stave_trace_release(trace);
}

static void test_roots_in_others(void **state)
{
    start(&(stave_config){0});
    {
        STAVE_SCOPE("main loop"); /* no trace */
        STAVE_TRACE_SPAN(outer, "outer", STAVE_ID(1u));
        recorded_pass(3);
        STAVE_SET(outer, "rows", 5);
        STAVE_TRACE("inner", STAVE_ID(2u));
        recorded_pass(4);
    }
    assert_int_equal(COUNTED(roots), 1);
    stave_kept_trace *trace = only_one(NULL);
    assert_string_equal(trace->name, "outer");
    assert_int_equal(trace->arguments[0].value.i64, 5);
    assert_int_equal(trace->span_count, 2);
    assert_node(trace, 1, "inner", 3, 4, 1, "outer");
    assert_int_equal(trace->spans[1].data_count, 1);
    assert_int_equal(trace->spans[0].depth, 0);
    stave_trace_release(trace);
}

/* Left by longjmp, ended by what is around it; one that is larger than a chunk; one that is off in the middle. */
static void test_odd_roots(void **state)
{
    start(&(stave_config){0});
    stave_span around = stave_begin(stave_name_intern("around"));
    stave_set_u64(stave_begin_trace(stave_name_intern("left")), "id", 1);
    recorded_pass(5);
    stave_end(around);
    stave_span large = stave_begin_trace(stave_name_intern("large"));
    stave_set_u64(large, "id", 2);
    for (uint32_t i = 0; i < 7000; i++) {
        STAVE_SCOPE("leaf");
        recorded_pass(1);
    }
    stave_end(large);
    stave_span off = stave_begin_trace(stave_name_intern("off"));
    stave_set_u64(off, "id", 3);
    stave_enable(false);
    stave_end(off);
    stave_enable(true);
    assert_string_equal(numbers(NULL), "3 2 1 ");
    stave_kept_trace *trace = only_one(&(stave_traces_query){.name = "large"});
    assert_int_equal(trace->span_count, 7001);
    for (uint32_t i = 1; i <= 7000; i++)
        assert_node(trace, i, "leaf", i - 1, 1, 1, "large");
    stave_trace_release(trace);
    trace = only_one(&(stave_traces_query){.name = "left"});
    assert_int_equal(trace->spans[0].flags, STAVE_FLAG_UNWOUND);
    stave_trace_release(trace);
}

/* ---- which ones stay ------------------------------------------------------------------------- */

static void test_the_newest(void **state)
{
    start(&(stave_config){.keep = 3});
    control(&(stave_controls){.slowest = 1});
    run("slow", 100, 1000);
    for (uint64_t i = 1; i <= 7; i++)
        run("step", i, 10 - i);
    assert_string_equal(numbers(&(stave_traces_query){.kept = STAVE_KEPT_NEWEST}), "7 6 5 ");
    assert_string_equal(numbers(NULL), "7 6 5 1 100 ");
    assert_int_equal(COUNTED(roots), 8);
    assert_int_equal(COUNTED(roots_out), 5);
    assert_int_equal(COUNTED(roots_evicted), 0);
}

static void test_queries(void **state)
{
    start(&(stave_config){0});
    for (uint64_t i = 0; i < 6; i++)
        run(i % 2 == 0 ? "even" : "odd", i, i * 10);
    assert_string_equal(numbers(NULL), "5 4 3 2 1 0 ");
    assert_string_equal(numbers(&(stave_traces_query){.name = "even"}), "4 2 0 ");
    assert_string_equal(numbers(&(stave_traces_query){.min_duration_ns = 30}), "5 4 3 ");
    assert_string_equal(numbers(&(stave_traces_query){.name = "odd", .min_duration_ns = 30}),
                        "5 3 ");
    assert_string_equal(numbers(&(stave_traces_query){.id = "4"}), "4 ");
    assert_string_equal(numbers(&(stave_traces_query){.id = "44"}), "");
    assert_string_equal(numbers(&(stave_traces_query){.name = "none"}), "");
}

/* Far more than memory has room for: what is slow, and what has failed, is there as it was. */
static void test_the_slow_and_the_failed_are_never_lost(void **state)
{
    start(&(stave_config){.keep = 10});
    control(&(stave_controls){.slowest = 2});
    for (uint64_t i = 0; i < 100000; i++) {
        run("step", i, i == 70 ? 5000 : i == 90000 ? 6000 : 1);
        if (i == 80) {
            stave_span root = stave_begin_trace(stave_name_intern("step"));
            stave_set_u64(root, "id", 1000000);
            stave_fail(root, "no such row");
            stave_end(root);
        }
    }
    assert_true(COUNTED(evicted) > 100000);
    assert_string_equal(numbers(&(stave_traces_query){.kept = STAVE_KEPT_SLOWEST}), "90000 70 ");
    assert_string_equal(numbers(&(stave_traces_query){.kept = STAVE_KEPT_FAILED}), "1000000 ");
    assert_string_equal(numbers(&(stave_traces_query){.kept = STAVE_KEPT_NEWEST}),
                        "99999 99998 99997 99996 99995 99994 99993 99992 99991 99990 ");
    stave_kept_trace *trace = only_one(&(stave_traces_query){.kept = STAVE_KEPT_FAILED});
    assert_string_equal(trace->arguments[0].value.text, "no such row");
    stave_trace_release(trace);
    assert_int_equal(COUNTED(roots_unheld), 0);
    assert_int_equal(COUNTED(roots), 100001);
    assert_int_equal(COUNTED(roots_out) + COUNTED(roots_evicted) + 10, 100001);
}

/* What had no room is counted apart from what newer ones put out. */
static void test_given_up_for_room(void **state)
{
    enum { KEEP = 60000, ROOTS = 70000 };
    start(&(stave_config){.keep = KEEP});
    control(&(stave_controls){.slowest = 1});
    for (uint64_t i = 0; i < ROOTS; i++)
        run("step", i, i == ROOTS - 1);
    stave_traces_cursor *cursor = all(&(stave_traces_query){.kept = STAVE_KEPT_NEWEST});
    stave_kept_trace *trace;
    uint64_t there = 0;
    for (; stave_traces_next(cursor, &trace, NULL) > 0; stave_trace_release(trace))
        assert_int_equal(trace->id->value.u64, ROOTS - 1 - there++);
    stave_traces_close(cursor);
    assert_true(there > 0 && there < KEEP);
    assert_int_equal(COUNTED(roots_evicted) + COUNTED(roots_out) + there, ROOTS);
    assert_true(COUNTED(roots_out) <=
                1023); /* beside the first one, which is slow at first, in its chunk */
}

/* Slow ones need room that stays: there is half of it, and what does not fit is counted. */
static void test_more_than_can_be_held(void **state)
{
    start(&(stave_config){.keep = 20});
    for (uint64_t i = 0; i < 20; i++) {
        stave_span root = stave_begin_trace(stave_name_intern("failing"));
        stave_set_u64(root, "id", i);
        for (uint32_t j = 0; j < 3000; j++) {
            STAVE_SCOPE("leaf");
            recorded_pass(1);
        }
        stave_fail(root, NULL);
        stave_end(root);
    }
    uint64_t held = 0;
    stave_traces_cursor *cursor = all(&(stave_traces_query){.kept = STAVE_KEPT_FAILED});
    stave_kept_trace *trace;
    for (; stave_traces_next(cursor, &trace, NULL) > 0; held++) {
        assert_int_equal(trace->span_count, 3001);
        stave_trace_release(trace);
    }
    stave_traces_close(cursor);
    assert_true(held >= 3 && held <= 8);
    assert_int_equal(COUNTED(roots_unheld) + held, 20);
    assert_int_equal(COUNTED(dropped_full), 0);
}

static void test_only_what_is_longer(void **state)
{
    start(&(stave_config){.keep = 5});
    control(&(stave_controls){.slowest = 1, .longer_than_ns = 100});
    for (uint64_t i = 0; i < 100000; i++)
        run("step", i, i % 10000 == 7 ? 100 + i / 10000 : 3);
    assert_string_equal(numbers(&(stave_traces_query){.kept = STAVE_KEPT_NEWEST}),
                        "90007 80007 70007 60007 50007 ");
    control(&(stave_controls){.slowest = 1});
    run("step", 5, 3);
    assert_string_equal(numbers(&(stave_traces_query){.kept = STAVE_KEPT_NEWEST}),
                        "5 90007 80007 70007 60007 ");
}

static void test_a_trigger(void **state)
{
    start(&(stave_config){.keep = 100});
    control(&(stave_controls){.slowest = 1, .around_ns = 50});
    for (uint64_t i = 1; i <= 10; i++)
        run("step", i, 10);
    stave_trigger("queue is full");
    for (uint64_t i = 11; i <= 20; i++)
        run("step", i, 10);
    for (uint64_t i = 0; i < 50000; i++)
        run("other", i, 1);
    assert_string_equal(numbers(&(stave_traces_query){.kept = STAVE_KEPT_TRIGGERED}),
                        "14 13 12 11 10 9 8 7 6 5 ");
}

static void test_clearing(void **state)
{
    start(&(stave_config){0});
    run("step", 1, 5);
    STAVE_MARK("mark");
    stave_span open = stave_begin_trace(stave_name_intern("open"));
    stave_set_u64(open, "id", 2);
    recorded_pass(1);
    stave_clear();
    assert_string_equal(numbers(NULL), "");
    struct recorded seen = recorded_now();
    assert_int_equal(seen.rows.count, 0);
    recorded_free(&seen);
    run("step", 3, 5);
    stave_end(open);
    run("step", 4, 5);
    assert_string_equal(numbers(NULL), "4 ");
    seen = recorded_now();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), 2);
    recorded_free(&seen);
}

/* ---- one in so many -------------------------------------------------------------------------- */

static void serve(uint64_t number)
{
    STAVE_TRACE("request", STAVE_ID(number));
    STAVE_SCOPE("inside", STAVE_KV("n", number));
    STAVE_MARK("mark");
    STAVE_COUNTER("counter", number);
    STAVE_SET(stave_current_span(), "more", number);
    STAVE_TRACE("nested");
    for (int i = 0; i < 2; i++) {
        STAVE_CUMULATIVE("sum");
        recorded_pass(1);
    }
    stave_end(stave_begin(stave_name_intern("by handle")));
}

static void test_one_in_three(void **state)
{
    start(&(stave_config){0});
    control(&(stave_controls){.one_in = 3});
    for (uint64_t i = 0; i < 10; i++)
        serve(i);
    run("other", 100, 1); /* each command counts its own */
    assert_string_equal(numbers(NULL), "100 9 6 3 0 ");
    assert_int_equal(COUNTED(roots_skipped), 6);
    struct recorded seen = recorded_now();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), 4 * 4 + 1);
    assert_int_equal(recorded_count(&seen, STAVE_MARKS), 4);
    assert_int_equal(recorded_count(&seen, STAVE_COUNTERS), 4);
    assert_int_equal(recorded_count(&seen, STAVE_CUMULATIVES), 4);
    assert_int_equal(recorded_count(&seen, STAVE_ATTRIBUTES), 3 * 4 + 1);
    recorded_free(&seen);
    assert_int_equal(COUNTED(ended_twice) + COUNTED(left_open), 0);
}

static void test_one_in_by_command(void **state)
{
    start(&(stave_config){0});
    assert_int_equal(stave_control_command("rare", 2, NULL), STAVE_OK);
    for (uint64_t i = 0; i < 4; i++) {
        run("rare", i, 1);
        run("all", 10 + i, 1);
    }
    assert_string_equal(numbers(NULL), "13 12 2 11 10 0 ");
    assert_int_equal(stave_control_command("rare", 0, NULL), STAVE_OK);
    run("rare", 20, 1);
    run("rare", 21, 1);
    assert_string_equal(numbers(&(stave_traces_query){.name = "rare"}), "21 20 2 0 ");
}

/* A root that is skipped is left by what is around it. */
static void test_a_skipped_root_that_is_left(void **state)
{
    start(&(stave_config){0});
    control(&(stave_controls){.one_in = 1000});
    run("step", 0, 1);
    stave_span around = stave_begin(stave_name_intern("around"));
    stave_begin_trace(stave_name_intern("step"));
    stave_end(stave_begin(stave_name_intern("in it")));
    stave_end(around);
    stave_end(stave_begin(stave_name_intern("behind it")));
    struct recorded seen = recorded_now();
    assert_non_null(recorded_find(&seen, STAVE_SPANS, "around"));
    assert_null(recorded_find(&seen, STAVE_SPANS, "in it"));
    assert_non_null(recorded_find(&seen, STAVE_SPANS, "behind it"));
    recorded_free(&seen);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void test_what_is_refused(void **state)
{
    stave_error error = {0};
    stave_stop();
    assert_int_equal(stave_control(NULL, &error), STAVE_E_STATE);
    error = (stave_error){0};
    assert_int_equal(stave_start(&(stave_config){.keep = STAVE_KEEP_MAX + 1}, &error),
                     STAVE_E_ARGUMENT);
    assert_non_null(strstr(error.message, "65536"));
    error = (stave_error){0};
    assert_int_equal(stave_start(&(stave_config){.max_spans = 5}, &error), STAVE_E_ARGUMENT);
    assert_non_null(strstr(error.message, "STAVE_STOP_WHEN_FULL"));
    start(&(stave_config){0});
    error = (stave_error){0};
    assert_int_equal(stave_control(&(stave_controls){.slowest = 17}, &error), STAVE_E_ARGUMENT);
    assert_int_equal(stave_control_command(NULL, 2, NULL), STAVE_E_ARGUMENT);
    stave_traces_close(NULL);
    stave_trace_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_trace_holds),
        cmocka_unit_test(test_a_trace_outlives_its_records),
        cmocka_unit_test(test_roots_in_others),
        cmocka_unit_test(test_odd_roots),
        cmocka_unit_test(test_the_newest),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_the_slow_and_the_failed_are_never_lost),
        cmocka_unit_test(test_given_up_for_room),
        cmocka_unit_test(test_more_than_can_be_held),
        cmocka_unit_test(test_only_what_is_longer),
        cmocka_unit_test(test_a_trigger),
        cmocka_unit_test(test_clearing),
        cmocka_unit_test(test_one_in_three),
        cmocka_unit_test(test_one_in_by_command),
        cmocka_unit_test(test_a_skipped_root_that_is_left),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
