/* reference.h - the slow, plain decoder that every fast one is compared with.
 *
 *     struct reference_counters counters;
 *     char *csv = reference_decode(bytes, size, &counters);
 *     ...
 *     free(csv);
 *
 * Source     docs/etrace.md alone, rule by rule; it shares no code with the project, so that a
 *            mistake in one is not a mistake in both. Where it is open, README.md beside this
 *            file says what was chosen.
 * Whole      The stream lies in memory as a whole: there are no reads to be cut.
 * Ownership  The caller frees what is returned. Without memory the program ends (abort).
 * Untrusted  Any bytes are safe.  */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>
#include <stdint.h>

struct reference_counters {
    uint64_t frames;  /* sound frames, without those dropped by rule 3; duplicates are among them */
    uint64_t spans;   /* rows of the CSV */
    uint64_t markers; /* rows of the CSV, without the `device reset` rows */
    uint64_t gaps;
    uint64_t frames_lost; /* missing numbers over all lost holes, also those without a row */
    uint64_t resets;
    uint64_t unresolved;
    uint64_t duplicates;
    uint64_t duplicate_starts;
    uint64_t orphan_ends;
    uint64_t bytes_skipped; /* damage, with the bytes of frames dropped by rule 3 */
    uint64_t cut_tail_bytes;
    double time_uncertain_us; /* rule 11: the largest bound */
    uint64_t unbounded_doubts;
    uint64_t times_saturated;
    uint64_t rates_assumed;
    int wire_version;
    size_t csv_size; /* without the NUL at the end; a name may hold a NUL of its own */
};

enum reference_fate {
    REFERENCE_USED,
    REFERENCE_DUPLICATE, /* rule 4 */
    REFERENCE_FAR        /* rule 3: dropped as damage */
};

struct reference_frame {
    size_t offset; /* of the length prefix */
    size_t size;   /* prefix and payload */
    uint32_t kind;
    uint32_t sequence; /* version 2: modulo 16384 */
    enum reference_fate fate;
};

/* The CSV, ends in a NUL; `counters` may be NULL. */
char *reference_decode(const uint8_t *bytes, size_t size, struct reference_counters *counters);

/* The sound frames of the stream, as rules 1 and 2 find them. */
struct reference_frame *reference_frames(const uint8_t *bytes, size_t size, size_t *count);

#endif
