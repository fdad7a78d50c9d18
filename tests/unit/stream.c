#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/export.h"
#include "unit/stream.h"

struct stream stream;
struct result result;

void begin(void)
{
    stream.size = 0;
}

void raw(const void *bytes, size_t size)
{
    memcpy(stream.bytes + stream.size, bytes, size);
    stream.size += size;
}

void put(enum wire_version version, struct wire_frame frame)
{
    stream.size += stave__wire_frame_encode(version, &frame, stream.bytes + stream.size);
}

void start_frame(uint32_t sequence, int64_t ticks)
{
    put(WIRE_VERSION_2,
        (struct wire_frame){.kind = WIRE_TRACE_START, .sequence = sequence, .ticks = ticks});
}

void name_frame(uint32_t sequence, int64_t ticks, uint32_t id, const char *name)
{
    put(WIRE_VERSION_2, (struct wire_frame){.kind = WIRE_NAME_REGISTERED,
                                            .sequence = sequence,
                                            .ticks = ticks,
                                            .name_id = id,
                                            .name = name,
                                            .name_size = (uint32_t)strlen(name),
                                            .source = WIRE_SOURCE_TASK,
                                            .priority = 2});
}

void event_frame(uint32_t kind, uint32_t sequence, int64_t delta, uint32_t id)
{
    put(WIRE_VERSION_2,
        (struct wire_frame){.kind = kind, .sequence = sequence, .ticks = delta, .name_id = id});
}

void v1_frame(uint32_t kind, uint32_t sequence, int64_t ns, const char *name)
{
    put(WIRE_VERSION_1, (struct wire_frame){.kind = kind,
                                            .sequence = sequence,
                                            .ticks = ns,
                                            .name = name,
                                            .name_size = (uint32_t)strlen(name),
                                            .source = WIRE_SOURCE_TASK,
                                            .priority = 2});
}

static int collect(void *context, const void *data, size_t size)
{
    (void)context;
    assert_true(result.csv_size + size < sizeof result.csv);
    memcpy(result.csv + result.csv_size, data, size);
    result.csv_size += size;
    return STAVE_OK;
}

static void export_csv(void)
{
    stave_sink sink = {.write = collect};
    result.csv_size = 0;
    assert_int_equal(stave_export_csv(result.trace, sink, NULL, NULL), STAVE_OK);
    result.csv[result.csv_size] = '\0';
}

/* Decodes the stream. Afterwards `result` holds everything; free_result() ends it. */
void decode_as(uint32_t version)
{
    stave_decoder_config config = {.wire_version = version};
    stave_decoder *decoder;
    assert_int_equal(stave_trace_new(NULL, &result.trace, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_new(&config, result.trace, &decoder, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_feed(decoder, stream.bytes, stream.size, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_finish(decoder, NULL), STAVE_OK);
    stave_decoder_stats(decoder, &result.stats);
    stave_decoder_free(decoder);
}

void free_result(void)
{
    stave_trace_free(result.trace);
}

/* Rows of the CSV behind its head. */
void assert_decodes_to(const char *rows)
{
    decode_as(0);
    export_csv();
    assert_memory_equal(result.csv, HEAD, strlen(HEAD));
    assert_string_equal(result.csv + strlen(HEAD), rows);
}
