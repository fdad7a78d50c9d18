/* actor.h - what a program or a plugin does with the libstave that it is linked with. */
#ifndef COPIES_ACTOR_H
#define COPIES_ACTOR_H

/* start, stop, work, counts, on, dump FILE: does it, and prints `ACTOR STEP RESULT` where there is one. */
typedef int actor_step(const char *step, const char *argument);

__attribute__((visibility("default"))) actor_step ACTOR_FUNCTION;

#endif
