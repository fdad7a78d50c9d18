#include "host.h"
#include "board.h"
#include "model.h"

#include <stdlib.h>
#include <string.h>

/* ---- the real decoder ---------------------------------------------------------------------------- */

static void add_row(struct host *host, const struct host_row *row)
{
    if ((host->count & (host->count + 1)) == 0) { /* 0, 1, 3, 7, ...: twice the room */
        host->rows = realloc(host->rows, 2 * (host->count + 1) * sizeof *host->rows);
        CHECK(host->rows != NULL);
    }
    host->rows[host->count++] = *row;
}

static void read_row(struct host *host, const stave_block *block, uint32_t i)
{
    const stave_lane *lane = stave_trace_lane(host->trace, block->lane);
    struct host_row row;
    memset(&row, 0, sizeof row); /* rows are compared as bytes */
    row.kind = block->kind;
    row.flags = block->flags[i];
    row.start = block->start[i];
    row.end = stave_block_end(block, i);
    row.value = block->value != NULL ? block->value[i] : 0;
    row.boot = block->boot;
    if (lane->kind != STAVE_LANE_DEVICE) {
        size_t size;
        const char *name = stave_trace_string(host->trace, lane->name, &size);
        CHECK(size < sizeof row.name);
        memcpy(row.name, name, size);
        row.lane_kind = lane->kind;
        row.priority = lane->priority;
        row.has_deadline = lane->has_deadline;
        row.deadline_ms = lane->deadline_ms;
    }
    row.start_us = stave_time_us(host->trace, block->boot, row.start);
    row.end_us = stave_time_us(host->trace, block->boot, row.end);
    add_row(host, &row);
}

static void read_rows(struct host *host)
{
    const stave_filter filter = {.kinds = STAVE_KIND_BIT(STAVE_SPANS) |
                                          STAVE_KIND_BIT(STAVE_MARKS) | STAVE_KIND_BIT(STAVE_GAPS)};
    stave_merge *merge;
    const stave_block *block;
    uint32_t row;
    CHECK(stave_merge_open(host->trace, &filter, &merge, NULL) == STAVE_OK);
    while (stave_merge_next(merge, &block, &row, NULL) > 0)
        read_row(host, block, row);
    stave_merge_close(merge);
}

void host_decode(struct host *host, const uint8_t *bytes, size_t size)
{
    stave_decoder *decoder;
    memset(host, 0, sizeof *host);
    CHECK(stave_trace_new(NULL, &host->trace, NULL) == STAVE_OK);
    CHECK(stave_decoder_new(NULL, host->trace, &decoder, NULL) == STAVE_OK);
    CHECK(stave_decoder_feed(decoder, bytes, size, NULL) == STAVE_OK);
    CHECK(stave_decoder_finish(decoder, NULL) == STAVE_OK);
    stave_decoder_stats(decoder, &host->stats);
    stave_decoder_free(decoder);
    read_rows(host);
}

void host_free(struct host *host)
{
    stave_trace_free(host->trace);
    free(host->rows);
}

static bool is_of(const struct host_row *row, uint32_t kind, const char *name)
{
    return row->kind == kind && strcmp(row->name, name) == 0;
}

const struct host_row *host_find(const struct host *host, uint32_t kind, const char *name,
                                 uint32_t index)
{
    for (uint32_t i = 0; i < host->count; i++)
        if (is_of(&host->rows[i], kind, name) && index-- == 0)
            return &host->rows[i];
    check_failed(__FILE__, __LINE__, name);
}

uint32_t host_count(const struct host *host, uint32_t kind, const char *name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < host->count; i++)
        count += is_of(&host->rows[i], kind, name);
    return count;
}

/* ---- what it must make of it ---------------------------------------------------------------------- */

static struct {
    struct host rows; /* with the stats that are expected; no trace */
    uint32_t hole;    /* frames lost before the next that came */
    bool begun;       /* one came */
    uint64_t latest;  /* time that has taken effect */
    bool named[256];
    bool cut[256]; /* a span was cut: its end is no error */
    struct {
        bool open;
        uint64_t start;
    } spans[256];
} must;

static void put_row(uint32_t kind, uint32_t id, uint64_t start, uint64_t end, uint64_t value,
                    uint32_t flags)
{
    struct host_row row;
    memset(&row, 0, sizeof row);
    row.kind = kind;
    row.start = (int64_t)start;
    row.end = (int64_t)end;
    row.value = value;
    row.flags = flags;
    row.priority = id; /* until it is known what has a name */
    add_row(&must.rows, &row);
}

static void cut_spans(void)
{
    for (uint32_t id = 1; id < 256; id++) {
        if (must.spans[id].open)
            put_row(STAVE_SPANS, id, must.spans[id].start, must.latest, 0, STAVE_FLAG_INTERRUPTED);
        must.cut[id] |= must.spans[id].open;
        must.spans[id].open = false;
    }
}

static void lose(uint64_t ticks)
{
    if (must.hole == 0)
        return;
    cut_spans();
    put_row(STAVE_GAPS, 0, must.latest, ticks, must.hole, 0);
    must.rows.stats.frames_lost += must.hole;
    must.hole = 0;
}

static void end_span(uint32_t id, uint64_t ticks)
{
    if (must.spans[id].open)
        put_row(STAVE_SPANS, id, must.spans[id].start, ticks, 0, 0);
    else
        must.rows.stats.orphan_ends += !must.cut[id];
    must.spans[id].open = false;
    must.cut[id] = false;
}

