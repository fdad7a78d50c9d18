/* Trees: the golden ones (tests/golden/trees), and which root is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/calls.h"

/* ---- golden trees ---------------------------------------------------------------------------- */

struct identity {
    uint32_t lane;
    uint64_t serial; /* 0: none */
};

struct golden_span {
    struct identity identity, parent;
    double self, total, busy;
    bool seen;
};

#define SPANS_MAX 64

struct golden {
    struct calls calls;
    struct golden_span spans[SPANS_MAX];
    size_t count;
    char names[SPANS_MAX][32]; /* of the roll-up */
    double name_values[SPANS_MAX][3];
    uint32_t names_count;
};

static struct identity read_identity(const char *word)
{
    struct identity identity = {0};
    if (strcmp(word, "-") == 0)
        return identity;
    char *end;
    identity.lane = (uint32_t)strtoul(word, &end, 10);
    assert_int_equal(*end, ':');
    identity.serial = strtoull(end + 1, NULL, 10);
    return identity;
}

static void read_span(struct golden *golden, char **word)
{
    struct golden_span *span = &golden->spans[golden->count++];
    struct identity attached = read_identity(word[6]);
    struct stave__row row = {
        .serial = strtoull(word[2], NULL, 10),
        .depth = (uint32_t)strtoul(word[3], NULL, 10),
        .start = strtoll(word[4], NULL, 10),
        .end = strtoll(word[5], NULL, 10),
        .flags = attached.serial != 0 ? STAVE_FLAG_ATTACHED : 0,
        .other = attached.serial,
        .other_lane = attached.lane,
    };
    assert_true(golden->count <= SPANS_MAX);
    golden->calls.lane = (uint32_t)strtoul(word[1], NULL, 10);
    calls_span(&golden->calls, &row, word[7]);
    *span = (struct golden_span){
        .identity = {golden->calls.lane, row.serial},
        .parent = read_identity(word[8]),
        .self = strtod(word[9], NULL),
        .total = strtod(word[10], NULL),
        .busy = strtod(word[11], NULL),
    };
}

static void read_name(struct golden *golden, char **word)
{
    snprintf(golden->names[golden->names_count], sizeof golden->names[0], "%s", word[1]);
    for (int i = 0; i < 3; i++)
        golden->name_values[golden->names_count][i] = strtod(word[2 + i], NULL);
    golden->names_count++;
}

static void read_line(struct golden *golden, char *line)
{
    char *words[12];
    size_t count = 0;
    char *rest;
    for (char *word = strtok_r(line, " \n", &rest); word != NULL && count < 12;
         word = strtok_r(NULL, " \n", &rest))
        words[count++] = word;
    if (count == 0 || words[0][0] == '#')
        return;
    if (strcmp(words[0], "span") == 0 && count == 12)
        read_span(golden, words);
    else if (strcmp(words[0], "name") == 0 && count == 5)
        read_name(golden, words);
    else
        fail_msg("not a line: %s", words[0]);
}

