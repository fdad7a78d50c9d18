/* make_traces.c - .stave files that exporters are tested with, the same on every run.
 *
 *     make_traces WHAT [shuffled] > FILE.stave
 *
 *   everything  two processes and a device, with all that a trace may hold: make_everything.c
 *   solid       the same without spans that have no length, and most of them apart
 *   hostile     names that formats could stumble over
 *   deadlines   lanes whose spans may take so long, and spans with deadlines of their own
 *   clocks      rates that do not come out even, and change, in three boots, one of which is put back
 *   lanes       100,000 lanes of a span each        some-lanes  5,000 of them
 *   deep        100,000 spans, each in the one before
 *   deeper      2,500 of them, with others side by side at the bottom
 *   stairs      spans that each overlap the ones before
 *   far         spans longer than 2^53 ns, and up to the limits of 64 bits
 *   entries     many cumulative entries in few spans
 *   restarted   spans that were open when a boot ended, and one after it
 *   empty       nothing at all
 *   zero        one span without a length
 *   gaps        only gaps
 *
 * `shuffled`: the same rows, in other places.  */
#include "export/make_traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEGABYTE 1000000u

static uint32_t add_boot(double offset_us, double hz)
{
    uint32_t boot;
    rows_check(stave__trace_boot(rows_now, offset_us, hz, &boot, NULL));
    return boot;
}

