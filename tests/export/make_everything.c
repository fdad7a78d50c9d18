/* make_everything.c - one trace with all that a trace may hold.
 *
 * Times come out even in nanoseconds, so that lengths can be compared exactly. A cumulative entry that has no place in its span
 * has a name that begins with "homeless".  */
#include <math.h>

#include "export/make_traces.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MS 1000000

/* CLOCK_MONOTONIC when the recording began, CLOCK_REALTIME then: in 2026. */
#define UPTIME (INT64_C(5000) * 1000 * MS)
#define TODAY (INT64_C(1782648000) * 1000 * MS + 123456789)

enum { HOST, DEVICE }; /* boots */

static uint32_t main_lane, worker_lane, depot_lane, control_lane, isr_lane, device_lane, shop_lane,
    overlap_lane, core_lane;

static void make_boots(void)
{
    uint32_t boot;
    rows_check(stave__trace_boot(rows_now, 0, 0, &boot, NULL));
    for (int64_t second = 0; second < 3; second++) {
        int64_t tick = UPTIME + second * 1000 * MS;
        stave_anchor anchor = {
            .tick = tick, .us = (double)(tick / 1000), .realtime_ns = TODAY + second * 1000 * MS};
        rows_check(stave__boot_add_anchor(stave__boot_at(rows_now, HOST), &anchor, NULL));
    }
    rows_check(stave__trace_boot(rows_now, (double)(UPTIME / 1000) + 5e6, 1e6, &boot, NULL));
    rows_check(stave__boot_change_rate(stave__boot_at(rows_now, DEVICE), 1000, 2e6, NULL));
    stave__boot_at(rows_now, DEVICE)->shown.ended = true;
    stave__boot_at(rows_now, DEVICE)->shown.end_us = (double)(UPTIME / 1000) + 6e6;
}

static void make_lanes(void)
{
    uint32_t shop = rows_process("shop", 4711), depot = rows_process("depot", 4712);
    stave_lane thread = {.kind = STAVE_LANE_THREAD, .process = shop + 1, .number = 4711};
    main_lane = rows_lane(&thread, "main");
    thread.number = 4719;
    worker_lane = rows_lane(&thread, "worker");
    thread.process = depot + 1;
    depot_lane = rows_lane(&thread, "worker");
    control_lane = rows_lane(
        &(stave_lane){
            .kind = STAVE_LANE_TASK, .priority = 3, .has_deadline = true, .deadline_ms = 2.0f},
        "control");
    isr_lane = rows_lane(&(stave_lane){.kind = STAVE_LANE_ISR, .priority = 7}, "tim3");
    device_lane = rows_lane(&(stave_lane){.kind = STAVE_LANE_DEVICE}, "device");
    shop_lane = rows_lane(&(stave_lane){.kind = STAVE_LANE_PROCESS, .process = shop + 1}, "shop");
    overlap_lane = rows_lane(&(stave_lane){.kind = STAVE_LANE_THREAD}, "fibers");
    core_lane = rows_lane(&(stave_lane){.kind = STAVE_LANE_CORE, .number = 2}, "core");
    rows_lane(&(stave_lane){.kind = STAVE_LANE_THREAD}, "silent");
}

/* ---- spans ----------------------------------------------------------------------------------- */

static void put_span(uint32_t lane, const char *name, int64_t start, int64_t end, uint64_t serial,
                     uint32_t depth, uint16_t flags)
{
    rows_put(lane, HOST, STAVE_SPANS,
             (struct stave__row){.start = UPTIME + start,
                                 .end = UPTIME + end,
                                 .serial = serial,
                                 .name = name != NULL ? rows_text(name) : 0,
                                 .depth = depth,
                                 .flags = flags});
}

static int64_t apart; /* ns between spans of a tree, at least */

static const char *const tree_names[] = {"parse", "load", "check", "answer", "write"};

