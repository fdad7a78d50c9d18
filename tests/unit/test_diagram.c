/* test_diagram.c - a diagram's page: its title, its texts, its sources, its counts, and what is no page. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/diagram_page.h"
#include "unit/diagram_trace.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const stave_lane device = {.kind = STAVE_LANE_DEVICE};
static const stave_lane task = {.kind = STAVE_LANE_TASK, .priority = 1};
static const stave_lane thread = {.kind = STAVE_LANE_THREAD};

/* ---- the page -------------------------------------------------------------------------------- */

/* A page of one span with a title and a source's name. */
static struct page *titled_page(struct diagram_trace *t, const char *title, const char *name)
{
    stave_diagram_source source = {.name = name};
    stave_diagram_config config = {.title = title};
    diagram_open(t, 0);
    diagram_span(t, diagram_lane(t, &task, "task"), 0, 1);
    diagram_seal(t);
    source.trace = t->trace;
    assert_int_equal(
        stave_export_diagram(&source, 1, &config, ((stave_sink){page_take, &t->sink}), NULL, NULL),
        STAVE_OK);
    return t->page = page_read(&t->sink);
}

static void check_title(const char *title, const char *name, const char *shown, const char *html)
{
    struct diagram_trace t;
    struct page *page = titled_page(&t, title, name);
    assert_string_equal(page->title.bytes, shown);
    assert_string_equal(page->title_html, html);
    diagram_close(&t);
}

static void test_title(void **state)
{
    check_title("A run", "file", "A run", "A run");
    check_title(NULL, "file.csv", "file.csv", "file.csv");
    check_title(NULL, NULL, "", "");
    check_title("", "file.csv", "", "");
    check_title("</title><script>\"&amp;'", "file", "</title><script>\"&amp;'",
                "&lt;/title&gt;&lt;script&gt;\"&amp;amp;'");
    check_title("\xe2\x80\xae\xff\xc3\xa4\n", "file", "\xe2\x80\xae\xff\xc3\xa4\n",
                "\xe2\x80\xae\xff\xc3\xa4\n");
}