static uint32_t add_thread(const char *name, uint64_t number)
{
    return rows_lane(&(stave_lane){.kind = STAVE_LANE_THREAD, .number = number}, name);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const hostile_names[] = {
    "__proto__",
    "constructor",
    "toString",
    "a;b",
    ";",
    "new\nline",
    "a \"quoted\" text",
    "back\\slash",
    "\x01\x02\x1f control",
    "\x7f",
    "\xff\xfe no UTF-8",
    "\xc3\x28",
    "\xed\xa0\x80",
    "\xf4\x90\x80\x80",
    "caf\xc3",
    "#comment",
    "# 12",
    "a 123",
    " ",
    "a ",
    " a",
    "123",
    "-1",
    "a 1.5",
    "_ZN4llvm5ValueD2Ev",
    "__ZN3foo3barEv",
    "_RNvC6_123foo3bar",
    "_Z",
    "__Z",
    "_R",
    "</script><b>",
    "\xe6\x97\xa5\xe6\x9c\xac",
    "\xf0\x9f\x98\x80",
    "\xe2\x80\xae turned",
    "\xe2\x80\xa8 separator",
    "\r\n",
    "\t",
    "null",
    "true",
    "NaN",
    "{\"ph\":\"X\"}",
    "%s%n",
    "a,b",
    "(no name)",
    "(12 deeper)",
    "(lost name)",
    "\xef\xbb\xbf mark",
};

static void put_hostile_lane(const char *name, uint64_t number)
{
    const int64_t each = 1000;
    const int64_t count = sizeof hostile_names / sizeof hostile_names[0];
    uint32_t lane = add_thread(name, number);
    rows_put(lane, 0, STAVE_SPANS,
             (struct stave__row){.start = 0, .end = (count + 2) * each, .serial = 1});
    for (int64_t i = 0; i < count; i++) {
        uint64_t serial = 2 + 2 * (uint64_t)i;
        struct stave__row row = {.start = i * each,
                                 .end = (i + 1) * each,
                                 .serial = serial,
                                 .name = rows_text(hostile_names[i]),
                                 .depth = 1};
        rows_put(lane, 0, STAVE_SPANS, row);
        row.start += 100;
        row.end -= 200 + i;
        row.serial++;
        row.depth = 2;
        rows_put(lane, 0, STAVE_SPANS, row);
    }
}

/* As keys and as values. */
static void put_hostile_attributes(uint32_t lane)
{
    for (size_t i = 0; i < sizeof hostile_names / sizeof hostile_names[0]; i++) {
        uint32_t name = rows_text(hostile_names[i]);
        rows_put(lane, 0, STAVE_ATTRIBUTES,
                 (struct stave__row){.start = (int64_t)i,
                                     .serial = 2,
                                     .name = name,
                                     .value = name,
                                     .flags = STAVE_FLAG_TEXT});
        rows_put(lane, 0, STAVE_MARKS,
                 (struct stave__row){.start = 500,
                                     .serial = 2,
                                     .name = name,
                                     .value = name,
                                     .flags = STAVE_FLAG_TEXT | STAVE_FLAG_HAS_VALUE});
        rows_put(lane, 0, STAVE_COUNTERS,
                 (struct stave__row){.start = 500, .name = name, .value = i});
    }
    rows_put(lane, 0, STAVE_GAPS,
             (struct stave__row){.start = 510, .end = 520, .value = 3, .name = rows_text(";")});
}

/* Of one span: as exporters themselves call what they say, one twice with many between, two that are the same text once
 * what is no UTF-8 was replaced. */
static void put_alike_attributes(uint32_t lane)
{
    static const char *const keys[] = {"stave",       "calls",     "min_us", "thread.id",
                                       "thread.name", "\xff same", "error",  "\xfe same"};
    enum { COUNT = sizeof keys / sizeof keys[0], BETWEEN = 100 };
    for (uint32_t i = 0; i < COUNT + BETWEEN + 1; i++) {
        char between[16];
        snprintf(between, sizeof between, "key %u", (unsigned)i);
        const char *key = i < COUNT ? keys[i] : i < COUNT + BETWEEN ? between : "error";
        rows_put(lane, 0, STAVE_ATTRIBUTES,
                 (struct stave__row){
                     .start = 10000 + i, .serial = 100, .name = rows_text(key), .value = i});
    }
    rows_put(lane, 0, STAVE_SPANS,
             (struct stave__row){.start = 200000,
                                 .end = 201000,
                                 .serial = 100,
                                 .name = rows_text("alike"),
                                 .flags = STAVE_FLAG_FAILED | STAVE_FLAG_UNWOUND});
}

static void hostile(void)
{
    add_boot(0, 0);
    uint32_t process = rows_process("__proto__\n;", 1);
    char *long_name = malloc(MEGABYTE);
    rows_check(long_name != NULL ? STAVE_OK : STAVE_E_MEMORY);
    memset(long_name, 'n', MEGABYTE);
    put_hostile_lane("", 0);
    put_hostile_lane("__proto__", 0);
    put_hostile_lane("\xff;\n\"\x01", 3);
    put_hostile_attributes(0);
    put_alike_attributes(1);
    uint32_t lane = rows_lane(
        &(stave_lane){.kind = STAVE_LANE_THREAD, .process = process + 1, .number = 77}, "#");
    rows_put(lane, 0, STAVE_SPANS,
             (struct stave__row){
                 .start = 5, .end = 2000, .serial = 1, .name = rows_bytes(long_name, MEGABYTE)});
    rows_put(lane, 0, STAVE_SPANS,
             (struct stave__row){
                 .start = 3000, .end = 3010, .serial = 2, .name = rows_bytes("nul\0behind", 10)});
    free(long_name);
}

/* ---- times ----------------------------------------------------------------------------------- */

static void put_due(uint32_t lane, uint64_t serial, int64_t start, int64_t end, int64_t due)
{
    rows_put(lane, 0, STAVE_SPANS,
             (struct stave__row){.start = start,
                                 .end = end,
                                 .serial = serial,
                                 .value = (uint64_t)due,
                                 .flags = due != 0 ? STAVE_FLAG_HAS_VALUE : 0});
}

/* Ticks of 1 us. */
static void deadlines(void)
{
    static const stave_lane control = {
        .kind = STAVE_LANE_TASK, .priority = 3, .has_deadline = true, .deadline_ms = 2.0f};
    add_boot(0, 1e6);
    uint32_t lane = rows_lane(&control, "control");
    put_due(lane, 1, 0, 1000, 0);
    put_due(lane, 2, 10000, 12000, 0);     /* just so */
    put_due(lane, 3, 20000, 22001, 0);     /* 1 us late */
    put_due(lane, 4, 30000, 38000, 40000); /* its own counts, not the lane's */
    put_due(lane, 5, 50000, 50500, 50499); /* 1 us late */
    put_due(lane, 6, 60000, 61000, 59000); /* late from its start on */
    rows_put(lane, 0, STAVE_SPANS,
             (struct stave__row){
                 .start = 70000, .end = 79000, .serial = 7, .flags = STAVE_FLAG_INTERRUPTED});
    uint32_t free_lane = rows_lane(&(stave_lane){.kind = STAVE_LANE_ISR, .priority = 9}, "tim3");
    put_due(free_lane, 1, 100, 90000, 0);
}

static void clocks(void)
{
    static const double rates[] = {168e6 + 0.1, 32768, 16e6 / 3};
    uint32_t lane = add_thread("clocks", 0);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t boot = add_boot(1e5 * i, rates[i]);
        rows_check(
            stave__boot_change_rate(stave__boot_at(rows_now, boot), 1000, 1e7 / 3 * (i + 1), NULL));
        rows_check(stave__boot_change_rate(stave__boot_at(rows_now, boot), 5000, 48e6 + i, NULL));
        if (i == 1) { /* the clock was put back by 7 us */
            stave_anchor anchor = {.tick = 9000, .hz = 1e6};
            anchor.us = stave__boot_us(stave__boot_at(rows_now, boot), 9000) - 7;
            rows_check(stave__boot_add_anchor(stave__boot_at(rows_now, boot), &anchor, NULL));
        }
        for (int64_t at = -500; at < 12000; at += 500)
            rows_put(lane, boot, STAVE_SPANS,
                     (struct stave__row){.start = at,
                                         .end = at + 100 + (at + 7000) % 700,
                                         .serial = (uint64_t)(at + 1000 + 20000 * (int64_t)i),
                                         .name = rows_text(at % 1000 == 0 ? "even" : "odd")});
    }
}

