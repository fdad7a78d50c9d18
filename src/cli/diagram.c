/* stave diagram: recordings to one page that draws them. */
#include <limits.h>
#include <stddef.h>

#include "cli/cli.h"
#include "cli/draw.h"

const struct cli_command cli_diagram = {
    .name = "diagram",
    .operands = "FILE|-...",
    .summary = "Draw recordings as an HTML page: lanes, deadlines and those that were missed",
    .details = "FILE is a recording of the etrace format, a CSV or a .stave file, told by its "
               "content; - is\n"
               "standard input. Several are drawn on one page, one below the other.\n",
    .options = cli_draw_options,
    .operands_min = 1,
    .operands_max = INT_MAX,
    .run = cli_draw,
};