static void read_golden(struct golden *golden, const char *name)
{
    char path[512], line[512];
    *golden = (struct golden){0};
    calls_open(&golden->calls, 0);
    snprintf(path, sizeof path, "%s/trees/%s.tree", STAVE_GOLDEN_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        read_line(golden, line);
    fclose(file);
    calls_close(&golden->calls);
    assert_true(golden->count > 0 && golden->names_count > 0);
}

static void check_node(struct golden *golden, const stave_tree *tree, uint32_t index)
{
    const stave_tree_node *node = stave_tree_node_at(tree, index);
    struct golden_span *span = golden->spans;
    while (span->identity.lane != node->lane || span->identity.serial != node->serial)
        span++;
    assert_true(span < golden->spans + golden->count);
    assert_false(span->seen);
    span->seen = true;
    assert_true(node->self_ns == span->self);
    assert_true(node->total_ns == span->total);
    assert_true(node->busy_ns == span->busy);
    assert_int_equal(node->calls, 1);
    if (index == 0) {
        assert_int_equal(node->parent, STAVE_NONE);
        assert_int_equal(node->depth, 0);
        assert_int_equal(span->parent.serial, 0);
        return;
    }
    assert_true(node->parent < index);
    const stave_tree_node *parent = stave_tree_node_at(tree, node->parent);
    assert_int_equal(node->depth, parent->depth + 1);
    assert_int_equal(parent->lane, span->parent.lane);
    assert_int_equal(parent->serial, span->parent.serial);
}

static uint64_t check_tree(struct golden *golden, uint64_t root)
{
    stave_tree *tree;
    stave_tree_config config = {.root = root};
    assert_int_equal(stave_tree_new(golden->calls.trace, &config, &tree, NULL), STAVE_OK);
    assert_int_equal(stave_tree_root(tree), root);
    for (uint32_t i = 0; i < stave_tree_nodes(tree); i++)
        check_node(golden, tree, i);
    uint64_t roots = stave_tree_roots(tree);
    stave_tree_free(tree);
    return roots;
}

static void check_rollup(const struct golden *golden)
{
    stave_rollup *rollup = calls_rollup(golden->calls.trace, NULL);
    assert_int_equal(stave_rollup_rows(rollup), golden->names_count);
    for (uint32_t i = 0; i < golden->names_count; i++) {
        const stave_rollup_row *row = stave_rollup_row_at(rollup, i);
        const double *values = golden->name_values[i];
        assert_string_equal(stave_trace_string(golden->calls.trace, row->name, NULL),
                            golden->names[i]);
        assert_true((double)row->calls == values[0]);
        assert_true(row->total_ns == values[1]);
        assert_true(row->self_ns == values[2]);
    }
    stave_rollup_free(rollup);
}

static void check_golden(const char *name)
{
    struct golden golden;
    stave_error error = {0};
    stave_tree *tree;
    read_golden(&golden, name);
    uint64_t roots = check_tree(&golden, 0);
    for (uint64_t root = 1; root < roots; root++)
        assert_int_equal(check_tree(&golden, root), roots);
    for (size_t i = 0; i < golden.count; i++)
        assert_true(golden.spans[i].seen);
    stave_tree_config config = {.root = roots};
    assert_int_equal(stave_tree_new(golden.calls.trace, &config, &tree, &error), STAVE_E_NOTHING);
    check_rollup(&golden);
    stave_trace_free(golden.calls.trace);
}

/* Each file of tests/golden/trees. */
#define GOLDEN(X)                                                                                  \
    X(design, "design")                                                                            \
    X(one, "one")                                                                                  \
    X(siblings, "siblings")                                                                        \
    X(recursion, "recursion")                                                                      \
    X(mutual_recursion, "mutual-recursion")                                                        \
    X(sticking_out, "sticking-out")                                                                \
    X(before_and_behind, "before-and-behind")                                                      \
    X(overlapping_children, "overlapping-children")                                                \
    X(attached_within, "attached-within")                                                          \
    X(lost_parent, "lost-parent")                                                                  \
    X(lost_middle, "lost-middle")                                                                  \
    X(zero_length, "zero-length")                                                                  \
    X(missing_owner, "missing-owner")                                                              \
    X(circle, "circle")                                                                            \
    X(circle_within, "circle-within")                                                              \
    X(disordered, "disordered")                                                                    \
    X(equal_times, "equal-times")

#define GOLDEN_TEST(name, file)                                                                    \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        check_golden(file);                                                                        \
    }
GOLDEN(GOLDEN_TEST)

/* ---- which root ------------------------------------------------------------------------------ */

static stave_tree *tree_of(const struct calls *calls, uint64_t root, bool slowest)
{
    stave_tree *tree = NULL;
    stave_error error = {0};
    stave_tree_config config = {.root = root, .slowest = slowest};
    assert_int_equal(stave_tree_new(calls->trace, &config, &tree, &error), STAVE_OK);
    return tree;
}

static void check_root(const struct calls *calls, uint64_t root, bool slowest, uint64_t number,
                       const char *name)
{
    stave_tree *tree = tree_of(calls, root, slowest);
    assert_int_equal(stave_tree_roots(tree), 6);
    assert_int_equal(stave_tree_root(tree), number);
    assert_string_equal(stave_trace_string(calls->trace, stave_tree_node_at(tree, 0)->name, NULL),
                        name);
    stave_tree_free(tree);
}

static bool is_even_word(void *context, uint32_t name)
{
    const char *text = stave_trace_string(context, name, NULL);
    return strcmp(text, "second") == 0 || strcmp(text, "fourth") == 0 || strcmp(text, "sixth") == 0;
}

static void check_named(const struct calls *calls, uint64_t root, bool slowest, uint64_t number,
                        const char *name)
{
    stave_tree *tree = NULL;
    stave_tree_config config = {.root = root,
                                .slowest = slowest,
                                .root_counts = is_even_word,
                                .root_context = calls->trace};
    assert_int_equal(stave_tree_new(calls->trace, &config, &tree, NULL), STAVE_OK);
    assert_int_equal(stave_tree_roots(tree), 3);
    assert_int_equal(stave_tree_root(tree), number);
    assert_string_equal(stave_trace_string(calls->trace, stave_tree_node_at(tree, 0)->name, NULL),
                        name);
    stave_tree_free(tree);
}

