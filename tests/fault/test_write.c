/* test_write.c - a sink fails, the disk is full, a read fails: the first is reported, the second
 * costs memory but no row (invariant 5 of trace/blocks.h), the third is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fault/disk.h"
#include "fault/pipeline.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int set_up(void **state)
{
    disk_let_fail(&writes_at, 0, WHOLE);
    disk_let_fail(&reads, 0, WHOLE);
    return 0;
}

/* ---- sinks that fail ------------------------------------------------------------------------- */

struct failing_sink {
    const struct pipeline *pipeline;
    unsigned calls;
    unsigned fail_at;
    size_t size; /* written so far */
};

/* What it gets is the CSV, piece by piece, and nothing after a failure. */
static int write_or_fail(void *context, const void *data, size_t size)
{
    struct failing_sink *sink = context;
    sink->calls++;
    assert_true(sink->calls <= sink->fail_at);
    if (sink->calls == sink->fail_at)
        return STAVE_E_LIMIT;
    assert_true(size <= sink->pipeline->expected_size - sink->size);
    assert_memory_equal(data, sink->pipeline->expected + sink->size, size);
    sink->size += size;
    return STAVE_OK;
}

/* False when there are fewer writes than that. */
static bool export_fails_at(const struct pipeline *pipeline, unsigned call)
{
    struct failing_sink sink = {.pipeline = pipeline, .fail_at = call};
    stave_csv_counts counts = {.spans = 77};
    stave_error error = {0};
    int status =
        stave_export_csv(pipeline->trace, (stave_sink){write_or_fail, &sink}, &counts, &error);
    if (sink.calls < call) {
        assert_int_equal(status, STAVE_OK);
        assert_int_equal(sink.size, pipeline->expected_size);
        return false;
    }
    assert_int_equal(status, STAVE_E_LIMIT);
    assert_int_equal(error.status, STAVE_E_LIMIT);
    assert_true(error.message[0] != '\0');
    assert_int_equal(counts.spans, 77); /* results are set on success only */
    return true;
}

static void test_sink_fails(void **state)
{
    struct pipeline pipeline;
    unsigned call = 1;
    pipeline_open(&pipeline, "sequence-wraps");
    assert_int_equal(pipeline_decode(&pipeline, NULL, NULL), STAVE_OK);
    while (export_fails_at(&pipeline, call))
        call++;
    assert_in_range(call, 5, 20); /* 350 KB in pieces of 64 KB */
    pipeline_close(&pipeline);
}

static void test_error_is_not_asked_for(void **state)
{
    struct pipeline pipeline;
    struct failing_sink sink = {.pipeline = &pipeline, .fail_at = 1};
    pipeline_open(&pipeline, "cycles");
    assert_int_equal(pipeline_decode(&pipeline, NULL, NULL), STAVE_OK);
    assert_int_equal(
        stave_export_csv(pipeline.trace, (stave_sink){write_or_fail, &sink}, NULL, NULL),
        STAVE_E_LIMIT);
    pipeline_close(&pipeline);
}

/* ---- writing to the spill file --------------------------------------------------------------- */

static const stave_trace_config small_cache = {.cache_bytes = 1};

static const char *const vectors[] = {"sequence-wraps", "lost-wire", "restart-causes", "version1"};

static void check_run(struct pipeline *pipeline, const stave_trace_config *config)
{
    stave_error error = {0};
    assert_int_equal(pipeline_run(pipeline, config, &error), STAVE_OK);
    assert_int_equal(error.status, STAVE_OK);
    pipeline_check_csv(pipeline);
    pipeline_clear(pipeline);
}

static void test_no_folder_for_the_spill_file(void **state)
{
    const stave_trace_config config = {.cache_bytes = 1, .temporary_dir = "/missing/folder"};
    for (size_t i = 0; i < COUNT(vectors); i++) {
        struct pipeline pipeline;
        pipeline_open(&pipeline, vectors[i]);
        check_run(&pipeline, &config);
        pipeline_close(&pipeline);
    }
    assert_int_equal(writes_at.count, 0);
    assert_int_equal(reads.count, 0);
}

/* False when there are fewer writes than that. */
static bool write_fails_at(struct pipeline *pipeline, unsigned call, enum way way)
{
    disk_let_fail(&writes_at, call, way);
    check_run(pipeline, &small_cache);
    unsigned last = way == HALF_REFUSED ? call + 1 : call;
    if (writes_at.count < last)
        return false;
    if (way == HALF || way == INTERRUPTED)
        assert_true(writes_at.count > call); /* the rest */
    else
        assert_int_equal(writes_at.count, last); /* a disk that refused is not asked again */
    return true;
}

