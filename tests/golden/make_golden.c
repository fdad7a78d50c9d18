/* make_golden.c - writes the golden files that the library can write, and their texts.
 *
 *     make_golden FOLDER
 *     make_golden --text FILE...      the text of any files, each to FILE.txt
 *
 * Run by hand when the format changes, and by the test golden.written to see whether it did. It makes
 * the same files each time; packed.stave depends on libzstd's version. The odd files, which the library
 * reads but never writes, are make_odd.py's. README.md says what is in each.  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/packing.h"
#include "trace/rules.h"
#include "trace/trace.h"
#include "trace_text.h"

static void must(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "make_golden: %s\n", what);
    exit(1);
}

static void done(int status)
{
    must(status >= 0, stave_status_text(status));
}

/* ---- traces ---------------------------------------------------------------------------------- */

static stave_trace *new_trace(void)
{
    stave_trace *trace;
    done(stave_trace_new(NULL, &trace, NULL));
    return trace;
}

static uint32_t text(stave_trace *trace, const char *bytes)
{
    uint32_t id;
    done(stave__trace_string(trace, bytes, strlen(bytes), &id, NULL));
    return id;
}

static uint32_t lane(stave_trace *trace, const char *name, uint32_t kind)
{
    uint32_t id;
    stave_lane row = {.name = text(trace, name), .kind = kind};
    done(stave__trace_lane(trace, &row, &id, NULL));
    return id;
}

/* A boot that has ended. */
static uint32_t boot(stave_trace *trace, double offset_us, double hz, double end_us)
{
    uint32_t id;
    done(stave__trace_boot(trace, offset_us, hz, &id, NULL));
    stave__boot_at(trace, id)->shown.ended = true;
    stave__boot_at(trace, id)->shown.end_us = end_us;
    return id;
}

static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* Rows of one kind with all columns that it may have. */
static struct stave__appender appender(stave_trace *trace, uint32_t kind, uint32_t lane_id,
                                       uint32_t boot_id)
{
    struct stave__appender a;
    stave__appender_init(&a, &trace->blocks, kind, lane_id, boot_id);
    a.mask = stave__kind_may_have[kind];
    return a;
}

static void add(struct stave__appender *a, struct stave__row row)
{
    done(stave__append_row(a, &row, NULL));
}

static void seal(struct stave__appender *a)
{
    done(stave__appender_seal(a, NULL));
}

/* ---- the files ------------------------------------------------------------------------------- */

/* One span. docs/format.md shows its bytes. */
static stave_trace *smallest(void)
{
    stave_trace *trace = new_trace();
    uint32_t b = boot(trace, 0, 1000000, 30);
    struct stave__appender spans;
    stave__appender_init(&spans, &trace->blocks, STAVE_SPANS, lane(trace, "main", STAVE_LANE_TASK),
                         b);
    add(&spans, (struct stave__row){.start = 10, .end = 30, .serial = 1});
    seal(&spans);
    return trace;
}

/* Nothing but the empty string. */
static stave_trace *empty(void)
{
    return new_trace();
}

static void add_spans(stave_trace *trace, uint32_t l, uint32_t other, uint32_t b)
{
    struct stave__appender spans = appender(trace, STAVE_SPANS, l, b);
    uint32_t work = text(trace, "work"), step = text(trace, "step");
    for (uint32_t bit = 0; bit < 11; bit++)
        add(&spans, (struct stave__row){
                        .start = 100 + 10 * (int64_t)bit,
                        .end = 105 + 10 * (int64_t)bit,
                        .flags = (uint16_t)(1u << bit),
                        .serial = bit + 2,
                        .value = bit == 1 ? (uint64_t)-7 : 0, /* its own deadline */
                        .name = step,
                        .depth = 1,
                        .other = bit == 10 ? 7 : 0,
                        .other_lane = bit == 10 ? other : 0,
                    });
    add(&spans, (struct stave__row){.start = 90, .end = 300, .serial = 1, .name = work});
    seal(&spans);
}