/* A span, and some in it that share borders, are empty, or have the same times. */
static void put_tree(uint32_t lane, int64_t start, int64_t end, uint32_t depth, uint64_t *serial)
{
    static const uint16_t flags[] = {0, 0, 0, 0, STAVE_FLAG_FAILED, STAVE_FLAG_UNCERTAIN, 0, 0};
    put_span(lane, tree_names[rows_random(COUNT(tree_names))], start, end, ++*serial, depth,
             flags[rows_random(COUNT(flags))]);
    int64_t at = start;
    for (uint32_t i = 0; i < 4 && depth < 4 && at < end; i++) {
        if (rows_random(2) == 0)
            at += rows_random((uint32_t)(end - at) / 4 + 1);
        uint32_t most = (uint32_t)(end - at);
        uint32_t how = rows_random(8);
        int64_t length = how == 0 ? 0 : how == 1 ? most : rows_random(most + 1);
        put_tree(lane, at, at + length, depth + 1, serial);
        at += length + apart;
    }
}

/* From 20 ms on: what nobody looks at one by one. */
static void put_trees(void)
{
    uint64_t serial = 1000;
    for (int64_t i = 0; i < 20; i++) {
        int64_t at = 20 * MS + i * 500000;
        put_tree(main_lane, at, at + 400000, 0, &serial);
        put_tree(worker_lane, at + 1, at + 500001 - apart, 0, &serial);
    }
}

static void put_requests(void)
{
    put_span(main_lane, "request", 0, 10 * MS, 1, 0, 0);
    put_span(main_lane, "parse", 1 * MS, 2 * MS, 2, 1, 0);
    put_span(main_lane, "answer", 2 * MS, 8 * MS, 3, 1, 0);
    put_span(main_lane, "check", 3 * MS, 4 * MS, 4, 2, STAVE_FLAG_FAILED);
    put_span(main_lane, "check", 5 * MS, 5 * MS + 40, 5, 2, 0);
    put_span(main_lane, "check", 5 * MS + 40, 5 * MS + 90, 6, 2, 0);
    put_span(main_lane, "same times", 6 * MS, 7 * MS, 7, 2, 0);
    put_span(main_lane, "same times inside", 6 * MS, 7 * MS, 8, 3, 0);
    put_span(main_lane, "no length inside", 7 * MS, 7 * MS, 9, 4, 0);
    put_span(main_lane, "no length behind", 7 * MS, 7 * MS, 10, 2, 0);
    put_span(main_lane, "no length", 11 * MS, 11 * MS, 11, 0, 0);
    put_span(main_lane, "left", 12 * MS, 13 * MS, 12, 0, STAVE_FLAG_UNWOUND);
    put_span(main_lane, "cut off", 13 * MS, 14 * MS, 13, 0, STAVE_FLAG_INTERRUPTED);
    put_span(main_lane, "doubtful", 14 * MS, 15 * MS, 14, 0, STAVE_FLAG_UNCERTAIN);
    put_span(main_lane, "too much", 15 * MS, 16 * MS, 15, 0,
             STAVE_FLAG_TRUNCATED | STAVE_FLAG_SATURATED);
    put_span(main_lane, NULL, 17 * MS, 18 * MS, 16, 0, 0); /* has the lane's name */
    put_span(core_lane, "irq", 1000, 2000, 1, 0, 0);
}

static void put_attached(uint32_t lane, const char *name, int64_t start, int64_t end,
                         uint64_t serial, uint32_t to_lane, uint64_t to)
{
    rows_put(lane, HOST, STAVE_SPANS,
             (struct stave__row){.start = UPTIME + start,
                                 .end = UPTIME + end,
                                 .serial = serial,
                                 .name = rows_text(name),
                                 .flags = STAVE_FLAG_ATTACHED,
                                 .other = to,
                                 .other_lane = to_lane});
}

static void put_attachments(void)
{
    put_attached(worker_lane, "load", 2 * MS, 9 * MS, 1, main_lane, 3);
    put_span(worker_lane, "read", 3 * MS, 4 * MS, 2, 1, 0);
    put_attached(depot_lane, "fetch", 3 * MS + 1, 4 * MS - 1, 1, worker_lane, 2);
    put_span(depot_lane, "disk", 3 * MS + 2, 3 * MS + 102, 2, 1, 0);
}

