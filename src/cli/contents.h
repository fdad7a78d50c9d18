/* cli/contents.h - what a trace holds, as far as blocks tell it without their rows.
 *
 *     struct cli_contents contents;
 *     if (cli_contents_read(trace, &contents, NULL, &error) < 0) ...
 */
#ifndef STAVE_CLI_CONTENTS_H
#define STAVE_CLI_CONTENTS_H

#include "stave/trace.h"

/* Microseconds on the trace's time line; none while `any` is false. */
struct cli_range {
    bool any;
    double from_us, to_us;
};

struct cli_contents {
    uint64_t rows[STAVE_ROW_KINDS]; /* those of damaged blocks are not in it */
    uint64_t lost;                  /* sum of the gaps' values */
    uint64_t restarts;
    struct cli_range range;
};

/* The same of one lane. */
struct cli_lane_contents {
    uint64_t rows[STAVE_ROW_KINDS];
    struct cli_range range;
};

/* `lanes` may be NULL; it has room for all lanes of the trace. */
int cli_contents_read(stave_trace *trace, struct cli_contents *contents,
                      struct cli_lane_contents *lanes, stave_error *error);

#endif
