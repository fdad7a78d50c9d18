#include "unit/diagram_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void diagram_open(struct diagram_trace *t, double hz)
{
    *t = (struct diagram_trace){0};
    assert_int_equal(stave_trace_new(NULL, &t->trace, NULL), STAVE_OK);
    diagram_boot(t, 0, hz);
}

void diagram_boot(struct diagram_trace *t, double offset_us, double hz)
{
    diagram_seal(t);
    assert_int_equal(stave__trace_boot(t->trace, offset_us, hz, &t->boot, NULL), STAVE_OK);
}

void diagram_seal(struct diagram_trace *t)
{
    for (uint32_t kind = 0; kind < STAVE_ROW_KINDS; kind++) {
        for (uint32_t lane = 0; lane < DIAGRAM_LANES; lane++) {
            if (t->begun[kind][lane])
                assert_int_equal(stave__appender_seal(&t->appenders[kind][lane], NULL), STAVE_OK);
            t->begun[kind][lane] = false;
        }
    }
}

void diagram_close(struct diagram_trace *t)
{
    if (t->page != NULL)
        page_free(t->page);
    page_sink_free(&t->sink);
    stave_trace_free(t->trace);
}

uint32_t diagram_text(struct diagram_trace *t, const char *text)
{
    uint32_t id;
    assert_int_equal(stave__trace_string(t->trace, text, strlen(text), &id, NULL), STAVE_OK);
    return id;
}

uint32_t diagram_lane(struct diagram_trace *t, const stave_lane *lane, const char *name)
{
    stave_lane named = *lane;
    uint32_t id;
    named.name = diagram_text(t, name);
    assert_int_equal(stave__trace_lane(t->trace, &named, &id, NULL), STAVE_OK);
    assert_in_range(id, 0, DIAGRAM_LANES - 1);
    return id;
}

void diagram_row(struct diagram_trace *t, stave_row_kind kind, uint32_t lane,
                 const struct stave__row *row, const char *name)
{
    struct stave__appender *appender = &t->appenders[kind][lane];
    struct stave__row named = *row;
    if (!t->begun[kind][lane]) {
        stave__appender_init(appender, &t->trace->blocks, kind, lane, t->boot);
        appender->mask = stave__kind_may_have[kind];
        t->begun[kind][lane] = true;
    }
    if (name != NULL)
        named.name = diagram_text(t, name);
    assert_true(stave__append_row(appender, &named, NULL) >= 0);
}

void diagram_deep_span(struct diagram_trace *t, uint32_t lane, uint32_t depth, int64_t start,
                       int64_t end)
{
    struct stave__row row = {.start = start, .end = end, .serial = ++t->serial, .depth = depth};
    diagram_row(t, STAVE_SPANS, lane, &row, NULL);
}

void diagram_span(struct diagram_trace *t, uint32_t lane, int64_t start, int64_t end)
{
    diagram_deep_span(t, lane, 0, start, end);
}

void diagram_mark(struct diagram_trace *t, uint32_t lane, int64_t time, const char *name)
{
    diagram_row(t, STAVE_MARKS, lane, &(struct stave__row){.start = time}, name);
}

struct page *diagram_page(struct diagram_trace *t)
{
    stave_diagram_source source = {.trace = t->trace, .name = "the trace"};
    stave_error error = {0};
    diagram_seal(t);
    assert_int_equal(stave_export_diagram(&source, 1, NULL, ((stave_sink){page_take, &t->sink}),
                                          &t->counts, &error),
                     STAVE_OK);
    assert_int_equal(error.status, STAVE_OK);
    t->page = page_read(&t->sink);
    return t->page;
}

const char *diagram_name(const struct diagram_trace *t, const struct page_row *row)
{
    assert_true(row->name < t->page->text_count);
    return t->page->texts[row->name].bytes;
}
