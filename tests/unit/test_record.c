/* What a program records, read back: spans, attributes, marks, counters, cumulative spans, and all that a
 * program may do wrong with them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/analyze.h"
#include "unit/recording.h"

static const struct traces_row *find(uint32_t kind, const char *name)
{
    const struct traces_row *row = recorded_find(&seen, kind, name);
    assert_non_null(row);
    return row;
}

static void expect_span(const char *name, uint64_t start, uint64_t end, uint32_t depth,
                        uint16_t flags)
{
    const struct stave__row *row = &find(STAVE_SPANS, name)->columns;
    assert_int_equal(row->start, start);
    assert_int_equal(row->end, end);
    assert_int_equal(row->depth, depth);
    assert_int_equal(row->flags, flags);
}

static stave_span begin(const char *name)
{
    return stave_begin(stave_name_intern(name));
}

/* ---- spans ----------------------------------------------------------------------------------- */

static uint64_t outermost_serial;

static void nest(void)
{
    STAVE_SPAN(outer, "outer");
    outermost_serial = outer.serial;
    recorded_ns += 10;
    {
        STAVE_SCOPE("first");
        recorded_ns += 5;
    }
    recorded_ns += 1;
    {
        STAVE_SCOPE("second");
        recorded_ns += 2;
        STAVE_SCOPE("inner");
        recorded_ns += 3;
    }
    recorded_ns += 4;
}

static void test_nested_spans(void **state)
{
    nest();
    look();
    assert_int_equal(seen.rows.count, 4);
    expect_span("outer", 0, 25, 0, 0);
    expect_span("first", 10, 15, 1, 0);
    expect_span("second", 16, 21, 1, 0);
    expect_span("inner", 18, 21, 2, 0);
    assert_int_equal(find(STAVE_SPANS, "outer")->columns.serial, outermost_serial);
    assert_int_equal(find(STAVE_SPANS, "first")->columns.serial, outermost_serial + 1);
    assert_int_equal(find(STAVE_SPANS, "second")->columns.serial, outermost_serial + 2);
    assert_int_equal(find(STAVE_SPANS, "inner")->columns.serial, outermost_serial + 3);
    assert_int_equal(COUNTED(recorded), 4);
}

static int leave_early(int how)
{
    for (int i = 0; i < 2; i++) {
        STAVE_FUNCTION(how);
        recorded_ns += 7;
        if (how == 0)
            return 1;
        if (how == 1)
            break;
        continue;
    }
    return 0;
}

static void test_blocks_that_are_left_early(void **state)
{
    for (int how = 0; how < 3; how++)
        leave_early(how);
    assert_null(stave_current_span().slot);
    look();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), 4);
    for (size_t i = 0; i < seen.rows.count; i++) {
        if (seen.rows.at[i].kind == STAVE_SPANS)
            assert_int_equal(seen.rows.at[i].columns.end - seen.rows.at[i].columns.start, 7);
    }
}

static void test_roots(void **state)
{
    {
        STAVE_TRACE("request", STAVE_ID(77));
        STAVE_TRACE("nested request", STAVE_ID(78));
        recorded_ns += 3;
    }
    look();
    expect_span("request", 0, 3, 0, 0);
    expect_span("nested request", 0, 3, 1, 0);
    assert_int_equal(recorded_count(&seen, STAVE_ATTRIBUTES), 2);
}

