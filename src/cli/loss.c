#include "cli/loss.h"

#include <inttypes.h>
#include <string.h>

#include "base/os_command.h"
#include "cli/cli.h"
#include "cli/contents.h"

/* ---- what a trace tells of itself -------------------------------------------------------------- */

/* A number that a file says of itself; 0 where it says nothing. */
static uint64_t told(const stave_trace *trace, const char *key)
{
    const stave_property *property = stave_trace_find_property(trace, key);
    return property != NULL && property->flags == 0 ? property->value : 0;
}

int cli_trace_recall(struct cli_trace *trace, stave_error *error)
{
    stave_decode_stats_told(trace->trace, &trace->stats);
    trace->decoded = trace->stats.wire_version != 0;
    trace->csv.rounded = told(trace->trace, "csv.rounded");
    trace->csv.saturated = told(trace->trace, "csv.saturated");
    trace->csv.dropped = told(trace->trace, "csv.dropped");
    struct cli_contents contents;
    int status = cli_contents_read(trace->trace, &contents, NULL, error);
    if (status < 0)
        return status;
    stave_decode_stats *stats = &trace->stats; /* the rows that are there, not those that were */
    stats->spans = contents.rows[STAVE_SPANS];
    stats->markers = contents.rows[STAVE_MARKS] - contents.restarts;
    stats->gaps = contents.rows[STAVE_GAPS];
    if (!trace->decoded) {
        stats->frames_lost = contents.lost;
        stats->resets = contents.restarts;
    }
    return STAVE_OK;
}

