#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "lib/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS_MAX 101
#define CONTENDERS_MAX 16

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double bench_cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_wall_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double bench_thread_seconds(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

void bench_run(const struct bench_contender *contenders, size_t count, int rounds, const char *unit,
               double scale)
{
    static double rates[CONTENDERS_MAX][ROUNDS_MAX];
    double first = 0;
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            double begin = bench_cpu_seconds();
            double work = contenders[i].run();
            rates[i][round] = work / (bench_cpu_seconds() - begin) / scale;
        }
    }
    for (size_t i = 0; i < count; i++) {
        double rate = bench_median(rates[i], rounds);
        first = i == 0 ? rate : first;
        printf("  %-42s %8.1f %s, best %8.1f, %6.3f of the first\n", contenders[i].name, rate, unit,
               rates[i][rounds - 1], rate / first);
    }
}