static void put_link(uint32_t lane, uint64_t serial, uint32_t to_lane, uint64_t to, uint64_t kind)
{
    rows_put(lane, HOST, STAVE_LINKS,
             (struct stave__row){.start = UPTIME + 9 * MS,
                                 .serial = serial,
                                 .value = kind,
                                 .other = to,
                                 .other_lane = to_lane});
}

static void put_links(void)
{
    put_link(main_lane, 2, worker_lane, 1, STAVE_LINK_CONTEXT);
    put_link(main_lane, 2, depot_lane, 2, STAVE_LINK_DEPENDENCY);
    put_link(depot_lane, 2, main_lane, 12, STAVE_LINK_DEPENDENCY);
    put_link(main_lane, 3, main_lane, 13, STAVE_LINK_CONTEXT);
}

/* Some inside others, some beside, one over all. */
static void put_overlaps(void)
{
    put_span(overlap_lane, "fiber a", 0, 5 * MS, 1, 0, 0);
    put_span(overlap_lane, "inner a", 1 * MS, 2 * MS, 2, 1, 0);
    put_span(overlap_lane, "fiber b", 4 * MS, 8 * MS, 3, 0, STAVE_FLAG_OVERLAP);
    put_span(overlap_lane, "fiber c", 4 * MS + 1, 9 * MS, 4, 0,
             STAVE_FLAG_OVERLAP | STAVE_FLAG_FAILED);
    put_span(overlap_lane, "fiber d", 5 * MS, 8 * MS, 5, 0, STAVE_FLAG_OVERLAP);
    put_span(overlap_lane, "fiber e", 7 * MS, 10 * MS, 6, 0, STAVE_FLAG_OVERLAP);
    put_span(overlap_lane, "fiber f", 8 * MS + 500, 9 * MS, 7, 0, 0);
}

static void leave_open(void)
{
    static stave_open_span open[2];
    static const struct stave__stack stack = {.spans = open, .count = 2, .begun = 20};
    open[0] = (stave_open_span){.serial = 10, .start = UPTIME + 3000};
    open[1] = (stave_open_span){.serial = 11, .start = UPTIME + 4000};
    open[0].name = rows_text("serve");
    open[1].name = rows_text("wait");
    put_span(core_lane, "irq", 5000, 6000, 12, 2, 0);
    rows_leave_open(core_lane, HOST, &stack);
}

/* ---- places in the source -------------------------------------------------------------------- */

#define STRANGE_FILE "C:\\a \"b\"/;\n#\xff.c"

static void put_place(uint32_t name, const char *file, const char *function, uint32_t line)
{
    rows_place(&(stave_place){
        .name = name, .file = rows_text(file), .function = rows_text(function), .line = line});
}

/* One is known of some, of others not which; some have no spans. */
static void place_names(void)
{
    static const struct {
        const char *name, *file, *function;
        uint32_t line;
    } places[] = {
        {"check", "src/check.c", "check", 31},
        {"check", "src/check.c", "check.part.0", 31}, /* the same */
        {"answer", "src/shop.c", "answer", 77},
        {"hash", "src/hash.h", "hash", 5},
        {"homeless", "src/hash.h", "hash", 6},
        {"serve", "src/shop.c", "serve", 90},
        {"fiber b", STRANGE_FILE, "run \"b\"\\\xff", UINT32_MAX},
        {"fiber c", "src/fiber.c", "", 0},
        {"several lines", "src/loop.c", "loop", 10},
        {"several lines", "src/loop.c", "loop", 11},
        {"several files", "src/loop.c", "loop", 10},
        {"several files", "src/loop.h", "loop", 10},
        {"no file", "", "loop", 12},
        {"no file at times", "", "loop", 13},
        {"no file at times", "src/loop.c", "loop", 13},
        {"main", "src/shop.c", "main", 3}, /* a lane's name too */
        {"control", "src/shop.c", "control", 4},
        {"", "src/shop.c", "main", 5},
        {"here", "src/shop.c", "main", 6}, /* a mark */
        {"rows", "src/shop.c", "main", 7}, /* a key */
        {"queue length", "src/shop.c", "main", 8},
        {"unused", "src/shop.c", "main", 9},
    };
    for (size_t i = 0; i < COUNT(places); i++)
        put_place(rows_text(places[i].name), places[i].file, places[i].function, places[i].line);
}

