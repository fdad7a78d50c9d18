/* The decoder, rule by rule: short streams made by hand, and what must come out. The vectors and the
 * random devices of tests/stress cover the rules together; here each stands alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/analyze.h"
#include "unit/stream.h"

/* ---- counters of the vectors ----------------------------------------------------------------- */

struct expected {
    const char *vector;
    uint64_t frames, spans, markers, gaps, frames_lost, resets, unresolved, duplicates,
        duplicate_starts, orphan_ends, bytes_skipped, cut_tail_bytes;
    double time_uncertain_us;
    uint32_t wire_version;
};

static const struct expected vectors[] = {
    {"boot-loop", 40, 12, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2},
    {"duplicates", 192, 60, 60, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 2},
    {"far-jump", 121, 59, 0, 2, 301, 0, 0, 0, 0, 1, 11, 0, 0, 2},
    {"late-attach", 309, 87, 17, 0, 0, 0, 110, 0, 0, 0, 0, 0, 0, 2},
    {"lost-queue", 822, 357, 94, 6, 8, 0, 0, 0, 0, 0, 0, 0, 20.0, 2},
    {"lost-wire", 822, 357, 94, 6, 8, 0, 0, 0, 0, 0, 0, 0, 866.501, 2},
    {"noise", 242, 120, 0, 0, 0, 0, 0, 0, 0, 0, 183, 0, 0, 2},
    {"odd-pairs", 16, 3, 1, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 2},
    {"registry-full", 61, 18, 0, 0, 0, 0, 18, 0, 0, 0, 0, 0, 0, 2},
    {"restart-with-hole", 60, 19, 13, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2},
    {"sequence-wraps", 18002, 9000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2},
    {"truncated", 36, 12, 8, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2},
    {"version1", 15, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
};

static void load_vector(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, STAVE_VECTORS_DIR "/%s.bin", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    stream.size = fread(stream.bytes, 1, sizeof stream.bytes, file);
    fclose(file);
}

static void test_counters_of_vectors(void **state)
{
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const struct expected *e = &vectors[i];
        const stave_decode_stats *s = &result.stats;
        load_vector(e->vector);
        decode_as(0);
#define SAME(name)                                                                                 \
    if (s->name != e->name)                                                                        \
    fail_msg("%s: " #name ": %g, not %g", e->vector, (double)s->name, (double)e->name)
        SAME(frames);
        SAME(spans);
        SAME(markers);
        SAME(gaps);
        SAME(frames_lost);
        SAME(resets);
        SAME(unresolved);
        SAME(duplicates);
        SAME(duplicate_starts);
        SAME(orphan_ends);
        SAME(bytes_skipped);
        SAME(cut_tail_bytes);
        SAME(wire_version);
#undef SAME
        assert_true(s->time_uncertain_us > e->time_uncertain_us - 1e-6 &&
                    s->time_uncertain_us < e->time_uncertain_us + 1e-6);
        free_result();
    }
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void plain_spans(uint32_t *sequence, int count)
{
    for (int i = 0; i < count; i++) {
        event_frame(WIRE_SPAN_START, (*sequence)++, 1000, 1);
        event_frame(WIRE_SPAN_END, (*sequence)++, 500, 1);
    }
}

static void plain_begin(uint32_t *sequence)
{
    begin();
    start_frame((*sequence)++, 0);
    name_frame((*sequence)++, 0, 1, "job");
}

static void test_ten_bytes_of_ones_are_damage(void **state)
{
    begin();
    raw("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10);
    assert_decodes_to("");
    assert_int_equal(result.stats.bytes_skipped, 10);
    assert_int_equal(result.stats.damages, 1);
    assert_int_equal(result.stats.first_damage, 0);
    assert_string_equal(result.stats.damage_text, "payload length outside 1 to 128");
    assert_int_equal(result.stats.frames, 0);
    free_result();
    stream.size = 9; /* a prefix that is not whole: not damage, but a cut tail */
    assert_decodes_to("");
    assert_int_equal(result.stats.bytes_skipped, 0);
    assert_int_equal(result.stats.cut_tail_bytes, 9);
    free_result();
}

static void test_zeros_behind_the_frames_are_skipped(void **state)
{
    uint32_t sequence = 0;
    plain_begin(&sequence);
    plain_spans(&sequence, 2);
    size_t sound = stream.size;
    memset(stream.bytes + stream.size, 0, 4096);
    stream.size += 4096;
    assert_decodes_to("job,task,1.0,1.5,2,,,0\njob,task,2.5,3.0,2,,,0\n");
    assert_int_equal(result.stats.bytes_skipped, 4096);
    assert_int_equal(result.stats.first_damage, sound);
    free_result();
}

static void test_garbage_is_passed_and_shows_as_nothing_when_no_number_is_missing(void **state)
{
    uint32_t sequence = 0;
    plain_begin(&sequence);
    plain_spans(&sequence, 1);
    for (int i = 0; i < 128; i++)
        raw(&(uint8_t){(uint8_t)(0x80 | i * 37)}, 1);
    plain_spans(&sequence, 2);
    assert_decodes_to("job,task,1.0,1.5,2,,,0\njob,task,2.5,3.0,2,,,0\njob,task,4.0,4.5,2,,,0\n");
    assert_int_equal(result.stats.bytes_skipped, 128);
    assert_int_equal(result.stats.damages, 1);
    free_result();
}

static void test_a_name_that_is_not_utf8_is_damage(void **state)
{
    uint32_t sequence = 0;
    begin();
    start_frame(sequence++, 0);
    size_t at = stream.size;
    name_frame(sequence++, 0, 1, "j\xff");
    size_t size = stream.size - at;
    plain_spans(&sequence, 2);
    assert_decodes_to("trace gap,gap,0.0,1.0,0,,1,0\n");
    assert_int_equal(result.stats.bytes_skipped, size);
    assert_string_equal(result.stats.damage_text, "name is not UTF-8");
    assert_int_equal(result.stats.unresolved, 2); /* the spans' rows never got a name */
    free_result();
}

/* ---- times ----------------------------------------------------------------------------------- */

static void test_cycles_of_frequency_0_say_nothing(void **state)
{
    begin();
    put(WIRE_VERSION_2, (struct wire_frame){.kind = WIRE_TRACE_START, .timebase = WIRE_CYCLES});
    name_frame(1, 0, 1, "job");
    event_frame(WIRE_SPAN_START, 2, 1000, 1);
    event_frame(WIRE_SPAN_END, 3, 1000, 1);
    assert_decodes_to("job,task,1.0,2.0,2,,,0\n");
    assert_int_equal(result.stats.rates_assumed, 1);
    assert_true(stave_trace_boot(result.trace, 0)->rate_assumed);
    free_result();
}

static void test_times_beyond_the_range_stand_at_the_limit(void **state)
{
    begin();
    start_frame(0, INT64_MAX - 10);
    name_frame(1, INT64_MAX - 10, 1, "job");
    event_frame(WIRE_SPAN_START, 2, 5, 1);
    event_frame(WIRE_SPAN_END, 3, INT64_MAX, 1);
    assert_decodes_to("job,task,9223372036854776.0,9223372036854776.0,2,,,0\n");
    assert_int_equal(result.stats.times_saturated, 1);
    stave_cursor *cursor;
    const stave_block *block;
    assert_int_equal(stave_cursor_open(result.trace, NULL, &cursor, NULL), STAVE_OK);
    assert_int_equal(stave_cursor_next(cursor, &block, NULL), 1);
    assert_int_equal(block->start[0], INT64_MAX - 5);
    assert_int_equal(block->end[0], INT64_MAX);
    assert_int_equal(block->flags[0], STAVE_FLAG_SATURATED);
    stave_cursor_close(cursor);
    free_result();
}

static void test_ticks_of_minus_2_to_the_63(void **state)
{
    begin();
    start_frame(0, INT64_MIN);
    name_frame(1, INT64_MIN, 1, "job");
    event_frame(WIRE_MARKER, 2, -1, 1);
    assert_decodes_to("job,marker,-9223372036854776.0,-9223372036854776.0,0,,,0\n");
    assert_int_equal(result.stats.times_saturated, 1);
    free_result();
}

/* ---- loss and doubt -------------------------------------------------------------------------- */

static void assert_doubt(int64_t start, int64_t end, uint64_t bound, uint16_t flags)
{
    stave_filter filter = {.kinds = STAVE_KIND_BIT(STAVE_DOUBTS)};
    stave_cursor *cursor;
    const stave_block *block;
    assert_int_equal(stave_cursor_open(result.trace, &filter, &cursor, NULL), STAVE_OK);
    assert_int_equal(stave_cursor_next(cursor, &block, NULL), 1);
    assert_int_equal(block->rows, 1);
    assert_int_equal(block->start[0], start);
    assert_int_equal(block->end[0], end);
    assert_int_equal(block->value[0], bound);
    assert_int_equal(block->flags[0], flags);
    assert_int_equal(stave_trace_lane(result.trace, block->lane)->kind, STAVE_LANE_DEVICE);
    stave_cursor_close(cursor);
}

static void test_a_loss_is_doubtful_until_the_next_absolute_time(void **state)
{
    begin();
    start_frame(0, 0);
    name_frame(1, 0, 1, "job");
    event_frame(WIRE_MARKER, 2, 1000, 1);
    event_frame(WIRE_MARKER, 5, 1000, 1); /* 3 and 4 are missing: the clock may be behind */
    start_frame(6, 9000);
    event_frame(WIRE_MARKER, 7, 1000, 1);
    assert_decodes_to("job,marker,1.0,1.0,0,,,0\njob,marker,2.0,2.0,0,,,0\n"
                      "job,marker,10.0,10.0,0,,,0\ntrace gap,gap,1.0,2.0,0,,2,0\n");
    assert_true(result.stats.time_uncertain_us == 7.0);
    assert_int_equal(result.stats.unbounded_doubts, 0);
    assert_doubt(1000, 9000, 7000, STAVE_FLAG_HAS_VALUE);
    free_result();
}

static void test_a_doubt_without_an_absolute_time_has_no_bound(void **state)
{
    begin();
    start_frame(0, 0);
    name_frame(1, 0, 1, "job");
    event_frame(WIRE_MARKER, 2, 1000, 1);
    event_frame(WIRE_MARKER, 4, 1000, 1);
    assert_decodes_to("job,marker,1.0,1.0,0,,,0\njob,marker,2.0,2.0,0,,,0\n"
                      "trace gap,gap,1.0,2.0,0,,1,0\n");
    assert_true(result.stats.time_uncertain_us == 0);
    assert_int_equal(result.stats.unbounded_doubts, 1);
    assert_doubt(1000, 2000, 0, 0);
    free_result();
}

static void test_a_hole_that_is_filled_was_no_loss(void **state)
{
    begin();
    start_frame(0, 0);
    name_frame(1, 0, 1, "job");
    event_frame(WIRE_SPAN_END, 3, 2000, 1);
    event_frame(WIRE_SPAN_START, 2, -1500, 1);
    start_frame(4, 9000);
    assert_decodes_to("job,task,0.5,2.0,2,,,0\n");
    assert_int_equal(result.stats.frames_lost, 0);
    assert_true(result.stats.time_uncertain_us == 0);
    free_result();
}

/* ---- names ----------------------------------------------------------------------------------- */

static void test_more_ids_than_there_is_room_for_are_unresolved(void **state)
{
    uint32_t sequence = 0;
    plain_begin(&sequence);
    for (uint32_t id = 2; id <= STAVE_DECODER_IDS_MAX + 100; id++)
        event_frame(WIRE_MARKER, sequence++, 1, id);
    event_frame(WIRE_MARKER, sequence++, 1, 1);
    decode_as(0);
    assert_int_equal(result.stats.markers, 1);
    assert_int_equal(result.stats.unresolved, STAVE_DECODER_IDS_MAX + 99);
    free_result();
}

static void test_the_latest_attributes_hold_for_the_whole_run(void **state)
{
    begin();
    start_frame(0, 0);
    name_frame(1, 0, 1, "job");
    event_frame(WIRE_SPAN_START, 2, 1000, 1);
    event_frame(WIRE_SPAN_END, 3, 1000, 1);
    put(WIRE_VERSION_2, (struct wire_frame){.kind = WIRE_NAME_REGISTERED,
                                            .sequence = 4,
                                            .ticks = 3000,
                                            .name_id = 1,
                                            .name = "job",
                                            .name_size = 3,
                                            .source = WIRE_SOURCE_ISR,
                                            .priority = 9,
                                            .has_deadline = true,
                                            .deadline_ms = 0.5f});
    assert_decodes_to("job,isr,1.0,2.0,9,501.0,,0\n");
    free_result();
}

/* Attributes that change in each frame make two lanes, not a million, and move rows once. */
static void test_attributes_that_keep_changing_cost_nothing(void **state)
{
    begin();
    start_frame(0, 0);
    for (uint32_t i = 1; i < 100000; i += 2) {
        put(WIRE_VERSION_2, (struct wire_frame){.kind = WIRE_NAME_REGISTERED,
                                                .sequence = i & 16383,
                                                .ticks = i,
                                                .name_id = 1,
                                                .name = "a",
                                                .name_size = 1,
                                                .priority = i});
        event_frame(WIRE_MARKER, (i + 1) & 16383, 1, 1);
    }
    decode_as(0);
    assert_int_equal(result.stats.markers, 50000);
    assert_int_equal(stave_trace_lanes(result.trace), 3); /* the device, the first, the last */
    assert_int_equal(stave_trace_lane(result.trace, 2)->priority, 99999);
    stave_lane_summary lanes[3];
    assert_int_equal(stave_summarize_lanes(result.trace, lanes, 3, NULL), STAVE_OK);
    assert_int_equal(lanes[1].marks, 0);
    assert_int_equal(lanes[2].marks, 50000);
    free_result();
}

/* ---- the decoder as an object ---------------------------------------------------------------- */

static void test_rows_are_there_while_the_stream_goes_on(void **state)
{
    uint32_t sequence = 0;
    plain_begin(&sequence);
    plain_spans(&sequence, 3);
    stave_decoder *decoder;
    stave_lane_summary lanes[2];
    assert_int_equal(stave_trace_new(NULL, &result.trace, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_new(NULL, result.trace, &decoder, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_feed(decoder, stream.bytes, stream.size, NULL), STAVE_OK);
    assert_int_equal(stave_trace_lanes(result.trace), 2);
    assert_int_equal(stave_summarize_lanes(result.trace, lanes, 2, NULL), STAVE_OK);
    assert_int_equal(lanes[1].spans, 3);
    assert_true(lanes[1].mean_us == 0.5);
    assert_false(stave_trace_boot(result.trace, 0)->ended);
    assert_int_equal(stave_decoder_finish(decoder, NULL), STAVE_OK);
    assert_true(stave_trace_boot(result.trace, 0)->ended);
    assert_true(stave_trace_boot(result.trace, 0)->end_us == 4.5);
    stave_decoder_free(decoder);
    free_result();
}

static void test_states_and_arguments(void **state)
{
    stave_decoder *decoder;
    stave_decoder_config config = {.wire_version = 3};
    stave_error error = {0};
    assert_int_equal(stave_trace_new(NULL, &result.trace, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_new(&config, result.trace, &decoder, &error), STAVE_E_ARGUMENT);
    assert_string_equal(error.message, "wire version 3; 1 and 2 are known");
    assert_int_equal(stave_decoder_new(NULL, result.trace, &decoder, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_finish(decoder, NULL), STAVE_OK);
    error = (stave_error){0};
    assert_int_equal(stave_decoder_feed(decoder, "x", 1, &error), STAVE_E_STATE);
    assert_int_equal(stave_decoder_finish(decoder, NULL), STAVE_E_STATE);
    stave_decoder_stats(decoder, &result.stats);
    assert_int_equal(result.stats.frames, 0);
    struct {
        stave_decode_stats stats;
        uint64_t newer;
    } larger = {.newer = 7};
    stave_decoder_stats_sized(decoder, &larger.stats, sizeof larger);
    assert_int_equal(larger.newer, 0);
    larger.stats.spans = 7; /* an older caller's struct ended before it */
    stave_decoder_stats_sized(decoder, &larger.stats, offsetof(stave_decode_stats, spans));
    assert_int_equal(larger.stats.spans, 7);
    stave_decoder_free(decoder);
    stave_decoder_free(NULL);
    free_result();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters_of_vectors),
        cmocka_unit_test(test_ten_bytes_of_ones_are_damage),
        cmocka_unit_test(test_zeros_behind_the_frames_are_skipped),
        cmocka_unit_test(test_garbage_is_passed_and_shows_as_nothing_when_no_number_is_missing),
        cmocka_unit_test(test_a_name_that_is_not_utf8_is_damage),
        cmocka_unit_test(test_cycles_of_frequency_0_say_nothing),
        cmocka_unit_test(test_times_beyond_the_range_stand_at_the_limit),
        cmocka_unit_test(test_ticks_of_minus_2_to_the_63),
        cmocka_unit_test(test_a_loss_is_doubtful_until_the_next_absolute_time),
        cmocka_unit_test(test_a_doubt_without_an_absolute_time_has_no_bound),
        cmocka_unit_test(test_a_hole_that_is_filled_was_no_loss),
        cmocka_unit_test(test_more_ids_than_there_is_room_for_are_unresolved),
        cmocka_unit_test(test_the_latest_attributes_hold_for_the_whole_run),
        cmocka_unit_test(test_attributes_that_keep_changing_cost_nothing),
        cmocka_unit_test(test_rows_are_there_while_the_stream_goes_on),
        cmocka_unit_test(test_states_and_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
