/* report/axis.h - ticks of a boot as whole units of 1/64 ns on one axis for all boots.
 *
 *     struct stave__axis axis;
 *     if (!stave__axis_open(&axis, trace, boot)) ...             // out of memory
 *     int64_t time = stave__axis_at(&axis, tick);
 *     stave__axis_free(&axis);
 *
 * A later tick is never an earlier time, also where a clock was set back between two anchors. Times count from where
 * boot 0's clock was anchored, as microseconds since some system's start have no room for parts of nanoseconds. Those
 * beyond 2^60 units, half a year, stand at that limit.  */
#ifndef STAVE_REPORT_AXIS_H
#define STAVE_REPORT_AXIS_H

#include "stave/trace.h"

#define STAVE__AXIS_UNITS 64 /* in a nanosecond */

struct stave__axis {
    struct stave__axis_part *parts; /* from an anchor to the next */
    uint32_t count;
};

bool stave__axis_open(struct stave__axis *axis, const stave_trace *trace, uint32_t boot);
int64_t stave__axis_at(const struct stave__axis *axis, int64_t tick);
/* So many ticks at the rate of a tick, in units. */
double stave__axis_units(const struct stave__axis *axis, int64_t at, uint64_t ticks);
void stave__axis_free(struct stave__axis *axis);

#endif
