/* test_write_record.c - the disk refuses the n-th write of a file of stave_record_to(), for every n: it is told, nothing
 * of a write that failed stays in the file, and what was recorded is in it once, since the disk takes it at the next
 * try. Where memory runs out for the index of a full file, that one has none, and the next goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fault/disk.h"
#include "fault/memory.h"
#include "stress/recorded.h"

static char folder[] = "/tmp/stave-write-XXXXXX";
static char path[64], second[80];

static uint64_t ended; /* spans, numbered by their lengths */

static void record(uint32_t spans)
{
    for (uint32_t i = 0; i < spans; i++) {
        STAVE_SCOPE("span");
        STAVE_COUNTER("counter", i);
        recorded_pass(++ended);
    }
}

static bool is_whole(const struct recorded *file)
{
    stave_trace_file of;
    stave_trace_file_of(file->trace, &of);
    return of.indexed && of.cut == 0;
}

/* Its spans go on behind `last`: the last of them. */
static uint64_t check_file(const char *name, uint64_t last, bool whole)
{
    struct recorded file = recorded_file(name);
    assert_int_equal(is_whole(&file), whole);
    for (size_t i = 0; i < file.rows.count; i++) {
        const struct stave__row *row = &file.rows.at[i].columns;
        if (file.rows.at[i].kind == STAVE_SPANS)
            assert_int_equal(row->end - row->start, ++last);
    }
    assert_int_equal(2 * recorded_count(&file, STAVE_SPANS), file.rows.count);
    recorded_free(&file);
    return last;
}

/* ---- writes ---------------------------------------------------------------------------------- */

/* False when there are fewer writes than that. */
static bool write_fails_at(unsigned call, enum way way)
{
    stave_error error = {0};
    recorded_start(&(stave_config){0});
    uint64_t before = ended;
    disk_let_fail(&writes, call, way);
    int status = stave_record_to(path, &error);
    if (status >= 0) {
        record(3000);
        status = stave_record_to(NULL, &error);
    } else {
        assert_int_equal(call, 1); /* it has no head */
    }
    bool reached = writes.count >= call, refused = way == REFUSED || way == HALF_REFUSED;
    disk_let_fail(&writes, 0, WHOLE);
    assert_int_equal(status, reached && (refused || way == NOTHING) ? STAVE_E_IO : STAVE_OK);
    if (status < 0)
        assert_non_null(strstr(error.message, path));
    if (reached && refused)
        assert_non_null(strstr(error.message, "No space left on device"));
    if (call > 1 || status >= 0)
        assert_int_equal(check_file(path, before, true), ended);
    return reached;
}

static void test_each_write_fails(void **state)
{
    for (int way = HALF; way <= HALF_REFUSED; way++) {
        unsigned call = 1;
        while (write_fails_at(call, (enum way)way))
            call++;
        assert_true(call > 10);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool is_second_there(void)
{
    for (int i = 0; i < 1000 && access(second, F_OK) != 0; i++) {
        record(100);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return access(second, F_OK) == 0;
}

/* Asked for when a file is full: three pieces of memory. */
static void index_fails_at(unsigned request)
{
    stave_error error = {0};
    unlink(second);
    recorded_start(&(stave_config){0});
    uint64_t before = ended;
    stave_file_config limits = {.max_bytes = 65536, .files = 2};
    assert_int_equal(stave_file_limits(&limits, NULL), STAVE_OK);
    assert_int_equal(stave_record_to(path, NULL), STAVE_OK);
    memory_let_fail(request, false);
    assert_true(is_second_there());
    assert_int_equal(stave_record_to(NULL, &error), STAVE_E_MEMORY);
    memory_let_fail(0, false);
    uint64_t last = check_file(second, before, false);
    assert_int_equal(check_file(path, last, true), ended);
    assert_int_equal(stave_file_limits(NULL, NULL), STAVE_OK);
}

static void test_an_index_without_memory(void **state)
{
    for (unsigned request = 1; request <= 3; request++)
        index_fails_at(request);
}

/* ---- */

static int make_folder(void **state)
{
    bool made = mkdtemp(folder) != NULL;
    snprintf(path, sizeof path, "%s/run.stave", folder);
    snprintf(second, sizeof second, "%s.1", path);
    return !made;
}

static int remove_folder(void **state)
{
    unlink(path);
    unlink(second);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_write_fails),
        cmocka_unit_test(test_an_index_without_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
