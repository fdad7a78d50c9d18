/* test_write_stave.c - the disk refuses while a .stave file is written or read. What was published stays
 * readable, and the error has the system's reason; what cannot be read is listed, all else is read. */
#define _GNU_SOURCE /* RLIMIT_FSIZE */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/os.h"
#include "fault/disk.h"
#include "stress/traces.h"

/* ---- a file and its rows --------------------------------------------------------------------- */

static char path[64];

/* Every row that can be read is one of `whole`: how many there are. */
static size_t check_subset(stave_trace *trace, const struct traces_rows *whole)
{
    struct traces_rows rows = traces_read(trace);
    size_t at = 0, count = rows.count;
    for (size_t i = 0; i < rows.count; i++, at++) {
        while (at < whole->count && whole->at[at].columns.order < rows.at[i].columns.order)
            at++;
        assert_true(at < whole->count);
        assert_true(traces_same_columns(&whole->at[at], &rows.at[i]));
    }
    free(rows.at);
    return count;
}

static stave_trace *open_path(bool ignore_index)
{
    stave_trace *trace = NULL;
    stave_trace_config config = {.ignore_index = ignore_index};
    assert_int_equal(stave_trace_open(path, &config, &trace, NULL), STAVE_OK);
    return trace;
}

/* ---- sinks that fail ------------------------------------------------------------------------- */

struct failing_sink {
    unsigned calls, fail_at;
};

static int write_or_fail(void *context, const void *data, size_t size)
{
    struct failing_sink *sink = context;
    sink->calls++;
    assert_true(sink->calls <= sink->fail_at); /* nothing comes after a failure */
    return sink->calls == sink->fail_at ? STAVE_E_LIMIT : STAVE_OK;
}

static void test_a_sink_fails(void **state)
{
    stave_trace *trace = traces_make(&(struct traces_shape){.seed = 1, .lanes = 2}, 1, 300);
    struct failing_sink sink = {.fail_at = 1};
    for (;; sink.fail_at++) {
        stave_error error = {0};
        sink.calls = 0;
        int status = stave_trace_save(trace, ((stave_sink){write_or_fail, &sink}), NULL, &error);
        if (sink.calls < sink.fail_at) {
            assert_int_equal(status, STAVE_OK);
            break;
        }
        assert_int_equal(status, STAVE_E_LIMIT);
        assert_int_equal(error.status, STAVE_E_LIMIT);
        assert_string_equal(error.message, "the output could not be written: a limit is reached");
    }
    assert_true(sink.fail_at > 30); /* head, tables, blocks, index, foot */
    stave_trace_free(trace);
}

static int write_to_file(void *context, const void *data, size_t size)
{
    const struct stave__os_file *file = context;
    return stave__os_write(file->fd, file->path, data, size, NULL);
}

static void test_a_sink_that_is_full(void **state)
{
    struct stave__os_file file;
    stave_error error = {0};
    stave_writer *writer = NULL;
    if (access("/dev/full", W_OK) != 0)
        skip();
    stave_trace *trace = traces_make(&(struct traces_shape){.seed = 1}, 1, 20);
    assert_int_equal(stave__os_create("/dev/full", &file, NULL), STAVE_OK);
    stave_sink sink = {.write = write_to_file, .context = &file};
    assert_int_equal(stave_trace_save(trace, sink, NULL, &error), STAVE_E_IO);
    assert_true(error.message[0] != '\0');
    stave__os_discard(&file);
    error = (stave_error){0};
    assert_int_equal(stave_writer_open("/dev/full", &writer, &error), STAVE_E_IO);
    assert_non_null(strstr(error.message, "/dev/full: "));
    assert_null(writer);
    stave_trace_free(trace);
}

/* ---- a file that grows ----------------------------------------------------------------------- */

struct writing {
    struct traces_maker maker;
    stave_writer *writer;
    size_t published; /* rows, by calls that succeeded */
};

static size_t count_rows(stave_trace *trace)
{
    struct traces_rows rows = traces_read(trace);
    free(rows.at);
    return rows.count;
}

