/* bench/decode.c - from a device's bytes to a trace and a CSV: how fast, and how near to the limits.
 *
 *     bench_decode [COMMAND]        COMMAND: the `stave` to be timed, else the one beside this program
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/framer.h"
#include "lib/bench.h"
#include "stave/decode.h"
#include "stave/export.h"
#include "wire/event.h"

enum { ROUNDS = 25, MEMORY_BYTES = 24 * 1000 * 1000, FILE_BYTES = 100 * 1000 * 1000 };

static uint8_t *recording;
static size_t recording_size;
static volatile uint64_t result; /* so that no work can be left out */

static void check(int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench_decode: %s\n", stave_status_text(status));
    exit(2);
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* The limit: every byte is looked at once. */
static double read_bytes(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i + 8 <= recording_size; i += 8) {
        uint64_t word;
        memcpy(&word, recording + i, 8);
        sum += word;
    }
    result = sum;
    return (double)recording_size;
}

/* From length to length: where the next frame begins depends on this one. */
static double hop_frames(void)
{
    size_t frames = 0;
    for (size_t at = 0; at < recording_size; at += 1 + (size_t)recording[at])
        frames++;
    result = frames;
    return (double)recording_size;
}

static double parse_usual(void)
{
    uint64_t sum = 0;
    struct wire_event event = {0};
    struct stave__frame frame;
    for (size_t at = 0; at + WIRE_EVENT_ROOM <= recording_size;) {
        size_t size = wire_event_decode(recording + at, &event);
        if (size == 0) {
            stave__framer_read(WIRE_VERSION_2, recording + at, recording_size - at, &frame);
            size = frame.size;
        }
        sum += event.sequence;
        at += size;
    }
    result = sum;
    return (double)recording_size;
}

static double parse_any(void)
{
    uint64_t sum = 0;
    struct stave__frame frame;
    for (size_t at = 0; at < recording_size; at += frame.size) {
        if (stave__framer_read(WIRE_VERSION_2, recording + at, recording_size - at, &frame) !=
            STAVE__FRAME)
            check(STAVE_E_FORMAT);
        sum += frame.fields.sequence;
    }
    result = sum;
    return (double)recording_size;
}

static stave_trace *decode(uint64_t cache_bytes)
{
    stave_trace_config config = {.cache_bytes = cache_bytes};
    stave_trace *trace;
    stave_decoder *decoder;
    stave_decode_stats stats;
    check(stave_trace_new(&config, &trace, NULL));
    check(stave_decoder_new(NULL, trace, &decoder, NULL));
    check(stave_decoder_feed(decoder, recording, recording_size, NULL));
    check(stave_decoder_finish(decoder, NULL));
    stave_decoder_stats(decoder, &stats);
    result = stats.spans;
    stave_decoder_free(decoder);
    return trace;
}

static double decode_in_memory(void)
{
    stave_trace_free(decode(UINT64_C(1) << 32));
    return (double)recording_size;
}

static double decode_with_spilling(void)
{
    stave_trace_free(decode(0));
    return (double)recording_size;
}

