/* What is recorded, to a file or a dump that cannot be written: full disks, descriptors that the program closes, pipes. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "stress/recorded.h"
#include "unit/recording_file.h"

static void expect_failure(const char *name, int status, const char *message)
{
    stave_error error = {0};
    assert_int_equal(stave_record_to(name, &error), status);
    if (strstr(error.message, message) == NULL)
        fail_msg("%s", error.message);
}

static void test_what_cannot_be_written(void **state)
{
    stave_stop();
    expect_failure(path, STAVE_E_STATE, "stave_start()");
    recorded_start(&(stave_config){0});
    expect_failure("", STAVE_E_ARGUMENT, "empty");
    expect_failure(folder, STAVE_E_IO, folder);
    expect_failure("/no/such/folder/run.stave", STAVE_E_IO, "/no/such/folder/run.stave");
    expect_failure("/dev/null", STAVE_E_IO, "/dev/null");
    begin_file();
    expect_failure(path, STAVE_E_STATE, "already");
    end_file();
    assert_int_equal(stave_record_to(NULL, NULL), STAVE_OK); /* none is there to end */
    assert_true(stave_is_enabled());
}

/* The disk takes no more: recording goes on in memory, and who ends the file is told. */
static void record_to_a_full_disk(void **state)
{
    uint32_t bytes = *(const uint32_t *)*state;
    stave_error error = {0};
    struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
    recorded_start(&(stave_config){0});
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    begin_file();
    record_all_kinds(0, 5000);
    assert_int_equal(stave_record_to(NULL, &error), STAVE_E_IO);
    assert_non_null(strstr(error.message, path));
    struct traces_bytes snapshot = {0};
    assert_int_equal(stave_snapshot((stave_sink){.write = traces_add, .context = &snapshot}, NULL),
                     STAVE_OK);
    assert_true(snapshot.size > bytes);
    free(snapshot.at);
}

static void test_a_full_disk(void **state)
{
    in_a_child(record_to_a_full_disk, &(uint32_t){50000});
    struct recorded file = recorded_file(path); /* of what came before, whole blocks */
    assert_true(file.rows.count > 0);
    recorded_free(&file);
}

/* A program that closes descriptors that it has not opened, and opens its own: what is in that is its own. */
static void close_all_descriptors(void **state)
{
    uint32_t until = *(const uint32_t *)*state;
    char own[64], read_back[16] = "";
    stave_error error = {0};
    snprintf(own, sizeof own, "%s/own", folder);
    recorded_start(&(stave_config){0});
    begin_file();
    for (uint32_t fd = 3; fd < until; fd++)
        close((int)fd);
    int fd = open(own, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, "hello", 5), 5);
    record_all_kinds(0, 5000);
    assert_int_equal(stave_record_to(NULL, &error), STAVE_E_STATE);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(read(fd, read_back, sizeof read_back), 5);
    assert_string_equal(read_back, "hello");
    close(fd);
    unlink(own);
}

static void test_descriptors_closed_by_the_program(void **state)
{
    in_a_child(close_all_descriptors, &(uint32_t){64});
}

/* A dump that finds no room is an error, not the end of the program by a signal. */
static void dump_to_a_full_disk(void **state)
{
    uint32_t bytes = *(const uint32_t *)*state;
    stave_error error = {0};
    struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
    recorded_start(&(stave_config){0});
    record_all_kinds(0, 5000);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(stave_dump(path, &error), STAVE_E_IO);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(stave_snapshot((stave_sink){0}, NULL), STAVE_E_ARGUMENT);
}

static void test_a_dump_to_a_full_disk(void **state)
{
    in_a_child(dump_to_a_full_disk, &(uint32_t){50000});
}

/* A pipe is others' too: its permissions stay. */
static void test_a_dump_to_a_pipe(void **state)
{
    struct stat status;
    char pipe[64];
    mode_t before = umask(0);
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    recorded_start(&(stave_config){0});
    assert_int_equal(mkfifo(pipe, 0666), 0);
    int fd = open(pipe, O_RDONLY | O_NONBLOCK);
    assert_int_equal(stave_dump(pipe, NULL), STAVE_OK);
    assert_int_equal(stat(pipe, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666);
    expect_failure(pipe, STAVE_E_IO, "no regular file");
    close(fd);
    unlink(pipe);
    umask(before);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_full_disk),
        cmocka_unit_test(test_what_cannot_be_written),
        cmocka_unit_test(test_descriptors_closed_by_the_program),
        cmocka_unit_test(test_a_dump_to_a_full_disk),
        cmocka_unit_test(test_a_dump_to_a_pipe),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
