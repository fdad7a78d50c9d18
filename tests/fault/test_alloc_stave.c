/* test_alloc_stave.c - memory runs out at the n-th request, for every n, while a .stave file is written or
 * read: an error that says so, or a whole result, and nothing leaked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fault/memory.h"
#include "store/header.h"
#include "stress/traces.h"
#include "trace/packing.h"

/* ---- what is tried --------------------------------------------------------------------------- */

static char path[64], other_path[80];
static struct traces_bytes wanted; /* of the trace below, saved */
static stave_trace *made;
static uint64_t wanted_rows;
static stave_trace_config config;
static uint32_t zstd_level;

static int add(void *context, const void *data, size_t size)
{
    memory.untouched = true;
    traces_add(context, data, size);
    memory.untouched = false;
    return STAVE_OK;
}

/* What is saved is whole, or there is an error. */
static int save(stave_trace *trace, stave_error *error)
{
    struct traces_bytes bytes = {0};
    stave_save_config save_config = {.zstd_level = zstd_level};
    stave_sink sink = {.write = add, .context = &bytes};
    int status = stave_trace_save(trace, sink, &save_config, error);
    if (status >= 0 && trace == made && zstd_level == 0) {
        assert_int_equal(bytes.size, wanted.size);
        assert_memory_equal(bytes.at, wanted.at, wanted.size);
    }
    free(bytes.at);
    return status;
}

static int save_made(stave_error *error)
{
    return save(made, error);
}

static int open_file(stave_error *error)
{
    stave_trace *trace = NULL;
    int status = stave_trace_open(path, &config, &trace, error);
    assert_true((status >= 0) == (trace != NULL));
    stave_trace_free(trace);
    return status;
}

static int check_file(stave_error *error)
{
    stave_trace *trace = NULL;
    int status = stave_trace_open(path, &config, &trace, error);
    if (status >= 0)
        status = stave_trace_check(trace, (stave_progress){0}, error);
    stave_trace_free(trace);
    return status < 0 ? status : STAVE_OK;
}

static int iterate(stave_trace *trace, uint64_t *rows, stave_error *error)
{
    stave_cursor *cursor;
    const stave_block *block;
    int status = stave_cursor_open(trace, NULL, &cursor, error);
    if (status < 0)
        return status;
    while ((status = stave_cursor_next(cursor, &block, error)) > 0)
        *rows += block->rows;
    stave_cursor_close(cursor);
    return status;
}

static int merge(stave_trace *trace, uint64_t *rows, stave_error *error)
{
    stave_merge *all;
    const stave_block *block;
    uint32_t row;
    int status = stave_merge_open(trace, NULL, &all, error);
    if (status < 0)
        return status;
    while ((status = stave_merge_next(all, &block, &row, error)) > 0)
        *rows += 1;
    stave_merge_close(all);
    return status;
}

static int read_file(stave_error *error)
{
    stave_trace *trace = NULL;
    uint64_t rows = 0, merged = 0;
    int status = stave_trace_open(path, &config, &trace, error);
    if (status >= 0)
        status = iterate(trace, &rows, error);
    if (status >= 0)
        status = merge(trace, &merged, error);
    assert_true(status < 0 || rows == merged);
    if (status >= 0)
        status = save(trace, error);
    stave_trace_free(trace);
    return status;
}

/* A file that has half of its bytes when it is opened. After an error the rest can still be taken in. */
static int refresh_file(stave_error *error)
{
    stave_trace *trace = NULL;
    uint64_t rows = 0, all = 0;
    traces_put_file(other_path, wanted.at, wanted.size / 2);
    stave_trace_config follow = {.follow = true};
    int status = stave_trace_open(other_path, &follow, &trace, error);
    if (status < 0)
        return status;
    traces_put_file(other_path, wanted.at, wanted.size);
    status = stave_trace_refresh(trace, error);
    if (status >= 0)
        status = iterate(trace, &rows, error);
    memory.untouched = true;
    assert_true(stave_trace_refresh(trace, NULL) >= 0);
    assert_true(iterate(trace, &all, NULL) >= 0);
    assert_true(status < 0 || rows == all);
    assert_int_equal(all, wanted_rows);
    assert_int_equal(stave_trace_damages(trace), 0);
    memory.untouched = false;
    stave_trace_free(trace);
    return status < 0 ? status : STAVE_OK;
}

