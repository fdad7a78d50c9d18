/* The critical path of each run, and by how much other evaluations could take longer: docs/rules.md, "The critical
 * path". In whole units, by rows: what an evaluation comes after stands before it. */
#include <stdlib.h>

#include "report/report.h"
#include "report/room.h"

struct chaining {
    struct stave__making *making;
    const struct stave__layout *layout;
    int64_t *earliest; /* of each evaluation: its end at best, since the first of its chain began */
    int64_t *latest;   /* its end at worst; until its run is known what it may be reduced to */
    int64_t *length;   /* of each run */
    uint32_t *last;    /* of each run: the last of its path */
    uint32_t *closest; /* of each node, the evaluation that it is, or is in */
};

static const struct stave__model_row *row_at(const struct chaining *c, uint32_t row)
{
    return &c->making->model->rows[row];
}

static int64_t duration_of(const struct chaining *c, uint32_t row)
{
    return row_at(c, row)->end - row_at(c, row)->start;
}

/* ---- what an evaluation comes after ---------------------------------------------------------- */

/* Its parent, if by dependency, and its links: how many. */
static uint32_t count_before(const struct chaining *c, uint32_t row)
{
    uint32_t links = c->layout->links_at[row + 1] - c->layout->links_at[row];
    return links + (c->layout->place[row] == STAVE_PLACE_DEPENDENCY);
}

static uint32_t before_at(const struct chaining *c, uint32_t row, uint32_t index)
{
    uint32_t links = c->layout->links_at[row + 1] - c->layout->links_at[row];
    return index < links ? c->layout->links[c->layout->links_at[row] + index]
                         : c->layout->parent[row];
}

static bool ended_later(const struct chaining *c, uint32_t row, uint32_t than)
{
    if (than == STAVE_NONE)
        return true;
    int64_t end = row_at(c, row)->end, other = row_at(c, than)->end;
    return end > other || (end == other && row > than);
}

/* ---- forwards -------------------------------------------------------------------------------- */

static void go_forwards(struct chaining *c, uint32_t row)
{
    uint32_t run = c->layout->run[row], count = count_before(c, row);
    int64_t start = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t before = c->earliest[before_at(c, row, i)];
        start = before > start ? before : start;
    }
    int64_t end = c->earliest[row] = start + duration_of(c, row);
    if (c->last[run] == STAVE_NONE || end > c->length[run] ||
        (end == c->length[run] && ended_later(c, row, c->last[run]))) {
        c->length[run] = end;
        c->last[run] = row;
    }
}

/* The one before it on the path: of those that leave no room, the one that ended last. */
static uint32_t go_back(const struct chaining *c, uint32_t row)
{
    uint32_t found = STAVE_NONE, count = count_before(c, row);
    int64_t start = c->earliest[row] - duration_of(c, row);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = before_at(c, row, i);
        if (c->earliest[before] == start && ended_later(c, before, found))
            found = before;
    }
    return found;
}

/* ---- backwards ------------------------------------------------------------------------------- */

static void go_backwards(struct chaining *c, uint32_t row)
{
    uint32_t count = count_before(c, row);
    int64_t start = c->latest[row] - duration_of(c, row);
    for (uint32_t i = 0; i < count; i++) {
        int64_t *latest = &c->latest[before_at(c, row, i)];
        *latest = start < *latest ? start : *latest;
    }
}

/* ---- slack ----------------------------------------------------------------------------------- */

/* At most that of the evaluation that it is in, if that is of its run. `latest` becomes the slack on the way. */
static void limit(struct chaining *c, uint32_t row, uint32_t around)
{
    uint32_t in = around != STAVE_NONE ? c->closest[around] : STAVE_NONE;
    if (in != STAVE_NONE && c->layout->run[in] == c->layout->run[row] &&
        c->latest[in] < c->latest[row])
        c->latest[row] = c->latest[in];
}

static void find_slack(struct chaining *c, uint32_t row)
{
    stave_report_node *node = &c->making->report->nodes[c->making->node[row]];
    bool is_evaluation = row_at(c, row)->kind == STAVE__EVALUATION;
    uint32_t inside = c->layout->inside[row], thread = c->layout->thread[row];
    c->closest[row] = is_evaluation ? row : inside != STAVE_NONE ? c->closest[inside] : STAVE_NONE;
    if (!is_evaluation)
        return;
    c->latest[row] -= c->earliest[row];
    limit(c, row, inside);
    limit(c, row, thread);
    node->slack_ns = (double)c->latest[row] * c->making->model->unit_ns;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void walk(struct chaining *c)
{
    uint32_t rows = c->making->model->count;
    for (uint32_t i = 0; i < rows; i++)
        if (stave__is_evaluation(c->layout, i))
            go_forwards(c, i);
    for (uint32_t i = 0; i < rows; i++)
        if (stave__is_evaluation(c->layout, i))
            c->latest[i] = c->length[c->layout->run[i]];
    for (uint32_t i = rows; i-- > 0;)
        if (stave__is_evaluation(c->layout, i))
            go_backwards(c, i);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = stave__layout_at(c->layout, i);
        if (c->layout->is_node[row])
            find_slack(c, row);
    }
}

/* A run's path, the last one first: how many. */
static uint32_t list_path(const struct chaining *c, uint32_t run, uint32_t *path)
{
    uint32_t count = 0;
    for (uint32_t at = c->last[run]; at != STAVE_NONE; at = go_back(c, at)) {
        path[count++] = c->making->node[at];
        c->making->report->nodes[c->making->node[at]].is_critical = true;
    }
    return count;
}

/* One evaluation is in one run, so that all paths have room together. */
static void put_paths(const struct chaining *c)
{
    stave_report *report = c->making->report;
    uint32_t used = 0;
    for (uint32_t run = 0; run < report->runs_count; run++) {
        uint32_t *path = report->critical + used, count = list_path(c, run, path);
        for (uint32_t i = 0; i < count / 2; i++) {
            uint32_t moved = path[i];
            path[i] = path[count - 1 - i];
            path[count - 1 - i] = moved;
        }
        report->runs[run].critical = path;
        report->runs[run].critical_count = count;
        report->runs[run].critical_ns = (double)c->length[run] * c->making->model->unit_ns;
        used += count;
    }
}

static bool find_paths(struct chaining *c)
{
    stave_report *report = c->making->report;
    size_t rows = c->making->model->count;
    c->earliest = calloc(rows + 1, sizeof *c->earliest);
    c->latest = calloc(rows + 1, sizeof *c->latest);
    c->length = calloc((size_t)report->runs_count + 1, sizeof *c->length);
    if (c->earliest == NULL || c->latest == NULL || c->length == NULL ||
        !stave__room(&c->last, report->runs_count) || !stave__room(&c->closest, rows) ||
        !stave__room(&report->critical, report->nodes_count))
        return false;
    for (uint32_t i = 0; i < report->runs_count; i++)
        c->last[i] = STAVE_NONE;
    walk(c);
    put_paths(c);
    return true;
}

bool stave__make_critical(struct stave__making *making)
{
    struct chaining c = {.making = making, .layout = &making->layout};
    bool done = find_paths(&c);
    free(c.earliest);
    free(c.latest);
    free(c.length);
    free(c.last);
    free(c.closest);
    return done;
}
