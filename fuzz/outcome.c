/* outcome.c - a stream decoded in some way, and what has to be true of every trace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "stave/analyze.h"

void require_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
    abort();
}

static void require_ok(int status, const stave_error *error)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s: %s\n", stave_status_text(status), error->message);
    abort();
}

static void *allocate(size_t size)
{
    void *memory = malloc(size + 1);
    REQUIRE(memory != NULL);
    return memory;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void check_row(const stave_trace *trace, const stave_block *block, uint32_t row)
{
    int64_t end = block->end != NULL ? block->end[row] : block->start[row];
    REQUIRE(block->start[row] >= block->first && end <= block->last);
    REQUIRE(end >= block->start[row]);
    REQUIRE(row == 0 || block->order[row] > block->order[row - 1]);
    REQUIRE(isfinite(stave_time_us(trace, block->boot, block->start[row])));
    REQUIRE(isfinite(stave_time_us(trace, block->boot, end)));
    if (block->name != NULL)
        REQUIRE(stave_trace_string(trace, block->name[row], NULL) != NULL);
}

static void check_block(const stave_trace *trace, const stave_block *block)
{
    REQUIRE(block->rows > 0);
    REQUIRE(block->kind < STAVE_ROW_KINDS);
    REQUIRE(block->lane < stave_trace_lanes(trace));
    REQUIRE(block->boot < stave_trace_boots(trace));
    REQUIRE((block->serial != NULL) == (block->kind == STAVE_SPANS));
    REQUIRE((block->end == NULL) == (block->kind == STAVE_MARKS));
    REQUIRE((block->value == NULL) == (block->kind == STAVE_SPANS));
    REQUIRE((block->name != NULL) == (block->kind == STAVE_MARKS));
    for (uint32_t row = 0; row < block->rows; row++)
        check_row(trace, block, row);
}

/* Returns the rows of all kinds together. */
static uint64_t check_blocks(stave_trace *trace, uint64_t rows[STAVE_ROW_KINDS])
{
    stave_error error = {0};
    stave_cursor *cursor;
    const stave_block *block;
    uint64_t all = 0, before = 0;
    int status = stave_cursor_open(trace, NULL, &cursor, &error);
    require_ok(status, &error);
    while ((status = stave_cursor_next(cursor, &block, &error)) > 0) {
        check_block(trace, block);
        REQUIRE(block->order[0] > before); /* in the order in which they were begun */
        before = block->order[0];
        rows[block->kind] += block->rows;
        all += block->rows;
    }
    require_ok(status, &error);
    stave_cursor_close(cursor);
    return all;
}

/* Every row once, in order. */
static void check_merge(stave_trace *trace, uint64_t rows)
{
    stave_error error = {0};
    stave_merge *merge;
    const stave_block *block;
    uint32_t row;
    uint64_t before = 0;
    int status = stave_merge_open(trace, NULL, &merge, &error);
    require_ok(status, &error);
    while ((status = stave_merge_next(merge, &block, &row, &error)) > 0) {
        REQUIRE(row < block->rows);
        REQUIRE(block->order[row] > before);
        before = block->order[row];
        REQUIRE(rows-- > 0);
    }
    require_ok(status, &error);
    REQUIRE(rows == 0);
    stave_merge_close(merge);
}

/* ---- summaries and clocks -------------------------------------------------------------------- */

static void check_summary(const stave_lane_summary *row)
{
    uint64_t whole = row->spans - row->interrupted;
    double rounding = (fabs(row->min_us) + fabs(row->max_us)) * 1e-9;
    REQUIRE(row->interrupted <= row->spans);
    REQUIRE(row->missed <= whole);
    REQUIRE(isfinite(row->total_us));
    if (whole == 0) {
        REQUIRE(row->total_us == 0 && row->min_us == 0 && row->mean_us == 0 && row->max_us == 0);
        return;
    }
    REQUIRE(row->min_us <= row->max_us);
    REQUIRE(row->mean_us >= row->min_us - rounding && row->mean_us <= row->max_us + rounding);
}

static void check_summaries(stave_trace *trace, const uint64_t rows[STAVE_ROW_KINDS])
{
    stave_error error = {0};
    uint32_t lanes = stave_trace_lanes(trace);
    stave_lane_summary *summaries = allocate(lanes * sizeof *summaries);
    uint64_t spans = 0, marks = 0;
    require_ok(stave_summarize_lanes(trace, summaries, lanes, &error), &error);
    for (uint32_t i = 0; i < lanes; i++) {
        check_summary(&summaries[i]);
        spans += summaries[i].spans;
        marks += summaries[i].marks;
    }
    REQUIRE(spans == rows[STAVE_SPANS]);
    REQUIRE(marks == rows[STAVE_MARKS]);
    free(summaries);
}

static void check_boots(const stave_trace *trace)
{
    double before = 0;
    for (uint32_t boot = 0; boot < stave_trace_boots(trace); boot++) {
        const stave_boot *b = stave_trace_boot(trace, boot);
        uint32_t anchors = stave_trace_anchors(trace, boot);
        REQUIRE(b->ended);
        REQUIRE(b->offset_us == before);
        before = b->end_us;
        REQUIRE(anchors >= 1);
        for (uint32_t i = 2; i < anchors; i++)
            REQUIRE(stave_trace_anchor(trace, boot, i).tick >
                    stave_trace_anchor(trace, boot, i - 1).tick);
    }
}

/* What the decoder counted is what is there. */
static void check_counts(const stave_decode_stats *stats, const uint64_t rows[STAVE_ROW_KINDS])
{
    REQUIRE(stats->spans == rows[STAVE_SPANS]);
    REQUIRE(stats->markers + stats->resets == rows[STAVE_MARKS]);
    REQUIRE(stats->gaps == rows[STAVE_GAPS]);
    REQUIRE((stats->damage_text == NULL) == (stats->damages == 0));
    REQUIRE(stats->time_uncertain_us >= 0);
}

