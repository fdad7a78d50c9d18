/* generate.c - .stave files for the command's cases, the same on every run.
 *
 *     generate WHAT > FILE.stave
 *
 *   nested    a program with two threads: spans in spans, one attached to another thread's, failed and
 *             uncertain ones, counters, a gap, attributes; three roots
 *   wild      names with control characters, bytes that are not UTF-8, and 300 letters
 *   details   spans with attributes of all types and marks, few and many, short and long; places of some
 *   requests  roots of two names on two lanes, most of them with an id and other attributes
 *   deep      120 spans, each in the one before
 *   many      200 lanes of 20 spans
 *   repeated  3000 marks that pack well
 *   open      a lane whose last block has two open spans, as a killed program leaves it
 *   empty     nothing at all
 *   properties  what a decoder says of a recording, and no row
 *   limited   nested, from a recorder that was told how many spans to take, and one root in how many
 *   evicted   many, from a recorder that gave up what was older
 *   costly    a request that is mostly its own recording, which the recorder tells: 20 ns a span, 8 of them in it
 *   full      many, in a file that was full before its recording ended
 *   rules     the example of docs/rules.md, in a session; and a second run, in which something fails, is skipped and
 *             does not find what it depends on; two rules depend on each other
 *   own-rules a session's own file, with what another one captured; a run in another one's evaluation
 *   long-rule a rule with a long description
 *   lane-name  a span, in another of the same name, that has no name but its lane's
 *   rules-alone  the rules, and nothing that was evaluated
 *   later     nested, with a block of an unknown kind and without an index  */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/header.h"
#include "trace/rules.h"
#include "trace/trace.h"

#define MS 1000000 /* ticks are nanoseconds */
#define COUNT(array) (sizeof(array) / sizeof *(array))

static stave_trace *trace;
static uint32_t boot;
static stave_error error;

static void check(int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "generate: %s\n", error.message);
    exit(1);
}

static uint32_t string(const char *text)
{
    uint32_t id;
    check(stave__trace_string(trace, text, strlen(text), &id, &error));
    return id;
}

/* ---- rows: in the order in which they take effect -------------------------------------------- */

#define LANES_MAX 256

static struct stave__appender appenders[LANES_MAX][STAVE_ROW_KINDS];
static bool begun[LANES_MAX][STAVE_ROW_KINDS];

static void add(uint32_t lane, uint32_t kind, const struct stave__row *row)
{
    struct stave__appender *appender = &appenders[lane][kind];
    if (!begun[lane][kind]) {
        stave__appender_init(appender, &trace->blocks, kind, lane, boot);
        if (kind == STAVE_SPANS)
            appender->mask |= STAVE_COLUMN_NAME | STAVE_COLUMN_DEPTH | STAVE_COLUMN_OTHER |
                              STAVE_COLUMN_OTHER_LANE;
        if (kind == STAVE_MARKS)
            appender->mask |= STAVE_COLUMN_SERIAL;
        begun[lane][kind] = true;
    }
    check(stave__append_row(appender, row, &error));
}

static void seal(void)
{
    for (uint32_t lane = 0; lane < LANES_MAX; lane++)
        for (uint32_t kind = 0; kind < STAVE_ROW_KINDS; kind++)
            if (begun[lane][kind])
                check(stave__appender_seal(&appenders[lane][kind], &error));
}

static uint32_t add_lane(const char *name, uint32_t kind, uint32_t process)
{
    uint32_t id;
    stave_lane lane = {.name = string(name), .kind = kind, .process = process};
    check(stave__trace_lane(trace, &lane, &id, &error));
    return id;
}

struct span {
    const char *name;
    int64_t start, end;
    uint32_t lane, depth;
    uint64_t serial;
    uint16_t flags;
    uint64_t other;
    uint32_t other_lane;
};

static void add_spans(const struct span *spans, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct span *s = &spans[i];
        struct stave__row row = {
            .start = s->start,
            .end = s->end,
            .flags = s->flags,
            .serial = s->serial,
            .name = string(s->name),
            .depth = s->depth,
            .other = s->other,
            .other_lane = s->other_lane,
        };
        add(s->lane, STAVE_SPANS, &row);
    }
}

