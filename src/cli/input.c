#include "cli/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"
#include "base/os_command.h"
#include "cli/cli.h"
#include "cli/growing.h"
#include "cli/head.h"
#include "cli/loss.h"
#include "cli/magic.h"
#include "cli/progress.h"

#define CHUNK_SIZE ((size_t)256 * 1024)
#define DROPPED_SHOWN 10 /* rows of a CSV that are told of one by one */

/* What is read from a stream, and whoever makes rows of it. */
struct reading {
    const char *name; /* of the input */
    int fd;
    stave_decoder *decoder;
    stave_csv_reader *csv;
    unsigned char *chunk;
    size_t head;                      /* bytes in the chunk that were read to tell what it is */
    uint64_t total;                   /* bytes fed */
    uint64_t size;                    /* bytes of a regular file, else 0 */
    bool text;                        /* so far */
    char no_csv[CLI_HEAD_REASON_MAX]; /* why, if it is text */
    uint64_t dropped;                 /* rows of a CSV, so far */
    struct cli_growing growing;
};

/* ---- the first bytes ------------------------------------------------------------------------- */

/* As many bytes as it takes to tell what it is, if there are as many. */
static int read_head(struct reading *r, stave_error *error)
{
    while (r->head < CHUNK_SIZE && !cli_magic_is_enough(r->chunk, r->head)) {
        int64_t n = stave__os_read(r->fd, r->chunk + r->head, CHUNK_SIZE - r->head, error);
        if (n < 0)
            return (int)n;
        if (n == 0)
            break;
        r->head += (size_t)n;
    }
    return STAVE_OK;
}

/* An error that is not set: the message is written. */
static int refuse_others(const struct cli_trace *trace, const struct reading *r)
{
    const char *what = cli_magic_of_others(r->chunk, r->head);
    if (what == NULL)
        return STAVE_OK;
    cli_message("%s: offset 0: %s", trace->name, what);
    return STAVE_E_FORMAT;
}

static int open_input(struct cli_trace *trace, const char *path, struct reading *r,
                      stave_error *error)
{
    *trace = (struct cli_trace){.name = strcmp(path, "-") == 0 ? "standard input" : path};
    *r = (struct reading){.name = trace->name, .fd = -1, .chunk = malloc(CHUNK_SIZE)};
    if (r->chunk == NULL)
        return stave__fail_memory(error);
    int status = stave__os_open_input(path, &r->fd, error);
    if (status < 0)
        return status;
    trace->input = stave__os_identify(r->fd);
    if (trace->input.regular)
        status = stave__os_size(r->fd, path, &r->size, error);
    else
        stave__os_catch_interrupts(true);
    if (status >= 0)
        status = read_head(r, error);
    if (status >= 0)
        trace->kind = cli_magic_kind(r->chunk, r->head);
    if (status >= 0)
        cli_head_explain((const char *)r->chunk, r->head, r->no_csv);
    return status;
}

static void close_input(const struct cli_trace *trace, struct reading *r)
{
    if (r->fd >= 0 && !trace->input.regular)
        stave__os_catch_interrupts(false);
    stave__os_close(r->fd);
    cli_growing_close(&r->growing);
    stave_decoder_free(r->decoder);
    stave_csv_reader_free(r->csv);
    free(r->chunk);
}

/* ---- streams --------------------------------------------------------------------------------- */

static int feed(struct reading *r, size_t size, stave_error *error)
{
    r->text = (r->total == 0 || r->text) && cli_magic_is_text(r->chunk, size);
    r->total += size;
    cli_progress_at(r->total, r->size);
    return r->csv != NULL ? stave_csv_reader_feed(r->csv, r->chunk, size, error)
                          : stave_decoder_feed(r->decoder, r->chunk, size, error);
}

static int read_all(struct reading *r, stave_trace *trace, stave_error *error)
{
    int64_t n = (int64_t)r->head;
    int status = STAVE_OK;
    while (n > 0 && status >= 0) {
        status = feed(r, (size_t)n, error);
        if (status >= 0)
            status = cli_growing_keep_up(&r->growing, trace, r->decoder, r->fd, error);
        if (status >= 0)
            n = stave__os_read(r->fd, r->chunk, CHUNK_SIZE, error);
    }
    return n < 0 ? (int)n : status;
}