/* A name by its number. */
static void put_numbered(uint32_t name, int64_t start, int64_t end, uint64_t serial, uint32_t depth)
{
    rows_put(worker_lane, HOST, STAVE_SPANS,
             (struct stave__row){.start = UPTIME + start,
                                 .end = UPTIME + end,
                                 .serial = serial,
                                 .name = name,
                                 .depth = depth});
}

/* One text at two places, and at the first one under two numbers, whose file has two numbers as well. */
static void put_queries(void)
{
    uint32_t first = rows_text("query"), second = rows_text_again("query");
    uint32_t again = rows_text_again("query");
    put_place(first, "src/db.c", "find", 40);
    put_place(second, "src/db.c", "fill", 52);
    rows_place(&(stave_place){.name = again, .file = rows_text_again("src/db.c"), .line = 40});
    put_numbered(first, 10 * MS, 14 * MS, 10, 0);
    put_numbered(second, 11 * MS, 13 * MS, 11, 1);
    put_numbered(first, 12 * MS, 12 * MS + 500, 12, 2);
    put_numbered(again, 13 * MS + 1, 13 * MS + 600, 13, 1);
    put_numbered(second, 15 * MS, 15 * MS + 700, 14, 0);
}

/* Files that are two, but one once what is no UTF-8 was replaced. */
static void put_twins(void)
{
    uint32_t first = rows_text("twin"), second = rows_text_again("twin");
    put_place(first, "src/\xff.c", "twin", 7);
    put_place(second, "src/\xfe.c", "twin", 7);
    put_numbered(first, 16 * MS, 16 * MS + 300, 15, 0);
    put_numbered(second, 16 * MS + 400, 16 * MS + 500, 16, 0);
}

static void put_places(void)
{
    place_names();
    put_queries();
    put_twins();
    put_span(worker_lane, "several lines", 17 * MS, 17 * MS + 100, 17, 0, 0);
    put_span(worker_lane, "several files", 17 * MS + 200, 17 * MS + 300, 18, 0, 0);
    put_span(worker_lane, "no file", 17 * MS + 400, 17 * MS + 500, 19, 0, 0);
    put_span(worker_lane, "no file at times", 17 * MS + 600, 17 * MS + 700, 20, 0, 0);
    put_span(main_lane, "main", 18 * MS, 18 * MS + 900, 17, 0, 0);
    put_span(main_lane, NULL, 19 * MS, 19 * MS + 900, 18, 0, 0);
}

/* ---- what belongs to spans ------------------------------------------------------------------- */

static void put_value(uint32_t kind, uint32_t lane, uint64_t serial, int64_t at, const char *name,
                      uint16_t flags, uint64_t value)
{
    rows_put(lane, HOST, kind,
             (struct stave__row){.start = UPTIME + at,
                                 .serial = serial,
                                 .name = rows_text(name),
                                 .flags = flags,
                                 .value = value});
}

