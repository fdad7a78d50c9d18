/* clips/command/engine.h - the environment of `stave-clips`: files, messages, one run.  */
#ifndef STAVE_CLIPS_ENGINE_H
#define STAVE_CLIPS_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

/* An environment, attached. NULL: there is no memory for one, which was said. */
void *engine_new(bool details);

/* The constructs of a file. False: it cannot be read, or has errors, each of which was printed with file and line. */
bool engine_load(void *clips, const char *path);

enum engine_end {
    ENGINE_DONE,    /* the agenda is empty, a rule has called (halt), or --firings are reached */
    ENGINE_EXIT,    /* a rule has called (exit); the environment cannot be used any more */
    ENGINE_ERROR,   /* an error in a rule's actions */
    ENGINE_STOPPED, /* by SIGINT or SIGTERM */
    ENGINE_NO_RESET /* an error while facts were asserted: nothing was run */
};

/* Resets, and runs, in a run of Stave's. A second signal ends the program. */
enum engine_end engine_run(void *clips, int64_t firings_max);

/* How many there are, in all modules. */
struct engine_count {
    unsigned long rules, activations;
};

struct engine_count engine_count(void *clips);

void engine_free(void *clips, enum engine_end end);

#endif