/* What stands around the title and the data, and that is all. */
static void test_parts_of_the_page(void **state)
{
    struct diagram_trace t;
    titled_page(&t, "<", "file");
    const char *at = t.sink.bytes;
    const struct stave__page_part *part = stave__diagram_page;
    assert_memory_equal(at, part[0].bytes, part[0].size);
    at += part[0].size;
    assert_memory_equal(at, "&lt;", 4);
    at += 4;
    assert_memory_equal(at, part[1].bytes, part[1].size);
    at += part[1].size;
    at += strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=");
    assert_int_equal(t.sink.bytes + t.sink.size - at, part[2].size);
    assert_memory_equal(at, part[2].bytes, part[2].size);
    diagram_close(&t);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *const strange[] = {"</script><script>alert(1)</script>",
                                      "<!--",
                                      "\"quotes\" 'and' `these`",
                                      "\xe2\x80\xa8\xe2\x80\xa9",
                                      "\xe2\x80\xae\xe2\x80\x8f right to left",
                                      "\xff\xfe\xc0\x80\xed\xa0\x80",
                                      "\x01\x02\n\r\t\\",
                                      "&lt;&amp;"};

static void test_strange_texts(void **state)
{
    struct diagram_trace t;
    diagram_open(&t, 0);
    for (size_t i = 0; i < COUNT(strange); i++)
        diagram_mark(&t, diagram_lane(&t, &task, "t"), (int64_t)i, strange[i]);
    struct page *page = diagram_page(&t);
    const struct page_lane *lane = &page->lanes[0];
    assert_int_equal(lane->marks.count, COUNT(strange));
    for (size_t i = 0; i < COUNT(strange); i++)
        assert_string_equal(diagram_name(&t, &lane->marks.at[i]), strange[i]);
    diagram_close(&t);
}

static void test_long_text(void **state)
{
    static char text[200000];
    for (size_t size = 65535; size < sizeof text; size = size < 65540 ? size + 1 : size * 3) {
        struct diagram_trace t;
        memset(text, 'a', size);
        text[size / 2] = 'b';
        text[size] = '\0';
        diagram_open(&t, 0);
        diagram_span(&t, diagram_lane(&t, &task, text), 0, 1);
        struct page *page = diagram_page(&t);
        assert_int_equal(page->texts[page->lanes[0].name].size, size);
        assert_string_equal(page->texts[page->lanes[0].name].bytes, text);
        diagram_close(&t);
    }
}

static void test_text_with_nul(void **state)
{
    struct diagram_trace t;
    uint32_t id;
    diagram_open(&t, 0);
    assert_int_equal(stave__trace_string(t.trace, "a\0b", 3, &id, NULL), STAVE_OK);
    diagram_row(&t, STAVE_MARKS, diagram_lane(&t, &thread, "t"), &(struct stave__row){.name = id},
                NULL);
    struct page *page = diagram_page(&t);
    const struct page_text *text = &page->texts[page->lanes[0].marks.at[0].name];
    assert_int_equal(text->size, 3);
    assert_memory_equal(text->bytes, "a\0b", 3);
    diagram_close(&t);
}

/* Those that are used, each once; the first is empty. */
static void test_texts_that_are_used(void **state)
{
    struct diagram_trace t;
    diagram_open(&t, 0);
    diagram_text(&t, "nobody's");
    uint32_t lane = diagram_lane(&t, &thread, "lane");
    diagram_lane(&t, &thread, "nobody's lane");
    diagram_row(&t, STAVE_SPANS, lane, &(struct stave__row){.serial = 1}, "span");
    diagram_row(&t, STAVE_SPANS, lane, &(struct stave__row){.serial = 2}, NULL);
    diagram_mark(&t, lane, 0, "span");
    diagram_row(&t, STAVE_COUNTERS, lane, &(struct stave__row){.value = 1}, "counter");
    struct page *page = diagram_page(&t);
    assert_int_equal(page->text_count, 4);
    assert_int_equal(page->texts[0].size, 0);
    assert_string_equal(page->texts[page->sources[0].name].bytes, "the trace");
    assert_string_equal(diagram_name(&t, &page->lanes[0].spans.at[0]), "span");
    assert_int_equal(page->lanes[0].spans.at[1].name, 0);
    assert_int_equal(page->lanes[0].parts, 2);
    assert_int_equal(t.counts.not_drawn, 1);
    diagram_close(&t);
}

/* ---- values of marks ------------------------------------------------------------------------- */

static void test_values(void **state)
{
    static const struct {
        uint16_t flags;
        uint64_t value, form, shown;
    } marks[] = {
        {0, 7, 0, 0},
        {STAVE_FLAG_HAS_VALUE, 0, 1, 0},
        {STAVE_FLAG_HAS_VALUE, UINT64_MAX, 1, UINT64_MAX},
        {STAVE_FLAG_HAS_VALUE, (1ull << 53) + 1, 1, (1ull << 53) + 1},
        {STAVE_FLAG_HAS_VALUE | STAVE_FLAG_SIGNED, (uint64_t)-5, 2, (uint64_t)-5},
        {STAVE_FLAG_HAS_VALUE | STAVE_FLAG_SIGNED, 1ull << 63, 2, 1ull << 63},
        {STAVE_FLAG_HAS_VALUE | STAVE_FLAG_REAL, 0x7ff8000000000001u, 3, 0x7ff8000000000001u},
        {STAVE_FLAG_HAS_VALUE | STAVE_FLAG_BOOL, 0, 5, 0},
        {STAVE_FLAG_HAS_VALUE | STAVE_FLAG_BOOL, 1ull << 40, 5, 1ull << 40},
        {STAVE_FLAG_SIGNED, 3, 0, 0},
    };
    struct diagram_trace t;
    diagram_open(&t, 0);
    uint32_t lane = diagram_lane(&t, &thread, "t");
    for (size_t i = 0; i < COUNT(marks); i++)
        diagram_row(&t, STAVE_MARKS, lane,
                    &(struct stave__row){
                        .start = (int64_t)i, .flags = marks[i].flags, .value = marks[i].value},
                    "m");
    diagram_row(&t, STAVE_MARKS, lane,
                &(struct stave__row){.start = 100,
                                     .flags = STAVE_FLAG_HAS_VALUE | STAVE_FLAG_TEXT,
                                     .value = diagram_text(&t, "a text")},
                "m");
    const struct page *page = diagram_page(&t);
    const struct page_row *row = page->lanes[0].marks.at;
    for (size_t i = 0; i < COUNT(marks); i++, row++) {
        assert_int_equal(row->which, marks[i].form);
        assert_true(row->value == marks[i].shown);
    }
    assert_int_equal(row->which, 4);
    assert_string_equal(page->texts[row->value].bytes, "a text");
    diagram_close(&t);
}

/* ---- sources --------------------------------------------------------------------------------- */

static void test_clocks(void **state)
{
    struct diagram_trace t;
    diagram_open(&t, 168e6);
    diagram_span(&t, diagram_lane(&t, &task, "t"), 0, 1);
    assert_int_equal(stave__boot_change_rate(stave__boot_at(t.trace, 0), 1680, 84e6, NULL),
                     STAVE_OK);
    diagram_boot(&t, 12.5, 0);
    const struct page_source *source = &diagram_page(&t)->sources[0];
    assert_int_equal(source->boot_count, 2);
    assert_int_equal(source->boots[0].anchor_count, 2);
    assert_true(source->boots[0].anchors[0].hz == 168e6);
    assert_int_equal(source->boots[0].anchors[1].tick, 1680);
    assert_true(source->boots[0].anchors[1].us == 10.0 && source->boots[0].anchors[1].hz == 84e6);
    assert_true(source->boots[1].offset_us == 12.5);
    assert_true(source->boots[1].anchors[0].hz == 0);
    diagram_close(&t);
}

static void test_restarts(void **state)
{
    struct diagram_trace t;
    struct stave__row restart = {.start = 77, .flags = STAVE_FLAG_RESTART};
    diagram_open(&t, 0);
    uint32_t stream = diagram_lane(&t, &device, "device"), lane = diagram_lane(&t, &task, "t");
    diagram_span(&t, lane, 0, 100);
    diagram_row(&t, STAVE_MARKS, stream, &restart, "device reset");
    diagram_boot(&t, 50, 0);
    diagram_mark(&t, stream, 5, "of the stream");
    restart.start = -3;
    diagram_row(&t, STAVE_MARKS, stream, &restart, "device reset");
    const struct page *page = diagram_page(&t);
    const struct page_rows *restarts = &page->sources[0].restarts;
    assert_int_equal(restarts->count, 2);
    assert_int_equal(restarts->at[0].boot, 0);
    assert_int_equal(restarts->at[0].start, 77);
    assert_int_equal(restarts->at[1].boot, 1);
    assert_int_equal(restarts->at[1].start, -3);
    assert_int_equal(page->lane_count, 2);
    assert_int_equal(page->lanes[0].marks.count, 0);
    assert_int_equal(page->lanes[1].marks.count, 1); /* though a span holds it */
    assert_string_equal(diagram_name(&t, &page->lanes[1].marks.at[0]), "of the stream");
    assert_int_equal(t.counts.restarts, 2);
    assert_int_equal(t.counts.markers, 1);
    assert_int_equal(t.counts.events, 4);
    assert_int_equal(t.counts.lanes, 2);
    diagram_close(&t);
}

static void test_gaps(void **state)
{
    struct diagram_trace t;
    diagram_open(&t, 0);
    uint32_t idle = diagram_lane(&t, &task, "idle"), stream = diagram_lane(&t, &device, "device");
    uint32_t high = diagram_lane(&t, &(stave_lane){.kind = STAVE_LANE_ISR}, "isr");
    uint32_t worker = diagram_lane(&t, &thread, "thread");
    diagram_span(&t, high, 0, 1);
    diagram_span(&t, worker, 0, 1);
    diagram_row(&t, STAVE_GAPS, worker, &(struct stave__row){.start = 30, .end = 40, .value = 2},
                "full");
    diagram_row(&t, STAVE_GAPS, stream, &(struct stave__row){.start = 10, .end = 20, .value = 5},
                NULL);
    diagram_row(&t, STAVE_GAPS, idle, &(struct stave__row){.start = 20, .end = 20, .value = 1},
                NULL);
    const struct page *page = diagram_page(&t);
    const struct page_source *source = &page->sources[0];
    assert_int_equal(source->gaps.count, 3);
    static const uint64_t lanes[] = {0, 0, 2}, lengths[] = {10, 0, 10}, values[] = {5, 1, 2};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(source->gaps.at[i].which, lanes[i]);
        assert_int_equal(source->gaps.at[i].length, lengths[i]);
        assert_int_equal(source->gaps.at[i].value, values[i]);
    }
    assert_string_equal(diagram_name(&t, &source->gaps.at[2]), "full");
    assert_int_equal(source->frames_lost, 8);
    assert_int_equal(source->frames, 0);
    assert_int_equal(t.counts.gaps, 3);
    assert_int_equal(t.counts.lost, 8);
    diagram_close(&t);
}

