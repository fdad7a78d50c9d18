/* The recorder and its process: files on disk, what was counted in them, forks, the environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "stave/stave.h"
#include "stave/trace.h"
#include "stress/recorded.h"

static char path[] = "/tmp/stave-record-XXXXXX";

static int make_path(void **state)
{
    int fd = mkstemp(path);
    close(fd);
    return fd < 0;
}

static int remove_path(void **state)
{
    return unlink(path);
}

static stave_trace *dumped(void)
{
    stave_error error = {0};
    stave_trace *trace;
    assert_int_equal(stave_dump(path, &error), STAVE_OK);
    assert_int_equal(stave_trace_open(path, NULL, &trace, &error), STAVE_OK);
    return trace;
}

/* The names of all spans of the file, in their order, one behind another. */
static void assert_spans(stave_trace *trace, const char *expected)
{
    stave_filter spans = {.kinds = STAVE_KIND_BIT(STAVE_SPANS)};
    stave_cursor *cursor;
    const stave_block *block;
    char names[256] = "";
    assert_int_equal(stave_cursor_open(trace, &spans, &cursor, NULL), STAVE_OK);
    while (stave_cursor_next(cursor, &block, NULL) > 0)
        for (uint32_t i = 0; i < block->rows; i++) {
            strcat(names, stave_trace_string(trace, block->name[i], NULL));
            strcat(names, " ");
        }
    stave_cursor_close(cursor);
    assert_string_equal(names, expected);
}

static void test_nothing_before_the_start(void **state)
{
    stave_error error = {0};
    {
        STAVE_SCOPE("too early");
    }
    assert_int_equal(stave_dump(path, &error), STAVE_E_STATE);
    assert_int_equal(stave_start(NULL, NULL), STAVE_OK);
}

static void test_a_file_is_its_owners_and_has_the_counts(void **state)
{
    struct stat status;
    stave_counts counts;
    {
        STAVE_SCOPE("first");
        STAVE_SCOPE("second");
    }
    stave_get_counts(&counts);
    assert_int_equal(counts.recorded, 2);
    stave_trace *trace = dumped();
    assert_spans(trace, "second first ");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    const stave_property *recorded = stave_trace_find_property(trace, "record.recorded");
    const stave_property *evicted = stave_trace_find_property(trace, "record.evicted");
    assert_non_null(recorded);
    assert_int_equal(recorded->value, 2);
    assert_non_null(evicted);
    assert_int_equal(evicted->value, 0);
    assert_int_equal(stave_trace_process(trace, 0)->number, (uint64_t)getpid());
    stave_trace_free(trace);
}

static void test_a_file_that_cannot_be_written(void **state)
{
    stave_error error = {0};
    assert_int_equal(stave_dump("/no/such/folder/run.stave", &error), STAVE_E_IO);
    assert_non_null(strstr(error.message, "/no/such/folder/run.stave"));
}

/* A child is off, and begins with nothing. */
static void test_fork(void **state)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        bool right = !stave_is_enabled();
        {
            STAVE_SCOPE("while off");
        }
        right = right && stave_start(NULL, NULL) == STAVE_OK;
        {
            STAVE_SCOPE("of the child");
        }
        right = right && stave_dump(path, NULL) == STAVE_OK;
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    stave_trace *trace;
    assert_int_equal(stave_trace_open(path, NULL, &trace, NULL), STAVE_OK);
    assert_spans(trace, "of the child ");
    assert_int_equal(stave_trace_process(trace, 0)->number, (uint64_t)child);
    stave_trace_free(trace);
    {
        STAVE_SCOPE("of the parent");
    }
    trace = dumped();
    assert_spans(trace, "second first of the parent ");
    stave_trace_free(trace);
}

/* STAVE_ENABLE starts recording before main(). The program is this one, again: it says how it began. */
static void test_environment(void **state)
{
    static const char *const values[][2] = {{"1", "on"}, {"0", "off"}, {"", "off"}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char with[64], said[8] = "";
        snprintf(with, sizeof with, "STAVE_ENABLE=%s STAVE_TEST_ASKS=1", values[i][0]);
        FILE *program = recorded_again(with);
        assert_non_null(program);
        assert_non_null(fgets(said, sizeof said, program));
        assert_int_equal(pclose(program), 0);
        assert_string_equal(said, values[i][1]);
    }
}