/* Publishes now and then, and finishes: up to the first error. */
static int write_file(struct writing *w, stave_error *error)
{
    traces_begin(&w->maker, &(struct traces_shape){.seed = 2, .lanes = 2});
    w->writer = NULL;
    w->published = 0;
    int status = stave_writer_open(path, &w->writer, error);
    for (int round = 0; round < 4 && status >= 0; round++) {
        traces_grow(&w->maker, 30);
        status = stave_writer_publish(w->writer, w->maker.trace, error);
        if (status >= 0)
            w->published = count_rows(w->maker.trace);
    }
    return status < 0 ? status : stave_writer_finish(w->writer, w->maker.trace, error);
}

static void check_published(struct writing *w)
{
    stave_trace *trace = open_path(false);
    struct traces_rows whole = traces_read(w->maker.trace);
    assert_true(check_subset(trace, &whole) >= w->published);
    assert_int_equal(stave_trace_check(trace, (stave_progress){0}, NULL), 0);
    free(whole.at);
    stave_trace_free(trace);
}

static void check_failed_writer(struct writing *w, const stave_error *error, const char *reason)
{
    stave_error own = {0};
    assert_int_equal(error->status, STAVE_E_IO);
    assert_non_null(strstr(error->message, path));
    assert_non_null(strstr(error->message, reason));
    if (w->writer == NULL)
        return;
    check_published(w);
    assert_int_equal(stave_writer_publish(w->writer, w->maker.trace, &own), STAVE_E_STATE);
    assert_non_null(strstr(own.message, "could not be written"));
    assert_int_equal(stave_writer_finish(w->writer, w->maker.trace, NULL), STAVE_E_STATE);
    check_published(w);
}

/* False when there are fewer writes than that. */
static bool write_fails_at(unsigned call, enum way way)
{
    struct writing w;
    stave_error error = {0};
    disk_let_fail(&writes, call, way);
    int status = write_file(&w, &error);
    bool reached = writes.count >= call + (way == HALF_REFUSED);
    disk_let_fail(&writes, 0, WHOLE);
    if (!reached || way == HALF || way == INTERRUPTED) {
        assert_int_equal(status, STAVE_OK);
        check_published(&w);
    } else {
        assert_int_equal(status, STAVE_E_IO);
        check_failed_writer(&w, &error, way == NOTHING ? "" : "No space left on device");
    }
    stave_writer_close(w.writer);
    stave_trace_free(w.maker.trace);
    return reached;
}

static void test_each_write_fails(void **state)
{
    for (int way = HALF; way <= HALF_REFUSED; way++) {
        unsigned call = 1;
        while (write_fails_at(call, (enum way)way))
            call++;
        assert_true(call > 30);
    }
}

