/* stave/export.h - a trace to other tools' files, and to a diagram.
 *
 *     stave_export_config config = {.no_args = true};
 *     if (stave_export_to_file(trace, STAVE_EXPORT_CHROME, &config, "run.json", NULL, &error) < 0) ...
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

/* ---- files of other viewers ------------------------------------------------------------------ */

/* format, its name, usual end of a file's name, what opens it. docs/export.md says what becomes of what. */
#define STAVE_EXPORT_FORMATS(X)                                                                    \
    X(STAVE_EXPORT_SPEEDSCOPE, "speedscope", ".speedscope.json", "speedscope")                     \
    X(STAVE_EXPORT_CHROME, "chrome", ".json", "Perfetto, chrome://tracing, speedscope, Firefox")   \
    X(STAVE_EXPORT_PERFETTO, "perfetto", ".pftrace", "Perfetto")                                   \
    X(STAVE_EXPORT_FOLDED, "folded", ".folded", "flamegraph.pl, speedscope, Perfetto")             \
    X(STAVE_EXPORT_PPROF, "pprof", ".pb.gz", "pprof, speedscope")                                  \
    X(STAVE_EXPORT_OTLP, "otlp", ".otlp.json", "OpenTelemetry collectors, at /v1/traces")

typedef enum stave_export_format {
#define STAVE_EXPORT_FORMAT(format, name, suffix, viewers) format,
    STAVE_EXPORT_FORMATS(STAVE_EXPORT_FORMAT)
#undef STAVE_EXPORT_FORMAT
        STAVE_EXPORT_COUNT
} stave_export_format;

/* Zero is the default of every field: all of the trace. */
typedef struct stave_export_config {
    const char *name; /* UTF-8: what the viewer calls it; NULL: "stave" */
    /* Only what overlaps [from_us, to_us], borders included; of each span the part inside, which then says that it is cut. */
    bool windowed;
    double from_us, to_us;
    uint64_t least_ns; /* only spans and cumulative entries of at least this length */
    /* Which lanes; NULL: all. */
    bool (*lane_counts)(void *context, uint32_t lane);
    void *lane_context;
    /* By their names (string ids), only spans that count and what is in them on their lanes, and only marks and counters that
     * count; gaps stay. NULL: all. */
    bool (*name_counts)(void *context, uint32_t name);
    void *name_context;
    bool
        no_args; /* no attributes, flags and other arguments of spans: speedscope merges Chrome's spans only if these agree */
    const char *temporary_dir; /* of what does not fit in memory; NULL means $TMPDIR, else /tmp */
    stave_progress progress;   /* in rows */
} stave_export_config;

/* What is in a file. */
typedef struct stave_export_counts {
    uint32_t lanes;       /* that something is on */
    uint32_t tracks;      /* for spans that overlap others of their lanes without being in them */
    uint64_t spans;       /* cumulative entries are not in it */
    uint64_t cumulatives; /* entries */
    uint64_t overlapping; /* spans that are on such a track */
    uint64_t unplaced;    /* entries that are, since there was no room in their span, or it is not there */
    uint64_t deeper;      /* spans that are in "(N deeper)" */
    uint64_t uncertain;   /* spans and entries with a bit of STAVE_FLAGS_DOUBT */
    uint64_t failed;
    uint64_t missed; /* spans that ended after their deadline */
    uint64_t marks, counters, gaps, doubts;
    uint64_t lost;     /* events in the gaps */
    uint64_t links;    /* attached spans too */
    uint64_t left_out; /* rows, attributes too, that the format has no place for */
    double start_us;   /* what is 0 in the file, on the trace's time line */
} stave_export_counts;

#define stave_export(trace, format, config, sink, counts, error)                                   \
    stave_export_sized((trace), (format), (config), sizeof(stave_export_config), (sink), (counts), \
                       sizeof(stave_export_counts), (error))

/* The trace in a format, block by block. `config` and `counts` may be NULL. Texts may hold any bytes: what is no UTF-8 becomes
 * U+FFFD. The same rows make the same bytes, wherever they stand in their blocks.
 *
 * Memory: about 200 MB at most, whatever the trace's length, beside its own cache: rows of one lane that need more go to a
 * temporary file. On top, about 100 bytes a level of depth, and 40 an attached span or link in otlp.
 * Errors: also STAVE_E_ARGUMENT for a format that is none. */
STAVE_API int stave_export_sized(stave_trace *trace, stave_export_format format,
                                 const stave_export_config *config, size_t config_size,
                                 stave_sink sink, stave_export_counts *counts, size_t counts_size,
                                 stave_error *error);

#define stave_export_to_file(trace, format, config, path, counts, error)                           \
    stave_export_to_file_sized((trace), (format), (config), sizeof(stave_export_config), (path),   \
                               (counts), sizeof(stave_export_counts), (error))

/* The same to a file, which appears when it is whole, or not at all. */
STAVE_API int stave_export_to_file_sized(stave_trace *trace, stave_export_format format,
                                         const stave_export_config *config, size_t config_size,
                                         const char *path, stave_export_counts *counts,
                                         size_t counts_size, stave_error *error);

#define stave_export_to_memory(trace, format, config, data, size, counts, error)                   \
    stave_export_to_memory_sized((trace), (format), (config), sizeof(stave_export_config), (data), \
                                 (size), (counts), sizeof(stave_export_counts), (error))

/* The same to memory, which is the caller's, to be given to free(). A NUL behind it is not counted. */
STAVE_API int stave_export_to_memory_sized(stave_trace *trace, stave_export_format format,
                                           const stave_export_config *config, size_t config_size,
                                           char **data, size_t *size, stave_export_counts *counts,
                                           size_t counts_size, stave_error *error);

/* What a format is called, the usual end of its files' names, and what opens them; static text. */
STAVE_API const char *stave_export_name(stave_export_format format);
STAVE_API const char *stave_export_suffix(stave_export_format format);
STAVE_API const char *stave_export_viewers(stave_export_format format);

/* The format of a name; STAVE_E_ARGUMENT when there is none. */
STAVE_API int stave_export_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
