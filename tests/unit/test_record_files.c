/* Files of stave_record_to() with limits: one that is full, one after another under the same name, disks that take no
 * more; changed while it runs, and by the environment. */
#define _GNU_SOURCE /* unshare */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "stress/recorded.h"
#include "unit/recording_file.h"

#define LEAST ((uint64_t)64 * 1024)
#define SOME_FILES 12u
#define MANY_FILES 100u

/* ---- files ----------------------------------------------------------------------------------- */

static const char *name_of(uint32_t number)
{
    static char name[96];
    snprintf(name, sizeof name, number > 0 ? "%s.%u" : "%s", path, number);
    return name;
}

/* The highest number: while they are moved up, one in between may be missing. */
static uint32_t files_behind(void)
{
    uint32_t number = 0;
    while (access(name_of(number + 1), F_OK) == 0 || access(name_of(number + 2), F_OK) == 0)
        number++;
    return number;
}

static void remove_files(void)
{
    for (uint32_t number = files_behind(); number > 0; number--)
        unlink(name_of(number));
    unlink(path);
}

static void limit(uint64_t max_bytes, uint32_t files)
{
    stave_file_config limits = {.max_bytes = max_bytes, .files = files};
    assert_int_equal(stave_file_limits(&limits, NULL), STAVE_OK);
}

/* Begins with no other file there. */
static void start(uint64_t max_bytes, uint32_t files)
{
    remove_files();
    recorded_start(&(stave_config){0});
    limit(max_bytes, files);
    begin_file();
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* ---- what is recorded ------------------------------------------------------------------------ */

static uint64_t ended; /* spans that are numbered by their lengths */

static void record(uint32_t spans)
{
    for (uint32_t i = 0; i < spans; i++) {
        STAVE_SCOPE("span");
        recorded_pass(++ended);
    }
}

/* At a pace that the drain keeps up with. */
static void record_slowly(uint32_t spans)
{
    for (uint32_t i = 0; i < spans; i += 1000) {
        record(1000);
        wait_a_little();
    }
}

static bool has_files_behind(uint32_t number)
{
    return files_behind() >= number;
}

static uint64_t size_now(void)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static bool is_larger(uint32_t size)
{
    return size_now() > size;
}

static bool record_until(bool (*is_so)(uint32_t), uint32_t given)
{
    bool so = is_so(given);
    for (int i = 0; i < 5000 && !so; i++, so = is_so(given)) {
        record(100);
        wait_a_little();
    }
    return so;
}

static bool wait_until(bool (*is_so)(uint32_t), uint32_t given)
{
    bool so = is_so(given);
    for (int i = 0; i < 5000 && !so; i++, so = is_so(given))
        wait_a_little();
    return so;
}

static uint64_t property(const stave_trace *trace, const char *key)
{
    const stave_property *property = stave_trace_find_property(trace, key);
    return property != NULL ? property->value : 0;
}

static bool is_open(const struct traces_row *row)
{
    return (row->columns.flags & STAVE_FLAG_UNFINISHED) != 0;
}

/* Its ended spans: that they go on behind `last`, and that its counts say how many. The last of them. */
static uint64_t check_spans(const struct recorded *file, uint64_t last)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < file->rows.count; i++) {
        const struct traces_row *row = &file->rows.at[i];
        if (row->kind != STAVE_SPANS || is_open(row))
            continue;
        rows++;
        if (strcmp(row->name, "span") == 0)
            assert_int_equal(row->columns.end - row->columns.start, ++last);
    }
    assert_int_equal(
        property(file->trace, "record.recorded") - property(file->trace, "record.evicted"), rows);
    return last;
}