/* ---- nested ---------------------------------------------------------------------------------- */

static void add_counters(uint32_t lane)
{
    static const uint64_t values[] = {3, 9, 5};
    for (unsigned i = 0; i < COUNT(values); i++) {
        struct stave__row row = {
            .start = (int64_t)(1 + i) * MS, .value = values[i], .name = string("queue length")};
        add(lane, STAVE_COUNTERS, &row);
    }
}

static void nested(void)
{
    uint32_t process;
    stave_process shop = {.name = string("shop"), .number = 4711};
    check(stave__trace_process(trace, &shop, &process, &error));
    uint32_t first = add_lane("main", STAVE_LANE_THREAD, process + 1);
    uint32_t second = add_lane("worker", STAVE_LANE_THREAD, process + 1);
    uint32_t counters = add_lane("shop", STAVE_LANE_PROCESS, process + 1);
    const struct span spans[] = {
        {"parse", 1 * MS, 2 * MS, first, 1, 2, 0, 0, 0},
        {"load", 2 * MS, 9 * MS, second, 0, 1, STAVE_FLAG_ATTACHED, 3, first},
        {"check", 3 * MS, 4 * MS, first, 2, 4, STAVE_FLAG_FAILED, 0, 0},
        {"check", 5 * MS, 5 * MS + 20000, first, 2, 5, 0, 0, 0},
        {"answer", 2 * MS, 8 * MS, first, 1, 3, 0, 0, 0},
        {"request", 0, 10 * MS, first, 0, 1, 0, 0, 0},
        {"parse", 20 * MS, 21 * MS, first, 1, 7, 0, 0, 0},
        {"request", 20 * MS, 23 * MS, first, 0, 6, STAVE_FLAG_UNWOUND, 0, 0},
        {"tidy", 30 * MS, 31 * MS + 500, second, 0, 2, STAVE_FLAG_INTERRUPTED, 0, 0},
    };
    add_spans(spans, COUNT(spans));
    add_counters(counters);
    struct stave__row mark = {.start = 4 * MS, .name = string("cache miss"), .value = 0};
    struct stave__row gap = {.start = 12 * MS, .end = 15 * MS, .value = 40};
    struct stave__row calls = {.start = 6 * MS,
                               .end = 7 * MS,
                               .serial = 1,
                               .name = string("hash"),
                               .value = 12,
                               .total = 900000,
                               .least = 50000,
                               .most = 120000};
    add(first, STAVE_MARKS, &mark);
    add(first, STAVE_GAPS, &gap);
    add(second, STAVE_CUMULATIVES, &calls);
    seal();
}

/* ---- the others ------------------------------------------------------------------------------ */

static void wild(void)
{
    char longest[301];
    memset(longest, 'n', 300);
    longest[300] = '\0';
    uint32_t lane = add_lane("la\033[31mne\r", STAVE_LANE_THREAD, 0);
    uint32_t other = add_lane("\xff\xfe", STAVE_LANE_THREAD, 0);
    const struct span spans[] = {
        {"esc\033]0;title\007", 1 * MS, 2 * MS, lane, 1, 2, 0, 0, 0},
        {"\xc3\x28 not utf-8 \xed\xa0\x80", 2 * MS, 3 * MS, lane, 1, 3, 0, 0, 0},
        {longest, 3 * MS, 4 * MS, lane, 1, 4, 0, 0, 0},
        {"\xe6\x97\xa5\xe6\x9c\xac \xe2\x80\xae turned", 4 * MS, 5 * MS, other, 0, 1,
         STAVE_FLAG_ATTACHED, 1, lane},
        {"new\nline", 0, 6 * MS, lane, 0, 1, STAVE_FLAG_FAILED, 0, 0},
    };
    add_spans(spans, COUNT(spans));
    struct stave__row counter = {.start = 0, .value = 1, .name = string("\033[2J")};
    add(other, STAVE_COUNTERS, &counter);
    check(stave__trace_set_text(trace, "key\033c", "value\033c\n", &error));
    seal();
}

