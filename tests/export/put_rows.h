/* put_rows.h - rows for the traces that exporters are tested with: put down in any order, written as a trace in one order or
 * in another, with the same names and numbers.
 *
 *     uint32_t lane = rows_lane(&(stave_lane){.kind = STAVE_LANE_THREAD}, "main");
 *     rows_put(lane, boot, STAVE_SPANS, (struct stave__row){...});
 *     rows_write(shuffled, sink);
 *
 * What fails ends the program, with a message.  */
#ifndef STAVE_TEST_EXPORT_PUT_ROWS_H
#define STAVE_TEST_EXPORT_PUT_ROWS_H

#include <stdbool.h>

#include "trace/trace.h"

/* The trace that is being made. */
extern stave_trace *rows_now;

void rows_check(int status);
void rows_begin(void);

uint32_t rows_text(const char *text);
uint32_t rows_bytes(const char *bytes, size_t size);
/* The same text under another number, as files may have it. */
uint32_t rows_text_again(const char *text);
uint32_t rows_process(const char *name, uint64_t number);
/* All but the name. */
uint32_t rows_lane(const stave_lane *like, const char *name);
uint64_t rows_real(double real); /* a value */

/* Where in the source rows of a name are made. */
void rows_place(const stave_place *place);

/* From here on, spans without a length are left out. */
void rows_skip_empty_spans(void);

void rows_put(uint32_t lane, uint32_t boot, uint32_t kind, struct stave__row row);

/* Spans of the lane that are open when its blocks end. */
void rows_leave_open(uint32_t lane, uint32_t boot, const struct stave__stack *stack);

/* Numbers that look random, the same each time: below `below`. */
uint32_t rows_random(uint32_t below);

/* All rows into blocks. `shuffled`: the blocks of one lane in another order, the rows in them at random, places from the last
 * one on. The caller frees the trace. */
stave_trace *rows_finish(bool shuffled);

/* The same as a file. */
void rows_write(bool shuffled, stave_sink sink);

#endif
