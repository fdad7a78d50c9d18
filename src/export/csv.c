/* The CSV of docs/etrace.md: spans, then markers, then gaps, each in the order in which they took
 * effect. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/out.h"
#include "base/shortest.h"
#include "stave/export.h"

#define HEAD "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n"
#define GAP_NAME "trace gap"

/* What all spans of a lane have in common, as it stands in their rows. */
struct lane_text {
    char *before; /* "name,type," */
    size_t before_size;
    char after[2 + STAVE__U64_TEXT_MAX]; /* ",priority," */
    size_t after_size;
};

struct csv {
    stave_trace *trace;
    struct stave__out out;
    struct lane_text *lanes;
    uint32_t lanes_count;
    uint32_t boot; /* that `plain_ns` is about */
    bool plain_ns; /* its times are ticks / 1000.0 and nothing else */
    bool boot_looked_at;
};

/* ---- text ------------------------------------------------------------------------------------ */

static bool needs_quotes(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n')
            return true;
    return false;
}

/* At most 2 * size + 2 bytes. */
static size_t put_quoted(char *out, const char *text, size_t size)
{
    size_t n = 0;
    out[n++] = '"';
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"')
            out[n++] = '"';
        out[n++] = text[i];
    }
    out[n++] = '"';
    return n;
}

/* A field as RFC 4180 has it; at most 2 * size + 2 bytes. */
static size_t put_field(char *out, const char *text, size_t size)
{
    if (needs_quotes(text, size))
        return put_quoted(out, text, size);
    memcpy(out, text, size);
    return size;
}

/* A text of any size, put by one of these two. */
static int put_text(struct stave__out *out, const char *text, size_t size,
                    size_t (*put)(char *out, const char *text, size_t size))
{
    char *field = malloc(2 * size + 2);
    if (field == NULL)
        return STAVE_E_MEMORY;
    stave__out_bytes(out, field, put(field, text, size));
    free(field);
    return STAVE_OK;
}

static void put_u64(struct stave__out *out, uint64_t number)
{
    stave__out_wrote(out, stave__u64_text(number, stave__out_room(out, STAVE__U64_TEXT_MAX)));
}

