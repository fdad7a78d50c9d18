/* stave/decode.h - turn a device's bytes into a trace.
 *
 *     stave_trace *trace;
 *     stave_decoder *decoder;
 *     if (stave_trace_new(NULL, &trace, &error) < 0) ...
 *     if (stave_decoder_new(NULL, trace, &decoder, &error) < 0) ...
 *     while ((n = read(fd, buffer, sizeof buffer)) > 0)       // as bytes come, any cut
 *         if (stave_decoder_feed(decoder, buffer, n, &error) < 0) ...
 *     if (stave_decoder_finish(decoder, &error) < 0) ...      // the end of the connection
 *     stave_decoder_stats(decoder, &stats);
 *     stave_decoder_free(decoder);                            // the trace stays
 *
 * Source     The etrace wire format, versions 1 and 2, told apart by the stream itself
 *            (docs/etrace.md). The trace depends on the bytes alone, not on how they were cut.
 * Live       One decoder for each connection. Rows can be read from the trace while it grows; what
 *            waits for a missing number is not in it yet, stave_decoder_finish() decides the rest.
 * Ownership  The caller owns decoder and trace; the trace outlives the decoder.
 * Threads    One at a time for each decoder and its trace.
 * Memory     Independent of the stream's length: at most STAVE_DECODER_IDS_MAX names, 64 held
 *            events and 64 KiB of bytes; rows, lanes and texts are the trace's.
 * Untrusted  Any bytes are safe to feed. Damage is counted, never an error; the only errors are
 *            STAVE_E_MEMORY, STAVE_E_IO from the trace, and STAVE_E_STATE after the end. After an
 *            error the decoder takes no more bytes.  */
#ifndef STAVE_DECODE_H
#define STAVE_DECODE_H

#include "stave/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Name ids that one run may use at once. Events of ids beyond it count as unresolved, as those do
 * for which the device had no room (id 0). */
#define STAVE_DECODER_IDS_MAX 65536

typedef struct stave_decoder stave_decoder;

/* Zero is the default of every field. */
typedef struct stave_decoder_config {
    uint32_t wire_version; /* 0: found from the stream; 1 or 2: known */
} stave_decoder_config;

/* name, what it counts: of the stream so far; (run) is complete when a run has ended. */
#define STAVE_DECODE_COUNTERS(X)                                                                   \
    X(frames, "sound frames, without those dropped as damage")                                     \
    X(spans, "(run) span rows")                                                                    \
    X(markers, "(run) marker rows that the device sent; restarts are in resets")                   \
    X(gaps, "gap rows")                                                                            \
    X(frames_lost, "numbers missing, over all holes, also those without a row")                    \
    X(resets, "restarts of the device")                                                            \
    X(unresolved, "events without a known time or of id 0, (run) rows without a name")             \
    X(duplicates, "frames delivered again, dropped")                                               \
    X(duplicate_starts, "SPAN_STARTs of an open span: the earlier one is dropped")                 \
    X(orphan_ends, "SPAN_ENDs of a span that was not open and was not cut")                        \
    X(bytes_skipped, "damage: bytes that belong to no frame that was used")                        \
    X(cut_tail_bytes, "an incomplete frame at the end of the stream")                              \
    X(unbounded_doubts, "losses with no absolute time behind them, so without a bound")            \
    X(times_saturated, "timestamps beyond the range of 64-bit ticks")                              \
    X(rates_assumed, "runs that never said what a tick is")                                        \
    X(damages, "places at which bytes were skipped")

typedef struct stave_decode_stats {
#define STAVE_DECODE_COUNTER(name, text) uint64_t name;
    STAVE_DECODE_COUNTERS(STAVE_DECODE_COUNTER)
#undef STAVE_DECODE_COUNTER
    double time_uncertain_us; /* (run) times after a loss may be early by at most this */
    uint64_t first_damage;    /* offset of the first damage, bytes */
    const char *damage_text;  /* what was wrong there; static, NULL when damages is 0 */
    uint32_t wire_version;    /* 1 or 2; 0 while undecided */
} stave_decode_stats;

#define stave_decoder_new(config, trace, decoder, error)                                           \
    stave_decoder_new_sized((config), sizeof(stave_decoder_config), (trace), (decoder), (error))

/* A decoder that appends to `trace`; `config` may be NULL. stave_decoder_free() takes NULL. */
STAVE_API int stave_decoder_new_sized(const stave_decoder_config *config, size_t config_size,
                                      stave_trace *trace, stave_decoder **decoder,
                                      stave_error *error);
STAVE_API void stave_decoder_free(stave_decoder *decoder);

/* Decode the next `size` bytes of the stream. */
STAVE_API int stave_decoder_feed(stave_decoder *decoder, const void *bytes, size_t size,
                                 stave_error *error);

/* The stream ends here: what is held takes effect, what is open is cut. Once. */
STAVE_API int stave_decoder_finish(stave_decoder *decoder, stave_error *error);

