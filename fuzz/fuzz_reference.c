/* fuzz_reference.c - the decoder says what the plain one says that was written from the format's
 * description alone (tests/reference). */
#include <stdlib.h>

#include "../tests/reference/reference.h"
#include "outcome.h"

/* The reference takes its time with long streams. */
#define SIZE_MAX_COMPARED 20000

static bool same_counters(const struct outcome *outcome, const struct reference_counters *counters)
{
    const stave_decode_stats *stats = &outcome->stats;
    bool same = true;
#define SAME(name) same &= same_count(#name, stats->name, counters->name)
    SAME(frames);
    SAME(spans);
    SAME(markers);
    SAME(gaps);
    SAME(frames_lost);
    SAME(resets);
    SAME(unresolved);
    SAME(duplicates);
    SAME(duplicate_starts);
    SAME(orphan_ends);
    SAME(bytes_skipped);
    SAME(cut_tail_bytes);
    SAME(unbounded_doubts);
    SAME(times_saturated);
    SAME(rates_assumed);
#undef SAME
    same &= same_count("wire_version", stats->wire_version, (uint64_t)counters->wire_version);
    same &= same_double("time_uncertain_us", stats->time_uncertain_us, counters->time_uncertain_us);
    return same;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SIZE_MAX_COMPARED)
        return 0;
    struct outcome outcome;
    struct reference_counters counters;
    char *csv = reference_decode(data, size, &counters);
    outcome_decode(data, size, &(struct manner){0}, &outcome);
    bool same = same_csv(outcome.csv, outcome.csv_size, csv, counters.csv_size);
    same &= same_counters(&outcome, &counters);
    REQUIRE(same);
    outcome_free(&outcome);
    free(csv);
    return 0;
}