static int publish_file(stave_error *error)
{
    struct traces_maker maker;
    stave_writer *writer = NULL;
    memory.untouched = true;
    traces_begin(&maker, &(struct traces_shape){.seed = 5, .lanes = 2});
    memory.untouched = false;
    int status = stave_writer_open(other_path, &writer, error);
    for (int round = 0; round < 3 && status >= 0; round++) {
        memory.untouched = true;
        traces_grow(&maker, 40);
        memory.untouched = false;
        status = stave_writer_publish(writer, maker.trace, error);
    }
    if (status >= 0)
        status = stave_writer_finish(writer, maker.trace, error);
    if (status < 0 && writer != NULL)
        assert_int_equal(stave_writer_publish(writer, maker.trace, NULL), STAVE_E_STATE);
    stave_writer_close(writer);
    stave_trace_free(maker.trace);
    return status;
}

/* ---- every request in turn ------------------------------------------------------------------- */

/* False when there are fewer requests than that. */
static bool fails_at(int (*try)(stave_error *error), unsigned request, bool for_good)
{
    long before = memory.live;
    stave_error error = {0};
    memory.requests = 0;
    memory.fail_at = request;
    memory.for_good = for_good;
    int status = try(&error);
    bool failed = memory.requests >= request;
    memory.fail_at = 0;
    if (status < 0) {
        assert_true(failed);
        assert_int_equal(status, STAVE_E_MEMORY);
        assert_int_equal(error.status, STAVE_E_MEMORY);
        assert_true(error.message[0] != '\0');
    }
    assert_int_equal(memory.live, before);
    return failed;
}

static void check_every_request(int (*try)(stave_error *error), unsigned least)
{
    unsigned request = 1;
    while (fails_at(try, request, false))
        request++;
    assert_true(request > least); /* else the requests are not seen */
    for (request = 1; fails_at(try, request, true);)
        request += 1 + request / 16;
}

static void test_saving(void **state)
{
    check_every_request(save_made, 5);
}

static void test_saving_packed(void **state)
{
    if (stave__pack_bound(1) == 0)
        skip();
    zstd_level = 3;
    check_every_request(save_made, 6);
}

static void test_opening_by_index(void **state)
{
    check_every_request(open_file, 10);
}

static void test_opening_by_reading(void **state)
{
    config.ignore_index = true;
    check_every_request(open_file, 10);
}

static void test_reading(void **state)
{
    config.cache_bytes = 1;
    config.temporary_dir = "/tmp";
    check_every_request(read_file, 100);
}

static void test_checking(void **state)
{
    check_every_request(check_file, 50);
}

static void test_following(void **state)
{
    check_every_request(refresh_file, 20);
}

static void test_publishing(void **state)
{
    check_every_request(publish_file, 8);
}

/* Spans that are open become rows. */
static void test_unfinished_spans(void **state)
{
    stave_trace *trace = NULL;
    assert_int_equal(stave_trace_open(path, NULL, &trace, NULL), STAVE_OK);
    stave_trace_file about;
    stave_trace_file_of(trace, &about);
    assert_true(stave_trace_blocks(trace) > about.blocks);
    stave_trace_free(trace);
}

/* Names, lanes and boots are made up. */
static void test_a_damaged_file(void **state)
{
    struct traces_bytes damaged = {0};
    traces_add(&damaged, wanted.at, wanted.size);
    for (size_t at = STAVE__FILE_HEAD_SIZE; at < wanted.size / 2; at++)
        if (memcmp(damaged.at + at, "STVB", 4) == 0)
            damaged.at[at + STAVE__HEADER_SIZE + 2] ^= 4; /* of all tables, and some blocks */
    traces_put_file(path, damaged.at, damaged.size);
    free(damaged.at);
    check_every_request(read_file, 100);
}

/* ---- */

static int set_up(void **state)
{
    config = (stave_trace_config){0};
    zstd_level = 0;
    traces_put_file(path, wanted.at, wanted.size);
    return 0;
}

static int begin(void **state)
{
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.40s/stave-XXXXXX", dir != NULL ? dir : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    close(fd);
    snprintf(other_path, sizeof other_path, "%s.other", path);
    made = traces_make(&(struct traces_shape){.seed = 3, .lanes = 3}, 2, 300);
    wanted = traces_save(made, 0);
    for (uint32_t i = 0; i < made->blocks.entries.rows; i++)
        wanted_rows += stave__entry_at(&made->blocks, i)->rows;
    return 0;
}

static int end(void **state)
{
    stave_trace_free(made);
    free(wanted.at);
    unlink(other_path);
    return unlink(path);
}

#define TEST(test) cmocka_unit_test_setup(test, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_saving),         TEST(test_saving_packed),      TEST(test_opening_by_index),
        TEST(test_reading),        TEST(test_opening_by_reading), TEST(test_checking),
        TEST(test_following),      TEST(test_publishing),         TEST(test_unfinished_spans),
        TEST(test_a_damaged_file),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
