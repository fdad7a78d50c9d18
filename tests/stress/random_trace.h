/* random_trace.h - random traces, each with a plain list of what is in it.
 *
 *     struct random_trace_options options;
 *     random_trace_choose(seed, &options);
 *     struct random_trace *random = random_trace_new(&options);
 *     for (size_t i = 0; i < random->span_count; i++) ...      // against random->trace
 *     random_trace_free(random);
 *
 * The trace is made as a producer makes one: through appenders and stacks of open spans
 * (trace/blocks.h), one step at a time, a lane at a time. Beside it stand the lists that a test counts
 * on by brute force: every span, every row, and the step at which each thing happened.
 *
 * Spans      of one lane nest, and their rows stand in the order of their ends. Times of a boot never go
 *            back from one step to the next, over all its lanes; they often stand still. Serials count
 *            from 1 in each lane, over all boots.
 * Attached   spans have their parent in another lane of the same boot: one that is open, or seldom one
 *            that has ended. Most are the outermost of their lane, some stand within another of it. What
 *            an attached span lasts has nothing to do with its parent's end.
 * Deadlines  of their own have some spans, in their rows.
 * Left open  spans have no row: their lane's last block of the boot lists them. A .stave file that is
 *            opened has rows for them, with STAVE_FLAG_UNFINISHED, and struct random_span says those:
 *            the end, the flag. The outermost ones of a lane are left.
 * Boots      have all ended; end_us is the time of their last tick.
 * Memory     all of it is in `random`; no memory, or a status that is an error, ends the program.
 * The same   options make the same trace, on every machine.  */
#ifndef RANDOM_TRACE_H
#define RANDOM_TRACE_H

#include "device.h" /* its dice */
#include "trace/trace.h"

/* Chances are in thousandths. Zero is the default of every field. */
struct random_trace_options {
    uint64_t seed;
    uint32_t spans;     /* at most, and no fewer where there is a lane; 0: no rows at all */
    uint32_t lanes;     /* 0: none, then no rows */
    uint32_t boots;     /* 0: 1 where there are rows */
    uint32_t depth;     /* of a lane's stack at most; 0: 1 */
    uint32_t names;     /* of spans, each its own text; 0: 1 */
    uint32_t processes; /* lanes are spread over these and over none */
    uint32_t modules;
    uint32_t properties;
    uint32_t places;
    unsigned deepen;     /* a step begins a span rather than ends one: 0 means 500 */
    unsigned attached;   /* of spans */
    unsigned recursion;  /* a span takes the name of one around it */
    unsigned nameless;   /* of lanes: their spans have the lane's name, the column is not there */
    unsigned flagged;    /* a span has a flag of those that say doubt or failure */
    unsigned due;        /* a span has a deadline of its own */
    unsigned unclosed;   /* a lane's open spans are left open at a boot's end, or some of them */
    unsigned others;     /* a step makes a row of another kind too */
    unsigned early_seal; /* a step seals the block of the lane's spans */
    unsigned anchors;    /* a step gives the clock an anchor: a rate, a correction, a real time */
    bool clocks;         /* boots have rates, offsets, first ticks of their own; else ns from 0 */
    bool odd_times;      /* some steps are far, up to 2^40 ticks */
    uint64_t cache_bytes;
};

#define RANDOM_NONE SIZE_MAX

struct random_span {
    uint32_t boot, lane;
    uint64_t serial;
    size_t parent; /* index of the span it is attached to, else of the one around it; or none */
    size_t lane_parent; /* of the one around it in its lane, or none */
    uint32_t depth;     /* spans around it in its lane */
    int64_t start, end; /* ticks */
    uint16_t flags;
    uint32_t name;        /* string id, as in its row: 0 is the lane's */
    uint64_t began, done; /* steps; of a span that is left open: done is 0 */
    size_t row;           /* index of its row, or none */
};

struct random_row {
    uint32_t kind, lane, boot;
    uint64_t step; /* at which it was appended; ascends */
    uint64_t
        sealed; /* the step at which its block was sealed, when that was behind this row; or 0 */
    struct stave__row column; /* what the kind or the lane lacks is 0 */
};

struct random_trace {
    stave_trace *trace;
    struct random_span *spans; /* in the order in which they began */
    size_t span_count, span_room;
    struct random_row *rows; /* in the order in which they took effect */
    size_t row_count, row_room;
    struct random_lane *lanes; /* its own business */
    uint32_t lane_count;
};

/* What the trace with this seed is like: most are small, one in eight has some 10,000 rows. */
void random_trace_choose(uint64_t seed, struct random_trace_options *options);

struct random_trace *random_trace_new(const struct random_trace_options *options);
void random_trace_free(struct random_trace *random);

/* The spans of a lane that were open at a step of a boot, outermost first, as indices of `spans`, and
 * the highest serial that the lane had given out: found by looking at all spans. `found` has room for
 * options->depth. The step's own span, where it ends one, counts as open. */
size_t random_trace_open_at(const struct random_trace *random, uint32_t boot, uint32_t lane,
                            uint64_t step, size_t *found, uint64_t *begun);

#endif
