#include "random_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS STAVE_ROW_KINDS

struct random_lane {
    struct stave__appender appenders[KINDS];
    struct stave__stack stack;
    stave_open_span *open;
    size_t *open_spans; /* their indices */
    uint64_t serial;
    bool nameless;
    size_t last_row; /* its newest row of spans in this boot, or none */
    int64_t last;    /* no row of any kind in this boot is later */
};

struct maker {
    struct random_trace *random;
    struct random_trace_options options;
    struct dice dice;
    uint64_t step;
    uint32_t boot;
    int64_t now, first_tick;
    uint32_t first_name; /* string ids of spans: from here on */
    uint32_t first_key;  /* of marks, counters and so on */
    size_t boot_spans;   /* index of the boot's first span */
    uint32_t *lane_ids;
};

#define KEYS 5

static void must(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "random_trace: %s\n", what);
    abort();
}

static void done(int status)
{
    must(status >= 0, stave_status_text(status));
}

static void *room_for(void *rows, size_t used, size_t *room, size_t row_size)
{
    if (used < *room)
        return rows;
    *room = *room != 0 ? *room * 2 : 64;
    rows = realloc(rows, *room * row_size);
    must(rows != NULL, "no memory");
    return rows;
}

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    must(memory != NULL, "no memory");
    return memory;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint32_t text_id(const struct maker *m, const char *prefix, uint32_t number)
{
    char text[64];
    uint32_t id;
    int size = snprintf(text, sizeof text, "%s %u", prefix, (unsigned)number);
    done(stave__trace_string(m->random->trace, text, (size_t)size, &id, NULL));
    return id;
}

static uint16_t value_flags(struct maker *m)
{
    static const uint16_t some[] = {
        0, 0, STAVE_FLAG_SIGNED, STAVE_FLAG_REAL, STAVE_FLAG_TEXT, STAVE_FLAG_BOOL};
    return some[dice_below(&m->dice, 6)];
}

static uint64_t any_value(struct maker *m, uint16_t flags)
{
    if (flags & STAVE_FLAG_TEXT)
        return dice_below(&m->dice, stave_trace_strings(m->random->trace));
    if (flags & STAVE_FLAG_REAL) {
        double real = (double)dice_below(&m->dice, 100000) / 7;
        uint64_t bits;
        memcpy(&bits, &real, sizeof bits);
        return bits;
    }
    uint64_t value = dice_spread(&m->dice, 64);
    return flags & STAVE_FLAG_SIGNED && dice_chance(&m->dice, 500) ? 0 - value : value;
}

static void make_texts(struct maker *m)
{
    stave_trace *trace = m->random->trace;
    uint32_t id;
    m->first_name = stave_trace_strings(trace);
    for (uint32_t i = 0; i < m->options.names; i++)
        text_id(m, "name", i);
    m->first_key = stave_trace_strings(trace);
    for (uint32_t i = 0; i < KEYS; i++)
        text_id(m, "key", i);
    done(stave__trace_string(trace, "\0\"\\\n\xc3\xa4\xff", 7, &id, NULL));
}

static void make_processes(struct maker *m)
{
    for (uint32_t i = 0; i < m->options.processes; i++) {
        uint32_t id;
        uint64_t number = dice_spread(&m->dice, 40);
        stave_process process = {.name = text_id(m, "process", i), .number = number};
        done(stave__trace_process(m->random->trace, &process, &id, NULL));
    }
}

static void make_lane(struct maker *m, uint32_t i)
{
    struct random_lane *lane = &m->random->lanes[i];
    stave_lane row = {
        .name = text_id(m, "lane", i),
        .kind = (uint32_t)dice_below(&m->dice, STAVE_LANE_PROCESS + 1),
        .priority = (uint32_t)dice_spread(&m->dice, 32),
        .has_deadline = dice_chance(&m->dice, 300),
        .process = (uint32_t)dice_below(&m->dice, m->options.processes + 1),
        .number = dice_spread(&m->dice, 64),
    };
    if (row.has_deadline)
        row.deadline_ms = (float)dice_below(&m->dice, 1000) / 16;
    done(stave__trace_lane(m->random->trace, &row, &m->lane_ids[i], NULL));
    must(m->lane_ids[i] == i, "a lane that is there twice");
    lane->nameless = dice_chance(&m->dice, m->options.nameless);
    lane->open = zeroed(m->options.depth, sizeof *lane->open);
    lane->open_spans = zeroed(m->options.depth, sizeof *lane->open_spans);
    lane->stack.spans = lane->open;
}