static void add_values(stave_trace *trace, uint32_t kind, uint32_t l, uint32_t b, const char *name)
{
    struct stave__appender rows = appender(trace, kind, l, b);
    uint32_t id = text(trace, name);
    uint16_t flags = kind == STAVE_MARKS ? STAVE_FLAG_HAS_VALUE : 0;
    uint64_t serial = kind == STAVE_COUNTERS ? 0 : 1;
    add(&rows,
        (struct stave__row){
            .start = 110, .flags = flags, .serial = serial, .value = UINT64_MAX, .name = id});
    add(&rows, (struct stave__row){.start = 120,
                                   .flags = (uint16_t)(flags | STAVE_FLAG_SIGNED),
                                   .serial = serial,
                                   .value = (uint64_t)-5,
                                   .name = id});
    add(&rows, (struct stave__row){.start = 130,
                                   .flags = (uint16_t)(flags | STAVE_FLAG_REAL),
                                   .serial = serial,
                                   .value = bits_of(-0.25),
                                   .name = id});
    add(&rows, (struct stave__row){.start = 140,
                                   .flags = (uint16_t)(flags | STAVE_FLAG_TEXT),
                                   .serial = serial,
                                   .value = text(trace, "a value"),
                                   .name = id});
    for (uint64_t truth = 0; truth < 2; truth++)
        add(&rows, (struct stave__row){.start = 150 + (int64_t)truth,
                                       .flags = (uint16_t)(flags | STAVE_FLAG_BOOL),
                                       .serial = serial,
                                       .value = truth,
                                       .name = id});
    if (kind == STAVE_MARKS)
        add(&rows, (struct stave__row){.start = 310, .flags = STAVE_FLAG_RESTART, .name = id});
    seal(&rows);
}

/* Every kind of rows with every column, every flag, every type of value. */
static stave_trace *kinds(void)
{
    stave_trace *trace = new_trace();
    uint32_t b = boot(trace, 0, 0, 0.4);
    uint32_t one = lane(trace, "one", STAVE_LANE_THREAD), two = lane(trace, "two", STAVE_LANE_CORE);
    add_spans(trace, one, two, b);
    add_values(trace, STAVE_MARKS, one, b, "mark");
    add_values(trace, STAVE_COUNTERS, two, b, "counter");
    add_values(trace, STAVE_ATTRIBUTES, one, b, "key");

    struct stave__appender gaps = appender(trace, STAVE_GAPS, two, b);
    add(&gaps, (struct stave__row){
                   .start = 150, .end = 160, .value = 12, .name = text(trace, "buffer full")});
    add(&gaps, (struct stave__row){.start = 170, .end = 170, .value = 1});
    seal(&gaps);
    struct stave__appender doubts = appender(trace, STAVE_DOUBTS, two, b);
    add(&doubts,
        (struct stave__row){.start = 150, .end = 190, .flags = STAVE_FLAG_HAS_VALUE, .value = 33});
    add(&doubts, (struct stave__row){.start = 195, .end = 200});
    seal(&doubts);
    struct stave__appender calls = appender(trace, STAVE_CUMULATIVES, one, b);
    add(&calls, (struct stave__row){.start = 205,
                                    .end = 290,
                                    .serial = 1,
                                    .value = 3,
                                    .name = text(trace, "short"),
                                    .depth = 2,
                                    .other = 2,
                                    .other_lane = 1,
                                    .total = 40,
                                    .least = 5,
                                    .most = 20});
    add(&calls, (struct stave__row){.start = 291,
                                    .end = 292,
                                    .serial = 1,
                                    .value = 1,
                                    .name = text(trace, "short"),
                                    .other = 1,
                                    .total = 1,
                                    .least = 1,
                                    .most = 1});
    seal(&calls);
    struct stave__appender links = appender(trace, STAVE_LINKS, one, b);
    add(&links,
        (struct stave__row){
            .start = 300, .serial = 1, .value = STAVE_LINK_CONTEXT, .other = 7, .other_lane = two});
    add(&links, (struct stave__row){.start = 301,
                                    .serial = 2,
                                    .value = STAVE_LINK_DEPENDENCY,
                                    .other = 3,
                                    .other_lane = one});
    seal(&links);
    return trace;
}

