/* What is around each row: on its thread, by its handle; and which rows are nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/layout.h"
#include "report/room.h"

/* ---- handles to rows ------------------------------------------------------------------------- */

/* A place that handles name. */
struct wanted {
    uint64_t serial;
    uint32_t lane;
    uint32_t row; /* STAVE_NONE: not found yet */
    bool used;
};

/* Open addressing, more than half of it free. */
struct directory {
    struct wanted *slots;
    uint64_t mask;
};

/* Where the slots are in memory goes in, too: a file that wants all in one place cannot know it. */
static struct wanted *slot_of(const struct directory *directory, uint32_t lane, uint64_t serial)
{
    uint64_t hash = (serial ^ (uintptr_t)directory->slots) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ lane) * 0xbf58476d1ce4e5b9u;
    for (uint64_t i = hash >> 16 & directory->mask;; i = (i + 1) & directory->mask) {
        struct wanted *slot = &directory->slots[i];
        if (!slot->used || (slot->lane == lane && slot->serial == serial))
            return slot;
    }
}

static bool is_attached(const struct stave__model_row *row)
{
    return (row->flags & STAVE_FLAG_ATTACHED) != 0;
}

static uint32_t count_attached(const struct stave__model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->count; i++)
        count += is_attached(&model->rows[i]);
    return count;
}

static void want(const struct directory *directory, const struct stave__model *model)
{
    for (uint32_t i = 0; i < model->count; i++) {
        const struct stave__model_row *row = &model->rows[i];
        if (is_attached(row))
            *slot_of(directory, row->place_lane, row->place) =
                (struct wanted){row->place, row->place_lane, STAVE_NONE, true};
    }
}

/* Of rows with one identity, the first one. */
static void find_wanted(const struct directory *directory, const struct stave__model *model)
{
    for (uint32_t i = 0; i < model->count; i++) {
        struct wanted *slot = slot_of(directory, model->rows[i].lane, model->rows[i].serial);
        if (slot->used && slot->row == STAVE_NONE)
            slot->row = i;
    }
}

static bool find_handles(struct stave__layout *layout)
{
    const struct stave__model *model = layout->model;
    uint64_t size = 16, attached = count_attached(model);
    while (size < attached * 2 + 2)
        size *= 2;
    struct directory directory = {calloc(size, sizeof *directory.slots), size - 1};
    if (directory.slots == NULL)
        return false;
    if (attached > 0) {
        want(&directory, model);
        find_wanted(&directory, model);
    }
    for (uint32_t i = 0; i < model->count; i++) {
        const struct stave__model_row *row = &model->rows[i];
        layout->handle[i] = STAVE_NONE;
        if (is_attached(row))
            layout->handle[i] = slot_of(&directory, row->place_lane, row->place)->row;
        layout->is_lost[i] = is_attached(row) && layout->handle[i] == STAVE_NONE;
    }
    free(directory.slots);
    return true;
}

/* ---- an order in which what is around a row comes first -------------------------------------- */

/* A row waits for what is around it: there are two ways to be in something. Rows by what they wait for. */
struct waiting {
    uint32_t *count, *first, *next; /* next: two for each row */
};

static void wait_for(struct waiting *waiting, uint32_t row, uint32_t way, uint32_t around)
{
    if (around == STAVE_NONE)
        return;
    waiting->count[row]++;
    waiting->next[row * (size_t)2 + way] = waiting->first[around];
    waiting->first[around] = row * 2 + way + 1;
}

/* Kahn's way; how many came. The rest is in itself, or in such. */
static uint32_t order_rows(struct stave__layout *layout, struct waiting *waiting)
{
    const struct stave__model *model = layout->model;
    uint32_t used = 0, done = 0;
    for (uint32_t i = 0; i < model->count; i++) {
        wait_for(waiting, i, 0, model->rows[i].around);
        wait_for(waiting, i, 1, layout->handle[i]);
    }
    for (uint32_t i = 0; i < model->count; i++)
        if (waiting->count[i] == 0)
            layout->order[used++] = i;
    for (; done < used; done++)
        for (uint32_t at = waiting->first[layout->order[done]]; at != 0; at = waiting->next[at - 1])
            if (--waiting->count[(at - 1) / 2] == 0)
                layout->order[used++] = (at - 1) / 2;
    return used;
}

/* Who is left has a handle of something in itself, as no program can have: it names nothing. What is around a row on
 * its thread stands before it. */
static void lose_handles(struct stave__layout *layout, const struct waiting *waiting, uint32_t used)
{
    for (uint32_t i = 0; i < layout->model->count; i++) {
        if (waiting->count[i] == 0)
            continue;
        layout->is_lost[i] = layout->is_lost[i] || layout->handle[i] != STAVE_NONE;
        layout->handle[i] = STAVE_NONE;
        layout->order[used++] = i;
    }
}

static bool are_in_order(const struct stave__layout *layout)
{
    for (uint32_t i = 0; i < layout->model->count; i++)
        if (layout->handle[i] != STAVE_NONE && layout->handle[i] >= i)
            return false;
    return true;
}

