#include "reference_rulegraph.h"

#include <string.h>

/* ---- declared rules -------------------------------------------------------------------------- */

struct walk {
    struct rulegraph *graph;
    int state[RULEGRAPH_RULES]; /* 0: new, 1: just in, 2: done */
    int path[RULEGRAPH_RULES], used;
    bool cut[RULEGRAPH_RULES][RULEGRAPH_RULES];
};

static bool names(const struct rulegraph_rule *rule, int other)
{
    for (int i = 0; i < rule->needs_count; i++)
        if (rule->needs[i] == other)
            return true;
    return rule->parent == other;
}

static void close_cycle(struct walk *walk, int last, int first)
{
    struct rulegraph *graph = walk->graph;
    int at = 0, count = 0;
    while (walk->path[at] != first)
        at++;
    for (; at < walk->used; at++)
        graph->cycles[graph->cycles_count][count++] = walk->path[at];
    graph->cycle_sizes[graph->cycles_count++] = count;
    walk->cut[last][first] = true;
}

static void walk_from(struct walk *walk, int rule)
{
    walk->state[rule] = 1;
    walk->path[walk->used++] = rule;
    for (int other = 0; other < walk->graph->rules_count; other++) {
        if (!names(&walk->graph->rules[rule], other))
            continue;
        if (walk->state[other] == 1)
            close_cycle(walk, rule, other);
        else if (walk->state[other] == 0)
            walk_from(walk, other);
    }
    walk->state[rule] = 2;
    walk->used--;
}

