/* The options of the CSV reader: rows that are left out, names of two kinds, heads without rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/trace.h"
#include "unit/csv_read.h"

#define TOLD_MAX 16

static stave_error told[TOLD_MAX];
static unsigned told_count;

static void note_dropped(void *context, const stave_error *why)
{
    assert_ptr_equal(context, told);
    assert_true(told_count < TOLD_MAX);
    told[told_count++] = *why;
}

static const stave_csv_reader_config dropping = {
    .drop_unreadable = true, .dropped = note_dropped, .dropped_context = told};
static const stave_csv_reader_config one_kind = {.one_kind = true};
static const stave_csv_reader_config rows_needed = {.rows_needed = true};

static void assert_told(unsigned i, uint64_t offset, const char *message)
{
    assert_true(i < told_count);
    assert_int_equal(told[i].status, STAVE_E_FORMAT);
    assert_int_equal(told[i].offset, offset);
    assert_string_equal(told[i].message, message);
}

/* ---- what can be read, at once and byte by byte ---------------------------------------------- */

static void read_as(const stave_csv_reader_config *config, const char *text,
                    struct csv_result *read)
{
    struct csv_result cut;
    told_count = 0;
    csv_read_as(config, text, strlen(text), 1, &cut);
    unsigned cut_told = told_count;
    told_count = 0;
    csv_read_as(config, text, strlen(text), 0, read);
    csv_assert_same(&cut, read);
    assert_int_equal(cut_told, told_count);
    csv_read_free(&cut);
}

static void assert_reads(const stave_csv_reader_config *config, const char *text)
{
    struct csv_result read;
    read_as(config, text, &read);
    assert_int_equal(read.status, STAVE_OK);
    csv_read_free(&read);
}

static void assert_fails(const stave_csv_reader_config *config, const char *text, uint64_t offset,
                         const char *message)
{
    struct csv_result read;
    read_as(config, text, &read);
    assert_int_equal(read.status, STAVE_E_FORMAT);
    assert_string_equal(read.error.message, message);
    assert_int_equal(read.error.offset, offset);
    csv_read_free(&read);
}

/* ---- rows that are left out ------------------------------------------------------------------ */

/* One wrong cell a row, in each column that is looked at; what else there is stays. */
static void test_dropped(void **state)
{
    struct csv_result read;
    read_as(&dropping,
            CSV_HEAD_LINE "a,task,x,2.0,1,,,0\n"
                          "a,task,1.0,,1,,,0\n"
                          "a,task,1.0,2.0,high,,,0\n"
                          "a,task,1.0,2.0,1,soon,,0\n"
                          "a,task,1.0,2.0,1,,,no\n"
                          "kept,task,1.0,2.0,1,,ignored,0\n"
                          "m,marker,,,0,,,0\n"
                          "m,marker,3.0,ignored,0,,abc,0\n"
                          "m,marker,3.0,3.0,0,,7,0\n"
                          "g,gap,3.0,nan,0,,1,0\n",
            &read);
    assert_int_equal(read.status, STAVE_OK);
    assert_string_equal(read.csv, CSV_HEAD_LINE "kept,task,1.0,2.0,1,,,0\n"
                                                "m,marker,3.0,3.0,0,,7,0\n");
    assert_int_equal(read.stats.rows, 2);
    assert_int_equal(read.stats.dropped, 8);
    assert_int_equal(told_count, 8);
    size_t head = sizeof CSV_HEAD_LINE - 1;
    assert_told(0, head, "row 2: start_us: \"x\" is not a number of microseconds");
    assert_told(1, head + 19, "row 3: end_us: \"\" is not a number of microseconds");
    assert_told(2, head + 37,
                "row 4: priority: \"high\" is not a whole number from 0 to 4294967295");
    assert_told(3, head + 61, "row 5: deadline_us: \"soon\" is not a number of microseconds");
    assert_told(4, head + 86, "row 6: interrupted: \"no\" is none of 0, 1, true and false");
    assert_told(5, head + 139, "row 8: start_us: \"\" is not a number of microseconds");
    assert_told(6, head + 156, "row 9: value: \"abc\" is not a number");
    assert_told(7, head + 210, "row 11: end_us: \"nan\" is not a number of microseconds");
    csv_read_free(&read);
}

/* Nothing of such a row is in the trace: no lane, no time, no count, no kind of its name. */
static void test_dropped_leaves_nothing(void **state)
{
    const stave_csv_reader_config config = {.drop_unreadable = true, .one_kind = true};
    struct csv_result read;
    read_as(&config,
            CSV_HEAD_LINE "a,task,1.00001,1e300,1,,,x\n"
                          "m,marker,1e300,,1,,x,0\n"
                          "g,gap,1e300,1e300,,,x,0\n"
                          "a,isr,1.0,2.0,1,,,0\n",
            &read);
    assert_int_equal(read.status, STAVE_OK);
    assert_int_equal(read.stats.dropped, 3);
    assert_int_equal(read.stats.rounded, 0);
    assert_int_equal(read.stats.saturated, 0);
    assert_int_equal(stave_trace_lanes(read.trace), 1 + 1);
    assert_true(stave_trace_boot(read.trace, 0)->end_us == 2.0);
    csv_read_free(&read);
}

/* The trace says it, and so does a file that is made of it. */
static void test_dropped_is_told(void **state)
{
    struct csv_result read;
    read_as(&dropping, CSV_HEAD_LINE "a,task,x,2.0,1,,,0\n", &read);
    assert_int_equal(stave_trace_find_property(read.trace, "csv.dropped")->value, 1);
    csv_read_free(&read);
    read_as(&dropping, CSV_HEAD_LINE "a,task,1.0,2.0,1,,,0\n", &read);
    assert_null(stave_trace_find_property(read.trace, "csv.dropped"));
    csv_read_free(&read);
}

