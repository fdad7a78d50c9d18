/* cli/rollup.h - what `stave report` shows, as tables and as JSON. */
#ifndef STAVE_CLI_ROLLUP_H
#define STAVE_CLI_ROLLUP_H

#include "cli/contents.h"
#include "cli/input.h"
#include "stave/analyze.h"

struct cli_report {
    const struct cli_trace *trace;
    struct cli_contents contents;
    bool windowed;
    double from_us, to_us; /* what counts: the window, else all */
    bool *lanes;           /* which count */
    bool no_lane;          /* none does */
    stave_rollup *rollup;
    const stave_rollup_row **rows;  /* those to show */
    uint32_t rows_count, rows_more; /* more than the limit */
    const stave_rollup_row *
        *costly; /* of these, those that cost more than they took, the worst first */
    uint32_t costly_count;
    const stave_rollup_counter **counters;
    uint32_t counters_count;
};

void cli_report_print(const struct cli_report *report);
void cli_report_json(const struct cli_report *report);

#endif
