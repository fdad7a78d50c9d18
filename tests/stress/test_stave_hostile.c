/* test_stave_hostile.c - files that are small and want much: each is opened, read to its end in every
 * way, and saved, in a process of its own, whose time and memory are bounded.
 *
 * A file of 4 KB takes at most 2 s, one of 1 MB at most 300 MB. */
#define _GNU_SOURCE /* wait4 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/block.h"
#include "store/bytes.h"
#include "store/column.h"
#include "store/crc32c.h"
#include "stress/traces.h"
#include "trace/packing.h"

#define SMALL ((size_t)4 * 1024)
#define LARGE ((size_t)1024 * 1024)
#define SECONDS_MAX 2.0
#define MEGABYTES_MAX 300
#define MERGED_MAX 20000000u /* rows; no more memory is taken behind them */

/* Sanitizers make everything slower and larger; there the limits are not looked at. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEASURED false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEASURED false
#endif
#endif
#ifndef MEASURED
#define MEASURED true
#endif

/* ---- making files ---------------------------------------------------------------------------- */

static struct traces_bytes file;
static uint8_t body[2 * LARGE];

static void begin_file(void)
{
    uint8_t head[STAVE__FILE_HEAD_SIZE];
    file.size = 0;
    stave__file_head_write(head);
    traces_add(&file, head, sizeof head);
}

static void put_block(struct stave__header header, size_t size)
{
    uint8_t *block = malloc(STAVE__HEADER_SIZE + size);
    assert_non_null(block);
    memcpy(block + STAVE__HEADER_SIZE, body, size);
    size_t whole = stave__header_seal(&header, block, size);
    traces_add(&file, block, whole);
    free(block);
}

/* A column whose rows are all the same, from a few bytes. */
static uint8_t *same(uint8_t *at, uint32_t number, uint32_t transform, uint32_t count,
                     uint64_t first, uint64_t value)
{
    uint8_t values[2 * STAVE__VARINT_MAX], *end = values;
    if (transform == STAVE__DELTA)
        end = stave__put_varint(end, stave__zigzag(first));
    end = stave__put_varint(end, value);
    *at++ = (uint8_t)number;
    *at++ = (uint8_t)(transform << 4 | STAVE__SAME);
    at = stave__put_varint(at, count);
    at = stave__put_varint(at, (uint64_t)(end - values));
    memcpy(at, values, (size_t)(end - values));
    return at + (end - values);
}

static void put_table(uint32_t kind, uint32_t rows, uint32_t first, uint32_t columns)
{
    uint8_t *at = body;
    for (uint32_t i = 0; i < columns; i++)
        at = same(at, i, STAVE__PLAIN, rows, 0, 0);
    put_block((struct stave__header){.kind = kind, .rows = rows, .first = first},
              (size_t)(at - body));
}

static void put_one_boot_and_lanes(uint32_t lanes)
{
    put_table(STAVE__LANES, lanes, 0, 7);
    put_table(STAVE__BOOTS, 1, 0, 4);
}

/* As many rows as a block may have, and as many open spans. */
static void put_spans(uint32_t lane, uint32_t order, uint32_t step, uint32_t open_count)
{
    enum { ROWS = STAVE__BLOCK_ROWS_MAX };
    uint8_t *at = same(body, 3, STAVE__DELTA, ROWS, 10, stave__zigzag(1));
    at = same(at, 0, STAVE__FROM_END, ROWS, 0, 0);
    at = same(at, 1, STAVE__DELTA, ROWS, order, stave__zigzag(step));
    at = same(at, 2, STAVE__PLAIN, ROWS, 0, 0);
    at = same(at, 4, STAVE__DELTA, ROWS, 1, stave__zigzag(1));
    for (uint32_t i = 0; i < 3 && open_count > 0; i++)
        at = same(at, 32 + i, i < 2 ? STAVE__DELTA : STAVE__PLAIN, open_count, 1, 0);
    struct stave__header header = {.kind = STAVE_SPANS,
                                   .rows = ROWS,
                                   .columns = stave__kind_has[STAVE_SPANS],
                                   .lane = lane,
                                   .first = 0,
                                   .last = 10 + ROWS,
                                   .first_order = order,
                                   .open_count = open_count};
    put_block(header, (size_t)(at - body));
}

