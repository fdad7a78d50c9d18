/* decode/doubt.h - rule 11 of docs/etrace.md: for how long, and by how much at most, times may be
 * early after frames were lost.
 *
 * A doubt begins when a hole in the numbers appears and ends at the next absolute timestamp: how far
 * that one is ahead of the clock bounds the error. It is reported if the hole is lost.  */
#ifndef STAVE_DECODE_DOUBT_H
#define STAVE_DECODE_DOUBT_H

#include "stave/decode.h"
#include "trace/trace.h"

/* Holes that can be open at once: each takes a number and a held one behind it, out of 130. */
#define DOUBT_OPEN_MAX 66

struct doubt {
    uint64_t first, last; /* the numbers missing when the hole appeared */
    int64_t since;        /* the clock then */
    bool bounded;         /* an absolute timestamp has come */
    int64_t clock;        /* before it */
    int64_t absolute;
};

struct doubts {
    struct stave__appender rows;
    stave_decode_stats *stats;
    const struct stave__boot *boot;
    struct doubt open[DOUBT_OPEN_MAX];
    uint32_t open_count;
    uint64_t pending; /* holes that are lost and wait for an absolute timestamp */
    int64_t pending_since;
};

void stave__doubts_begin_run(struct doubts *doubts, stave_decode_stats *stats, stave_trace *trace,
                             uint32_t lane, uint32_t boot);

/* Numbers first to last are missing from now on; those below `next` have had their turn. */
void stave__doubts_hole(struct doubts *doubts, uint64_t first, uint64_t last, uint64_t next,
                        int64_t clock);

/* An absolute timestamp while the clock stands at `clock`. */
int stave__doubts_absolute(struct doubts *doubts, int64_t clock, int64_t absolute,
                           stave_error *error);

/* The hole that begins at this number is lost. */
int stave__doubts_lost(struct doubts *doubts, uint64_t first, stave_error *error);

int stave__doubts_end_run(struct doubts *doubts, int64_t end, stave_error *error);

#endif
