/* test_alloc_csv.c - memory runs out at the n-th request while a CSV is read, for every n: an error
 * that says so, nothing leaked, and what there is of the trace can still be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fault/memory.h"
#include "stave/decode.h"
#include "stave/export.h"

/* ---- a file that is read --------------------------------------------------------------------- */

/* Bytes fed at a time: most rows are cut, so that the reader has to carry parts of them. */
#define CHUNK 61
#define FILE_MAX (1 << 16)

static const char head[] = "name,type,start_us,end_us,priority,deadline_us,value,interrupted\n";

static struct {
    char bytes[FILE_MAX];
    size_t size;
} file;

static struct {
    stave_trace *trace;
    stave_csv_reader *reader;
    char csv[FILE_MAX];
    size_t csv_size;
} run;

static void begin_file(void)
{
    memcpy(file.bytes, head, sizeof head);
    file.size = sizeof head - 1;
}

static void add(const char *row)
{
    size_t size = strlen(row);
    assert_true(size < FILE_MAX - file.size);
    memcpy(file.bytes + file.size, row, size);
    file.size += size;
}

static int read_all(stave_error *error)
{
    int status = stave_trace_new(NULL, &run.trace, error);
    if (status >= 0)
        status = stave_csv_reader_new(NULL, run.trace, &run.reader, error);
    for (size_t at = 0; status >= 0 && at < file.size; at += CHUNK) {
        size_t left = file.size - at;
        status =
            stave_csv_reader_feed(run.reader, file.bytes + at, left < CHUNK ? left : CHUNK, error);
    }
    return status < 0 ? status : stave_csv_reader_finish(run.reader, error);
}

static int append(void *context, const void *data, size_t size)
{
    (void)context;
    assert_true(size <= sizeof run.csv - run.csv_size);
    memcpy(run.csv + run.csv_size, data, size);
    run.csv_size += size;
    return STAVE_OK;
}

static void write_csv(void)
{
    run.csv_size = 0;
    assert_int_equal(stave_export_csv(run.trace, (stave_sink){.write = append}, NULL, NULL),
                     STAVE_OK);
}

static void clear(void)
{
    stave_csv_reader_free(run.reader);
    stave_trace_free(run.trace);
    run.reader = NULL;
    run.trace = NULL;
}

/* ---- every request in turn ------------------------------------------------------------------- */

/* A reader that failed takes nothing more; the rows before are there. */
static void check_after_failure(int status, const stave_error *error)
{
    assert_int_equal(status, STAVE_E_MEMORY);
    assert_int_equal(error->status, STAVE_E_MEMORY);
    assert_true(error->message[0] != '\0');
    if (run.reader == NULL)
        return;
    assert_int_equal(stave_csv_reader_feed(run.reader, "\n", 1, NULL), STAVE_E_STATE);
    assert_int_equal(stave_csv_reader_finish(run.reader, NULL), STAVE_E_STATE);
    write_csv();
    assert_true(run.csv_size < file.size);
    assert_memory_equal(run.csv, file.bytes, run.csv_size);
}

/* False when there are fewer requests than that. */
static bool fails_at(unsigned request, bool for_good)
{
    long before = memory.live;
    stave_error error = {0};
    memory_let_fail(request, for_good);
    int status = read_all(&error);
    bool failed = memory.requests >= request;
    memory_let_fail(0, false);
    if (failed) {
        check_after_failure(status, &error);
    } else {
        assert_int_equal(status, STAVE_OK);
        write_csv();
        assert_int_equal(run.csv_size, file.size);
        assert_memory_equal(run.csv, file.bytes, file.size);
    }
    clear();
    assert_int_equal(memory.live, before);
    return failed;
}

static void check_every_request(unsigned least)
{
    unsigned request = 1;
    while (fails_at(request, false))
        request++;
    assert_true(request > least); /* else the requests are not seen */
    for (request = 1; fails_at(request, true);)
        request += 1 + request / 16; /* each of the first, some of the others */
}

static void test_each_kind(void **state)
{
    begin_file();
    add("a,task,1.0,2.0,3,,,0\n");
    add("\"b,\"\"c\"\"\",isr,1.0,2.0,3,1501.0,,1\n");
    add("device reset,marker,2.0,2.0,0,,,0\n");
    add("m,marker,3.0,3.0,0,,7,0\n");
    add("trace gap,gap,4.0,5.0,0,,1,0\n");
    check_every_request(15);
}

/* More names, lanes and rows than the first tables and blocks hold. */
static void test_many_lanes(void **state)
{
    char row[64];
    begin_file();
    for (int i = 0; i < 300; i++) {
        snprintf(row, sizeof row, "task %d,task,%d.0,%d.5,%d,%d.0,,0\n", i % 200, i, i, i % 7,
                 i + 125 * (i % 3));
        add(row);
    }
    check_every_request(300);
}

/* The block in hand ends where the first span with a deadline of its own comes. */
static void test_own_deadlines(void **state)
{
    begin_file();
    add("a,task,1.0,2.0,3,1501.0,,0\n");
    add("a,task,2.0,3.0,3,1501.0,,0\n");
    add("a,task,3.0,4.0,3,1503.0,,0\n");
    add("b,task,3.5,4.0,3,100.0,,0\n");
    add("b,task,4.5,5.0,3,,,0\n");
    check_every_request(15);
}

/* A row longer than what is first kept of one. */
static void test_long_row(void **state)
{
    static char row[20000];
    memset(row, 'x', sizeof row);
    strcpy(row + sizeof row - sizeof ",task,1.0,2.0,3,,,0\n", ",task,1.0,2.0,3,,,0\n");
    begin_file();
    add(row);
    check_every_request(12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind),
        cmocka_unit_test(test_many_lanes),
        cmocka_unit_test(test_own_deadlines),
        cmocka_unit_test(test_long_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