static void put_attributes(void)
{
    enum { AT = STAVE_ATTRIBUTES };
    put_value(AT, main_lane, 1, 0, "id", STAVE_FLAG_TEXT, rows_text("c-8f21"));
    put_value(AT, main_lane, 2, MS, "rows", 0, 17);
    put_value(AT, main_lane, 2, MS + 1, "rows", 0, 240); /* again */
    put_value(AT, main_lane, 2, MS, "most", 0, UINT64_MAX);
    put_value(AT, main_lane, 2, MS, "exact", 0, (UINT64_C(1) << 53) + 1);
    put_value(AT, main_lane, 2, MS, "balance", STAVE_FLAG_SIGNED, (uint64_t)INT64_MIN);
    put_value(AT, main_lane, 2, MS, "small", STAVE_FLAG_SIGNED, (uint64_t)-5);
    put_value(AT, main_lane, 2, MS, "share", STAVE_FLAG_REAL, rows_real(0.1));
    put_value(AT, main_lane, 2, MS, "nothing", STAVE_FLAG_REAL, rows_real((double)NAN));
    put_value(AT, main_lane, 2, MS, "all", STAVE_FLAG_REAL, rows_real((double)-INFINITY));
    put_value(AT, main_lane, 2, MS, "yes", STAVE_FLAG_BOOL, 1);
    put_value(AT, main_lane, 2, MS, "no", STAVE_FLAG_BOOL, 0);
    put_value(AT, main_lane, 3, 2 * MS, "sql", STAVE_FLAG_TEXT,
              rows_text("select \"a\\b\"\n\x1b[2J \xff"));
    put_value(AT, main_lane, 4, 3 * MS, "error", STAVE_FLAG_TEXT, rows_text("no row"));
    put_value(AT, main_lane, 4, 3 * MS, "code", STAVE_FLAG_SIGNED, (uint64_t)-2);
    put_value(AT, main_lane, 999, 3 * MS, "of no span", 0, 1);
    put_value(AT, overlap_lane, 4, 5 * MS, "error", STAVE_FLAG_TEXT, rows_text("late"));
    put_value(AT, core_lane, 10, 3000, "port", 0, 8080);
}

static void put_marks(void)
{
    enum { MARK = STAVE_MARKS, VALUE = STAVE_FLAG_HAS_VALUE };
    put_value(MARK, main_lane, 3, 3 * MS, "cache miss", VALUE | STAVE_FLAG_TEXT,
              rows_text("users"));
    put_value(MARK, main_lane, 3, 3 * MS, "here", 0, 0);
    put_value(MARK, main_lane, 3, 4 * MS, "left", VALUE | STAVE_FLAG_SIGNED, (uint64_t)-3);
    put_value(MARK, main_lane, 0, 4 * MS, "in no span", VALUE, 12);
    put_value(MARK, main_lane, 0, 4 * MS, "part", VALUE | STAVE_FLAG_REAL, rows_real(0.25));
    put_value(MARK, worker_lane, 2, 3 * MS + 7, "read", VALUE | STAVE_FLAG_BOOL, 1);
    put_value(STAVE_COUNTERS, shop_lane, 0, 1 * MS, "queue length", 0, 3);
    put_value(STAVE_COUNTERS, shop_lane, 0, 2 * MS, "queue length", 0, 9);
    put_value(STAVE_COUNTERS, shop_lane, 0, 2 * MS, "load", STAVE_FLAG_REAL, rows_real(0.75));
    put_value(STAVE_COUNTERS, shop_lane, 0, 3 * MS, "queue length", STAVE_FLAG_SIGNED,
              (uint64_t)-1);
    put_value(STAVE_COUNTERS, shop_lane, 0, 4 * MS, "on", STAVE_FLAG_BOOL, 1);
    put_value(STAVE_COUNTERS, main_lane, 0, 4 * MS, "queue length", 0, 77);
    put_value(STAVE_COUNTERS, shop_lane, 0, 5 * MS, "state", STAVE_FLAG_TEXT, rows_text("busy"));
}

struct entry {
    const char *name;
    uint64_t serial;
    int64_t first, last;
    uint64_t number;
    uint32_t around, depth;
    uint64_t calls, total, least, most;
};