static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static void detail(uint32_t lane, uint32_t kind, uint64_t serial, int64_t at, const char *name,
                   uint16_t flags, uint64_t value)
{
    struct stave__row row = {
        .start = at, .serial = serial, .name = string(name), .flags = flags, .value = value};
    add(lane, kind, &row);
}

static void add_place(const char *name, uint32_t line)
{
    stave_place place = {.name = string(name),
                         .file = string("src/server.c"),
                         .function = string("serve"),
                         .line = line};
    check(stave__trace_place(trace, &place, &error));
}

static void details(void)
{
    enum { AT = STAVE_ATTRIBUTES, MARK = STAVE_MARKS };
    char longest[401];
    memset(longest, 'n', 400);
    longest[400] = '\0';
    uint32_t lane = add_lane("main", STAVE_LANE_THREAD, 0);
    const struct span spans[] = {
        {"query", 1 * MS, 4 * MS, lane, 1, 2, 0, 0, 0},
        {"row", 5 * MS, 6 * MS, lane, 2, 4, STAVE_FLAG_FAILED, 0, 0},
        {"query", 4 * MS, 8 * MS, lane, 1, 3, 0, 0, 0},
        {"request", 0, 10 * MS, lane, 0, 1, 0, 0, 0},
        {"request", 20 * MS, 30 * MS, lane, 0, 5, 0, 0, 0},
    };
    struct stave__row calls = {.start = 2 * MS,
                               .end = 3 * MS,
                               .serial = 2,
                               .name = string("cell"),
                               .value = 12,
                               .total = MS,
                               .least = 50000,
                               .most = 120500};
    detail(lane, AT, 1, 0, "id", STAVE_FLAG_TEXT, string("c-8f21"));
    detail(lane, AT, 2, MS, "rows", 0, UINT64_MAX);
    detail(lane, AT, 2, MS, "balance", STAVE_FLAG_SIGNED, (uint64_t)INT64_MIN);
    detail(lane, AT, 2, MS, "share", STAVE_FLAG_REAL, bits_of(0.1));
    detail(lane, AT, 2, MS, "rows", 0, 240);
    detail(lane, AT, 3, 4 * MS, "sql", STAVE_FLAG_TEXT, string("select \"a\\b\"\n\033[2J \xff"));
    detail(lane, AT, 3, 4 * MS, "text", STAVE_FLAG_TEXT, string(longest));
    detail(lane, AT, 3, 4 * MS, longest, 0, 1);
    detail(lane, AT, 3, 4 * MS, "ratio", STAVE_FLAG_REAL, bits_of((double)NAN));
    detail(lane, AT, 3, 4 * MS, "cached", STAVE_FLAG_BOOL, 0);
    detail(lane, AT, 4, 6 * MS, "error", STAVE_FLAG_TEXT, string("no row"));
    detail(lane, AT, 5, 25 * MS, "id", STAVE_FLAG_TEXT, string(""));
    detail(lane, AT, 77, 25 * MS, "of no span", 0, 1);
    detail(lane, MARK, 2, 2 * MS, "cache miss", STAVE_FLAG_HAS_VALUE | STAVE_FLAG_TEXT,
           string("users"));
    detail(lane, MARK, 4, 5 * MS + MS / 2, "here", 0, 0);
    detail(lane, MARK, 4, 6 * MS, "left", STAVE_FLAG_HAS_VALUE | STAVE_FLAG_SIGNED, (uint64_t)-3);
    detail(lane, MARK, 4, 6 * MS, "last", STAVE_FLAG_HAS_VALUE | STAVE_FLAG_BOOL, 1ull << 32);
    detail(lane, MARK, 0, 9 * MS, "in no span", STAVE_FLAG_HAS_VALUE, 1);
    add(lane, STAVE_CUMULATIVES, &calls);
    add_spans(spans, COUNT(spans));
    add_place("query", 120);
    add_place("row", 130);
    add_place("row", 140);
    add_place("cell", 150);
    seal();
}

