/* The tables of a random trace, and values. */
#include <string.h>

#include "random_parts.h"

/* ---- values ---------------------------------------------------------------------------------- */

uint16_t random_value_flags(struct maker *m)
{
    static const uint16_t some[] = {
        0, 0, STAVE_FLAG_SIGNED, STAVE_FLAG_REAL, STAVE_FLAG_TEXT, STAVE_FLAG_BOOL};
    return some[dice_below(&m->dice, 6)];
}

uint64_t random_any_value(struct maker *m, uint16_t flags)
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

/* ---- tables ---------------------------------------------------------------------------------- */

static uint32_t text_id(const struct maker *m, const char *prefix, uint32_t number)
{
    char text[64];
    uint32_t id;
    int size = snprintf(text, sizeof text, "%s %u", prefix, (unsigned)number);
    done(stave__trace_string(m->random->trace, text, (size_t)size, &id, NULL));
    return id;
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

void random_make_modules(struct maker *m)
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
        uint16_t flags = random_value_flags(m);
        uint64_t value = random_any_value(m, flags);
        snprintf(key, sizeof key, "property %u", (unsigned)i);
        done(stave__trace_set_property(m->random->trace, key, flags, value, NULL));
    }
}

static void make_places(struct maker *m)
{
    for (uint32_t i = 0; i < m->options.places; i++) {
        uint32_t name = (uint32_t)dice_below(&m->dice, m->options.names);
        stave_place place = {.name = m->first_name + name,
                             .file = text_id(m, "file", (uint32_t)dice_below(&m->dice, 3)),
                             .function = text_id(m, "function", i),
                             .line = (uint32_t)dice_spread(&m->dice, 32)};
        done(stave__trace_place(m->random->trace, &place, NULL));
    }
}

void random_make_tables(struct maker *m)
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
    make_places(m);
}
