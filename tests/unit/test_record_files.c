/* Files of stave_record_to() with limits: one that is full, one after another under the same name; changed while it
 * runs, and by the environment. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/recording_numbered.h"

#define SOME_FILES 12u
#define MANY_FILES 100u

static bool has_files_behind(uint32_t number)
{
    return files_behind() >= number;
}

static bool record_until(bool (*is_so)(uint32_t), uint32_t given)
{
    bool so = is_so(given);
    for (int i = 0; i < 5000 && !so; i++, so = is_so(given)) {
        record(100);
        wait_ms(2);
    }
    return so;
}

static uint64_t size_of(uint32_t number)
{
    struct stat status;
    assert_int_equal(stat(name_of(number), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    return (uint64_t)status.st_size;
}

/* From the oldest to the newest, whose number in the recording is `number`. The last span. */
static uint64_t check_files(uint64_t last, uint64_t number)
{
    for (uint32_t behind = files_behind() + 1; behind-- > 0;) {
        struct recorded file = recorded_file(name_of(behind));
        assert_true(is_whole(&file));
        assert_int_equal(property(file.trace, "record.file_number"), number - behind);
        assert_int_equal(property(file.trace, "record.file_full_ns"), 0);
        if (behind > 0)
            assert_in_range(size_of(behind), LEAST, LEAST + 40000);
        last = check_spans(&file, last);
        recorded_free(&file);
    }
    return last;
}

/* ---- one file after another ------------------------------------------------------------------ */

static void test_all_is_in_one_of_them(void **state)
{
    start(LEAST, MANY_FILES);
    uint64_t before = ended;
    record_slowly(60000);
    end_file();
    assert_in_range(files_behind(), 3, SOME_FILES);
    assert_int_equal(check_files(before, files_behind() + 1), ended);
}

/* All that is in memory when the file begins is in the same round. */
static void test_all_of_a_round(void **state)
{
    remove_files();
    recorded_start(&(stave_config){0});
    uint64_t before = ended;
    record(100000);
    limit(LEAST, MANY_FILES);
    begin_file();
    end_file();
    assert_in_range(files_behind(), 3, 2 * SOME_FILES);
    assert_int_equal(check_files(before, files_behind() + 1), ended);
}

static void test_only_so_many(void **state)
{
    start(LEAST, 3);
    record_slowly(60000);
    end_file();
    assert_int_equal(files_behind(), 2);
    struct recorded oldest = recorded_file(name_of(2));
    uint64_t number = property(oldest.trace, "record.file_number");
    assert_in_range(number, 2, SOME_FILES);
    const struct stave__row *first = &oldest.rows.at[0].columns;
    uint64_t before = (uint64_t)(first->end - first->start) - 1;
    recorded_free(&oldest);
    assert_int_equal(check_files(before, number + 2), ended);
}

/* Their rows come innermost first. */
static uint32_t count_open(const struct recorded *file)
{
    uint32_t open = 0;
    for (size_t i = file->rows.count; i-- > 0;) {
        const struct traces_row *row = &file->rows.at[i];
        if (is_open(row))
            assert_int_equal(row->columns.depth, open++);
    }
    return open;
}

static void record_below(uint32_t depth, uint32_t spans)
{
    STAVE_SCOPE("around");
    recorded_pass(1);
    if (depth > 1)
        record_below(depth - 1, spans);
    else
        record_slowly(spans);
    recorded_pass(1);
}

/* Every file but the last has them open, also if they are more than a chunk has records. */
static void check_open(uint32_t depth)
{
    start(LEAST, MANY_FILES);
    record_below(depth, 40000);
    end_file();
    uint32_t behind = files_behind();
    assert_in_range(behind, 2, 2 * SOME_FILES);
    for (uint32_t number = behind + 1; number-- > 0;) {
        struct recorded file = recorded_file(name_of(number));
        size_t spans = recorded_count(&file, STAVE_SPANS), open = count_open(&file);
        assert_true(open == depth || number < 2); /* these have their ends */
        assert_true(spans > open);
        recorded_free(&file);
    }
}

static void test_open_spans_in_each(void **state)
{
    check_open(1);
    check_open(3);
    check_open(4000);
}

/* What stands still is told, too: a lane that records nothing, with its name, and what it has open. */
static bool waits = true;

static void *wait_in_a_span(void *given)
{
    stave_thread_name("waits");
    STAVE_SCOPE("waiting");
    while (__atomic_load_n(&waits, __ATOMIC_ACQUIRE))
        wait_ms(2);
    return NULL;
}