static void lane_name(void)
{
    uint32_t lane = add_lane("worker", STAVE_LANE_TASK, 0);
    const struct span spans[] = {
        {"", MS, 2 * MS, lane, 1, 2, 0, 0, 0},
        {"worker", 0, 3 * MS, lane, 0, 1, 0, 0, 0},
    };
    add_spans(spans, COUNT(spans));
    add_place("worker", 7);
    seal();
}

static void requests(void)
{
    enum { AT = STAVE_ATTRIBUTES, TEXT = STAVE_FLAG_TEXT };
    uint32_t first = add_lane("w1", STAVE_LANE_THREAD, 0);
    uint32_t second = add_lane("w2", STAVE_LANE_THREAD, 0);
    const struct span spans[] = {
        {"query", 3 * MS, 4 * MS, second, 1, 2, 0, 0, 0},
        {"request", 2 * MS, 5 * MS, second, 0, 1, STAVE_FLAG_FAILED, 0, 0},
        {"request", 0, 10 * MS, first, 0, 1, 0, 0, 0},
        {"tidy", 20 * MS, 21 * MS, first, 0, 2, 0, 0, 0},
        {"request", 20 * MS, 50 * MS, second, 0, 3, 0, 0, 0},
        {"request", 60 * MS, 60 * MS + MS / 2, first, 0, 3, 0, 0, 0},
        {"request", 70 * MS, 73 * MS, second, 0, 4, STAVE_FLAG_UNWOUND, 0, 0},
    };
    detail(first, AT, 1, 0, "id", TEXT, string("c-1"));
    detail(first, AT, 1, 0, "user", TEXT, string("ann"));
    detail(first, AT, 1, 9 * MS, "rows", 0, 240);
    detail(first, AT, 1, 9 * MS, "cached", STAVE_FLAG_BOOL, 1);
    detail(second, AT, 1, 2 * MS, "user", TEXT, string("bob"));
    detail(second, AT, 1, 2 * MS, "id", TEXT, string("c-2"));
    detail(second, AT, 2, 3 * MS, "user", TEXT, string("ann"));
    detail(second, AT, 1, 5 * MS, "share", STAVE_FLAG_REAL, bits_of(0.1));
    detail(second, AT, 1, 5 * MS, "error", TEXT, string("no row"));
    detail(second, AT, 3, 20 * MS, "id", TEXT, string("c-3"));
    detail(second, AT, 3, 20 * MS, "user", TEXT, string("ann"));
    detail(second, AT, 3, 20 * MS, "balance", STAVE_FLAG_SIGNED, (uint64_t)-3);
    detail(first, AT, 3, 60 * MS, "id", 0, 17);
    detail(first, AT, 3, 60 * MS, "text", TEXT, string("a \"b\"\n\033[2J"));
    detail(second, AT, 4, 70 * MS, "id", TEXT, string("c-1"));
    detail(second, AT, 4, 71 * MS, "id", TEXT, string("c-9"));
    detail(second, AT, 4, 72 * MS, "user", TEXT, string(""));
    add_spans(spans, COUNT(spans));
    seal();
}

static void deep(void)
{
    enum { LEVELS = 120 };
    uint32_t lane = add_lane("main", STAVE_LANE_THREAD, 0);
    for (uint32_t i = LEVELS; i-- > 0;) {
        struct span span = {"level", i * 1000, (2 * LEVELS - i) * 1000, lane, i, i + 1, 0, 0, 0};
        add_spans(&span, 1);
    }
    seal();
}

static void many(void)
{
    for (uint32_t i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "lane %u", (unsigned)i);
        add_lane(name, STAVE_LANE_THREAD, 0);
    }
    for (uint32_t i = 0; i < 4000; i++) {
        struct span span = {"work", i * 1000, i * 1000 + 700, i % 200, 0, i / 200 + 1, 0, 0, 0};
        add_spans(&span, 1);
    }
    seal();
}

