/* test_stave_follow.c - one process publishes rows to a file and is killed at some moment, another follows
 * it: each row is seen once and right, and of what was published none is lost. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "stress/traces.h"

#define ROUNDS 30
#define ROWS_MAX 4000u /* more are not written in the time that a round takes */
#define MOMENT_MAX_US 30000u

/* What the writer tells, in memory that both have. */
struct shared {
    _Atomic uint32_t opened;
    _Atomic uint64_t published; /* rows */
};

static struct shared *shared;
static char path[64];
static uint64_t random_state = 21;

static void wait_us(uint64_t us)
{
    struct timespec time = {.tv_sec = (time_t)(us / 1000000),
                            .tv_nsec = (long)(us % 1000000) * 1000};
    nanosleep(&time, NULL);
}

/* ---- the writer ------------------------------------------------------------------------------ */

_Noreturn static void write_rows(uint64_t seed, uint64_t rows_at_once)
{
    struct traces_maker maker;
    stave_writer *writer;
    traces_begin(&maker, &(struct traces_shape){.seed = seed, .lanes = 3});
    TRACES_MUST(stave_writer_open(path, &writer, NULL) == STAVE_OK);
    atomic_store(&shared->opened, 1);
    while (maker.rows + rows_at_once <= ROWS_MAX) {
        traces_grow(&maker, rows_at_once);
        TRACES_MUST(stave_writer_publish(writer, maker.trace, NULL) == STAVE_OK);
        atomic_store(&shared->published, maker.rows);
    }
    for (;;)
        pause(); /* to be killed */
}

static pid_t start_writer(uint64_t seed, uint64_t rows_at_once)
{
    atomic_store(&shared->opened, 0);
    atomic_store(&shared->published, 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_rows(seed, rows_at_once);
    while (atomic_load(&shared->opened) == 0) {
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
        wait_us(100);
    }
    return child;
}

static void kill_writer(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* ---- the reader ------------------------------------------------------------------------------ */

struct follower {
    stave_trace *trace;
    stave_cursor *cursor;
    struct traces_rows rows; /* as they came */
};

static void follow(struct follower *f)
{
    stave_trace_config config = {.follow = true};
    *f = (struct follower){0};
    assert_int_equal(stave_trace_open(path, &config, &f->trace, NULL), STAVE_OK);
    assert_int_equal(stave_cursor_open(f->trace, NULL, &f->cursor, NULL), STAVE_OK);
}

/* Whether there was something new. */
static bool look(struct follower *f)
{
    const stave_block *block;
    int status, found = stave_trace_refresh(f->trace, NULL);
    assert_true(found >= 0);
    while ((status = stave_cursor_next(f->cursor, &block, NULL)) > 0)
        for (uint32_t i = 0; i < block->rows; i++)
            traces_add_row(&f->rows, f->trace, block, i);
    assert_int_equal(status, 0);
    return found > 0;
}

static int by_order(const void *a, const void *b)
{
    const struct traces_row *x = a, *y = b;
    return (x->columns.order > y->columns.order) - (x->columns.order < y->columns.order);
}

/* Rows of `seen`, by their order, are rows of `wanted`, each once, and all up to `published`. */
static void check_seen(const struct traces_rows *seen, const struct traces_rows *wanted,
                       uint64_t published)
{
    uint64_t before = 0;
    for (size_t i = 0; i < seen->count; i++) {
        uint64_t order = seen->at[i].columns.order;
        assert_true(order > before && order <= wanted->count);
        assert_true(order == before + 1 || order > published);
        assert_true(traces_same_row(&seen->at[i], &wanted->at[order - 1]));
        before = order;
    }
    assert_true(before >= published);
}

static void check_round(uint64_t seed)
{
    struct follower f;
    pid_t child = start_writer(seed, 1 + traces_random(&random_state, 12));
    follow(&f);
    for (uint64_t us = traces_random(&random_state, MOMENT_MAX_US), step; us > 0; us -= step) {
        step = us < 1500 ? us : 1500;
        wait_us(step);
        look(&f);
    }
    kill_writer(child);
    uint64_t published = atomic_load(&shared->published);
    while (look(&f))
        ;
    stave_trace *made = traces_make(&(struct traces_shape){.seed = seed, .lanes = 3}, 1, ROWS_MAX);
    struct traces_rows wanted = traces_read(made);
    assert_int_equal(wanted.count, ROWS_MAX);
    if (f.rows.count > 0)
        qsort(f.rows.at, f.rows.count, sizeof *f.rows.at, by_order);
    check_seen(&f.rows, &wanted, published);
    assert_int_equal(stave_trace_damages(f.trace), 0);

    stave_trace *opened = NULL;
    assert_int_equal(stave_trace_open(path, NULL, &opened, NULL), STAVE_OK);
    struct traces_rows again = traces_read(opened);
    assert_true(traces_same_rows(&again, &f.rows));
    assert_int_equal(stave_trace_check(opened, (stave_progress){0}, NULL), 0);
    free(again.at);
    stave_trace_free(opened);
    free(wanted.at);
    stave_trace_free(made);
    free(f.rows.at);
    stave_cursor_close(f.cursor);
    stave_trace_free(f.trace);
}

static void test_a_writer_that_is_killed(void **state)
{
    for (uint64_t round = 0; round < ROUNDS; round++)
        check_round(100 + round);
}

static void test_a_second_writer_is_refused(void **state)
{
    stave_writer *writer = NULL;
    stave_error error = {0};
    pid_t child = start_writer(1, 10);
    while (atomic_load(&shared->published) < 100)
        wait_us(100);
    assert_int_equal(stave_writer_open(path, &writer, &error), STAVE_E_STATE);
    assert_non_null(strstr(error.message, "is being written by another process"));
    assert_non_null(strstr(error.message, path));
    kill_writer(child);
    stave_trace *trace = NULL; /* it was not emptied */
    assert_int_equal(stave_trace_open(path, NULL, &trace, NULL), STAVE_OK);
    struct traces_rows rows = traces_read(trace);
    assert_true(rows.count >= 100);
    free(rows.at);
    stave_trace_free(trace);
    assert_int_equal(stave_writer_open(path, &writer, NULL),
                     STAVE_OK); /* whoever is dead gave way */
    stave_writer_close(writer);
}

/* ---- */

static int set_up(void **state)
{
    const char *dir = getenv("TMPDIR");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    snprintf(path, sizeof path, "%.40s/stave-XXXXXX", dir != NULL ? dir : "/tmp");
    int fd = mkstemp(path);
    return shared == MAP_FAILED || fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    munmap(shared, sizeof *shared);
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_writer_that_is_killed),
        cmocka_unit_test(test_a_second_writer_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