static void bench_decoding(void)
{
    static const struct bench_contender contenders[] = {
        {"limit: hop from length to length", hop_frames},
        {"limit: read each byte", read_bytes},
        {"frames parsed, the usual ones fast", parse_usual},
        {"frames parsed, all the general way", parse_any},
        {"decoded into a trace in memory", decode_in_memory},
        {"decoded into a trace, 32 MiB in memory", decode_with_spilling},
    };
    printf("decoding %.0f MB of etrace frames from memory (budget: 500 MB/s)\n",
           (double)recording_size / 1e6);
    bench_run(contenders, sizeof contenders / sizeof contenders[0], ROUNDS, "MB/s", 1e6);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static stave_trace *trace;
static size_t csv_bytes;

static int count_bytes(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    csv_bytes += size;
    return STAVE_OK;
}

static double export_csv(void)
{
    csv_bytes = 0;
    check(stave_export_csv(trace, (stave_sink){.write = count_bytes}, NULL, NULL));
    return (double)csv_bytes;
}

/* A peer: the same spans by printf, without the shortest digits. */
static double print_csv(void)
{
    char line[256];
    size_t bytes = 0;
    stave_filter filter = {.kinds = STAVE_KIND_BIT(STAVE_SPANS)};
    stave_cursor *cursor;
    const stave_block *block;
    check(stave_cursor_open(trace, &filter, &cursor, NULL));
    while (stave_cursor_next(cursor, &block, NULL) > 0) {
        const char *name =
            stave_trace_string(trace, stave_trace_lane(trace, block->lane)->name, NULL);
        for (uint32_t i = 0; i < block->rows; i++)
            bytes += (size_t)snprintf(line, sizeof line, "%s,task,%.3f,%.3f,%u,,,0\n", name,
                                      (double)block->start[i] / 1000.0,
                                      (double)block->end[i] / 1000.0, 4u);
    }
    stave_cursor_close(cursor);
    return (double)bytes;
}

static void bench_csv(void)
{
    static const struct bench_contender contenders[] = {
        {"peer: spans only, snprintf(\"%.3f\")", print_csv},
        {"stave_export_csv", export_csv},
    };
    trace = decode(UINT64_C(1) << 32);
    printf("CSV from a trace in memory, MB/s of CSV\n");
    bench_run(contenders, 2, ROUNDS, "MB/s", 1e6);
    stave_trace_free(trace);
}

/* ---- the whole command ----------------------------------------------------------------------- */

static void write_recording(const char *path)
{
    size_t size;
    uint8_t *bytes = bench_recording(FILE_BYTES, &size);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        check(STAVE_E_IO);
    free(bytes);
}

static struct rusage run_command(const char *stave, const char *input, const char *csv)
{
    struct rusage usage = {0};
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        freopen("/dev/null", "w", stdout);
        execl(stave, stave, "decode", input, "--csv", csv, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0)
        check(STAVE_E_IO);
    return usage;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void bench_command(const char *stave)
{
    char dir[] = "/tmp/stave-bench-XXXXXX";
    char input[64], csv[64];
    struct stat status;
    if (mkdtemp(dir) == NULL)
        check(STAVE_E_IO);
    snprintf(input, sizeof input, "%s/recording.bin", dir);
    snprintf(csv, sizeof csv, "%s/out.csv", dir);
    write_recording(input);
    printf("whole command: stave decode recording.bin --csv out.csv, a recording of 100 MB "
           "(budget: 150 MB/s of CSV)\n");
    for (int round = 0; round < 5; round++) {
        double begin = bench_wall_seconds();
        struct rusage usage = run_command(stave, input, csv);
        double wall = bench_wall_seconds() - begin;
        double cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
        stat(csv, &status);
        printf("  %.0f MB of CSV: wall %.2f s, %.0f MB/s; CPU %.2f s, %.0f MB/s; peak memory "
               "%.1f MB\n",
               (double)status.st_size / 1e6, wall, (double)status.st_size / 1e6 / wall, cpu,
               (double)status.st_size / 1e6 / cpu, (double)usage.ru_maxrss / 1e3);
        unlink(csv);
    }
    unlink(input);
    rmdir(dir);
}

/* `stave` in the folder of this program. */
static const char *neighbour(const char *self)
{
    static char path[4096];
    const char *slash = strrchr(self, '/');
    snprintf(path, sizeof path, "%.*sstave", slash != NULL ? (int)(slash + 1 - self) : 0, self);
    return path;
}

int main(int argc, char **argv)
{
    recording = bench_recording(MEMORY_BYTES, &recording_size);
    bench_decoding();
    bench_csv();
    free(recording);
    bench_command(argc > 1 ? argv[1] : neighbour(argv[0]));
    return 0;
}