#define stave_decoder_stats(decoder, stats)                                                        \
    stave_decoder_stats_sized((decoder), (stats), sizeof(stave_decode_stats))

/* Fills in *stats; what a newer caller's struct has beyond ours is set to zero. */
STAVE_API void stave_decoder_stats_sized(const stave_decoder *decoder, stave_decode_stats *stats,
                                         size_t stats_size);

/* Leaves what has been counted so far as properties of the trace, `etrace.NAME`; the end does too. For a
 * file that grows, so that it says what was lost whenever it ends. */
STAVE_API int stave_decoder_tell(const stave_decoder *decoder, stave_error *error);

#define stave_decode_stats_told(trace, stats)                                                      \
    stave_decode_stats_told_sized((trace), (stats), sizeof(stave_decode_stats))

/* The same of a trace whose decoder has finished, also when it was saved and opened since: the decoder
 * leaves what it counted as properties `etrace.NAME`. All zero when no decoder made the trace. Texts
 * are the trace's. */
STAVE_API void stave_decode_stats_told_sized(const stave_trace *trace, stave_decode_stats *stats,
                                             size_t stats_size);

/* ---- CSV ------------------------------------------------------------------------------------- */

/* column, what it is called, whether a CSV must have it */
#define STAVE_CSV_COLUMN_TABLE(X)                                                                  \
    X(NAME, "name", true)                                                                          \
    X(TYPE, "type", true)                                                                          \
    X(START, "start_us", true)                                                                     \
    X(END, "end_us", true)                                                                         \
    X(PRIORITY, "priority", false)                                                                 \
    X(DEADLINE, "deadline_us", false)                                                              \
    X(VALUE, "value", false)                                                                       \
    X(INTERRUPTED, "interrupted", false)

/* The eight columns of docs/etrace.md, name, type, start_us, end_us, priority, deadline_us, value and
 * interrupted, as RFC 4180 has it: named by the first line, in any order, with others among them, a
 * BOM, CRLF or LF. name, type, start_us and end_us must be there; what is missing of the rest counts
 * as empty. Spans, markers and gaps become the rows that stave_export_csv() makes them from.
 *
 * Times are read as decimals and kept in nanoseconds; what is finer is rounded to the nearest and
 * counted. A deadline that is not its lane's becomes the span's own (include/stave/block.h), so that there
 * are at most two lanes for each name, type and priority. docs/csv.md has the rules. Errors: STAVE_E_FORMAT, its message naming the row (the head is
 * row 1) and the column, its offset the row's first byte; STAVE_E_LIMIT beyond STAVE_DECODER_IDS_MAX
 * lanes. After an error the reader takes no more bytes. Untrusted, live, owned and threaded as a
 * decoder. */
typedef struct stave_csv_reader stave_csv_reader;

/* Zero is the default of every field: what cannot be read is an error, all else is read. */
typedef struct stave_csv_reader_config {
    /* A row with a cell that is not a number where its column needs one is left out and counted. `dropped`
     * is told of each, with the error that it would have been; it may be NULL. */
    bool drop_unreadable;
    bool one_kind;    /* a name that is a task in one row and an isr in another is an error */
    bool rows_needed; /* a head without any row below it is an error, at the end */
    void (*dropped)(void *context, const stave_error *why);
    void *dropped_context;
} stave_csv_reader_config;

#define STAVE_CSV_LINE_MAX (1 << 20) /* bytes of one row */

typedef struct stave_csv_reader_stats {
    uint64_t rows; /* without the head and those that were dropped */
    uint64_t spans, markers, gaps;
    uint64_t rounded;   /* times finer than a nanosecond */
    uint64_t saturated; /* times beyond the range of 64-bit nanoseconds */
    uint64_t dropped;   /* rows left out: stave_csv_reader_config.drop_unreadable */
} stave_csv_reader_stats;

#define stave_csv_reader_new(config, trace, reader, error)                                         \
    stave_csv_reader_new_sized((config), sizeof(stave_csv_reader_config), (trace), (reader),       \
                               (error))

/* A reader that appends to `trace`; `config` may be NULL. stave_csv_reader_free() takes NULL. */
STAVE_API int stave_csv_reader_new_sized(const stave_csv_reader_config *config, size_t config_size,
                                         stave_trace *trace, stave_csv_reader **reader,
                                         stave_error *error);
STAVE_API int stave_csv_reader_feed(stave_csv_reader *reader, const void *bytes, size_t size,
                                    stave_error *error);
/* The last line may lack its end. STAVE_E_FORMAT when there was no head, or no row where one is needed. */
STAVE_API int stave_csv_reader_finish(stave_csv_reader *reader, stave_error *error);

#define stave_csv_reader_stats_of(reader, stats)                                                   \
    stave_csv_reader_stats_sized((reader), (stats), sizeof(stave_csv_reader_stats))

STAVE_API void stave_csv_reader_stats_sized(const stave_csv_reader *reader,
                                            stave_csv_reader_stats *stats, size_t stats_size);
STAVE_API void stave_csv_reader_free(stave_csv_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
