/* commands.h - a line of text to a command, and to its answer.
 *
 *     struct session session;
 *     session_begin(&session, table, false, "c1");
 *     session_run(&session, "Navigate page-down");        // session.answer.text
 *     session_end(&session);
 */
#ifndef GRID_COMMANDS_H
#define GRID_COMMANDS_H

#include "answer.h"
#include "grid.h"

/* What a client has. One thread at a time. */
struct session {
    const char *client;
    struct grid *grid;
    unsigned requests; /* so far */
    unsigned refused;
    struct answer answer; /* to the last one */
};

bool session_begin(struct session *session, const struct table *table, bool has_index,
                   const char *client); /* false: no memory */
void session_end(struct session *session);

void session_run(struct session *session, const char *line);

/* The commands and their arguments, a line each. */
void commands_list(struct answer *answer);

#endif
