/* analyze/names.h - the rows of a roll-up while they are being added up, one a name, under however many numbers it is known.
 *
 *     uint32_t row = stave__names_row(&names, string);         // STAVE_NONE: out of memory
 *     stave__names_at(&names, row)->open++;                     // a call begins
 *     ... --stave__names_at(&names, row)->open == 0             // it was in no other of its name
 */
#ifndef STAVE_ANALYZE_NAMES_H
#define STAVE_ANALYZE_NAMES_H

#include "analyze/cost.h"
#include "analyze/quantiles.h"
#include "stave/analyze.h"

struct stave__name {
    /* Until the end: mean_ns is the sum; net_total_ns and net_self_ns are what is to be taken off. min_ns, max_ns:
     * when timed > 0. */
    stave_rollup_row row;
    uint64_t open; /* calls of it around what is being taken now */
    struct stave__quantiles quantiles;
};

/* Durations wait for each other: one after another they would each wait for memory. */
#define STAVE__WAITING 256

struct stave__duration {
    double ns;
    uint32_t row;
};

struct stave__names {
    const stave_trace *trace;
    uint32_t *row_of; /* by string id: row + 1; 0: none yet */
    uint32_t strings;
    struct stave__name *rows; /* they move when one is added */
    uint32_t used, size;
    uint32_t waiting_count;
    struct stave__duration waiting[STAVE__WAITING]; /* not in their row's quantiles yet */
};

int stave__names_init(struct stave__names *names, const stave_trace *trace, stave_error *error);
void stave__names_free(struct stave__names *names);

uint32_t stave__names_add(struct stave__names *names, uint32_t string);

static inline uint32_t stave__names_row(struct stave__names *names, uint32_t string)
{
    if (string < names->strings && names->row_of[string] != 0)
        return names->row_of[string] - 1;
    return stave__names_add(names, string);
}

static inline struct stave__name *stave__names_at(struct stave__names *names, uint32_t row)
{
    return &names->rows[row];
}

/* A call whose times are known by sum, least and most. */
static inline void stave__name_time(struct stave__name *name, uint64_t calls, double sum_ns,
                                    double least_ns, double most_ns)
{
    stave_rollup_row *row = &name->row;
    if (row->timed == 0 || least_ns < row->min_ns)
        row->min_ns = least_ns;
    if (row->timed == 0 || most_ns > row->max_ns)
        row->max_ns = most_ns;
    row->timed += calls;
    row->mean_ns += sum_ns;
}

/* Calls whose self is added, once or for an entry's count: what recording took of it. */
static inline void stave__name_self_cost(struct stave__name *name, struct stave__cost cost,
                                         double calls, double directly)
{
    name->row.net_self_ns += stave__cost_of_self(cost, calls, directly);
}

/* The same of calls whose total is added. */
static inline void stave__name_total_cost(struct stave__name *name, struct stave__cost cost,
                                          double calls, double within)
{
    name->row.net_total_ns += stave__cost_of_total(cost, calls, within);
}

/* Durations that wait join the quantiles of their rows. False when out of memory. */
bool stave__names_settle(struct stave__names *names);

/* All of a call but its total. False when out of memory. */
static inline bool stave__names_call(struct stave__names *names, uint32_t at, double own_ns,
                                     double self_ns, uint16_t flags)
{
    stave_rollup_row *row = &names->rows[at].row;
    row->calls++;
    row->self_ns += self_ns;
    row->failed += (flags & STAVE_FLAG_FAILED) != 0;
    row->uncertain += (flags & STAVE_FLAGS_DOUBT) != 0;
    if (flags & STAVE_FLAGS_END_UNKNOWN)
        return true;
    stave__name_time(&names->rows[at], 1, own_ns, own_ns, own_ns);
    names->waiting[names->waiting_count++] = (struct stave__duration){own_ns, at};
    return names->waiting_count < STAVE__WAITING || stave__names_settle(names);
}

/* The finished rows in their order, in memory of their own. */
int stave__names_finish(struct stave__names *names, const stave_trace *trace,
                        stave_rollup_row **rows, stave_error *error);

#endif
