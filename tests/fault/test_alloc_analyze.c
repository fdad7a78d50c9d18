/* test_alloc_analyze.c - memory runs out at the n-th request of a roll-up, a tree or a list of roots, for every n: an
 * error that says so, nothing leaked, and the trace can still be asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault/memory.h"
#include "stave/analyze.h"
#include "trace/trace.h"

/* ---- traces ---------------------------------------------------------------------------------- */

#ifdef STAVE_SLOWED
enum { ROOTS = 12 };
#else
enum { ROOTS = 60 };
#endif
enum { NAMES = 80, CHILDREN = 40 };

struct lane {
    struct stave__appender spans, cumulatives, counters, attributes;
    uint64_t serial;
};

static void append(struct stave__appender *appender, struct stave__row row)
{
    assert_true(stave__append_row(appender, &row, NULL) >= 0);
}

static void open_lane(struct lane *lane, stave_trace *trace, uint32_t id)
{
    *lane = (struct lane){0};
    stave__appender_init(&lane->spans, &trace->blocks, STAVE_SPANS, id, 0);
    stave__appender_init(&lane->cumulatives, &trace->blocks, STAVE_CUMULATIVES, id, 0);
    stave__appender_init(&lane->counters, &trace->blocks, STAVE_COUNTERS, id, 0);
    stave__appender_init(&lane->attributes, &trace->blocks, STAVE_ATTRIBUTES, id, 0);
    lane->spans.mask = stave__kind_may_have[STAVE_SPANS];
    lane->cumulatives.mask = stave__kind_may_have[STAVE_CUMULATIVES];
}

/* Two cumulative rows of a span, one in the other. */
static void add_cumulatives(struct lane *lane, int64_t start, uint64_t serial,
                            const uint32_t *names)
{
    for (uint32_t around = 0; around < 2; around++)
        append(&lane->cumulatives, (struct stave__row){.start = start,
                                                       .end = start + 10,
                                                       .serial = serial,
                                                       .name = names[around],
                                                       .value = 3,
                                                       .depth = around,
                                                       .other = around + 1,
                                                       .other_lane = around,
                                                       .total = 5 - around});
}

/* Children that are not in the order of their ends, cumulative rows in each, counters. */
static void add_root(struct lane *lane, int64_t at, const uint32_t *names)
{
    uint64_t root = ++lane->serial;
    for (uint32_t i = 0; i < CHILDREN; i++) {
        uint64_t serial = ++lane->serial;
        int64_t start = at + 1 + i * 7 % CHILDREN * 20;
        append(&lane->spans, (struct stave__row){.start = start,
                                                 .end = start + 30,
                                                 .serial = serial,
                                                 .name = names[serial % NAMES],
                                                 .depth = 1});
        add_cumulatives(lane, start, serial, names);
        append(&lane->attributes,
               (struct stave__row){
                   .start = start, .serial = serial, .name = names[0], .value = serial});
    }
    append(&lane->counters,
           (struct stave__row){.start = at, .value = root, .name = names[root % NAMES]});
    append(&lane->spans,
           (struct stave__row){
               .start = at, .end = at + 1000, .serial = root, .name = names[root % 2]});
}

/* Each before or behind its parent, so that sets of intervals grow. */
static void add_attached(struct lane *lane, uint32_t count, uint32_t name)
{
    for (uint32_t i = 0; i < count; i++)
        append(&lane->spans, (struct stave__row){.start = (i * 37 % count) * 50,
                                                 .end = (i * 37 % count) * 50 + 20,
                                                 .serial = ++lane->serial,
                                                 .name = name,
                                                 .flags = STAVE_FLAG_ATTACHED,
                                                 .other = i / 2 + (i > 1),
                                                 .other_lane = i > 1});
}

static void seal(struct lane *lane)
{
    assert_int_equal(stave__appender_seal(&lane->spans, NULL), STAVE_OK);
    assert_int_equal(stave__appender_seal(&lane->cumulatives, NULL), STAVE_OK);
    assert_int_equal(stave__appender_seal(&lane->counters, NULL), STAVE_OK);
    assert_int_equal(stave__appender_seal(&lane->attributes, NULL), STAVE_OK);
}

static stave_trace *make_trace(uint64_t cache_bytes, bool attached)
{
    stave_trace_config config = {.cache_bytes = cache_bytes, .temporary_dir = "/tmp"};
    stave_trace *trace;
    uint32_t boot, names[NAMES];
    char text[16];
    struct lane lanes[2];
    assert_int_equal(stave_trace_new(&config, &trace, NULL), STAVE_OK);
    assert_int_equal(stave__trace_boot(trace, 0, 0, &boot, NULL), STAVE_OK);
    assert_int_equal(stave__trace_set_real(trace, "record.span_ns", 2, NULL), STAVE_OK);
    assert_int_equal(stave__trace_set_real(trace, "record.inner_ns", 1, NULL), STAVE_OK);
    for (uint32_t i = 0; i < NAMES; i++) {
        size_t size = (size_t)snprintf(text, sizeof text, "name %u", i);
        assert_int_equal(stave__trace_string(trace, text, size, &names[i], NULL), STAVE_OK);
    }
    for (uint32_t i = 0; i < 2; i++)
        open_lane(&lanes[i], trace, i);
    for (int64_t i = 0; i < ROOTS; i++)
        add_root(&lanes[0], i * 1000, names);
    if (attached)
        add_attached(&lanes[1], 700, names[3]);
    for (uint32_t i = 0; i < 2; i++)
        seal(&lanes[i]);
    return trace;
}

