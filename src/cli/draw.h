/* cli/draw.h - recordings to a page with their timing diagram: the work of `stave diagram` and
 * `etrace-diagram`. */
#ifndef STAVE_CLI_DRAW_H
#define STAVE_CLI_DRAW_H

#include <stdbool.h>

#define CLI_DRAW_OUTPUT "diagram.html" /* by default */

struct cli_drawing {
    const char *output; /* where the page goes; NULL: CLI_DRAW_OUTPUT */
    const char *title;  /* NULL: the names of the recordings */
    bool strict;
};

/* Draws `count` recordings, one below the other, and prints what the page holds: what the command exits
 * with. */
int cli_draw(const struct cli_drawing *drawing, int count, char **paths);

#endif
