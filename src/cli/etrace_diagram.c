/* etrace-diagram: the latest CSV of etrace-decode, or the one that is named, to a page that draws it. */
#include <stddef.h>

#include "base/os.h"
#include "cli/cli.h"
#include "cli/draw.h"

static char latest[][24] = {"trace_latest.csv", "data/trace_latest.csv"};

static int run(int operands_count, char **operands)
{
    if (operands_count > 0)
        return cli_draw(operands_count, operands);
    for (size_t i = 0; i < sizeof latest / sizeof latest[0]; i++) {
        char *path = latest[i];
        if (stave__os_is_there(path))
            return cli_draw(1, &path);
    }
    cli_message("there is neither %s nor %s; name a CSV, or make one: etrace-decode recording.bin",
                latest[0], latest[1]);
    return CLI_MISUSE;
}

const struct cli_command cli_etrace_diagram = {
    .name = "etrace-diagram",
    .operands = "[CSV]",
    .summary =
        "Draw a CSV, by default trace_latest.csv, else data/trace_latest.csv, as an HTML page",
    .details = "CSV may also be a recording of the etrace format or a .stave file, told by its "
               "content; - is\n"
               "standard input. `stave diagram` draws several on one page.\n",
    .options = cli_draw_options,
    .operands_min = 0,
    .operands_max = 1,
    .run = run,
};
