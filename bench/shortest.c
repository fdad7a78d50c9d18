/* bench/shortest.c - nanoseconds a number for base/shortest.h, beside snprintf("%.17g").
 *
 *     cc -std=c11 -O2 -DNDEBUG -Isrc bench/shortest.c src/base/shortest.c -o shortest && ./shortest
 *
 * Every round runs each printer once, so that a slow moment of the machine hits all alike. Columns:
 * the median of the rounds; the least of them, which is that of an idle machine; and how many times
 * as long snprintf takes, by medians.  */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "base/shortest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 25, NUMBERS = 32768, REPEATS = 2 };

static double ticks_us[NUMBERS];     /* what traces hold: ticks of 168 MHz in us, 16 or 17 digits */
static double any_bits[NUMBERS];     /* any finite double */
static double few_digits[NUMBERS];   /* 0.0 to 999.75 in quarters */
static int64_t nanoseconds[NUMBERS]; /* an hour of them */
static char text[STAVE__SHORTEST_MAX];
static size_t total_bytes; /* printed, so that no printer's work can be left out */

static uint64_t next_random(void)
{
    static uint64_t state = 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double finite_bits(void)
{
    uint64_t bits = next_random() & ~((uint64_t)1 << 62); /* exponents below the middle ... */
    double value;
    memcpy(&value, &bits, sizeof value);
    return next_random() & 1 ? value : 1 / value; /* ... and above */
}

static int has_16_digits(double value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.15g", value);
    return strtod(digits, NULL) != value;
}

static void make_numbers(void)
{
    for (int i = 0; i < NUMBERS; i++) {
        do
            ticks_us[i] = (double)(next_random() >> 28) * 1e6 / 168e6;
        while (!has_16_digits(ticks_us[i]));
        do
            any_bits[i] = finite_bits();
        while (any_bits[i] - any_bits[i] != 0); /* infinite */
        few_digits[i] = (double)(next_random() % 4000) / 4;
        nanoseconds[i] = (int64_t)(next_random() % 3600000000000);
    }
}

static size_t run_shortest(void)
{
    size_t bytes = 0;
    for (int i = 0; i < NUMBERS; i++)
        bytes += stave__shortest(ticks_us[i], text);
    return bytes;
}

static size_t run_any_bits(void)
{
    size_t bytes = 0;
    for (int i = 0; i < NUMBERS; i++)
        bytes += stave__shortest(any_bits[i], text);
    return bytes;
}

static size_t run_few_digits(void)
{
    size_t bytes = 0;
    for (int i = 0; i < NUMBERS; i++)
        bytes += stave__shortest(few_digits[i], text);
    return bytes;
}

static size_t run_thousandths(void)
{
    size_t bytes = 0;
    for (int i = 0; i < NUMBERS; i++)
        bytes += stave__shortest_thousandths(nanoseconds[i], text);
    return bytes;
}

static size_t run_u64(void)
{
    size_t bytes = 0;
    for (int i = 0; i < NUMBERS; i++)
        bytes += stave__u64_text((uint64_t)nanoseconds[i], text);
    return bytes;
}

static size_t run_snprintf(void)
{
    size_t bytes = 0;
    for (int i = 0; i < NUMBERS; i++)
        bytes += (size_t)snprintf(text, sizeof text, "%.17g", ticks_us[i]);
    return bytes;
}

static const struct printer {
    const char *name;
    size_t (*run)(void); /* all numbers once */
} printers[] = {
    {"shortest, 16-17 digits", run_shortest},
    {"shortest, any bits", run_any_bits},
    {"shortest, quarters", run_few_digits},
    {"thousandths", run_thousandths},
    {"u64", run_u64},
    {"snprintf %.17g", run_snprintf},
};
enum { PRINTERS = sizeof printers / sizeof printers[0], SNPRINTF = PRINTERS - 1 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double measure_ns(const struct printer *printer)
{
    int repeats = printer->run == run_snprintf ? 1 : REPEATS;
    double start = now_ns();
    for (int repeat = 0; repeat < repeats; repeat++)
        total_bytes += printer->run();
    return (now_ns() - start) / repeats / NUMBERS;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static double rounds[PRINTERS][ROUNDS];

    make_numbers();
    for (int round = 0; round < ROUNDS; round++)
        for (int p = 0; p < PRINTERS; p++)
            rounds[p][round] = measure_ns(&printers[p]);
    for (int p = 0; p < PRINTERS; p++)
        qsort(rounds[p], ROUNDS, sizeof rounds[p][0], compare_doubles);

    printf("%-24s %9s %9s %9s\n", "", "median ns", "least ns", "snprintf");
    for (int p = 0; p < PRINTERS; p++)
        printf("%-24s %9.1f %9.1f %8.1fx\n", printers[p].name, rounds[p][ROUNDS / 2], rounds[p][0],
               rounds[SNPRINTF][ROUNDS / 2] / rounds[p][ROUNDS / 2]);
    printf("(%zu bytes)\n", total_bytes);
    return 0;
}
