#include "unit/calls.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/rolling.h"

uint32_t calls_name(struct calls *calls, const char *name)
{
    uint32_t id;
    assert_int_equal(stave__trace_string(calls->trace, name, strlen(name), &id, NULL), STAVE_OK);
    return id;
}

void calls_open(struct calls *calls, double hz)
{
    char name[16];
    *calls = (struct calls){0};
    assert_int_equal(stave_trace_new(NULL, &calls->trace, NULL), STAVE_OK);
    for (uint32_t i = 0; i < CALLS_LANES; i++) {
        uint32_t id;
        snprintf(name, sizeof name, "lane %u", i);
        stave_lane lane = {.name = calls_name(calls, name), .kind = STAVE_LANE_THREAD};
        assert_int_equal(stave__trace_lane(calls->trace, &lane, &id, NULL), STAVE_OK);
        assert_int_equal(id, i);
    }
    calls_boot(calls, 0, hz);
}

void calls_boot(struct calls *calls, double offset_us, double hz)
{
    calls_close(calls);
    assert_int_equal(stave__trace_boot(calls->trace, offset_us, hz, &calls->boot, NULL), STAVE_OK);
}

void calls_cost(struct calls *calls, double span_ns, double inner_ns)
{
    assert_int_equal(stave__trace_set_real(calls->trace, "record.span_ns", span_ns, NULL),
                     STAVE_OK);
    assert_int_equal(stave__trace_set_real(calls->trace, "record.inner_ns", inner_ns, NULL),
                     STAVE_OK);
}

void calls_close(struct calls *calls)
{
    for (uint32_t kind = 0; kind < STAVE_ROW_KINDS; kind++) {
        for (uint32_t lane = 0; lane < CALLS_LANES; lane++) {
            if (calls->begun[kind][lane])
                assert_int_equal(stave__appender_seal(&calls->appenders[kind][lane], NULL),
                                 STAVE_OK);
            calls->begun[kind][lane] = false;
        }
    }
}

void calls_row(struct calls *calls, stave_row_kind kind, const struct stave__row *row,
               const char *name)
{
    struct stave__appender *appender = &calls->appenders[kind][calls->lane];
    struct stave__row named = *row;
    if (!calls->begun[kind][calls->lane]) {
        stave__appender_init(appender, &calls->trace->blocks, kind, calls->lane, calls->boot);
        appender->mask = stave__kind_may_have[kind];
        calls->begun[kind][calls->lane] = true;
    }
    if (name != NULL)
        named.name = calls_name(calls, name);
    assert_true(stave__append_row(appender, &named, NULL) >= 0);
}

void calls_add(struct calls *calls, const char *name, uint32_t depth, uint64_t serial,
               int64_t start, int64_t end)
{
    struct stave__row row = {.start = start, .end = end, .serial = serial, .depth = depth};
    calls_span(calls, &row, name);
}

static struct stave__row cumulative_row(uint64_t serial, uint64_t count, uint64_t total)
{
    return (struct stave__row){
        .start = 10,
        .end = 90,
        .serial = serial,
        .value = count,
        .total = total,
        .least = 1,
        .most = total / 2,
    };
}

void calls_cumulative(struct calls *calls, const char *name, uint64_t serial, uint32_t depth,
                      uint64_t count, uint64_t total)
{
    struct stave__row row = cumulative_row(serial, count, total);
    row.depth = depth;
    calls_row(calls, STAVE_CUMULATIVES, &row, name);
}

void calls_entry(struct calls *calls, const char *name, uint64_t serial, uint64_t number,
                 uint32_t around, uint64_t count, uint64_t total)
{
    struct stave__row row = cumulative_row(serial, count, total);
    row.start += (int64_t)(number % 64);
    row.depth = around != 0;
    row.other = number;
    row.other_lane = around;
    calls_row(calls, STAVE_CUMULATIVES, &row, name);
}