static void far(void)
{
    static const int64_t times[][2] = {
        {INT64_MIN, INT64_MIN + 7},
        {-((int64_t)1 << 59), (int64_t)1 << 59},
        {-3, 5},
        {0, 0},
        {1, (int64_t)1 << 53},
        {INT64_MAX - 9, INT64_MAX},
    };
    add_boot(0, 0);
    uint32_t lane = add_thread("far", 0);
    for (uint64_t i = 0; i < sizeof times / sizeof times[0]; i++)
        rows_put(lane, 0, STAVE_SPANS,
                 (struct stave__row){.start = times[i][0],
                                     .end = times[i][1],
                                     .serial = i + 1,
                                     .name = rows_text(i % 2 == 0 ? "even" : "odd")});
}

/* More than 2^53 ns, the 104 days in which a double tells each one. */
static void long_spans(void)
{
    const int64_t limit = (int64_t)1 << 53;
    add_boot(0, 0);
    uint32_t lane = add_thread("long", 0), name = rows_text("inner");
    rows_put(lane, 0, STAVE_SPANS, (struct stave__row){.end = 3 * limit + 1, .serial = 1});
    for (int64_t i = 0; i < 3; i++)
        rows_put(lane, 0, STAVE_SPANS,
                 (struct stave__row){.start = i * limit + 1,
                                     .end = (i + 1) * limit,
                                     .serial = (uint64_t)i + 2,
                                     .name = name,
                                     .depth = 1});
}

static void zero(void)
{
    add_boot(0, 0);
    rows_put(
        add_thread("main", 0), 0, STAVE_SPANS,
        (struct stave__row){.start = 1000, .end = 1000, .serial = 1, .name = rows_text("moment")});
}

static void gaps(void)
{
    add_boot(0, 0);
    uint32_t lane = rows_lane(&(stave_lane){.kind = STAVE_LANE_DEVICE}, "device");
    for (int64_t i = 0; i < 3; i++)
        rows_put(lane, 0, STAVE_GAPS,
                 (struct stave__row){.start = 1000 * i,
                                     .end = 1000 * i + 500,
                                     .value = (uint64_t)i + 1,
                                     .name = i == 1 ? rows_text("ring full") : 0});
}

static void restarted(void)
{
    static stave_open_span open[2];
    static const struct stave__stack stack = {.spans = open, .count = 2, .begun = 20};
    add_boot(0, 0);
    add_boot(50, 0);
    uint32_t lane = add_thread("main", 0), work = rows_text("work");
    open[0] = (stave_open_span){.serial = 1, .start = 10, .name = rows_text("serve")};
    open[1] = (stave_open_span){.serial = 2, .start = 20, .name = rows_text("wait")};
    for (uint32_t boot = 0; boot < 2; boot++)
        rows_put(lane, boot, STAVE_SPANS,
                 (struct stave__row){.start = 1000,
                                     .end = 2000,
                                     .serial = 3 + boot,
                                     .depth = boot == 0 ? 2 : 0,
                                     .name = work});
    rows_leave_open(lane, 0, &stack);
}

static void empty(void)
{
}

/* ---- many ------------------------------------------------------------------------------------ */

static void put_lanes(uint32_t count)
{
    add_boot(0, 0);
    uint32_t name = rows_text("work");
    for (uint32_t i = 0; i < count; i++) {
        char lane[24];
        snprintf(lane, sizeof lane, "lane %u", (unsigned)i);
        rows_put(add_thread(lane, 0), 0, STAVE_SPANS,
                 (struct stave__row){
                     .start = i, .end = (int64_t)i + 100 + i % 7, .serial = 1, .name = name});
    }
}