static void check_all_named(const struct calls *calls)
{
    stave_tree *tree = NULL;
    stave_tree_config config = {
        .root = 3, .root_counts = is_even_word, .root_context = calls->trace};
    check_named(calls, 0, false, 0, "second");
    check_named(calls, 1, false, 1, "fourth");
    check_named(calls, 2, false, 2, "sixth");
    check_named(calls, 0, true, 2, "sixth");
    assert_int_equal(stave_tree_new(calls->trace, &config, &tree, NULL), STAVE_E_NOTHING);
}

/* By boot, start, lane; `attach` makes the second boot one of those that are all in memory. */
static void check_roots(bool attach)
{
    struct calls calls;
    struct stave__row row = {.start = 5, .end = 20, .serial = 9};
    calls_open(&calls, 0);
    calls.lane = 1;
    calls_add(&calls, "second", 0, 1, 10, 40);
    calls.lane = 0;
    calls_add(&calls, "first", 0, 1, 10, 30);
    calls_add(&calls, "in third", 1, 3, 60, 70);
    calls_add(&calls, "third", 0, 2, 50, 90);
    calls_boot(&calls, 1000, 1e6); /* 1 tick is 1000 ns */
    calls_add(&calls, "in fourth", 1, 2, 1, 2);
    calls_add(&calls, "fourth", 0, 1, 0, 4);
    calls.lane = 1;
    if (attach)
        row = (struct stave__row){
            .start = 5, .end = 20, .serial = 9, .flags = STAVE_FLAG_ATTACHED, .other = 77};
    calls_span(&calls, &row, "fifth");
    calls_boot(&calls, 2000, 0);
    calls_add(&calls, "sixth", 0, 1, 0, 15000);
    calls_close(&calls);

    static const char *const names[] = {"first", "second", "third", "fourth", "fifth", "sixth"};
    for (uint64_t i = 0; i < 6; i++)
        check_root(&calls, i, false, i, names[i]);
    check_root(&calls, 3, true, 4, "fifth"); /* the first of equals */
    check_all_named(&calls);
    stave_tree *tree = tree_of(&calls, 3, false);
    assert_int_equal(stave_tree_nodes(tree), 2);
    const stave_tree_node *node = stave_tree_node_at(tree, 0);
    assert_int_equal(node->boot, 1);
    assert_true(node->total_ns == 4000 && node->self_ns == 3000 && node->busy_ns == 4000);
    stave_tree_free(tree);
    stave_trace_free(calls.trace);
}

static void test_roots(void **state)
{
    check_roots(false);
    check_roots(true);
}

static void test_nothing(void **state)
{
    struct calls calls;
    stave_tree *tree = NULL;
    stave_error error = {0};
    calls_open(&calls, 0);
    assert_int_equal(stave_tree_new(calls.trace, NULL, &tree, &error), STAVE_E_NOTHING);
    assert_null(tree);
    assert_true(error.message[0] != '\0');
    stave_trace_free(calls.trace);
}

/* ---- what is in a tree ----------------------------------------------------------------------- */