static bool is_whole(const struct recorded *file)
{
    stave_trace_file of;
    stave_trace_file_of(file->trace, &of);
    return of.indexed && of.cut == 0;
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
        wait_a_little();
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

/* ---- disks that are full --------------------------------------------------------------------- */

static void let_files_have(uint64_t bytes)
{
    struct rlimit now;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
    now.rlim_cur = bytes > 0 ? bytes : now.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

static void expect_full_disk(const char *reason)
{
    stave_error error = {0};
    assert_int_equal(stave_record_to(NULL, &error), STAVE_E_IO);
    if (strstr(error.message, path) == NULL || strstr(error.message, reason) == NULL)
        fail_msg("%s", error.message);
}

/* The drain has met the end of the disk: the file is that large, and stays so. */
static void wait_until_full(uint32_t least)
{
    uint64_t before = 0;
    assert_true(wait_until(is_larger, least));
    while (size_now() != before) {
        before = size_now();
        nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
    }
}

static void check_one_file(uint64_t before)
{
    struct recorded file = recorded_file(path);
    assert_true(is_whole(&file));
    assert_int_equal(property(file.trace, "record.evicted"), 0);
    assert_int_equal(check_spans(&file, before), ended);
    recorded_free(&file);
}

/* What came while it was full is in the file when it is no longer. */
static void be_full_for_a_while(void **state)
{
    enum { ROOM = 50001 };
    start(0, 0);
    uint64_t before = ended;
    let_files_have(ROOM);
    record_slowly(30000);
    wait_until_full(ROOM / 2);
    assert_true(size_now() <= ROOM);
    struct recorded file = recorded_file(path); /* nothing of a block that it had no room for */
    stave_trace_file of;
    stave_trace_file_of(file.trace, &of);
    assert_int_equal(of.cut, 0);
    recorded_free(&file);
    let_files_have(0);
    assert_true(wait_until(is_larger, ROOM));
    record_slowly(3000);
    expect_full_disk("File too large"); /* for a while it was */
    check_one_file(before);
}

static void test_full_for_a_while(void **state)
{
    in_a_child(be_full_for_a_while, NULL);
}

/* When it ends and the disk takes no more, what it has not is left for the next. */
static void be_full_to_the_end(void **state)
{
    start(0, 0);
    uint64_t before = ended;
    let_files_have(50001);
    record_slowly(30000);
    expect_full_disk("File too large");
    let_files_have(0);
    struct recorded file = recorded_file(path);
    assert_false(is_whole(&file));
    uint64_t last = before;
    for (size_t i = 0; i < file.rows.count; i++, last++)
        assert_int_equal(file.rows.at[i].columns.end - file.rows.at[i].columns.start, last + 1);
    recorded_free(&file);
    assert_true(last > before && last < ended);
    begin_file();
    end_file();
    check_one_file(last);
}

static void test_full_to_the_end(void **state)
{
    in_a_child(be_full_to_the_end, NULL);
}

/* What memory gives up meanwhile is missing, and the file says how much. */
static void be_full_for_long(void **state)
{
    remove_files();
    limit(0, 0);
    recorded_start(&(stave_config){.max_bytes = (uint64_t)1 << 20});
    begin_file();
    let_files_have(50001);
    stave_counts before = recorded_counts();
    record_slowly(100000);
    wait_until_full(25000);
    let_files_have(0);
    assert_true(wait_until(is_larger, 60000));
    record_slowly(1000);
    expect_full_disk("File too large");
    struct recorded file = recorded_file(path);
    uint64_t missed = recorded_counts().missed - before.missed;
    assert_true(missed > 20000);
    assert_int_equal(property(file.trace, "record.evicted"), missed);
    assert_int_equal(property(file.trace, "record.recorded"), 101000);
    assert_int_equal(file.rows.count + missed, 101000);
    recorded_free(&file);
}

static void test_full_for_long(void **state)
{
    in_a_child(be_full_for_long, NULL);
}

/* A disk of 160 KiB, of this process alone. */
static void map_ids(const char *file, unsigned id)
{
    char map[32];
    int size = snprintf(map, sizeof map, "0 %u 1", id);
    traces_put_file(file, map, (size_t)size);
}

static void make_disk(void)
{
    unsigned user = getuid(), group = getgid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        _exit(NOT_HERE);
    traces_put_file("/proc/self/setgroups", "deny", 4);
    map_ids("/proc/self/uid_map", user);
    map_ids("/proc/self/gid_map", group);
    if (mount("none", folder, "tmpfs", 0, "size=160k") != 0)
        _exit(NOT_HERE);
}

static void be_on_a_small_disk(void **state)
{
    char other[96];
    make_disk();
    snprintf(other, sizeof other, "%s/other", folder);
    char *filling = calloc(1, 120000);
    traces_put_file(other, filling, 120000);
    free(filling);
    start(0, 0);
    uint64_t before = ended;
    record_slowly(18000);
    wait_until_full(20000);
    assert_true(size_now() < 50000);
    assert_int_equal(unlink(other), 0);
    assert_true(wait_until(is_larger, 65536));
    limit(LEAST, 2);
    record_slowly(3000);
    expect_full_disk("No space left on device");
    assert_int_equal(files_behind(), 1);
    struct recorded first = recorded_file(name_of(1)), second = recorded_file(path);
    assert_int_equal(check_spans(&second, check_spans(&first, before)), ended);
    recorded_free(&first);
    recorded_free(&second);
}

static void test_a_small_disk(void **state)
{
    in_a_child(be_on_a_small_disk, NULL);
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
        wait_a_little();
    }
    return 0;
}

/* ---- */

static int remove_folder(void **state)
{
    remove_files();
    return rmdir(folder);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_for_a_while), /* memory is that of the first start */
        cmocka_unit_test(test_full_to_the_end),
        cmocka_unit_test(test_full_for_long),
        cmocka_unit_test(test_a_small_disk),
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
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