/* What is wrong in another way stays an error, also behind a row that was left out. */
static void test_not_dropped(void **state)
{
    size_t second = sizeof CSV_HEAD_LINE - 1 + sizeof "a,task,x,2,,,,\n" - 1;
#define DROPPED CSV_HEAD_LINE "a,task,x,2,,,,\n"
    assert_fails(&dropping, DROPPED "a,thread,1,2,,,,\n", second,
                 "row 3: type: \"thread\" is none of task, isr, marker and gap");
    assert_fails(&dropping, DROPPED "a,task,1,2\n", second, "row 3: 4 fields where the head has 8");
    assert_fails(&dropping, DROPPED "a,task,2,1,,,,\n", second,
                 "row 3: end_us: \"1\" is before start_us");
    assert_fails(&dropping, DROPPED "a,gap,2,1,,,,1\n", second,
                 "row 3: end_us: \"1\" is before start_us");
    assert_fails(&dropping, DROPPED "\"a,task,1,2,,,,\n", second,
                 "row 3: the file ends within quotes");
    assert_fails(&dropping, "name,type,start_us\na,task,1\n", 0,
                 "row 1: no column \"end_us\"; the first row has to name at least name, type, "
                 "start_us and end_us");
#undef DROPPED
}

/* Without anyone to tell. */
static void test_dropped_silently(void **state)
{
    const stave_csv_reader_config config = {.drop_unreadable = true};
    struct csv_result read;
    read_as(&config, CSV_HEAD_LINE "a,task,x,2.0,1,,,0\n", &read);
    assert_int_equal(read.status, STAVE_OK);
    assert_int_equal(read.stats.dropped, 1);
    csv_read_free(&read);
}

/* ---- names of two kinds ---------------------------------------------------------------------- */

static void test_one_kind(void **state)
{
    static const char text[] = CSV_HEAD_LINE "a,marker,1,,,,,\n"
                                             "a,isr,1,2,,,,\n"
                                             "a,isr,1,2,7,,,\n"
                                             "a,marker,1,,,,,\n"
                                             "b,task,1,2,,,,\n"
                                             "b,marker,1,,,,,\n"
                                             "a,task,1,2,,,,\n";
    assert_reads(NULL, text);
    assert_fails(&one_kind, text, strlen(text) - sizeof "a,task,1,2,,,,",
                 "row 8: name: \"a\" is a task here and an isr in row 3");
    assert_fails(&one_kind, CSV_HEAD_LINE "a,task,1,2,,,,\na,isr,1,2,,,,\n",
                 sizeof CSV_HEAD_LINE - 1 + sizeof "a,task,1,2,,,,",
                 "row 3: name: \"a\" is an isr here and a task in row 2");
}

/* Markers and gaps have no kind. */
static void test_one_kind_of_others(void **state)
{
    assert_reads(&one_kind, CSV_HEAD_LINE "a,marker,1,,,,,\n"
                                          "a,isr,1,2,,,,\n"
                                          "a,gap,1,2,,,,\n"
                                          "b,task,1,2,,,,\n"
                                          "b,marker,1,,,,,\n"
                                          "b,gap,1,2,,,,\n");
}

/* ---- heads without rows ---------------------------------------------------------------------- */

static void test_rows_needed(void **state)
{
    static const char row_2[] = "row 2: the file ends here; there is no row below the head";
    const stave_csv_reader_config with_dropped = {.rows_needed = true, .drop_unreadable = true};
    size_t head = sizeof CSV_HEAD_LINE - 1;
    assert_reads(NULL, CSV_HEAD_LINE);
    assert_fails(&rows_needed, CSV_HEAD_LINE, head, row_2);
    assert_fails(&rows_needed, "name,type,start_us,end_us", 25, row_2);
    assert_fails(&rows_needed, CSV_HEAD_LINE "\n\r\n", head + 3, row_2);
    assert_fails(&rows_needed, "\n" CSV_HEAD_LINE, head + 1,
                 "row 3: the file ends here; there is no row below the head");
    assert_fails(&rows_needed, "", 0,
                 "there is no row; the first has to name the columns: name, type, start_us, "
                 "end_us ...");
    assert_reads(&rows_needed, CSV_HEAD_LINE "a,marker,1,,,,,");
    assert_reads(&with_dropped, CSV_HEAD_LINE "a,marker,x,,,,,");
}

/* ---- the struct ------------------------------------------------------------------------------ */

/* A caller's struct may be older or newer than the library's. */
static void test_config_sizes(void **state)
{
    struct {
        stave_csv_reader_config config;
        uint64_t newer;
    } large = {.newer = 0};
    stave_trace *trace;
    stave_csv_reader *reader;
    stave_error error = {0};
    assert_int_equal(stave_trace_new(NULL, &trace, NULL), STAVE_OK);
    assert_int_equal(
        stave_csv_reader_new_sized(&large.config, sizeof large, trace, &reader, &error), STAVE_OK);
    stave_csv_reader_free(reader);
    large.newer = 1;
    assert_int_equal(
        stave_csv_reader_new_sized(&large.config, sizeof large, trace, &reader, &error),
        STAVE_E_ARGUMENT);
    assert_int_equal(error.status, STAVE_E_ARGUMENT);
    stave_trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_dropped_leaves_nothing),
        cmocka_unit_test(test_dropped_is_told),
        cmocka_unit_test(test_not_dropped),
        cmocka_unit_test(test_dropped_silently),
        cmocka_unit_test(test_one_kind),
        cmocka_unit_test(test_one_kind_of_others),
        cmocka_unit_test(test_rows_needed),
        cmocka_unit_test(test_config_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
