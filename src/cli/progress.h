/* cli/progress.h - one line on a terminal for work that takes more than a second.
 *
 *     cli_progress_begin("reading", path);
 *     cli_progress_at(done, total);        // often; `reading FILE 43 %`, in bytes without a total
 *     cli_progress_end();                  // nothing of it is left
 *
 * On standard error, and only if that is a terminal. One work at a time.  */
#ifndef STAVE_CLI_PROGRESS_H
#define STAVE_CLI_PROGRESS_H

#include "stave/status.h"

void cli_progress_begin(const char *what, const char *name);
void cli_progress_at(uint64_t done, uint64_t total); /* total 0: not known, done counts bytes */
void cli_progress_end(void);

/* The same for the library's functions: a report that calls cli_progress_at(). */
stave_progress cli_progress_report(void);

/* Makes the line vanish until the next report, so that a message can stand there. */
void cli_progress_hide(void);

#endif
