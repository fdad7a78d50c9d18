/* cli/csv.h - a trace to a CSV file, or to standard output. */
#ifndef STAVE_CLI_CSV_H
#define STAVE_CLI_CSV_H

#include "base/os.h"
#include "cli/input.h"
#include "stave/export.h"

/* Into a file that is not committed yet. */
int cli_csv_write(const struct cli_trace *trace, struct stave__os_file *file,
                  stave_csv_counts *counts, stave_error *error);

/* To `path`, whole or not at all; "-" is standard output. CLI_DONE or, after a message,
 * CLI_MISUSE. */
int cli_csv_save(const struct cli_trace *trace, const char *path, stave_csv_counts *counts);

#endif
