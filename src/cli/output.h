/* cli/output.h - where a command's files go: whole or not at all, never onto the input by accident.
 *
 *     static int write(void *context, stave_sink sink, stave_error *error) { ... }
 *     struct cli_output output = {.path = path, .what = "the CSV", .input = &trace->input};
 *     int exit_status = cli_output_write(&output, write, context);
 */
#ifndef STAVE_CLI_OUTPUT_H
#define STAVE_CLI_OUTPUT_H

#include "base/os.h"

struct cli_output {
    const char *path;                       /* "-" and /dev/stdout are standard output */
    const char *what;                       /* it is, for a message */
    const struct stave__os_identity *input; /* must not be this; NULL: may be anything */
    bool binary;                            /* a terminal is not sent it */
    /* set by cli_output_write() */
    uint64_t bytes;
    bool regular; /* it went to a regular file, so that there is room to say more on stdout */
};

bool cli_is_stdout(const char *path);

/* Behind the last slash that has something behind it. */
const char *cli_last_part(const char *path);

/* Bytes to a descriptor that is open; `name` is what errors call it. */
struct cli_fd_sink {
    int fd;
    const char *name;
    stave_error *error; /* keeps the system's own reason */
    uint64_t bytes;     /* written */
};
stave_sink cli_fd_sink(struct cli_fd_sink *sink);

/* False after a message, when the output is the input itself, or a terminal that should not be. */
bool cli_output_allowed(const struct cli_output *output);

/* Calls `write`, which writes the whole output; a file that is there is locked before. When it fails
 * without setting an error, it has written a message itself. CLI_DONE, or CLI_MISUSE after a message. */
int cli_output_write(struct cli_output *output,
                     int (*write)(void *context, stave_sink sink, stave_error *error),
                     void *context);

#endif