/* Children by start, then serial; cumulative rows behind spans that begin with them. */
static void check_children(bool attach)
{
    struct calls calls;
    calls_open(&calls, 0);
    calls_add(&calls, "b", 1, 3, 20, 60);
    calls_add(&calls, "a", 1, 2, 20, 80);
    calls_add(&calls, "deeper", 2, 5, 82, 84);
    calls_add(&calls, "c", 1, 4, 81, 90);
    calls_add(&calls, "root", 0, 1, 0, 100);
    calls_add(&calls, "other", 0, 6, 200, 300);
    struct stave__row row = {
        .start = 20, .end = 70, .serial = 1, .value = 12, .total = 10, .least = 1, .most = 2};
    calls_row(&calls, STAVE_CUMULATIVES, &row, "tiny");
    row.serial = 4;
    row.start = 81;
    row.depth = 1; /* inside others: c keeps its self */
    row.least = 3;
    row.most = 4;
    calls_row(&calls, STAVE_CUMULATIVES, &row, "tiny");
    row.serial = 6; /* another root's */
    calls_row(&calls, STAVE_CUMULATIVES, &row, "tiny");
    row.serial = 7; /* nobody's */
    calls_row(&calls, STAVE_CUMULATIVES, &row, "tiny");
    if (attach) {
        calls.lane = 1;
        row = (struct stave__row){
            .start = 0, .end = 1, .serial = 1, .flags = STAVE_FLAG_ATTACHED, .other = 99};
        calls_span(&calls, &row, "elsewhere");
    }
    calls_close(&calls);

    static const struct {
        const char *name;
        uint32_t parent, depth;
        double self, busy;
    } expected[] = {
        {"root", STAVE_NONE, 0, 100 - 60 - 9 - 10, 21 + 60 + 40 + 10 + 7 + 10 + 2},
        {"a", 0, 1, 60, 60},
        {"b", 0, 1, 40, 40},
        {"tiny", 0, 1, 10, 10},
        {"c", 0, 1, 7, 19},
        {"tiny", 4, 2, 10, 10},
        {"deeper", 4, 2, 2, 2},
    };
    stave_tree *tree = tree_of(&calls, 0, false);
    assert_int_equal(stave_tree_nodes(tree), 7);
    for (uint32_t i = 0; i < 7; i++) {
        const stave_tree_node *node = stave_tree_node_at(tree, i);
        assert_string_equal(stave_trace_string(calls.trace, node->name, NULL), expected[i].name);
        assert_int_equal(node->parent, expected[i].parent);
        assert_int_equal(node->depth, expected[i].depth);
        assert_true(node->self_ns == expected[i].self && node->busy_ns == expected[i].busy);
        assert_int_equal(node->calls, strcmp(expected[i].name, "tiny") == 0 ? 12 : 1);
        assert_int_equal(node->cumulative, strcmp(expected[i].name, "tiny") == 0);
        assert_int_equal(node->least, !node->cumulative ? 0 : node->parent == 0 ? 1 : 3);
        assert_int_equal(node->most, !node->cumulative ? 0 : node->parent == 0 ? 2 : 4);
    }
    stave_tree_free(tree);
    stave_trace_free(calls.trace);
}

static void test_children(void **state)
{
    check_children(false);
    check_children(true);
}

#define DEEP 1000000

static void test_deep(void **state)
{
    struct calls calls;
    calls_open(&calls, 0);
    for (int64_t i = DEEP; i-- > 0;)
        calls_add(&calls, "f", (uint32_t)i, (uint64_t)i + 1, i, 3 * DEEP - i);
    calls_close(&calls);
    stave_tree *tree = tree_of(&calls, 0, true);
    assert_int_equal(stave_tree_nodes(tree), DEEP);
    for (uint32_t i = 0; i < DEEP; i++) {
        const stave_tree_node *node = stave_tree_node_at(tree, i);
        assert_true(node->depth == i && node->serial == i + 1);
        assert_true(node->total_ns == 3.0 * DEEP - 2.0 * i && node->busy_ns == node->total_ns);
    }
    stave_tree_free(tree);
    stave_trace_free(calls.trace);
}

/* ---- parents of random lanes, by the rule as it is written --------------------------------------- */

struct row {
    struct stave__row row;
    uint32_t parent; /* index, STAVE_NONE: root */
};

static uint32_t read_rows(stave_trace *trace, struct row *rows)
{
    stave_cursor *cursor;
    const stave_block *block;
    stave_filter filter = {.kinds = STAVE_KIND_BIT(STAVE_SPANS)};
    uint32_t count = 0;
    assert_int_equal(stave_cursor_open(trace, &filter, &cursor, NULL), STAVE_OK);
    while (stave_cursor_next(cursor, &block, NULL) > 0)
        for (uint32_t i = 0; i < block->rows; i++)
            rows[count++].row = (struct stave__row){.start = block->start[i],
                                                    .end = block->end[i],
                                                    .serial = block->serial[i],
                                                    .depth = block->depth[i]};
    stave_cursor_close(cursor);
    return count;
}

/* Whether row `of` holds row `at`: it, and all between the two. */
static bool holds(const struct row *rows, uint32_t of, uint32_t at)
{
    const struct stave__row *outer = &rows[of].row;
    for (uint32_t i = at; i < of; i++) {
        const struct stave__row *inner = &rows[i].row;
        if (inner->depth <= outer->depth || inner->start < outer->start ||
            inner->end > outer->end || inner->serial <= outer->serial)
            return false;
    }
    return true;
}

static void find_parents(struct row *rows, uint32_t count)
{
    for (uint32_t at = 0; at < count; at++) {
        uint32_t of = at + 1;
        while (of < count && !holds(rows, of, at))
            of++;
        rows[at].parent = of < count ? of : STAVE_NONE;
    }
}