static void check_frames_lost(uint64_t told, uint64_t expected)
{
    struct diagram_trace t;
    diagram_open(&t, 0);
    diagram_row(&t, STAVE_GAPS, diagram_lane(&t, &device, "device"),
                &(struct stave__row){.start = 10, .end = 20, .value = 5}, NULL);
    assert_int_equal(stave__trace_set_property(t.trace, "etrace.frames_lost", 0, told, NULL),
                     STAVE_OK);
    const struct page_source *source = &diagram_page(&t)->sources[0];
    assert_int_equal(source->frames, 1);
    assert_int_equal(source->frames_lost, expected);
    assert_int_equal(t.counts.lost, expected);
    diagram_close(&t);
}

static void test_frames_lost(void **state)
{
    check_frames_lost(9, 9);
    check_frames_lost(3, 5);
}

static void test_doubts(void **state)
{
    struct diagram_trace t;
    diagram_open(&t, 0);
    uint32_t stream = diagram_lane(&t, &device, "device");
    diagram_mark(&t, stream, 0, "m");
    diagram_row(&t, STAVE_DOUBTS, stream, &(struct stave__row){.start = -10, .end = 20}, NULL);
    diagram_row(
        &t, STAVE_DOUBTS, stream,
        &(struct stave__row){.start = 30, .end = 50, .value = 4, .flags = STAVE_FLAG_HAS_VALUE},
        NULL);
    const struct page_rows *doubts = &diagram_page(&t)->sources[0].doubts;
    assert_int_equal(doubts->count, 2);
    assert_int_equal(doubts->at[0].start, -10);
    assert_int_equal(doubts->at[0].length, 30);
    assert_int_equal(doubts->at[0].flags, 0);
    assert_int_equal(doubts->at[1].value, 4);
    assert_int_equal(doubts->at[1].flags, STAVE_FLAG_HAS_VALUE);
    assert_int_equal(t.counts.events, 1);
    diagram_close(&t);
}

