#include "stress/traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void traces_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    abort();
}

uint64_t traces_random(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static uint64_t choose(struct traces_maker *maker, uint64_t below)
{
    return traces_random(&maker->random, below);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint32_t text(stave_trace *trace, const char *bytes)
{
    uint32_t id;
    TRACES_MUST(stave__trace_string(trace, bytes, strlen(bytes), &id, NULL) == STAVE_OK);
    return id;
}

/* One of the names so far, or a new one. */
static uint32_t name(struct traces_maker *maker)
{
    char bytes[32];
    uint32_t known = stave_trace_strings(maker->trace);
    if (known > 12 && choose(maker, 16 + known) > 0)
        return (uint32_t)choose(maker, known);
    snprintf(bytes, sizeof bytes, "name_%u", (unsigned)known);
    return text(maker->trace, bytes);
}

static void add_lanes(struct traces_maker *maker)
{
    char bytes[32];
    stave_process process = {.name = text(maker->trace, "program"), .number = 4711};
    uint32_t id;
    TRACES_MUST(stave__trace_process(maker->trace, &process, &id, NULL) == STAVE_OK);
    for (uint32_t i = 0; i < maker->shape.lanes; i++) {
        snprintf(bytes, sizeof bytes, "lane %u", (unsigned)i);
        stave_lane lane = {.name = text(maker->trace, bytes),
                           .kind = i % 6,
                           .priority = i,
                           .has_deadline = i % 2 == 1,
                           .deadline_ms = i % 2 == 1 ? 2.5f : 0,
                           .process = i % 3 == 0 ? id + 1 : 0,
                           .number = (uint64_t)i << 33};
        TRACES_MUST(stave__trace_lane(maker->trace, &lane, &maker->lanes[i].id, NULL) == STAVE_OK);
    }
}

static void add_about(struct traces_maker *maker)
{
    stave_trace *trace = maker->trace;
    stave_module module = {.path = text(trace, "/usr/lib/libc.so.6"),
                           .build_id = text(trace, "deadbeef"),
                           .process = 1,
                           .boot = maker->boot,
                           .address = 0x7f0000000000,
                           .size = 1 << 20,
                           .loaded = INT64_MIN,
                           .unloaded = INT64_MAX};
    TRACES_MUST(stave__trace_module(trace, &module, NULL) == STAVE_OK);
    TRACES_MUST(stave__trace_set_property(trace, "lost", 0, 3, NULL) == STAVE_OK);
    TRACES_MUST(stave__trace_set_real(trace, "share", 0.25, NULL) == STAVE_OK);
    TRACES_MUST(stave__trace_set_text(trace, "host", "a machine", NULL) == STAVE_OK);
    stave_place place = {.name = text(trace, "program"), .file = module.path, .line = 7};
    TRACES_MUST(stave__trace_place(trace, &place, NULL) == STAVE_OK);
}

void traces_begin_boot(struct traces_maker *maker)
{
    double hz = choose(maker, 2) == 0 ? 0 : 1e6;
    TRACES_MUST(stave__trace_boot(maker->trace, (double)maker->now, hz, &maker->boot, NULL) ==
                STAVE_OK);
    TRACES_MUST(stave__boot_change_rate(stave__boot_at(maker->trace, maker->boot), maker->now + 100,
                                        2e6, NULL) == STAVE_OK);
    for (uint32_t i = 0; i < maker->shape.lanes; i++) {
        struct traces_lane *lane = &maker->lanes[i];
        for (uint32_t kind = 0; kind < STAVE_ROW_KINDS; kind++) {
            stave__appender_init(&lane->rows[kind], &maker->trace->blocks, kind, lane->id,
                                 maker->boot);
            lane->rows[kind].mask = stave__kind_may_have[kind];
        }
        lane->stack = (struct stave__stack){.spans = lane->open};
        lane->rows[STAVE_SPANS].stack = &lane->stack;
    }
}

void traces_begin(struct traces_maker *maker, const struct traces_shape *shape)
{
    *maker = (struct traces_maker){.shape = *shape, .random = shape->seed};
    if (maker->shape.lanes == 0)
        maker->shape.lanes = 1;
    if (maker->shape.kinds == 0)
        maker->shape.kinds = STAVE_KIND_BIT(STAVE_ROW_KINDS) - 1;
    TRACES_MUST(maker->shape.lanes <= TRACES_LANES_MAX);
    stave_trace_config config = {.cache_bytes = shape->cache_bytes};
    TRACES_MUST(stave_trace_new(&config, &maker->trace, NULL) == STAVE_OK);
    add_lanes(maker);
    traces_begin_boot(maker);
    add_about(maker);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void append(struct traces_maker *maker, struct traces_lane *lane, uint32_t kind,
                   const struct stave__row *row)
{
    TRACES_MUST(stave__append_row(&lane->rows[kind], row, NULL) == STAVE_OK);
    maker->rows++;
}

static void begin_span(struct traces_maker *maker, struct traces_lane *lane)
{
    lane->open[lane->stack.count++] =
        (stave_open_span){.serial = ++lane->stack.begun, .start = maker->now, .name = name(maker)};
}

static void end_span(struct traces_maker *maker, struct traces_lane *lane)
{
    const stave_open_span *top = &lane->open[lane->stack.count - 1];
    bool attached = choose(maker, 9) == 0;
    struct stave__row row = {.start = top->start,
                             .end = maker->now,
                             .serial = top->serial,
                             .name = top->name,
                             .depth = lane->stack.count - 1,
                             .flags = attached ? STAVE_FLAG_ATTACHED : 0,
                             .other = attached ? 1 + choose(maker, 50) : 0,
                             .other_lane =
                                 attached ? (uint32_t)choose(maker, maker->shape.lanes) : 0};
    append(maker, lane, STAVE_SPANS, &row);
    lane->stack.count--;
}

static uint16_t value_flag(struct traces_maker *maker, uint64_t *value)
{
    static const uint16_t flags[] = {0, STAVE_FLAG_SIGNED, STAVE_FLAG_REAL, STAVE_FLAG_TEXT,
                                     STAVE_FLAG_BOOL};
    uint16_t flag = flags[choose(maker, 5)];
    *value = flag == STAVE_FLAG_TEXT ? name(maker) : choose(maker, 1 << 20) << choose(maker, 40);
    return flag;
}

/* A row of another kind than spans. */
static void other_row(struct traces_maker *maker, struct traces_lane *lane, uint32_t kind)
{
    uint64_t length = choose(maker, 50);
    struct stave__row row = {.start = maker->now, .name = name(maker)};
    uint32_t has = stave__kind_may_have[kind];
    row.flags = value_flag(maker, &row.value);
    if ((has & STAVE_COLUMN_NAME) == 0)
        row.name = 0;
    if ((has & STAVE_COLUMN_END) != 0) {
        row.end = maker->now;
        row.start -= (int64_t)length;
    }
    if ((has & STAVE_COLUMN_SERIAL) != 0)
        row.serial = 1 + lane->stack.begun;
    if (kind == STAVE_CUMULATIVES) {
        row.total = 3 * length;
        row.least = length / 2;
        row.most = length;
        row.other = choose(maker, 4);
        row.other_lane = (uint32_t)choose(maker, 4);
    }
    if (kind == STAVE_LINKS) {
        row.other = 1 + choose(maker, 100);
        row.other_lane = (uint32_t)choose(maker, maker->shape.lanes);
    }
    append(maker, lane, kind, &row);
}

static void step(struct traces_maker *maker)
{
    struct traces_lane *lane = &maker->lanes[choose(maker, maker->shape.lanes)];
    uint32_t kind = (uint32_t)choose(maker, 2 * STAVE_ROW_KINDS);
    maker->now += (int64_t)choose(maker, 40);
    if (kind >= STAVE_ROW_KINDS)
        kind = STAVE_SPANS; /* half of all */
    if ((maker->shape.kinds & STAVE_KIND_BIT(kind)) == 0)
        return;
    uint32_t depth = lane->stack.count;
    if (kind != STAVE_SPANS)
        other_row(maker, lane, kind);
    else if (depth == 0 || (depth < TRACES_DEPTH_MAX && choose(maker, 2) == 0))
        begin_span(maker, lane);
    else
        end_span(maker, lane);
}

void traces_grow(struct traces_maker *maker, uint64_t rows)
{
    for (uint64_t end = maker->rows + rows; maker->rows < end;)
        step(maker);
}

void traces_end_boot(struct traces_maker *maker)
{
    for (uint32_t i = 0; i < maker->shape.lanes; i++)
        for (uint32_t kind = 0; kind < STAVE_ROW_KINDS; kind++)
            TRACES_MUST(stave__appender_seal(&maker->lanes[i].rows[kind], NULL) == STAVE_OK);
    stave_boot *boot = &stave__boot_at(maker->trace, maker->boot)->shown;
    boot->end_us = stave_time_us(maker->trace, maker->boot, maker->now);
    boot->ended = true;
}

stave_trace *traces_make(const struct traces_shape *shape, uint32_t boots, uint64_t rows)
{
    struct traces_maker maker;
    traces_begin(&maker, shape);
    for (uint32_t boot = 0; boot < boots; boot++) {
        if (boot > 0)
            traces_begin_boot(&maker);
        traces_grow(&maker, rows);
        traces_end_boot(&maker);
    }
    return maker.trace;
}

/* ---- files ----------------------------------------------------------------------------------- */

int traces_add(void *context, const void *data, size_t size)
{
    struct traces_bytes *bytes = context;
    if (bytes->size + size > bytes->room) {
        bytes->room = (bytes->size + size) * 2;
        bytes->at = realloc(bytes->at, bytes->room);
        TRACES_MUST(bytes->at != NULL);
    }
    memcpy(bytes->at + bytes->size, data, size);
    bytes->size += size;
    return STAVE_OK;
}

struct traces_bytes traces_save(stave_trace *trace, uint32_t zstd_level)
{
    struct traces_bytes bytes = {0};
    stave_save_config config = {.zstd_level = zstd_level};
    stave_sink sink = {.write = traces_add, .context = &bytes};
    TRACES_MUST(stave_trace_save(trace, sink, &config, NULL) == STAVE_OK);
    return bytes;
}

void traces_put_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    TRACES_MUST(file != NULL);
    TRACES_MUST(fwrite(bytes, 1, size, file) == size);
    TRACES_MUST(fclose(file) == 0);
}

/* ---- rows as they are read ------------------------------------------------------------------- */

void traces_add_row(struct traces_rows *rows, stave_trace *trace, const stave_block *b, uint32_t i)
{
    if (rows->count == rows->room) {
        rows->room = rows->room != 0 ? 2 * rows->room : 256;
        rows->at = realloc(rows->at, rows->room * sizeof *rows->at);
        TRACES_MUST(rows->at != NULL);
    }
    struct traces_row *row = &rows->at[rows->count++];
    *row = (struct traces_row){.kind = b->kind, .lane = b->lane, .boot = b->boot};
#define TAKE(column, number, member, type)                                                         \
    row->columns.member = b->member != NULL ? b->member[i] : 0;
    STAVE_COLUMN_TABLE(TAKE)
#undef TAKE
    row->name = stave_trace_string(trace, row->columns.name, NULL);
}

struct traces_rows traces_read(stave_trace *trace)
{
    struct traces_rows rows = {0};
    stave_merge *merge;
    const stave_block *block;
    uint32_t i;
    int status;
    TRACES_MUST(stave_merge_open(trace, NULL, &merge, NULL) == STAVE_OK);
    while ((status = stave_merge_next(merge, &block, &i, NULL)) > 0)
        if ((block->flags[i] & STAVE_FLAG_UNFINISHED) == 0)
            traces_add_row(&rows, trace, block, i);
    TRACES_MUST(status == 0);
    stave_merge_close(merge);
    return rows;
}

bool traces_same_row(const struct traces_row *a, const struct traces_row *b)
{
    bool same = a->kind == b->kind && a->lane == b->lane && a->boot == b->boot &&
                strcmp(a->name, b->name) == 0;
#define COMPARE(column, number, member, type) same = same && a->columns.member == b->columns.member;
    STAVE_COLUMN_TABLE(COMPARE)
#undef COMPARE
    return same;
}

bool traces_same_columns(const struct traces_row *a, const struct traces_row *b)
{
    struct traces_row x = *a, y = *b;
    bool text = (x.columns.flags & STAVE_FLAG_TEXT) != 0;
    x.name = y.name = "";
    x.columns.name = y.columns.name = 0;
    if (text)
        x.columns.value = y.columns.value = 0;
    return traces_same_row(&x, &y);
}

bool traces_same_rows(const struct traces_rows *a, const struct traces_rows *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = traces_same_row(&a->at[i], &b->at[i]);
    return same;
}