/* In a process of its own, whose files may not grow beyond some size. */
static void fill_the_disk(void)
{
    struct writing w;
    stave_error error = {0};
    struct rlimit limit = {.rlim_cur = 64 * 1024, .rlim_max = 64 * 1024};
    signal(SIGXFSZ, SIG_IGN);
    TRACES_MUST(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    traces_begin(&w.maker, &(struct traces_shape){.seed = 2, .lanes = 2});
    TRACES_MUST(stave_writer_open(path, &w.writer, NULL) == STAVE_OK);
    int status = STAVE_OK;
    while (status >= 0) {
        w.published = w.maker.rows;
        traces_grow(&w.maker, 100);
        status = stave_writer_publish(w.writer, w.maker.trace, &error);
    }
    TRACES_MUST(status == STAVE_E_IO);
    TRACES_MUST(strstr(error.message, path) != NULL);
    TRACES_MUST(strstr(error.message, "File too large") != NULL);
    TRACES_MUST(stave_writer_publish(w.writer, w.maker.trace, NULL) == STAVE_E_STATE);
    stave_writer_close(w.writer);
    stave_trace *trace = NULL;
    TRACES_MUST(stave_trace_open(path, NULL, &trace, NULL) == STAVE_OK);
    TRACES_MUST(count_rows(trace) >= w.published && w.published > 1000);
    TRACES_MUST(stave_trace_check(trace, (stave_progress){0}, NULL) == 0);
    stave_trace_free(trace);
    stave_trace_free(w.maker.trace);
    _exit(0);
}

static void test_a_full_disk(void **state)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        fill_the_disk();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- reading --------------------------------------------------------------------------------- */

static struct traces_rows whole;
static uint64_t sizes[400], offsets[400], rows_of[400]; /* of the blocks of rows */
static uint32_t blocks;

static void make_whole(void)
{
    stave_trace *trace = traces_make(&(struct traces_shape){.seed = 6, .lanes = 3}, 2, 400);
    struct traces_bytes bytes = traces_save(trace, 0);
    traces_put_file(path, bytes.at, bytes.size);
    whole = traces_read(trace);
    stave_trace_free(trace);
    free(bytes.at);
    trace = open_path(false);
    for (uint32_t i = 0; i < stave_trace_blocks(trace); i++) {
        stave_block_info info;
        assert_int_equal(stave_trace_block(trace, i, &info, NULL), STAVE_OK);
        if (info.offset == 0)
            continue;
        assert_true(blocks < 400);
        offsets[blocks] = info.offset;
        sizes[blocks] = info.size;
        rows_of[blocks++] = info.rows;
    }
    stave_trace_free(trace);
}

/* Rows of blocks that a damage touches: more are not lost. */
static uint64_t rows_in_damage(const stave_trace *trace)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < blocks; i++)
        for (uint32_t d = 0; d < stave_trace_damages(trace); d++) {
            stave_damage damage = stave_trace_damage(trace, d);
            if (damage.offset < offsets[i] + sizes[i] && offsets[i] < damage.offset + damage.size)
                rows += rows_of[i];
        }
    return rows;
}

/* False when there are fewer reads than that. */
static bool read_fails_at(unsigned call, enum way way, bool ignore_index)
{
    stave_trace *trace = NULL;
    stave_error error = {0};
    stave_trace_config config = {.ignore_index = ignore_index};
    disk_let_fail(&reads, call, way);
    int status = stave_trace_open(path, &config, &trace, &error);
    if (status < 0) { /* not even its head */
        assert_int_equal(status, STAVE_E_IO);
        assert_non_null(strstr(error.message, path));
        assert_true(call == 1 || (call == 2 && !ignore_index));
        return true;
    }
    size_t rows = check_subset(trace, &whole);
    assert_true(stave_trace_check(trace, (stave_progress){0}, NULL) >= 0);
    bool reached = reads.count >= call;
    disk_let_fail(&reads, 0, WHOLE);
    assert_true(whole.count - rows <= rows_in_damage(trace));
    assert_true(stave_trace_damages(trace) <= 1);
    if (way == HALF || way == INTERRUPTED)
        assert_int_equal(stave_trace_damages(trace), 0);
    assert_int_equal(check_subset(trace, &whole), rows); /* once damaged, left out */
    stave_trace_free(trace);
    return reached;
}

static void test_each_read_fails(void **state)
{
    static const enum way ways[] = {HALF, INTERRUPTED, NOTHING, REFUSED};
    make_whole();
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        for (int ignore = 0; ignore < 2; ignore++) {
            unsigned call = 1;
            while (read_fails_at(call, ways[i], ignore != 0))
                call++;
            assert_true(call > blocks);
        }
    free(whole.at);
}

/* ---- */

static int set_up(void **state)
{
    disk_let_fail(&writes, 0, WHOLE);
    disk_let_fail(&reads, 0, WHOLE);
    return 0;
}

static int make_path(void **state)
{
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.40s/stave-XXXXXX", dir != NULL ? dir : "/tmp");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    return unlink(path);
}

#define TEST(test) cmocka_unit_test_setup(test, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_sink_fails), TEST(test_a_sink_that_is_full), TEST(test_each_write_fails),
        TEST(test_a_full_disk),  TEST(test_each_read_fails),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