static void put_entries(void)
{
    static const struct entry entries[] = {
        {"hash", 1, 8 * MS, 9 * MS, 1, 0, 0, 12, 900000, 50000, 120000},
        {"round", 1, 8 * MS + 5, 9 * MS - 5, 2, 1, 1, 240, 600000, 2000, 3000},
        {"mix", 1, 8 * MS + 6, 9 * MS - 6, 3, 2, 2, 960, 500000, 400, 600},
        {"fill", 1, 8 * MS + 7, 9 * MS - 7, 4, 1, 1, 2, 100000, 40000, 60000},
        {"hash", 3, 2 * MS, 3 * MS, 1, 0, 0, 1, 200000, 200000, 200000},
        {"cell", 12, 12 * MS, 13 * MS, 0, 0, 0, 4000, 999999, 1, 700},
        {"homeless long", 4, 3 * MS, 4 * MS, 1, 0, 0, 2, 3 * MS, MS, 2 * MS},
        {"homeless", 998, 13 * MS, 14 * MS, 1, 0, 0, 3, 1234, 400, 420},
        {"homeless untold", 2, 1 * MS, 2 * MS, 0, 0, 3, 7, 700, 100, 100},
    };
    for (size_t i = 0; i < COUNT(entries); i++) {
        const struct entry *e = &entries[i];
        rows_put(main_lane, HOST, STAVE_CUMULATIVES,
                 (struct stave__row){.start = UPTIME + e->first,
                                     .end = UPTIME + e->last,
                                     .serial = e->serial,
                                     .value = e->calls,
                                     .name = rows_text(e->name),
                                     .depth = e->depth,
                                     .other = e->number,
                                     .other_lane = e->around,
                                     .total = e->total,
                                     .least = e->least,
                                     .most = e->most});
    }
}

/* ---- a device -------------------------------------------------------------------------------- */

/* Microseconds, from tick 1000 on half ones. */
static void put_device(void)
{
    for (int64_t i = 0; i < 20; i++) {
        int64_t start = i * 10000;
        uint16_t own = i % 5 == 0 ? STAVE_FLAG_HAS_VALUE : 0;
        rows_put(control_lane, DEVICE, STAVE_SPANS,
                 (struct stave__row){.start = start,
                                     .end = start + 500 * (i + 1),
                                     .serial = (uint64_t)i + 1,
                                     .value = own != 0 ? (uint64_t)start + 1500 : 0,
                                     .flags = own});
        rows_put(isr_lane, DEVICE, STAVE_SPANS,
                 (struct stave__row){
                     .start = start + 300, .end = start + 310 + i, .serial = (uint64_t)i + 1});
    }
    rows_put(control_lane, HOST, STAVE_SPANS, /* in another boot */
             (struct stave__row){.start = UPTIME + 1, .end = UPTIME + 3 * MS, .serial = 100});
    rows_put(device_lane, DEVICE, STAVE_GAPS,
             (struct stave__row){.start = 5000, .end = 9000, .value = 40});
    rows_put(device_lane, DEVICE, STAVE_GAPS,
             (struct stave__row){
                 .start = 7000, .end = 7000, .value = 2, .name = rows_text("ring full")});
    rows_put(
        device_lane, DEVICE, STAVE_DOUBTS,
        (struct stave__row){.start = 100, .end = 5000, .flags = STAVE_FLAG_HAS_VALUE, .value = 33});
    rows_put(device_lane, DEVICE, STAVE_MARKS,
             (struct stave__row){.start = 200500, .flags = STAVE_FLAG_RESTART});
    rows_put(main_lane, HOST, STAVE_GAPS,
             (struct stave__row){.start = UPTIME + 12 * MS,
                                 .end = UPTIME + 15 * MS,
                                 .value = 7,
                                 .name = rows_text("buffer full")});
}

/* Without what nobody looks at one by one. */
void make_small(void)
{
    make_boots();
    make_lanes();
    put_requests();
    put_attachments();
    put_links();
    put_overlaps();
    leave_open();
    put_places();
    put_attributes();
    put_marks();
    put_entries();
    put_device();
}

void make_everything(void)
{
    make_small();
    put_trees();
}

void make_solid(void)
{
    apart = 1;
    rows_skip_empty_spans();
    make_everything();
}
