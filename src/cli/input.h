/* cli/input.h - the one opener: whatever the user names becomes a trace.
 *
 *     struct cli_trace trace;
 *     int exit_status = cli_trace_open("recording.bin", NULL, &trace);
 *     if (exit_status != CLI_DONE)
 *         return exit_status;                 // the message is written
 *     ...
 *     cli_trace_warn(&trace);                 // cli/loss.h: what was lost, skipped, doubtful
 *     cli_trace_close(&trace);
 *
 * What it is shows in its first bytes: the magic of a .stave file, a CSV's first line, else a device's
 * recording.  */
#ifndef STAVE_CLI_INPUT_H
#define STAVE_CLI_INPUT_H

#include "base/os.h"
#include "stave/decode.h"

enum cli_input_kind { CLI_ETRACE, CLI_CSV, CLI_STAVE };

struct cli_trace {
    const char *name; /* of the input, as messages show it */
    enum cli_input_kind kind;
    struct stave__os_identity input;
    stave_trace *trace;
    bool decoded;             /* `stats` are a decoder's, now or when the file was made; ... */
    stave_decode_stats stats; /* ... else only rows are counted */
    stave_csv_reader_stats csv;
    const char *growing_into; /* the .stave file that was written while it was read; or NULL */
};

/* "-" is standard input. An interrupt (SIGINT, SIGTERM) while a pipe or a device is read ends the
 * recording there, so that a live one can be stopped and is kept. CLI_DONE, or CLI_MISUSE after a
 * message. */
int cli_trace_open(const char *path, const char *grow_into, struct cli_trace *trace);

/* The same for a .stave file, and nothing else; `config` is the library's. */
int cli_trace_open_stave(const char *path, const stave_trace_config *config,
                         struct cli_trace *trace);

void cli_trace_close(struct cli_trace *trace);

/* Opens, uses, warns and closes, as every command on one recording does: what it exits with. A pipe or
 * a device is written to the .stave file `grow_into` while it is read, if that can grow; NULL: to none. */
int cli_trace_run(const char *path, bool strict, const char *grow_into,
                  int (*use)(const struct cli_trace *trace, const char *path));

#endif
