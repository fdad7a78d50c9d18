/* analyze/rolling.h - what the parts of a roll-up share while it is being made.
 *
 * rollup.c              the API; which boot goes which way
 * rollup_lanes.c        a boot without attached spans: lane by lane, from the last row to the first, only
 *                       the open spans in memory
 * rollup_forest.c       a boot with attached spans: all its spans in memory
 * rollup_cumulatives.c  rows that stand for many calls
 * rollup_counters.c     counters  */
#ifndef STAVE_ANALYZE_ROLLING_H
#define STAVE_ANALYZE_ROLLING_H

#include "analyze/names.h"
#include "analyze/places.h"
#include "analyze/reading.h"
#include "analyze/ticks.h"

/* ---- counters -------------------------------------------------------------------------------- */

struct stave__samples {
    struct stave__sample *rows;
    uint32_t *buckets; /* open addressing: row + 1, 0 is free */
    uint32_t used, size, buckets_size;
};

struct stave__sample {
    stave_rollup_counter counter;
    uint64_t order; /* of the last one */
};

struct stave__rolling;

/* The samples of a block of counters that are in the window. */
int stave__roll_counters(struct stave__rolling *rolling, const stave_block *block,
                         stave_error *error);

/* The finished counters in their order, in memory of their own. */
int stave__samples_finish(const struct stave__samples *samples, const stave_trace *trace,
                          stave_rollup_counter **counters, stave_error *error);
void stave__samples_free(struct stave__samples *samples);

/* ---- cumulative rows ------------------------------------------------------------------------- */

/* What a cumulative row still does: what of its total is not that of rows in it is self; it adds to its name's
 * total unless it is inside a call of that name, and, when nothing else is around it, takes from the self
 * of its span. */
struct stave__owed {
    double units; /* its total */
    double inner; /* the totals of those directly in it */
    double calls, within,
        directly;  /* its count; the counts of all in it, and of those directly in it */
    uint32_t name; /* a row of names */
    uint32_t parent, first,
        next; /* the row around it, one in it, one beside it; STAVE_NONE: none */
    bool direct;
    uint8_t taken; /* by its span, in this pass */
};

/* Of one lane and boot. */
struct stave__owing {
    struct stave__owed *rows;
    struct stave__place *places; /* the rows' once more, by their spans' serials */
    uint32_t used, size;
};

/* Adds up all of a cumulative row but its self and total. Its name's row; STAVE_NONE when out of memory. */
uint32_t stave__roll_cumulative(struct stave__rolling *rolling, const stave_block *block,
                                uint32_t row);

/* Adds up the choices [from, end), cumulative rows of one lane, and notes what they owe. */
int stave__owing_read(struct stave__owing *owing, struct stave__rolling *rolling, uint32_t from,
                      uint32_t end, stave_error *error);

/* What cumulative rows take from their span. */
struct stave__taken {
    double units;            /* of its self */
    double within, directly; /* counts: of all; of those that take from its self */
};

/* Of the span's rows; in the first pass they add to their selves and totals, with the span's own name among the open
 * ones. */
struct stave__taken stave__owing_take(const struct stave__owing *owing,
                                      struct stave__rolling *rolling, uint64_t serial,
                                      uint8_t pass);

void stave__owing_free(struct stave__owing *owing);

/* Selves and totals of the rows whose span is not there; empties the list. */
void stave__owing_settle(struct stave__owing *owing, struct stave__rolling *rolling);

/* ---- the roll-up ----------------------------------------------------------------------------- */

struct stave__rolling {
    stave_trace *trace;
    const stave_rollup_config *config;
    struct stave__reading reading;
    struct stave__ticks ticks; /* of the boot at hand */
    struct stave__cost cost;
    struct stave__names names;
    struct stave__samples samples;
    struct stave__owing owing; /* of the lane at hand */
    bool *counts;              /* by lane */
    bool *attached;            /* by boot: has attached spans; NULL: not known, none seen yet */
};

/* The string of a span's name: its own or its lane's. */
uint32_t stave__lane_name(const stave_trace *trace, uint32_t lane);

bool stave__has_attached(const stave_block *block);

#define STAVE__ATTACHED_SEEN 1

/* Adds up the spans and cumulative rows of the choices [from, end), a whole boot. The first returns
 * STAVE__ATTACHED_SEEN when it comes upon an attached span; sums are then of no use. */
int stave__roll_lanes(struct stave__rolling *rolling, uint32_t from, uint32_t end,
                      stave_error *error);
int stave__roll_forest(struct stave__rolling *rolling, uint32_t from, uint32_t end,
                       stave_error *error);

/* As stave_rollup_new(), with every boot's spans in memory: for tests, which hold the two ways
 * against each other. */
int stave__rollup_new_in_memory(stave_trace *trace, const stave_rollup_config *config,
                                stave_rollup **rollup, stave_error *error);

#endif
