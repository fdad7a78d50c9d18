/* Cumulative spans in each other, from the probes through a file to trees and roll-ups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "stave/analyze.h"
#include "unit/calls.h"
#include "unit/recording.h"

/* ---- a program ------------------------------------------------------------------------------- */

static void cell(uint64_t ns)
{
    STAVE_CUMULATIVE("cell");
    recorded_ns += ns;
}

static void query(int rows);

/* A span in a cumulative one is summed up as that is. */
static void row(bool queries)
{
    STAVE_SCOPE("row");
    recorded_ns += 1;
    cell(2);
    cell(3);
    if (queries)
        query(0);
}

static void query(int rows)
{
    STAVE_CUMULATIVE("query");
    recorded_ns += 1;
    for (int i = 0; i < rows; i++)
        row(i == 0);
}

static void request(void)
{
    STAVE_TRACE("request");
    recorded_ns += 10;
    query(2);
    cell(7);
    recorded_ns += 4;
}

static const char request_tree[] = "request x1 self 14 total 35 busy 35\n"
                                   "  query x1 self 1 total 14 busy 14\n"
                                   "    row x2 self 2 total 13 busy 13\n"
                                   "      cell x4 self 10 total 10 busy 10\n"
                                   "      query x1 self 1 total 1 busy 1\n"
                                   "  cell x1 self 7 total 7 busy 7\n";

/* ---- read back ------------------------------------------------------------------------------- */

static void check_name(const char *name, uint64_t count, double total_ns, double self_ns)
{
    struct calls calls = {.trace = seen.trace};
    stave_rollup *rollup = calls_rollup(seen.trace, NULL);
    const stave_rollup_row *found = calls_row_of(&calls, rollup, name);
    assert_int_equal(found->calls, count);
    assert_true(found->total_ns == total_ns);
    assert_true(found->self_ns == self_ns);
    stave_rollup_free(rollup);
}

static void test_by_path(void **state)
{
    request();
    look();
    calls_check_tree(seen.trace, request_tree);
    check_name("request", 1, 35, 14);
    check_name("query", 2, 14, 2);
    check_name("row", 2, 13, 2);
    check_name("cell", 5, 17, 17);
}

/* Each span numbers its own. */
static void test_in_spans_in_each_other(void **state)
{
    {
        STAVE_TRACE("outer");
        query(1);
        {
            STAVE_SCOPE("inner");
            query(1);
            cell(1);
        }
        cell(4);
    }
    look();
    calls_check_tree(seen.trace, "outer x1 self 0 total 21 busy 21\n"
                                 "  query x1 self 1 total 8 busy 8\n"
                                 "    row x1 self 1 total 7 busy 7\n"
                                 "      cell x2 self 5 total 5 busy 5\n"
                                 "      query x1 self 1 total 1 busy 1\n"
                                 "  inner x1 self 0 total 9 busy 9\n"
                                 "    query x1 self 1 total 8 busy 8\n"
                                 "      row x1 self 1 total 7 busy 7\n"
                                 "        cell x2 self 5 total 5 busy 5\n"
                                 "        query x1 self 1 total 1 busy 1\n"
                                 "    cell x1 self 1 total 1 busy 1\n"
                                 "  cell x1 self 4 total 4 busy 4\n");
}

/* What rewrites a file keeps where they are. */
static void test_a_file_that_is_written_again(void **state)
{
    char path[] = "/tmp/stave-sums-XXXXXX";
    struct traces_bytes bytes = {0};
    stave_sink sink = {.write = traces_add, .context = &bytes};
    stave_save_config config = {.zstd_level = 3};
    stave_trace *again = NULL;
    request();
    look();
    int status = stave_trace_save(seen.trace, sink, &config, NULL);
    if (status == STAVE_E_STATE) { /* without zstd */
        bytes.size = 0;
        status = stave_trace_save(seen.trace, sink, NULL, NULL);
    }
    assert_int_equal(status, STAVE_OK);
    close(mkstemp(path));
    traces_put_file(path, bytes.at, bytes.size);
    assert_int_equal(stave_trace_open(path, NULL, &again, NULL), STAVE_OK);
    unlink(path);
    calls_check_tree(again, request_tree);
    stave_trace_free(again);
    free(bytes.at);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void descend(uint32_t levels)
{
    STAVE_CUMULATIVE("level");
    recorded_ns += 1;
    if (levels > 1)
        descend(levels - 1);
}

/* In several chunks; deeper than a record can say. */
static void test_deep(void **state)
{
    enum { LEVELS = 5000 };
    {
        STAVE_TRACE("root");
        descend(LEVELS);
    }
    look();
    stave_tree *tree = NULL;
    assert_int_equal(stave_tree_new(seen.trace, NULL, &tree, NULL), STAVE_OK);
    assert_int_equal(stave_tree_nodes(tree), LEVELS + 1);
    for (uint32_t i = 1; i <= LEVELS; i++) {
        const stave_tree_node *node = stave_tree_node_at(tree, i);
        assert_int_equal(node->depth, i);
        assert_true(node->total_ns == LEVELS + 1 - i && node->self_ns == 1);
    }
    stave_tree_free(tree);
    check_name("level", LEVELS, LEVELS, LEVELS);
    uint32_t deepest = 0;
    for (size_t i = 0; i < seen.rows.count; i++)
        if (seen.rows.at[i].kind == STAVE_CUMULATIVES && seen.rows.at[i].columns.depth > deepest)
            deepest = seen.rows.at[i].columns.depth;
    assert_int_equal(deepest, 1023);
}

/* As many as a thread can have: the others are dropped, and counted. */
static void test_too_many(void **state)
{
    enum { MOST = 16384, LEVELS = MOST + 3 };
    uint64_t dropped = recorded_counts().dropped_site;
    {
        STAVE_TRACE("root");
        descend(LEVELS);
    }
    assert_int_equal(recorded_counts().dropped_site - dropped, 3);
    look();
    assert_int_equal(recorded_count(&seen, STAVE_CUMULATIVES), MOST);
    check_name("level", MOST, LEVELS, LEVELS);
}

/* ---- */

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_by_path),
        TEST(test_in_spans_in_each_other),
        TEST(test_a_file_that_is_written_again),
        TEST(test_deep),
        TEST(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
