/* test_alloc_diagram.c - memory runs out at the n-th request while a diagram is written, the n-th write
 * of its sink fails, the n-th read of its trace fails, for every n: an error that says so, nothing
 * leaked, no counts, and the same page when all is well again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault/disk.h"
#include "fault/memory.h"
#include "stave/export.h"
#include "trace/trace.h"

#define LANES 3
#define ROWS 600
#define MANY_ROWS 12000 /* their page takes several writes */
#define PAGE_MAX (1 << 22)

static struct {
    stave_trace *trace;
    char *expected; /* its page */
    size_t size;
    uint32_t rows; /* of a kind and lane */
} made;

static void done(int status)
{
    assert_true(status >= 0);
}

static uint32_t text(const char *prefix, uint32_t number)
{
    char text[16];
    uint32_t id;
    int size = snprintf(text, sizeof text, "%s %u", prefix, number);
    done(stave__trace_string(made.trace, text, (size_t)size, &id, NULL));
    return id;
}

static void append(stave_row_kind kind, uint32_t lane, const struct stave__row *rows,
                   uint32_t count)
{
    struct stave__appender appender;
    stave__appender_init(&appender, &made.trace->blocks, kind, lane, 0);
    appender.mask = stave__kind_may_have[kind];
    for (uint32_t i = 0; i < count; i++)
        done(stave__append_row(&appender, &rows[i], NULL));
    done(stave__appender_seal(&appender, NULL));
}

/* Spans out of order, so that they are sorted. */
static void add_spans(uint32_t lane)
{
    static struct stave__row rows[MANY_ROWS];
    for (uint32_t i = 0; i < made.rows; i++) {
        int64_t start = i * 37 % made.rows * 1000;
        rows[i] = (struct stave__row){
            .start = start, .end = start + 1 + i * 2654435761u % 2500, .serial = i + 1};
        rows[i].name = text("name", i % 100);
    }
    append(STAVE_SPANS, lane, rows, made.rows);
}

/* Some that spans hold, and some that none does; their values cannot be packed. */
static void add_marks(uint32_t lane, int64_t from)
{
    static struct stave__row rows[MANY_ROWS];
    uint64_t random = 1;
    for (uint32_t i = 0; i < made.rows; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        rows[i] = (struct stave__row){.start = from + i * 900, .flags = STAVE_FLAG_HAS_VALUE};
        rows[i].value = random ^ random >> 29;
        rows[i].name = text("mark", i % 50);
    }
    append(STAVE_MARKS, lane, rows, made.rows);
}

/* A lane of each kind that is treated in its own way. */
static void make_trace(const stave_trace_config *config)
{
    static const uint32_t kinds[LANES] = {STAVE_LANE_TASK, STAVE_LANE_DEVICE, STAVE_LANE_THREAD};
    struct stave__row gap = {.start = 5, .end = 9, .value = 3};
    uint32_t id;
    done(stave_trace_new(config, &made.trace, NULL));
    done(stave__trace_boot(made.trace, 0, 0, &id, NULL));
    for (uint32_t i = 0; i < LANES; i++) {
        stave_lane lane = {.kind = kinds[i], .name = text("lane", i), .has_deadline = true};
        done(stave__trace_lane(made.trace, &lane, &id, NULL));
        if (kinds[i] != STAVE_LANE_DEVICE)
            add_spans(i);
        add_marks(i, (int64_t)i * 200000);
        append(STAVE_GAPS, i, &gap, 1);
        append(STAVE_DOUBTS, i, &gap, 1);
    }
}

/* ---- a sink that takes a page, or fails ------------------------------------------------------ */

struct sink {
    size_t size;
    unsigned calls, fail_at; /* 0: never */
};

/* What it gets is the page, piece by piece, and nothing after a failure. */
static int take(void *context, const void *data, size_t size)
{
    struct sink *sink = context;
    sink->calls++;
    if (sink->fail_at != 0)
        assert_true(sink->calls <= sink->fail_at);
    if (sink->calls == sink->fail_at)
        return STAVE_E_LIMIT;
    assert_true(size <= PAGE_MAX - sink->size);
    if (made.size == 0)
        memcpy(made.expected + sink->size, data, size);
    else
        assert_memory_equal(data, made.expected + sink->size, size);
    sink->size += size;
    return STAVE_OK;
}

