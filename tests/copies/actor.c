/* Compiled into each program and plugin, under a name of its own: ACTOR_NAME, ACTOR_FUNCTION. */
#include "actor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stave/stave.h"

/* As if compiled with the header of another version. */
#ifdef ACTOR_ABI
#undef STAVE_ABI
#define STAVE_ABI ACTOR_ABI
#endif

static void start(void)
{
    stave_error error = {0};
    int status = stave_start(NULL, &error);
    printf(ACTOR_NAME " start %d %s\n", status, error.message);
}

/* All kinds of probes. */
static void work(void)
{
    STAVE_TRACE(ACTOR_NAME " root", STAVE_ID(7));
    STAVE_SPAN(span, ACTOR_NAME " span", STAVE_KV("text", ACTOR_NAME), STAVE_KV("number", 7));
    STAVE_SET(span, "more", 1);
    stave_set_u64(span, "run-time", 1);
    for (int i = 0; i < 3; i++) {
        STAVE_CUMULATIVE(ACTOR_NAME " sum");
        STAVE_SCOPE(ACTOR_NAME " inside");
    }
    STAVE_MARK(ACTOR_NAME " mark", STAVE_KV("value", 5));
    STAVE_COUNTER(ACTOR_NAME " counter", 3);
    stave_thread_name(ACTOR_NAME " thread");
    stave_span named = stave_begin(stave_name_intern(ACTOR_NAME " named"));
    stave_fail(named, ACTOR_NAME " reason");
    stave_end(named);
}

static void print_counts(void)
{
    stave_counts counts;
    stave_get_counts(&counts);
    printf(ACTOR_NAME " counts recorded=%" PRIu64 " dropped_site=%" PRIu64 " dropped_abi=%" PRIu64
                      "\n",
           counts.recorded, counts.dropped_site, counts.dropped_abi);
}

static void dump(const char *path)
{
    stave_error error = {0};
    int status = stave_dump(path, &error);
    printf(ACTOR_NAME " dump %d %s\n", status, error.message);
}

int ACTOR_FUNCTION(const char *step, const char *argument)
{
    if (strcmp(step, "start") == 0)
        start();
    else if (strcmp(step, "stop") == 0)
        stave_stop();
    else if (strcmp(step, "work") == 0)
        work();
    else if (strcmp(step, "counts") == 0)
        print_counts();
    else if (strcmp(step, "on") == 0)
        printf(ACTOR_NAME " on %d\n", stave_is_enabled());
    else if (strcmp(step, "dump") == 0)
        dump(argument);
    else
        return -1;
    return 0;
}
