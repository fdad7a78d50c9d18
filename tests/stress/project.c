/* project.c - decode a stream with the project, and compare the outcome. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "project.h"
#include "stave/export.h"

/* ---- decoding -------------------------------------------------------------------------------- */

static void check(int status, const stave_error *error, const char *what)
{
    if (status >= 0)
        return;
    print_error("%s: %d, %s\n", what, status, error->message);
    fail();
}

static int append(void *context, const void *data, size_t size)
{
    struct outcome *outcome = context;
    char *csv = realloc(outcome->csv, outcome->csv_size + size + 1);
    if (csv == NULL)
        return STAVE_E_MEMORY;
    memcpy(csv + outcome->csv_size, data, size);
    outcome->csv = csv;
    outcome->csv_size += size;
    return STAVE_OK;
}

/* Each read in memory of its own, so that a sanitizer sees a step beyond it. */
static void feed(stave_decoder *decoder, const unsigned char *bytes, size_t size)
{
    stave_error error = {0};
    unsigned char *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    if (size > 0)
        memcpy(copy, bytes, size);
    check(stave_decoder_feed(decoder, copy, size, &error), &error, "stave_decoder_feed");
    free(copy);
}

static size_t next_size(const struct cuts *cuts)
{
    if (cuts->dice == NULL)
        return cuts->chunk;
    unsigned bits = dice_chance(cuts->dice, 500) ? 4 : 10;
    return (size_t)dice_below(cuts->dice, UINT64_C(1) << bits); /* also 0 */
}

static void feed_in_parts(stave_decoder *decoder, const unsigned char *bytes, size_t size,
                          const struct cuts *cuts)
{
    if (cuts->chunk == 0 && cuts->dice == NULL) {
        feed(decoder, bytes, size);
        return;
    }
    for (size_t at = 0; at < size;) {
        size_t part = next_size(cuts);
        if (part > size - at)
            part = size - at;
        feed(decoder, bytes + at, part);
        at += part;
    }
}

void project_decode(const unsigned char *bytes, size_t size, const struct cuts *cuts,
                    struct outcome *outcome)
{
    stave_error error = {0};
    stave_trace *trace = NULL;
    stave_decoder *decoder = NULL;
    const stave_trace_config config = {.cache_bytes = cuts->cache_bytes};
    memset(outcome, 0, sizeof *outcome);
    check(stave_trace_new(&config, &trace, &error), &error, "stave_trace_new");
    check(stave_decoder_new(NULL, trace, &decoder, &error), &error, "stave_decoder_new");
    feed_in_parts(decoder, bytes, size, cuts);
    check(stave_decoder_finish(decoder, &error), &error, "stave_decoder_finish");
    stave_decoder_stats(decoder, &outcome->stats);
    stave_decoder_free(decoder);

    stave_csv_counts counts = {0};
    stave_sink sink = {append, outcome};
    check(stave_export_csv(trace, sink, &counts, &error), &error, "stave_export_csv");
    outcome->csv_spans = counts.spans;
    outcome->csv_markers = counts.markers;
    outcome->csv_gaps = counts.gaps;
    stave_trace_free(trace);
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->csv);
    outcome->csv = NULL;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static int line_length(const char *text, size_t size)
{
    const char *end = size == 0 ? NULL : memchr(text, '\n', size);
    size_t length = end == NULL ? size : (size_t)(end - text);
    return length > 400 ? 400 : (int)length;
}

static bool same_csv(const char *got, size_t got_size, const char *expected, size_t expected_size)
{
    size_t at = 0, line = 1, line_start = 0;
    while (at < got_size && at < expected_size && got[at] == expected[at]) {
        if (got[at++] == '\n') {
            line++;
            line_start = at;
        }
    }
    if (at == got_size && at == expected_size)
        return true;
    print_error("CSV line %zu:\n  got      %.*s\n  expected %.*s\n", line,
                line_length(got + line_start, got_size - line_start), got + line_start,
                line_length(expected + line_start, expected_size - line_start),
                expected + line_start);
    return false;
}

static bool same_count(const char *name, uint64_t got, uint64_t expected)
{
    if (got == expected)
        return true;
    print_error("%s: got %llu, expected %llu\n", name, (unsigned long long)got,
                (unsigned long long)expected);
    return false;
}

static bool same_double(const char *name, double got, double expected)
{
    if (got == expected)
        return true;
    print_error("%s: got %.17g, expected %.17g\n", name, got, expected);
    return false;
}

/* What both decoders count, by the same names. */
#define SHARED_COUNTS(X)                                                                           \
    X(frames)                                                                                      \
    X(spans)                                                                                       \
    X(markers)                                                                                     \
    X(gaps)                                                                                        \
    X(frames_lost)                                                                                 \
    X(resets)                                                                                      \
    X(unresolved)                                                                                  \
    X(duplicates)                                                                                  \
    X(duplicate_starts)                                                                            \
    X(orphan_ends)                                                                                 \
    X(bytes_skipped)                                                                               \
    X(cut_tail_bytes)                                                                              \
    X(unbounded_doubts)                                                                            \
    X(times_saturated)                                                                             \
    X(rates_assumed)

bool outcome_is_reference(const struct outcome *outcome, const char *csv,
                          const struct reference_counters *counters)
{
    bool same = same_csv(outcome->csv, outcome->csv_size, csv, counters->csv_size);
#define COMPARE(name) same &= same_count(#name, outcome->stats.name, counters->name);
    SHARED_COUNTS(COMPARE)
#undef COMPARE
    same &= same_double("time_uncertain_us", outcome->stats.time_uncertain_us,
                        counters->time_uncertain_us);
    same &=
        same_count("wire_version", outcome->stats.wire_version, (uint64_t)counters->wire_version);
    same &= same_count("spans exported", outcome->csv_spans, counters->spans);
    same &=
        same_count("markers exported", outcome->csv_markers, counters->markers + counters->resets);
    same &= same_count("gaps exported", outcome->csv_gaps, counters->gaps);
    return same;
}

static bool same_text(const char *got, const char *expected)
{
    if (got == NULL || expected == NULL ? got == expected : strcmp(got, expected) == 0)
        return true;
    print_error("damage_text: got %s, expected %s\n", got == NULL ? "none" : got,
                expected == NULL ? "none" : expected);
    return false;
}

bool outcome_is_outcome(const struct outcome *outcome, const struct outcome *expected)
{
    const stave_decode_stats *a = &outcome->stats, *b = &expected->stats;
    bool same = same_csv(outcome->csv, outcome->csv_size, expected->csv, expected->csv_size);
#define COMPARE(name) same &= same_count(#name, a->name, b->name);
    SHARED_COUNTS(COMPARE)
    COMPARE(damages)
    COMPARE(first_damage)
    COMPARE(wire_version)
#undef COMPARE
    same &= same_double("time_uncertain_us", a->time_uncertain_us, b->time_uncertain_us);
    same &= same_text(a->damage_text, b->damage_text);
    return same;
}
