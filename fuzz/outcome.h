/* outcome.h - a stream decoded in some way, and what has to be true of every trace.
 *
 *     struct outcome whole, cut;
 *     outcome_decode(bytes, size, &(struct manner){0}, &whole);
 *     outcome_decode(bytes, size, &(struct manner){.cuts = 7}, &cut);
 *     outcome_require_same(&cut, &whole);
 *     outcome_free(&whole);
 *     outcome_free(&cut);
 *
 * What is not as it must be is printed and ends the program: libFuzzer then keeps the input.  */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "stave/decode.h"
#include "stave/export.h"

/* Ends the program unless the condition holds. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            require_failed(__FILE__, __LINE__, #condition);                                        \
    } while (0)

_Noreturn void require_failed(const char *file, int line, const char *condition);

/* How a stream is decoded. All zero: as a whole, as a user would. */
struct manner {
    uint32_t wire_version;
    uint64_t cache_bytes; /* of the trace: with few of them its rows go to its file and back */
    uint32_t cuts;        /* of the stream into reads: a seed; 0: none */
};

struct outcome {
    char *csv; /* not ended by a NUL */
    size_t csv_size;
    stave_csv_counts counts;
    stave_decode_stats stats;
};

/* Decodes, looks through the trace (blocks, merged rows, summaries, clocks) and exports it. An error
 * ends the program: no bytes cause one. */
void outcome_decode(const uint8_t *bytes, size_t size, const struct manner *manner,
                    struct outcome *outcome);
void outcome_free(struct outcome *outcome);

void outcome_require_same(const struct outcome *got, const struct outcome *expected);

/* These print what differs first; false if anything does. */
bool same_csv(const char *got, size_t got_size, const char *expected, size_t expected_size);
bool same_count(const char *name, uint64_t got, uint64_t expected);
bool same_double(const char *name, double got, double expected);

#endif
