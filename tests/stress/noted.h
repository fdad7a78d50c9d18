/* noted.h - threads that record, and write down beside it what they have recorded.
 *
 *     struct noted_thread thread = {.name = "a0", .limit = 1000, .noted = ..., .depths = ..., .random = 7};
 *     noted_record(&thread, 0);                        // on a thread of its own
 *     NOTED(thread.noted[number].end)                  // by another, at any time, in another process too
 *
 * Its log is by number: the first span that it records has number 1. It is the caller's: room for limit + 1,
 * zero.  */
#ifndef NOTED_H
#define NOTED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "stave/stave.h"

#define NOTED_DEEPEST 6u

#define NOTED(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)

/* A span, by its number: ticks since the start of the recording, plus 1; 0: it has not come to that. */
struct noted {
    uint64_t start, end;
};

struct noted_thread {
    pthread_t id;
    char name[4];
    struct noted *noted;
    uint8_t *depths;
    uint64_t limit, spans, recorded, random;
    uint64_t before;   /* the serial of number 0, plus 1, once there is number 1 */
    uint32_t pause_us; /* after every 16th span; 0: none */
    bool wrong;        /* a time outside what was read before and behind it */
};

/* Spans that nest, as many as the limit says, below `outside` that are open already. */
void noted_record(struct noted_thread *thread, uint32_t outside);

stave_span noted_begin(struct noted_thread *thread, uint32_t depth);

/* The number of a span, when a row has its serial. */
uint64_t noted_number(const struct noted_thread *thread, uint64_t serial);

/* What a span is called. */
const char *noted_name(uint64_t number);

#endif
