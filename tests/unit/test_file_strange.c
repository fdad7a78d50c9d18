/* test_file_strange.c - .stave files that no writer makes, each with one thing that is not as it should be:
 * what is made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/block.h"
#include "store/column.h"
#include "store/writer.h"
#include "unit/raw_file.h"

static const stave_trace_config by_reading = {.ignore_index = true};

static void make_file(uint32_t kinds)
{
    stave_trace *trace = traces_make(&(struct traces_shape){.seed = 1, .kinds = kinds}, 1, 10);
    raw_file = traces_save(trace, 0);
    stave_trace_free(trace);
}

/* The first block of a kind: its header, and where it is. */
static uint8_t *find(uint32_t kind, struct stave__header *header)
{
    for (size_t at = STAVE__FILE_HEAD_SIZE; at < raw_file.size;) {
        assert_true(stave__header_read(raw_file.at + at, header));
        if (header->kind == kind)
            return raw_file.at + at;
        at += STAVE__HEADER_SIZE + header->size;
    }
    fail();
    return NULL;
}

/* ---- headers --------------------------------------------------------------------------------- */

static const char *what_is_wrong(uint32_t kind, void (*change)(struct stave__header *header))
{
    struct stave__header header;
    make_file(STAVE_KIND_BIT(kind));
    uint8_t *block = find(kind, &header);
    change(&header);
    stave__header_write(&header, block);
    stave_trace *trace = raw_open(&by_reading);
    stave_trace_check(trace, (stave_progress){0}, NULL);
    const char *what = stave_trace_damages(trace) == 1 ? stave_trace_damage(trace, 0).what : "";
    stave_trace_free(trace);
    free(raw_file.at);
    return what;
}

static void end_first(struct stave__header *header)
{
    header->last = header->first - 1;
}

static void open_spans(struct stave__header *header)
{
    header->open_count = 2;
}

static void test_headers(void **state)
{
    assert_string_equal(what_is_wrong(STAVE_MARKS, end_first),
                        "a block that ends before it begins");
    assert_string_equal(what_is_wrong(STAVE_MARKS, open_spans),
                        "open spans in a block of another kind");
}

