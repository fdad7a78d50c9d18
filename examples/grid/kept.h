/* kept.h - the traces that the recorder keeps of this program's commands, while it runs. */
#ifndef GRID_KEPT_H
#define GRID_KEPT_H

#include "answer.h"

/* A line for each of a command, of all if `name` is empty; newest first. What went wrong, or NULL. */
const char *kept_list(struct answer *answer, const char *name);

/* The tree of the newest command with this id. */
const char *kept_show(struct answer *answer, const char *id);

#endif