static void make_modules(struct maker *m)
{
    for (uint32_t i = 0; i < m->options.modules; i++) {
        stave_module row = {
            .path = text_id(m, "/usr/lib/module", i),
            .build_id = text_id(m, "b1d", i),
            .process = (uint32_t)dice_below(&m->dice, m->options.processes + 1),
            .boot = (uint32_t)dice_below(&m->dice, m->options.boots),
            .address = dice_spread(&m->dice, 48),
            .size = dice_spread(&m->dice, 24),
            .loaded = INT64_MIN,
            .unloaded = INT64_MAX,
        };
        if (dice_chance(&m->dice, 500)) {
            row.loaded = (int64_t)dice_spread(&m->dice, 40);
            row.unloaded = row.loaded + (int64_t)dice_spread(&m->dice, 40);
        }
        done(stave__trace_module(m->random->trace, &row, NULL));
    }
}

static void make_properties(struct maker *m)
{
    for (uint32_t i = 0; i < m->options.properties; i++) {
        char key[32];
        uint16_t flags = value_flags(m);
        uint64_t value = any_value(m, flags);
        snprintf(key, sizeof key, "property %u", (unsigned)i);
        done(stave__trace_set_property(m->random->trace, key, flags, value, NULL));
    }
}

static void make_tables(struct maker *m)
{
    struct random_trace *random = m->random;
    make_texts(m);
    make_processes(m);
    random->lane_count = m->options.lanes;
    random->lanes = zeroed(m->options.lanes, sizeof *random->lanes);
    m->lane_ids = zeroed(m->options.lanes, sizeof *m->lane_ids);
    for (uint32_t i = 0; i < m->options.lanes; i++)
        make_lane(m, i);
    make_properties(m);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t add_row(struct maker *m, uint32_t lane, uint32_t kind, const struct stave__row *row)
{
    struct random_trace *random = m->random;
    struct stave__appender *appender = &random->lanes[lane].appenders[kind];
    random->rows =
        room_for(random->rows, random->row_count, &random->row_room, sizeof *random->rows);
    done(stave__append_row(appender, row, NULL));
    struct random_row *to = &random->rows[random->row_count];
    *to = (struct random_row){.kind = kind, .lane = lane, .boot = m->boot, .step = m->step};
    to->column = *row;
    to->column.order = appender->blocks->next_order - 1;
    if (m->now > random->lanes[lane].last)
        random->lanes[lane].last = m->now; /* where every row ends */
    return random->row_count++;
}

static uint64_t inner_serial(const struct random_lane *lane)
{
    return lane->stack.count > 0 ? lane->open[lane->stack.count - 1].serial : 0;
}

/* Many short calls between the start of the span around them and now. */
static void add_cumulative(struct maker *m, uint32_t l, uint32_t name)
{
    struct random_lane *lane = &m->random->lanes[l];
    int64_t from = lane->stack.count > 0 ? lane->open[lane->stack.count - 1].start : m->first_tick;
    uint64_t length = (uint64_t)(m->now - from);
    uint64_t lasted = dice_below(&m->dice, length < 1000000 ? length + 1 : 1000000);
    uint64_t count = 1 + dice_spread(&m->dice, 12);
    uint64_t total = dice_below(&m->dice, lasted + 1);
    uint64_t least = count > 1 ? dice_below(&m->dice, total / count + 1) : total;
    uint64_t most = count > 1 ? total - least * (count - 1) : total;
    struct stave__row row = {
        .start = m->now - (int64_t)lasted,
        .end = m->now,
        .serial = inner_serial(lane),
        .value = count,
        .name = name,
        .total = total,
        .least = least,
        .most = most,
        .depth = (uint32_t)dice_below(&m->dice, 3),
    };
    if (dice_chance(&m->dice, 600)) { /* few numbers: some are there twice, some name each other */
        row.other = dice_below(&m->dice, 6);
        row.other_lane = (uint32_t)dice_below(&m->dice, 6);
    }
    add_row(m, l, STAVE_CUMULATIVES, &row);
}

static void add_stretch(struct maker *m, uint32_t lane, uint32_t kind, uint32_t name)
{
    struct stave__row row = {.end = m->now, .value = dice_spread(&m->dice, 32)};
    row.start = m->now - (int64_t)dice_below(&m->dice, (uint64_t)(m->now - m->first_tick) + 1);
    if (kind == STAVE_GAPS)
        row.name = dice_chance(&m->dice, 500) ? name : 0;
    else
        row.flags = dice_chance(&m->dice, 500) ? STAVE_FLAG_HAS_VALUE : 0;
    add_row(m, lane, kind, &row);
}

static void add_link(struct maker *m, uint32_t l)
{
    const struct random_trace *random = m->random;
    struct stave__row row = {
        .start = m->now,
        .serial = inner_serial(&random->lanes[l]),
        .value = dice_below(&m->dice, 2),
    };
    if (random->span_count > 0) {
        const struct random_span *to = &random->spans[dice_below(&m->dice, random->span_count)];
        row.other = to->serial;
        row.other_lane = to->lane;
    }
    add_row(m, l, STAVE_LINKS, &row);
}

/* A row of any kind but a span. */
static void add_other(struct maker *m, uint32_t l)
{
    uint32_t kind = 1 + (uint32_t)dice_below(&m->dice, KINDS - 1);
    uint32_t name = m->first_key + (uint32_t)dice_below(&m->dice, KEYS);
    if (kind == STAVE_GAPS || kind == STAVE_DOUBTS) {
        add_stretch(m, l, kind, name);
    } else if (kind == STAVE_CUMULATIVES) {
        add_cumulative(m, l, name);
    } else if (kind == STAVE_LINKS) {
        add_link(m, l);
    } else {
        struct stave__row row = {.start = m->now, .name = name};
        bool has_value = kind != STAVE_MARKS || dice_chance(&m->dice, 600);
        if (has_value) {
            row.flags = value_flags(m);
            row.value = any_value(m, row.flags);
        }
        if (kind == STAVE_MARKS && has_value)
            row.flags |= STAVE_FLAG_HAS_VALUE;
        if (kind != STAVE_COUNTERS)
            row.serial = inner_serial(&m->random->lanes[l]);
        add_row(m, l, kind, &row);
    }
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* A span of another lane that this one can be attached to, or none. */
static size_t choose_parent(struct maker *m, uint32_t lane)
{
    const struct random_trace *random = m->random;
    bool open_only = !dice_chance(&m->dice, 125);
    for (uint32_t attempt = 0; attempt < 8 && random->span_count > m->boot_spans; attempt++) {
        uint64_t recent = random->span_count - m->boot_spans;
        uint64_t back = dice_below(&m->dice, recent < 64 ? recent : 64);
        size_t i = random->span_count - 1 - back;
        if (random->spans[i].lane != lane && (!open_only || random->spans[i].done == 0))
            return i;
    }
    return RANDOM_NONE;
}

static uint32_t choose_name(struct maker *m, const struct random_lane *lane)
{
    uint32_t depth = lane->stack.count;
    if (lane->nameless)
        return 0;
    if (depth > 0 && dice_chance(&m->dice, m->options.recursion))
        return lane->open[dice_below(&m->dice, depth)].name;
    return m->first_name + (uint32_t)dice_below(&m->dice, m->options.names);
}

static void begin_span(struct maker *m, uint32_t l)
{
    struct random_trace *random = m->random;
    struct random_lane *lane = &random->lanes[l];
    uint32_t depth = lane->stack.count;
    random->spans =
        room_for(random->spans, random->span_count, &random->span_room, sizeof *random->spans);
    struct random_span *span = &random->spans[random->span_count];
    *span = (struct random_span){
        .boot = m->boot,
        .lane = l,
        .serial = ++lane->serial,
        .parent = depth > 0 ? lane->open_spans[depth - 1] : RANDOM_NONE,
        .depth = depth,
        .start = m->now,
        .end = m->now,
        .name = choose_name(m, lane),
        .began = m->step,
        .row = RANDOM_NONE,
    };
    span->lane_parent = span->parent;
    unsigned attached = depth == 0 ? m->options.attached : m->options.attached / 8;
    if (dice_chance(&m->dice, attached)) {
        size_t parent = choose_parent(m, l);
        if (parent != RANDOM_NONE) {
            span->parent = parent;
            span->flags |= STAVE_FLAG_ATTACHED;
        }
    }
    lane->open[depth] =
        (stave_open_span){.serial = span->serial, .start = span->start, .name = span->name};
    if (span->flags & STAVE_FLAG_ATTACHED) {
        lane->open[depth].flags = STAVE_FLAG_ATTACHED;
        lane->open[depth].other = random->spans[span->parent].serial;
        lane->open[depth].other_lane = random->spans[span->parent].lane;
    }
    lane->open_spans[depth] = random->span_count++;
    lane->stack.count++;
    lane->stack.begun = lane->serial;
}

static uint16_t choose_flags(struct maker *m)
{
    static const uint16_t some[] = {STAVE_FLAG_FAILED, STAVE_FLAG_UNWOUND, STAVE_FLAG_UNCERTAIN,
                                    STAVE_FLAG_TRUNCATED, STAVE_FLAG_FAILED | STAVE_FLAG_UNWOUND};
    return dice_chance(&m->dice, m->options.flagged) ? some[dice_below(&m->dice, 5)] : 0;
}

/* Perhaps a deadline of its own: a tick or more away from its end, or anywhere. */
static void choose_deadline(struct maker *m, struct stave__row *span)
{
    if (!dice_chance(&m->dice, m->options.due))
        return;
    span->flags |= STAVE_FLAG_HAS_VALUE;
    span->value = dice_next(&m->dice);
    if (!dice_chance(&m->dice, 50))
        span->value = (uint64_t)span->end + 1 - dice_spread(&m->dice, 20);
}

/* Ends the innermost span of a lane. */
static void end_span(struct maker *m, uint32_t l, uint16_t flags)
{
    struct random_trace *random = m->random;
    struct random_lane *lane = &random->lanes[l];
    must(lane->stack.count > 0, "a span that is not open ends");
    struct random_span *span = &random->spans[lane->open_spans[lane->stack.count - 1]];
    span->end = m->now;
    span->flags |= flags | choose_flags(m);
    span->done = m->step;
    struct stave__row row = {
        .start = span->start,
        .end = span->end,
        .flags = span->flags,
        .serial = span->serial,
        .name = span->name,
        .depth = span->depth,
    };
    if (span->flags & STAVE_FLAG_ATTACHED) {
        row.other = random->spans[span->parent].serial;
        row.other_lane = random->spans[span->parent].lane;
    }
    choose_deadline(m, &row);
    span->flags = row.flags;
    span->row = add_row(m, l, STAVE_SPANS, &row);
    lane->last_row = span->row;
    lane->stack.count--;
}

static void seal_spans(struct maker *m, uint32_t l)
{
    struct random_lane *lane = &m->random->lanes[l];
    done(stave__appender_seal(&lane->appenders[STAVE_SPANS], NULL));
    if (lane->last_row != RANDOM_NONE && m->random->rows[lane->last_row].sealed == 0)
        m->random->rows[lane->last_row].sealed = m->step;
}

/* ---- boots and their clocks ------------------------------------------------------------------ */

static double choose_hz(struct maker *m)
{
    static const double some[] = {0, 1000, 32768, 1e6, 168e6, 2999999999.5, 24e6};
    uint64_t i = dice_below(&m->dice, 8);
    return i < 7 ? some[i] : 1 + (double)dice_spread(&m->dice, 32) / 3;
}

static void begin_boot(struct maker *m)
{
    static const int64_t first[] = {
        0, 0, 0, 12345, -777, -((int64_t)1 << 40), (int64_t)1 << 62, -((int64_t)1 << 62)};
    struct random_trace *random = m->random;
    double offset_us = 0, hz = 0;
    m->now = 0;
    if (m->options.clocks) {
        hz = choose_hz(m);
        m->now = first[dice_below(&m->dice, 8)];
        if (m->boot > 0)
            offset_us = stave_trace_boot(random->trace, m->boot - 1)->end_us +
                        (double)dice_spread(&m->dice, 20) / 3;
    } else if (m->boot > 0) {
        offset_us = stave_trace_boot(random->trace, m->boot - 1)->end_us;
    }
    m->first_tick = m->now;
    m->boot_spans = random->span_count;
    uint32_t id;
    done(stave__trace_boot(random->trace, offset_us, hz, &id, NULL));
    must(id == m->boot, "boots are not counted from 0");
    if (m->options.clocks)
        stave__boot_at(random->trace, id)->shown.rate_assumed = dice_chance(&m->dice, 200);
    for (uint32_t l = 0; l < random->lane_count; l++) {
        struct random_lane *lane = &random->lanes[l];
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            struct stave__appender *appender = &lane->appenders[kind];
            stave__appender_init(appender, &random->trace->blocks, kind, l, m->boot);
            appender->mask = stave__kind_may_have[kind];
        }
        lane->appenders[STAVE_SPANS].stack = &lane->stack;
        if (lane->nameless)
            lane->appenders[STAVE_SPANS].mask &= ~(uint32_t)STAVE_COLUMN_NAME;
        lane->last_row = RANDOM_NONE;
        lane->last = INT64_MIN;
    }
}

/* The clock is corrected, changes its rate, or both; now and then the real time is known. */
static void change_clock(struct maker *m)
{
    struct stave__boot *boot = stave__boot_at(m->random->trace, m->boot);
    double hz = stave__boot_rate(boot, m->now);
    if (dice_chance(&m->dice, 500)) {
        done(stave__boot_change_rate(boot, m->now, choose_hz(m), NULL));
        return;
    }
    const stave_anchor *last = &boot->anchors[boot->anchors_used - 1];
    if (boot->anchors_used > 1 && last->tick >= m->now)
        return;
    stave_anchor anchor = {
        .tick = m->now,
        .us = stave__boot_us(boot, m->now) + (double)dice_below(&m->dice, 100) / 7,
        .hz = hz,
        .realtime_ns = (int64_t)dice_spread(&m->dice, 61),
    };
    done(stave__boot_add_anchor(boot, &anchor, NULL));
}

/* How many of a lane's open spans stay open: the outermost ones, up to the first attached one. */
static uint32_t choose_left(struct maker *m, const struct random_lane *lane)
{
    uint32_t left = lane->stack.count;
    if (!dice_chance(&m->dice, m->options.unclosed))
        return 0;
    return dice_chance(&m->dice, 500) ? left : (uint32_t)dice_below(&m->dice, left + 1);
}

static void end_lane(struct maker *m, uint32_t l)
{
    struct random_trace *random = m->random;
    struct random_lane *lane = &random->lanes[l];
    uint32_t left = choose_left(m, lane);
    while (lane->stack.count > left) {
        m->step++;
        end_span(m, l, dice_chance(&m->dice, 500) ? STAVE_FLAG_INTERRUPTED : 0);
    }
    m->step++;
    seal_spans(m, l);
    int64_t last = left > 0 ? lane->open[left - 1].start : 0;
    for (uint32_t i = 0; i < left; i++) {
        struct random_span *span = &random->spans[lane->open_spans[i]];
        span->end = last > lane->last ? last : lane->last;
        span->flags |= STAVE_FLAG_UNFINISHED;
    }
    lane->stack.count = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++)
        done(stave__appender_seal(&lane->appenders[kind], NULL));
}

