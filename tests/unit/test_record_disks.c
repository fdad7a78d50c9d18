/* Files of stave_record_to() on disks that are full: for a while, for long, to the end. */
#define _GNU_SOURCE /* unshare */
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
#include <unistd.h>

#include <cmocka.h>

#include "unit/recording_numbered.h"

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
        wait_ms(400);
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_for_a_while),
        cmocka_unit_test(test_full_to_the_end),
        cmocka_unit_test(test_full_for_long),
        cmocka_unit_test(test_a_small_disk),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_files_and_folder);
}