/* The recorder for firmware says so by a mark of this name (stave/target.h). */
static bool is_clock_still(const stave_trace *trace)
{
    static const char mark[] = "stave: clock stands still";
    for (uint32_t id = 0; id < stave_trace_strings(trace); id++) {
        size_t size = 0;
        const char *text = stave_trace_string(trace, id, &size);
        if (size == sizeof mark - 1 && memcmp(text, mark, size) == 0)
            return true;
    }
    return false;
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void warn_count(const struct cli_trace *trace, const char *what, uint64_t count,
                       const char *meaning)
{
    if (count > 0)
        cli_message("%s: %s: %" PRIu64 "; %s", trace->name, what, count, meaning);
}

static void warn_of_stream(const struct cli_trace *trace)
{
    const stave_decode_stats *s = &trace->stats;
    const char *text = s->damage_text != NULL ? s->damage_text : "damage";
    if (s->damages > 0)
        cli_message("%s: offset %" PRIu64 ": %s; damaged places: %" PRIu64
                    ", bytes skipped: %" PRIu64,
                    trace->name, s->first_damage, text, s->damages, s->bytes_skipped);
    warn_count(trace, "device restarts", s->resets, "each a marker `device reset`");
    warn_count(trace, "bytes cut off at the end", s->cut_tail_bytes, "an incomplete frame");
    warn_count(trace, trace->decoded ? "frames lost" : "events lost", s->frames_lost,
               trace->decoded ? "spans open then are marked interrupted" : "each place is a gap");
    warn_count(trace, "events not shown", s->unresolved,
               "no name (late attach, registry full, over 65536 ids) or no time yet");
    warn_count(trace, "spans dropped", s->duplicate_starts,
               "started again before their end was recorded");
    warn_count(trace, "ends dropped", s->orphan_ends, "their spans had not been started");
    warn_count(trace, "times beyond 64-bit ticks", s->times_saturated, "shown at the limit");
    warn_count(trace, "runs without a usable TRACE_START", s->rates_assumed,
               "ticks taken as in the run before, else as nanoseconds");
    if (is_clock_still(trace->trace))
        cli_message("%s: the device's clock stands still: its times say nothing", trace->name);
    if (s->time_uncertain_us > 0)
        cli_message("%s: after losses, times may be early by up to %.3f us", trace->name,
                    s->time_uncertain_us);
    warn_count(trace, "losses without an absolute time behind them", s->unbounded_doubts,
               "times after them may be early");
}

static void warn_of_csv(const struct cli_trace *trace)
{
    warn_count(trace, "times finer than a nanosecond", trace->csv.rounded,
               "rounded to the nearest one");
    warn_count(trace, "times beyond 64-bit nanoseconds", trace->csv.saturated,
               "shown at the limit");
    if (trace->kind != CLI_CSV) /* of which they were told while it was read */
        warn_count(trace, "rows left out of the CSV", trace->csv.dropped,
                   "a cell of each was not a number");
}

/* What the recorder inside a process counted: whatever of it did not come into the file. */
static const struct {
    const char *key, *what, *meaning;
} recorder_losses[] = {
    {"record.evicted", "records given up", "memory was full: the newest are kept"},
    {"record.dropped_full", "records dropped", "memory was full"},
    {"record.dropped_depth", "spans dropped", "more were open than a thread may have"},
    {"record.dropped_thread", "records dropped", "there was no memory for their threads"},
    {"record.dropped_site", "records dropped", "too many names or cumulative entries, or no name"},
    {"record.dropped_abi", "records dropped", "their probes were compiled for another libstave"},
};
#define RECORDER_LOSSES (sizeof recorder_losses / sizeof recorder_losses[0])

/* The recording went on when the file was full: 0, or since when, in ns from its start. */
static uint64_t full_since(const stave_trace *trace)
{
    return told(trace, "record.file_full_ns");
}

static bool has_recorder_lost(const stave_trace *trace)
{
    if (full_since(trace) > 0)
        return true;
    for (size_t i = 0; i < RECORDER_LOSSES; i++)
        if (told(trace, recorder_losses[i].key) > 0)
            return true;
    return told(trace, "record.dropped_limit") > 0;
}

static void warn_of_limit(const struct cli_trace *trace)
{
    uint64_t dropped = told(trace->trace, "record.dropped_limit");
    if (dropped > 0)
        cli_message("%s: spans dropped: %" PRIu64
                    "; the limit max_spans was reached %.6f s after the start",
                    trace->name, dropped,
                    (double)told(trace->trace, "record.limit_reached_ns") / 1e9);
}

static void warn_of_recorder(const struct cli_trace *trace)
{
    uint64_t full_ns = full_since(trace->trace);
    if (full_ns > 0)
        cli_message("%s: the file was full after %.3f s: what was recorded later is not in it",
                    trace->name, (double)full_ns / 1e9);
    for (size_t i = 0; i < RECORDER_LOSSES; i++)
        warn_count(trace, recorder_losses[i].what, told(trace->trace, recorder_losses[i].key),
                   recorder_losses[i].meaning);
    warn_of_limit(trace);
    warn_count(trace, "traces not recorded", told(trace->trace, "record.roots_skipped"),
               "by choice: one in so many is");
    warn_count(trace, "spans left open", told(trace->trace, "record.left_open"),
               "ended by the one around them");
    warn_count(trace, "ends of spans that were not open", told(trace->trace, "record.ended_twice"),
               "ignored");
}

static void warn_of_file(const struct cli_trace *trace)
{
    stave_trace_file file;
    uint32_t damages = stave_trace_damages(trace->trace);
    uint64_t rows = 0;
    stave_trace_file_of(trace->trace, &file);
    for (uint32_t i = 0; i < damages; i++)
        rows += stave_trace_damage(trace->trace, i).rows;
    if (damages > 0) {
        stave_damage first = stave_trace_damage(trace->trace, 0);
        cli_message("%s: offset %" PRIu64 ": %s; damaged places found: %" PRIu32
                    ", rows lost there: %" PRIu64 "; `stave verify` tells all",
                    trace->name, first.offset, first.what, damages, rows);
    }
    if (!file.indexed)
        cli_message("%s: no index: it is still being written, or was cut; `stave recover` makes it "
                    "whole",
                    trace->name);
    warn_count(trace, "bytes at its end that are no whole block", file.cut, "left out");
    if (told(trace->trace, "file.damages") > 0)
        cli_message("%s: made of a damaged file: damaged places: %" PRIu64 ", bytes lost: %" PRIu64
                    ", rows known to be lost: %" PRIu64,
                    trace->name, told(trace->trace, "file.damages"),
                    told(trace->trace, "file.lost_bytes"), told(trace->trace, "file.lost_rows"));
    if (told(trace->trace, "file.unfinished") > 0)
        cli_message("%s: made of a file that was cut or not finished: what its writer still had is "
                    "missing",
                    trace->name);
    warn_count(trace, "blocks of a later version", file.unknown, "left out");
}

void cli_trace_warn(const struct cli_trace *trace)
{
    if (stave__os_was_interrupted())
        cli_message("%s: interrupted; what was read until then is kept", trace->name);
    warn_of_stream(trace);
    warn_of_csv(trace);
    warn_of_recorder(trace);
    if (trace->kind == CLI_STAVE)
        warn_of_file(trace);
}

/* ---- --strict -------------------------------------------------------------------------------- */

/* A file without an index lacks its end, as far as anyone knows. */
static bool is_file_lossy(const struct cli_trace *trace)
{
    stave_trace_file file;
    stave_trace_file_of(trace->trace, &file);
    return stave_trace_damages(trace->trace) > 0 || !file.indexed ||
           told(trace->trace, "file.damages") > 0 || told(trace->trace, "file.unfinished") > 0;
}

bool cli_trace_is_lossy(const struct cli_trace *trace)
{
    const stave_decode_stats *s = &trace->stats;
    return s->frames_lost != 0 || s->bytes_skipped != 0 || s->cut_tail_bytes != 0 ||
           s->unresolved != 0 || s->duplicate_starts != 0 || s->orphan_ends != 0 ||
           s->rates_assumed != 0 || is_clock_still(trace->trace) || s->times_saturated != 0 ||
           trace->csv.saturated != 0 || trace->csv.dropped != 0 ||
           has_recorder_lost(trace->trace) || (trace->kind == CLI_STAVE && is_file_lossy(trace));
}
