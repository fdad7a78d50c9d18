/* pipeline.h - a stream through decoder, summary and CSV, each step of which may fail.
 *
 *     struct pipeline pipeline;
 *     pipeline_open(&pipeline, "cycles");
 *     int status = pipeline_run(&pipeline, &config, &error);
 *     pipeline_clear(&pipeline);                    // and again
 *     pipeline_close(&pipeline);
 *
 * Between open and close only the project takes memory: what a test lets fail fails there.  */
#ifndef PIPELINE_H
#define PIPELINE_H

#include <stdbool.h>

#include "stave/analyze.h"
#include "stave/decode.h"
#include "stave/export.h"

#define PIPELINE_LANES_MAX 512

struct pipeline {
    unsigned char *bytes; /* the stream */
    size_t size;
    char *expected; /* its CSV */
    size_t expected_size;

    stave_trace *trace;
    stave_decoder *decoder;
    stave_decode_stats stats;
    stave_lane_summary lanes[PIPELINE_LANES_MAX];
    char *csv;
    size_t csv_size, csv_room;
};

/* A stream of etrace's vectors, by name, with its CSV. */
void pipeline_open(struct pipeline *pipeline, const char *vector);

/* A stream of `ids` names, each with a span and a marker, so that tables have to grow. Its CSV is
 * what the project makes of it when nothing fails. */
void pipeline_open_many(struct pipeline *pipeline, unsigned ids);

/* The steps, in this order; each a status. What they made stays until it is cleared. */
int pipeline_decode(struct pipeline *pipeline, const stave_trace_config *config,
                    stave_error *error);
int pipeline_summarize(struct pipeline *pipeline, stave_error *error);
int pipeline_export(struct pipeline *pipeline, stave_csv_counts *counts, stave_error *error);

/* All of them, up to the first that fails. */
int pipeline_run(struct pipeline *pipeline, const stave_trace_config *config, stave_error *error);

/* Fails the test unless the CSV is the expected one. */
void pipeline_check_csv(const struct pipeline *pipeline);

/* Frees what the steps made. */
void pipeline_clear(struct pipeline *pipeline);
void pipeline_close(struct pipeline *pipeline);

#endif