/* ---- reading them to the end ----------------------------------------------------------------- */

static char path[64];

static int forget(void *context, const void *data, size_t size)
{
    *(uint64_t *)context += size;
    return STAVE_OK;
}

static uint64_t read_rows(stave_trace *trace)
{
    stave_cursor *cursor;
    const stave_block *block;
    uint64_t rows = 0;
    TRACES_MUST(stave_cursor_open(trace, NULL, &cursor, NULL) == STAVE_OK);
    while (stave_cursor_next(cursor, &block, NULL) > 0)
        rows += block->rows;
    stave_cursor_close(cursor);
    return rows;
}

static uint64_t merge_rows(stave_trace *trace)
{
    stave_merge *merge;
    const stave_block *block;
    uint32_t row;
    uint64_t rows = 0;
    int status;
    TRACES_MUST(stave_merge_open(trace, NULL, &merge, NULL) == STAVE_OK);
    while ((status = stave_merge_next(merge, &block, &row, NULL)) > 0 && rows < MERGED_MAX)
        rows++;
    TRACES_MUST(status >= 0 || status == STAVE_E_LIMIT);
    stave_merge_close(merge);
    return rows;
}

/* Exits with 0. `large`: what takes time by rows is left to the small one. */
static void read_all(bool large)
{
    stave_trace *trace = NULL;
    uint64_t saved = 0;
    TRACES_MUST(stave_trace_open(path, NULL, &trace, NULL) == STAVE_OK);
    if (!large) {
        read_rows(trace);
        TRACES_MUST(stave_trace_check(trace, (stave_progress){0}, NULL) >= 0);
        stave_sink sink = {.write = forget, .context = &saved};
        TRACES_MUST(stave_trace_save(trace, sink, NULL, NULL) == STAVE_OK);
    }
    merge_rows(trace);
    TRACES_MUST(stave_trace_place_of(trace, 0) == NULL);
    stave_trace_free(trace);
    _exit(0);
}

static void check(const char *what, bool large)
{
    struct rusage usage;
    int status;
    traces_put_file(path, file.at, file.size);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        read_all(large);
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    long megabytes = usage.ru_maxrss / 1024;
    print_message("note: %-28s %7zu bytes: %5.2f s, %3ld MB\n", what, file.size, seconds,
                  megabytes);
    if (MEASURED) {
        assert_true(large || seconds < SECONDS_MAX);
        assert_true(megabytes < MEGABYTES_MAX);
    }
}

/* The file that `add` adds to until it is as large as that: both sizes. */
static void check_sizes(const char *what, void (*begin)(void), void (*add)(uint32_t i))
{
    for (int large = 0; large < 2; large++) {
        begin_file();
        begin();
        for (uint32_t i = 0; file.size < (large != 0 ? LARGE : SMALL); i++)
            add(i);
        check(what, large != 0);
    }
}

/* ---- what they want -------------------------------------------------------------------------- */

static void nothing(void)
{
}

static void many_lanes(void)
{
    put_one_boot_and_lanes(9000);
}

static void add_rows(uint32_t i)
{
    put_spans(0, i * 65536, 1, 0);
}

static void add_open_spans(uint32_t i)
{
    put_spans(i, i * 65536, 1, STAVE__COLUMN_ROWS_MAX);
}

static void add_interleaving(uint32_t i)
{
    put_spans(i, i, 9000, 0);
}

static void add_equal_texts(uint32_t i)
{
    uint32_t rows = i == 0 ? 65536 : 3000, first = i == 0 ? 0 : 65536 + (i - 1) * 3000;
    uint8_t *at = same(body, 0, STAVE__PLAIN, rows, 0, 0);
    at = stave__column_put_bytes(at, 1, "", 0);
    memset(at, 0, 3000); /* a column of later versions: bytes to have room for rows */
    at[0] = 99;
    at[1] = STAVE__BYTES;
    stave__put_varint(stave__put_varint(at + 2, 2990), 2990);
    put_block((struct stave__header){.kind = STAVE__STRINGS, .rows = rows, .first = first},
              (size_t)(at + 6 + 2990 - body));
}

/* A sound header, its body damaged: names in place of those lost. */
static void add_lost_texts(uint32_t i)
{
    struct stave__header header = {.kind = STAVE__STRINGS, .rows = 65536, .first = 65536 * i};
    memset(body, 7, 8);
    put_block(header, 8);
    file.at[file.size - 1] ^= 1;
}