static bool is_told_waiting(uint32_t number)
{
    struct recorded file = recorded_file(name_of(number));
    bool told = recorded_find(&file, STAVE_SPANS, "waiting") != NULL;
    recorded_free(&file);
    return told;
}

static void check_waiting(uint32_t number)
{
    struct recorded file = recorded_file(name_of(number));
    const struct traces_row *row = recorded_find(&file, STAVE_SPANS, "waiting");
    assert_non_null(row);
    assert_int_equal(row->columns.flags, STAVE_FLAG_UNFINISHED);
    const stave_lane *lane = stave_trace_lane(file.trace, row->lane);
    assert_string_equal(stave_trace_string(file.trace, lane->name, NULL), "waits");
    recorded_free(&file);
}

static void test_lanes_that_wait(void **state)
{
    pthread_t thread;
    start(LEAST, MANY_FILES);
    assert_int_equal(pthread_create(&thread, NULL, wait_in_a_span, NULL), 0);
    assert_true(
        wait_until(is_told_waiting, 0)); /* the drain takes its time to look at a new lane */
    record_slowly(60000);
    end_file();
    assert_in_range(files_behind(), 3, SOME_FILES);
    for (uint32_t number = 0; number <= files_behind(); number++)
        check_waiting(number);
    __atomic_store_n(&waits, false, __ATOMIC_RELEASE);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* A file that is open already stays what it is, and is finished. */
static void test_a_reader_of_the_first(void **state)
{
    start(LEAST, MANY_FILES);
    uint64_t before = ended;
    FILE *reader = fopen(path, "rb");
    assert_non_null(reader);
    assert_true(record_until(has_files_behind, 1));
    end_file();
    struct stat own, named;
    assert_int_equal(fstat(fileno(reader), &own), 0);
    assert_int_equal(stat(name_of(files_behind()), &named), 0);
    assert_int_equal(own.st_ino, named.st_ino);
    fclose(reader);
    assert_int_equal(check_files(before, files_behind() + 1), ended);
}

/* Wherever the process goes. */
static void test_a_name_from_here(void **state)
{
    char before_it[256];
    assert_non_null(getcwd(before_it, sizeof before_it));
    remove_files();
    recorded_start(&(stave_config){0});
    limit(LEAST, MANY_FILES);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(stave_record_to("run.stave", NULL), STAVE_OK);
    assert_int_equal(chdir("/"), 0);
    uint64_t before = ended;
    record_slowly(20000);
    end_file();
    assert_int_equal(chdir(before_it), 0);
    assert_true(files_behind() > 0);
    assert_int_equal(check_files(before, files_behind() + 1), ended);
}

/* ---- one that is full ------------------------------------------------------------------------ */

static void test_a_file_that_is_full(void **state)
{
    start(LEAST, 1);
    uint64_t before = ended, began = recorded_ns;
    stave_counts counts = recorded_counts();
    record_slowly(30000);
    end_file();
    assert_int_equal(files_behind(), 0);
    assert_in_range(size_of(0), LEAST, LEAST + 40000);
    struct recorded file = recorded_file(path);
    uint64_t last = check_spans(&file, before);
    assert_true(is_whole(&file));
    assert_true(last > before && last < ended);
    assert_in_range(property(file.trace, "record.file_full_ns"), 1, recorded_ns - began);
    assert_true(property(file.trace, "record.file_full_ns") >=
                (uint64_t)file.rows.at[file.rows.count - 1].columns.end);
    recorded_free(&file);
    struct recorded memory = recorded_now(); /* all of it, as it fits */
    assert_int_equal(recorded_count(&memory, STAVE_SPANS), 30000);
    recorded_free(&memory);
    assert_int_equal(recorded_counts().recorded - counts.recorded, 30000);
    assert_int_equal(recorded_counts().missed - counts.missed, 0);
    limit(0, 0);
    begin_file(); /* what it has not, another one may have */
    end_file();
    file = recorded_file(path);
    assert_int_equal(check_spans(&file, last), ended);
    recorded_free(&file);
}

/* ---- changed while it runs ------------------------------------------------------------------- */

static bool is_full(uint32_t number)
{
    struct recorded file = recorded_file(name_of(number));
    bool full = property(file.trace, "record.file_full_ns") > 0;
    recorded_free(&file);
    return full;
}

static void test_changes(void **state)
{
    start(0, 0);
    record_slowly(30000);
    assert_int_equal(files_behind(), 0);
    assert_false(is_full(0));
    limit(LEAST, 1);
    assert_true(wait_until(is_full, 0)); /* without a further record */
    record_slowly(10000);
    limit(LEAST, 4); /* what has come since is in the next */
    assert_true(wait_until(has_files_behind, 1));
    assert_true(record_until(has_files_behind, 3));
    record_slowly(30000);
    assert_int_equal(files_behind(), 3);
    limit(LEAST, 2);
    while (files_behind() > 1)
        record_slowly(1000);
    limit(0, 2);
    assert_true(record_until(is_larger, 2 * LEAST));
    end_file();
    assert_int_equal(files_behind(), 1);
    struct recorded file = recorded_file(path);
    const struct stave__row *first = &file.rows.at[0].columns;
    assert_int_equal(check_spans(&file, (uint64_t)(first->end - first->start) - 1), ended);
    recorded_free(&file);
}

/* Nothing of it is missing. */
static void test_on_after_it_was_full(void **state)
{
    start(LEAST, 1);
    uint64_t before = ended;
    while (!is_full(0))
        record_slowly(1000);
    record_slowly(3000);
    limit(0, MANY_FILES);
    end_file();
    struct recorded first = recorded_file(name_of(1)), second = recorded_file(path);
    assert_int_equal(files_behind(), 1);
    assert_int_equal(check_spans(&second, check_spans(&first, before)), ended);
    assert_true(property(first.trace, "record.file_full_ns") > 0);
    assert_int_equal(property(second.trace, "record.file_full_ns"), 0);
    recorded_free(&first);
    recorded_free(&second);
}

static void expect_refusal(stave_file_config limits, const char *message)
{
    stave_error error = {0};
    assert_int_equal(stave_file_limits(&limits, &error), STAVE_E_ARGUMENT);
    if (strstr(error.message, message) == NULL)
        fail_msg("%s", error.message);
}

static void test_limits_that_cannot_be(void **state)
{
    expect_refusal((stave_file_config){.max_bytes = 1}, "the least is 65536");
    expect_refusal((stave_file_config){.max_bytes = LEAST - 1}, "the least is 65536");
    expect_refusal((stave_file_config){.files = 10001}, "the most is 10000");
    assert_int_equal(stave_file_limits(NULL, NULL), STAVE_OK);
    struct {
        stave_file_config limits;
        uint64_t later;
    } larger = {.later = 1};
    assert_int_equal(stave_file_limits_sized(&larger.limits, sizeof larger, NULL),
                     STAVE_E_ARGUMENT);
}

/* ---- names that cannot be given -------------------------------------------------------------- */

/* A folder stands where the full file would. When it is gone, all that came meanwhile is in the next. */
static void test_a_name_that_is_taken(void **state)
{
    stave_error error = {0};
    start(LEAST, 2);
    uint64_t before = ended;
    assert_int_equal(mkdir(name_of(1), 0700), 0);
    while (!is_full(0))
        record_slowly(1000);
    record_slowly(3000);
    limit(0, 2);
    assert_int_equal(access(name_of(2), F_OK), -1);
    assert_int_equal(rmdir(name_of(1)), 0);
    assert_true(wait_until(has_files_behind, 1));
    assert_int_equal(stave_record_to(NULL, &error), STAVE_E_IO);
    if (strstr(error.message, "cannot rename") == NULL || strstr(error.message, path) == NULL)
        fail_msg("%s", error.message);
    struct recorded first = recorded_file(name_of(1)), second = recorded_file(path);
    assert_int_equal(check_spans(&second, check_spans(&first, before)), ended);
    recorded_free(&first);
    recorded_free(&second);
}

/* Somebody else's file is left as it is. */
static void test_a_name_that_others_took(void **state)
{
    stave_error error = {0};
    start(LEAST, 2);
    assert_int_equal(unlink(path), 0);
    traces_put_file(path, "theirs", 6);
    record_slowly(20000);
    assert_int_equal(stave_record_to(NULL, &error), STAVE_E_STATE);
    assert_non_null(strstr(error.message, "another file"));
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 6);
    assert_int_equal(files_behind(), 0);
}

