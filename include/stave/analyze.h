/* stave/analyze.h - a trace to answers.
 *
 *     uint32_t lanes = stave_trace_lanes(trace);
 *     stave_lane_summary *rows = calloc(lanes, sizeof *rows);
 *     if (stave_summarize_lanes(trace, rows, lanes, &error) < 0) ...
 *
 * Ownership  The caller owns what is filled in.
 * Threads    One at a time for each trace.
 * Errors     Those of reading the trace.  */
#ifndef STAVE_ANALYZE_H
#define STAVE_ANALYZE_H

#include "stave/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One lane over the whole trace. Durations are response times, start to end, in microseconds;
 * interrupted spans count as spans but not in total, min, mean, max and missed, since their end is
 * unknown. Min, mean and max are 0 where there is no whole span. */
typedef struct stave_lane_summary {
    uint64_t spans;
    uint64_t interrupted;
    uint64_t marks;
    uint64_t missed; /* whole spans that ended after their deadline */
    double total_us;
    double min_us;
    double mean_us;
    double max_us;
} stave_lane_summary;

/* Fills in `rows` for lanes 0 to count - 1; count is at most stave_trace_lanes(). After an error they
 * hold a part of the trace. */
STAVE_API int stave_summarize_lanes(stave_trace *trace, stave_lane_summary *rows, uint32_t count,
                                    stave_error *error);

#ifdef __cplusplus
}
#endif

#endif