static void end_boot(struct maker *m)
{
    for (uint32_t l = 0; l < m->random->lane_count; l++)
        end_lane(m, l);
    stave_boot *shown = &stave__boot_at(m->random->trace, m->boot)->shown;
    shown->end_us = stave_time_us(m->random->trace, m->boot, m->now);
    shown->ended = true;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void advance(struct maker *m)
{
    if (dice_chance(&m->dice, 250))
        return;
    m->now += (int64_t)dice_spread(&m->dice, 10);
    if (m->options.odd_times && dice_chance(&m->dice, 20))
        m->now += (int64_t)dice_spread(&m->dice, 40);
}

static void take_step(struct maker *m)
{
    uint32_t l = (uint32_t)dice_below(&m->dice, m->random->lane_count);
    const struct random_lane *lane = &m->random->lanes[l];
    m->step++;
    advance(m);
    bool begins = dice_chance(&m->dice, m->options.deepen);
    if (begins && lane->stack.count < m->options.depth)
        begin_span(m, l);
    else if (lane->stack.count > 0)
        end_span(m, l, 0);
    m->step++;
    if (dice_chance(&m->dice, m->options.others))
        add_other(m, l);
    m->step++;
    if (dice_chance(&m->dice, m->options.early_seal))
        seal_spans(m, l);
    if (m->options.clocks && dice_chance(&m->dice, m->options.anchors))
        change_clock(m);
}

static void make_boot(struct maker *m, size_t spans)
{
    begin_boot(m);
    while (m->random->span_count < spans)
        take_step(m);
    end_boot(m);
}

static void set_defaults(struct random_trace_options *options)
{
    if (options->spans == 0 || options->lanes == 0)
        options->spans = 0;
    else if (options->boots == 0)
        options->boots = 1;
    if (options->boots == 0)
        options->modules = 0;
    if (options->depth == 0)
        options->depth = 1;
    if (options->names == 0)
        options->names = 1;
    if (options->deepen == 0)
        options->deepen = 500;
}

struct random_trace *random_trace_new(const struct random_trace_options *options)
{
    struct random_trace *random = zeroed(1, sizeof *random);
    struct maker m = {.random = random, .options = *options, .dice = {options->seed}};
    set_defaults(&m.options);
    stave_trace_config config = {.cache_bytes = options->cache_bytes};
    done(stave_trace_new(&config, &random->trace, NULL));
    make_tables(&m);
    for (; m.boot < m.options.boots; m.boot++)
        make_boot(&m, (size_t)((uint64_t)m.options.spans * (m.boot + 1) / m.options.boots));
    make_modules(&m);
    free(m.lane_ids);
    return random;
}

void random_trace_free(struct random_trace *random)
{
    for (uint32_t l = 0; l < random->lane_count; l++) {
        free(random->lanes[l].open);
        free(random->lanes[l].open_spans);
    }
    free(random->lanes);
    free(random->spans);
    free(random->rows);
    stave_trace_free(random->trace);
    free(random);
}

size_t random_trace_open_at(const struct random_trace *random, uint32_t boot, uint32_t lane,
                            uint64_t step, size_t *found, uint64_t *begun)
{
    size_t count = 0;
    *begun = 0;
    for (size_t i = 0; i < random->span_count && random->spans[i].began <= step; i++) {
        const struct random_span *span = &random->spans[i];
        if (span->lane != lane)
            continue;
        *begun = span->serial;
        if (span->boot == boot && (span->done == 0 || span->done >= step))
            found[count++] = i;
    }
    return count;
}

/* ---- what a seed is like --------------------------------------------------------------------- */

void random_trace_choose(uint64_t seed, struct random_trace_options *options)
{
    struct dice dice = {seed ^ UINT64_C(0x7261636b)};
    static const unsigned chances[] = {0, 0, 30, 200, 700};
    *options = (struct random_trace_options){.seed = seed};
    unsigned bits = seed % 8 == 7 ? 14 : 9;
    options->spans = (uint32_t)dice_spread(&dice, bits);
    if (seed % 8 == 7)
        options->spans |= 4096;
    options->lanes = (uint32_t)dice_spread(&dice, 5);
    options->boots = (uint32_t)dice_below(&dice, 4);
    options->depth = 1 + (uint32_t)dice_spread(&dice, dice_chance(&dice, 100) ? 11 : 5);
    options->names = 1 + (uint32_t)dice_spread(&dice, 6);
    options->processes = (uint32_t)dice_below(&dice, 4);
    options->modules = (uint32_t)dice_below(&dice, 4);
    options->properties = (uint32_t)dice_below(&dice, 5);
    options->deepen = 450 + (unsigned)dice_below(&dice, 150);
    options->attached = chances[dice_below(&dice, 5)];
    options->recursion = chances[dice_below(&dice, 5)];
    options->nameless = chances[dice_below(&dice, 4)];
    options->flagged = chances[dice_below(&dice, 4)];
    options->unclosed = chances[dice_below(&dice, 5)];
    options->others = chances[dice_below(&dice, 5)];
    options->early_seal = chances[dice_below(&dice, 4)] / 10;
    options->anchors = chances[dice_below(&dice, 4)] / 10;
    options->clocks = dice_chance(&dice, 600);
    options->odd_times = dice_chance(&dice, 300);
    if (dice_chance(&dice, 60)) { /* a stack that is deeper than a block has rows */
        options->lanes = 1;
        options->spans |= 256;
        options->depth = 2000;
        options->deepen = 900;
        options->unclosed = 700;
    }
    options->cache_bytes = dice_chance(&dice, 250) ? 4096 : 0;
    options->due = chances[dice_below(&dice, 5)];
}
