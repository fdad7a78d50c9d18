/* The CSV reader, rule by rule (docs/csv.md): what a row becomes, and what is said of one that is
 * wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/csv_rows.h"

/* ---- rows ------------------------------------------------------------------------------------ */

static void test_span(void **state)
{
    csv_open(CSV_HEAD_LINE "job,task,1.0,2.5,3,,,0\n"
                           "irq,isr,-1.001,2.0,4294967295,,,1\n"
                           "job,task,3.0,3.0,,,ignored,\n");
    assert_int_equal(csv_rows_count, 3);
    assert_int_equal(csv_rows[0].kind, STAVE_SPANS);
    assert_string_equal(csv_rows[0].lane_name, "job");
    assert_int_equal(csv_rows[0].lane.kind, STAVE_LANE_TASK);
    assert_int_equal(csv_rows[0].lane.priority, 3);
    assert_false(csv_rows[0].lane.has_deadline);
    assert_int_equal(csv_rows[0].start, 1000);
    assert_int_equal(csv_rows[0].end, 2500);
    assert_int_equal(csv_rows[0].serial, 1);
    assert_int_equal(csv_rows[0].flags, 0);
    assert_null(csv_rows[0].name);
    assert_int_equal(csv_rows[1].lane.kind, STAVE_LANE_ISR);
    assert_int_equal(csv_rows[1].lane.priority, UINT32_MAX);
    assert_int_equal(csv_rows[1].start, -1001);
    assert_int_equal(csv_rows[1].serial, 2);
    assert_int_equal(csv_rows[1].flags, STAVE_FLAG_INTERRUPTED);
    assert_int_equal(csv_rows[2].lane.priority, 0);
    assert_int_equal(csv_rows[2].serial, 3);
    assert_int_equal(csv_file.stats.spans, 3);
    csv_close();
}

/* Where the end is not known, one before the start counts as the start. */
static void test_interrupted_backwards(void **state)
{
    csv_open(CSV_HEAD_LINE "job,task,5.0,1.0,0,,,1\n"
                           "job,task,4,-1e300,0,1004.0,,1\n");
    assert_int_equal(csv_rows_count, 2);
    assert_int_equal(csv_rows[0].start, 5000);
    assert_int_equal(csv_rows[0].end, 5000);
    assert_int_equal(csv_rows[0].flags, STAVE_FLAG_INTERRUPTED);
    assert_int_equal(csv_rows[1].start, 4000);
    assert_int_equal(csv_rows[1].end, 4000);
    assert_int_equal(csv_rows[1].flags, STAVE_FLAG_INTERRUPTED | STAVE_FLAG_SATURATED);
    assert_int_equal(csv_file.stats.saturated, 1);
    assert_string_equal(csv_file.csv, CSV_HEAD_LINE "job,task,5.0,5.0,0,,,1\n"
                                                    "job,task,4.0,4.0,0,1004.0,,1\n");
    csv_close();
}

/* Or it is not there at all. */
static void test_interrupted_without_end(void **state)
{
    csv_open(CSV_HEAD_LINE "job,task,5.0,,0,,,1\njob,task,-4.5, ,0,9,,TRUE\n");
    assert_int_equal(csv_rows_count, 2);
    assert_int_equal(csv_rows[0].end, 5000);
    assert_int_equal(csv_rows[0].flags, STAVE_FLAG_INTERRUPTED);
    assert_int_equal(csv_rows[1].end, -4500);
    assert_int_equal(csv_file.stats.rounded, 0);
    csv_close();
}

static void test_interrupted_in_words(void **state)
{
    static const char *const words[] = {"1", "1.0", "true",  "True",  "TRUE",  " 1e0 ", "\ttrue",
                                        "0", "0.0", "false", "False", "FALSE", " ",     ""};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char file[256];
        snprintf(file, sizeof file, CSV_HEAD_LINE "a,task,1.0,2.0,0,,,%s\n", words[i]);
        csv_open(file);
        assert_int_equal(csv_rows[0].flags, i < 7 ? STAVE_FLAG_INTERRUPTED : 0);
        csv_close();
    }
}