static bool order_all(struct stave__layout *layout)
{
    size_t count = layout->model->count;
    struct waiting waiting = {0};
    if (are_in_order(layout))
        return true;
    bool has_room = count < UINT32_MAX / 2 && stave__room(&layout->order, count) &&
                    stave__room(&waiting.count, count) && stave__room(&waiting.first, count) &&
                    stave__room(&waiting.next, count * 2);
    if (has_room)
        lose_handles(layout, &waiting, order_rows(layout, &waiting));
    free(waiting.count);
    free(waiting.first);
    free(waiting.next);
    return has_room;
}

/* ---- outwards -------------------------------------------------------------------------------- */

/* One step outwards, to what says in which run it is. */
static uint32_t outwards(const struct stave__layout *layout, uint32_t row)
{
    if (is_attached(&layout->model->rows[row]))
        return layout->handle[row];
    return layout->model->rows[row].around;
}

static void find_outmost(struct stave__layout *layout, uint32_t row)
{
    uint32_t around = outwards(layout, row);
    if (around == STAVE_NONE)
        layout->outmost[row] = row;
    else if (layout->model->rows[around].kind == STAVE__RUN)
        layout->outmost[row] = around;
    else
        layout->outmost[row] = layout->outmost[around];
}

/* The node directly around what is in this row. */
static uint32_t node_of(const struct stave__layout *layout, uint32_t row)
{
    return row == STAVE_NONE || layout->is_node[row] ? row : layout->inside[row];
}

bool stave__is_same_run(const struct stave__layout *layout, uint32_t a, uint32_t b)
{
    const struct stave__model_row *x = &layout->model->rows[a], *y = &layout->model->rows[b];
    if (a == b || x->kind == STAVE__RUN || y->kind == STAVE__RUN)
        return a == b;
    if (layout->is_lost[a] != layout->is_lost[b])
        return false;
    return layout->is_lost[a] ? x->place_lane == y->place_lane && x->place == y->place
                              : x->lane == y->lane;
}

/* A handle of a run says in which run something is, and the thread in what of that run; so does a handle of what
 * had ended. Both ways lead out of the run at once if they do. */
static uint32_t node_by_handle(const struct stave__layout *layout, uint32_t row)
{
    uint32_t place = layout->handle[row], thread = layout->thread[row];
    if (place == STAVE_NONE)
        return STAVE_NONE;
    bool is_run = layout->model->rows[place].kind == STAVE__RUN;
    bool is_caused = stave__is_caused(layout, row);
    if (!is_run && !is_caused)
        return node_of(layout, place);
    if (thread != STAVE_NONE &&
        stave__is_same_run(layout, layout->outmost[thread], layout->outmost[row]))
        return thread;
    return is_run ? node_of(layout, place) : STAVE_NONE;
}

/* ---- the scope ------------------------------------------------------------------------------- */

static bool is_in_time(const struct stave__model *model, const struct stave__model_row *row)
{
    return !model->is_scoped || (row->start >= model->from && row->start < model->to);
}

/* Whether the scope's lane has it, or what it is in. `reached`: of each row; NULL where all lanes count. */
static bool is_reached(const struct stave__layout *layout, bool *reached, uint32_t row)
{
    uint32_t around = outwards(layout, row);
    if (reached == NULL)
        return true;
    reached[row] = layout->model->rows[row].lane == layout->model->scope_lane ||
                   (around != STAVE_NONE && reached[around]);
    return reached[row];
}

static void enclose(struct stave__layout *layout, bool *reached, uint32_t row)
{
    const struct stave__model_row *at = &layout->model->rows[row];
    bool is_in_scope = is_reached(layout, reached, row) && is_in_time(layout->model, at);
    find_outmost(layout, row);
    layout->thread[row] = node_of(layout, at->around);
    layout->inside[row] = is_attached(at) ? node_by_handle(layout, row) : layout->thread[row];
    layout->is_node[row] = at->kind == STAVE__EVALUATION
                               ? is_in_scope
                               : at->kind == STAVE__SPAN && layout->inside[row] != STAVE_NONE;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool has_room(struct stave__layout *layout)
{
    size_t count = layout->model->count;
    layout->is_node = calloc(count + 1, sizeof *layout->is_node);
    layout->is_lost = calloc(count + 1, sizeof *layout->is_lost);
    return layout->is_node != NULL && layout->is_lost != NULL &&
           stave__room(&layout->handle, count) && stave__room(&layout->outmost, count) &&
           stave__room(&layout->thread, count) && stave__room(&layout->inside, count);
}

int stave__layout_enclose(struct stave__layout *layout, stave_error *error)
{
    const struct stave__model *model = layout->model;
    bool is_of_one = model->is_scoped && model->scope_lane != STAVE_NONE;
    bool *reached = is_of_one ? calloc((size_t)model->count + 1, sizeof *reached) : NULL;
    bool done = has_room(layout) && (!is_of_one || reached != NULL) && find_handles(layout) &&
                order_all(layout);
    for (uint32_t i = 0; i < model->count && done; i++)
        enclose(layout, reached, stave__layout_at(layout, i));
    free(reached);
    return done ? STAVE_OK : stave__fail_memory(error);
}

void stave__layout_free(struct stave__layout *layout)
{
    free(layout->order);
    free(layout->is_node);
    free(layout->handle);
    free(layout->is_lost);
    free(layout->outmost);
    free(layout->thread);
    free(layout->inside);
    free(layout->run);
    free(layout->runs);
    free(layout->parent);
    free(layout->place);
    free(layout->is_missing);
    free(layout->links_at);
    free(layout->links);
    *layout = (struct stave__layout){0};
}
