/* trace_text.h - a trace as text, one line for each row of a table and each row of a block: what the
 * NAME.txt beside a golden file says (README.md).
 *
 *     struct trace_text text = {0};
 *     trace_text_of_file(&text, trace);
 *     if (text.size != expected_size || memcmp(text.bytes, expected, text.size) != 0) ...
 *     free(text.bytes);
 *
 * No memory, or a trace that fails, ends the program.  */
#ifndef TRACE_TEXT_H
#define TRACE_TEXT_H

#include "stave/trace.h"

/* Ends in a NUL that is not counted. */
struct trace_text {
    char *bytes;
    size_t size, room;
};

/* Tables, blocks and damages. A trace that grows no more. */
void trace_text_of(struct trace_text *text, stave_trace *trace);

/* The same, and in front the line about its file. */
void trace_text_of_file(struct trace_text *text, stave_trace *trace);

/* One block with its rows and open spans. */
void trace_text_block(struct trace_text *text, const stave_trace *trace,
                      const stave_block_info *info, const stave_block *block);

/* Where two texts differ first, to stderr; true when they do not. */
bool trace_text_same(const struct trace_text *text, const char *expected, size_t expected_size);

/* A whole file; to be freed. NULL when it cannot be read. */
char *trace_text_read(const char *path, size_t *size);

#endif
