/* Recursion, trees that are very deep, and names that are strange, long, or very many. */
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

/* ---- depth ----------------------------------------------------------------------------------- */

/* Handles of what is open, which ends in the opposite order. */
static stave_span spans[STAVE_DEPTH_MAX + 10];

static void begin_all(uint32_t count, const char *name)
{
    uint32_t id = stave_name_intern(name);
    for (uint32_t i = 0; i < count; i++)
        spans[i] = stave_begin(id);
}

static void end_all(uint32_t count)
{
    while (count > 0)
        stave_end(spans[--count]);
}

static void test_recursion(void **state)
{
    stave_rollup *rollup;
    begin_all(11, "recursive");
    recorded_ns += 1000000000;
    end_all(11);
    look();
    assert_int_equal(stave_rollup_new(seen.trace, NULL, &rollup, NULL), STAVE_OK);
    assert_int_equal(stave_rollup_rows(rollup), 1);
    const stave_rollup_row *row = stave_rollup_row_at(rollup, 0);
    assert_int_equal(row->calls, 11);
    assert_true(row->total_ns == 1e9);
    assert_true(row->self_ns == 1e9);
    stave_rollup_free(rollup);
}

static uint32_t deepest(void)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < seen.rows.count; i++)
        depth = seen.rows.at[i].columns.depth > depth ? seen.rows.at[i].columns.depth : depth;
    return depth;
}

static uint32_t nodes(void)
{
    stave_tree *tree;
    assert_int_equal(stave_tree_new(seen.trace, NULL, &tree, NULL), STAVE_OK);
    uint32_t count = stave_tree_nodes(tree);
    assert_int_equal(stave_tree_roots(tree), 1);
    stave_tree_free(tree);
    return count;
}

static void test_a_deep_tree(void **state)
{
    begin_all(100000, "deep");
    recorded_ns += 5;
    look(); /* all of it is open */
    assert_int_equal(seen.rows.count, 100000);
    assert_int_equal(deepest(), 99999);
    assert_int_equal(nodes(), 100000);
    end_all(100000);
    look();
    assert_int_equal(seen.rows.count, 100000);
    assert_int_equal(deepest(), 99999);
    assert_int_equal(nodes(), 100000);
    assert_int_equal(COUNTED(dropped_depth), 0);
}

/* Many that ended before it was deep: they are not looked for among what is open. */
static void test_many_spans_before_a_deep_tree(void **state)
{
    for (uint32_t i = 0; i < 200000; i++) {
        begin_all(1, "flat");
        end_all(1);
    }
    begin_all(100000, "deep");
    look();
    assert_int_equal(seen.rows.count, 300000);
    end_all(100000);
}

static void test_a_tree_that_is_too_deep(void **state)
{
    begin_all(STAVE_DEPTH_MAX + 10, "too deep");
    assert_null(spans[STAVE_DEPTH_MAX].slot);
    recorded_ns += 5;
    look();
    assert_int_equal(seen.rows.count, STAVE_DEPTH_MAX);
    end_all(STAVE_DEPTH_MAX + 10);
    look();
    assert_int_equal(seen.rows.count, STAVE_DEPTH_MAX);
    assert_int_equal(deepest(), STAVE_DEPTH_MAX - 1);
    assert_int_equal(COUNTED(dropped_depth), 10);
    assert_int_equal(COUNTED(ended_twice) + COUNTED(left_open), 0);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void test_strange_names(void **state)
{
    static const char *const names[] = {
        "\"quoted\" \\ and 'quoted'",  "a\nb\tc\r\x01\x1f\x7f", "\xff\xfe not UTF-8 \xc3",
        "\xed\xa0\x80 half of a pair", "</script><!--",         " ",
        "gr\xc3\xbc\xc3\x9f",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        stave_span span = stave_begin(stave_name_intern(names[i]));
        stave_set_str(span, names[i], names[i]);
        stave_end(span);
    }
    look();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_non_null(recorded_find(&seen, STAVE_SPANS, names[i]));
        const struct traces_row *row = recorded_find(&seen, STAVE_ATTRIBUTES, names[i]);
        assert_string_equal(recorded_text(&seen, row, NULL), names[i]);
    }
    assert_int_equal(COUNTED(truncated), 0);
}

static char text[STAVE_TEXT_MAX + 2];

static uint16_t flags_of(uint32_t kind, const char *name)
{
    const struct traces_row *row = recorded_find(&seen, kind, name);
    assert_non_null(row);
    return row->columns.flags;
}

static void test_long_texts(void **state)
{
    memset(text, 'x', STAVE_TEXT_MAX + 1);
    stave_span span = stave_begin(stave_name_intern(text));
    stave_set_str(span, "long", text);
    stave_set_i64(span, text, 5);
    stave_end(span);
    text[STAVE_TEXT_MAX] = '\0'; /* now as long as may be, and the same as what was cut */
    look();
    assert_int_equal(flags_of(STAVE_SPANS, text), STAVE_FLAG_TRUNCATED);
    assert_int_equal(flags_of(STAVE_ATTRIBUTES, text), STAVE_FLAG_SIGNED | STAVE_FLAG_TRUNCATED);
    assert_int_equal(flags_of(STAVE_ATTRIBUTES, "long"), STAVE_FLAG_TEXT | STAVE_FLAG_TRUNCATED);
    assert_string_equal(recorded_text(&seen, recorded_find(&seen, STAVE_ATTRIBUTES, "long"), NULL),
                        text);
    assert_int_equal(COUNTED(truncated), 2); /* the name, once, and the value */
}

static void test_texts_as_long_as_may_be(void **state)
{
    memset(text, 'x', STAVE_TEXT_MAX);
    text[STAVE_TEXT_MAX] = '\0';
    stave_span span = stave_begin(stave_name_intern(text));
    stave_set_str(span, "whole", text);
    stave_end(span);
    look();
    assert_int_equal(flags_of(STAVE_SPANS, text), 0);
    assert_int_equal(flags_of(STAVE_ATTRIBUTES, "whole"), STAVE_FLAG_TEXT);
    assert_int_equal(COUNTED(truncated), 0);
}

static void test_many_names(void **state)
{
    char name[32];
    for (uint32_t i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        stave_end(stave_begin(stave_name_intern(name)));
    }
    look();
    assert_int_equal(seen.rows.count, 100000);
    for (uint32_t i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        assert_string_equal(seen.rows.at[i].name, name);
    }
}

/* More than there is room for; those that are there go on. */
static void test_too_many_names(void **state)
{
    char name[32];
    uint32_t known = stave_name_intern("known"), refused = 0;
    for (uint32_t i = 0; i < 300000; i++) {
        snprintf(name, sizeof name, "another %u", (unsigned)i);
        refused += stave_name_intern(name) == 0;
    }
    assert_true(refused > 0 && refused < 300000);
    assert_int_equal(stave_name_intern("known"), known);
    stave_end(stave_begin(stave_name_intern("another 299999")));
    stave_end(stave_begin(known));
    look();
    assert_int_equal(seen.rows.count, 1);
    assert_int_equal(COUNTED(dropped_site), 1);
}

/* ---- */

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_recursion),
        TEST(test_a_deep_tree),
        TEST(test_many_spans_before_a_deep_tree),
        TEST(test_a_tree_that_is_too_deep),
        TEST(test_strange_names),
        TEST(test_long_texts),
        TEST(test_texts_as_long_as_may_be),
        TEST(test_many_names),
        TEST(test_too_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
