/* recorded.h - what the recorder of this process has recorded, read back from a .stave file of it; and a
 * clock for it that stands still until it is moved.
 *
 *     recorded_start(&(stave_config){0});                   // by that clock
 *     recorded_ns += 5;
 *     struct recorded seen = recorded_now();                // a snapshot: sound, or the program ends
 *     const struct traces_row *row = recorded_find(&seen, STAVE_SPANS, "query");
 *     recorded_free(&seen);  */
#ifndef RECORDED_H
#define RECORDED_H

#include <stdio.h>

#include "stave/stave.h"
#include "stress/traces.h"

struct recorded {
    stave_trace *trace;
    struct traces_rows rows; /* in the order of their blocks, those of open spans too */
};

extern uint64_t recorded_ns;
uint64_t recorded_clock(void *context);
/* Moves it on while others read it. */
void recorded_pass(uint64_t ns);

/* Stops what was recorded before; the clock is the one above. */
void recorded_start(const stave_config *config);

struct recorded recorded_now(void);
struct recorded recorded_file(const char *path);
void recorded_free(struct recorded *seen);

/* The only row of this kind and name; NULL: there is none. */
const struct traces_row *recorded_find(const struct recorded *seen, uint32_t kind,
                                       const char *name);
size_t recorded_count(const struct recorded *seen, uint32_t kind);
const char *recorded_text(const struct recorded *seen, const struct traces_row *row, size_t *size);

stave_counts recorded_counts(void);

/* This program again, by sh, with what stands before a command there; what it says on both streams is to be read.
 * STAVE_TEST_EMULATOR is what runs it where this machine's processor does not. */
FILE *recorded_again(const char *with);

#endif
