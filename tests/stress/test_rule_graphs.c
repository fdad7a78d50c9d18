/* Rule reports of random graphs against docs/rules.md by brute force; and of graphs that are long, deep, wide and
 * oddly named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/reference_rulegraph.h"
#include "rules_model.h"

#ifdef STAVE_SLOWED
#define GRAPHS 1500
#define CHAIN 50000u
#define DEPTH 25000u
#else
#define GRAPHS 10000
#define CHAIN 200000u
#define DEPTH 100000u
#endif

#define LANES 3
#define ROWS_OF_LANE 18

static uint64_t random_state;

static int random_below(int limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (uint64_t)limit);
}

/* ---- random graphs --------------------------------------------------------------------------- */

/* In the order of their bytes. */
static const char *const ids[] = {"",  "__proto__",   "a",     "b",        "b2",
                                  "c", "constructor", "total", "\xc3\xa9", "\xff"};

#define IDS ((int)(sizeof ids / sizeof ids[0]))

static void make_rule(struct rulegraph *graph, int index, int names)
{
    struct rulegraph_rule *rule = &graph->rules[index];
    int needs = random_below(4);
    *rule =
        (struct rulegraph_rule){.id = ids[index], .is_known = random_below(8) > 0, .parent = -1};
    if (!rule->is_known)
        return;
    if (random_below(2) == 0)
        rule->parent = random_below(names);
    for (int i = 0; i < needs; i++) {
        int need = random_below(names);
        bool has = false;
        for (int n = 0; n < rule->needs_count; n++)
            has = has || rule->needs[n] == need;
        if (!has)
            rule->needs[rule->needs_count++] = need;
    }
}

/* Half of the graphs have no cycle: rules need and are part of earlier ones alone. */
static void make_rules(struct rulegraph *graph)
{
    bool is_free = random_below(2) == 0;
    graph->rules_count = 2 + random_below(IDS - 2);
    for (int i = 0; i < graph->rules_count; i++)
        make_rule(graph, i, is_free && i > 0 ? i : graph->rules_count);
    graph->rules[random_below(graph->rules_count)].is_known = true;
}

static int known_rule(const struct rulegraph *graph)
{
    int rule = random_below(graph->rules_count);
    while (!graph->rules[rule].is_known)
        rule = (rule + 1) % graph->rules_count;
    return rule;
}

static int random_kind(void)
{
    int kind = random_below(10);
    return kind < 7 ? RULEGRAPH_EVALUATION : kind < 9 ? RULEGRAPH_SPAN : RULEGRAPH_RUN;
}

/* A lane's rows nest: something begins, or the innermost ends, or time passes. */
static void make_lane(struct rulegraph *graph, int lane, int rows)
{
    int stack[ROWS_OF_LANE], depth = 0, time = random_below(6), serial = 0;
    while (serial < rows || depth > 0) {
        time += random_below(4);
        if (depth > 0 && (serial == rows || random_below(2) == 0)) {
            graph->rows[stack[--depth]].end = time;
            continue;
        }
        graph->rows[graph->rows_count] = (struct rulegraph_row){
            .kind = random_kind(),
            .rule = known_rule(graph),
            .lane = lane,
            .serial = ++serial,
            .start = time,
            .around = depth > 0 ? stack[depth - 1] : -1,
        };
        stack[depth++] = graph->rows_count++;
    }
}

/* Handles of runs, mostly, and of what began before, mostly. */
static void attach_some(struct rulegraph *graph)
{
    for (int i = 0; i < graph->rows_count; i++) {
        struct rulegraph_row *row = &graph->rows[i];
        const struct rulegraph_row *place = &graph->rows[random_below(graph->rows_count)];
        bool is_likely = place->kind == RULEGRAPH_RUN || random_below(3) == 0;
        if (!is_likely || (place->start > row->start && random_below(20) > 0))
            continue;
        row->attached = true;
        row->place_lane = place->lane;
        row->place_serial = random_below(20) > 0 ? place->serial : 100 + random_below(2);
    }
}

static void make_graph(struct rulegraph *graph)
{
    int lanes = 1 + random_below(LANES);
    memset(graph, 0, sizeof *graph);
    make_rules(graph);
    for (int lane = 0; lane < lanes; lane++)
        make_lane(graph, lane, random_below(ROWS_OF_LANE));
    if (graph->rows_count > 0)
        attach_some(graph);
}

/* ---- to a model ------------------------------------------------------------------------------ */

static void shuffle(int *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    for (int i = count; i-- > 1;) {
        int other = random_below(i + 1), moved = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = moved;
    }
}