void calls_sample(struct calls *calls, const char *name, int64_t time, uint64_t value,
                  uint16_t flags)
{
    struct stave__row row = {.start = time, .value = value, .flags = flags};
    calls_row(calls, STAVE_COUNTERS, &row, name);
}

/* ---- random lanes ---------------------------------------------------------------------------- */

uint32_t calls_random(struct calls *calls, uint32_t limit)
{
    calls->random = calls->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((calls->random >> 33) % limit);
}

static const char *random_name(struct calls *calls)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    return names[calls_random(calls, 4)];
}

/* In no order, some of them there twice, some in each other. */
static void random_entries(struct calls *calls, uint64_t serial)
{
    uint32_t count = 1 + calls_random(calls, 6);
    for (uint32_t i = 0; i < count; i++)
        calls_entry(calls, random_name(calls), serial, calls_random(calls, count + 2),
                    calls_random(calls, count + 2), calls_random(calls, 5),
                    calls_random(calls, 30));
}

/* A row as it ends, or bent, or kept until later in `held`, or lost. */
static void end_random(struct calls *calls, struct stave__row row, struct stave__row *held,
                       bool sound)
{
    uint32_t fate = sound ? 99 : calls_random(calls, 100);
    row.flags = calls_random(calls, 20) == 0 ? STAVE_FLAG_UNFINISHED : 0;
    if (fate == 0)
        return;
    if (fate == 1)
        row.depth = calls_random(calls, 5);
    if (fate == 2)
        row.end += calls_random(calls, 200);
    if (fate == 3 && held->serial == 0) {
        *held = row;
        return;
    }
    calls_span(calls, &row, random_name(calls));
    if (calls_random(calls, 8) == 0)
        calls_cumulative(calls, random_name(calls), row.serial + calls_random(calls, 2),
                         calls_random(calls, 2), calls_random(calls, 5), calls_random(calls, 9));
    if (calls_random(calls, 8) == 0)
        random_entries(calls, row.serial + calls_random(calls, 2));
    if (held->serial != 0 && calls_random(calls, 2) == 0) {
        calls_span(calls, held, random_name(calls));
        held->serial = 0;
    }
}

void calls_random_lane(struct calls *calls, uint32_t steps, bool sound)
{
    enum { DEEPEST = 16 };
    struct stave__row open[DEEPEST], held = {0};
    uint32_t depth = 0;
    uint64_t serial = 0;
    int64_t clock = 0;
    for (uint32_t i = 0; i < steps || depth > 0; i++) {
        clock += calls_random(calls, 30);
        if (i < steps && depth < DEEPEST && calls_random(calls, 2) == 0) {
            open[depth] = (struct stave__row){.start = clock, .serial = ++serial, .depth = depth};
            depth++;
        } else if (depth > 0) {
            depth--;
            open[depth].end = clock;
            end_random(calls, open[depth], &held, sound);
        }
    }
}

/* ---- roll-ups -------------------------------------------------------------------------------- */

const stave_rollup_row *calls_row_of(const struct calls *calls, const stave_rollup *rollup,
                                     const char *name)
{
    for (uint32_t i = 0; i < stave_rollup_rows(rollup); i++) {
        const stave_rollup_row *row = stave_rollup_row_at(rollup, i);
        if (strcmp(stave_trace_string(calls->trace, row->name, NULL), name) == 0)
            return row;
    }
    fail_msg("no row of %s", name);
    return NULL;
}

/* Sums are taken in different orders. */
static void assert_near(double a, double b)
{
    if (isnan(a) || isnan(b))
        assert_true(isnan(a) && isnan(b));
    else
        assert_true(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-6);
}