static int write_page(struct sink *sink, stave_error *error)
{
    stave_diagram_source source = {.trace = made.trace, .name = "source"};
    stave_diagram_counts counts = {.spans = 77};
    int status = stave_export_diagram(&source, 1, NULL, ((stave_sink){take, sink}), &counts, error);
    assert_int_equal(counts.spans, status < 0 ? 77 : 2 * made.rows);
    return status;
}

static void check_whole_page(void)
{
    struct sink sink = {0};
    assert_int_equal(write_page(&sink, NULL), STAVE_OK);
    assert_int_equal(sink.size, made.size);
}

static void check_error(int status, const stave_error *error, int expected)
{
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    assert_true(error->message[0] != '\0');
}

static void open_trace(const stave_trace_config *config, uint32_t rows)
{
    struct sink sink = {0};
    memory_let_fail(0, false);
    disk_let_fail(&reads, 0, WHOLE);
    disk_let_fail(&writes_at, 0, WHOLE);
    made.rows = rows;
    made.size = 0;
    made.expected = malloc(PAGE_MAX);
    assert_non_null(made.expected);
    make_trace(config);
    assert_int_equal(write_page(&sink, NULL), STAVE_OK);
    made.size = sink.size;
    check_whole_page();
}

static void close_trace(void)
{
    stave_trace_free(made.trace);
    free(made.expected);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* False when there are fewer requests than that. */
static bool memory_fails_at(unsigned request, bool for_good)
{
    struct sink sink = {0};
    stave_error error = {0};
    long before = memory.live;
    memory_let_fail(request, for_good);
    int status = write_page(&sink, &error);
    bool failed = memory.requests >= request;
    memory_let_fail(0, false);
    assert_int_equal(memory.live, before);
    if (failed)
        check_error(status, &error, STAVE_E_MEMORY);
    else
        assert_int_equal(status, STAVE_OK);
    return failed;
}

static void test_memory_runs_out(void **state)
{
    unsigned request = 1;
    open_trace(NULL, ROWS);
    while (memory_fails_at(request, false))
        request++;
    assert_true(request > 35); /* else the requests are not seen */
    for (request = 1; memory_fails_at(request, true);)
        request++;
    check_whole_page();
    close_trace();
}

/* ---- the sink -------------------------------------------------------------------------------- */

/* False when there are fewer writes than that. */
static bool sink_fails_at(unsigned call)
{
    struct sink sink = {.fail_at = call};
    stave_error error = {0};
    long before = memory.live;
    int status = write_page(&sink, &error);
    assert_int_equal(memory.live, before);
    if (sink.calls < call) {
        assert_int_equal(status, STAVE_OK);
        return false;
    }
    check_error(status, &error, STAVE_E_LIMIT);
    return true;
}

static void test_sink_fails(void **state)
{
    unsigned call = 1;
    open_trace(NULL, MANY_ROWS);
    while (sink_fails_at(call))
        call++;
    assert_true(call > 2);
    close_trace();
}

/* ---- the trace ------------------------------------------------------------------------------- */

/* False when there are fewer reads than that. */
static bool read_fails_at(unsigned call)
{
    struct sink sink = {0};
    stave_error error = {0};
    disk_let_fail(&reads, call, REFUSED);
    int status = write_page(&sink, &error);
    bool failed = reads.count >= call;
    disk_let_fail(&reads, 0, WHOLE);
    if (failed)
        check_error(status, &error, STAVE_E_IO);
    else
        assert_int_equal(status, STAVE_OK);
    return failed;
}

static void test_reads_fail(void **state)
{
    const stave_trace_config on_disk = {.cache_bytes = 1, .temporary_dir = "/tmp"};
    unsigned call = 1;
    open_trace(&on_disk, ROWS);
    while (read_fails_at(call))
        call++;
    assert_true(call > 20);
    check_whole_page();
    close_trace();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_sink_fails),
        cmocka_unit_test(test_reads_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