/* Known rules in a random order; of each its number as a declared one. */
static void declare(struct stave__model *model, const struct rulegraph *graph,
                    uint32_t declared[RULEGRAPH_RULES])
{
    int order[RULEGRAPH_RULES];
    shuffle(order, graph->rules_count);
    for (int i = 0; i < graph->rules_count; i++) {
        const struct rulegraph_rule *rule = &graph->rules[order[i]];
        if (!rule->is_known)
            continue;
        uint32_t at = declared[order[i]] = rules_model_rule(model, rule->id, "the same");
        if (rule->parent >= 0)
            rules_model_parent(model, at, graph->rules[rule->parent].id);
        for (int n = 0; n < rule->needs_count; n++)
            rules_model_need(model, at, graph->rules[rule->needs[n]].id);
    }
}

static const uint8_t kinds[] = {STAVE__EVALUATION, STAVE__SPAN, STAVE__RUN};

static void add_rows(struct stave__model *model, const struct rulegraph *graph,
                     const uint32_t declared[RULEGRAPH_RULES])
{
    int order[RULEGRAPH_ROWS], place[RULEGRAPH_ROWS];
    shuffle(order, graph->rows_count);
    for (int i = 0; i < graph->rows_count; i++)
        place[order[i]] = i;
    for (int i = 0; i < graph->rows_count; i++) {
        const struct rulegraph_row *from = &graph->rows[order[i]];
        struct stave__model_row *row =
            rules_model_add(model, declared[from->rule], (uint32_t)from->lane,
                            (uint64_t)from->serial, from->start, from->end);
        row->kind = kinds[from->kind];
        row->around = from->around >= 0 ? (uint32_t)place[from->around] : STAVE_NONE;
        if (from->attached)
            rules_model_attach(row, (uint32_t)from->place_lane, (uint64_t)from->place_serial);
    }
}

static stave_report *report_of(const struct rulegraph *graph)
{
    struct stave__model model;
    uint32_t declared[RULEGRAPH_RULES] = {0};
    rules_model_open(&model);
    declare(&model, graph, declared);
    model.has_origin = true; /* 0 */
    add_rows(&model, graph, declared);
    return rules_model_report(&model);
}

/* ---- the comparison -------------------------------------------------------------------------- */

static int wrong;

#define SAME(what, is, should)                                                                     \
    do {                                                                                           \
        if ((double)(is) != (double)(should) && wrong++ < 10)                                      \
            print_message("%s: %g, expected %g\n", what, (double)(is), (double)(should));          \
    } while (0)

/* Which row of the graph each node is, and the other way. */
struct pairs {
    int row[RULEGRAPH_ROWS];
    uint32_t node[RULEGRAPH_ROWS];
};

static void pair(const struct rulegraph *graph, const stave_report *report, struct pairs *pairs)
{
    for (int i = 0; i < graph->rows_count; i++)
        pairs->node[i] = STAVE_NONE;
    for (uint32_t n = 0; n < stave_report_node_count(report); n++) {
        const stave_report_node *node = stave_report_node_at(report, n);
        for (int i = 0; i < graph->rows_count; i++) {
            if ((int)node->lane != graph->rows[i].lane ||
                (int)node->serial != graph->rows[i].serial)
                continue;
            pairs->node[i] = n;
            pairs->row[n] = i;
        }
    }
}

static void compare_links(const struct rulegraph_row *row, const stave_report *report,
                          uint32_t index, const struct pairs *pairs)
{
    uint32_t count;
    const uint32_t *links = stave_report_links(report, index, &count);
    SAME("links", count, row->links_count);
    for (uint32_t i = 0; i < count && (int)count == row->links_count; i++)
        SAME("link", pairs->row[links[i]], row->links[i]);
}

static void compare_node(const struct rulegraph *graph, int at, const stave_report *report,
                         const struct pairs *pairs)
{
    const struct rulegraph_row *row = &graph->rows[at];
    uint32_t index = pairs->node[at];
    SAME("is a node", index != STAVE_NONE, row->is_node);
    if (index == STAVE_NONE || !row->is_node)
        return;
    const stave_report_node *node = stave_report_node_at(report, index);
    SAME("parent", node->parent == STAVE_NONE ? -1 : pairs->row[node->parent], row->parent);
    SAME("place", node->place, row->place);
    SAME("self", node->self_ns, row->self);
    SAME("total", node->total_ns, row->total);
    SAME("busy", node->busy_ns, row->busy);
    if (row->kind != RULEGRAPH_EVALUATION)
        return;
    SAME("id", strcmp(stave_report_rule_at(report, node->rule)->id, graph->rules[row->rule].id), 0);
    SAME("slack", node->slack_ns, row->slack);
    SAME("critical", node->is_critical, row->is_critical);
    compare_links(row, report, index, pairs);
}