/* Of numbers alone: names keep them. */
static void test_blanks(void **state)
{
    csv_open(CSV_HEAD_LINE " a ,task, 1.0,2.5\t, 3 , 1501.0 ,, 0\n"
                           " a ,marker,\" 1.5 \",,,, 7,\n"
                           "g,gap, 1, 2,, , 17 ,\n"
                           "device reset,marker,3, , , , , \n");
    assert_int_equal(csv_rows_count, 4);
    assert_string_equal(csv_rows[0].lane_name, " a ");
    assert_int_equal(csv_rows[0].start, 1000);
    assert_int_equal(csv_rows[0].end, 2500);
    assert_int_equal(csv_rows[0].lane.priority, 3);
    assert_true(csv_rows[0].lane.deadline_ms == 1.5f);
    assert_int_equal(csv_rows[1].start, 1500);
    assert_int_equal(csv_rows[1].value, 7);
    assert_int_equal(csv_rows[2].value, 17);
    assert_int_equal(csv_rows[3].flags, STAVE_FLAG_RESTART);
    csv_close();
}

static void test_markers(void **state)
{
    csv_open(CSV_HEAD_LINE "alone,marker,1.0,1.0,0,,,0\n"
                           "job,isr,1.0,2.0,7,,,0\n"
                           "job,task,1.0,2.0,8,,,0\n"
                           "job,marker,2.5,nonsense,x,y,18446744073709551615,z\n"
                           "alone,marker,3.0,3.0,0,,300.0,0\n"
                           "alone,task,3.0,4.0,0,,,0\n");
    assert_int_equal(csv_rows[0].kind, STAVE_MARKS);
    assert_string_equal(csv_rows[0].lane_name, "alone");
    assert_int_equal(csv_rows[0].lane.kind, STAVE_LANE_TASK);
    assert_int_equal(csv_rows[0].lane.priority, 0);
    assert_null(csv_rows[0].name);
    assert_int_equal(csv_rows[0].value, 0);
    assert_int_equal(csv_rows[0].flags, 0);
    assert_int_equal(csv_rows[3].lane.kind, STAVE_LANE_ISR); /* the first of its name */
    assert_int_equal(csv_rows[3].lane.priority, 7);
    assert_int_equal(csv_rows[3].start, 2500);
    assert_true(csv_rows[3].value == UINT64_MAX);
    assert_int_equal(csv_rows[3].flags, STAVE_FLAG_HAS_VALUE);
    assert_int_equal(csv_rows[4].value, 300);
    assert_int_equal(stave_trace_lanes(csv_file.trace), 1 + 3);
    assert_int_equal(csv_file.stats.markers, 3);
    csv_close();
}

