#include "report/groups.h"

#include <stdlib.h>

#include "report/room.h"

struct stave__grouped {
    int64_t end; /* of the evaluation */
    uint32_t run, rule;
    uint32_t row; /* of a head: where its group begins */
};

/* ---- making ---------------------------------------------------------------------------------- */

static int compare_groups(const struct stave__grouped *x, const struct stave__grouped *y)
{
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return (x->rule > y->rule) - (x->rule < y->rule);
}

static int compare_begun(const void *a, const void *b)
{
    const struct stave__grouped *x = a, *y = b;
    int order = compare_groups(x, y);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static int compare_ended(const void *a, const void *b)
{
    const struct stave__grouped *x = a, *y = b;
    int order = compare_groups(x, y);
    if (order != 0)
        return order;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static uint32_t list(const struct stave__layout *layout, struct stave__grouped *all)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < layout->model->count; i++) {
        const struct stave__model_row *row = &layout->model->rows[i];
        if (stave__is_evaluation(layout, i))
            all[used++] = (struct stave__grouped){row->end, layout->run[i], row->rule, i};
    }
    return used;
}

static void list_heads(struct stave__groups *groups, const struct stave__grouped *all,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && compare_groups(&all[i - 1], &all[i]) == 0)
            continue;
        groups->heads[groups->heads_count] = all[i];
        groups->heads[groups->heads_count++].row = i;
    }
    groups->heads[groups->heads_count].row = count;
}

static bool make_tree(struct stave__groups *groups, uint32_t count)
{
    groups->leaves = 1;
    while (groups->leaves <= count) /* one is free, to begin from behind the last one */
        groups->leaves *= 2;
    groups->latest = malloc((size_t)groups->leaves * 2 * sizeof *groups->latest);
    if (groups->latest == NULL)
        return false;
    for (uint32_t i = 0; i < groups->leaves; i++)
        groups->latest[groups->leaves + i] =
            i < count ? groups->rows[groups->begun[i]].end : INT64_MIN;
    for (uint32_t i = groups->leaves; i-- > 1;) {
        int64_t left = groups->latest[i * 2], right = groups->latest[i * 2 + 1];
        groups->latest[i] = left > right ? left : right;
    }
    return true;
}

bool stave__groups_make(struct stave__groups *groups, const struct stave__layout *layout)
{
    struct stave__grouped *all = malloc(((size_t)layout->model->count + 1) * sizeof *all);
    *groups = (struct stave__groups){.rows = layout->model->rows};
    uint32_t count = all != NULL ? list(layout, all) : 0;
    groups->heads = malloc(((size_t)count + 1) * sizeof *groups->heads);
    bool done = all != NULL && groups->heads != NULL && count < UINT32_MAX / 2 &&
                stave__room(&groups->begun, count) && stave__room(&groups->ended, count);
    if (done) {
        qsort(all, count, sizeof *all, compare_begun);
        list_heads(groups, all, count);
        for (uint32_t i = 0; i < count; i++)
            groups->begun[i] = all[i].row;
        qsort(all, count, sizeof *all, compare_ended);
        for (uint32_t i = 0; i < count; i++)
            groups->ended[i] = all[i].row;
        done = make_tree(groups, count);
    }
    free(all);
    return done;
}

void stave__groups_free(struct stave__groups *groups)
{
    free(groups->heads);
    free(groups->begun);
    free(groups->ended);
    free(groups->latest);
    *groups = (struct stave__groups){0};
}

/* ---- questions ------------------------------------------------------------------------------- */

struct stave__group stave__groups_find(const struct stave__groups *groups, uint32_t run,
                                       uint32_t rule)
{
    struct stave__grouped wanted = {.run = run, .rule = rule};
    uint32_t low = 0, high = groups->heads_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_groups(&groups->heads[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == groups->heads_count || compare_groups(&groups->heads[low], &wanted) != 0)
        return (struct stave__group){0, 0};
    return (struct stave__group){groups->heads[low].row, groups->heads[low + 1].row};
}

uint32_t stave__groups_ended(const struct stave__groups *groups, struct stave__group group,
                             int64_t time, uint32_t before)
{
    uint32_t low = group.from, high = group.end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, row = groups->ended[middle];
        int64_t end = groups->rows[row].end;
        if (end < time || (end == time && row < before))
            low = middle + 1;
        else
            high = middle;
    }
    return low > group.from ? groups->ended[low - 1] : STAVE_NONE;
}

/* How many of the group's first began before `time`, or, with `also_then`, at it. */
static uint32_t begun_by(const struct stave__groups *groups, struct stave__group group,
                         int64_t time, bool also_then)
{
    uint32_t low = group.from, high = group.end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t start = groups->rows[groups->begun[middle]].start;
        if (start < time || (also_then && start == time))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t stave__groups_open(const struct stave__groups *groups, struct stave__group group,
                            int64_t time)
{
    /* The last leaf before `end` whose end is later: up to the left, as long as there is none, then down. */
    uint32_t end = begun_by(groups, group, time, true);
    uint32_t at = groups->leaves + end;
    while (at > 1 && ((at & 1) == 0 || groups->latest[at - 1] <= time))
        at /= 2;
    if (at <= 1)
        return STAVE_NONE;
    for (at--; at < groups->leaves;)
        at = groups->latest[at * 2 + 1] > time ? at * 2 + 1 : at * 2;
    at -= groups->leaves;
    return at >= group.from ? groups->begun[at] : STAVE_NONE;
}

uint32_t stave__groups_next(const struct stave__groups *groups, struct stave__group group,
                            int64_t time)
{
    uint32_t at = begun_by(groups, group, time, false);
    return at < group.end ? groups->begun[at] : STAVE_NONE;
}
