/* The rows of a random trace, a step at a time. */
#include "random_parts.h"

static void *room_for(void *rows, size_t used, size_t *room, size_t row_size)
{
    if (used < *room)
        return rows;
    *room = *room != 0 ? *room * 2 : 64;
    rows = realloc(rows, *room * row_size);
    must(rows != NULL, "no memory");
    return rows;
}

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

/* ---- other rows than spans ------------------------------------------------------------------- */

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

void random_add_other(struct maker *m, uint32_t l)
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
            row.flags = random_value_flags(m);
            row.value = random_any_value(m, row.flags);
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

void random_begin_span(struct maker *m, uint32_t l)
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

void random_end_span(struct maker *m, uint32_t l, uint16_t flags)
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

void random_seal_spans(struct maker *m, uint32_t l)
{
    struct random_lane *lane = &m->random->lanes[l];
    done(stave__appender_seal(&lane->appenders[STAVE_SPANS], NULL));
    if (lane->last_row != RANDOM_NONE && m->random->rows[lane->last_row].sealed == 0)
        m->random->rows[lane->last_row].sealed = m->step;
}
