/* A report in Chrome's trace event format: each thread by the clock. Rules that its readers enforce are listed in
 * export/chrome.c; what of them matters here: pid and tid are small numbers, times are microseconds from the origin,
 * outer ones come before inner ones, what is open is a B, ids of flows are hexadecimal, a thread is at most 512 levels deep:
 * what is below stands in an event "(N deeper)". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "export/format.h"
#include "export/json_text.h"
#include "report/threads.h"

#define DEPTH (STAVE__PERFETTO_DEPTH - 1) /* of the deepest level stands what is below it */

struct writing {
    const stave_report *report;
    struct stave__out *out;
    uint64_t flows;       /* ids that were given out */
    uint32_t open[DEPTH]; /* of the thread at hand, as places in its list */
    uint32_t depth;
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static void begin_event(struct writing *w, const char *ph, uint32_t lane, const char *name)
{
    char text[80];
    snprintf(text, sizeof text, ",\n{\"ph\":\"%s\",\"pid\":1,\"tid\":%" PRIu64 ",\"name\":", ph,
             (uint64_t)lane + 1);
    stave__out_text(w->out, text);
    stave__json_word(w->out, name);
}

static void put_us(struct writing *w, const char *key, uint64_t ns)
{
    stave__out_text(w->out, key);
    stave__json_us(w->out, ns);
}

static void put_text(struct writing *w, const char *key, const char *text)
{
    stave__out_text(w->out, key);
    stave__json_word(w->out, text);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void put_run(struct writing *w, const stave_report_run *run)
{
    if (run->name[0] != '\0')
        put_text(w, ",\"run\":", run->name);
    if (run->id != NULL)
        put_text(w, ",\"run id\":", run->id);
}

static void put_args(struct writing *w, const stave_report_node *node)
{
    put_us(w, ",\"args\":{\"self us\":", stave__whole_ns(node->self_ns));
    if (node->rule != STAVE_NONE) {
        put_text(w, ",\"rule\":", w->report->rules[node->rule].id);
        put_text(w, ",\"outcome\":", stave_outcome_text(node->outcome));
        put_us(w, ",\"slack us\":", stave__whole_ns(node->slack_ns));
        stave__out_text(w->out, node->is_critical ? ",\"critical\":true" : ",\"critical\":false");
    }
    put_run(w, &w->report->runs[node->run]);
    if (node->reason != NULL)
        put_text(w, ",\"reason\":", node->reason);
    stave__out_text(w->out, "}");
}

static void put_flow_end(struct writing *w, const char *ph, uint32_t lane, uint64_t ns)
{
    char text[64];
    begin_event(w, ph, lane, "dependency");
    snprintf(text, sizeof text,
             ",\"cat\":\"dependency\",\"id\":\"0x%" PRIx64 "\",\"ts\":", w->flows);
    stave__out_text(w->out, text);
    stave__json_us(w->out, ns);
    stave__out_text(w->out, "}");
}

/* From the beginning of the one, since its end is in it no more. */
static void put_flow(struct writing *w, uint32_t from, uint32_t to)
{
    const stave_report_node *first = &w->report->nodes[from], *second = &w->report->nodes[to];
    w->flows++;
    put_flow_end(w, "s", first->lane, stave__whole_ns(first->start_ns));
    put_flow_end(w, "f\",\"bp\":\"e", second->lane, stave__whole_ns(second->start_ns));
}

static void put_flows(struct writing *w, uint32_t index)
{
    const stave_report *report = w->report;
    if (report->nodes[index].place == STAVE_PLACE_DEPENDENCY)
        put_flow(w, report->nodes[index].parent, index);
    for (uint32_t i = report->links_at[index]; i < report->links_at[index + 1]; i++)
        put_flow(w, report->links[i], index);
}

static void put_node(struct writing *w, const struct stave__threads *threads, uint32_t at)
{
    const stave_report_node *node = &w->report->nodes[threads->nodes[at]];
    bool is_open = (node->flags & STAVE_FLAG_UNFINISHED) != 0;
    bool is_named = node->name[0] != '\0' || node->rule == STAVE_NONE;
    begin_event(w, is_open ? "B" : "X", node->lane,
                is_named ? node->name : w->report->rules[node->rule].id);
    stave__out_text(w->out, node->rule != STAVE_NONE ? ",\"cat\":\"rule\"" : ",\"cat\":\"span\"");
    put_us(w, ",\"ts\":", threads->start_ns[at]);
    if (!is_open)
        put_us(w, ",\"dur\":", threads->end_ns[at] - threads->start_ns[at]);
    put_args(w, node);
    stave__out_text(w->out, "}");
    put_flows(w, threads->nodes[at]);
}

static void put_deeper(struct writing *w, const struct stave__threads *threads, uint32_t at,
                       uint32_t count)
{
    char name[STAVE__DEEPER_MAX];
    stave__deeper_text(count, name);
    begin_event(w, "X", w->report->nodes[threads->nodes[at]].lane, name);
    put_us(w, ",\"ts\":", threads->start_ns[at]);
    put_us(w, ",\"dur\":", threads->end_ns[at] - threads->start_ns[at]);
    stave__out_text(w->out, "}");
}

/* What has ended before a node begins, or is on another thread. */
static void close_until(struct writing *w, const struct stave__threads *threads, uint32_t at)
{
    const stave_report_node *nodes = w->report->nodes;
    while (w->depth > 0) {
        uint32_t around = w->open[w->depth - 1];
        if (nodes[threads->nodes[around]].lane == nodes[threads->nodes[at]].lane &&
            threads->end_ns[around] > threads->start_ns[at])
            return;
        w->depth--;
    }
}

/* With all that lies in it, if it is too deep; their flows are bound to what stands for them. What comes next. */
static uint32_t put_one(struct writing *w, const struct stave__threads *threads, uint32_t at)
{
    close_until(w, threads, at);
    if (w->depth < DEPTH) {
        w->open[w->depth++] = at;
        put_node(w, threads, at);
        return at + 1;
    }
    uint32_t end = at + 1 + stave__threads_count_in(threads, w->report, at);
    put_deeper(w, threads, at, end - at);
    for (; at < end; at++)
        put_flows(w, threads->nodes[at]);
    return end;
}

static void name_lane(struct writing *w, uint32_t lane)
{
    begin_event(w, "M", lane, "thread_name");
    put_text(w, ",\"args\":{\"name\":", stave_report_lane_name(w->report, lane));
    stave__out_text(w->out, "}}");
}

/* ---- the file -------------------------------------------------------------------------------- */

static int put_all(struct writing *w, stave_error *error)
{
    struct stave__threads threads;
    int status = stave__threads_open(&threads, w->report, error);
    if (status < 0)
        return status;
    stave__out_text(w->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                            "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\","
                            "\"args\":{\"name\":\"rules\"}}");
    for (uint32_t i = 0; i < w->report->lanes_count; i++)
        name_lane(w, i);
    for (uint32_t i = 0; i < threads.count;)
        i = put_one(w, &threads, i);
    stave__out_text(w->out, "\n]}\n");
    stave__threads_free(&threads);
    return stave__out_finish(w->out, error);
}

int stave_report_sink_chrome(const stave_report *report, stave_sink sink, stave_error *error)
{
    struct writing w = {.report = report, .out = malloc(sizeof *w.out)};
    if (w.out == NULL)
        return stave__fail_memory(error);
    stave__out_init(w.out, sink);
    int status = put_all(&w, error);
    free(w.out);
    return status;
}