static void compare_run(const struct rulegraph *graph, int at, const stave_report *report,
                        const struct pairs *pairs)
{
    int path[RULEGRAPH_ROWS], length;
    const stave_report_node *node = stave_report_node_at(report, pairs->node[at]);
    const stave_report_run *run = stave_report_run_at(report, node->run);
    int count = rulegraph_path(graph, graph->rows[at].run, &length, path);
    SAME("path's length", run->critical_ns, length);
    SAME("path", run->critical_count, count);
    for (int i = 0; i < count && (int)run->critical_count == count; i++)
        SAME("on the path", pairs->row[run->critical[i]], path[i]);
    for (int i = 0; i < graph->rows_count; i++)
        if (graph->rows[i].is_node && pairs->node[i] != STAVE_NONE)
            SAME("same run", stave_report_node_at(report, pairs->node[i])->run == node->run,
                 graph->rows[i].run == graph->rows[at].run);
}

/* Children are in order, each node is behind its parent, and each is reached once. */
static void compare_tree(const stave_report *report)
{
    uint32_t reached = 0;
    for (uint32_t n = 0; n < stave_report_node_count(report); n++) {
        const stave_report_node *node = stave_report_node_at(report, n), *last = NULL;
        reached += node->parent == STAVE_NONE;
        for (uint32_t i = node->first_child; i != STAVE_NONE; reached++) {
            const stave_report_node *child = stave_report_node_at(report, i);
            SAME("child", child->parent == n && i > n && child->depth == node->depth + 1, true);
            SAME("order", last == NULL || last->start_ns <= child->start_ns, true);
            last = child;
            i = child->next;
        }
    }
    SAME("reached", reached, stave_report_node_count(report));
}

static void compare_cycles(const struct rulegraph *graph, const stave_report *report)
{
    uint32_t rules[RULEGRAPH_RULES];
    SAME("cycles", stave_report_cycle_count(report), graph->cycles_count);
    for (int i = 0; i < graph->cycles_count && wrong == 0; i++) {
        uint32_t count = stave_report_cycle_at(report, (uint32_t)i, rules, RULEGRAPH_RULES);
        SAME("rules of a cycle", count, graph->cycle_sizes[i]);
        for (uint32_t r = 0; r < count && wrong == 0; r++)
            SAME("rule of a cycle",
                 strcmp(stave_report_rule_at(report, rules[r])->id,
                        graph->rules[graph->cycles[i][r]].id),
                 0);
    }
}

/* Sums over the evaluations that are not below another one of their rule. */
static void compare_rule(const struct rulegraph *graph, int rule, const stave_report *report)
{
    const stave_rule_stats *stats = stave_report_rule_by_id(report, graph->rules[rule].id);
    int calls = 0, self = 0, total = 0, busy = 0, missing = 0, critical = 0;
    for (int i = 0; i < graph->rows_count; i++) {
        const struct rulegraph_row *row = &graph->rows[i];
        bool is_below = false;
        if (row->kind != RULEGRAPH_EVALUATION || row->rule != rule)
            continue;
        for (int at = row->parent; at >= 0; at = graph->rows[at].parent)
            is_below = is_below || (graph->rows[at].kind == RULEGRAPH_EVALUATION &&
                                    graph->rows[at].rule == rule);
        calls++;
        self += row->self;
        total += is_below ? 0 : row->total;
        busy += is_below ? 0 : row->busy;
        missing += row->is_missing;
        critical += row->is_critical;
    }
    if (stats == NULL) { /* named by none */
        SAME("calls of no one", calls, 0);
        return;
    }
    SAME("calls", stats->calls, calls);
    SAME("self of a rule", stats->self_ns, self);
    SAME("total of a rule", stats->total_ns, total);
    SAME("busy of a rule", stats->busy_ns, busy);
    SAME("missing", stats->missing, missing);
    SAME("critical of a rule", stats->critical, critical);
}

static void compare(const struct rulegraph *graph, const stave_report *report)
{
    struct pairs pairs;
    stave_report_lost lost;
    pair(graph, report, &pairs);
    for (int i = 0; i < graph->rows_count; i++)
        compare_node(graph, i, report, &pairs);
    for (int i = 0; i < graph->rows_count; i++)
        if (pairs.node[i] != STAVE_NONE && graph->rows[i].kind == RULEGRAPH_EVALUATION)
            compare_run(graph, i, report, &pairs);
    for (int i = 0; i < graph->rules_count; i++)
        compare_rule(graph, i, report);
    compare_tree(report);
    compare_cycles(graph, report);
    stave_report_lost_of(report, &lost);
    SAME("unplaced", lost.unplaced, graph->unplaced);
    SAME("circles", lost.circles, graph->circles);
}

