/* cli/input.h - the one opener: whatever the user names becomes a trace.
 *
 *     struct cli_trace trace;
 *     int exit_status = cli_trace_open("recording.bin", &trace);
 *     if (exit_status != CLI_DONE)
 *         return exit_status;                 // the message is written
 *     cli_trace_warn(&trace);                 // what was lost, skipped, doubtful: standard error
 *     ...
 *     cli_trace_close(&trace);
 */
#ifndef STAVE_CLI_INPUT_H
#define STAVE_CLI_INPUT_H

#include "base/os.h"
#include "stave/decode.h"

struct cli_trace {
    const char *name; /* of the input, as messages show it */
    struct stave__os_identity input;
    stave_trace *trace;
    stave_decode_stats stats;
};

/* "-" is standard input. An interrupt (SIGINT, SIGTERM) while a pipe or a device is read ends the
 * recording there, so that a live one can be stopped and is kept. CLI_DONE, or CLI_MISUSE after a
 * message. */
int cli_trace_open(const char *path, struct cli_trace *trace);
void cli_trace_close(struct cli_trace *trace);

/* Opens, uses, warns and closes, as every command on one recording does: what it exits with. */
int cli_trace_run(const char *path, bool strict,
                  int (*use)(const struct cli_trace *trace, const char *path));

void cli_trace_warn(const struct cli_trace *trace);

/* Whether anything was lost, skipped, left unresolved or shown at a time that is not known: what
 * --strict does not bear. */
bool cli_trace_is_lossy(const struct cli_trace *trace);

#endif
