/* traces.h - rows for the traces that exporters are tested with: put down in any order, written as a trace in one order or
 * in another, with the same names and numbers.
 *
 *     uint32_t lane = traces_lane(&(stave_lane){.kind = STAVE_LANE_THREAD}, "main");
 *     traces_put(lane, boot, STAVE_SPANS, (struct stave__row){...});
 *     traces_write(shuffled, sink);
 *
 * What fails ends the program, with a message.  */
#ifndef STAVE_TEST_EXPORT_TRACES_H
#define STAVE_TEST_EXPORT_TRACES_H

#include <stdbool.h>

#include "trace/trace.h"

/* The trace that is being made. */
extern stave_trace *traces_now;

void traces_check(int status);
void traces_begin(void);

uint32_t traces_text(const char *text);
uint32_t traces_bytes(const char *bytes, size_t size);
uint32_t traces_process(const char *name, uint64_t number);
/* All but the name. */
uint32_t traces_lane(const stave_lane *like, const char *name);
uint64_t traces_real(double real); /* a value */

/* From here on, spans without a length are left out. */
void traces_skip_empty_spans(void);

void traces_put(uint32_t lane, uint32_t boot, uint32_t kind, struct stave__row row);

/* Spans of the lane that are open when its blocks end. */
void traces_leave_open(uint32_t lane, uint32_t boot, const struct stave__stack *stack);

/* Numbers that look random, the same each time: below `below`. */
uint32_t traces_random(uint32_t below);

/* All rows into blocks, then the trace as a file. `shuffled`: the blocks of one lane in another order, the rows in them at
 * random. */
void traces_write(bool shuffled, stave_sink sink);

#endif