static void lanes(void)
{
    put_lanes(100000);
}

static void some_lanes(void)
{
    put_lanes(5000);
}

/* Each level a little shorter at both ends, and `leaves` side by side at the bottom. */
static void put_deep(uint32_t levels, uint32_t leaves)
{
    add_boot(0, 0);
    uint32_t lane = add_thread("main", 0), level = rows_text("level"), leaf = rows_text("leaf");
    int64_t bottom = levels + 10 * (int64_t)leaves;
    for (uint32_t i = 0; i < levels; i++)
        rows_put(lane, 0, STAVE_SPANS,
                 (struct stave__row){.start = i,
                                     .end = bottom + levels - i,
                                     .serial = i + 1,
                                     .depth = i,
                                     .name = level});
    for (uint32_t i = 0; i < leaves; i++)
        rows_put(lane, 0, STAVE_SPANS,
                 (struct stave__row){.start = levels + 10 * (int64_t)i,
                                     .end = levels + 10 * (int64_t)i + 4,
                                     .serial = levels + i + 1,
                                     .depth = levels,
                                     .name = leaf});
}

static void deep(void)
{
    put_deep(100000, 0);
}

static void deeper(void)
{
    put_deep(2500, 5);
}

static void stairs(void)
{
    add_boot(0, 0);
    uint32_t lane = add_thread("main", 0), name = rows_text("step");
    for (int64_t i = 0; i < 300; i++)
        rows_put(lane, 0, STAVE_SPANS,
                 (struct stave__row){.start = 10 * i,
                                     .end = 10 * i + 95 + i % 40,
                                     .serial = (uint64_t)i + 1,
                                     .name = name,
                                     .flags = STAVE_FLAG_OVERLAP});
}

/* Entry `number` of a span, 3 calls in a ninth of their total. */
static void put_entry(uint32_t lane, uint64_t serial, uint64_t number, uint32_t around,
                      int64_t first, uint64_t total)
{
    char name[24];
    snprintf(name, sizeof name, "entry %u", (unsigned)(number % 10));
    rows_put(lane, 0, STAVE_CUMULATIVES,
             (struct stave__row){.start = first,
                                 .end = first + (int64_t)total,
                                 .serial = serial,
                                 .value = 3,
                                 .name = rows_text(name),
                                 .depth = around != 0,
                                 .other = number,
                                 .other_lane = around,
                                 .total = total,
                                 .least = total / 9,
                                 .most = total / 2});
}

static void entries(void)
{
    add_boot(0, 0);
    uint32_t lane = add_thread("main", 0);
    for (uint64_t span = 0; span < 20; span++) {
        int64_t start = 100000 * (int64_t)span;
        rows_put(lane, 0, STAVE_SPANS,
                 (struct stave__row){.start = start,
                                     .end = start + 50000,
                                     .serial = span + 1,
                                     .name = rows_text("span")});
        for (uint32_t i = 1; i <= 40; i++)
            put_entry(lane, span + 1, i, i > 4 ? i / 4 : 0, start + 100 * (int64_t)i,
                      i > 4 ? 2000 / (i / 4 * i) : 9000);
    }
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*make)(void);
} makers[] = {
    {"everything", make_everything},
    {"solid", make_solid},
    {"hostile", hostile},
    {"deadlines", deadlines},
    {"clocks", clocks},
    {"far", far},
    {"long", long_spans},
    {"lanes", lanes},
    {"some-lanes", some_lanes},
    {"deep", deep},
    {"deeper", deeper},
    {"stairs", stairs},
    {"entries", entries},
    {"restarted", restarted},
    {"empty", empty},
    {"zero", zero},
    {"gaps", gaps},
};

static int put(void *context, const void *data, size_t size)
{
    (void)context;
    return fwrite(data, 1, size, stdout) == size ? STAVE_OK : STAVE_E_IO;
}

int main(int argc, char **argv)
{
    bool shuffled = argc == 3 && strcmp(argv[2], "shuffled") == 0;
    for (size_t i = 0; argc == 2 + shuffled && i < sizeof makers / sizeof makers[0]; i++) {
        if (strcmp(argv[1], makers[i].name) != 0)
            continue;
        rows_begin();
        makers[i].make();
        rows_write(shuffled, (stave_sink){.write = put});
        return fflush(stdout) == 0 ? 0 : 1;
    }
    fputs("usage: make_traces WHAT [shuffled] > FILE.stave, WHAT one of", stderr);
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        fprintf(stderr, " %s", makers[i].name);
    fputs("\n", stderr);
    return 2;
}
