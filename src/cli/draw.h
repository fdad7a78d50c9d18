/* cli/draw.h - recordings to a page with their timing diagram: the work of `stave diagram` and
 * `etrace-diagram`. */
#ifndef STAVE_CLI_DRAW_H
#define STAVE_CLI_DRAW_H

#include "cli/cli.h"

extern const struct cli_option cli_draw_options[];

/* Draws `count` recordings as the options say, one below the other, and prints what the page holds: what
 * the command exits with. */
int cli_draw(int count, char **paths);

#endif
