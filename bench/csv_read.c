/* bench/csv_read.c - from a CSV to a trace: how fast, and what of it is looking at the bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/csv_split.h"
#include "lib/bench.h"
#include "stave/decode.h"
#include "stave/export.h"

enum { ROUNDS = 15, RECORDING_BYTES = 6 * 1000 * 1000, CHUNK = 64 * 1024 };

static char *csv;
static size_t csv_size, csv_room;
static volatile uint64_t result; /* so that no work can be left out */

static void check(int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench_csv_read: %s\n", stave_status_text(status));
    exit(2);
}

/* ---- the CSV --------------------------------------------------------------------------------- */

static int append(void *context, const void *data, size_t size)
{
    (void)context;
    if (csv_size + size > csv_room) {
        csv_room = 2 * (csv_size + size);
        csv = realloc(csv, csv_room);
        if (csv == NULL)
            return STAVE_E_MEMORY;
    }
    memcpy(csv + csv_size, data, size);
    csv_size += size;
    return STAVE_OK;
}

static void make_csv(void)
{
    size_t size;
    stave_trace *trace;
    stave_decoder *decoder;
    uint8_t *recording = bench_recording(RECORDING_BYTES, &size);
    check(stave_trace_new(NULL, &trace, NULL));
    check(stave_decoder_new(NULL, trace, &decoder, NULL));
    check(stave_decoder_feed(decoder, recording, size, NULL));
    check(stave_decoder_finish(decoder, NULL));
    check(stave_export_csv(trace, (stave_sink){.write = append}, NULL, NULL));
    stave_decoder_free(decoder);
    stave_trace_free(trace);
    free(recording);
}

/* ---- contenders ------------------------------------------------------------------------------ */

/* The limit: every line end is looked for. */
static double find_lines(void)
{
    uint64_t lines = 0;
    const char *end = csv + csv_size;
    for (const char *at = csv; at < end; lines++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : end;
    }
    result = lines;
    return (double)csv_size;
}

static double split_fields(void)
{
    struct csv_split split;
    struct csv_row row;
    struct csv_field field;
    const char *at = csv;
    uint64_t sum = 0;
    stave__csv_split_init(&split);
    while (stave__csv_next_row(&split, &at, csv + csv_size, &row, NULL) > 0) {
        while (csv_next_field(&row, &field, NULL) > 0)
            sum += field.size;
        sum += field.size;
    }
    stave__csv_split_free(&split);
    result = sum;
    return (double)csv_size;
}

static double read_csv(void)
{
    const stave_trace_config config = {.cache_bytes = UINT64_C(1) << 32};
    stave_trace *trace;
    stave_csv_reader *reader;
    stave_csv_reader_stats stats;
    check(stave_trace_new(&config, &trace, NULL));
    check(stave_csv_reader_new(NULL, trace, &reader, NULL));
    for (size_t at = 0; at < csv_size; at += CHUNK)
        check(stave_csv_reader_feed(reader, csv + at, csv_size - at < CHUNK ? csv_size - at : CHUNK,
                                    NULL));
    check(stave_csv_reader_finish(reader, NULL));
    stave_csv_reader_stats_of(reader, &stats);
    result = stats.rows;
    stave_csv_reader_free(reader);
    stave_trace_free(trace);
    return (double)csv_size;
}

int main(void)
{
    static const struct bench_contender contenders[] = {
        {"memchr for line ends", find_lines},
        {"rows and fields", split_fields},
        {"stave_csv_reader, fed 64 KiB at a time", read_csv},
    };
    make_csv();
    printf("CSV of %.0f MB to a trace in memory, MB/s of CSV (budget: 150)\n",
           (double)csv_size / 1e6);
    bench_run(contenders, sizeof contenders / sizeof contenders[0], ROUNDS, "MB/s", 1e6);
    printf("  %llu rows\n", (unsigned long long)result);
    free(csv);
    return 0;
}