/* A summary is taken as it is, but for a name that is not there. */
static void test_a_summary_names_what_is_not_there(void **state)
{
    struct stave__header header;
    stave_block_info info;
    make_file(STAVE_KIND_BIT(STAVE_MARKS));
    uint8_t *block = find(STAVE_MARKS, &header);
    header.longest_name = 100000;
    stave__header_write(&header, block);
    stave_trace *trace = raw_open(&by_reading);
    assert_int_equal(stave_trace_block(trace, 0, &info, NULL), STAVE_OK);
    assert_int_equal(info.longest_name, 0);
    stave_trace_free(trace);
    free(raw_file.at);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint8_t *put(uint8_t *at, uint32_t number, uint64_t value)
{
    return stave__column_put(at, number, STAVE__PLAIN, &value, 1, NULL);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void add_boot(void)
{
    uint8_t body[200], *at = body;
    for (uint32_t i = 0; i < 4; i++)
        at = put(at, i, 0);
    raw_add((struct stave__header){.kind = STAVE__BOOTS, .rows = 1}, body, (size_t)(at - body));
}

static void add_anchor(double us, double hz)
{
    uint8_t body[200], *at = body;
    uint64_t values[] = {0, 0, bits_of(us), bits_of(hz), 0, 0};
    for (uint32_t i = 0; i < 6; i++)
        at = put(at, i, values[i]);
    raw_add((struct stave__header){.kind = STAVE__ANCHORS, .rows = 1}, body, (size_t)(at - body));
}

static void test_clocks_that_make_no_numbers(void **state)
{
    static const double clocks[][2] = {{0, 1e-320}, {0, INFINITY}, {0, -1}, {1e308, 1}, {NAN, 1}};
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        raw_begin();
        add_boot();
        add_anchor(clocks[i][0], clocks[i][1]);
        stave_trace *trace = raw_open(NULL);
        raw_assert_damage(trace, "a table that is not sound");
        assert_true(isfinite(stave_time_us(trace, 0, INT64_MAX)));
        stave_trace_free(trace);
        free(raw_file.at);
    }
}

static void test_a_column_twice(void **state)
{
    uint8_t body[200], *at = body;
    raw_begin();
    for (uint32_t i = 0; i < 4; i++)
        at = put(at, i / 2, 0);
    raw_add((struct stave__header){.kind = STAVE__BOOTS, .rows = 1}, body, (size_t)(at - body));
    stave_trace *trace = raw_open(NULL);
    raw_assert_damage(trace, "a table that is not sound");
    assert_int_equal(stave_trace_boots(trace), 1); /* in place of the one that was lost */
    assert_true(stave_trace_boot(trace, 0)->rate_assumed);
    stave_trace_free(trace);
    free(raw_file.at);
}

/* Lanes are lost, then rows on them come, then names: which keep their numbers. */
static void test_names_that_come_after_lost_lanes(void **state)
{
    struct stave__header header;
    struct traces_maker maker;
    stave_writer *writer;
    stave_trace *trace = NULL;
    traces_begin(&maker, &(struct traces_shape){.seed = 2, .lanes = 2});
    assert_int_equal(stave_writer_open(raw_path, &writer, NULL), STAVE_OK);
    for (int round = 0; round < 20; round++) {
        traces_grow(&maker, 20);
        assert_int_equal(stave_writer_publish(writer, maker.trace, NULL), STAVE_OK);
    }
    stave_writer_close(writer);

    raw_file = (struct traces_bytes){0};
    FILE *from = fopen(raw_path, "rb");
    char buffer[4096];
    size_t n;
    assert_non_null(from);
    while ((n = fread(buffer, 1, sizeof buffer, from)) > 0)
        traces_add(&raw_file, buffer, n);
    fclose(from);
    find(STAVE__LANES, &header)[STAVE__HEADER_SIZE] ^= 1;

    for (int follow = 0; follow < 2; follow++) {
        stave_trace_config config = {.follow = follow != 0};
        trace = raw_open(&config);
        raw_assert_damage(trace, "a block's checksum is wrong");
        assert_string_equal(stave_trace_string(trace, stave_trace_lane(trace, 0)->name, NULL),
                            follow != 0 ? "" : "(lost lane)");
        struct traces_rows got = traces_read(trace), wanted = traces_read(maker.trace);
        assert_true(traces_same_rows(&got, &wanted));
        free(got.at);
        free(wanted.at);
        stave_trace_free(trace);
    }
    free(raw_file.at);
    stave_trace_free(maker.trace);
}

/* ---- blocks of later versions ---------------------------------------------------------------- */

static void test_an_unknown_block_is_damaged(void **state)
{
    raw_begin();
    raw_add((struct stave__header){.kind = 50}, "abc", 3);
    raw_file.at[raw_file.size - 1] ^= 1;
    stave_trace *trace = raw_open(NULL);
    assert_int_equal(stave_trace_check(trace, (stave_progress){0}, NULL), 1);
    assert_int_equal(stave_trace_check(trace, (stave_progress){0}, NULL), 1); /* listed once */
    struct traces_bytes saved = traces_save(trace, 0);
    stave_trace_free(trace);
    free(raw_file.at);
    raw_file = saved;
    trace = raw_open(NULL);
    stave_trace_file about;
    stave_trace_file_of(trace, &about);
    assert_int_equal(about.unknown, 0); /* and left out */
    stave_trace_free(trace);
    free(raw_file.at);
}

/* ---- a file that grows ----------------------------------------------------------------------- */

/* A text in it is a whole block: while the block around it is not all there, it is waited for. */
static void test_a_block_in_a_block(void **state)
{
    struct stave__header inner = {.kind = 51};
    uint8_t body[STAVE__HEADER_SIZE + 50] = {0};
    raw_begin();
    stave__header_seal(&inner, body, 0);
    raw_add((struct stave__header){.kind = 50}, body, sizeof body);
    size_t whole = raw_file.size;
    raw_file.size -= 20;
    stave_trace_config config = {.follow = true};
    stave_trace *trace = raw_open(&config);
    stave_trace_file about;
    stave_trace_file_of(trace, &about);
    assert_int_equal(about.unknown, 0);
    assert_int_equal(about.cut, raw_file.size - STAVE__FILE_HEAD_SIZE);
    traces_put_file(raw_path, raw_file.at, whole);
    assert_true(stave_trace_refresh(trace, NULL) >= 0);
    stave_trace_file_of(trace, &about);
    assert_int_equal(about.unknown, 1);
    assert_int_equal(about.cut, 0);
    assert_int_equal(stave_trace_damages(trace), 0);
    stave_trace_free(trace);
    free(raw_file.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_a_summary_names_what_is_not_there),
        cmocka_unit_test(test_clocks_that_make_no_numbers),
        cmocka_unit_test(test_a_column_twice),
        cmocka_unit_test(test_names_that_come_after_lost_lanes),
        cmocka_unit_test(test_an_unknown_block_is_damaged),
        cmocka_unit_test(test_a_block_in_a_block),
    };
    return cmocka_run_group_tests(tests, raw_make_path, raw_remove_path);
}
