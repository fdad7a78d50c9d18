#include "cli/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"
#include "base/utf8.h"
#include "cli/cli.h"

#define CHUNK_SIZE ((size_t)256 * 1024)

/* ---- what is no recording, told by how it begins --------------------------------------------- */

#define MAGIC_MAX 6 /* bytes of the longest */

struct magic {
    const char *bytes;
    size_t size;
    const char *what;
};

/* None of these begins a sound etrace frame. */
static const struct magic magics[] = {
    {"\x1f\x8b\x08", 3, "is gzip data; unpack it first (gzip -dc FILE | stave decode -)"},
    {"\x28\xb5\x2f\xfd", 4, "is zstd data; unpack it first (zstd -dc FILE | stave decode -)"},
    {"\xfd\x37zXZ\x00", 6, "is xz data; unpack it first (xz -dc FILE | stave decode -)"},
    {"\x7f\x45LF", 4, "is an ELF file, a program, not what it recorded"},
};

static const char *what_it_is(const unsigned char *head, size_t size)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (size >= magics[i].size && memcmp(head, magics[i].bytes, magics[i].size) == 0)
            return magics[i].what;
    return NULL;
}

static bool looks_like_text(const unsigned char *head, size_t size)
{
    uint32_t point;
    size_t step;
    for (size_t at = 0; at < size; at += step) {
        step = stave__utf8_decode((const char *)head + at, size - at, &point);
        if (step == 0)
            return at > 0 && size - at < 4; /* a sequence that the chunk cut */
        bool space = point == '\t' || point == '\n' || point == '\r' || point == '\f';
        if ((point < 0x20 && !space) || point == 0x7f)
            return false;
    }
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    int fd;
    stave_decoder *decoder;
    unsigned char *chunk;
    uint64_t total;
    bool text; /* so far */
};

/* The next bytes; the first time enough of them to tell what they are, if there are as many. */
static int64_t read_chunk(struct reading *r, stave_error *error)
{
    int64_t n, size = 0;
    do {
        n = stave__os_read(r->fd, r->chunk + size, CHUNK_SIZE - (size_t)size, error);
        size += n > 0 ? n : 0;
    } while (n > 0 && r->total == 0 && size < MAGIC_MAX);
    return n < 0 ? n : size;
}

static int read_all(struct reading *r, const char *name, stave_error *error)
{
    for (;;) {
        int64_t n = read_chunk(r, error);
        if (n <= 0)
            return (int)n;
        const char *what = r->total == 0 ? what_it_is(r->chunk, (size_t)n) : NULL;
        if (what != NULL) {
            cli_message("%s: offset 0: %s", name, what);
            return STAVE_E_FORMAT;
        }
        r->text = (r->total == 0 || r->text) && looks_like_text(r->chunk, (size_t)n);
        r->total += (uint64_t)n;
        int status = stave_decoder_feed(r->decoder, r->chunk, (size_t)n, error);
        if (status < 0)
            return status;
    }
}

static int explain_nothing(const struct cli_trace *trace, const struct reading *r)
{
    const stave_decode_stats *stats = &trace->stats;
    if (r->total == 0)
        cli_message("%s: empty; nothing was recorded into it", trace->name);
    else if (r->text)
        cli_message("%s: offset 0: looks like text, not like an etrace recording", trace->name);
    else if (stats->damages > 0)
        cli_message("%s: offset %" PRIu64 ": no etrace frame here or in the %" PRIu64
                    " bytes of the file (%s)",
                    trace->name, stats->first_damage, r->total, stats->damage_text);
    else
        cli_message("%s: offset 0: only the beginning of an etrace frame, %" PRIu64
                    " bytes; record longer",
                    trace->name, r->total);
    return STAVE_E_FORMAT;
}

static int decode(struct cli_trace *trace, struct reading *r, stave_error *error)
{
    if (!trace->input.regular)
        stave__os_catch_interrupts(true);
    int status = stave_trace_new(NULL, &trace->trace, error);
    if (status >= 0)
        status = stave_decoder_new(NULL, trace->trace, &r->decoder, error);
    if (status >= 0)
        status = read_all(r, trace->name, error);
    if (!trace->input.regular)
        stave__os_catch_interrupts(false);
    if (status >= 0)
        status = stave_decoder_finish(r->decoder, error);
    if (status < 0)
        return status;
    stave_decoder_stats(r->decoder, &trace->stats);
    return trace->stats.frames == 0 ? explain_nothing(trace, r) : STAVE_OK;
}