static double real_of(uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static void test_values(void **state)
{
    static const char text[] = CSV_HEAD_LINE "a,marker,1.0,1.0,0,,-5,0\n"
                                             "a,marker,2.0,2.0,0,,-9223372036854775808,0\n"
                                             "a,marker,3.0,3.0,0,,0.1,0\n"
                                             "a,marker,4.0,4.0,0,,-1.5,0\n"
                                             "a,marker,5.0,5.0,0,,100000000000000000000.0,0\n"
                                             "a,marker,6.0,6.0,0,,18446744073709551615,0\n";
    csv_open(text);
    assert_int_equal(csv_rows[0].flags, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_SIGNED);
    assert_true((int64_t)csv_rows[0].value == -5);
    assert_int_equal(csv_rows[1].flags, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_SIGNED);
    assert_true((int64_t)csv_rows[1].value == INT64_MIN);
    assert_int_equal(csv_rows[2].flags, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_REAL);
    assert_true(real_of(csv_rows[2].value) == 0.1);
    assert_int_equal(csv_rows[3].flags, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_REAL);
    assert_true(real_of(csv_rows[3].value) == -1.5);
    assert_true(real_of(csv_rows[4].value) == 1e20);
    assert_int_equal(csv_rows[5].flags, STAVE_FLAG_HAS_VALUE);
    assert_true(csv_rows[5].value == UINT64_MAX);
    assert_string_equal(csv_file.csv, text);
    csv_close();
    csv_open(CSV_HEAD_LINE "a,marker,1.0,1.0,0,,-3.0,0\na,marker,2.0,2.0,0,,25e-1,0\n"
                           "a,marker,3.0,3.0,0,,-0,0\na,marker,4.0,4.0,0,,1e30,0\n");
    assert_int_equal(csv_rows[0].flags, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_SIGNED);
    assert_true((int64_t)csv_rows[0].value == -3);
    assert_true(real_of(csv_rows[1].value) == 2.5);
    assert_int_equal(csv_rows[2].flags, STAVE_FLAG_HAS_VALUE);
    assert_int_equal(csv_rows[2].value, 0);
    assert_true(real_of(csv_rows[3].value) == 1e30);
    csv_close();
    csv_open(CSV_HEAD_LINE "a,marker,1.0,1.0,0,,1e-400,0\n"
                           "a,marker,2.0,2.0,0,,-0.99999999999999999999,0\n");
    assert_string_equal(csv_file.csv, CSV_HEAD_LINE "a,marker,1.0,1.0,0,,0,0\n"
                                                    "a,marker,2.0,2.0,0,,-1,0\n");
    csv_close();
}

static void test_truth(void **state)
{
    csv_open(CSV_HEAD_LINE "a,marker,1.0,1.0,0,,true,0\na,marker,2.0,2.0,0,,FALSE,0\n"
                           "a,marker,3.0,3.0,0,,\"True\",0\n");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(csv_rows[i].flags, STAVE_FLAG_HAS_VALUE | STAVE_FLAG_BOOL);
        assert_int_equal(csv_rows[i].value, i != 1);
    }
    assert_string_equal(csv_file.csv, CSV_HEAD_LINE "a,marker,1.0,1.0,0,,true,0\n"
                                                    "a,marker,2.0,2.0,0,,false,0\n"
                                                    "a,marker,3.0,3.0,0,,true,0\n");
    csv_close();
}

static void test_restarts(void **state)
{
    csv_open(CSV_HEAD_LINE "device reset,marker,4.0,4.0,0,,,0\n"
                           "device reset,marker,5.0,5.0,0,,1,0\n");
    assert_int_equal(csv_rows[0].lane.kind, STAVE_LANE_DEVICE);
    assert_int_equal(csv_rows[0].flags, STAVE_FLAG_RESTART);
    assert_string_equal(csv_rows[0].name, "device reset");
    assert_int_equal(csv_rows[1].lane.kind, STAVE_LANE_TASK);
    assert_int_equal(csv_rows[1].flags, STAVE_FLAG_HAS_VALUE);
    assert_int_equal(csv_file.stats.markers, 2);
    csv_close();
}

static void test_gaps(void **state)
{
    csv_open(CSV_HEAD_LINE "trace gap,gap,4.0,5.0,0,,17,0\n"
                           "lost,gap,6.0,6.0,,,,\n");
    assert_int_equal(csv_rows[0].kind, STAVE_GAPS);
    assert_int_equal(csv_rows[0].lane.kind, STAVE_LANE_DEVICE);
    assert_string_equal(csv_rows[0].lane_name, "");
    assert_int_equal(csv_rows[0].start, 4000);
    assert_int_equal(csv_rows[0].end, 5000);
    assert_int_equal(csv_rows[0].value, 17);
    assert_null(csv_rows[0].name);
    assert_int_equal(csv_rows[1].value, 0);
    assert_int_equal(csv_file.stats.gaps, 2);
    csv_close();
}

