/* pipeline.c - a stream through decoder, summary and CSV, each step of which may fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault/pipeline.h"
#include "wire/frame.h"

/* Bytes fed at a time: frames are cut, so that the decoder has to carry parts of them. */
#define CHUNK 61

/* ---- streams --------------------------------------------------------------------------------- */

static void *read_file(const char *name, const char *extension, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", STAVE_VECTORS_DIR, name, extension);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long end = ftell(file);
    assert_true(end > 0);
    rewind(file);
    void *bytes = malloc((size_t)end);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)end, file);
    assert_int_equal(*size, end);
    fclose(file);
    return bytes;
}

static void make_room(struct pipeline *pipeline, size_t room)
{
    pipeline->csv_room = room;
    pipeline->csv = malloc(room);
    assert_non_null(pipeline->csv);
}

void pipeline_open(struct pipeline *pipeline, const char *vector)
{
    *pipeline = (struct pipeline){0};
    pipeline->bytes = read_file(vector, "bin", &pipeline->size);
    pipeline->expected = read_file(vector, "csv", &pipeline->expected_size);
    make_room(pipeline, pipeline->expected_size + 1);
}

static void add_frame(struct pipeline *pipeline, struct wire_frame frame, uint32_t *sequence)
{
    frame.sequence = (*sequence)++ % 16384;
    pipeline->size +=
        stave__wire_frame_encode(WIRE_VERSION_2, &frame, pipeline->bytes + pipeline->size);
}

static void add_frames_of_id(struct pipeline *pipeline, uint32_t id, uint32_t *sequence)
{
    char name[32];
    int size = snprintf(name, sizeof name, "task %u", id);
    struct wire_frame named = {.kind = WIRE_NAME_REGISTERED,
                               .name_id = id,
                               .name = name,
                               .name_size = (uint32_t)size,
                               .priority = id,
                               .ticks = id * 1000};
    add_frame(pipeline, named, sequence);
    add_frame(pipeline, (struct wire_frame){.kind = WIRE_SPAN_START, .name_id = id, .ticks = 10},
              sequence);
    add_frame(pipeline, (struct wire_frame){.kind = WIRE_MARKER, .name_id = id, .ticks = 10},
              sequence);
    add_frame(pipeline, (struct wire_frame){.kind = WIRE_SPAN_END, .name_id = id, .ticks = 10},
              sequence);
}

void pipeline_open_many(struct pipeline *pipeline, unsigned ids)
{
    uint32_t sequence = 0;
    stave_error error = {0};
    *pipeline = (struct pipeline){0};
    pipeline->bytes = malloc((1 + 4 * (size_t)ids) * WIRE_FRAME_MAX);
    assert_non_null(pipeline->bytes);
    add_frame(pipeline, (struct wire_frame){.kind = WIRE_TRACE_START}, &sequence);
    for (uint32_t id = 1; id <= ids; id++)
        add_frames_of_id(pipeline, id, &sequence);

    make_room(pipeline, 256 * (1 + 2 * (size_t)ids));
    assert_int_equal(pipeline_run(pipeline, NULL, &error), STAVE_OK);
    assert_int_equal(pipeline->stats.spans, ids);
    assert_int_equal(pipeline->stats.markers, ids);
    pipeline->expected_size = pipeline->csv_size;
    pipeline->expected = malloc(pipeline->csv_size);
    assert_non_null(pipeline->expected);
    memcpy(pipeline->expected, pipeline->csv, pipeline->csv_size);
    pipeline_clear(pipeline);
}

/* ---- steps ----------------------------------------------------------------------------------- */

int pipeline_decode(struct pipeline *pipeline, const stave_trace_config *config, stave_error *error)
{
    int status = stave_trace_new(config, &pipeline->trace, error);
    if (status >= 0)
        status = stave_decoder_new(NULL, pipeline->trace, &pipeline->decoder, error);
    for (size_t at = 0; status >= 0 && at < pipeline->size; at += CHUNK) {
        size_t left = pipeline->size - at;
        status = stave_decoder_feed(pipeline->decoder, pipeline->bytes + at,
                                    left < CHUNK ? left : CHUNK, error);
    }
    if (status >= 0)
        status = stave_decoder_finish(pipeline->decoder, error);
    if (status >= 0)
        stave_decoder_stats(pipeline->decoder, &pipeline->stats);
    return status;
}

int pipeline_summarize(struct pipeline *pipeline, stave_error *error)
{
    uint32_t lanes = stave_trace_lanes(pipeline->trace);
    assert_in_range(lanes, 1, PIPELINE_LANES_MAX);
    return stave_summarize_lanes(pipeline->trace, pipeline->lanes, lanes, error);
}

static int append(void *context, const void *data, size_t size)
{
    struct pipeline *pipeline = context;
    assert_true(size <= pipeline->csv_room - pipeline->csv_size);
    memcpy(pipeline->csv + pipeline->csv_size, data, size);
    pipeline->csv_size += size;
    return STAVE_OK;
}

int pipeline_export(struct pipeline *pipeline, stave_csv_counts *counts, stave_error *error)
{
    pipeline->csv_size = 0;
    return stave_export_csv(pipeline->trace, (stave_sink){append, pipeline}, counts, error);
}

int pipeline_run(struct pipeline *pipeline, const stave_trace_config *config, stave_error *error)
{
    int status = pipeline_decode(pipeline, config, error);
    if (status >= 0)
        status = pipeline_summarize(pipeline, error);
    if (status >= 0)
        status = pipeline_export(pipeline, NULL, error);
    return status;
}

void pipeline_check_csv(const struct pipeline *pipeline)
{
    assert_int_equal(pipeline->csv_size, pipeline->expected_size);
    assert_memory_equal(pipeline->csv, pipeline->expected, pipeline->expected_size);
}

void pipeline_clear(struct pipeline *pipeline)
{
    stave_decoder_free(pipeline->decoder);
    stave_trace_free(pipeline->trace);
    pipeline->decoder = NULL;
    pipeline->trace = NULL;
}

void pipeline_close(struct pipeline *pipeline)
{
    pipeline_clear(pipeline);
    free(pipeline->bytes);
    free(pipeline->expected);
    free(pipeline->csv);
}