static int explain_nothing(const struct cli_trace *trace, const struct reading *r)
{
    const stave_decode_stats *stats = &trace->stats;
    if (r->total == 0)
        cli_message("%s: empty; nothing was recorded into it", trace->name);
    else if (r->text)
        cli_message("%s: offset 0: looks like text, but is no CSV of a trace: %s", trace->name,
                    r->no_csv);
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

static int finish_csv(struct cli_trace *trace, struct reading *r, stave_error *error)
{
    int status = stave_csv_reader_finish(r->csv, error);
    if (r->dropped > DROPPED_SHOWN)
        cli_message("%s: rows left out besides these: %" PRIu64, r->name,
                    r->dropped - DROPPED_SHOWN);
    if (status < 0)
        return status;
    stave_csv_reader_stats_of(r->csv, &trace->csv);
    return cli_trace_recall(trace, error);
}

static int finish_etrace(struct cli_trace *trace, struct reading *r, stave_error *error)
{
    int status = stave_decoder_finish(r->decoder, error);
    if (status < 0)
        return status;
    trace->decoded = true;
    stave_decoder_stats(r->decoder, &trace->stats);
    return trace->stats.frames == 0 ? explain_nothing(trace, r) : STAVE_OK;
}

static void warn_dropped(void *context, const stave_error *why)
{
    struct reading *r = context;
    if (r->dropped++ < DROPPED_SHOWN)
        cli_message("%s: offset %" PRIu64 ": %s; this row is left out", r->name, why->offset,
                    why->message);
}

static int begin(const struct cli_trace *trace, struct reading *r, stave_csv_reader_config csv,
                 stave_error *error)
{
    csv.dropped = warn_dropped;
    csv.dropped_context = r;
    return trace->kind == CLI_CSV ? stave_csv_reader_new(&csv, trace->trace, &r->csv, error)
                                  : stave_decoder_new(NULL, trace->trace, &r->decoder, error);
}

static int decode(struct cli_trace *trace, struct reading *r, const stave_csv_reader_config *csv,
                  stave_error *error)
{
    int status = stave_trace_new(NULL, &trace->trace, error);
    if (status >= 0)
        status = begin(trace, r, *csv, error);
    if (status >= 0)
        status = read_all(r, trace->trace, error);
    if (!trace->input.regular)
        stave__os_catch_interrupts(false);
    if (status < 0)
        return status;
    status = trace->kind == CLI_CSV ? finish_csv(trace, r, error) : finish_etrace(trace, r, error);
    if (status < 0)
        return status;
    trace->growing_into = r->growing.path;
    return cli_growing_finish(&r->growing, trace->trace, error);
}

/* ---- .stave files ---------------------------------------------------------------------------- */

static int open_stave(struct cli_trace *trace, const char *path, const stave_trace_config *config,
                      stave_error *error)
{
    if (!trace->input.regular) {
        cli_message("%s: a .stave file is read from its end; save it to a file first", trace->name);
        return STAVE_E_FORMAT;
    }
    int status = stave_trace_open(path, config, &trace->trace, error);
    return status < 0 ? status : cli_trace_recall(trace, error);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void explain_failure(const struct cli_trace *trace, const struct reading *r,
                            const stave_error *error)
{
    if (error->status == STAVE_OK)
        return; /* the message is written */
    if (r->csv != NULL && error->status == STAVE_E_FORMAT)
        cli_message("%s: offset %" PRIu64 ": %s", trace->name, error->offset, error->message);
    else if (r->total == 0)
        cli_message("%s", error->message);
    else
        cli_message("%s: offset %" PRIu64 ": %s", trace->name, r->total, error->message);
}

/* The end of every way to open: CLI_DONE, or after a message CLI_MISUSE and no trace. */
static int conclude(struct cli_trace *trace, struct reading *r, int status,
                    const stave_error *error)
{
    cli_progress_end();
    if (status < 0)
        explain_failure(trace, r, error);
    close_input(trace, r);
    if (status < 0)
        cli_trace_close(trace);
    return status < 0 ? CLI_MISUSE : CLI_DONE;
}

/* Finds all damage, as strict has to. False after a message. */
static bool check_all(const struct cli_trace *trace)
{
    stave_error error = {0};
    cli_progress_begin("checking", trace->name);
    int status = stave_trace_check(trace->trace, cli_progress_report(), &error);
    cli_progress_end();
    if (status < 0)
        cli_message("%s: %s", trace->name, error.message);
    return status >= 0;
}

int cli_trace_open(const char *path, const struct cli_opening *how, struct cli_trace *trace)
{
    stave_error error = {0};
    stave_trace_config config = {.progress = cli_progress_report()};
    struct reading reading;
    int status = open_input(trace, path, &reading, &error);
    trace->strict = how->strict;
    if (!trace->input.regular && how->grow_into != NULL && cli_growing_is_possible(how->grow_into))
        reading.growing.path = how->grow_into;
    cli_progress_begin("reading", trace->name);
    if (status >= 0)
        status = refuse_others(trace, &reading);
    if (status >= 0)
        status = trace->kind == CLI_STAVE ? open_stave(trace, path, &config, &error)
                                          : decode(trace, &reading, &how->csv, &error);
    int exit_status = conclude(trace, &reading, status, &error);
    if (exit_status != CLI_DONE || !how->strict || trace->kind != CLI_STAVE || check_all(trace))
        return exit_status;
    cli_trace_close(trace);
    return CLI_MISUSE;
}

int cli_trace_open_stave(const char *path, const stave_trace_config *config,
                         struct cli_trace *trace)
{
    stave_error error = {0};
    stave_trace_config own = *config;
    struct reading reading;
    int status = open_input(trace, path, &reading, &error);
    cli_progress_begin("reading", trace->name);
    own.progress = cli_progress_report();
    if (status >= 0 && trace->kind != CLI_STAVE) {
        cli_message(
            "%s: not a .stave file; `stave decode FILE -o NEW.stave` makes one of a recording "
            "or a CSV",
            trace->name);
        status = STAVE_E_FORMAT;
    }
    if (status >= 0)
        status = open_stave(trace, path, &own, &error);
    return conclude(trace, &reading, status, &error);
}

void cli_trace_close(struct cli_trace *trace)
{
    stave_trace_free(trace->trace);
    trace->trace = NULL;
}

bool cli_trace_has_events(const struct cli_trace *trace)
{
    const stave_decode_stats *s = &trace->stats;
    return s->spans + s->markers + s->gaps + s->resets > 0;
}

int cli_trace_end(struct cli_trace *trace, int exit_status)
{
    cli_trace_warn(trace);
    if (exit_status == CLI_DONE && trace->strict && cli_trace_is_lossy(trace))
        exit_status = CLI_NO;
    cli_trace_close(trace);
    return exit_status;
}

int cli_trace_run(const char *path, const struct cli_opening *how,
                  int (*use)(const struct cli_trace *trace, const char *path))
{
    struct cli_trace trace;
    int exit_status = cli_trace_open(path, how, &trace);
    if (exit_status != CLI_DONE)
        return exit_status;
    exit_status = use(&trace, path);
    cli_progress_end();
    return cli_trace_end(&trace, exit_status);
}