/* Rows so that columns take each transform in each mode, up to the ends of 64 bits. */
static stave_trace *columns(void)
{
    static const int64_t times[][2] = {
        {INT64_MIN, INT64_MIN}, {INT64_MIN, INT64_MAX}, {-1, 0}, {INT64_MAX, INT64_MAX}, {0, 1},
        {-300, 70000}};
    stave_trace *trace = new_trace();
    uint32_t b = boot(trace, 0, 1000, 0), l = lane(trace, "columns", STAVE_LANE_TASK);
    uint32_t name = text(trace, "n");
    /* Of the same length, at a steady pace: `start`, `end`, `serial` say each of them once. Their ends are
     * their order. */
    struct stave__appender spans = appender(trace, STAVE_SPANS, l, b);
    for (uint64_t i = 1; i <= 5; i++)
        add(&spans, (struct stave__row){.start = (int64_t)i - 1, .end = (int64_t)i, .serial = i});
    seal(&spans);
    for (uint32_t i = 0; i < 6; i++)
        add(&spans, (struct stave__row){.start = times[i][0],
                                        .end = times[i][1],
                                        .flags = STAVE_FLAG_SATURATED,
                                        .serial = i % 2 == 0 ? i + 6 : UINT64_MAX - i,
                                        .name = i == 3 ? name : 0,
                                        .depth = i == 2 ? UINT32_MAX : 0});
    seal(&spans);
    struct stave__appender counters = appender(trace, STAVE_COUNTERS, l, b);
    for (uint32_t i = 0; i < 12; i++)
        add(&counters, (struct stave__row){
                           .start = i * i, .value = i == 0 ? 127 : UINT64_MAX / i, .name = name});
    seal(&counters);
    struct stave__appender one = appender(trace, STAVE_MARKS, l, b);
    add(&one, (struct stave__row){.start = 128, .name = name});
    seal(&one);
    return trace;
}

/* A lane where a span begins, attached to one of another lane, and none ends: a block without rows. */
static void add_lone_span(stave_trace *trace, uint32_t l, uint32_t b)
{
    const stave_open_span open = {.serial = 1,
                                  .start = 77,
                                  .name = text(trace, "outer"),
                                  .flags = STAVE_FLAG_ATTACHED,
                                  .other_lane = 0,
                                  .other = 1};
    const struct stave__stack stack = {.spans = &open, .count = 1, .begun = 1};
    struct stave__appender spans = appender(trace, STAVE_SPANS, l, b);
    spans.stack = &stack;
    seal(&spans);
}

/* A lane with blocks that are sealed while spans are open, some of them to the end, in two boots. */
static stave_trace *open_spans(void)
{
    stave_trace *trace = new_trace();
    uint32_t l = lane(trace, "open", STAVE_LANE_THREAD);
    uint32_t outer = text(trace, "outer"), middle = text(trace, "middle"),
             leaf = text(trace, "leaf");
    stave_open_span open[2] = {{.serial = 1, .start = 5, .name = outer},
                               {.serial = 2, .start = 6, .name = middle}};
    struct stave__stack stack = {.spans = open};
    for (uint32_t n = 0; n < 2; n++) {
        uint32_t b = boot(trace, 1000.0 * n, 1e6, 1000.0 * n + 200);
        struct stave__appender spans = appender(trace, STAVE_SPANS, l, b);
        uint64_t serial = stack.begun;
        spans.stack = &stack;
        open[0].serial = serial + 1;
        open[1].serial = serial + 2;
        stack = (struct stave__stack){.spans = open, .count = 2, .begun = serial + 2};
        for (uint32_t i = 0; i < 20; i++) { /* the first block is full at 16 */
            stave_open_span within[3] = {open[0], open[1], {.serial = ++stack.begun}};
            within[2].start = 10 + 4 * (int64_t)i;
            within[2].name = leaf;
            stack.spans = within;
            stack.count = 3;
            add(&spans, (struct stave__row){.start = within[2].start,
                                            .end = within[2].start + 3,
                                            .serial = within[2].serial,
                                            .name = leaf,
                                            .depth = 2});
            stack.spans = open;
            stack.count = 2;
        }
        seal(&spans);
        if (n == 0) /* in the second boot both stay open */
            add(&spans, (struct stave__row){.start = open[1].start,
                                            .end = 120,
                                            .serial = open[1].serial,
                                            .name = middle,
                                            .depth = 1});
        stack.count = n == 0 ? 1 : 2;
        seal(&spans);
    }
    add_lone_span(trace, lane(trace, "alone", STAVE_LANE_THREAD), 0);
    return trace;
}

