/* bench/export.c - a trace to each format: MB/s of output, nanoseconds a span, memory.
 *
 * The traces are those of lib/calltree.c, 1 and 10 million spans, most of them in the temporary file: so reading is in
 * it. Beside them stand reading alone, and a writer that knows nothing but its rows' times and prints each by snprintf(3).
 * Each runs in a process of its own, whose peak of memory is printed less what it had before. The budget is 300 MB/s for
 * speedscope, Chrome and Perfetto, and 256 MB.  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bench.h"
#include "stave/export.h"

enum { ROUNDS = 5, READING = STAVE_EXPORT_COUNT, PRINTING, CONTENDERS };

#define CACHE ((uint64_t)32 * 1024 * 1024)

struct result {
    double seconds;
    uint64_t bytes;
    long kilobytes; /* beyond what there was before */
};

static void check(int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench_export: %s\n", stave_status_text(status));
    exit(2);
}

static int count_bytes(void *context, const void *data, size_t size)
{
    (void)data;
    *(uint64_t *)context += size;
    return STAVE_OK;
}

/* ---- contenders ------------------------------------------------------------------------------ */

static uint64_t print_block(const stave_block *block)
{
    char text[128];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < block->rows; i++)
        bytes += (uint64_t)snprintf(text, sizeof text,
                                    "{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
                                    "\"name\":\"%u\"},\n",
                                    block->lane, (double)block->start[i] / 1000.0,
                                    (double)(block->end[i] - block->start[i]) / 1000.0,
                                    stave_block_name(block, i));
    return bytes;
}

static uint64_t read_all(stave_trace *trace, bool print)
{
    stave_cursor *cursor;
    const stave_block *block;
    stave_filter spans = {.kinds = STAVE_KIND_BIT(STAVE_SPANS)};
    uint64_t bytes = 0;
    check(stave_cursor_open(trace, &spans, &cursor, NULL));
    while (stave_cursor_next(cursor, &block, NULL) > 0)
        bytes += print ? print_block(block) : block->rows * (uint64_t)36;
    stave_cursor_close(cursor);
    return bytes;
}

static uint64_t export_all(stave_trace *trace, int format)
{
    uint64_t bytes = 0;
    check(stave_export(trace, (stave_export_format)format, NULL,
                       ((stave_sink){count_bytes, &bytes}), NULL, NULL));
    return bytes;
}

/* ---- one at a time --------------------------------------------------------------------------- */

static long peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Pages that are in memory now: a new process's peak begins with its parent's. */
static long resident_kilobytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static struct result measure(stave_trace *trace, int contender)
{
    struct result result;
    long before = resident_kilobytes();
    double begin = bench_cpu_seconds();
    result.bytes = contender < STAVE_EXPORT_COUNT ? export_all(trace, contender)
                                                  : read_all(trace, contender == PRINTING);
    result.seconds = bench_cpu_seconds() - begin;
    result.kilobytes = peak_kilobytes() - before;
    return result;
}

static struct result measure_apart(stave_trace *trace, int contender)
{
    struct result result = {0};
    int ends[2];
    if (pipe(ends) != 0)
        check(STAVE_E_IO);
    pid_t child = fork();
    if (child == 0) {
        result = measure(trace, contender);
        _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &result, sizeof result) != sizeof result)
        check(STAVE_E_IO);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return result;
}

static const char *name_of(int contender)
{
    if (contender < STAVE_EXPORT_COUNT)
        return stave_export_name((stave_export_format)contender);
    return contender == READING ? "reading alone" : "peer: snprintf, as it comes";
}

static void bench(uint64_t spans)
{
    static double seconds[CONTENDERS][ROUNDS];
    struct result result[CONTENDERS];
    stave_trace *trace = bench_call_tree(spans, CACHE, false);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CONTENDERS; i++) {
            result[i] = measure_apart(trace, i);
            seconds[i][round] = result[i].seconds;
        }
    double peer = bench_median(seconds[PRINTING], ROUNDS) / (double)result[PRINTING].bytes;
    printf("%.0f million spans\n", (double)spans / 1e6);
    for (int i = 0; i < CONTENDERS; i++) {
        double median = bench_median(seconds[i], ROUNDS), bytes = (double)result[i].bytes;
        printf("  %-28s %7.1f MB/s (best %7.1f), %6.1f ns and %5.1f bytes a span, %6.2f x the "
               "peer, %4ld MB\n",
               name_of(i), bytes / median / 1e6, bytes / seconds[i][0] / 1e6,
               median * 1e9 / (double)spans, bytes / (double)spans, peer * bytes / median,
               result[i].kilobytes / 1024);
    }
    fflush(stdout);
    stave_trace_free(trace);
}

int main(void)
{
    printf("export (budget: 300 MB/s for speedscope, chrome, perfetto; 256 MB)\n");
    bench(1000 * 1000);
    bench(10 * 1000 * 1000);
    return 0;
}
