/* stave/export.h - a trace to other tools' files, and to a diagram.
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

/* ---- the timing diagram ---------------------------------------------------------------------- */

/* What is drawn of one recording; several are drawn one below the other. */
typedef struct stave_diagram_source {
    stave_trace *trace;
    const char *name; /* UTF-8: what the page calls it, such as the file's name */
} stave_diagram_source;

/* Zero is the default of every field. */
typedef struct stave_diagram_config {
    const char *title;       /* UTF-8; NULL: the names of the sources */
    stave_progress progress; /* in rows */
} stave_diagram_config;

/* What a page holds, over all sources. */
typedef struct stave_diagram_counts {
    uint64_t events; /* spans, markers, gaps and restarts */
    uint64_t spans;
    uint64_t with_deadline; /* of those whose end is known: the ones that are checked */
    uint64_t missed;        /* of these */
    uint64_t interrupted;   /* spans whose end is not known */
    uint64_t markers;
    uint64_t gaps;
    uint64_t lost; /* events in them, frames where the source counts frames */
    uint64_t restarts;
    uint64_t not_drawn; /* rows of other kinds, and of lanes that are not known */
    uint32_t lanes;
} stave_diagram_counts;

#define stave_export_diagram(sources, count, config, sink, counts, error)                          \
    stave_export_diagram_sized((sources), sizeof(stave_diagram_source), (count), (config),         \
                               sizeof(stave_diagram_config), (sink), (counts),                     \
                               sizeof(stave_diagram_counts), (error))

/* One HTML page that draws the sources in a browser and needs nothing else (docs/diagram.md). `config`
 * and `counts` may be NULL. Texts may hold any bytes; they are data, never part of the page.
 *
 * Memory: 48 bytes a span of the lane that has the most of them, 64 while they are sorted; up to 100 a
 * marker of one source; the texts that are drawn. Every row is read twice.
 * Errors: also STAVE_E_NOTHING when no source has a row to draw, STAVE_E_STATE when the diagram was not built in
 * (it needs zlib, Node.js and npm), STAVE_E_LIMIT beyond 2^32 - 2 rows on one lane. */
STAVE_API int stave_export_diagram_sized(const stave_diagram_source *sources, size_t source_size,
                                         uint32_t count, const stave_diagram_config *config,
                                         size_t config_size, stave_sink sink,
                                         stave_diagram_counts *counts, size_t counts_size,
                                         stave_error *error);

#ifdef __cplusplus
}
#endif

#endif