static void check_parent(const stave_tree *tree, uint32_t index, const struct row *rows,
                         uint32_t count)
{
    const stave_tree_node *node = stave_tree_node_at(tree, index);
    uint32_t at = 0;
    while (at < count && rows[at].row.serial != node->serial)
        at++;
    assert_true(at < count);
    if (node->parent == STAVE_NONE) {
        assert_int_equal(rows[at].parent, STAVE_NONE);
        return;
    }
    assert_int_not_equal(rows[at].parent, STAVE_NONE);
    assert_int_equal(rows[rows[at].parent].row.serial,
                     stave_tree_node_at(tree, node->parent)->serial);
}

static void test_parents(void **state)
{
    static struct row rows[512];
    for (uint32_t round = 0; round < 200; round++) {
        struct calls calls;
        uint64_t nodes = 0, roots = 1;
        calls_open(&calls, 0);
        calls.random = round;
        calls_random_lane(&calls, 2 + round, false);
        calls_close(&calls);
        uint32_t count = read_rows(calls.trace, rows);
        find_parents(rows, count);
        for (uint64_t root = 0; root < roots && count > 0; root++) {
            stave_tree *tree = tree_of(&calls, root, false);
            roots = stave_tree_roots(tree);
            for (uint32_t i = 0; i < stave_tree_nodes(tree); i++) {
                if (stave_tree_node_at(tree, i)->cumulative)
                    continue;
                check_parent(tree, i, rows, count);
                nodes++;
            }
            stave_tree_free(tree);
        }
        assert_int_equal(nodes, count);
        stave_trace_free(calls.trace);
    }
}

/* ---- sums of random trees, given who is whose parent ----------------------------------------- */

#define TICKS 400

/* Spans of any times, most of them attached to an earlier one. */
static void add_random_spans(struct calls *calls, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t start = calls_random(calls, TICKS), length = calls_random(calls, 60);
        uint32_t parent = i > 0 ? calls_random(calls, i) : 0;
        struct stave__row row = {
            .start = start,
            .end = start + length < TICKS ? start + length : TICKS,
            .serial = i + 1,
            .flags = i > 0 && calls_random(calls, 9) > 0 ? STAVE_FLAG_ATTACHED : 0,
            .other = parent + 1,
            .other_lane = parent % CALLS_LANES,
        };
        calls->lane = i % CALLS_LANES;
        calls_span(calls, &row, "f");
    }
    calls_close(calls);
}

static void mark(bool *map, const stave_tree_node *node)
{
    for (int64_t i = node->start; i < node->end; i++)
        map[i] = true;
}

static void check_sums(const stave_tree *tree, uint32_t index)
{
    const stave_tree_node *node = stave_tree_node_at(tree, index);
    bool below[TICKS] = {0}, children[TICKS] = {0};
    double self = 0, total = 0, busy = 0;
    mark(below, node);
    uint32_t i = index;
    do {
        const stave_tree_node *other = stave_tree_node_at(tree, i);
        mark(below, other);
        if (other->parent == index)
            mark(children, other);
        busy += other->self_ns;
        i++;
    } while (i < stave_tree_nodes(tree) && stave_tree_node_at(tree, i)->depth > node->depth);
    for (int t = 0; t < TICKS; t++) {
        total += below[t];
        self += t >= node->start && t < node->end && !children[t];
    }
    assert_true(node->self_ns == self && node->total_ns == total && node->busy_ns == busy);
}

static void test_sums(void **state)
{
    for (uint32_t round = 0; round < 300; round++) {
        struct calls calls;
        uint64_t nodes = 0;
        uint32_t count = 1 + round % 90;
        calls_open(&calls, 0);
        calls.random = round;
        add_random_spans(&calls, count);
        uint64_t roots = 1;
        for (uint64_t root = 0; root < roots; root++) {
            stave_tree *tree = tree_of(&calls, root, false);
            roots = stave_tree_roots(tree);
            nodes += stave_tree_nodes(tree);
            for (uint32_t i = 0; i < stave_tree_nodes(tree); i++)
                check_sums(tree, i);
            stave_tree_free(tree);
        }
        assert_int_equal(nodes, count);
        stave_trace_free(calls.trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roots),
                                       cmocka_unit_test(test_nothing),
                                       cmocka_unit_test(test_children),
                                       cmocka_unit_test(test_deep),
                                       cmocka_unit_test(test_parents),
                                       cmocka_unit_test(test_sums),
#define GOLDEN_ENTRY(name, file) cmocka_unit_test(test_##name),
                                       GOLDEN(GOLDEN_ENTRY)
#undef GOLDEN_ENTRY
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