static void check_every_write(const char *vector, enum way way)
{
    struct pipeline pipeline;
    unsigned call = 1;
    pipeline_open(&pipeline, vector);
    check_run(&pipeline, &small_cache);
    unsigned usual = writes_at.count;
    assert_true(usual > 0); /* else they are not seen */
    while (call <= usual) {
        assert_true(write_fails_at(&pipeline, call, way) || (way == HALF_REFUSED && call == usual));
        call += 1 + call / 16; /* each of the first, some of the others */
    }
    pipeline_close(&pipeline);
}

static void check_writes(enum way way)
{
    for (size_t i = 0; i < COUNT(vectors); i++) {
        disk_let_fail(&writes_at, 0, WHOLE);
        check_every_write(vectors[i], way);
    }
}

static void test_short_writes(void **state)
{
    check_writes(HALF);
}

static void test_interrupted_writes(void **state)
{
    check_writes(INTERRUPTED);
}

static void test_full_disk(void **state)
{
    check_writes(REFUSED);
}

static void test_disk_that_fills_in_a_block(void **state)
{
    check_writes(HALF_REFUSED);
}

static void test_disk_that_takes_nothing(void **state)
{
    check_writes(NOTHING);
}

/* ---- reading it back ------------------------------------------------------------------------- */

static void open_spilled(struct pipeline *pipeline, const char *vector)
{
    pipeline_open(pipeline, vector);
    assert_int_equal(pipeline_decode(pipeline, &small_cache, NULL), STAVE_OK);
}

typedef int (*reading)(struct pipeline *pipeline, stave_error *error);

static int export_step(struct pipeline *pipeline, stave_error *error)
{
    return pipeline_export(pipeline, NULL, error);
}

/* False when there are fewer reads than that. */
static bool read_fails_at(struct pipeline *pipeline, reading reader, unsigned call, enum way way)
{
    stave_error error = {0};
    disk_let_fail(&reads, call, way);
    int status = reader(pipeline, &error);
    if (reads.count < call) {
        assert_int_equal(status, STAVE_OK);
        return false;
    }
    assert_int_equal(reads.count, call); /* nothing is read after a failure */
    assert_int_equal(status, STAVE_E_IO);
    assert_int_equal(error.status, STAVE_E_IO);
    assert_true(error.message[0] != '\0');
    return true;
}

/* Each read in turn; the trace is what it was, and can be read when the disk is well again. */
static void check_every_read(const char *vector, reading reader, enum way way)
{
    struct pipeline pipeline;
    unsigned call = 1;
    open_spilled(&pipeline, vector);
    while (read_fails_at(&pipeline, reader, call, way))
        call++;
    assert_true(call > 1);
    disk_let_fail(&reads, 0, WHOLE);
    assert_int_equal(pipeline_export(&pipeline, NULL, NULL), STAVE_OK);
    pipeline_check_csv(&pipeline);
    pipeline_close(&pipeline);
}

static void test_reads_fail(void **state)
{
    for (size_t i = 0; i < COUNT(vectors); i++) {
        check_every_read(vectors[i], export_step, REFUSED);
        check_every_read(vectors[i], pipeline_summarize, REFUSED);
    }
}

static void test_file_that_ends_too_early(void **state)
{
    for (size_t i = 0; i < COUNT(vectors); i++) {
        check_every_read(vectors[i], export_step, NOTHING);
        check_every_read(vectors[i], pipeline_summarize, NOTHING);
    }
}

static void check_reads_go_on(enum way way)
{
    struct pipeline pipeline;
    open_spilled(&pipeline, "sequence-wraps");
    for (unsigned call = 1; call <= 8; call++) {
        stave_error error = {0};
        disk_let_fail(&reads, call, way);
        assert_int_equal(pipeline_export(&pipeline, NULL, &error), STAVE_OK);
        assert_true(reads.count > call);
        pipeline_check_csv(&pipeline);
    }
    pipeline_close(&pipeline);
}

static void test_short_reads(void **state)
{
    check_reads_go_on(HALF);
}

static void test_interrupted_reads(void **state)
{
    check_reads_go_on(INTERRUPTED);
}

#define TEST(test) cmocka_unit_test_setup(test, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sink_fails),
        TEST(test_error_is_not_asked_for),
        TEST(test_no_folder_for_the_spill_file),
        TEST(test_short_writes),
        TEST(test_interrupted_writes),
        TEST(test_full_disk),
        TEST(test_disk_that_fills_in_a_block),
        TEST(test_disk_that_takes_nothing),
        TEST(test_reads_fail),
        TEST(test_file_that_ends_too_early),
        TEST(test_short_reads),
        TEST(test_interrupted_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