static void assert_same_row(const stave_rollup_row *a, const stave_rollup_row *b)
{
    assert_int_equal(a->name, b->name);
    assert_int_equal(a->calls, b->calls);
    assert_int_equal(a->timed, b->timed);
    assert_int_equal(a->failed, b->failed);
    assert_int_equal(a->uncertain, b->uncertain);
    assert_near(a->self_ns, b->self_ns);
    assert_near(a->total_ns, b->total_ns);
    assert_near(a->net_total_ns, b->net_total_ns);
    assert_near(a->net_self_ns, b->net_self_ns);
    assert_int_equal(a->costly, b->costly);
    assert_near(a->min_ns, b->min_ns);
    assert_near(a->mean_ns, b->mean_ns);
    assert_near(a->p50_ns, b->p50_ns);
    assert_near(a->p90_ns, b->p90_ns);
    assert_near(a->p99_ns, b->p99_ns);
    assert_near(a->max_ns, b->max_ns);
}

static const stave_rollup_row *same_name(const stave_rollup *rollup, uint32_t name)
{
    for (uint32_t i = 0; i < stave_rollup_rows(rollup); i++)
        if (stave_rollup_row_at(rollup, i)->name == name)
            return stave_rollup_row_at(rollup, i);
    fail();
    return NULL;
}

stave_rollup *calls_rollup(stave_trace *trace, const stave_rollup_config *config)
{
    stave_rollup *rollup, *other;
    stave_error error = {0};
    assert_int_equal(stave_rollup_new(trace, config, &rollup, &error), STAVE_OK);
    assert_int_equal(stave__rollup_new_in_memory(trace, config, &other, &error), STAVE_OK);
    assert_int_equal(stave_rollup_rows(rollup), stave_rollup_rows(other));
    for (uint32_t i = 0; i < stave_rollup_rows(rollup); i++) {
        const stave_rollup_row *row = stave_rollup_row_at(rollup, i);
        assert_same_row(row, same_name(other, row->name));
    }
    assert_int_equal(stave_rollup_counters(rollup), stave_rollup_counters(other));
    stave_rollup_free(other);
    return rollup;
}

/* The rows are these, in this order. */
static void check_rows(const struct calls *calls, const stave_rollup *rollup,
                       const struct expected *expected, uint32_t count)
{
    assert_int_equal(stave_rollup_rows(rollup), count);
    for (uint32_t i = 0; i < count; i++) {
        const stave_rollup_row *row = stave_rollup_row_at(rollup, i);
        assert_string_equal(stave_trace_string(calls->trace, row->name, NULL), expected[i].name);
        assert_int_equal(row->calls, expected[i].calls);
        assert_true(row->total_ns == expected[i].total_ns);
        assert_true(row->self_ns == expected[i].self_ns);
    }
}

void calls_check(struct calls *calls, const stave_rollup_config *config,
                 const struct expected *expected, uint32_t count)
{
    calls_close(calls);
    stave_rollup *rollup = calls_rollup(calls->trace, config);
    check_rows(calls, rollup, expected, count);
    stave_rollup_free(rollup);
}

/* ---- trees ----------------------------------------------------------------------------------- */

void calls_check_tree(stave_trace *trace, const char *expected)
{
    char lines[2048] = "";
    size_t used = 0;
    stave_tree *tree = NULL;
    assert_int_equal(stave_tree_new(trace, NULL, &tree, NULL), STAVE_OK);
    for (uint32_t i = 0; i < stave_tree_nodes(tree); i++) {
        const stave_tree_node *node = stave_tree_node_at(tree, i);
        used += (size_t)snprintf(
            lines + used, sizeof lines - used, "%*s%s x%llu self %g total %g busy %g\n",
            2 * (int)node->depth, "", stave_trace_string(trace, node->name, NULL),
            (unsigned long long)node->calls, node->self_ns, node->total_ns, node->busy_ns);
        assert_true(used < sizeof lines);
        assert_true(i == 0 || node->depth == stave_tree_node_at(tree, node->parent)->depth + 1);
    }
    assert_string_equal(lines, expected);
    stave_tree_free(tree);
}
