/* stave/export.h - a trace to other tools' files.
 *
 *     stave_csv_counts counts;
 *     if (stave_export_csv(trace, sink, &counts, &error) < 0) ...
 *
 * Ownership  The caller owns trace and sink; nothing is kept.
 * Threads    One at a time for each trace.
 * Errors     Those of the sink, passed on, and those of reading the trace.  */
#ifndef STAVE_EXPORT_H
#define STAVE_EXPORT_H

#include "stave/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stave_csv_counts {
    uint64_t spans;
    uint64_t markers; /* rows of type marker, restarts included */
    uint64_t gaps;
} stave_csv_counts;

/* The CSV of docs/etrace.md: a head line, spans in the order in which they ended, markers, gaps.
 * Times in microseconds as the shortest decimals that read back to the same double. `counts` may
 * be NULL. */
STAVE_API int stave_export_csv(stave_trace *trace, stave_sink sink, stave_csv_counts *counts,
                               stave_error *error);

#ifdef __cplusplus
}
#endif

#endif
