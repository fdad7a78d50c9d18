/* bench/record/loops.h - what is measured: each does one thing RECORD_TIMES times. */
#ifndef STAVE_BENCH_RECORD_LOOPS_H
#define STAVE_BENCH_RECORD_LOOPS_H

#include <stdint.h>

enum { RECORD_TIMES = 100000 };

/* As much as the recorder has by default: the floor writes to as much memory. */
#define RECORD_BYTES ((uint64_t)64 * 1024 * 1024)

/* What the loops stand around; it keeps compilers from joining one round of a loop with the next. */
#define RECORD_WORK() __asm__ volatile("" ::: "memory")

/* name; loop_NAME() around nothing, busy_NAME() around code that keeps the core busy */
#define RECORD_LOOPS(X)                                                                            \
    X(empty)                                                                                       \
    X(floor) /* two counter readings and one 32-byte store */                                      \
    X(span)                                                                                        \
    X(integer)                                                                                     \
    X(string)                                                                                      \
    X(function)                                                                                    \
    X(mark)                                                                                        \
    X(cumulative)                                                                                  \
    X(handle)                                                                                      \
    X(root)
#define RECORD_LOOP(name)                                                                          \
    void loop_##name(void);                                                                        \
    void busy_##name(void);
RECORD_LOOPS(RECORD_LOOP)
#undef RECORD_LOOP

void loop_span_disabled(void); /* compiled with STAVE_DISABLED */

/* instrumented.c: an empty function compiled with -finstrument-functions or -pg. */
void loop_instrumented(void);

#endif