/* What the graphs had: each kind of thing often enough to be tested. */
struct seen {
    int cycles, circles, unplaced, by_parent, links, missing;
};

static void see(struct seen *seen, const struct rulegraph *graph)
{
    seen->cycles += graph->cycles_count > 0;
    seen->circles += graph->circles > 0;
    seen->unplaced += graph->unplaced > 0;
    for (int i = 0; i < graph->rows_count; i++) {
        seen->by_parent += graph->rows[i].place == RULEGRAPH_PARENT;
        seen->links += graph->rows[i].links_count > 0;
        seen->missing += graph->rows[i].is_missing;
    }
}

static void test_random_graphs(void **state)
{
    static struct rulegraph graph;
    struct seen seen = {0};
    for (int i = 0; i < GRAPHS && wrong == 0; i++) {
        random_state = (uint64_t)i * 0x9e3779b97f4a7c15u + 1;
        make_graph(&graph);
        stave_report *report = report_of(&graph);
        rulegraph_solve(&graph);
        compare(&graph, report);
        stave_report_free(report);
        see(&seen, &graph);
        if (wrong != 0)
            print_message("graph %d\n", i);
    }
    print_message("%d graphs: with cycles %d, circles %d, lost places %d; by parent %d, links %d, "
                  "missing %d\n",
                  GRAPHS, seen.cycles, seen.circles, seen.unplaced, seen.by_parent, seen.links,
                  seen.missing);
    assert_int_equal(wrong, 0);
    assert_true(seen.cycles > GRAPHS / 5);
    assert_true(seen.circles > GRAPHS / 100);
    assert_true(seen.unplaced > GRAPHS / 20);
    assert_true(seen.by_parent > GRAPHS / 5 && seen.links > GRAPHS / 5 && seen.missing > GRAPHS);
}

/* ---- long and deep --------------------------------------------------------------------------- */

static char *id_of(uint32_t number)
{
    static char id[16];
    snprintf(id, sizeof id, "r%06u", number);
    return id;
}

/* Each needs the one before it; they are evaluated one after the other, and declared the other way round. */
static void test_chain(void **state)
{
    struct stave__model model;
    rules_model_open(&model);
    for (uint32_t i = CHAIN; i-- > 0;)
        rules_model_rule(&model, id_of(i), "");
    for (uint32_t i = 1; i < CHAIN; i++)
        rules_model_need(&model, CHAIN - 1 - i, id_of(i - 1));
    for (uint32_t i = 0; i < CHAIN; i++)
        rules_model_add(&model, CHAIN - 1 - i, i % 3, i + 1, i * 10, i * 10 + 7);
    stave_report *report = rules_model_report(&model);
    /* three threads without a run: nothing is found across them */
    assert_int_equal(stave_report_run_count(report), 3);
    assert_int_equal(stave_report_rule_by_id(report, id_of(7))->missing, 1);
    stave_report_free(report);
}

static void test_chain_of_a_run(void **state)
{
    struct stave__model model;
    rules_model_open(&model);
    for (uint32_t i = 0; i < CHAIN; i++)
        rules_model_rule(&model, id_of(i), "");
    for (uint32_t i = 1; i < CHAIN; i++)
        rules_model_need(&model, i, id_of(i - 1));
    rules_model_run(&model, "order", 0, 1, 0, (int64_t)CHAIN * 10);
    for (uint32_t i = 0; i < CHAIN; i++)
        rules_model_attach(rules_model_add(&model, i, 1 + i % 3, i + 1, i * 10, i * 10 + 7), 0, 1);
    stave_report *report = rules_model_report(&model);
    const stave_report_node *first = stave_report_node_at(report, 0);
    const stave_report_run *run = stave_report_run_at(report, 0);
    assert_int_equal(stave_report_node_at(report, CHAIN - 1)->depth, CHAIN - 1);
    assert_true(first->total_ns == CHAIN * 7.0 && first->busy_ns == CHAIN * 7.0);
    assert_true(first->self_ns == 7 && first->slack_ns == 0);
    assert_true(run->critical_ns == CHAIN * 7.0);
    assert_int_equal(run->critical_count, CHAIN);
    stave_report_free(report);
}

