/* cli/save.h - a trace to a .stave file. */
#ifndef STAVE_CLI_SAVE_H
#define STAVE_CLI_SAVE_H

#include "cli/output.h"
#include "stave/trace.h"

/* CLI_DONE or, after a message, CLI_MISUSE. */
int cli_save(struct cli_output *output, stave_trace *trace, uint32_t zstd_level);

/* "PATH: 357 spans, 94 marks, 6 gaps in 12345 bytes" on standard output. */
void cli_save_print(const struct cli_output *output, stave_trace *trace);

/* "357 spans, 94 marks": the kinds that have rows; "no rows" where none has. */
void cli_print_rows(const uint64_t rows[STAVE_ROW_KINDS]);

/* The name of a kind of rows, as output has it. */
const char *cli_row_kind_text(unsigned kind);

#endif