static void test_boot(void **state)
{
    csv_open(CSV_HEAD_LINE "a,task,1.0,9.5,0,,,0\na,task,2.0,3.0,0,,,0\n");
    assert_int_equal(stave_trace_boots(csv_file.trace), 1);
    assert_int_equal(stave_trace_anchors(csv_file.trace, 0), 1);
    assert_true(stave_trace_anchor(csv_file.trace, 0, 0).hz == 0);
    assert_true(stave_trace_boot(csv_file.trace, 0)->ended);
    assert_true(stave_trace_boot(csv_file.trace, 0)->offset_us == 0);
    assert_true(stave_trace_boot(csv_file.trace, 0)->end_us == 9.5);
    csv_close();
    csv_open(CSV_HEAD_LINE "a,marker,-7.5,,0,,,0\n");
    assert_true(stave_trace_boot(csv_file.trace, 0)->end_us == -7.5);
    csv_close();
    csv_open(CSV_HEAD_LINE);
    assert_true(stave_trace_boot(csv_file.trace, 0)->ended);
    assert_true(stave_trace_boot(csv_file.trace, 0)->end_us == 0);
    csv_close();
}

/* ---- times ----------------------------------------------------------------------------------- */

static void assert_time(const char *text, int64_t ns, unsigned rounded, unsigned saturated)
{
    char file[512];
    snprintf(file, sizeof file, CSV_HEAD_LINE "a,marker,%s,,0,,,0\n", text);
    csv_open(file);
    if (csv_rows[0].start != ns)
        fail_msg("%s: %lld ns", text, (long long)csv_rows[0].start);
    assert_int_equal(csv_file.stats.rounded, rounded);
    assert_int_equal(csv_file.stats.saturated, saturated);
    assert_int_equal(csv_rows[0].flags, saturated ? STAVE_FLAG_SATURATED : 0);
    csv_close();
}

static void test_times(void **state)
{
    assert_time("0", 0, 0, 0);
    assert_time("-0.0", 0, 0, 0);
    assert_time("12", 12000, 0, 0);
    assert_time("12.", 12000, 0, 0);
    assert_time(".5", 500, 0, 0);
    assert_time("+1.25", 1250, 0, 0);
    assert_time("1.002", 1002, 0, 0);
    assert_time("1.0020", 1002, 0, 0);
    assert_time("1e3", 1000000, 0, 0);
    assert_time("-1.5E-3", -2, 1, 0);
    assert_time("1.0004", 1000, 1, 0);
    assert_time("1.0005", 1001, 1, 0);
    assert_time("-1.0005", -1001, 1, 0);
    assert_time("13.88888888888889", 13889, 1, 0);
    assert_time("9007199254740.992", INT64_C(1) << 53, 0, 0);
    assert_time("9223372036854775.807", INT64_MAX, 0, 0);
    assert_time("1700000000000000.123", INT64_C(1700000000000000123), 0, 0);
    assert_time("9223372036854775.808", INT64_MAX, 0, 1);
    assert_time("-1e300", INT64_MIN, 0, 1);
}

static void test_saturated_span(void **state)
{
    csv_open(CSV_HEAD_LINE "a,task,-1e30,1e30,0,,,1\n"
                           "g,gap,0.0,1e30,0,,1,0\n");
    assert_true(csv_rows[0].start == INT64_MIN && csv_rows[0].end == INT64_MAX);
    assert_int_equal(csv_rows[0].flags, STAVE_FLAG_SATURATED | STAVE_FLAG_INTERRUPTED);
    assert_int_equal(csv_rows[1].flags, STAVE_FLAG_SATURATED);
    assert_int_equal(csv_file.stats.saturated, 3);
    csv_close();
}

/* ---- files ----------------------------------------------------------------------------------- */

static void test_columns_in_any_order(void **state)
{
    csv_open("end_us,colour,start_us,type,note,name\n"
             "2.0,red,1.0,task,\"a \"\"b\"\", c\",job\n"
             "2.5,,2.0,isr,,irq");
    assert_int_equal(csv_rows_count, 2);
    assert_string_equal(csv_rows[0].lane_name, "job");
    assert_int_equal(csv_rows[0].end, 2000);
    assert_string_equal(csv_rows[1].lane_name, "irq");
    assert_int_equal(csv_rows[1].lane.kind, STAVE_LANE_ISR);
    csv_close();
}

