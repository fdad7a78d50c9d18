/* trace/deadline.h - what a lane's deadline allows. */
#ifndef STAVE_TRACE_DEADLINE_H
#define STAVE_TRACE_DEADLINE_H

#include "stave/trace.h"

/* Microseconds from a span's start; infinite where the lane has no deadline, or one that is no number.
 *
 * Producers send a float of milliseconds, and whoever writes 0.7 gets 0.699999988. A span of 700 us is in
 * time all the same: what counts is the shortest decimal that gives the float. */
double stave__deadline_us(const stave_lane *lane);

#endif