/* Boots whose clocks differ, change, are corrected; the last one did not end. */
static stave_trace *boots(void)
{
    stave_trace *trace = new_trace();
    uint32_t l = lane(trace, "clock", STAVE_LANE_DEVICE), tick = text(trace, "tick");
    boot(trace, 0, 0, 5000);
    boot(trace, 5000.5, 32768, 5000.5 + 12345678);
    boot(trace, 2e7, 168e6, 2e7);
    boot(trace, 3e7 + 1.0 / 3, 0, 0);
    done(stave__boot_change_rate(stave__boot_at(trace, 1), 1000, 16e6 / 3, NULL));
    done(stave__boot_change_rate(stave__boot_at(trace, 1), 90000, 0, NULL));
    done(stave__boot_change_rate(stave__boot_at(trace, 2), -500, 84e6, NULL));
    stave_anchor real = {.tick = 1 << 20,
                         .us = 6241.75,
                         .hz = 168e6 + 0.1,
                         .realtime_ns = INT64_C(1767225600000000000)};
    done(stave__boot_add_anchor(stave__boot_at(trace, 2), &real, NULL));
    stave__boot_at(trace, 3)->anchors[0].realtime_ns = -1;
    stave__boot_at(trace, 2)->shown.rate_assumed = true;
    stave__boot_at(trace, 3)->shown.ended = false;
    for (uint32_t b = 0; b < 4; b++) {
        static const int64_t at[] = {INT64_MIN, -501,          -500,     -1,   0,
                                     7,         999,           1000,     1001, 90001,
                                     1 << 20,   (1 << 20) + 1, 123456789};
        struct stave__appender marks = appender(trace, STAVE_MARKS, l, b);
        for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
            add(&marks, (struct stave__row){.start = at[i], .name = tick});
        seal(&marks);
    }
    return trace;
}

static void add_module(stave_trace *trace, stave_module module, const char *path, const char *id)
{
    module.path = text(trace, path);
    module.build_id = text(trace, id);
    done(stave__trace_module(trace, &module, NULL));
}

static void add_place(stave_trace *trace, const char *name, const char *file, const char *function,
                      uint32_t line)
{
    stave_place place = {.name = text(trace, name),
                         .file = text(trace, file),
                         .function = text(trace, function),
                         .line = line};
    done(stave__trace_place(trace, &place, NULL));
}

/* Every table with every column; texts of any bytes. */
static stave_trace *tables(void)
{
    stave_trace *trace = new_trace();
    uint32_t id;
    boot(trace, 0, 0, 1);
    done(stave__trace_string(trace, "\0\"\\\n\xc3\xa4\xff", 7, &id, NULL));
    stave_process processes[] = {{.name = text(trace, "server"), .number = 4242},
                                 {.name = text(trace, "worker"), .number = UINT64_MAX}};
    done(stave__trace_process(trace, &processes[0], &id, NULL));
    done(stave__trace_process(trace, &processes[1], &id, NULL));
    for (uint32_t kind = 0; kind <= STAVE_LANE_PROCESS; kind++) {
        stave_lane row = {.name = text(trace, "lane"),
                          .kind = kind,
                          .priority = kind == 1 ? UINT32_MAX : 0,
                          .has_deadline = kind < 2,
                          .deadline_ms = kind == 0 ? 2.5f : 0,
                          .process = kind < 3 ? kind : 0,
                          .number = kind == 3 ? UINT64_MAX : kind};
        done(stave__trace_lane(trace, &row, &id, NULL));
    }
    add_module(trace, (stave_module){.loaded = INT64_MIN, .unloaded = INT64_MAX}, "/bin/server",
               "");
    add_module(trace,
               (stave_module){.process = 2,
                              .address = UINT64_C(0x7f0000001000),
                              .size = 8192,
                              .loaded = 17,
                              .unloaded = 4000},
               "/usr/lib/libx.so.1", "0123456789abcdef");
    done(stave__trace_set_property(trace, "lost", 0, 17, NULL));
    done(stave__trace_set_property(trace, "balance", STAVE_FLAG_SIGNED, (uint64_t)-17, NULL));
    done(stave__trace_set_property(trace, "whole", STAVE_FLAG_BOOL, true, NULL));
    done(stave__trace_set_real(trace, "load", 0.75, NULL));
    done(stave__trace_set_text(trace, "host", "example", NULL));
    add_place(trace, "query", "src/server.c", "serve", 120);
    add_place(trace, "query", "src/server.c", "serve_all", UINT32_MAX);
    add_place(trace, "lane", "src/worker.c", "", 0);
    return trace;
}

static uint32_t own_text(stave_trace *trace, const char *bytes)
{
    done(stave__strings_append(&trace->strings, bytes, strlen(bytes)));
    return stave_trace_strings(trace) - 1;
}

/* Evaluations of three rules, two of which are called the same; a run, one that was skipped and one of another thread,
 * attached to the run; what was declared; sessions, one of which goes on; a summary. */