static void test_line_ends(void **state)
{
    csv_open("\xef\xbb\xbfname,type,start_us,end_us\r\na,task,1.0,2.0\r\n\r\nb,task,3,4\n\n\n"
             "c,task,5,6\r");
    assert_int_equal(csv_rows_count, 3);
    assert_int_equal(csv_rows[2].end, 6000);
    assert_string_equal(csv_rows[2].lane_name, "c");
    csv_close();
}

static void test_quotes(void **state)
{
    csv_open("\xef\xbb\xbf\"name\",\"type\",start_us,\"end_us\"\r\n"
             "\"a,\"\"b\"\"\r\nc\",\"task\",\"1.0\",\"2.0\"\r\n"
             "\"\",task,1,2\n"
             "\"\"\"\",task,1,\"2\"\n"
             "=1+1,task,1,2\n");
    assert_int_equal(csv_rows_count, 4);
    assert_string_equal(csv_rows[0].lane_name, "a,\"b\"\r\nc");
    assert_int_equal(csv_rows[0].end, 2000);
    assert_string_equal(csv_rows[1].lane_name, "");
    assert_string_equal(csv_rows[2].lane_name, "\"");
    assert_string_equal(csv_rows[3].lane_name, "=1+1");
    csv_close();
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* A file that fails, alike at once and byte by byte. */
static void assert_fails_at(const char *file, uint64_t offset, const char *message)
{
    for (size_t cut = 0; cut < 2; cut++) {
        struct csv_result read;
        csv_read(file, strlen(file), cut, &read);
        assert_int_equal(read.status, STAVE_E_FORMAT);
        assert_int_equal(read.error.status, STAVE_E_FORMAT);
        assert_string_equal(read.error.message, message);
        assert_int_equal(read.error.offset, offset);
        csv_read_free(&read);
    }
}

/* One that fails in its third row. */
static void assert_row_fails(const char *row, const char *message)
{
    static const char before[] = CSV_HEAD_LINE "a,task,1.0,2.0,0,,,0\n";
    char file[4096];
    snprintf(file, sizeof file, "%s%s\nrest,task,1.0,2.0,0,,,0\n", before, row);
    assert_fails_at(file, sizeof before - 1, message);
}

static void test_wrong_values(void **state)
{
    assert_row_fails("a,task,abc,2.0,0,,,0",
                     "row 3: start_us: \"abc\" is not a number of microseconds");
    assert_row_fails("a,marker,,,0,,,0", "row 3: start_us: \"\" is not a number of microseconds");
    assert_row_fails("a,task,1.0,nan,0,,,0",
                     "row 3: end_us: \"nan\" is not a number of microseconds");
    assert_row_fails("a,task,1.0,0.999,0,,,0", "row 3: end_us: \"0.999\" is before start_us");
    assert_row_fails("a,gap,1e3,1.0,0,,1,0", "row 3: end_us: \"1.0\" is before start_us");
    assert_row_fails("a,task,1.0,2.0,-1,,,0",
                     "row 3: priority: \"-1\" is not a whole number from 0 to 4294967295");
    assert_row_fails("a,task,1.0,2.0,4294967296,,,0",
                     "row 3: priority: \"4294967296\" is not a whole number from 0 to 4294967295");
    assert_row_fails("a,task,1.0,2.0,0,inf,,0",
                     "row 3: deadline_us: \"inf\" is not a number of microseconds");
    assert_row_fails("a,task,1.0,2.0,0,,,2",
                     "row 3: interrupted: \"2\" is none of 0, 1, true and false");
    assert_row_fails("a,task,1.0,2.0,0,,,truer",
                     "row 3: interrupted: \"truer\" is none of 0, 1, true and false");
    assert_row_fails("a,task,1.0,,0,,,false",
                     "row 3: end_us: \"\" is not a number of microseconds");
    assert_row_fails("a,task,1.0 ,2 .0,0,,,0",
                     "row 3: end_us: \"2 .0\" is not a number of microseconds");
    assert_row_fails("a, task,1.0,2.0,0,,,0",
                     "row 3: type: \" task\" is none of task, isr, marker and gap");
    assert_row_fails("a,marker,1.0,1.0,0,,soon,0", "row 3: value: \"soon\" is not a number");
    assert_row_fails(
        "a,marker,1.0,1.0,0,,18446744073709551616,0",
        "row 3: value: \"18446744073709551616\" is beyond the numbers that a value can "
        "be");
    assert_row_fails(
        "a,marker,1.0,1.0,0,,-9223372036854775809,0",
        "row 3: value: \"-9223372036854775809\" is beyond the numbers that a value can "
        "be");
    assert_row_fails("a,marker,1.0,1.0,0,,1e400,0",
                     "row 3: value: \"1e400\" is beyond the numbers that a value can be");
    assert_row_fails("a,gap,1.0,1.0,0,,1.5,0",
                     "row 3: value: \"1.5\" is not a whole number from 0 to 18446744073709551615");
    assert_row_fails("a,gap,1.0,1.0,0,,-1,0",
                     "row 3: value: \"-1\" is not a whole number from 0 to 18446744073709551615");
    assert_row_fails("a,gap,1.0,1.0,0,,many,0",
                     "row 3: value: \"many\" is not a whole number from 0 to 18446744073709551615");
    assert_row_fails("a,thread,1.0,2.0,0,,,0",
                     "row 3: type: \"thread\" is none of task, isr, marker and gap");
    assert_row_fails("a,,1.0,2.0,0,,,0", "row 3: type: \"\" is none of task, isr, marker and gap");
}

/* What is shown of a field can be printed, and is not long. */
static void test_shown_text(void **state)
{
    assert_row_fails("a,t\x1b\x7f\xff\xc2\x85\xc3\xa4\t,1.0,2.0,0,,,0",
                     "row 3: type: \"t????\xc3\xa4?\" is none of task, isr, marker and gap");
    assert_row_fails("a,\"x\"\"\ny\",1.0,2.0,0,,,0",
                     "row 3: type: \"x\"?y\" is none of task, isr, marker and gap");
    assert_row_fails("a,0123456789012345678901234567890123456789,1.0,2.0,0,,,0",
                     "row 3: type: \"0123456789012345678901234567890123456789\" is none of task, "
                     "isr, marker and gap");
    assert_row_fails("a,012345678901234567890123456789012345678\xc3\xa4,1.0,2.0,0,,,0",
                     "row 3: type: \"012345678901234567890123456789012345678...\" is none of task, "
                     "isr, marker and gap");
}

static void test_wrong_rows(void **state)
{
    assert_row_fails("a,task,1.0,2.0,0,,0", "row 3: 7 fields where the head has 8");
    assert_row_fails("hello", "row 3: 1 field where the head has 8");
    assert_row_fails("a,b,task,1.0,2.0,0,,,0", "row 3: 9 fields where the head has 8; one with a "
                                               "comma in it has to be in quotes");
    assert_row_fails("5\" disk \"a\",task,1.0,2.0,0,,,0\"",
                     "row 3: a quote within a field; put quotes around the field and double the "
                     "one in it");
    assert_row_fails("\"a\"b,task,1.0,2.0,0,,,0",
                     "row 3: a quote within a field; put quotes around the field and double the "
                     "one in it");
    assert_row_fails("\"a,task,1.0,2.0,0,,,0", "row 3: the file ends within quotes");
    assert_fails_at("name,type,start_us,end_us\n\nb,x,1,2\n", 27,
                    "row 3: type: \"x\" is none of task, isr, marker and gap");
}

static void test_wrong_heads(void **state)
{
    static const char nothing[] = "there is no row; the first has to name the columns: name, type, "
                                  "start_us, end_us ...";
    assert_fails_at("", 0, nothing);
    assert_fails_at("\n\r\n", 0, nothing);
    assert_fails_at("\xef\xbb\xbf", 0, nothing);
    assert_fails_at("hello\n", 0,
                    "row 1: no column \"name\"; the first row has to name at least name, type, "
                    "start_us and end_us");
    assert_fails_at("end_us,name,type\n1,a,task\n", 0,
                    "row 1: no column \"start_us\"; the first row has to name at least name, type, "
                    "start_us and end_us");
    assert_fails_at("\nname,type,start_us,end_us,x,type", 1, "row 2: two columns \"type\"");
    assert_fails_at("name,\"type", 0, "row 1: the file ends within quotes");
    assert_fails_at("name,ty\"\"pe\n", 0,
                    "row 1: a quote within a field; put quotes around the field and double the "
                    "one in it");
}

static void test_many_columns(void **state)
{
    char file[2048] = "name,type,start_us,end_us";
    struct csv_result read;
    for (int i = 4; i < 256; i++)
        strcat(file, ",x");
    csv_read_text(file, &read);
    assert_int_equal(read.status, STAVE_OK);
    csv_read_free(&read);
    strcat(file, ",x");
    assert_fails_at(file, 0, "row 1: more than 256 columns");
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void check_long_row(size_t size, size_t cut, bool quoted, bool fits)
{
    static const char head[] = "name,type,start_us,end_us\n";
    static const char rest[] = ",task,1,2\r\n";
    size_t name = size + 1 - (sizeof rest - 1);
    size_t file_size = sizeof head - 1 + size + 1;
    char *file = malloc(file_size);
    struct csv_result read;
    memcpy(file, head, sizeof head - 1);
    memset(file + sizeof head - 1, 'x', name);
    memcpy(file + file_size - (sizeof rest - 1), rest, sizeof rest - 1);
    if (quoted)
        file[sizeof head - 1] = file[sizeof head - 1 + name - 1] = '"';
    csv_read(file, file_size, cut, &read);
    assert_int_equal(read.status, fits ? STAVE_OK : STAVE_E_FORMAT);
    assert_string_equal(read.error.message,
                        fits ? "" : "row 2: longer than 1048576 bytes; is a quote not closed?");
    assert_int_equal(read.error.offset, fits ? 0 : sizeof head - 1);
    csv_read_free(&read);
    free(file);
}

static void test_long_rows(void **state)
{
    static const size_t cuts[] = {0, 1000, CSV_RANDOM + 1};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        for (int quoted = 0; quoted < 2; quoted++) {
            check_long_row(STAVE_CSV_LINE_MAX, cuts[i], quoted, true);
            check_long_row(STAVE_CSV_LINE_MAX + 1, cuts[i], quoted, false);
        }
    }
}

/* Lanes of one name, by priority, up to the most that there may be. */
static void test_many_lanes(void **state)
{
    static char file[STAVE_DECODER_IDS_MAX * 24];
    struct csv_result read;
    int size = sprintf(file, "name,type,start_us,end_us,priority,deadline_us\n");
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 500; i++)
            size += sprintf(file + size, "a,task,%d,%d,%d,%d\n", i, i, i, 2 * i);
    csv_read(file, (size_t)size, 0, &read);
    assert_int_equal(read.status, STAVE_OK);
    assert_int_equal(stave_trace_lanes(read.trace), 1 + 500);
    csv_read_free(&read);

    size = sprintf(file, "name,type,start_us,end_us,priority\n");
    for (int i = 0; i < STAVE_DECODER_IDS_MAX; i++)
        size += sprintf(file + size, "a,task,1,1,%d\n", i);
    size += sprintf(file + size, "a,task,1,1,65535\na,marker,1,1,0\na,task,1,1,7\n");
    csv_read(file, (size_t)size, 0, &read);
    assert_int_equal(read.status, STAVE_OK);
    assert_int_equal(read.stats.rows, 65539);
    csv_read_free(&read);

    sprintf(file + size, "b,marker,1,1,0\n");
    csv_read_text(file, &read);
    assert_int_equal(read.status, STAVE_E_LIMIT);
    assert_string_equal(read.error.message,
                        "row 65541: more than 65536 lanes; a lane is a name with its type and "
                        "priority");
    assert_int_equal(read.error.offset, size);
    csv_read_free(&read);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static void test_states(void **state)
{
    stave_trace *trace;
    stave_csv_reader *reader;
    stave_error error = {0};
    assert_int_equal(stave_trace_new(NULL, &trace, NULL), STAVE_OK);
    assert_int_equal(stave_csv_reader_new(NULL, trace, &reader, NULL), STAVE_OK);
    assert_int_equal(stave_csv_reader_feed(reader, NULL, 0, NULL), STAVE_OK);
    assert_int_equal(stave_csv_reader_feed(reader, "hello\n", 6, NULL), STAVE_E_FORMAT);
    assert_int_equal(stave_csv_reader_feed(reader, "x", 1, &error), STAVE_E_STATE);
    assert_string_equal(error.message, "the reader failed before; make a new one");
    assert_int_equal(stave_csv_reader_finish(reader, NULL), STAVE_E_STATE);
    stave_csv_reader_free(reader);

    error = (stave_error){0};
    assert_int_equal(stave_csv_reader_new(NULL, trace, &reader, NULL), STAVE_OK);
    assert_int_equal(stave_csv_reader_feed(reader, CSV_HEAD_LINE, sizeof CSV_HEAD_LINE - 1, NULL),
                     STAVE_OK);
    assert_int_equal(stave_csv_reader_finish(reader, NULL), STAVE_OK);
    assert_int_equal(stave_csv_reader_finish(reader, &error), STAVE_E_STATE);
    assert_string_equal(error.message, "the file was finished; a new one needs a new reader");
    assert_int_equal(stave_csv_reader_feed(reader, "x", 1, NULL), STAVE_E_STATE);
    stave_csv_reader_free(reader);
    stave_csv_reader_free(NULL);
    stave_trace_free(trace);
}

/* A caller's struct may be older or newer than the library's. */
static void test_stats_sizes(void **state)
{
    struct {
        stave_csv_reader_stats stats;
        uint64_t newer;
    } large = {.newer = 7};
    uint64_t first = 7;
    stave_trace *trace;
    stave_csv_reader *reader;
    static const char file[] = CSV_HEAD_LINE "a,task,1.0,2.0,0,,,0\n";
    assert_int_equal(stave_trace_new(NULL, &trace, NULL), STAVE_OK);
    assert_int_equal(stave_csv_reader_new(NULL, trace, &reader, NULL), STAVE_OK);
    assert_int_equal(stave_csv_reader_feed(reader, file, sizeof file - 1, NULL), STAVE_OK);
    stave_csv_reader_stats_sized(reader, (stave_csv_reader_stats *)&first, sizeof first);
    assert_int_equal(first, 1);
    stave_csv_reader_stats_sized(reader, &large.stats, sizeof large);
    assert_int_equal(large.stats.rows, 1);
    assert_int_equal(large.newer, 0);
    stave_csv_reader_free(reader);
    stave_trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_span),
        cmocka_unit_test(test_interrupted_backwards),
        cmocka_unit_test(test_interrupted_without_end),
        cmocka_unit_test(test_interrupted_in_words),
        cmocka_unit_test(test_blanks),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_truth),
        cmocka_unit_test(test_restarts),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_boot),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_saturated_span),
        cmocka_unit_test(test_columns_in_any_order),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_shown_text),
        cmocka_unit_test(test_wrong_rows),
        cmocka_unit_test(test_wrong_heads),
        cmocka_unit_test(test_many_columns),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_many_lanes),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_stats_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
