#include "random_parts.h"

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
        random_end_span(m, l, dice_chance(&m->dice, 500) ? STAVE_FLAG_INTERRUPTED : 0);
    }
    m->step++;
    random_seal_spans(m, l);
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
        random_begin_span(m, l);
    else if (lane->stack.count > 0)
        random_end_span(m, l, 0);
    m->step++;
    if (dice_chance(&m->dice, m->options.others))
        random_add_other(m, l);
    m->step++;
    if (dice_chance(&m->dice, m->options.early_seal))
        random_seal_spans(m, l);
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
    random_make_tables(&m);
    for (; m.boot < m.options.boots; m.boot++)
        make_boot(&m, (size_t)((uint64_t)m.options.spans * (m.boot + 1) / m.options.boots));
    random_make_modules(&m);
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
    options->places = (uint32_t)dice_spread(&dice, 5);
}
