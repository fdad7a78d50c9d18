/* cli/loss.h - what of a recording was lost, is damaged or in doubt. */
#ifndef STAVE_CLI_LOSS_H
#define STAVE_CLI_LOSS_H

#include "cli/input.h"

/* The counters of the decoder that made a file, from its properties; without such, of its rows. */
int cli_trace_recall(struct cli_trace *trace, stave_error *error);

/* On standard error, a line for each; after the work, since damage shows when it is read. */
void cli_trace_warn(const struct cli_trace *trace);

/* Whether anything was lost, skipped, left unresolved or shown at a time that is not known: what
 * --strict does not bear. */
bool cli_trace_is_lossy(const struct cli_trace *trace);

#endif
