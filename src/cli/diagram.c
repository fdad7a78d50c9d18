/* stave diagram: recordings to one page that draws them. */
#include <limits.h>
#include <stddef.h>

#include "cli/cli.h"
#include "cli/draw.h"

static struct cli_drawing drawing;

static const struct cli_option options[] = {
    {"-o, --output", "FILE", &drawing.output, NULL,
     "where the page goes (" CLI_DRAW_OUTPUT "), - for standard output"},
    {"--title", "TEXT", &drawing.title, NULL, "what the page calls itself"},
    {"--strict", NULL, NULL, &drawing.strict,
     "exit with 1 if anything was lost, is damaged or left out"},
    {0},
};

static int run(int operands_count, char **operands)
{
    return cli_draw(&drawing, operands_count, operands);
}

const struct cli_command cli_diagram = {
    .name = "diagram",
    .operands = "FILE|-...",
    .summary = "Draw recordings as an HTML page: lanes, deadlines and those that were missed",
    .details = "FILE is a recording of the etrace format, a CSV or a .stave file, told by its "
               "content; - is\n"
               "standard input. Several are drawn on one page, one below the other.\n",
    .options = options,
    .operands_min = 1,
    .operands_max = INT_MAX,
    .run = run,
};
