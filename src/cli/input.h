/* cli/input.h - the one opener: whatever the user names becomes a trace.
 *
 *     struct cli_trace trace;
 *     int exit_status = cli_trace_open("recording.bin", &(struct cli_opening){0}, &trace);
 *     if (exit_status != CLI_DONE)
 *         return exit_status;                 // the message is written
 *     ...
 *     return cli_trace_end(&trace, exit_status);
 *
 * What it is shows in its first bytes: the magic of a .stave file, a CSV's first row, else a device's
 * recording.  */
#ifndef STAVE_CLI_INPUT_H
#define STAVE_CLI_INPUT_H

#include "base/os.h"
#include "stave/decode.h"

enum cli_input_kind { CLI_ETRACE, CLI_CSV, CLI_STAVE };

/* How an input is opened; zero is what most commands want. */
struct cli_opening {
    bool strict; /* loss is an answer of no, so all of it is looked for */
    /* A pipe or a device is written to this .stave file while it is read, if that can grow. */
    const char *grow_into;
    stave_csv_reader_config csv; /* of dropped rows it is the opener who is told, and warns */
};

struct cli_trace {
    const char *name; /* of the input, as messages show it */
    bool strict;
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
int cli_trace_open(const char *path, const struct cli_opening *how, struct cli_trace *trace);

/* The same for a .stave file, and nothing else; `config` is the library's. */
int cli_trace_open_stave(const char *path, const stave_trace_config *config,
                         struct cli_trace *trace);

void cli_trace_close(struct cli_trace *trace);

/* Whether there is a span, a marker, a gap or a restart in it. */
bool cli_trace_has_events(const struct cli_trace *trace);

/* The end of a command's work on a trace that it has opened: warns of what was lost, skipped, doubtful,
 * and closes. What it exits with: `exit_status`, or CLI_NO where that was CLI_DONE and strict does not
 * bear the loss. */
int cli_trace_end(struct cli_trace *trace, int exit_status);

/* Opens, uses and ends, as every command on one recording does: what it exits with. */
int cli_trace_run(const char *path, const struct cli_opening *how,
                  int (*use)(const struct cli_trace *trace, const char *path));

#endif