static stave_trace *rules(void)
{
    stave_trace *trace = new_trace();
    uint32_t b = boot(trace, 0, 0, 20), one = lane(trace, "one", STAVE_LANE_THREAD),
             two = lane(trace, "two", STAVE_LANE_THREAD);
    uint32_t total = own_text(trace, "total"), other = own_text(trace, "total"),
             nameless = own_text(trace, ""), run = own_text(trace, "order"),
             skipped = own_text(trace, "skipped");
    const struct stave__rule_row rows[] = {{.name = total, .id = text(trace, "id total")},
                                           {.name = other,
                                            .id = text(trace, "__proto__"),
                                            .has_parent = true,
                                            .parent = text(trace, "id total")},
                                           {.name = nameless, .has_parent = true},
                                           {.name = run, .role = STAVE__ROLE_RUN},
                                           {.name = skipped, .role = STAVE__ROLE_SKIPPED},
                                           {.name = text(trace, "a role to come"), .role = 77}};
    const struct stave__dependency_row dependencies[] = {
        {.rule = other, .depends_on = text(trace, "id total")},
        {.rule = other, .depends_on = text(trace, "there is none")},
        {.rule = nameless, .depends_on = text(trace, "__proto__")}};
    const struct stave__session_row sessions[] = {
        {.number = 1, .start = 5, .stop = 9000, .given_up = 3, .dropped = 4},
        {.number = UINT64_MAX, .start = INT64_MIN, .stop = INT64_MAX, .lane = two + 1}};
    const struct stave__summary_row summary = {.session = 1,
                                               .rule = nameless,
                                               .calls = 100,
                                               .failed = 1,
                                               .skipped = 2,
                                               .cached = 3,
                                               .cancelled = 4,
                                               .timed_out = 5,
                                               .total = 6000,
                                               .self = UINT64_MAX,
                                               .first = 8,
                                               .least = 7,
                                               .most = 900};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        done(stave__trace_add_rule(trace, &rows[i], NULL));
    for (size_t i = 0; i < sizeof dependencies / sizeof dependencies[0]; i++)
        done(stave__trace_add_dependency(trace, &dependencies[i], NULL));
    for (size_t i = 0; i < sizeof sessions / sizeof sessions[0]; i++)
        done(stave__trace_add_session(trace, &sessions[i], NULL));
    done(stave__trace_add_summary(trace, &summary, NULL));
    struct stave__appender spans = appender(trace, STAVE_SPANS, one, b);
    add(&spans,
        (struct stave__row){.start = 10, .end = 20, .serial = 2, .name = total, .depth = 1});
    add(&spans,
        (struct stave__row){.start = 60, .end = 60, .serial = 3, .name = nameless, .depth = 1});
    add(&spans, (struct stave__row){.start = 6, .end = 90, .serial = 1, .name = run});
    seal(&spans);
    struct stave__appender elsewhere = appender(trace, STAVE_SPANS, two, b);
    add(&elsewhere, (struct stave__row){.start = 30,
                                        .end = 50,
                                        .serial = 1,
                                        .name = other,
                                        .flags = STAVE_FLAG_ATTACHED | STAVE_FLAG_FAILED,
                                        .other = 1,
                                        .other_lane = one});
    seal(&elsewhere);
    struct stave__appender attributes = appender(trace, STAVE_ATTRIBUTES, one, b);
    add(&attributes,
        (struct stave__row){
            .start = 60, .flags = STAVE_FLAG_BOOL, .serial = 3, .value = 1, .name = skipped});
    seal(&attributes);
    return trace;
}

/* Cumulative rows inside each other, children first and last, in two spans; one that names a number which is not
 * there, one that is not told where it is. */
static stave_trace *nested_calls(void)
{
    static const struct {
        uint64_t serial, number;
        uint32_t around, depth;
        uint64_t calls, total;
        const char *name;
    } rows[] = {
        {2, 3, 2, 2, 12, 10, "cell"}, {2, 2, 1, 1, 6, 40, "row"}, {2, 1, 0, 0, 3, 60, "query"},
        {1, 1, 0, 0, 2, 80, "query"}, {1, 2, 1, 1, 4, 50, "row"}, {1, 4, 1, 1, 1, 20, "query"},
        {1, 5, 77, 1, 1, 3, "cell"},  {1, 0, 0, 2, 1, 2, "cell"},
    };
    stave_trace *trace = new_trace();
    uint32_t b = boot(trace, 0, 0, 0.3), l = lane(trace, "main", STAVE_LANE_THREAD);
    struct stave__appender calls = appender(trace, STAVE_CUMULATIVES, l, b);
    struct stave__appender spans = appender(trace, STAVE_SPANS, l, b);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        add(&calls, (struct stave__row){.start = 10 + (int64_t)i,
                                        .end = 90 + (int64_t)i,
                                        .serial = rows[i].serial,
                                        .value = rows[i].calls,
                                        .name = text(trace, rows[i].name),
                                        .depth = rows[i].depth,
                                        .other = rows[i].number,
                                        .other_lane = rows[i].around,
                                        .total = rows[i].total,
                                        .least = 1,
                                        .most = rows[i].total});
    add(&spans, (struct stave__row){
                    .start = 5, .end = 105, .serial = 2, .name = text(trace, "step"), .depth = 1});
    add(&spans,
        (struct stave__row){.start = 0, .end = 300, .serial = 1, .name = text(trace, "work")});
    seal(&calls);
    seal(&spans);
    return trace;
}

