/* bench/store.c - .stave files of 1 and of 10 million spans: written, opened, read, rolled up.
 *
 * Each work is done on both files in turn; what is printed are medians, and how many times as long
 * the ten times larger one takes.  */
#define _DEFAULT_SOURCE /* mkstemp */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bench.h"
#include "stave/analyze.h"

enum { ROUNDS = 5, SIZES = 2 };

static const uint64_t sizes[SIZES] = {1000000, 10000000};

struct file {
    char path[32];
    uint64_t spans;
};

static struct file files[SIZES];
static volatile uint64_t result; /* so that no work can be left out */

static void check(int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench_store: %s\n", stave_status_text(status));
    exit(2);
}

static int write_file(void *context, const void *data, size_t size)
{
    return fwrite(data, 1, size, context) == size ? STAVE_OK : STAVE_E_IO;
}

/* ---- the works ------------------------------------------------------------------------------- */

static stave_trace *open_file(const struct file *file)
{
    stave_trace *trace;
    check(stave_trace_open(file->path, NULL, &trace, NULL));
    return trace;
}

/* The limit of all that reads the file. */
static void read_bytes(const struct file *file)
{
    static char buffer[256 * 1024];
    int fd = open(file->path, O_RDONLY);
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0)
        result += (uint64_t)buffer[0];
    close(fd);
}

static void open_only(const struct file *file)
{
    stave_trace_free(open_file(file));
}

static void read_rows(const struct file *file)
{
    stave_trace *trace = open_file(file);
    stave_cursor *cursor;
    const stave_block *block;
    uint64_t ticks = 0;
    check(stave_cursor_open(trace, NULL, &cursor, NULL));
    while (stave_cursor_next(cursor, &block, NULL) > 0)
        for (uint32_t i = 0; i < block->rows; i++)
            ticks += (uint64_t)(block->end[i] - block->start[i]);
    result = ticks;
    stave_cursor_close(cursor);
    stave_trace_free(trace);
}

static void roll_up(const struct file *file)
{
    stave_trace *trace = open_file(file);
    stave_rollup *rollup;
    check(stave_rollup_new(trace, NULL, &rollup, NULL));
    result = stave_rollup_rows(rollup);
    stave_rollup_free(rollup);
    stave_trace_free(trace);
}

static const struct work {
    const char *name;
    void (*run)(const struct file *file);
} works[] = {
    {"limit: read(2) of its bytes", read_bytes},
    {"open", open_only},
    {"open, decode every row", read_rows},
    {"open, roll up", roll_up},
};
#define WORKS (sizeof works / sizeof works[0])

/* ---- making the files ------------------------------------------------------------------------ */

static void write_trace(const struct file *file, FILE *to)
{
    stave_trace *trace = bench_call_tree(file->spans, (uint64_t)4 << 30, false);
    stave_sink sink = {.write = write_file, .context = to};
    double begin = bench_cpu_seconds();
    check(stave_trace_save(trace, sink, NULL, NULL));
    double seconds = bench_cpu_seconds() - begin, spans = (double)file->spans;
    printf(
        "%6.1f million spans written: %5.1f million spans/s, %.2f bytes a span (budget: 5, 16)\n",
        spans / 1e6, spans / seconds / 1e6, (double)ftell(to) / spans);
    stave_trace_free(trace);
    check(fclose(to) == 0 ? STAVE_OK : STAVE_E_IO);
}

/* In a process of its own, so that the peak memory below is that of reading. */
static void make_file(struct file *file, uint64_t spans)
{
    int status = 0;
    file->spans = spans;
    snprintf(file->path, sizeof file->path, "/tmp/stave-XXXXXX");
    int fd = mkstemp(file->path);
    fflush(stdout);
    pid_t child = fd >= 0 ? fork() : -1;
    if (child == 0) {
        write_trace(file, fdopen(fd, "wb"));
        fflush(stdout);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
        perror("bench_store");
        exit(2);
    }
    close(fd);
}

static double seconds_of[WORKS][SIZES][ROUNDS];

static void measure(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t w = 0; w < WORKS; w++) {
            for (size_t s = 0; s < SIZES; s++) {
                double begin = bench_cpu_seconds();
                works[w].run(&files[s]);
                seconds_of[w][s][round] = bench_cpu_seconds() - begin;
            }
        }
    }
}

int main(void)
{
    struct rusage usage;
    for (size_t s = 0; s < SIZES; s++)
        make_file(&files[s], sizes[s]);
    measure();
    printf(
        "CPU time, medians of %d (budgets: 10 million opened in 200 ms, rolled up in 2000 ms; ten "
        "times as many in at most 11 times as long)\n",
        ROUNDS);
    for (size_t w = 0; w < WORKS; w++) {
        double median[SIZES];
        for (size_t s = 0; s < SIZES; s++)
            median[s] = bench_median(seconds_of[w][s], ROUNDS);
        printf("  %-28s %9.2f ms %9.2f ms  %6.2f times; %6.1f ns a span\n", works[w].name,
               median[0] * 1e3, median[1] * 1e3, median[1] / median[0],
               median[1] / (double)sizes[1] * 1e9);
    }
    for (size_t s = 0; s < SIZES; s++)
        unlink(files[s].path);
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory %.1f MB, of which 32 MiB are the cache's\n",
           (double)usage.ru_maxrss / 1000);
    return 0;
}