/* Numbers that repeat, but not from row to row. */
static void repeated(void)
{
    uint32_t lane = add_lane("main", STAVE_LANE_THREAD, 0), name = string("hash");
    for (uint32_t i = 0; i < 3000; i++) {
        uint64_t value = (i * i % 16 + 1) * 0x9e3779b97f4a7c15u;
        struct stave__row mark = {
            .start = i * 1000, .flags = STAVE_FLAG_HAS_VALUE, .value = value, .name = name};
        add(lane, STAVE_MARKS, &mark);
    }
    seal();
}

static void left_open(void)
{
    uint32_t lane = add_lane("main", STAVE_LANE_THREAD, 0);
    const stave_open_span open[] = {
        {.serial = 1, .name = string("serve")},
        {.serial = 2, .start = 1 * MS, .name = string("request")},
    };
    const struct stave__stack stack = {.spans = open, .count = COUNT(open), .begun = 3};
    const struct span parse = {"parse", 2 * MS, 5 * MS, lane, 2, 3, 0, 0, 0};
    add_spans(&parse, 1);
    appenders[lane][STAVE_SPANS].stack = &stack;
    seal();
}

static void empty(void)
{
}

static void properties(void)
{
    check(stave__trace_set_property(trace, "etrace.wire_version", 0, 2, &error));
    check(stave__trace_set_property(trace, "etrace.frames", 0, 822, &error));
    check(stave__trace_set_property(trace, "etrace.frames_lost", 0, 8, &error));
    check(stave__trace_set_property(trace, "etrace.damages", 0, 1, &error));
    check(stave__trace_set_property(trace, "etrace.bytes_skipped", 0, 4096, &error));
    check(stave__trace_set_property(trace, "etrace.first_damage", 0, 654, &error));
    check(stave__trace_set_property(trace, "balance", STAVE_FLAG_SIGNED, (uint64_t)-5, &error));
    check(stave__trace_set_property(trace, "whole", STAVE_FLAG_BOOL, false, &error));
    check(stave__trace_set_real(trace, "etrace.time_uncertain_us", 866.5010000000038, &error));
    check(stave__trace_set_text(trace, "etrace.damage_text", "all wrong", &error));
}

static void evicted(void)
{
    many();
    check(stave__trace_set_property(trace, "record.recorded", 0, 70000, &error));
    check(stave__trace_set_property(trace, "record.evicted", 0, 66000, &error));
    check(stave__trace_set_property(trace, "record.dropped_depth", 0, 2, &error));
}

static void limited(void)
{
    nested();
    check(stave__trace_set_property(trace, "record.dropped_limit", 0, 1, &error));
    check(stave__trace_set_property(trace, "record.limit_reached_ns", 0, 1234567890, &error));
    check(stave__trace_set_property(trace, "record.roots_skipped", 0, 9, &error));
}

/* [0, 100 us]: sort, then 2000 cells of 10 ns, in a sum, then 1200 hashes of 15 ns as one row. */
static void costly(void)
{
    uint32_t lane = add_lane("main", STAVE_LANE_THREAD, 0);
    const struct span sort = {"sort", 100, 20100, lane, 1, 2, 0, 0, 0};
    const struct span around[] = {
        {"sum", 20200, 64300, lane, 1, 3, 0, 0, 0},
        {"request", 0, 100000, lane, 0, 1, 0, 0, 0},
    };
    struct stave__row hash = {.start = 64400,
                              .end = 99000,
                              .serial = 1,
                              .name = string("hash"),
                              .value = 1200,
                              .total = 18000,
                              .least = 10,
                              .most = 40};
    add_spans(&sort, 1);
    for (uint32_t i = 0; i < 2000; i++) {
        int64_t at = 20250 + 22 * (int64_t)i;
        struct span cell = {"cell", at, at + 10, lane, 2, 4 + i, 0, 0, 0};
        add_spans(&cell, 1);
    }
    add_spans(around, COUNT(around));
    add(lane, STAVE_CUMULATIVES, &hash);
    check(stave__trace_set_property(trace, "record.recorded", 0, 2005, &error));
    check(stave__trace_set_real(trace, "record.span_ns", 20, &error));
    check(stave__trace_set_real(trace, "record.inner_ns", 8, &error));
    seal();
}

