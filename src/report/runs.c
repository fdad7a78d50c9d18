/* Which runs there are, and in which each node is. */
#include <stdlib.h>

#include "base/error.h"
#include "report/layout.h"
#include "report/room.h"

/* A node by what says which run it is in. */
struct member {
    uint64_t serial; /* of the run's span, or of the place that is not there */
    uint32_t lane;   /* of these, or of a thread's own run */
    uint32_t kind;
    uint32_t node, run;
};

enum { OF_SPAN, OF_LOST_PLACE, OF_THREAD };

static struct member member_of(const struct stave__layout *layout, uint32_t node)
{
    uint32_t at = layout->outmost[node];
    const struct stave__model_row *row = &layout->model->rows[at];
    if (row->kind == STAVE__RUN)
        return (struct member){at, row->lane, OF_SPAN, node, 0};
    if (layout->is_lost[at])
        return (struct member){row->place, row->place_lane, OF_LOST_PLACE, node, 0};
    return (struct member){0, row->lane, OF_THREAD, node, 0};
}

static bool is_same(const struct member *x, const struct member *y)
{
    return x->kind == y->kind && x->lane == y->lane && x->serial == y->serial;
}

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static uint32_t list_members(struct stave__layout *layout, struct member *members)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < layout->model->count; i++) {
        if (!layout->is_node[i])
            continue;
        members[used] = member_of(layout, i);
        layout->unplaced +=
            members[used++].kind == OF_LOST_PLACE && stave__is_evaluation(layout, i);
    }
    return used;
}

static void begin_run(struct stave__layout *layout, const struct member *member)
{
    const struct stave__model_row *node = &layout->model->rows[member->node];
    struct stave__laid_run *run = &layout->runs[layout->runs_count++];
    *run = (struct stave__laid_run){
        .row = STAVE_NONE,
        .lane = member->lane,
        .serial = member->serial,
        .start = node->start,
        .end = node->end,
    };
    if (member->kind != OF_SPAN)
        return;
    run->row = (uint32_t)member->serial;
    run->serial = layout->model->rows[run->row].serial;
    run->start = layout->model->rows[run->row].start;
    run->end = layout->model->rows[run->row].end;
}

/* Members of a run follow each other, the first to begin first. */
static void begin_runs(struct stave__layout *layout, struct member *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || !is_same(&members[i - 1], &members[i]))
            begin_run(layout, &members[i]);
        struct stave__laid_run *run = &layout->runs[layout->runs_count - 1];
        int64_t end = layout->model->rows[members[i].node].end;
        if (run->row == STAVE_NONE && end > run->end)
            run->end = end;
        members[i].run = layout->runs_count - 1;
    }
}

struct ordered {
    struct stave__laid_run run;
    uint32_t at;
};

static int compare_runs(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->run.start != y->run.start)
        return x->run.start < y->run.start ? -1 : 1;
    if (x->run.lane != y->run.lane)
        return x->run.lane < y->run.lane ? -1 : 1;
    if (x->run.serial != y->run.serial)
        return x->run.serial < y->run.serial ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* By start, lane, serial; `moved` then says where each went. */
static bool order_runs(struct stave__layout *layout, uint32_t *moved)
{
    struct ordered *ordered = malloc(((size_t)layout->runs_count + 1) * sizeof *ordered);
    if (ordered == NULL)
        return false;
    for (uint32_t i = 0; i < layout->runs_count; i++)
        ordered[i] = (struct ordered){layout->runs[i], i};
    qsort(ordered, layout->runs_count, sizeof *ordered, compare_runs);
    for (uint32_t i = 0; i < layout->runs_count; i++) {
        layout->runs[i] = ordered[i].run;
        moved[ordered[i].at] = i;
    }
    free(ordered);
    return true;
}

static bool find_runs(struct stave__layout *layout, struct member *members, uint32_t count)
{
    uint32_t *moved = NULL;
    qsort(members, count, sizeof *members, compare_members);
    begin_runs(layout, members, count);
    bool done = stave__room(&moved, layout->runs_count) && order_runs(layout, moved);
    for (uint32_t i = 0; i < count && done; i++)
        layout->run[members[i].node] = moved[members[i].run];
    free(moved);
    return done;
}

int stave__layout_run(struct stave__layout *layout, stave_error *error)
{
    size_t count = layout->model->count;
    struct member *members = malloc((count + 1) * sizeof *members);
    layout->runs = malloc((count + 1) * sizeof *layout->runs);
    bool done = members != NULL && layout->runs != NULL && stave__room(&layout->run, count) &&
                find_runs(layout, members, list_members(layout, members));
    free(members);
    return done ? STAVE_OK : stave__fail_memory(error);
}