static void check_trace(stave_trace *trace, const stave_decode_stats *stats)
{
    uint64_t rows[STAVE_ROW_KINDS] = {0};
    uint64_t all = check_blocks(trace, rows);
    check_merge(trace, all);
    check_summaries(trace, rows);
    check_boots(trace);
    check_counts(stats, rows);
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* The next read's size: mostly small, sometimes none at all. */
static size_t next_cut(uint32_t *state, size_t left)
{
    if (*state == 0)
        return left;
    *state = *state * 1664525u + 1013904223u;
    size_t bits = *state >> 28;
    size_t size = (*state >> 12 & 0xffff) & (((size_t)1 << bits) - 1);
    *state |= 1;
    return size < left ? size : left;
}

/* Each read in memory of its own, so that a step beyond it is seen. */
static void feed(stave_decoder *decoder, const uint8_t *bytes, size_t size, uint32_t cuts)
{
    stave_error error = {0};
    for (size_t at = 0; at < size;) {
        size_t part = next_cut(&cuts, size - at);
        uint8_t *copy = malloc(part != 0 ? part : 1);
        REQUIRE(copy != NULL);
        memcpy(copy, bytes + at, part);
        require_ok(stave_decoder_feed(decoder, copy, part, &error), &error);
        free(copy);
        at += part;
    }
}

static int append(void *context, const void *data, size_t size)
{
    struct outcome *outcome = context;
    outcome->csv = realloc(outcome->csv, outcome->csv_size + size);
    REQUIRE(outcome->csv != NULL);
    memcpy(outcome->csv + outcome->csv_size, data, size);
    outcome->csv_size += size;
    return STAVE_OK;
}

static void export_trace(stave_trace *trace, struct outcome *outcome)
{
    stave_error error = {0};
    stave_sink sink = {append, outcome};
    require_ok(stave_export_csv(trace, sink, &outcome->counts, &error), &error);
    REQUIRE(outcome->counts.spans == outcome->stats.spans);
    REQUIRE(outcome->counts.markers == outcome->stats.markers + outcome->stats.resets);
    REQUIRE(outcome->counts.gaps == outcome->stats.gaps);
    REQUIRE(outcome->csv[outcome->csv_size - 1] == '\n');
}

void outcome_decode(const uint8_t *bytes, size_t size, const struct manner *manner,
                    struct outcome *outcome)
{
    stave_error error = {0};
    stave_trace *trace;
    stave_decoder *decoder;
    const stave_trace_config trace_config = {.cache_bytes = manner->cache_bytes};
    const stave_decoder_config config = {.wire_version = manner->wire_version};
    *outcome = (struct outcome){0};
    require_ok(stave_trace_new(&trace_config, &trace, &error), &error);
    require_ok(stave_decoder_new(&config, trace, &decoder, &error), &error);
    feed(decoder, bytes, size, manner->cuts);
    require_ok(stave_decoder_finish(decoder, &error), &error);
    stave_decoder_stats(decoder, &outcome->stats);
    stave_decoder_free(decoder);
    REQUIRE(outcome->stats.bytes_skipped + outcome->stats.cut_tail_bytes <= size);
    check_trace(trace, &outcome->stats);
    export_trace(trace, outcome);
    stave_trace_free(trace);
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->csv);
    outcome->csv = NULL;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static int line_size(const char *text, const char *end)
{
    const char *line_end = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
    return (int)((line_end != NULL ? line_end : end) - text);
}

bool same_csv(const char *got, size_t got_size, const char *expected, size_t expected_size)
{
    size_t at = 0, line = 0;
    while (at < got_size && at < expected_size && got[at] == expected[at])
        if (got[at++] == '\n')
            line = at;
    if (at == got_size && at == expected_size)
        return true;
    fprintf(stderr, "CSV, byte %zu:\n  got      %.*s\n  expected %.*s\n", at,
            line_size(got + line, got + got_size), got + line,
            line_size(expected + line, expected + expected_size), expected + line);
    return false;
}

bool same_count(const char *name, uint64_t got, uint64_t expected)
{
    if (got == expected)
        return true;
    fprintf(stderr, "%s: got %llu, expected %llu\n", name, (unsigned long long)got,
            (unsigned long long)expected);
    return false;
}

bool same_double(const char *name, double got, double expected)
{
    if (memcmp(&got, &expected, sizeof got) == 0)
        return true;
    fprintf(stderr, "%s: got %.17g, expected %.17g\n", name, got, expected);
    return false;
}

/* Texts are static: the same text is the same pointer, or both are none. */
static bool same_text(const char *got, const char *expected)
{
    if (got == expected)
        return true;
    fprintf(stderr, "damage_text: got %s, expected %s\n", got != NULL ? got : "none",
            expected != NULL ? expected : "none");
    return false;
}

void outcome_require_same(const struct outcome *got, const struct outcome *expected)
{
    bool same = same_csv(got->csv, got->csv_size, expected->csv, expected->csv_size);
#define SAME(name, text) same &= same_count(#name, got->stats.name, expected->stats.name);
    STAVE_DECODE_COUNTERS(SAME)
#undef SAME
    same &= same_count("first_damage", got->stats.first_damage, expected->stats.first_damage);
    same &= same_count("wire_version", got->stats.wire_version, expected->stats.wire_version);
    same &= same_double("time_uncertain_us", got->stats.time_uncertain_us,
                        expected->stats.time_uncertain_us);
    same &= same_text(got->stats.damage_text, expected->stats.damage_text);
    REQUIRE(same);
}
