/* Version 1, and telling the versions apart: as test_decode.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/stream.h"

static void test_version_1_restarts(void **state)
{
    begin();
    v1_frame(WIRE_MARKER, 100, 50000000, "a");
    v1_frame(WIRE_MARKER, 101, 39999999, "b"); /* 10.000001 ms back: a restart */
    v1_frame(WIRE_MARKER, 102, 30000000, "c"); /* 9.999999 ms back: none */
    v1_frame(WIRE_MARKER, 38, 60000000, "d");  /* 65 behind the next: a restart */
    assert_decodes_to("a,marker,50000.0,50000.0,0,,,0\n"
                      "device reset,marker,50000.0,50000.0,0,,,0\n"
                      "b,marker,89999.99900000001,89999.99900000001,0,,,0\n"
                      "c,marker,80000.0,80000.0,0,,,0\n"
                      "device reset,marker,89999.99900000001,89999.99900000001,0,,,0\n"
                      "d,marker,149999.999,149999.999,0,,,0\n");
    assert_int_equal(result.stats.resets, 2);
    free_result();
}

static void test_version_1_number_wraps(void **state)
{
    begin();
    v1_frame(WIRE_SPAN_START, UINT32_MAX - 1, 1000, "a");
    v1_frame(WIRE_SPAN_END, UINT32_MAX, 2000, "a");
    v1_frame(WIRE_SPAN_START, 0, 3000, "a");
    v1_frame(WIRE_SPAN_END, 3, 4000, "a"); /* behind a hole of two */
    assert_decodes_to("a,task,1.0,2.0,2,,,0\na,task,3.0,3.0,2,,,1\ntrace gap,gap,3.0,4.0,0,,2,0\n");
    assert_int_equal(result.stats.resets, 0);
    assert_int_equal(result.stats.orphan_ends, 0);
    free_result();
}

static void test_version_1_loses_many_at_once(void **state)
{
    begin();
    v1_frame(WIRE_MARKER, 7, 1000, "a");
    v1_frame(WIRE_MARKER, 1000000007, 2000, "a");
    v1_frame(WIRE_MARKER, 1000000006, 2500, "a"); /* a straggler: the gap stays */
    assert_decodes_to("a,marker,1.0,1.0,0,,,0\na,marker,2.0,2.0,0,,,0\n"
                      "a,marker,2.5,2.5,0,,,0\ntrace gap,gap,1.0,2.0,0,,999999999,0\n");
    free_result();
}

static void test_version_1_without_a_name_is_unresolved(void **state)
{
    begin();
    v1_frame(WIRE_MARKER, 0, 1000, "a");
    v1_frame(WIRE_MARKER, 1, 2000, "");
    v1_frame(WIRE_MARKER, 2, 3000, "b");
    assert_decodes_to("a,marker,1.0,1.0,0,,,0\nb,marker,3.0,3.0,0,,,0\n");
    assert_int_equal(result.stats.unresolved, 1);
    assert_int_equal(result.stats.gaps, 0);
    free_result();
}

static void test_version_1_names_beyond_the_limit_are_unresolved(void **state)
{
    begin();
    for (uint32_t i = 0; i < STAVE_DECODER_IDS_MAX + 50; i++) {
        char name[16];
        snprintf(name, sizeof name, "%x", (unsigned)i);
        v1_frame(WIRE_MARKER, i, i, name);
    }
    v1_frame(WIRE_MARKER, STAVE_DECODER_IDS_MAX + 50, 100000, "7"); /* it had its place before */
    decode_as(0);
    assert_int_equal(result.stats.markers, STAVE_DECODER_IDS_MAX + 1);
    assert_int_equal(result.stats.unresolved, 50);
    assert_int_equal(stave_trace_lanes(result.trace), STAVE_DECODER_IDS_MAX + 1);
    free_result();
}

static void test_version_1_lanes_beyond_the_limit_are_unresolved(void **state)
{
    begin();
    for (uint32_t i = 0; i < STAVE_DECODER_IDS_MAX + 50; i++)
        put(WIRE_VERSION_1, (struct wire_frame){.kind = WIRE_MARKER,
                                                .sequence = i,
                                                .ticks = i,
                                                .name = "a",
                                                .name_size = 1,
                                                .priority = i});
    v1_frame(WIRE_MARKER, STAVE_DECODER_IDS_MAX + 50, 100000, "a"); /* of priority 2: known */
    decode_as(0);
    assert_int_equal(result.stats.markers, STAVE_DECODER_IDS_MAX + 1);
    assert_int_equal(result.stats.unresolved, 50);
    assert_int_equal(stave_trace_lanes(result.trace), STAVE_DECODER_IDS_MAX + 1);
    free_result();
}

/* Source and kind as version 2 reads them (a kind of 2 in field 3), and no name: sound in both. */
static void neutral_frame(uint32_t sequence)
{
    put(WIRE_VERSION_1,
        (struct wire_frame){
            .kind = WIRE_MARKER, .sequence = sequence, .ticks = 1000, .source = WIRE_SOURCE_TASK});
}

static void test_frames_that_say_nothing_leave_it_to_the_next(void **state)
{
    begin();
    for (uint32_t i = 0; i < 20; i++)
        neutral_frame(i);
    v1_frame(WIRE_MARKER, 20, 2000, "a");
    assert_decodes_to("a,marker,2.0,2.0,0,,,0\n");
    assert_int_equal(result.stats.wire_version, 1);
    assert_int_equal(result.stats.unresolved, 20);
    free_result();
}

static void test_a_stream_that_ends_undecided_is_version_2(void **state)
{
    begin();
    neutral_frame(1);
    decode_as(0);
    assert_int_equal(result.stats.wire_version, 2);
    free_result();
    decode_as(1); /* unless the caller knows better */
    assert_int_equal(result.stats.wire_version, 1);
    free_result();
}

static void test_version_is_found_behind_much_garbage(void **state)
{
    begin();
    memset(stream.bytes, 0xee, 1000000);
    stream.size = 1000000;
    for (uint32_t i = 0; i < 3; i++)
        v1_frame(WIRE_MARKER, i, 1000 * (int64_t)i, "a");
    assert_decodes_to("a,marker,0.0,0.0,0,,,0\na,marker,1.0,1.0,0,,,0\na,marker,2.0,2.0,0,,,0\n");
    assert_int_equal(result.stats.wire_version, 1);
    assert_int_equal(result.stats.bytes_skipped, 1000000);
    assert_int_equal(result.stats.damages, 1);
    free_result();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_1_restarts),
        cmocka_unit_test(test_version_1_number_wraps),
        cmocka_unit_test(test_version_1_loses_many_at_once),
        cmocka_unit_test(test_version_1_without_a_name_is_unresolved),
        cmocka_unit_test(test_version_1_names_beyond_the_limit_are_unresolved),
        cmocka_unit_test(test_version_1_lanes_beyond_the_limit_are_unresolved),
        cmocka_unit_test(test_frames_that_say_nothing_leave_it_to_the_next),
        cmocka_unit_test(test_a_stream_that_ends_undecided_is_version_2),
        cmocka_unit_test(test_version_is_found_behind_much_garbage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