/* ---- every request in turn ------------------------------------------------------------------- */

static int roll_up(stave_trace *trace, stave_error *error)
{
    stave_rollup *rollup = NULL;
    int status = stave_rollup_new(trace, NULL, &rollup, error);
    assert_true((status < 0) == (rollup == NULL));
    stave_rollup_free(rollup);
    return status;
}

static int make_tree(stave_trace *trace, const stave_tree_config *config, stave_error *error)
{
    stave_tree *tree = NULL;
    int status = stave_tree_new(trace, config, &tree, error);
    assert_true((status < 0) == (tree == NULL));
    if (tree != NULL)
        assert_true(stave_tree_nodes(tree) > 1);
    stave_tree_free(tree);
    return status;
}

static int make_trees(stave_trace *trace, stave_error *error)
{
    stave_tree_config in_the_midst = {.root = 3};
    stave_tree_config slowest = {.slowest = true, .detail_levels = UINT32_MAX};
    int status = make_tree(trace, &in_the_midst, error);
    return status >= 0 ? make_tree(trace, &slowest, error) : status;
}

static uint32_t meets(void *context, const stave_tree_detail *attribute)
{
    (void)context;
    return attribute->value % 2 == 0 ? 3 : 1;
}

static int list_roots(stave_trace *trace, const stave_roots_config *config, uint64_t least,
                      stave_error *error)
{
    stave_roots *roots = NULL;
    int status = stave_roots_new(trace, config, &roots, error);
    assert_true((status < 0) == (roots == NULL));
    for (uint64_t i = 0; status >= 0 && i < stave_roots_count(roots); i++) {
        const stave_tree_detail *attributes;
        uint32_t count;
        status = stave_roots_attributes(roots, i, &attributes, &count, error);
    }
    if (status >= 0)
        assert_true(stave_roots_count(roots) >= least);
    stave_roots_free(roots);
    return status;
}

/* Attributes are those of children, so that no root meets conditions. */
static int list_all_roots(stave_trace *trace, stave_error *error)
{
    stave_roots_config slowest = {.order = STAVE_ROOTS_SLOWEST, .limit = 3};
    stave_roots_config none = {.conditions = 3, .meets = meets};
    int status = list_roots(trace, NULL, ROOTS, error);
    if (status >= 0)
        status = list_roots(trace, &slowest, 3, error);
    return status >= 0 ? list_roots(trace, &none, 0, error) : status;
}

/* False when there are fewer requests than that. The trace keeps some memory for its next reader: it is
 * a new one each time. */
static bool fails_at(int (*ask)(stave_trace *trace, stave_error *error), uint64_t cache_bytes,
                     bool attached, unsigned request, bool for_good)
{
    long before = memory.live;
    stave_error error = {0};
    stave_trace *trace = make_trace(cache_bytes, attached);
    memory_let_fail(request, for_good);
    int status = ask(trace, &error);
    bool failed = memory.requests >= request;
    memory_let_fail(0, false);
    if (failed) {
        assert_int_equal(status, STAVE_E_MEMORY);
        assert_int_equal(error.status, STAVE_E_MEMORY);
        assert_true(error.message[0] != '\0');
    }
    assert_int_equal(failed ? ask(trace, NULL) : status, STAVE_OK);
    stave_trace_free(trace);
    assert_int_equal(memory.live, before);
    return failed;
}

static void check_every_request(int (*ask)(stave_trace *trace, stave_error *error),
                                uint64_t cache_bytes, bool attached, unsigned least)
{
    unsigned request = 1;
    while (fails_at(ask, cache_bytes, attached, request, false))
        request++;
    assert_true(request > least); /* else the requests are not seen */
    for (request = 1; fails_at(ask, cache_bytes, attached, request, true);)
        request += 1 + request / 16; /* each of the first, some of the others */
}

static void test_rollup(void **state)
{
    check_every_request(roll_up, 0, false, 40);
}

static void test_rollup_attached(void **state)
{
    check_every_request(roll_up, 0, true, 60);
}

static void test_rollup_on_disk(void **state)
{
    check_every_request(roll_up, 1, false, 50);
}

static void test_tree(void **state)
{
    check_every_request(make_trees, 0, false, 10);
}

static void test_tree_attached(void **state)
{
    check_every_request(make_trees, 0, true, 20);
}

static void test_roots(void **state)
{
    check_every_request(list_all_roots, 0, false, 10);
}

static void test_roots_attached(void **state)
{
    check_every_request(list_all_roots, 0, true, 20);
}

static void test_roots_on_disk(void **state)
{
    check_every_request(list_all_roots, 1, false, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rollup),         cmocka_unit_test(test_rollup_attached),
        cmocka_unit_test(test_rollup_on_disk), cmocka_unit_test(test_tree),
        cmocka_unit_test(test_tree_attached),  cmocka_unit_test(test_roots),
        cmocka_unit_test(test_roots_attached), cmocka_unit_test(test_roots_on_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