static void add_boots(uint32_t i)
{
    put_table(STAVE__BOOTS, i == 0 ? 65536 : 150, i == 0 ? 0 : 65536 + (i - 1) * 150, 4);
}

static void add_places(uint32_t i)
{
    put_table(STAVE__PLACES, i == 0 ? 65536 : 150, i == 0 ? 0 : 65536 + (i - 1) * 150, 4);
}

static void add_repeated_columns(uint32_t i)
{
    uint8_t *at = body;
    while (at < body + 3000)
        at = same(at, 0, STAVE__PLAIN, 4096, 0, 0);
    put_block((struct stave__header){.kind = STAVE__BOOTS, .rows = 4096}, (size_t)(at - body));
}

/* Lanes and boots that are not there, as many as may be. */
static void add_made_up(uint32_t i)
{
    if (i == 0)
        add_lost_texts(0);
    put_spans(65535, i, 1, 0);
}

/* Texts that unpack to some 240 times their size. */
static void add_packed_texts(uint32_t i)
{
    enum { TEXT = 256 * 1000, PACKED = 1100 };
    static uint8_t raw[TEXT + 64];
    uint8_t *at = same(raw, 0, STAVE__PLAIN, 1, 0, TEXT);
    memset(body, 'a', TEXT);
    at = stave__column_put_bytes(at, 1, body, TEXT);
    struct stave__header header = {
        .version = STAVE__BLOCK_VERSION,
        .kind = STAVE__STRINGS,
        .codec = STAVE__CODEC_ZSTD,
        .rows = 1,
        .first = 1 + i,
        .size = PACKED,
        .raw_size = (uint64_t)(at - raw),
    };
    size_t size = stave__pack(body, PACKED - 8, raw, header.raw_size, 3);
    if (size == 0)
        skip();                              /* zstd was not built in */
    stave__put_u32(body + size, 0x184D2A50); /* a frame that is skipped fills it up */
    stave__put_u32(body + size + 4, (uint32_t)(PACKED - 8 - size));
    header.body_crc = stave__crc32c(0, body, PACKED);
    uint8_t bytes[STAVE__HEADER_SIZE];
    stave__header_write(&header, bytes);
    traces_add(&file, bytes, sizeof bytes);
    traces_add(&file, body, PACKED);
}

static void test_rows_of_few_bytes(void **state)
{
    check_sizes("rows", many_lanes, add_rows);
}

static void test_open_spans_of_few_bytes(void **state)
{
    check_sizes("open spans", many_lanes, add_open_spans);
}

static void test_blocks_that_interleave(void **state)
{
    check_sizes("blocks that interleave", many_lanes, add_interleaving);
}

static void test_texts_that_are_equal(void **state)
{
    check_sizes("equal texts", nothing, add_equal_texts);
}

static void test_texts_that_are_lost(void **state)
{
    check_sizes("lost texts", nothing, add_lost_texts);
}

static void test_many_boots(void **state)
{
    check_sizes("boots", nothing, add_boots);
}

static void test_many_places(void **state)
{
    check_sizes("places", nothing, add_places);
}

static void test_columns_that_repeat(void **state)
{
    check_sizes("columns that repeat", nothing, add_repeated_columns);
}

static void test_lanes_that_are_made_up(void **state)
{
    check_sizes("lanes made up", nothing, add_made_up);
}

static void test_texts_that_unpack(void **state)
{
    check_sizes("texts that unpack", nothing, add_packed_texts);
}

/* ---- */

static int make_path(void **state)
{
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.40s/stave-XXXXXX", dir != NULL ? dir : "/tmp");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    free(file.at);
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_few_bytes),
        cmocka_unit_test(test_open_spans_of_few_bytes),
        cmocka_unit_test(test_blocks_that_interleave),
        cmocka_unit_test(test_texts_that_are_equal),
        cmocka_unit_test(test_texts_that_are_lost),
        cmocka_unit_test(test_many_boots),
        cmocka_unit_test(test_many_places),
        cmocka_unit_test(test_columns_that_repeat),
        cmocka_unit_test(test_lanes_that_are_made_up),
        cmocka_unit_test(test_texts_that_unpack),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