/* Rows that zstd makes smaller. */
static stave_trace *packed(void)
{
    stave_trace *trace = new_trace();
    uint32_t b = boot(trace, 0, 1e6, 1e4), l = lane(trace, "packed", STAVE_LANE_THREAD);
    struct stave__appender spans = appender(trace, STAVE_SPANS, l, b);
    uint32_t names[] = {text(trace, "read"), text(trace, "write"), text(trace, "sync")};
    for (uint32_t i = 0; i < 60; i++)
        add(&spans, (struct stave__row){.start = 100 * (int64_t)i,
                                        .end = 100 * (int64_t)i + 10 + i % 3 * 30,
                                        .serial = i + 1,
                                        .name = names[i % 3]});
    seal(&spans);
    return trace;
}

/* ---- writing --------------------------------------------------------------------------------- */

static const struct golden {
    const char *name;
    stave_trace *(*make)(void);
    uint32_t zstd_level;
} all[] = {
    {"smallest", smallest, 0}, {"empty", empty, 0},     {"kinds", kinds, 0},
    {"columns", columns, 0},   {"open", open_spans, 0}, {"boots", boots, 0},
    {"tables", tables, 0},     {"packed", packed, 9},   {"nested-calls", nested_calls, 0},
    {"rules", rules, 0},
};

static int write_file(void *context, const void *data, size_t size)
{
    return fwrite(data, 1, size, context) == size ? STAVE_OK : STAVE_E_IO;
}

/* The text of a file as the library reads it. */
static void write_text(const char *path, FILE *to)
{
    stave_trace *trace;
    struct trace_text text = {0};
    stave_error error = {0};
    int status = stave_trace_open(path, NULL, &trace, &error);
    if (status >= 0 && (status = stave_trace_check(trace, (stave_progress){0}, &error)) < 0)
        stave_trace_free(trace);
    if (status < 0) {
        must(status == STAVE_E_FORMAT || status == STAVE_E_STATE, error.message);
        done(write_file(to, "refused\n", 8));
        return;
    }
    trace_text_of_file(&text, trace);
    done(write_file(to, text.bytes, text.size));
    free(text.bytes);
    stave_trace_free(trace);
}

static FILE *create(char *path, size_t size, const char *folder, const char *name,
                    const char *extension)
{
    int used = snprintf(path, size, "%s%s%s%s", folder, *folder != 0 ? "/" : "", name, extension);
    must(used > 0 && (size_t)used < size, "a path that is too long");
    FILE *file = fopen(path, "wb");
    must(file != NULL, path);
    return file;
}

static void write_golden(const char *folder, const struct golden *golden)
{
    char path[1024], text_path[1024];
    stave_trace *trace = golden->make();
    FILE *file = create(path, sizeof path, folder, golden->name, ".stave");
    stave_sink sink = {.write = write_file, .context = file};
    stave_save_config config = {.zstd_level = golden->zstd_level};
    done(stave_trace_save(trace, sink, &config, NULL));
    must(fclose(file) == 0, path);
    stave_trace_free(trace);

    file = create(text_path, sizeof text_path, folder, golden->name, ".txt");
    write_text(path, file);
    must(fclose(file) == 0, text_path);
}

static void write_texts(int count, char **paths)
{
    for (int i = 0; i < count; i++) {
        char text_path[1024];
        FILE *file = create(text_path, sizeof text_path, "", paths[i], ".txt");
        write_text(paths[i], file);
        must(fclose(file) == 0, text_path);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--text") == 0) {
        write_texts(argc - 2, argv + 2);
        return 0;
    }
    must(argc == 2, "make_golden FOLDER, or make_golden --text FILE...");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].zstd_level == 0 || stave__pack_bound(1) > 0)
            write_golden(argv[1], &all[i]);
    return 0;
}