/* Lanes of one behind those of the other; bands find theirs; texts are shared. */
static void test_several_sources(void **state)
{
    struct diagram_trace t[2];
    stave_diagram_source sources[2];
    static const char *const names[] = {"first", "second"};
    for (size_t i = 0; i < 2; i++) {
        diagram_open(&t[i], 0);
        uint32_t lane = diagram_lane(&t[i], &thread, "thread");
        diagram_span(&t[i], lane, 10, 20 + (int64_t)i);
        diagram_row(&t[i], STAVE_GAPS, lane, &(struct stave__row){.value = i}, NULL);
        diagram_seal(&t[i]);
        sources[i] = (stave_diagram_source){t[i].trace, names[i]};
    }
    assert_int_equal(stave_export_diagram(sources, 2, NULL, ((stave_sink){page_take, &t[0].sink}),
                                          &t[0].counts, NULL),
                     STAVE_OK);
    const struct page *page = t[0].page = page_read(&t[0].sink);
    assert_string_equal(page->title.bytes, "first, second");
    assert_int_equal(page->source_count, 2);
    assert_int_equal(page->text_count, 4);
    assert_int_equal(page->lane_count, 4);
    for (size_t i = 0; i < 2; i++) {
        const struct page_lane *lane = &page->lanes[2 * i];
        assert_int_equal(lane->source, i);
        assert_string_equal(page->texts[page->sources[i].name].bytes, names[i]);
        assert_int_equal(lane->spans.at[0].length, 10 + i);
        assert_int_equal(page->sources[i].gaps.at[0].which, 1 + 2 * i);
        assert_int_equal(page->lanes[2 * i + 1].kind, 255);
        assert_int_equal(page->lanes[2 * i + 1].source, i);
    }
    assert_int_equal(t[0].counts.spans, 2);
    assert_int_equal(t[0].counts.lanes, 2);
    diagram_close(&t[0]);
    diagram_close(&t[1]);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Rows of a kind that can be read. */
static uint64_t count_rows(stave_trace *trace, stave_row_kind kind)
{
    stave_filter filter = {.kinds = STAVE_KIND_BIT(kind)};
    stave_cursor *cursor;
    const stave_block *block;
    uint64_t rows = 0;
    assert_int_equal(stave_cursor_open(trace, &filter, &cursor, NULL), STAVE_OK);
    while (stave_cursor_next(cursor, &block, NULL) > 0)
        rows += block->rows;
    stave_cursor_close(cursor);
    return rows;
}

/* What is in a file, spans that nobody ended included, is in its page. */
static void check_file(const char *path)
{
    struct diagram_trace t = {0};
    uint64_t spans = 0, marks = 0;
    int status = stave_trace_open(path, NULL, &t.trace, NULL);
    if (status == STAVE_E_FORMAT)
        return; /* of a later version */
    assert_int_equal(status, STAVE_OK);
    if (count_rows(t.trace, STAVE_SPANS) + count_rows(t.trace, STAVE_MARKS) > 0) {
        const struct page *page = diagram_page(&t);
        for (uint64_t i = 0; i < page->lane_count; i++) {
            spans += page->lanes[i].spans.count;
            marks += page->lanes[i].marks.count;
        }
        assert_int_equal(spans, count_rows(t.trace, STAVE_SPANS));
        assert_int_equal(marks + t.counts.restarts, count_rows(t.trace, STAVE_MARKS));
        assert_int_equal(t.counts.spans, spans);
        assert_int_equal(t.counts.markers, marks);
        assert_int_equal(page->sources[0].gaps.count, count_rows(t.trace, STAVE_GAPS));
    }
    diagram_close(&t);
}

static void test_files(void **state)
{
    DIR *folder = opendir(STAVE_GOLDEN_DIR);
    unsigned files = 0;
    assert_non_null(folder);
    for (struct dirent *file; (file = readdir(folder)) != NULL;) {
        char path[512];
        const char *ending = strrchr(file->d_name, '.');
        if (ending == NULL || strcmp(ending, ".stave") != 0)
            continue;
        if (strcmp(file->d_name, "packed.stave") == 0)
            continue; /* libzstd may not be there */
        snprintf(path, sizeof path, "%s/%s", STAVE_GOLDEN_DIR, file->d_name);
        check_file(path);
        files++;
    }
    closedir(folder);
    assert_true(files > 5);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void test_nothing_to_draw(void **state)
{
    struct diagram_trace t;
    stave_error error = {0};
    stave_diagram_counts counts = {.spans = 77};
    diagram_open(&t, 0);
    diagram_row(&t, STAVE_COUNTERS, diagram_lane(&t, &thread, "t"), &(struct stave__row){0}, "c");
    diagram_seal(&t);
    stave_diagram_source source = {.trace = t.trace};
    stave_sink sink = {page_take, &t.sink};
    for (uint32_t sources = 0; sources < 2; sources++) {
        assert_int_equal(stave_export_diagram(&source, sources, NULL, sink, &counts, &error),
                         STAVE_E_NOTHING);
        assert_int_equal(error.status, STAVE_E_NOTHING);
    }
    assert_int_equal(t.sink.size, 0);
    assert_int_equal(counts.spans, 77);
    diagram_close(&t);
}

/* Structs of an older caller, and of a newer one. */
static void test_sizes_of_structs(void **state)
{
    struct diagram_trace t;
    struct {
        stave_diagram_source source;
        uint64_t more;
    } sources[2] = {{.source = {.name = "one"}}, {.source = {.name = "two"}}};
    struct {
        stave_diagram_counts counts;
        uint64_t more;
    } counts = {.more = 5};
    uint64_t events = 0;
    diagram_open(&t, 0);
    diagram_span(&t, diagram_lane(&t, &task, "t"), 0, 1);
    diagram_seal(&t);
    sources[0].source.trace = sources[1].source.trace = t.trace;
    stave_sink sink = {page_take, &t.sink};
    assert_int_equal(stave_export_diagram_sized(&sources[0].source, sizeof sources[0], 2, NULL, 0,
                                                sink, &counts.counts, sizeof counts, NULL),
                     STAVE_OK);
    assert_int_equal(counts.counts.spans, 2);
    assert_int_equal(counts.more, 0);
    assert_int_equal(stave_export_diagram_sized(&sources[0].source, sizeof sources[0], 1, NULL, 0,
                                                sink, (stave_diagram_counts *)&events,
                                                sizeof events, NULL),
                     STAVE_OK);
    assert_int_equal(events, 1);
    sources[1].more = 1;
    assert_int_equal(stave_export_diagram_sized(&sources[0].source, sizeof sources[0], 2, NULL, 0,
                                                sink, NULL, 0, NULL),
                     STAVE_E_ARGUMENT);
    diagram_close(&t);
}

struct seen {
    uint64_t calls, done, total;
};

static void see(void *context, uint64_t done, uint64_t total)
{
    struct seen *seen = context;
    assert_true(done > seen->done && done <= total);
    *seen = (struct seen){seen->calls + 1, done, total};
}

static void test_progress(void **state)
{
    struct diagram_trace t;
    struct seen seen = {0};
    stave_diagram_config config = {.progress = {see, &seen}};
    diagram_open(&t, 0);
    uint32_t lane = diagram_lane(&t, &task, "t");
    for (int64_t i = 0; i < 200000; i++)
        diagram_span(&t, lane, i * 10, i * 10 + 5);
    diagram_seal(&t);
    stave_diagram_source source = {.trace = t.trace};
    assert_int_equal(stave_export_diagram(&source, 1, &config, ((stave_sink){page_take, &t.sink}),
                                          &t.counts, NULL),
                     STAVE_OK);
    assert_int_equal(seen.total, 400000); /* each row twice */
    assert_in_range(seen.calls, 4, 6);
    t.page = page_read(&t.sink);
    assert_int_equal(t.page->lanes[0].spans.count, 200000);
    diagram_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_title),           cmocka_unit_test(test_parts_of_the_page),
        cmocka_unit_test(test_strange_texts),   cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_text_with_nul),   cmocka_unit_test(test_texts_that_are_used),
        cmocka_unit_test(test_values),          cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_restarts),        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_frames_lost),     cmocka_unit_test(test_doubts),
        cmocka_unit_test(test_several_sources), cmocka_unit_test(test_files),
        cmocka_unit_test(test_nothing_to_draw), cmocka_unit_test(test_sizes_of_structs),
        cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
