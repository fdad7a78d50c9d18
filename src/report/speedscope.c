/* A report in speedscope's own format. What speedscope demands of a file is obeyed in export/speedscope_file.c.
 *
 * The profile `dependencies` is the tree on an axis of its own: a node is as wide as its busy time, first its self, then its
 * children. So it is linear in the number of nodes, and each has one box; sampled stacks would merge equal neighbours, and
 * repeat the whole stack for each node. The others are threads by the clock.  */
#include "export/speedscope_file.h"

#include <stdlib.h>

#include "base/error.h"
#include "report/threads.h"

/* Of the deepest level stands what is below it. */
#define DEPTH (STAVE_REPORT_DEPTH_MAX - 1)

struct writing {
    const stave_report *report;
    struct stave__speedscope file;
    uint32_t *frames; /* of each node */
};

/* ---- frames ---------------------------------------------------------------------------------- */

/* A rule's id stands where the file of a function would: rules of one description are different frames. */
static int name_frame(struct writing *w, uint32_t index)
{
    const stave_report_node *node = &w->report->nodes[index];
    struct stave__speedscope_key key = {.name = node->name, .name_size = strlen(node->name)};
    if (node->rule != STAVE_NONE) {
        key.file = w->report->rules[node->rule].id;
        key.file_size = strlen(key.file);
    }
    if (key.name_size == 0 && key.file_size > 0) {
        key.name = key.file;
        key.name_size = key.file_size;
    }
    return stave__speedscope_frame(&w->file, &key, &w->frames[index]);
}

static int name_frames(struct writing *w)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < w->report->nodes_count && status >= 0; i++)
        status = name_frame(w, i);
    return status;
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Closes all from `at` up to the one below `parent`, at a place of the axis. */
static void close_up_to(struct writing *w, uint32_t at, uint32_t parent, double place)
{
    for (; at != parent; at = w->report->nodes[at].parent)
        stave__speedscope_close(&w->file, w->frames[at], stave__whole_ns(place));
}

/* All below a node of the deepest level but one, as one frame; moves *next over them. */
static int put_deeper(struct writing *w, uint32_t index, double *place, uint32_t *next)
{
    const stave_report_node *node = &w->report->nodes[index];
    uint32_t frame, from = *next;
    while (*next < w->report->nodes_count && w->report->nodes[*next].depth > node->depth)
        ++*next;
    if (*next == from)
        return STAVE_OK;
    int status = stave__speedscope_deeper(&w->file, *next - from, &frame);
    if (status < 0)
        return status;
    stave__speedscope_open(&w->file, frame, stave__whole_ns(*place));
    *place += node->busy_ns - node->self_ns;
    stave__speedscope_close(&w->file, frame, stave__whole_ns(*place));
    return STAVE_OK;
}

/* Each node is followed by all that is below it. */
static int put_tree(struct writing *w)
{
    static const char name[] = "dependencies";
    const stave_report *report = w->report;
    uint32_t open = STAVE_NONE;
    double place = 0;
    int status = STAVE_OK;
    stave__speedscope_profile(&w->file);
    for (uint32_t i = 0; i < report->nodes_count && status >= 0;) {
        const stave_report_node *node = &report->nodes[i];
        close_up_to(w, open, node->parent, place);
        stave__speedscope_open(&w->file, w->frames[i], stave__whole_ns(place));
        place += node->self_ns;
        open = i++;
        if (node->depth + 1 == DEPTH)
            status = put_deeper(w, open, &place, &i);
    }
    close_up_to(w, open, STAVE_NONE, place);
    stave__speedscope_profile_end(&w->file, name, sizeof name - 1, 0);
    return status;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* What is open on the thread at hand, as places in `threads`; `deeper` are those that have no level any more. */
struct stack {
    uint32_t *open;
    uint32_t depth;
};

static void close_until(struct writing *w, const struct stave__threads *threads,
                        struct stack *stack, uint64_t start, bool all)
{
    while (stack->depth > 0 && (all || threads->end_ns[stack->open[stack->depth - 1]] <= start)) {
        uint32_t at = stack->open[--stack->depth];
        if (stack->depth < DEPTH)
            stave__speedscope_close(&w->file, w->frames[threads->nodes[at]], threads->end_ns[at]);
    }
}

/* Those of a level that is too deep, until it ends. */
static int put_deeper_on_thread(struct writing *w, const struct stave__threads *threads,
                                uint32_t at, uint32_t *next)
{
    uint32_t frame, below = stave__threads_count_in(threads, w->report, at);
    int status = stave__speedscope_deeper(&w->file, (uint64_t)below + 1, &frame);
    if (status < 0)
        return status;
    stave__speedscope_open(&w->file, frame, threads->start_ns[at]);
    stave__speedscope_close(&w->file, frame, threads->end_ns[at]);
    *next = at + 1 + below;
    return STAVE_OK;
}

static int put_thread(struct writing *w, const struct stave__threads *threads, struct stack *stack,
                      uint32_t *next)
{
    uint32_t lane = w->report->nodes[threads->nodes[*next]].lane;
    const char *name = stave_report_lane_name(w->report, lane);
    int status = STAVE_OK;
    stave__speedscope_profile(&w->file);
    while (*next < threads->count && w->report->nodes[threads->nodes[*next]].lane == lane &&
           status >= 0) {
        uint32_t at = (*next)++;
        close_until(w, threads, stack, threads->start_ns[at], false);
        if (stack->depth == DEPTH) {
            status = put_deeper_on_thread(w, threads, at, next);
            continue;
        }
        stave__speedscope_open(&w->file, w->frames[threads->nodes[at]], threads->start_ns[at]);
        stack->open[stack->depth++] = at;
    }
    close_until(w, threads, stack, 0, true);
    stave__speedscope_profile_end(&w->file, name, strlen(name), 0);
    return status;
}

static int put_threads(struct writing *w, stave_error *error)
{
    struct stave__threads threads;
    struct stack stack = {.open = malloc(DEPTH * sizeof *stack.open)};
    if (stack.open == NULL)
        return stave__fail_memory(error);
    int status = stave__threads_open(&threads, w->report, error);
    for (uint32_t next = 0; status >= 0 && next < threads.count;)
        status = put_thread(w, &threads, &stack, &next);
    if (status >= 0)
        stave__threads_free(&threads);
    free(stack.open);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int put_all(struct writing *w, struct stave__out *out, stave_error *error)
{
    static const char name[] = "rules";
    int status = stave__speedscope_begin(&w->file, out, name, sizeof name - 1);
    if (status >= 0)
        status = name_frames(w);
    if (status >= 0)
        status = put_tree(w);
    if (status >= 0)
        status = put_threads(w, error);
    if (status < 0)
        return stave__fail(error, status, 0, "%s", stave_status_text(status));
    stave__speedscope_end(&w->file, 0);
    return stave__out_finish(out, error);
}

int stave_report_sink_speedscope(const stave_report *report, stave_sink sink, stave_error *error)
{
    struct writing w = {.report = report};
    struct stave__out *out = malloc(sizeof *out);
    w.frames = malloc(((size_t)report->nodes_count + 1) * sizeof *w.frames);
    int status = STAVE_E_MEMORY;
    if (out != NULL && w.frames != NULL) {
        stave__out_init(out, sink);
        status = put_all(&w, out, error);
    } else {
        stave__fail_memory(error);
    }
    stave__speedscope_free(&w.file);
    free(w.frames);
    free(out);
    return status;
}
