#include "export/diagram_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FRAMES_LOST "etrace.frames_lost"

#define DRAWN_KINDS                                                                                \
    (STAVE_KIND_BIT(STAVE_SPANS) | STAVE_KIND_BIT(STAVE_MARKS) | STAVE_KIND_BIT(STAVE_GAPS) |      \
     STAVE_KIND_BIT(STAVE_DOUBTS))

/* ---- reading --------------------------------------------------------------------------------- */

int stave__drawing_open(struct stave__drawing *drawing, stave_trace *trace,
                        struct stave__page *page, stave_error *error)
{
    stave_filter filter = {.kinds = DRAWN_KINDS};
    *drawing = (struct stave__drawing){.page = page, .trace = trace};
    int status = stave__reading_open(&drawing->reading, trace, &filter, (stave_progress){0}, error);
    if (status < 0)
        return status;
    size_t lanes = stave_trace_lanes(trace);
    drawing->plans = calloc(lanes + 1, sizeof *drawing->plans);
    drawing->texts = calloc((size_t)stave_trace_strings(trace) + 1, sizeof *drawing->texts);
    drawing->members = calloc(lanes + 1, sizeof *drawing->members);
    drawing->lanes = calloc(lanes + 1, sizeof *drawing->lanes);
    if (drawing->plans == NULL || drawing->texts == NULL || drawing->members == NULL ||
        drawing->lanes == NULL ||
        !stave__reading_sort_by_lane(&drawing->reading, &drawing->choices))
        return stave__fail_memory(error);
    page->read.total += 2 * drawing->reading.read.total;
    return STAVE_OK;
}

void stave__drawing_close(struct stave__drawing *drawing)
{
    stave__reading_close(&drawing->reading);
    stave__lane_choices_free(&drawing->choices);
    free(drawing->plans);
    free(drawing->texts);
    free(drawing->members);
    free(drawing->lanes);
}

