/* record/traces_copy.h - a trace that is kept, copied out of the recorder's memory, as stave/traces.h has it. */
#ifndef STAVE_RECORD_TRACES_COPY_H
#define STAVE_RECORD_TRACES_COPY_H

#include "record/traces.h"

/* Ticks as nanoseconds, by the rate since the start. */
struct stave__scale {
    double ns_a_tick;
};

struct stave__scale stave__scale_now(void);

static inline uint64_t stave__scale_ns(const struct stave__scale *scale, uint64_t ticks)
{
    return scale->ns_a_tick == 1 ? ticks : (uint64_t)((double)ticks * scale->ns_a_tick + 0.5);
}

/* 1 and the trace, 0: its records are not there any more. The caller holds a reference of the entry. */
int stave__trace_copy(const struct stave__kept *kept, const struct stave__scale *scale,
                      stave_kept_trace **trace, stave_error *error);

#endif
