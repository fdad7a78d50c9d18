/* cli/growing.h - a .stave file that grows while a pipe or a device is read: others can look at it, and
 * what was read is there whatever happens.
 *
 *     struct cli_growing growing = {.path = "run.stave"};
 *     status = cli_growing_keep_up(&growing, trace, decoder, fd, &error);     // after each read
 *     status = cli_growing_finish(&growing, trace, &error);          // the rest, and the index
 *     cli_growing_close(&growing);
 */
#ifndef STAVE_CLI_GROWING_H
#define STAVE_CLI_GROWING_H

#include <stdbool.h>

#include "stave/decode.h"

struct cli_growing {
    const char *path; /* NULL: there is none, and nothing is done */
    stave_writer *writer;
    int64_t next_ms; /* when to publish again, while there is always more to read */
};

/* Whether an output can grow: standard output, a pipe or a device cannot be emptied and locked. */
bool cli_growing_is_possible(const char *path);

/* Publishes before the next read would wait, and every 100 ms. Before there is a block, the file is not
 * made. `decoder` may be NULL. */
int cli_growing_keep_up(struct cli_growing *growing, stave_trace *trace, stave_decoder *decoder,
                        int fd, stave_error *error);
int cli_growing_finish(struct cli_growing *growing, stave_trace *trace, stave_error *error);
void cli_growing_close(struct cli_growing *growing);

#endif