static void begin_span(uint32_t id, uint64_t ticks)
{
    must.rows.stats.duplicate_starts += must.spans[id].open;
    must.spans[id].open = true;
    must.spans[id].start = ticks;
    must.cut[id] = false;
}

static void come(const struct model_frame *frame)
{
    lose(frame->ticks);
    must.begun = true;
    must.rows.stats.frames++;
    if (must.latest < frame->ticks)
        must.latest = frame->ticks;
    if (frame->kind == WIRE_NAME_REGISTERED)
        must.named[frame->id] = true;
    if (frame->kind > WIRE_MARKER)
        return;
    if (frame->id == 0)
        must.rows.stats.unresolved++;
    else if (frame->kind == WIRE_SPAN_START)
        begin_span(frame->id, frame->ticks);
    else if (frame->kind == WIRE_SPAN_END)
        end_span(frame->id, frame->ticks);
    else
        put_row(STAVE_MARKS, frame->id, frame->ticks, frame->ticks, frame->value,
                frame->has_value ? STAVE_FLAG_HAS_VALUE : 0);
}

/* Rows whose name never came are not shown. */
static void name_rows(void)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < must.rows.count; i++) {
        struct host_row row = must.rows.rows[i];
        uint32_t id = row.priority;
        row.priority = 0;
        if (row.kind != STAVE_GAPS) {
            if (!must.named[id]) {
                must.rows.stats.unresolved++;
                continue;
            }
            const struct stave_target_name *name = model.names[id - 1];
            memcpy(row.name, name->text, model_name_size(name));
            row.lane_kind =
                name->source == STAVE_TARGET_SOURCE_ISR ? STAVE_LANE_ISR : STAVE_LANE_TASK;
            row.priority = name->priority;
            row.has_deadline = name->has_deadline;
            row.deadline_ms = name->has_deadline ? name->deadline_ms : 0;
        }
        must.rows.stats.spans += row.kind == STAVE_SPANS;
        must.rows.stats.markers += row.kind == STAVE_MARKS;
        must.rows.stats.gaps += row.kind == STAVE_GAPS;
        must.rows.rows[kept++] = row;
    }
    must.rows.count = kept;
}

void host_forget(void)
{
    free(must.rows.rows);
    memset(&must, 0, sizeof must);
}

static void expect(void)
{
    host_forget();
    for (uint32_t i = model.run; i < model.next; i++) {
        if (model.frames[i].fate == FATE_SENT)
            come(&model.frames[i]);
        else
            must.hole += must.begun;
    }
    cut_spans();
    name_rows();
}

/* ---- comparing ------------------------------------------------------------------------------------ */

/* Rows that take effect at the same moment may stand in any order. */
static int compare_rows(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct host_row));
}

static void sort_rows(struct host *host)
{
    for (uint32_t i = 0; i < host->count; i++) {
        host->rows[i].start_us = 0; /* by ticks alone; rates have tests of their own */
        host->rows[i].end_us = 0;
    }
    if (host->count != 0)
        qsort(host->rows, host->count, sizeof *host->rows, compare_rows);
}

static void compare(const struct host *got, const struct host *expected)
{
#define SAME(name) CHECK_SAME(got->stats.name, expected->stats.name)
    SAME(frames);
    SAME(frames_lost);
    SAME(resets);
    SAME(duplicates);
    SAME(duplicate_starts);
    SAME(orphan_ends);
    SAME(bytes_skipped);
    SAME(times_saturated);
    SAME(rates_assumed);
    SAME(damages);
    SAME(unresolved);
    SAME(spans);
    SAME(markers);
    SAME(gaps);
#undef SAME
    CHECK_SAME(got->count, expected->count);
    for (uint32_t i = 0; i < got->count; i++) {
        const struct host_row *a = &got->rows[i], *b = &expected->rows[i];
        CHECK_SAME(a->start, b->start);
        CHECK_SAME(a->end, b->end);
        CHECK_SAME(a->value, b->value);
        CHECK(memcmp(a, b, sizeof *a) == 0);
    }
}

/* Of a frame behind a hole: the next two go on from it. At the end there may be fewer, if it is ahead. */
static bool is_believed(uint32_t at, uint32_t hole)
{
    uint32_t last = at, followers = 0;
    for (uint32_t i = at + 1; i < model.next && followers < 2; i++) {
        if (model.frames[i].fate != FATE_SENT)
            continue;
        if (i - last > 64)
            return false;
        last = i;
        followers++;
    }
    return followers == 2 || hole < WIRE_NUMBERS / 2;
}

static bool is_certain(void)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t i = model.run; i < model.next; i++) {
        if (model.frames[i].fate != FATE_SENT)
            continue;
        uint32_t hole = last != UINT32_MAX ? i - last : 0;
        if (hole > 64 && (hole > WIRE_NUMBERS - 200 || !is_believed(i, hole)))
            return false;
        last = i;
    }
    return true;
}

bool host_check(const struct link *link)
{
    struct host got;
    if (!is_certain())
        return false;
    expect();
    host_decode(&got, link->bytes + link->run, link->frame - link->run);
    sort_rows(&got);
    sort_rows(&must.rows);
    compare(&got, &must.rows);
    host_free(&got);
    return true;
}