static int open_and_decode(struct cli_trace *trace, const char *path, struct reading *r,
                           stave_error *error)
{
    r->chunk = malloc(CHUNK_SIZE);
    if (r->chunk == NULL)
        return stave__fail_memory(error);
    int status = stave__os_open_input(path, &r->fd, error);
    if (status < 0)
        return status;
    trace->input = stave__os_identify(r->fd);
    return decode(trace, r, error);
}

static void explain_failure(const struct cli_trace *trace, const struct reading *r,
                            const stave_error *error)
{
    if (error->status == STAVE_OK)
        return; /* the message is written */
    if (r->total == 0)
        cli_message("%s", error->message);
    else
        cli_message("%s: offset %" PRIu64 ": %s", trace->name, r->total, error->message);
}

int cli_trace_open(const char *path, struct cli_trace *trace)
{
    stave_error error = {0};
    struct reading reading = {.fd = -1};
    *trace = (struct cli_trace){.name = strcmp(path, "-") == 0 ? "standard input" : path};
    int status = open_and_decode(trace, path, &reading, &error);
    stave_decoder_free(reading.decoder);
    stave__os_close(reading.fd);
    free(reading.chunk);
    if (status >= 0)
        return CLI_DONE;
    explain_failure(trace, &reading, &error);
    cli_trace_close(trace);
    return CLI_MISUSE;
}

int cli_trace_run(const char *path, bool strict,
                  int (*use)(const struct cli_trace *trace, const char *path))
{
    struct cli_trace trace;
    int exit_status = cli_trace_open(path, &trace);
    if (exit_status != CLI_DONE)
        return exit_status;
    exit_status = use(&trace, path);
    cli_trace_warn(&trace);
    if (exit_status == CLI_DONE && strict && cli_trace_is_lossy(&trace))
        exit_status = CLI_NO;
    cli_trace_close(&trace);
    return exit_status;
}

void cli_trace_close(struct cli_trace *trace)
{
    stave_trace_free(trace->trace);
    trace->trace = NULL;
}

/* ---- loss and doubt -------------------------------------------------------------------------- */

static void warn_count(const struct cli_trace *trace, const char *what, uint64_t count,
                       const char *meaning)
{
    if (count > 0)
        cli_message("%s: %s: %" PRIu64 "; %s", trace->name, what, count, meaning);
}

void cli_trace_warn(const struct cli_trace *trace)
{
    const stave_decode_stats *s = &trace->stats;
    if (stave__os_was_interrupted())
        cli_message("%s: interrupted; what was read until then is kept", trace->name);
    if (s->damages > 0)
        cli_message("%s: offset %" PRIu64 ": %s; damaged places: %" PRIu64
                    ", bytes skipped: %" PRIu64,
                    trace->name, s->first_damage, s->damage_text, s->damages, s->bytes_skipped);
    warn_count(trace, "device restarts", s->resets, "each a marker `device reset`");
    warn_count(trace, "bytes cut off at the end", s->cut_tail_bytes, "an incomplete frame");
    warn_count(trace, "frames lost", s->frames_lost, "spans open then are marked interrupted");
    warn_count(trace, "events not shown", s->unresolved,
               "no name (late attach, registry full, over 65536 ids) or no time yet");
    warn_count(trace, "spans dropped", s->duplicate_starts,
               "started again before their end was recorded");
    warn_count(trace, "ends dropped", s->orphan_ends, "their spans had not been started");
    warn_count(trace, "times beyond 64-bit ticks", s->times_saturated, "shown at the limit");
    warn_count(trace, "runs without a usable TRACE_START", s->rates_assumed,
               "ticks taken as in the run before, else as nanoseconds");
    if (s->time_uncertain_us > 0)
        cli_message("%s: after losses, times may be early by up to %.3f us", trace->name,
                    s->time_uncertain_us);
    warn_count(trace, "losses without an absolute time behind them", s->unbounded_doubts,
               "times after them may be early");
}

bool cli_trace_is_lossy(const struct cli_trace *trace)
{
    const stave_decode_stats *s = &trace->stats;
    return s->frames_lost != 0 || s->bytes_skipped != 0 || s->cut_tail_bytes != 0 ||
           s->unresolved != 0 || s->duplicate_starts != 0 || s->orphan_ends != 0 ||
           s->rates_assumed != 0 || s->times_saturated != 0;
}
