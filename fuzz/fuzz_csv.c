/* fuzz_csv.c - any bytes are a CSV or an error that can be shown, the same however they are cut; and
 * what was read is written so that reading and writing it again changes nothing. The size of the input
 * says how strictly it is read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "outcome.h"

struct reading {
    int status;
    stave_error error;
    stave_csv_reader_stats stats;
    uint64_t dropped; /* rows that were told of */
    char *csv;        /* of the rows up to an error */
    size_t csv_size;
};

/* How it is read: bits. */
enum { DROPPING = 1, ONE_KIND = 2, ROWS_NEEDED = 4, OPTIONS = 7 };

/* ---- what has to be true of one -------------------------------------------------------------- */

static void check_message(const stave_error *error)
{
    size_t left = strlen(error->message);
    REQUIRE(left > 0 && left < sizeof error->message - 1);
    for (const char *at = error->message; left > 0;) {
        uint32_t point = 0;
        size_t step = stave__utf8_decode(at, left, &point);
        REQUIRE(step != 0 && point >= 0x20 && point != 0x7f);
        at += step;
        left -= step;
    }
}

static void check_error(const struct reading *reading, size_t size)
{
    const stave_error *error = &reading->error;
    REQUIRE(reading->status == STAVE_E_FORMAT || reading->status == STAVE_E_LIMIT);
    REQUIRE(error->status == reading->status && error->offset <= size);
    check_message(error);
}

static void note_dropped(void *context, const stave_error *why)
{
    struct reading *reading = context;
    REQUIRE(why->status == STAVE_E_FORMAT);
    check_message(why);
    reading->dropped++;
}

static void check_block(const stave_trace *trace, const stave_block *block)
{
    REQUIRE(block->rows > 0 && block->boot == 0 && block->lane < stave_trace_lanes(trace));
    for (uint32_t i = 0; i < block->rows; i++) {
        REQUIRE(block->start[i] >= block->first && stave_block_end(block, i) <= block->last);
        REQUIRE(block->start[i] <= stave_block_end(block, i));
    }
}

static void check_trace(stave_trace *trace, const struct reading *reading)
{
    uint64_t rows = 0;
    stave_cursor *cursor;
    const stave_block *block;
    REQUIRE(stave_cursor_open(trace, NULL, &cursor, NULL) == STAVE_OK);
    while (stave_cursor_next(cursor, &block, NULL) > 0) {
        check_block(trace, block);
        rows += block->rows;
    }
    stave_cursor_close(cursor);
    const stave_csv_reader_stats *stats = &reading->stats;
    REQUIRE(stats->dropped == reading->dropped);
    REQUIRE(rows == stats->rows && rows == stats->spans + stats->markers + stats->gaps);
    const stave_boot *boot = stave_trace_boot(trace, 0);
    REQUIRE(stave_trace_boots(trace) == 1 && boot->ended == (reading->status >= 0));
    REQUIRE(isfinite(boot->end_us));
}

/* ---- reading and writing --------------------------------------------------------------------- */

/* The next piece's size: mostly small, sometimes none at all. */
static size_t next_cut(uint32_t *state, size_t left)
{
    if (*state == 0)
        return left;
    *state = (*state * 1664525u + 1013904223u) | 1;
    size_t size = (*state >> 8 & 0xffff) & ((1u << (*state >> 28)) - 1);
    return size < left ? size : left;
}

/* Each piece in memory of its own, so that a step beyond it is seen. */
static int feed(stave_csv_reader *reader, const char *bytes, size_t size, uint32_t cuts,
                stave_error *error)
{
    int status = STAVE_OK;
    for (size_t at = 0; status >= 0 && at < size;) {
        size_t part = next_cut(&cuts, size - at);
        char *copy = malloc(part != 0 ? part : 1);
        REQUIRE(copy != NULL);
        memcpy(copy, bytes + at, part);
        status = stave_csv_reader_feed(reader, copy, part, error);
        free(copy);
        at += part;
    }
    return status;
}

static int append(void *context, const void *data, size_t size)
{
    struct reading *reading = context;
    reading->csv = realloc(reading->csv, reading->csv_size + size);
    REQUIRE(reading->csv != NULL);
    memcpy(reading->csv + reading->csv_size, data, size);
    reading->csv_size += size;
    return STAVE_OK;
}

static void read_csv(const char *bytes, size_t size, unsigned options, uint32_t cuts,
                     struct reading *reading)
{
    const stave_csv_reader_config config = {
        .drop_unreadable = (options & DROPPING) != 0,
        .one_kind = (options & ONE_KIND) != 0,
        .rows_needed = (options & ROWS_NEEDED) != 0,
        .dropped = note_dropped,
        .dropped_context = reading,
    };
    stave_trace *trace;
    stave_csv_reader *reader;
    stave_csv_counts counts;
    *reading = (struct reading){0};
    REQUIRE(stave_trace_new(NULL, &trace, NULL) == STAVE_OK);
    REQUIRE(stave_csv_reader_new(&config, trace, &reader, NULL) == STAVE_OK);
    reading->status = feed(reader, bytes, size, cuts, &reading->error);
    if (reading->status >= 0)
        reading->status = stave_csv_reader_finish(reader, &reading->error);
    stave_csv_reader_stats_of(reader, &reading->stats);
    stave_csv_reader_free(reader);
    check_trace(trace, reading);
    REQUIRE(stave_export_csv(trace, (stave_sink){append, reading}, &counts, NULL) == STAVE_OK);
    REQUIRE(counts.spans == reading->stats.spans && counts.markers == reading->stats.markers &&
            counts.gaps == reading->stats.gaps);
    stave_trace_free(trace);
}

static void require_same(const struct reading *got, const struct reading *expected)
{
    REQUIRE(got->status == expected->status);
    REQUIRE(got->error.offset == expected->error.offset);
    REQUIRE(strcmp(got->error.message, expected->error.message) == 0);
    REQUIRE(memcmp(&got->stats, &expected->stats, sizeof got->stats) == 0);
    REQUIRE(same_csv(got->csv, got->csv_size, expected->csv, expected->csv_size));
}

/* What was written, and has rows of a length that can be read, stays as it is. */
static void require_fixed(const struct reading *first)
{
    struct reading again;
    read_csv(first->csv, first->csv_size, 0, 0, &again);
    REQUIRE(again.status == STAVE_OK);
    REQUIRE(again.stats.rounded == 0);
    REQUIRE(same_csv(again.csv, again.csv_size, first->csv, first->csv_size));
    free(again.csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reading whole, cut;
    unsigned options = size & OPTIONS;
    read_csv((const char *)data, size, options, 0, &whole);
    read_csv((const char *)data, size, options, (uint32_t)stave__hash(data, size) | 1, &cut);
    require_same(&cut, &whole);
    if (whole.status < 0)
        check_error(&whole, size);
    if (size < STAVE_CSV_LINE_MAX / 2)
        require_fixed(&whole);
    free(cut.csv);
    free(whole.csv);
    return 0;
}
