/* diagram_trace.h - small traces with lanes of every kind, made row by row, and their page.
 *
 *     struct diagram_trace t;
 *     diagram_open(&t, 0);                                           // 1 tick is 1 ns
 *     uint32_t lane = diagram_lane(&t, &(stave_lane){.kind = STAVE_LANE_TASK}, "task");
 *     diagram_span(&t, lane, 0, 10);
 *     struct page *page = diagram_page(&t);                          // the trace ends here
 *     diagram_close(&t);
 */
#ifndef DIAGRAM_TRACE_H
#define DIAGRAM_TRACE_H

#include "reference/diagram_page.h"
#include "stave/export.h"
#include "trace/trace.h"

#define DIAGRAM_LANES 16

struct diagram_trace {
    stave_trace *trace;
    uint32_t boot;   /* of the rows to come */
    uint64_t serial; /* the last span's */
    bool begun[STAVE_ROW_KINDS][DIAGRAM_LANES];
    struct stave__appender appenders[STAVE_ROW_KINDS][DIAGRAM_LANES];
    struct page_sink sink;
    struct page *page;
    stave_diagram_counts counts;
};

void diagram_open(struct diagram_trace *t, double hz);

/* The rows before it are sealed; a new boot. */
void diagram_boot(struct diagram_trace *t, double offset_us, double hz);

/* No more rows. */
void diagram_seal(struct diagram_trace *t);
void diagram_close(struct diagram_trace *t);

uint32_t diagram_text(struct diagram_trace *t, const char *text);

/* A lane with this name. */
uint32_t diagram_lane(struct diagram_trace *t, const stave_lane *lane, const char *name);

/* A row of any kind; the name may be NULL. */
void diagram_row(struct diagram_trace *t, stave_row_kind kind, uint32_t lane,
                 const struct stave__row *row, const char *name);
void diagram_span(struct diagram_trace *t, uint32_t lane, int64_t start, int64_t end);
void diagram_deep_span(struct diagram_trace *t, uint32_t lane, uint32_t depth, int64_t start,
                       int64_t end);
void diagram_mark(struct diagram_trace *t, uint32_t lane, int64_t time, const char *name);

/* Seals the trace; its page and its counts, which live as long as it. */
struct page *diagram_page(struct diagram_trace *t);

/* The text of a lane's row of marks, of spans: its name. */
const char *diagram_name(const struct diagram_trace *t, const struct page_row *row);

#endif