/* One that was removed makes no trouble. */
static void test_a_file_that_is_gone(void **state)
{
    start(LEAST, 3);
    assert_int_equal(unlink(path), 0);
    while (access(path, F_OK) != 0)
        record_slowly(1000);
    record_slowly(1000);
    end_file();
    struct recorded file = recorded_file(path);
    assert_true(property(file.trace, "record.file_number") >= 2);
    recorded_free(&file);
}

/* ---- the environment ------------------------------------------------------------------------- */

/* This program again, which records some thousand spans. What it says. */
static void run_itself(const char *limits, char *said, size_t size)
{
    char with[512];
    snprintf(with, sizeof with, "STAVE_FILE='%s' %s STAVE_TEST_RECORDS=1", path, limits);
    remove_files();
    FILE *program = recorded_again(with);
    assert_non_null(program);
    size_t got = fread(said, 1, size - 1, program);
    said[got] = '\0';
    assert_int_equal(pclose(program), 0);
}

static void expect_files(const char *limits, uint32_t least, uint32_t most)
{
    char said[512];
    run_itself(limits, said, sizeof said);
    assert_string_equal(said, "");
    assert_in_range(files_behind(), least, most);
    struct recorded file = recorded_file(path);
    assert_true(is_whole(&file));
    recorded_free(&file);
}

