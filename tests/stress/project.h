/* project.h - decode a stream with the project, and compare the outcome.
 *
 *     struct outcome outcome;
 *     project_decode(bytes, size, &(struct cuts){.chunk = 7}, &outcome);
 *     if (!outcome_is_reference(&outcome, csv, &counters)) ...    // says what differs
 *     outcome_free(&outcome);
 *
 * Include it after cmocka.h: an error of the project ends the test (fail). */
#ifndef PROJECT_H
#define PROJECT_H

#include "../reference/reference.h"
#include "device.h"
#include "stave/decode.h"

/* How a stream is cut into reads. All zero: as a whole. */
struct cuts {
    size_t chunk;         /* bytes in a read */
    struct dice *dice;    /* reads of random sizes */
    uint64_t cache_bytes; /* of the trace: a small one makes it use its file */
};

struct outcome {
    char *csv; /* not ended by a NUL */
    size_t csv_size;
    uint64_t csv_spans, csv_markers, csv_gaps; /* as the export counts them */
    stave_decode_stats stats;
};

void project_decode(const unsigned char *bytes, size_t size, const struct cuts *cuts,
                    struct outcome *outcome);
void outcome_free(struct outcome *outcome);

/* Both print what differs first. */
bool outcome_is_reference(const struct outcome *outcome, const char *csv,
                          const struct reference_counters *counters);
bool outcome_is_outcome(const struct outcome *outcome, const struct outcome *expected);

#endif
