/* record/overhead.h - what a span costs its thread, measured on this machine while the program runs.
 *
 * Real probes are run, on a lane that is in no list and writes to the caller's stack. Any thread, no lock; some
 * hundred microseconds, at most about a millisecond.  */
#ifndef STAVE_RECORD_OVERHEAD_H
#define STAVE_RECORD_OVERHEAD_H

#include <stdbool.h>

/* As in stave_cost of stave/stave.h. */
struct stave__span_cost {
    double span_ns, inner_ns;
};

/* As it was measured last; now, if it never was. 0 before the first start, and with a clock of the caller's. */
struct stave__span_cost stave__span_cost(void);

/* A recording starts, whose clock is the processor's counter or not. */
void stave__overhead_begin(bool by_counter);

#endif