/* An attribute has no time of its own: it stands within those of its lane. */
static void test_an_attribute_does_not_stretch_time(void **state)
{
    stave_stop();
    assert_int_equal(stave_start(NULL, NULL), STAVE_OK);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    {
        STAVE_SCOPE("late", STAVE_KV("key", 1));
    }
    stave_trace *trace = dumped();
    stave_filter attributes = {.kinds = STAVE_KIND_BIT(STAVE_ATTRIBUTES)};
    stave_cursor *cursor;
    const stave_block *block;
    assert_int_equal(stave_cursor_open(trace, &attributes, &cursor, NULL), STAVE_OK);
    assert_int_equal(stave_cursor_next(cursor, &block, NULL), 1);
    assert_true(stave_time_us(trace, 0, block->start[0]) > 15000);
    stave_cursor_close(cursor);
    stave_trace_free(trace);
}

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A file that is written for long is held to the system's clocks every second. */
static void test_a_long_file_keeps_time(void **state)
{
    enum { SPANS = 24 };
    int64_t before[SPANS], behind[SPANS];
    stave_stop();
    int64_t earliest = monotonic_ns();
    assert_int_equal(stave_start(NULL, NULL), STAVE_OK);
    int64_t latest = monotonic_ns();
    assert_int_equal(stave_record_to(path, NULL), STAVE_OK);
    for (int i = 0; i < SPANS; i++) {
        before[i] = monotonic_ns();
        stave_end(stave_begin(stave_name_intern("tick")));
        behind[i] = monotonic_ns();
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    stave_stop();
    stave_trace *trace;
    assert_int_equal(stave_trace_open(path, NULL, &trace, NULL), STAVE_OK);
    assert_true(stave_trace_anchors(trace, 0) >= 3);
    assert_true(stave_trace_anchor(trace, 0, 2).realtime_ns -
                    stave_trace_anchor(trace, 0, 1).realtime_ns >
                900000000);
    stave_filter spans = {.kinds = STAVE_KIND_BIT(STAVE_SPANS)};
    stave_cursor *cursor;
    const stave_block *block;
    int i = 0;
    assert_int_equal(stave_cursor_open(trace, &spans, &cursor, NULL), STAVE_OK);
    while (stave_cursor_next(cursor, &block, NULL) > 0)
        for (uint32_t row = 0; row < block->rows; row++, i++) {
            double us = stave_time_us(trace, 0, block->start[row]);
            assert_true(us > (double)(before[i] - latest) / 1000 - 100);
            assert_true(us < (double)(behind[i] - earliest) / 1000 + 100);
        }
    assert_int_equal(i, SPANS);
    stave_cursor_close(cursor);
    stave_trace_free(trace);
}

/* NULL is no name, no key, no place for counts; nothing of it crashes. */
static void test_null(void **state)
{
    stave_error error = {0};
    STAVE_SPAN(span, "null");
    assert_int_equal(stave_name_intern(NULL), 0);
    stave_set_str(span, NULL, "value");
    stave_set_str(span, "key", NULL);
    stave_thread_name(NULL);
    stave_get_counts((stave_counts *)NULL);
    stave_fail(span, NULL);
    assert_int_equal(stave_dump(NULL, &error), STAVE_E_ARGUMENT);
}

/* Attributes of what is summed up would belong to no span. */
static void test_attributes_in_a_sum_are_passed_over(void **state)
{
    stave_stop();
    assert_int_equal(stave_start(NULL, NULL), STAVE_OK);
    {
        STAVE_SCOPE("around");
        for (int i = 0; i < 100; i++) {
            STAVE_CUMULATIVE("sum");
            STAVE_SCOPE("inside", STAVE_KV("i", i));
        }
    }
    stave_trace *trace = dumped();
    stave_filter attributes = {.kinds = STAVE_KIND_BIT(STAVE_ATTRIBUTES)};
    stave_cursor *cursor;
    const stave_block *block;
    assert_int_equal(stave_cursor_open(trace, &attributes, &cursor, NULL), STAVE_OK);
    assert_int_equal(stave_cursor_next(cursor, &block, NULL), 0);
    stave_cursor_close(cursor);
    stave_trace_free(trace);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_before_the_start),
        cmocka_unit_test(test_a_file_is_its_owners_and_has_the_counts),
        cmocka_unit_test(test_a_file_that_cannot_be_written),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_a_long_file_keeps_time),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_attributes_in_a_sum_are_passed_over),
        cmocka_unit_test(test_an_attribute_does_not_stretch_time),
    };
    if (getenv("STAVE_TEST_ASKS") != NULL) {
        fputs(stave_is_enabled() ? "on" : "off", stdout);
        return 0;
    }
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