static void expect_complaint(const char *limits, const char *complaint)
{
    char said[512];
    run_itself(limits, said, sizeof said);
    if (strstr(said, complaint) != said)
        fail_msg("%s", said);
    assert_ptr_equal(strchr(said, '\n') + 1, strchr(said, '\0')); /* one line */
    assert_int_equal(access(path, F_OK), -1);
}

static void test_environment(void **state)
{
    expect_files("STAVE_FILE_MAX_BYTES=64K STAVE_FILE_COUNT=100", 2, SOME_FILES);
    expect_files("STAVE_FILE_MAX_BYTES=65536 STAVE_FILE_COUNT=2", 1, 1);
    expect_files("STAVE_FILE_MAX_BYTES=100M STAVE_FILE_COUNT=100", 0, 0);
    expect_files("STAVE_FILE_MAX_BYTES=1G", 0, 0);
    expect_files("STAVE_FILE_MAX_BYTES= STAVE_FILE_COUNT=", 0, 0);
    expect_files("STAVE_FILE_MAX_BYTES=0 STAVE_FILE_COUNT=0", 0, 0);
    expect_files("STAVE_FILE_MAX_BYTES=64K", 0, 0);
    struct recorded file = recorded_file(path);
    assert_true(property(file.trace, "record.file_full_ns") > 1000);
    recorded_free(&file);
}

static void test_environment_that_cannot_be(void **state)
{
    static const char *const bytes[] = {"64KB", "M",
                                        "-1",   "1.5M",
                                        "64k",  "99999999999999999999",
                                        "64 K", "KM",
                                        "x",    "18014398509481984K"};
    char limits[128], complaint[128];
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        snprintf(limits, sizeof limits, "STAVE_FILE_MAX_BYTES='%s'", bytes[i]);
        snprintf(complaint, sizeof complaint,
                 "stave: STAVE_FILE_MAX_BYTES is %s, and no file is written", bytes[i]);
        expect_complaint(limits, complaint);
    }
    expect_complaint("STAVE_FILE_MAX_BYTES=63K", "stave: a file's max_bytes is 64512");
    expect_complaint("STAVE_FILE_COUNT=5K", "stave: STAVE_FILE_COUNT is 5K, and no file");
    expect_complaint("STAVE_FILE_COUNT=4294967296", "stave: STAVE_FILE_COUNT is 4294967296, and");
    expect_complaint("STAVE_FILE_COUNT=10001", "stave: files is 10001, the most is 10000");
}

static int record_by_itself(void)
{
    for (int i = 0; i < 100; i++) {
        for (int j = 0; j < 1000; j++) {
            STAVE_SCOPE("by itself");
        }
        wait_ms(2);
    }
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_in_one_of_them),
        cmocka_unit_test(test_all_of_a_round),
        cmocka_unit_test(test_only_so_many),
        cmocka_unit_test(test_open_spans_in_each),
        cmocka_unit_test(test_lanes_that_wait),
        cmocka_unit_test(test_a_reader_of_the_first),
        cmocka_unit_test(test_a_name_from_here),
        cmocka_unit_test(test_a_file_that_is_full),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_on_after_it_was_full),
        cmocka_unit_test(test_limits_that_cannot_be),
        cmocka_unit_test(test_a_name_that_is_taken),
        cmocka_unit_test(test_a_name_that_others_took),
        cmocka_unit_test(test_a_file_that_is_gone),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_environment_that_cannot_be),
    };
    if (getenv("STAVE_TEST_RECORDS") != NULL)
        return record_by_itself();
    return cmocka_run_group_tests(tests, make_folder, remove_files_and_folder);
}