int stave__drawing_show(struct stave__drawing *drawing, uint32_t choice, stave_error *error)
{
    int status = stave__reading_show(&drawing->reading, choice, error);
    if (status > 0)
        stave__rows_read_add(&drawing->page->read, drawing->reading.block.rows);
    return status;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static int use_text(struct stave__drawing *drawing, uint32_t id, stave_error *error)
{
    if (id == 0 || drawing->texts[id] != 0)
        return STAVE_OK;
    size_t size;
    const char *text = stave_trace_string(drawing->trace, id, &size);
    int status = stave__strings_add(&drawing->page->texts, text, size, &drawing->texts[id]);
    return status < 0 ? stave__fail(error, status, 0, "%s", stave_status_text(status)) : STAVE_OK;
}

static int use_lane_texts(struct stave__drawing *drawing, const stave_lane *lane,
                          stave_error *error)
{
    int status = use_text(drawing, lane->name, error);
    if (status >= 0 && lane->process != 0)
        status =
            use_text(drawing, stave_trace_process(drawing->trace, lane->process - 1)->name, error);
    return status;
}

static int use_block_texts(struct stave__drawing *drawing, const stave_block *block,
                           stave_error *error)
{
    const uint16_t value_is_text = STAVE_FLAG_HAS_VALUE | STAVE_FLAG_TEXT;
    int status = use_lane_texts(drawing, stave_trace_lane(drawing->trace, block->lane), error);
    for (uint32_t i = 0; block->name != NULL && i < block->rows && status >= 0; i++)
        status = use_text(drawing, block->name[i], error);
    if (block->kind != STAVE_MARKS)
        return status;
    for (uint32_t i = 0; i < block->rows && status >= 0; i++)
        if ((block->flags[i] & value_is_text) == value_is_text)
            status = use_text(drawing, (uint32_t)block->value[i], error);
    return status;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_marks(struct stave__drawing *drawing, const stave_block *block)
{
    stave_diagram_counts *counts = &drawing->page->counts;
    uint64_t restarts = 0;
    if (stave_trace_lane(drawing->trace, block->lane)->kind == STAVE_LANE_DEVICE)
        for (uint32_t i = 0; i < block->rows; i++)
            restarts += (block->flags[i] & STAVE_FLAG_RESTART) != 0;
    drawing->plans[block->lane].marks += block->rows - restarts;
    counts->markers += block->rows - restarts;
    counts->restarts += restarts;
}

static void count_gaps(struct stave__drawing *drawing, const stave_block *block)
{
    drawing->page->counts.gaps += block->rows;
    for (uint32_t i = 0; i < block->rows; i++)
        drawing->lost += block->value[i];
}

static void count_rows(struct stave__drawing *drawing, const stave_block *block)
{
    switch (block->kind) {
    case STAVE_SPANS:
        drawing->plans[block->lane].spans += block->rows;
        drawing->page->counts.spans += block->rows;
        break;
    case STAVE_MARKS:
        count_marks(drawing, block);
        break;
    case STAVE_GAPS:
        count_gaps(drawing, block);
        break;
    default:
        break; /* a doubt is nothing that happened */
    }
}

static void count_not_drawn(struct stave__drawing *drawing)
{
    const struct stave__blocks *blocks = &drawing->trace->blocks;
    for (uint32_t i = 0; i < blocks->entries.rows; i++) {
        const struct stave__entry *entry = stave__entry_at(blocks, i);
        bool drawn = entry->lane != STAVE__NO_LANE && (DRAWN_KINDS & STAVE_KIND_BIT(entry->kind));
        drawing->page->counts.not_drawn += drawn ? 0 : entry->rows;
    }
}

/* What a decoder of etrace's streams has told: it counts frames, those too that no gap shows. */
static void take_frames_lost(struct stave__drawing *drawing)
{
    static const char prefix[] = "etrace.";
    stave_trace *trace = drawing->trace;
    for (uint32_t i = 0; i < stave_trace_properties(trace) && !drawing->frames; i++) {
        const char *key = stave_trace_string(trace, stave_trace_property(trace, i)->key, NULL);
        drawing->frames = strncmp(key, prefix, sizeof prefix - 1) == 0;
    }
    const stave_property *told = stave_trace_find_property(trace, FRAMES_LOST);
    if (told != NULL && told->flags == 0 && told->value > drawing->lost)
        drawing->lost = told->value;
    drawing->page->counts.lost += drawing->lost;
}

static int read_rows(struct stave__drawing *drawing, stave_error *error)
{
    for (uint32_t i = 0; i < drawing->reading.count; i++) {
        int status = stave__drawing_show(drawing, i, error);
        if (status > 0) {
            count_rows(drawing, &drawing->reading.block);
            status = use_block_texts(drawing, &drawing->reading.block, error);
        }
        if (status < 0)
            return status;
    }
    return STAVE_OK;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* What decides where a lane is drawn, most significant first. */
struct place {
    uint32_t group;    /* 0: ISRs, 1: tasks, 2: all others */
    uint32_t priority; /* of ISRs and tasks, the highest first */
    uint32_t met;      /* when the trace met its name; of others: the first lane of its process */
    uint32_t process;  /* of ISRs and tasks */
    uint32_t lane;
};

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

/* Equal: one lane to the eye. */
static int compare_looks(const struct place *a, const struct place *b)
{
    int order = compare_numbers(a->group, b->group);
    if (order == 0)
        order = compare_numbers(b->priority, a->priority);
    if (order == 0)
        order = compare_numbers(a->met, b->met);
    return order != 0 ? order : compare_numbers(a->process, b->process);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = compare_looks(x, y);
    return order != 0 ? order : compare_numbers(x->lane, y->lane);
}

/* A lane with something on it. Marks of a device are drawn where a span holds them. */
static bool is_drawn(const struct stave__drawing *drawing, uint32_t lane)
{
    const struct stave__plan *plan = &drawing->plans[lane];
    return plan->spans > 0 ||
           (plan->marks > 0 && stave__keeps_marks(stave_trace_lane(drawing->trace, lane)));
}

/* By text of the page: the first of the trace's strings with it that names a lane. By process, 0 for none:
 * its first lane. */
struct first_met {
    uint32_t *by_name, *by_process;
};

static void meet(uint32_t *first, uint32_t index)
{
    if (index < *first)
        *first = index;
}

static int find_first_met(const struct stave__drawing *drawing, struct first_met *first,
                          stave_error *error)
{
    size_t names = drawing->page->texts.texts.rows;
    size_t processes = (size_t)stave_trace_processes(drawing->trace) + 1;
    first->by_name = malloc((names + processes) * sizeof *first->by_name);
    if (first->by_name == NULL)
        return stave__fail_memory(error);
    first->by_process = first->by_name + names;
    memset(first->by_name, 0xff, (names + processes) * sizeof *first->by_name);
    for (uint32_t i = 0; i < stave_trace_lanes(drawing->trace); i++) {
        const stave_lane *lane = stave_trace_lane(drawing->trace, i);
        if (is_drawn(drawing, i)) {
            meet(&first->by_name[drawing->texts[lane->name]], lane->name);
            meet(&first->by_process[lane->process], i);
        }
    }
    return STAVE_OK;
}

static struct place place_of(const struct stave__drawing *drawing, const struct first_met *first,
                             uint32_t index)
{
    const stave_lane *lane = stave_trace_lane(drawing->trace, index);
    if (stave__is_of_device(lane))
        return (struct place){.group = lane->kind == STAVE_LANE_ISR ? 0 : 1,
                              .priority = lane->priority,
                              .met = first->by_name[drawing->texts[lane->name]],
                              .process = lane->process,
                              .lane = index};
    return (struct place){.group = 2,
                          .met = lane->process != 0 ? first->by_process[lane->process] : index,
                          .lane = index};
}

/* Sorted places to drawn lanes. */
static void draw(struct stave__drawing *drawing, const struct place *places, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const stave_lane *lane = stave_trace_lane(drawing->trace, places[i].lane);
        bool merged =
            i > 0 && stave__is_of_device(lane) && compare_looks(&places[i - 1], &places[i]) == 0;
        if (!merged)
            drawing->lanes[drawing->lanes_count++] =
                (struct stave__drawn_lane){.lane = lane, .first_member = i};
        drawing->lanes[drawing->lanes_count - 1].members++;
        drawing->members[i] = places[i].lane;
        drawing->plans[places[i].lane].drawn = drawing->first_lane + drawing->lanes_count - 1;
    }
}

static int place_lanes(struct stave__drawing *drawing, stave_error *error)
{
    uint32_t lanes = stave_trace_lanes(drawing->trace), count = 0;
    struct first_met first;
    int status = find_first_met(drawing, &first, error);
    if (status < 0)
        return status;
    struct place *places = malloc(((size_t)lanes + 1) * sizeof *places);
    if (places == NULL) {
        free(first.by_name);
        return stave__fail_memory(error);
    }
    for (uint32_t i = 0; i < lanes; i++) {
        drawing->plans[i].drawn = STAVE_NONE;
        if (is_drawn(drawing, i))
            places[count++] = place_of(drawing, &first, i);
    }
    qsort(places, count, sizeof *places, compare_places);
    drawing->first_lane = drawing->page->lanes;
    draw(drawing, places, count);
    drawing->page->lanes += drawing->lanes_count + 1; /* and that of marks that no span holds */
    free(places);
    free(first.by_name);
    return STAVE_OK;
}

int stave__drawing_plan(struct stave__drawing *drawing, const char *name, stave_error *error)
{
    if (stave__strings_add(&drawing->page->texts, name, strlen(name), &drawing->name) < 0)
        return stave__fail_memory(error);
    int status = read_rows(drawing, error);
    if (status < 0)
        return status;
    count_not_drawn(drawing);
    take_frames_lost(drawing);
    return place_lanes(drawing, error);
}
