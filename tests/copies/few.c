/* Instead of actor.c: one that needs little of the library, so that what a program exports for it, or an
 * archive brings, is not all. */
#include <stdio.h>
#include <string.h>

#include "actor.h"
#include "stave/stave.h"

int ACTOR_FUNCTION(const char *step, const char *argument)
{
    stave_error error = {0};
    (void)argument;
    if (strcmp(step, "start") == 0) {
        int status = stave_start(NULL, &error);
        printf(ACTOR_NAME " start %d %s\n", status, error.message);
    } else if (strcmp(step, "work") == 0) {
        STAVE_SCOPE(ACTOR_NAME " span");
    } else {
        return -1;
    }
    return 0;
}