/* Of a recording that went on. */
static void full(void)
{
    many();
    check(stave__trace_set_property(trace, "record.recorded", 0, 70000, &error));
    check(stave__trace_set_property(trace, "record.evicted", 0, 0, &error));
    check(stave__trace_set_property(trace, "record.file_full_ns", 0, 83002000000, &error));
}

static void later(void)
{
    nested();
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* What a span of its own name is, by the text: a rule's description. */
static void rule(const char *description, const char *id, const char *needs, const char *needs_too)
{
    const char *const both[] = {needs, needs_too};
    struct stave__rule_row row = {.name = string(description), .id = string(id)};
    check(stave__trace_add_rule(trace, &row, &error));
    for (unsigned i = 0; i < COUNT(both) && both[i] != NULL; i++) {
        struct stave__dependency_row dependency = {string(description), string(both[i])};
        check(stave__trace_add_dependency(trace, &dependency, &error));
    }
}

static void role(const char *name, uint32_t role)
{
    struct stave__rule_row row = {.name = string(name), .role = role};
    check(stave__trace_add_rule(trace, &row, &error));
}

static void declare_rules(void)
{
    rule("price is positive", "price", NULL, NULL);
    rule("all in stock", "stock", NULL, NULL);
    rule("total matches", "total", "price", "stock");
    rule("discount is allowed", "discount", NULL, NULL);
    rule("can be shipped", "ship", "stock", "address");
    rule("left hand", "left", "right", NULL);
    rule("right hand", "right", "left", NULL);
    role("order", STAVE__ROLE_RUN);
    role("skipped", STAVE__ROLE_SKIPPED);
}

static void rules(void)
{
    uint32_t one = add_lane("main", STAVE_LANE_THREAD, 0);
    uint32_t two = add_lane("pool-1", STAVE_LANE_THREAD, 0);
    uint16_t by_handle = STAVE_FLAG_ATTACHED;
    const struct span spans[] = {
        {"price is positive", 0, 4 * MS, one, 1, 2, 0, 0, 0},
        {"all in stock", 0, 6 * MS, two, 0, 1, by_handle, 1, one},
        {"discount is allowed", 8 * MS, 11 * MS, one, 2, 4, 0, 0, 0},
        {"can be shipped", 7 * MS, 12 * MS, two, 0, 2, by_handle, 1, one},
        {"total matches", 6 * MS, 16 * MS, one, 1, 3, 0, 0, 0},
        {"order", 0, 16 * MS, one, 0, 1, 0, 0, 0},
        {"price is positive", 20 * MS, 21 * MS, one, 1, 6, STAVE_FLAG_FAILED, 0, 0},
        {"total matches", 21 * MS, 21 * MS, one, 1, 7, 0, 0, 0},
        {"look up", 22 * MS, 22 * MS + MS / 2, one, 2, 9, 0, 0, 0},
        {"left hand", 22 * MS, 23 * MS, one, 1, 8, 0, 0, 0},
        {"order", 20 * MS, 24 * MS, one, 0, 5, 0, 0, 0},
    };
    struct stave__session_row session = {
        .number = 3, .start = 0, .stop = INT64_MAX, .given_up = 2, .dropped = 1};
    declare_rules();
    add_spans(spans, COUNT(spans));
    detail(one, STAVE_ATTRIBUTES, 1, 0, "id", 0, 17);
    detail(one, STAVE_ATTRIBUTES, 6, 20 * MS, "error", STAVE_FLAG_TEXT, string("negative price"));
    detail(one, STAVE_ATTRIBUTES, 7, 21 * MS, "skipped", STAVE_FLAG_BOOL, 1);
    check(stave__trace_add_session(trace, &session, &error));
    seal();
}

/* A session's own file: what another one captured, then its runs, the second inside the first one's evaluation. */
static void own_rules(void)
{
    uint32_t lane = add_lane("main", STAVE_LANE_THREAD, 0);
    const struct span spans[] = {
        {"price is positive", 0, 4 * MS, lane, 0, 1, 0, 0, 0},
        {"all in stock", 11 * MS, 12 * MS, lane, 4, 6, 0, 0, 0},
        {"price is positive", 10 * MS, 12 * MS, lane, 3, 5, 0, 0, 0},
        {"part", 10 * MS, 12 * MS, lane, 2, 4, 0, 0, 0},
        {"total matches", 10 * MS, 12 * MS, lane, 1, 3, 0, 0, 0},
        {"order", 10 * MS, 13 * MS, lane, 0, 2, 0, 0, 0},
    };
    struct stave__session_row session = {.number = 2, .start = 5 * MS, .stop = INT64_MAX};
    rule("price is positive", "price", NULL, NULL);
    rule("all in stock", "stock", NULL, NULL);
    rule("total matches", "total", NULL, NULL);
    role("order", STAVE__ROLE_RUN);
    role("part", STAVE__ROLE_RUN);
    add_spans(spans, COUNT(spans));
    check(stave__trace_add_session(trace, &session, &error));
    check(stave__trace_set_property(trace, "rules.session", 0, 2, &error));
    seal();
}

/* A description of 300 bytes. */
static void long_rule(void)
{
    char name[301] = {0};
    uint32_t lane = add_lane("main", STAVE_LANE_THREAD, 0);
    memset(name, 'x', sizeof name - 1);
    const struct span span = {name, 0, 4 * MS, lane, 0, 1, 0, 0, 0};
    rule(name, "x", NULL, NULL);
    add_spans(&span, 1);
    seal();
}

/* None of them was evaluated. */
static void rules_alone(void)
{
    add_lane("main", STAVE_LANE_THREAD, 0);
    declare_rules();
    seal();
}

static const struct {
    const char *name;
    void (*make)(void);
} makers[] = {
    {"nested", nested},       {"wild", wild},
    {"deep", deep},           {"many", many},
    {"repeated", repeated},   {"open", left_open},
    {"empty", empty},         {"properties", properties},
    {"later", later},         {"evicted", evicted},
    {"details", details},     {"limited", limited},
    {"costly", costly},       {"requests", requests},
    {"full", full},           {"rules", rules},
    {"own-rules", own_rules}, {"rules-alone", rules_alone},
    {"long-rule", long_rule}, {"lane-name", lane_name},
};

/* ---- to standard output ---------------------------------------------------------------------- */

static uint8_t file[1024 * 1024];
static size_t file_size;

static int put(void *context, const void *data, size_t size)
{
    if (size > sizeof file - file_size)
        return STAVE_E_LIMIT;
    memcpy(file + file_size, data, size);
    file_size += size;
    return STAVE_OK;
}

/* A block of a kind that is not known yet, in place of the index. */
static void put_unknown(void)
{
    uint64_t index_offset, blocks;
    uint8_t block[STAVE__HEADER_SIZE + 10] = {0};
    struct stave__header header = {.kind = 50, .rows = 3};
    if (!stave__file_foot_read(file + file_size - STAVE__FILE_FOOT_SIZE, &index_offset, &blocks))
        exit(1);
    file_size = (size_t)index_offset;
    put(NULL, block, stave__header_seal(&header, block, 10));
}

static void make(void (*maker)(void))
{
    stave_sink sink = {.write = put};
    check(stave_trace_new(NULL, &trace, &error));
    check(stave__trace_boot(trace, 0, 0, &boot, &error));
    maker();
    check(stave_trace_save(trace, sink, NULL, &error));
    stave_trace_free(trace);
    if (maker == later)
        put_unknown();
    fwrite(file, 1, file_size, stdout);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < COUNT(makers); i++) {
        if (strcmp(argv[1], makers[i].name) == 0) {
            make(makers[i].make);
            return fflush(stdout) == 0 ? 0 : 1;
        }
    }
    fprintf(
        stderr,
        "usage: generate "
        "nested|wild|details|deep|many|repeated|open|empty|properties|evicted|full|limited|costly|"
        "rules|own-rules|rules-alone|long-rule|later > FILE\n");
    return 2;
}
