/* bench/lib/bench.h - what benchmarks share: interleaved rounds and their medians, a recording.
 *
 * Every round runs each contender once, one after another, so that a slow moment of a shared machine
 * hits all alike; what is printed is each one's median, its best (what the code can do when
 * nobody else runs), and the ratio of its median to the first's. CPU time, not wall time, unless it
 * says so.  */
#ifndef STAVE_BENCH_H
#define STAVE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stave/trace.h"

struct bench_contender {
    const char *name;
    double (*run)(void); /* the work done, in the unit that is printed, such as bytes */
};

/* `unit` a second, of `scale` each: {"MB/s", 1e6}. */
void bench_run(const struct bench_contender *contenders, size_t count, int rounds, const char *unit,
               double scale);

/* Sorts the values. */
double bench_median(double *values, int count);

double bench_cpu_seconds(void);
double bench_wall_seconds(void);
double bench_thread_seconds(void); /* of CPU time, the calling thread's alone */

/* Version 2 frames of a device with two tasks, two ISRs and a marker, 9 events of 10 to 14 bytes a
 * round, the dictionary every 2 s; at least `size` bytes, to be freed. */
uint8_t *bench_recording(size_t size, size_t *actual_size);

/* A trace of at least `spans` spans as a server's threads make them: four lanes, 200 names, 4 to 12
 * deep, some recursion, durations from 30 ns to seconds; with `attached`, a root in a hundred has its
 * parent on another lane. Ends the program when there is no memory. */
stave_trace *bench_call_tree(uint64_t spans, uint64_t cache_bytes, bool attached);

#endif
