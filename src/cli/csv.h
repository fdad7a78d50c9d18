/* cli/csv.h - a trace to a CSV file, or to standard output. */
#ifndef STAVE_CLI_CSV_H
#define STAVE_CLI_CSV_H

#include "cli/input.h"
#include "stave/export.h"

/* "PATH: 7 spans, 3 markers, 0 gaps" on standard output. */
void cli_csv_print_counts(const char *path, const stave_csv_counts *counts);

/* To `path`, whole or not at all, but never onto the recording. CLI_DONE or, after a message,
 * CLI_MISUSE. With `print`, counts are printed if it went to a regular file. */
int cli_csv_save(const struct cli_trace *trace, const char *path, bool print);

#endif
