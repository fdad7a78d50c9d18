#include "report/threads.h"

#include <stdlib.h>

#include "base/error.h"
#include "report/room.h"

struct placed {
    double start_ns, end_ns;
    uint64_t serial;
    uint32_t lane, node;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

/* `open`: a stack of those around, as places in `nodes`. */
static void nest(struct stave__threads *threads, const struct placed *placed, uint32_t *open)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < threads->count; i++) {
        uint64_t start = stave__whole_ns(placed[i].start_ns),
                 end = stave__whole_ns(placed[i].end_ns);
        while (depth > 0 && (placed[open[depth - 1]].lane != placed[i].lane ||
                             placed[open[depth - 1]].end_ns <= placed[i].start_ns))
            depth--;
        uint64_t most = depth > 0 ? threads->end_ns[open[depth - 1]] : UINT64_MAX;
        threads->nodes[i] = placed[i].node;
        threads->start_ns[i] = start < most ? start : most;
        threads->end_ns[i] = end < most ? end : most;
        open[depth++] = i;
    }
}

static void list(const stave_report *report, struct placed *placed)
{
    for (uint32_t i = 0; i < report->nodes_count; i++) {
        const stave_report_node *node = &report->nodes[i];
        placed[i] = (struct placed){node->start_ns, node->end_ns, node->serial, node->lane, i};
    }
    qsort(placed, report->nodes_count, sizeof *placed, compare_placed);
}

int stave__threads_open(struct stave__threads *threads, const stave_report *report,
                        stave_error *error)
{
    size_t count = report->nodes_count;
    uint32_t *open = NULL;
    struct placed *placed = malloc((count + 1) * sizeof *placed);
    *threads = (struct stave__threads){.count = report->nodes_count};
    threads->start_ns = malloc((count + 1) * sizeof *threads->start_ns);
    threads->end_ns = malloc((count + 1) * sizeof *threads->end_ns);
    bool has_room = placed != NULL && threads->start_ns != NULL && threads->end_ns != NULL &&
                    stave__room(&threads->nodes, count) && stave__room(&open, count);
    if (has_room) {
        list(report, placed);
        nest(threads, placed, open);
    } else {
        stave__threads_free(threads);
    }
    free(open);
    free(placed);
    return has_room ? STAVE_OK : stave__fail_memory(error);
}

uint32_t stave__threads_count_in(const struct stave__threads *threads, const stave_report *report,
                                 uint32_t at)
{
    uint32_t lane = report->nodes[threads->nodes[at]].lane, i = at + 1;
    while (i < threads->count && report->nodes[threads->nodes[i]].lane == lane &&
           threads->start_ns[i] < threads->end_ns[at])
        i++;
    return i - at - 1;
}

void stave__threads_free(struct stave__threads *threads)
{
    free(threads->nodes);
    free(threads->start_ns);
    free(threads->end_ns);
    *threads = (struct stave__threads){0};
}