static void test_spans_that_are_open(void **state)
{
    stave_span outer = begin("open outside");
    recorded_ns += 2;
    stave_span inner = begin("open inside");
    recorded_ns += 2;
    stave_end(begin("ended"));
    look();
    assert_int_equal(recorded_count(&seen, STAVE_SPANS), 3);
    expect_span("open outside", 0, 4, 0, STAVE_FLAG_UNFINISHED);
    expect_span("open inside", 2, 4, 1, STAVE_FLAG_UNFINISHED);
    expect_span("ended", 4, 4, 2, 0);
    stave_end(inner);
    stave_end(outer);
    look();
    expect_span("open inside", 2, 4, 1, 0);
    expect_span("open outside", 0, 4, 0, 0);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static const struct stave__row *expect_attribute(const char *key, uint16_t flags, uint64_t value)
{
    const struct stave__row *row = &find(STAVE_ATTRIBUTES, key)->columns;
    assert_int_equal(row->flags, flags);
    if ((flags & STAVE_FLAG_TEXT) == 0)
        assert_int_equal(row->value, value);
    return row;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void expect_text(const char *key, const char *wanted, size_t wanted_size, uint16_t flags)
{
    size_t size;
    const struct traces_row *row = find(STAVE_ATTRIBUTES, key);
    const char *text = recorded_text(&seen, row, &size);
    assert_int_equal(row->columns.flags, STAVE_FLAG_TEXT | flags);
    assert_int_equal(size, wanted_size);
    assert_memory_equal(text, wanted, size);
}

static void test_attributes_of_all_types(void **state)
{
    uint64_t serial;
    volatile bool yes = true;
    {
        STAVE_SPAN(span, "typed", STAVE_KV("text", "abc"), STAVE_KV("empty", ""),
                   STAVE_KV("begun", true));
        serial = span.serial;
        STAVE_SET(span, "minus", -5);
        STAVE_SET(span, "most", UINT64_MAX);
        STAVE_SET(span, "real", 0.25);
        STAVE_SET(span, "float", 0.5f);
        STAVE_SET(span, "true", true);
        STAVE_SET(span, "false", false);
        STAVE_SET(span, "bool", yes);
        STAVE_SET(span, "compared", (bool)(serial == span.serial + 1));
        STAVE_SET(stave_current_span(), "least", INT64_MIN);
        stave_set_i64(span, "run-time i64", -6);
        stave_set_u64(span, "run-time u64", 6);
        stave_set_f64(span, "run-time f64", -0.5);
        stave_set_bool(span, "run-time bool", true);
        stave_set_bool(span, "run-time false", false);
        stave_set_str(span, "run-time str", "exactly thirty-two bytes, so it is");
        stave_set_str(span, "null", NULL);
    }
    look();
    assert_int_equal(expect_attribute("minus", STAVE_FLAG_SIGNED, (uint64_t)-5)->serial, serial);
    expect_attribute("most", 0, UINT64_MAX);
    expect_attribute("real", STAVE_FLAG_REAL, bits_of(0.25));
    expect_attribute("float", STAVE_FLAG_REAL, bits_of(0.5));
    expect_attribute("begun", STAVE_FLAG_BOOL, true);
    expect_attribute("true", STAVE_FLAG_BOOL, true);
    expect_attribute("false", STAVE_FLAG_BOOL, false);
    expect_attribute("bool", STAVE_FLAG_BOOL, true);
    expect_attribute("compared", STAVE_FLAG_BOOL, false);
    expect_attribute("least", STAVE_FLAG_SIGNED, (uint64_t)INT64_MIN);
    expect_attribute("run-time i64", STAVE_FLAG_SIGNED, (uint64_t)-6);
    expect_attribute("run-time u64", 0, 6);
    expect_attribute("run-time f64", STAVE_FLAG_REAL, bits_of(-0.5));
    expect_attribute("run-time bool", STAVE_FLAG_BOOL, true);
    expect_attribute("run-time false", STAVE_FLAG_BOOL, false);
    expect_text("run-time str", "exactly thirty-two bytes, so it is", 34, 0);
    expect_text("text", "abc", 3, 0);
    expect_text("empty", "", 0, 0);
    expect_text("null", "", 0, 0);
    assert_int_equal(recorded_count(&seen, STAVE_ATTRIBUTES), 19);
}

static void test_attributes_of_what_is_not_open(void **state)
{
    stave_span span = begin("short");
    stave_end(span);
    STAVE_SET(span, "late", 1);
    stave_set_str(span, "later", "x");
    stave_fail(span, "late");
    STAVE_SET(((stave_span){0}), "none", 1);
    look();
    assert_int_equal(recorded_count(&seen, STAVE_ATTRIBUTES), 0);
    expect_span("short", 0, 0, 0, 0);
}

static void test_failures(void **state)
{
    stave_span span = begin("fails");
    stave_fail(span, "no such row");
    stave_fail(span, NULL);
    stave_end(span);
    stave_end(begin("works"));
    look();
    expect_span("fails", 0, 0, 0, STAVE_FLAG_FAILED);
    expect_span("works", 0, 0, 0, 0);
    expect_text("error", "no such row", 11, 0);
}

/* ---- marks and counters ---------------------------------------------------------------------- */

static void expect_mark(const char *name, uint64_t time, uint64_t serial, uint16_t flags,
                        uint64_t value)
{
    const struct stave__row *row = &find(STAVE_MARKS, name)->columns;
    assert_int_equal(row->start, time);
    assert_int_equal(row->serial, serial);
    assert_int_equal(row->flags, flags);
    if ((flags & STAVE_FLAG_TEXT) == 0)
        assert_int_equal(row->value, value);
}

static void test_marks(void **state)
{
    recorded_ns += 1;
    STAVE_MARK("alone");
    stave_span span = begin("around marks");
    recorded_ns += 1;
    STAVE_MARK("plain");
    STAVE_MARK("valued", STAVE_KV("a", -3), STAVE_KV("b", 4u), STAVE_KV("c", "five"));
    STAVE_MARK("of text", STAVE_KV("d", "six"));
    STAVE_MARK("of truth", STAVE_KV("e", false), STAVE_KV("f", true));
    stave_end(span);
    look();
    expect_mark("alone", 1, 0, 0, 0);
    expect_mark("plain", 2, span.serial, 0, 0);
    expect_mark("valued", 2, span.serial, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_SIGNED, (uint64_t)-3);
    expect_mark("of text", 2, span.serial, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_TEXT, 0);
    assert_string_equal(recorded_text(&seen, find(STAVE_MARKS, "of text"), NULL), "six");
    expect_mark("of truth", 2, span.serial, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_BOOL, false);
    assert_int_equal(recorded_count(&seen, STAVE_ATTRIBUTES), 3);
    expect_attribute("f", STAVE_FLAG_BOOL, true);
    assert_int_equal(expect_attribute("b", STAVE_FLAG_SIGNED, 4)->serial, span.serial);
    expect_text("c", "five", 4, 0);
}

static void test_counters(void **state)
{
    recorded_ns += 3;
    STAVE_COUNTER("queue", -7);
    STAVE_COUNTER("share", 0.125);
    look();
    const struct stave__row *queue = &find(STAVE_COUNTERS, "queue")->columns;
    assert_int_equal(queue->start, 3);
    assert_int_equal((int64_t)queue->value, -7);
    assert_int_equal(queue->flags, STAVE_FLAG_SIGNED);
    assert_int_equal(find(STAVE_COUNTERS, "share")->columns.value, bits_of(0.125));
    assert_int_equal(recorded_count(&seen, STAVE_COUNTERS), 2);
}

/* ---- cumulative spans ------------------------------------------------------------------------ */

static void expect_sum(const char *name, uint64_t serial, uint32_t depth, uint64_t count,
                       uint64_t total, uint64_t least, uint64_t most)
{
    const struct stave__row *row = &find(STAVE_CUMULATIVES, name)->columns;
    assert_int_equal(row->serial, serial);
    assert_int_equal(row->depth, depth);
    assert_int_equal(row->value, count);
    assert_int_equal(row->total, total);
    assert_int_equal(row->least, least);
    assert_int_equal(row->most, most);
}

static void sum(uint64_t length)
{
    STAVE_CUMULATIVE("row");
    recorded_ns += length;
    if (length % 2 == 0) {
        STAVE_SCOPE("cell", STAVE_KV("left out", 1));
        STAVE_MARK("in a sum", STAVE_KV("value", length), STAVE_KV("of the span", length));
        recorded_ns += 100;
    }
    recorded_ns += 1;
}

static void test_cumulative_spans(void **state)
{
    stave_span span = begin("around sums");
    recorded_ns += 5;
    for (uint64_t length = 1; length <= 3; length++)
        sum(length);
    stave_end(span);
    look();
    expect_span("around sums", 0, 114, 0, 0);
    expect_sum("row", span.serial, 0, 3, 109, 2, 103);
    expect_sum("cell", span.serial, 1, 1, 100, 100, 100);
    const struct stave__row *row = &find(STAVE_CUMULATIVES, "row")->columns;
    assert_int_equal(row->start, 5);
    assert_int_equal(row->end, 114);
    expect_mark("in a sum", 9, span.serial, STAVE_FLAG_HAS_VALUE, 2);
    assert_int_equal(expect_attribute("of the span", 0, 2)->serial, span.serial);
    assert_int_equal(recorded_count(&seen, STAVE_ATTRIBUTES), 1);
}

static void test_a_cumulative_span_with_nothing_around_it(void **state)
{
    sum(1);
    look();
    expect_span("row", 0, 2, 0, 0);
    assert_int_equal(recorded_count(&seen, STAVE_CUMULATIVES), 0);
}

/* ---- what programs do wrong ------------------------------------------------------------------ */

static void test_ends_that_are_missing(void **state)
{
    stave_span outer = begin("has an end");
    begin("has none");
    recorded_ns += 4;
    begin("has none either");
    recorded_ns += 4;
    stave_end(outer);
    stave_end(begin("behind"));
    look();
    expect_span("has an end", 0, 8, 0, 0);
    expect_span("has none", 0, 8, 1, STAVE_FLAG_UNWOUND);
    expect_span("has none either", 4, 8, 2, STAVE_FLAG_UNWOUND);
    expect_span("behind", 8, 8, 0, 0);
    assert_int_equal(COUNTED(left_open), 2);
}

static void test_ends_out_of_order(void **state)
{
    stave_span outer = begin("outer first"), inner = begin("inner last");
    recorded_ns += 4;
    stave_end(outer);
    recorded_ns += 4;
    stave_end(inner);
    look();
    expect_span("outer first", 0, 4, 0, 0);
    expect_span("inner last", 0, 4, 1, STAVE_FLAG_UNWOUND);
    assert_int_equal(COUNTED(left_open), 1);
    assert_int_equal(COUNTED(ended_twice), 1);
}

static void test_a_handle_that_is_ended_twice(void **state)
{
    stave_span outer = begin("around"), span = begin("ended twice");
    recorded_ns += 4;
    stave_end(span);
    stave_end(span);
    stave_span next = begin("in its place");
    stave_end(span);
    recorded_ns += 4;
    stave_end(next);
    stave_end(outer);
    stave_end((stave_span){0});
    look();
    expect_span("ended twice", 0, 4, 1, 0);
    expect_span("in its place", 4, 8, 1, 0);
    expect_span("around", 0, 8, 0, 0);
    assert_int_equal(COUNTED(ended_twice), 2);
}

static void *end_it(void *span)
{
    stave_end(*(stave_span *)span);
    stave_set_i64(*(stave_span *)span, "elsewhere", 1);
    return NULL;
}

static void *leave_open(void *nothing)
{
    begin("open at the end of its thread");
    return NULL;
}

static void run_thread(void *(*run)(void *), void *given)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run, given), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_an_end_on_another_thread(void **state)
{
    stave_span span = begin("of this thread");
    run_thread(end_it, &span);
    recorded_ns += 4;
    stave_end(span);
    look();
    expect_span("of this thread", 0, 4, 0, 0);
    assert_int_equal(COUNTED(ended_twice), 1);
}

static void test_a_thread_that_ends_inside_a_span(void **state)
{
    run_thread(leave_open, NULL);
    recorded_ns += 4;
    look();
    expect_span("open at the end of its thread", 0, 0, 0, STAVE_FLAG_UNWOUND);
    assert_int_equal(COUNTED(left_open), 1);
}

static void test_toggling_in_mid_span(void **state)
{
    {
        STAVE_SCOPE("begun while on");
        recorded_ns += 1;
        stave_enable(false);
        assert_false(stave_is_enabled());
        {
            STAVE_SCOPE("begun while off");
            STAVE_MARK("marked while off");
            recorded_ns += 1;
            stave_enable(true);
            STAVE_SCOPE("begun while on again");
            recorded_ns += 1;
        }
        stave_enable(false);
    }
    stave_enable(true);
    look();
    assert_int_equal(seen.rows.count, 2);
    expect_span("begun while on", 0, 3, 0, 0);
    expect_span("begun while on again", 2, 3, 1, 0);
    assert_int_equal(COUNTED(ended_twice) + COUNTED(left_open), 0);
}

/* Between two calls of a cumulative span. */
static void test_a_clock_that_steps_back_between_calls(void **state)
{
    {
        STAVE_SCOPE("around");
        recorded_ns += 100;
        {
            STAVE_CUMULATIVE("sum");
            recorded_ns += 3;
        }
        recorded_ns -= 50;
        STAVE_CUMULATIVE("sum");
        recorded_ns += 4;
    }
    recorded_ns += 100;
    look();
    const struct stave__row *row = &find(STAVE_CUMULATIVES, "sum")->columns;
    assert_int_equal(row->start, 100);
    assert_int_equal(row->end, 100);
    assert_int_equal(row->value, 2);
    assert_int_equal(row->total, 7);
}

static void test_a_clock_that_steps_back(void **state)
{
    recorded_ns += 50;
    stave_span outer = begin("lasts longer"), span = begin("ends before its start");
    recorded_ns -= 20;
    stave_end(span);
    recorded_ns += 40;
    stave_end(outer);
    look();
    expect_span("ends before its start", 50, 50, 1, STAVE_FLAG_UNCERTAIN);
    expect_span("lasts longer", 50, 70, 0, 0);
    assert_int_equal(COUNTED(clock_back), 1);
}

static void test_a_clock_that_steps_behind_the_start(void **state)
{
    recorded_ns -= 20;
    stave_end(begin("before all"));
    recorded_ns += 40;
    look();
    expect_span("before all", (uint64_t)-20, (uint64_t)-20, 0, 0);
}

static void test_names_that_were_not_given_out(void **state)
{
    stave_end(stave_begin(0));
    stave_end(stave_begin(UINT32_MAX));
    stave_end(stave_begin(0xfffff));
    look();
    assert_int_equal(seen.rows.count, 0);
    assert_int_equal(COUNTED(dropped_site), 3);
}

/* Of a place that was compiled for another version only what says so may be read, and nothing written. */
static void test_places_of_another_version(void **state)
{
    stave_site site = {.name = "other", .abi = STAVE_ABI + 1, .id = 77}, as_it_was = site;
    stave_site key = {.name = "other key", .abi = STAVE_ABI - 1}, key_as_it_was = key;
    stave_span around = begin("around");
    assert_null(stave__begin_slowly(&site).slot);
    assert_null(stave__begin_trace(&site).slot);
    assert_null(stave__begin_cumulative_slowly(&site).slot);
    stave__mark_end(stave__mark(&site));
    stave__counter(&site, stave__u64(1));
    stave__set_slowly(around, &key, stave__u64(1));
    stave_end(around);
    look();
    assert_int_equal(seen.rows.count, 1);
    expect_span("around", 0, 0, 0, 0);
    assert_int_equal(COUNTED(dropped_abi), 6);
    assert_int_equal(COUNTED(dropped_site), 0);
    assert_memory_equal(&site, &as_it_was, sizeof site);
    assert_memory_equal(&key, &key_as_it_was, sizeof key);
}

/* ---- starting -------------------------------------------------------------------------------- */

static void test_a_new_start_forgets_what_was(void **state)
{
    stave_span span = begin("of before");
    stave_set_i64(span, "of before", 1);
    stave_end(span);
    stave_end(begin("of before, too"));
    STAVE_MARK("of before");
    stave_stop();
    look(); /* it stays until then */
    assert_int_equal(seen.rows.count, 4);
    stave_end(begin("of nothing"));
    recorded_start(&(stave_config){0});
    stave_end(begin("of now"));
    look();
    assert_int_equal(seen.rows.count, 1);
    expect_span("of now", 0, 0, 0, 0);
}

static void expect_refused(const stave_config *config, int status)
{
    stave_error error = {0};
    assert_int_equal(stave_start(config, &error), status);
    assert_int_equal(error.status, status);
    assert_true(error.message[0] != '\0');
}

static void test_starts_that_are_refused(void **state)
{
    expect_refused(NULL, STAVE_E_STATE);
    stave_stop();
    expect_refused(&(stave_config){.mode = 2}, STAVE_E_ARGUMENT);
    expect_refused(&(stave_config){.max_bytes = (1 << 20) - 1}, STAVE_E_ARGUMENT);
    stave_error error = {0};
    assert_int_equal(stave_start(&(stave_config){.max_bytes = ((uint64_t)1 << 47) + 1}, &error),
                     STAVE_E_ARGUMENT);
    assert_string_equal(error.message, "max_bytes is 140737488355329, the least is 1048576, "
                                       "the most 140737488355328");
    expect_refused(&(stave_config){.max_bytes = 1 << 20}, STAVE_E_ARGUMENT); /* it was another */
    assert_false(stave_is_enabled());
    stave_enable(true);
    assert_false(stave_is_enabled());
}

static int refuse(void *context, const void *data, size_t size)
{
    return STAVE_E_IO;
}

static void test_a_sink_that_fails(void **state)
{
    stave_sink sink = {.write = refuse};
    assert_true(stave_snapshot(sink, NULL) < 0);
}

/* ---- */

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nested_spans),
        TEST(test_blocks_that_are_left_early),
        TEST(test_roots),
        TEST(test_spans_that_are_open),
        TEST(test_attributes_of_all_types),
        TEST(test_attributes_of_what_is_not_open),
        TEST(test_failures),
        TEST(test_marks),
        TEST(test_counters),
        TEST(test_cumulative_spans),
        TEST(test_a_cumulative_span_with_nothing_around_it),
        TEST(test_ends_that_are_missing),
        TEST(test_ends_out_of_order),
        TEST(test_a_handle_that_is_ended_twice),
        TEST(test_an_end_on_another_thread),
        TEST(test_a_thread_that_ends_inside_a_span),
        TEST(test_toggling_in_mid_span),
        TEST(test_a_clock_that_steps_back),
        TEST(test_a_clock_that_steps_back_between_calls),
        TEST(test_a_clock_that_steps_behind_the_start),
        TEST(test_names_that_were_not_given_out),
        TEST(test_places_of_another_version),
        TEST(test_a_new_start_forgets_what_was),
        TEST(test_starts_that_are_refused),
        TEST(test_a_sink_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
