#include "kept.h"

#include <stave/traces.h>

static const char *open_traces(const stave_traces_query *query, stave_traces_cursor **cursor)
{
    return stave_traces(query, cursor, NULL) < 0 ? "nothing is recorded: STAVE_ENABLE=1" : NULL;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void add_line(struct answer *answer, const stave_kept_trace *trace)
{
    answer_add(answer, "  %-10s %-9s %12.3f ms  %6u spans %s%s%s\n",
               trace->id != NULL ? trace->id->value.text : "", trace->name,
               (double)trace->duration_ns / 1e6, trace->span_count,
               (trace->kept & STAVE_KEPT_NEWEST) != 0 ? " newest" : "",
               (trace->kept & STAVE_KEPT_SLOWEST) != 0 ? " slowest" : "",
               (trace->kept & STAVE_KEPT_FAILED) != 0 ? " failed" : "");
}

const char *kept_list(struct answer *answer, const char *name)
{
    stave_traces_cursor *cursor;
    stave_kept_trace *trace;
    const char *wrong =
        open_traces(&(stave_traces_query){.name = name[0] != '\0' ? name : NULL}, &cursor);
    if (wrong != NULL)
        return wrong;
    while (stave_traces_next(cursor, &trace, NULL) > 0) {
        add_line(answer, trace);
        stave_trace_release(trace);
    }
    stave_traces_close(cursor);
    return NULL;
}

/* ---- one of them ----------------------------------------------------------------------------- */

static void add_span(struct answer *answer, const stave_kept_span *span)
{
    answer_add(answer, "  %*s%-*s %12.3f ms", 2 * (int)span->depth, "", 30 - 2 * (int)span->depth,
               span->name, (double)(span->count != 0 ? span->total_ns : span->duration_ns) / 1e6);
    if (span->count != 0)
        answer_add(answer, "  %llu times, at most %.3f ms", (unsigned long long)span->count,
                   (double)span->max_ns / 1e6);
    answer_add(answer, "\n");
}

/* Down to the first child, else to the next one beside it or beside what is around it. */
static uint32_t behind(const stave_kept_trace *trace, uint32_t at)
{
    if (trace->spans[at].first_child != 0)
        return trace->spans[at].first_child;
    while (at != 0 && trace->spans[at].next == 0)
        at = trace->spans[at].parent;
    return at != 0 ? trace->spans[at].next : 0;
}

const char *kept_show(struct answer *answer, const char *id)
{
    stave_traces_cursor *cursor;
    stave_kept_trace *trace;
    const char *wrong = open_traces(&(stave_traces_query){.id = id}, &cursor);
    if (wrong != NULL)
        return wrong;
    int found = stave_traces_next(cursor, &trace, NULL);
    stave_traces_close(cursor);
    if (found <= 0)
        return "it is not kept";
    uint32_t at = 0;
    do {
        add_span(answer, &trace->spans[at]);
        at = behind(trace, at);
    } while (at != 0);
    stave_trace_release(trace);
    return NULL;
}