static void cut_cycles(struct rulegraph *graph)
{
    struct walk walk = {.graph = graph};
    for (int i = 0; i < graph->rules_count; i++)
        if (walk.state[i] == 0)
            walk_from(&walk, i);
    for (int i = 0; i < graph->rules_count; i++) {
        struct rulegraph_rule *rule = &graph->rules[i];
        int kept = 0;
        for (int n = 0; n < rule->needs_count; n++)
            if (!walk.cut[i][rule->needs[n]])
                rule->needs[kept++] = rule->needs[n];
        rule->needs_count = kept;
        if (rule->parent >= 0 && walk.cut[i][rule->parent])
            rule->parent = -1;
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

/* By start, then lane, then serial. */
static bool is_before(const struct rulegraph_row *a, const struct rulegraph_row *b)
{
    if (a->start != b->start)
        return a->start < b->start;
    return a->lane != b->lane ? a->lane < b->lane : a->serial < b->serial;
}

/* Last by end, then by start, lane and serial. */
static bool ended_later(const struct rulegraph_row *a, const struct rulegraph_row *b)
{
    return a->end != b->end ? a->end > b->end : is_before(b, a);
}

/* ---- what is around -------------------------------------------------------------------------- */

enum { NOT_THERE = -2, NO_HANDLE = -1 };

static int handle_of(const struct rulegraph *graph, const struct rulegraph_row *row)
{
    if (!row->attached)
        return NO_HANDLE;
    for (int i = 0; i < graph->rows_count; i++)
        if (graph->rows[i].lane == row->place_lane && graph->rows[i].serial == row->place_serial)
            return i;
    return NOT_THERE;
}

struct around {
    int handle[RULEGRAPH_ROWS];
    int order[RULEGRAPH_ROWS], used; /* what a row is in stands before it */
    bool is_in[RULEGRAPH_ROWS];
    int outmost[RULEGRAPH_ROWS];
    int thread[RULEGRAPH_ROWS], inside[RULEGRAPH_ROWS];
};

static bool can_come(const struct rulegraph *graph, const struct around *around, int row)
{
    int thread = graph->rows[row].around, handle = around->handle[row];
    return !around->is_in[row] && (thread < 0 || around->is_in[thread]) &&
           (handle < 0 || around->is_in[handle]);
}

/* A row that can come goes into the order. False when there is none. */
static bool put_one(const struct rulegraph *graph, struct around *around)
{
    for (int i = 0; i < graph->rows_count; i++) {
        if (!can_come(graph, around, i))
            continue;
        around->is_in[i] = true;
        around->order[around->used++] = i;
        return true;
    }
    return false;
}

/* What is in itself, or in such, has a handle of nothing. */
static void order_rows(const struct rulegraph *graph, struct around *around)
{
    for (int i = 0; i < graph->rows_count; i++)
        around->handle[i] = handle_of(graph, &graph->rows[i]);
    while (put_one(graph, around))
        ;
    for (int i = 0; i < graph->rows_count; i++)
        if (!around->is_in[i] && around->handle[i] >= 0)
            around->handle[i] = NOT_THERE;
    while (put_one(graph, around))
        ;
}

/* A run as `run` of rows has it: of a row where the way outwards ends. */
static int run_of(const struct rulegraph *graph, const struct around *around, int outmost)
{
    const struct rulegraph_row *row = &graph->rows[outmost];
    if (row->kind == RULEGRAPH_RUN)
        return outmost;
    if (around->handle[outmost] == NOT_THERE)
        return -1000 - row->place_lane * 1000 - row->place_serial;
    return -1 - row->lane;
}

static int node_around(const struct rulegraph *graph, const struct around *around, int row)
{
    return row < 0 || graph->rows[row].is_node ? row : around->inside[row];
}

static bool has_caused(const struct rulegraph *graph, int cause, int row)
{
    const struct rulegraph_row *a = &graph->rows[cause], *b = &graph->rows[row];
    return a->kind == RULEGRAPH_EVALUATION && a->end <= b->start && is_before(a, b);
}

static int inside_of(const struct rulegraph *graph, const struct around *around, int row)
{
    int handle = around->handle[row], thread = around->thread[row];
    if (!graph->rows[row].attached)
        return thread;
    if (handle < 0)
        return -1;
    bool is_run = graph->rows[handle].kind == RULEGRAPH_RUN;
    if (!is_run && !has_caused(graph, handle, row))
        return node_around(graph, around, handle);
    if (thread >= 0 && graph->rows[thread].run == graph->rows[row].run)
        return thread;
    return is_run ? node_around(graph, around, handle) : -1;
}

static void enclose(struct rulegraph *graph, struct around *around)
{
    order_rows(graph, around);
    for (int i = 0; i < graph->rows_count; i++) {
        int at = around->order[i];
        struct rulegraph_row *row = &graph->rows[at];
        int out = row->attached ? around->handle[at] : row->around;
        around->outmost[at] = out < 0                                  ? at
                              : graph->rows[out].kind == RULEGRAPH_RUN ? out
                                                                       : around->outmost[out];
        row->run = run_of(graph, around, around->outmost[at]);
        around->thread[at] = node_around(graph, around, row->around);
        around->inside[at] = inside_of(graph, around, at);
        row->is_node = row->kind == RULEGRAPH_EVALUATION ||
                       (row->kind == RULEGRAPH_SPAN && around->inside[at] >= 0);
        graph->unplaced += row->kind == RULEGRAPH_EVALUATION && row->run <= -1000;
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

static bool is_evaluation_in(const struct rulegraph_row *row, int run, int rule)
{
    return row->kind == RULEGRAPH_EVALUATION && row->run == run && row->rule == rule;
}

static int find_need(const struct rulegraph *graph, const struct rulegraph_row *row, int rule)
{
    int found = -1;
    for (int i = 0; i < graph->rows_count; i++) {
        const struct rulegraph_row *other = &graph->rows[i];
        if (is_evaluation_in(other, row->run, rule) && other->end <= row->start &&
            is_before(other, row) && (found < 0 || ended_later(other, &graph->rows[found])))
            found = i;
    }
    return found;
}

static int find_parent(const struct rulegraph *graph, const struct rulegraph_row *row, int rule)
{
    int open = -1, next = -1, ended = -1;
    for (int i = 0; i < graph->rows_count; i++) {
        const struct rulegraph_row *other = &graph->rows[i];
        if (!is_evaluation_in(other, row->run, rule))
            continue;
        if (other->start <= row->start && row->start < other->end &&
            (open < 0 || is_before(&graph->rows[open], other)))
            open = i;
        if (other->start >= row->start && (next < 0 || is_before(other, &graph->rows[next])))
            next = i;
        if (other->end <= row->start && (ended < 0 || ended_later(other, &graph->rows[ended])))
            ended = i;
    }
    return open >= 0 ? open : next >= 0 ? next : ended;
}

static void put(struct rulegraph_row *row, int parent, int place)
{
    row->parent = parent;
    row->place = parent >= 0 ? place : RULEGRAPH_ROOT;
}

static void place_by_needs(struct rulegraph *graph, struct rulegraph_row *row, int cause)
{
    int found[RULEGRAPH_NEEDS + 1], count = 0, last = -1;
    const struct rulegraph_rule *rule = &graph->rules[row->rule];
    for (int i = 0; i < rule->needs_count; i++) {
        int need = find_need(graph, row, rule->needs[i]);
        row->is_missing = row->is_missing || need < 0;
        if (need >= 0)
            found[count++] = need;
        if (need == cause)
            cause = -1;
    }
    if (cause >= 0)
        found[count++] = cause;
    for (int i = 0; i < count; i++)
        if (last < 0 || ended_later(&graph->rows[found[i]], &graph->rows[last]))
            last = found[i];
    for (int i = 0; i < count; i++)
        if (found[i] != last)
            row->links[row->links_count++] = found[i];
    put(row, last, RULEGRAPH_DEPENDENCY);
}

static void place(struct rulegraph *graph, const struct around *around, int at)
{
    struct rulegraph_row *row = &graph->rows[at];
    int handle = around->handle[at];
    put(row, -1, RULEGRAPH_ROOT);
    if (row->kind == RULEGRAPH_EVALUATION)
        place_by_needs(graph, row, handle >= 0 && has_caused(graph, handle, at) ? handle : -1);
    if (row->is_node && row->parent < 0)
        put(row, around->inside[at], RULEGRAPH_INSIDE);
    if (row->kind == RULEGRAPH_EVALUATION && row->parent < 0 && graph->rules[row->rule].parent >= 0)
        put(row, find_parent(graph, row, graph->rules[row->rule].parent), RULEGRAPH_PARENT);
}

static bool is_below(const struct rulegraph *graph, int row, int ancestor)
{
    int at = graph->rows[row].parent;
    for (int steps = 0; at >= 0 && steps < RULEGRAPH_ROWS; steps++) {
        if (at == ancestor)
            return true;
        at = graph->rows[at].parent;
    }
    return false;
}

static void cut_circles(struct rulegraph *graph)
{
    bool becomes_root[RULEGRAPH_ROWS] = {false};
    for (int i = 0; i < graph->rows_count; i++) {
        bool by_parent = false;
        if (!is_below(graph, i, i))
            continue;
        for (int at = graph->rows[i].parent; at != i; at = graph->rows[at].parent)
            by_parent = by_parent || graph->rows[at].place == RULEGRAPH_PARENT;
        by_parent = by_parent || graph->rows[i].place == RULEGRAPH_PARENT;
        becomes_root[i] = !by_parent || graph->rows[i].place == RULEGRAPH_PARENT;
    }
    for (int i = 0; i < graph->rows_count; i++) {
        if (!becomes_root[i])
            continue;
        put(&graph->rows[i], -1, RULEGRAPH_ROOT);
        graph->circles += graph->rows[i].kind == RULEGRAPH_EVALUATION;
    }
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void mark(bool cells[RULEGRAPH_TIMES], const struct rulegraph_row *row, bool value)
{
    for (int i = row->start; i < row->end; i++)
        cells[i] = value;
}

static int count_cells(const bool cells[RULEGRAPH_TIMES])
{
    int count = 0;
    for (int i = 0; i < RULEGRAPH_TIMES; i++)
        count += cells[i];
    return count;
}

static void sum(struct rulegraph *graph, const struct around *around, int at)
{
    bool own[RULEGRAPH_TIMES] = {false}, all[RULEGRAPH_TIMES] = {false};
    struct rulegraph_row *row = &graph->rows[at];
    mark(own, row, true);
    mark(all, row, true);
    for (int i = 0; i < graph->rows_count; i++) {
        const struct rulegraph_row *other = &graph->rows[i];
        if (!other->is_node)
            continue;
        if (other->parent == at || around->inside[i] == at || around->thread[i] == at)
            mark(own, other, false);
        if (is_below(graph, i, at))
            mark(all, other, true);
    }
    row->self = count_cells(own);
    row->total = count_cells(all);
}

static void sum_busy(struct rulegraph *graph, int at)
{
    graph->rows[at].busy = graph->rows[at].self;
    for (int i = 0; i < graph->rows_count; i++)
        if (graph->rows[i].is_node && is_below(graph, i, at))
            graph->rows[at].busy += graph->rows[i].self;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static bool comes_after(const struct rulegraph_row *row, int other)
{
    for (int i = 0; i < row->links_count; i++)
        if (row->links[i] == other)
            return true;
    return row->place == RULEGRAPH_DEPENDENCY && row->parent == other;
}

static int duration_of(const struct rulegraph_row *row)
{
    return row->end - row->start;
}

/* The longest chain up to the end of each row, and the longest behind it: until nothing grows any more. */
static bool grow_chains(struct rulegraph *graph, int row, int after)
{
    struct rulegraph_row *a = &graph->rows[row], *b = &graph->rows[after];
    if (b->kind != RULEGRAPH_EVALUATION || !comes_after(b, row))
        return false;
    bool grows_to = a->longest_to + duration_of(b) > b->longest_to;
    bool grows_from = b->longest_from + duration_of(b) > a->longest_from;
    if (grows_to)
        b->longest_to = a->longest_to + duration_of(b);
    if (grows_from)
        a->longest_from = b->longest_from + duration_of(b);
    return grows_to || grows_from;
}

static void find_chains(struct rulegraph *graph)
{
    bool grown = true;
    for (int i = 0; i < graph->rows_count; i++)
        graph->rows[i].longest_to = duration_of(&graph->rows[i]);
    while (grown) {
        grown = false;
        for (int i = 0; i < graph->rows_count; i++)
            for (int j = 0; j < graph->rows_count; j++)
                grown = grow_chains(graph, i, j) || grown;
    }
}

static bool is_in_run(const struct rulegraph_row *row, int run)
{
    return row->kind == RULEGRAPH_EVALUATION && row->run == run;
}

int rulegraph_path(const struct rulegraph *graph, int run, int *length, int path[RULEGRAPH_ROWS])
{
    int backwards[RULEGRAPH_ROWS], count = 0, last = -1;
    *length = 0;
    for (int i = 0; i < graph->rows_count; i++)
        if (is_in_run(&graph->rows[i], run) && graph->rows[i].longest_to > *length)
            *length = graph->rows[i].longest_to;
    for (int i = 0; i < graph->rows_count; i++)
        if (is_in_run(&graph->rows[i], run) && graph->rows[i].longest_to == *length &&
            (last < 0 || ended_later(&graph->rows[i], &graph->rows[last])))
            last = i;
    while (last >= 0) {
        int before = graph->rows[last].longest_to - duration_of(&graph->rows[last]);
        int found = -1;
        backwards[count++] = last;
        for (int i = 0; i < graph->rows_count; i++)
            if (comes_after(&graph->rows[last], i) && graph->rows[i].longest_to == before &&
                (found < 0 || ended_later(&graph->rows[i], &graph->rows[found])))
                found = i;
        last = found;
    }
    for (int i = 0; i < count; i++)
        path[i] = backwards[count - 1 - i];
    return count;
}

static int evaluation_around(const struct rulegraph *graph, const struct around *around, int row)
{
    while (row >= 0 && graph->rows[row].kind != RULEGRAPH_EVALUATION)
        row = around->inside[row];
    return row;
}

static void limit(struct rulegraph *graph, const struct around *around, int at, int in)
{
    int evaluation = evaluation_around(graph, around, in);
    if (evaluation >= 0 && graph->rows[evaluation].run == graph->rows[at].run &&
        graph->rows[evaluation].slack < graph->rows[at].slack)
        graph->rows[at].slack = graph->rows[evaluation].slack;
}

static void find_slack(struct rulegraph *graph, const struct around *around)
{
    int path[RULEGRAPH_ROWS], length;
    for (int i = 0; i < graph->rows_count; i++) {
        int at = around->order[i];
        struct rulegraph_row *row = &graph->rows[at];
        if (row->kind != RULEGRAPH_EVALUATION)
            continue;
        int count = rulegraph_path(graph, row->run, &length, path);
        for (int p = 0; p < count; p++)
            row->is_critical = row->is_critical || path[p] == at;
        row->slack = length - graph->rows[at].longest_to - graph->rows[at].longest_from;
        limit(graph, around, at, around->inside[at]);
        limit(graph, around, at, around->thread[at]);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

void rulegraph_solve(struct rulegraph *graph)
{
    struct around around = {.used = 0};
    cut_cycles(graph);
    enclose(graph, &around);
    for (int i = 0; i < graph->rows_count; i++)
        place(graph, &around, i);
    cut_circles(graph);
    for (int i = 0; i < graph->rows_count; i++)
        sum(graph, &around, i);
    for (int i = 0; i < graph->rows_count; i++)
        sum_busy(graph, i);
    find_chains(graph);
    find_slack(graph, &around);
}