/* A rule that is evaluated in itself, so deep. */
static void test_depth(void **state)
{
    struct stave__model model;
    rules_model_open(&model);
    uint32_t rule = rules_model_rule(&model, "r", "recursive");
    for (uint32_t i = 0; i < DEPTH; i++)
        rules_model_add(&model, rule, 0, i + 1, i, 2 * (int64_t)DEPTH - i)->around =
            i > 0 ? i - 1 : STAVE_NONE;
    stave_report *report = rules_model_report(&model);
    const stave_rule_stats *stats = stave_report_rule_at(report, 0);
    assert_int_equal(stave_report_node_at(report, DEPTH - 1)->depth, DEPTH - 1);
    assert_true(stave_report_node_at(report, 0)->self_ns == 2);
    assert_true(stats->total_ns == 2.0 * DEPTH && stats->self_ns == 2.0 * DEPTH);
    assert_int_equal(stats->calls, DEPTH);
    stave_report_free(report);
}

/* All cycles at once: each rule needs the first one and the one before it. Their lists together would be CHAIN squared. */
static void test_many_cycles(void **state)
{
    struct stave__model model;
    uint32_t rules[3];
    rules_model_open(&model);
    for (uint32_t i = 0; i < CHAIN; i++)
        rules_model_rule(&model, id_of(i), "");
    for (uint32_t i = 0; i < CHAIN; i++) {
        rules_model_need(&model, i, id_of(0));
        rules_model_need(&model, i, id_of((i + 1) % CHAIN));
    }
    stave_report *report = rules_model_report(&model);
    assert_int_equal(stave_report_cycle_count(report), CHAIN);
    assert_int_equal(stave_report_cycle_at(report, 0, NULL, 0), 1);
    assert_int_equal(stave_report_cycle_at(report, CHAIN - 1, rules, 3), CHAIN);
    assert_string_equal(stave_report_rule_at(report, rules[2])->id, id_of(2));
    stave_report_free(report);
}

/* One rule with many children by `.parent`, all of one length and one time: no place in these is worth a search of all. */
static void test_wide(void **state)
{
    struct stave__model model;
    rules_model_open(&model);
    uint32_t whole = rules_model_rule(&model, "whole", ""),
             part = rules_model_rule(&model, "part", "");
    rules_model_parent(&model, part, "whole");
    for (uint32_t i = 0; i < CHAIN; i++) {
        rules_model_add(&model, part, 0, i * 2 + 1, 5, 8);
        rules_model_add(&model, whole, 0, i * 2 + 2, i % 2, i % 2 + 1);
    }
    rules_model_add(&model, whole, 0, CHAIN * 2 + 1, 9, 10);
    stave_report *report = rules_model_report(&model);
    const stave_report_node *last = NULL;
    for (uint32_t i = 0; i < stave_report_node_count(report); i++)
        if (stave_report_node_at(report, i)->first_child != STAVE_NONE)
            last = stave_report_node_at(report, i);
    assert_true(last->start_ns == 9 && last->total_ns == 4);
    assert_true(last->busy_ns == CHAIN * 3.0 + 1);
    stave_report_free(report);
}

/* ---- odd names ------------------------------------------------------------------------------- */

static const char *const odd[] = {
    "total", "", "__proto__", "constructor", "equal", "\xc3\xa9t\xc3\xa9", "\xff\xfe"};

#define ODD (sizeof odd / sizeof odd[0])
#define WORKERS 3
#define CALLS 10

static void test_odd_names(void **state)
{
    struct stave__model model;
    uint32_t rules[ODD];
    rules_model_open(&model);
    for (uint32_t i = 0; i < ODD; i++)
        rules[i] = rules_model_rule(&model, odd[i], i % 2 ? "total" : odd[i]);
    for (uint32_t worker = 0; worker < WORKERS; worker++)
        for (uint32_t call = 0; call < CALLS; call++)
            for (uint32_t i = 0; i < ODD; i++) {
                int64_t start = ((int64_t)call * (int64_t)ODD + i) * 10;
                rules_model_add(&model, rules[i], worker, call * ODD + i + 1, start, start + 1 + i);
            }
    stave_report *report = rules_model_report(&model);
    assert_int_equal(stave_report_rule_count(report), ODD);
    for (uint32_t i = 0; i < ODD; i++) {
        const stave_rule_stats *stats = stave_report_rule_by_id(report, odd[i]);
        assert_int_equal(stats->calls, WORKERS * CALLS);
        assert_true(stats->self_ns == WORKERS * CALLS * (i + 1.0));
        assert_string_equal(stats->description, i % 2 ? "total" : odd[i]);
    }
    stave_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),  cmocka_unit_test(test_chain),
        cmocka_unit_test(test_chain_of_a_run), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_many_cycles),    cmocka_unit_test(test_wide),
        cmocka_unit_test(test_odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