static void put_double(struct stave__out *out, double value)
{
    stave__out_wrote(out, stave__shortest(value, stave__out_room(out, STAVE__SHORTEST_MAX)));
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Most traces count nanoseconds from one start: their times need no arithmetic in doubles. */
static void look_at_boot(struct csv *csv, uint32_t boot)
{
    if (csv->boot_looked_at && csv->boot == boot)
        return;
    csv->boot_looked_at = true;
    csv->boot = boot;
    csv->plain_ns = stave_trace_boot(csv->trace, boot)->offset_us == 0 &&
                    stave_trace_anchors(csv->trace, boot) == 1 &&
                    stave_trace_anchor(csv->trace, boot, 0).hz == 0;
}

static void put_time(struct csv *csv, int64_t tick)
{
    char *room = stave__out_room(&csv->out, STAVE__SHORTEST_MAX);
    stave__out_wrote(&csv->out,
                     csv->plain_ns
                         ? stave__shortest_thousandths(tick, room)
                         : stave__shortest(stave_time_us(csv->trace, csv->boot, tick), room));
}

static void put_finite(struct stave__out *out, double value)
{
    if (isfinite(value))
        put_double(out, value);
}

/* The span's own, or its lane's. */
static void put_deadline(struct csv *csv, const stave_block *block, uint32_t row)
{
    const stave_lane *lane = stave_trace_lane(csv->trace, block->lane);
    if (block->flags[row] & STAVE_FLAG_HAS_VALUE)
        put_time(csv, (int64_t)stave_block_value(block, row));
    else if (lane->has_deadline)
        put_finite(&csv->out, stave_time_us(csv->trace, csv->boot, block->start[row]) +
                                  (double)lane->deadline_ms * 1000.0);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int make_lane_text(struct csv *csv, uint32_t lane)
{
    const stave_lane *l = stave_trace_lane(csv->trace, lane);
    struct lane_text *text = &csv->lanes[lane];
    size_t size;
    const char *name = stave_trace_string(csv->trace, l->name, &size);
    const char *type = l->kind == STAVE_LANE_ISR ? ",isr," : ",task,";
    text->before = malloc(2 * size + 2 + strlen(type));
    if (text->before == NULL)
        return STAVE_E_MEMORY;
    text->before_size = put_field(text->before, name, size);
    memcpy(text->before + text->before_size, type, strlen(type));
    text->before_size += strlen(type);
    text->after[0] = ',';
    text->after_size = 1 + stave__u64_text(l->priority, text->after + 1);
    text->after[text->after_size++] = ',';
    return STAVE_OK;
}

static int put_span(struct csv *csv, const stave_block *block, uint32_t row)
{
    struct lane_text *text = &csv->lanes[block->lane];
    if (text->before == NULL && make_lane_text(csv, block->lane) < 0)
        return STAVE_E_MEMORY;
    struct stave__out *out = &csv->out;
    stave__out_bytes(out, text->before, text->before_size);
    put_time(csv, block->start[row]);
    stave__out_text(out, ",");
    put_time(csv, block->end[row]);
    stave__out_bytes(out, text->after, text->after_size);
    put_deadline(csv, block, row);
    stave__out_text(out, block->flags[row] & STAVE_FLAG_INTERRUPTED ? ",,1\n" : ",,0\n");
    return STAVE_OK;
}

static void put_s64(struct stave__out *out, int64_t number)
{
    if (number < 0)
        stave__out_text(out, "-");
    put_u64(out, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

/* In quotes, so that it is no number whatever it says. */
static int put_text_value(struct csv *csv, uint32_t id)
{
    size_t size;
    const char *text = stave_trace_string(csv->trace, id, &size);
    return put_text(&csv->out, text, size, put_quoted);
}

static int put_value(struct csv *csv, uint16_t flags, uint64_t value)
{
    double real;
    switch (stave_value_type(flags)) {
    case STAVE_FLAG_TEXT:
        return put_text_value(csv, (uint32_t)value);
    case STAVE_FLAG_REAL:
        memcpy(&real, &value, sizeof real);
        put_finite(&csv->out, real);
        break;
    case STAVE_FLAG_SIGNED:
        put_s64(&csv->out, (int64_t)value);
        break;
    case STAVE_FLAG_BOOL:
        stave__out_text(&csv->out, value != 0 ? "true" : "false");
        break;
    default:
        put_u64(&csv->out, value);
    }
    return STAVE_OK;
}

static int put_mark(struct csv *csv, const stave_block *block, uint32_t row)
{
    uint32_t id = block->name[row];
    if (id == 0)
        id = stave_trace_lane(csv->trace, block->lane)->name;
    size_t size;
    const char *name = stave_trace_string(csv->trace, id, &size);
    struct stave__out *out = &csv->out;
    int status = put_text(out, name, size, put_field);
    if (status < 0)
        return status;
    stave__out_text(out, ",marker,");
    put_time(csv, block->start[row]);
    stave__out_text(out, ",");
    put_time(csv, block->start[row]);
    stave__out_text(out, ",0,,");
    if (block->flags[row] & STAVE_FLAG_HAS_VALUE)
        status = put_value(csv, block->flags[row], block->value[row]);
    stave__out_text(out, ",0\n");
    return status;
}

static int put_gap(struct csv *csv, const stave_block *block, uint32_t row)
{
    struct stave__out *out = &csv->out;
    stave__out_text(out, GAP_NAME ",gap,");
    put_time(csv, block->start[row]);
    stave__out_text(out, ",");
    put_time(csv, block->end[row]);
    stave__out_text(out, ",0,,");
    put_u64(out, block->value[row]);
    stave__out_text(out, ",0\n");
    return STAVE_OK;
}

/* All rows of one kind. */
static int put_rows(struct csv *csv, stave_row_kind kind,
                    int (*put)(struct csv *, const stave_block *, uint32_t), uint64_t *count,
                    stave_error *error)
{
    stave_filter filter = {.kinds = STAVE_KIND_BIT(kind)};
    stave_merge *merge;
    const stave_block *block;
    uint32_t row;
    int status = stave_merge_open(csv->trace, &filter, &merge, error);
    if (status < 0)
        return status;
    while (csv->out.status >= 0 && (status = stave_merge_next(merge, &block, &row, error)) > 0) {
        look_at_boot(csv, block->boot);
        status = put(csv, block, row);
        if (status < 0) {
            stave__fail_memory(error);
            break;
        }
        ++*count;
    }
    stave_merge_close(merge);
    return status < 0 ? status : STAVE_OK;
}

static struct csv *csv_new(stave_trace *trace, stave_sink sink)
{
    uint32_t lanes = stave_trace_lanes(trace);
    struct csv *csv = calloc(1, sizeof *csv);
    struct lane_text *texts = calloc(lanes != 0 ? lanes : 1, sizeof *texts);
    if (csv == NULL || texts == NULL) {
        free(csv);
        free(texts);
        return NULL;
    }
    csv->trace = trace;
    csv->lanes = texts;
    csv->lanes_count = lanes;
    stave__out_init(&csv->out, sink);
    return csv;
}

static void csv_free(struct csv *csv)
{
    for (uint32_t i = 0; i < csv->lanes_count; i++)
        free(csv->lanes[i].before);
    free(csv->lanes);
    free(csv);
}

int stave_export_csv(stave_trace *trace, stave_sink sink, stave_csv_counts *counts,
                     stave_error *error)
{
    stave_csv_counts own = {0};
    struct csv *csv = csv_new(trace, sink);
    if (csv == NULL)
        return stave__fail_memory(error);
    stave__out_text(&csv->out, HEAD);
    int status = put_rows(csv, STAVE_SPANS, put_span, &own.spans, error);
    if (status >= 0)
        status = put_rows(csv, STAVE_MARKS, put_mark, &own.markers, error);
    if (status >= 0)
        status = put_rows(csv, STAVE_GAPS, put_gap, &own.gaps, error);
    if (status >= 0)
        status = stave__out_finish(&csv->out, error);
    csv_free(csv);
    if (status >= 0 && counts != NULL)
        *counts = own;
    return status < 0 ? status : STAVE_OK;
}
