/* One block: checksums, columns in every form, headers, rows to bytes and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/block.h"
#include "store/bytes.h"
#include "store/column.h"
#include "store/crc32c.h"

#define ROWS 1000

static uint64_t random_state = 7;

static uint64_t random_bits(unsigned bits)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    uint64_t high = random_state >> 32;
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return bits == 0 ? 0 : (high << 32 | random_state >> 32) >> (64 - bits);
}

/* ---- checksums: the values of RFC 3720, B.4, and of the CRC catalogue ------------------------- */

static void test_crc32c_of_known_texts(void **state)
{
    uint8_t bytes[48] = {0};
    assert_int_equal(stave__crc32c(0, "123456789", 9), 0xE3069283);
    assert_int_equal(stave__crc32c(0, bytes, 32), 0x8A9136AA);
    memset(bytes, 0xFF, 32);
    assert_int_equal(stave__crc32c(0, bytes, 32), 0x62A8AB43);
    for (uint8_t i = 0; i < 32; i++)
        bytes[i] = i;
    assert_int_equal(stave__crc32c(0, bytes, 32), 0x46DD794E);
    assert_int_equal(stave__crc32c(0, "", 0), 0);
}

static void test_crc32c_in_pieces(void **state)
{
    const char *text = "a text that is longer than eight bytes, so that both loops run";
    size_t size = strlen(text);
    uint32_t whole = stave__crc32c(0, text, size);
    for (size_t cut = 0; cut <= size; cut++)
        assert_int_equal(stave__crc32c(stave__crc32c(0, text, cut), text + cut, size - cut), whole);
}

/* ---- varints --------------------------------------------------------------------------------- */

static void test_varints(void **state)
{
    uint8_t bytes[STAVE__VARINT_MAX];
    for (unsigned bits = 0; bits <= 64; bits++) {
        uint64_t value = random_bits(bits), got;
        const uint8_t *end = stave__put_varint(bytes, value);
        assert_ptr_equal(stave__get_varint(bytes, end, &got), end);
        assert_true(got == value);
        for (const uint8_t *cut = bytes; cut < end; cut++)
            assert_null(stave__get_varint(bytes, cut, &got));
    }
}

static void test_varints_beyond_64_bits_are_refused(void **state)
{
    static const uint8_t most[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 1};
    static const uint8_t more[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 2};
    static const uint8_t longer[] = {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0};
    uint64_t value;
    assert_non_null(stave__get_varint(most, most + sizeof most, &value));
    assert_true(value == UINT64_MAX);
    assert_null(stave__get_varint(more, more + sizeof more, &value));
    assert_null(stave__get_varint(longer, longer + sizeof longer, &value));
}

static void test_zigzag(void **state)
{
    static const int64_t values[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN};
    static const uint64_t stored[] = {0, 1, 2, 3, 4, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_true(stave__zigzag((uint64_t)values[i]) == stored[i]);
        assert_true((int64_t)stave__unzigzag(stored[i]) == values[i]);
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Through bytes and back: the mode that was chosen. */
static uint32_t check_column(enum stave__transform transform, const uint64_t *values,
                             uint32_t count, const uint64_t *ends)
{
    uint8_t *bytes = malloc(stave__column_bound(count));
    uint64_t *got = malloc((count + 1) * sizeof *got);
    assert_non_null(bytes);
    assert_non_null(got);
    const uint8_t *end = stave__column_put(bytes, 200, transform, values, count, ends);
    assert_true((size_t)(end - bytes) <= stave__column_bound(count));
    struct stave__column column;
    assert_ptr_equal(stave__column_next(bytes, end, &column), end);
    assert_int_equal(column.number, 200);
    assert_int_equal(column.transform, transform);
    assert_int_equal(column.count, count);
    assert_true(stave__column_get(&column, ends, got));
    if (count > 0)
        assert_memory_equal(got, values, count * sizeof *got);
    for (const uint8_t *cut = bytes; cut < end; cut++)
        assert_null(stave__column_next(bytes, cut, &column));
    free(bytes);
    free(got);
    return column.mode;
}

static void test_columns_of_any_width(void **state)
{
    static uint64_t values[ROWS], ends[ROWS];
    for (unsigned bits = 0; bits <= 64; bits++) {
        for (uint32_t i = 0; i < ROWS; i++) {
            values[i] = random_bits(bits);
            ends[i] = values[i] + random_bits(bits / 2);
        }
        for (uint32_t count = 0; count <= ROWS; count += count < 4 ? 1 : 249) {
            check_column(STAVE__PLAIN, values, count, NULL);
            check_column(STAVE__DELTA, values, count, NULL);
            check_column(STAVE__FROM_END, values, count, ends);
        }
    }
}

static void test_columns_take_the_smallest_form(void **state)
{
    static uint64_t values[ROWS], ends[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) {
        values[i] = 1000000 + i * 3;
        ends[i] = values[i];
    }
    assert_int_equal(check_column(STAVE__DELTA, values, ROWS, NULL), STAVE__SAME);
    assert_int_equal(check_column(STAVE__FROM_END, values, ROWS, ends), STAVE__SAME);
    assert_int_equal(check_column(STAVE__PLAIN, values, ROWS, NULL), STAVE__VARINT);
    for (uint32_t i = 0; i < ROWS; i++)
        values[i] = random_bits(64);
    assert_int_equal(check_column(STAVE__PLAIN, values, ROWS, NULL), STAVE__FIXED);
    uint8_t bytes[64];
    uint64_t zeros[40] = {0};
    assert_int_equal(stave__column_put(bytes, 1, STAVE__PLAIN, zeros, 40, NULL) - bytes, 4);
}

static void test_columns_that_are_not_sound(void **state)
{
    struct stave__column column = {.count = 3, .bytes = (const uint8_t *)"\1\2\3\4", .size = 3};
    uint64_t values[8];
    column.mode = STAVE__VARINT;
    assert_true(stave__column_get(&column, NULL, values));
    column.size = 4; /* a byte too many */
    assert_false(stave__column_get(&column, NULL, values));
    column.size = 2; /* one too few */
    assert_false(stave__column_get(&column, NULL, values));
    column.size = 3;
    column.transform = STAVE__FROM_END; /* and no ends */
    assert_false(stave__column_get(&column, NULL, values));
    column.transform = 3;
    assert_false(stave__column_get(&column, NULL, values));
    column.transform = STAVE__PLAIN;
    column.mode = STAVE__BYTES;
    assert_false(stave__column_get(&column, NULL, values));
    column.mode = STAVE__FIXED;
    assert_false(stave__column_get(&column, NULL, values));
    column.mode = STAVE__SAME;
    column.size = 2;
    assert_false(stave__column_get(&column, NULL, values));
    column.mode = 9;
    assert_false(stave__column_get(&column, NULL, values));
    column = (struct stave__column){.count = STAVE__COLUMN_ROWS_MAX + 1, .bytes = (void *)values};
    assert_false(stave__column_get(&column, NULL, values));
}

/* ---- headers --------------------------------------------------------------------------------- */

static void test_every_field_of_a_header_comes_back(void **state)
{
    struct stave__header header = {0}, got = {0};
    uint8_t bytes[STAVE__HEADER_SIZE];
    for (uint32_t i = 0; i < STAVE__HEADER_FIELD_COUNT; i++)
        *stave__header_field(&header, i) = 1 + i;
    header.first = (uint64_t)-5;
    header.busy = UINT64_MAX;
    header.body_crc = UINT32_MAX;
    stave__header_write(&header, bytes);
    assert_true(stave__header_read(bytes, &got));
    assert_memory_equal(&got, &header, sizeof got);
    assert_memory_equal(bytes, "STVB\1\2\3\0\4\0\0\0", 12);
    for (size_t bit = 0; bit < sizeof bytes * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(stave__header_read(bytes, &got));
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void test_ends_of_a_file(void **state)
{
    uint8_t head[STAVE__FILE_HEAD_SIZE], foot[STAVE__FILE_FOOT_SIZE];
    uint64_t index_offset, blocks;
    stave__file_head_write(head);
    assert_int_equal(stave__file_head_read(head), STAVE__FILE_VERSION);
    stave__file_foot_write(foot, (uint64_t)5 << 32, 77);
    assert_true(stave__file_foot_read(foot, &index_offset, &blocks));
    assert_true(index_offset == (uint64_t)5 << 32 && blocks == 77);
    for (size_t i = 0; i < sizeof head; i++) {
        head[i] ^= 1;
        assert_int_equal(stave__file_head_read(head), 0);
        head[i] ^= 1;
    }
    for (size_t i = 0; i < sizeof foot; i++) {
        foot[i] ^= 128;
        assert_false(stave__file_foot_read(foot, &index_offset, &blocks));
        foot[i] ^= 128;
    }
}

/* ---- blocks of rows -------------------------------------------------------------------------- */

struct memory_block {
    union stave__columns columns;
    void *data;
    stave_block block;
};

/* Random rows of a kind, its ends ascending, with every column that it may have. */
static void make_block(struct memory_block *m, uint32_t kind, uint32_t rows)
{
    uint32_t mask = stave__kind_may_have[kind];
    m->data = calloc(1, stave__columns_size(mask, rows) + 1);
    assert_non_null(m->data);
    stave__columns_lay_out(&m->columns, mask, rows, m->data);
    union stave__columns *c = &m->columns;
    uint64_t order = 5;
    int64_t end = -1000;
    m->block = (stave_block){.kind = kind,
                             .lane = 2,
                             .boot = 1,
                             .rows = rows,
                             .first = INT64_MAX,
                             .last = INT64_MIN,
                             .begun = 12};
    for (uint32_t i = 0; i < rows; i++) {
        end += (int64_t)random_bits(10);
#define FILL(name, number, member, type)                                                           \
    if (c->member != NULL)                                                                         \
        c->member[i] = (type)random_bits(9);
        STAVE_COLUMN_TABLE(FILL)
#undef FILL
        c->order[i] = order += random_bits(4);
        c->flags[i] &= 0x7FF;
        if (c->end != NULL)
            c->end[i] = end;
        c->start[i] = c->end != NULL ? end - (int64_t)random_bits(12) : end;
        m->block.first = c->start[i] < m->block.first ? c->start[i] : m->block.first;
        m->block.last = end;
    }
#define SHOW(name, number, member, type) m->block.member = c->member;
    STAVE_COLUMN_TABLE(SHOW)
#undef SHOW
}

static const struct stave__limits limits = {.strings = 512, .lanes = 512};

struct decoded {
    struct stave__header header;
    union stave__columns columns;
    void *data;
    stave_open_span open[8];
    const char *wrong;
};

static uint64_t scratch[STAVE__COLUMN_ROWS_MAX];

static void decode(const uint8_t *bytes, const struct stave__limits *known, struct decoded *d)
{
    *d = (struct decoded){0};
    assert_true(stave__header_read(bytes, &d->header));
    d->wrong = stave__block_check(&d->header);
    if (d->wrong != NULL)
        return;
    uint32_t rows = (uint32_t)d->header.rows;
    d->data = malloc(stave__columns_size((uint32_t)d->header.columns, rows));
    assert_non_null(d->data);
    stave__columns_lay_out(&d->columns, (uint32_t)d->header.columns, rows, d->data);
    d->wrong = stave__block_decode(&d->header, bytes + STAVE__HEADER_SIZE, known, &d->columns,
                                   d->open, scratch);
}

static void test_blocks_of_every_kind_come_back(void **state)
{
    static const stave_open_span open[] = {
        {.serial = 3, .start = -2000, .name = 1},
        {.serial = 9, .start = 40, .flags = STAVE_FLAG_ATTACHED, .other_lane = 511, .other = 7},
        {.serial = 12, .start = 41, .name = 511},
    };
    for (uint32_t kind = 0; kind < STAVE_ROW_KINDS; kind++) {
        struct memory_block m;
        struct decoded d;
        make_block(&m, kind, ROWS);
        m.block.open = open;
        m.block.open_count = kind == STAVE_SPANS ? 3 : 0;
        uint8_t *bytes = malloc(stave__block_bound(&m.block));
        assert_non_null(bytes);
        size_t size = stave__block_encode(&m.block, bytes, scratch);
        decode(bytes, &limits, &d);
        assert_null(d.wrong);
        assert_int_equal(size, STAVE__HEADER_SIZE + d.header.size);
        assert_int_equal(d.header.kind, kind);
        assert_int_equal(d.header.lane, 2);
        assert_int_equal(d.header.boot, 1);
        assert_int_equal(d.header.begun, 12);
        assert_int_equal(d.header.first_order, m.block.order[0]);
        assert_int_equal(d.header.columns, stave__kind_may_have[kind]);
        for (uint32_t i = 0; i < STAVE_COLUMNS; i++)
            if (m.columns.at[i] != NULL)
                assert_memory_equal(d.columns.at[i], m.columns.at[i],
                                    (size_t)ROWS * stave__column_width[i]);
        if (kind == STAVE_SPANS)
            assert_memory_equal(d.open, open, sizeof open);
        free(bytes);
        free(m.data);
        free(d.data);
    }
}

/* What `busy` says, tick by tick. */
static void test_the_summary_of_spans(void **state)
{
    static bool covered[4000];
    for (int round = 0; round < 50; round++) {
        struct memory_block m;
        struct stave__header header = {0};
        make_block(&m, STAVE_SPANS, 1 + (uint32_t)random_bits(5));
        memset(covered, 0, sizeof covered);
        uint64_t busy = 0, longest = 0;
        uint32_t deepest = 0;
        for (uint32_t i = 0; i < m.block.rows; i++) {
            int64_t from = m.block.start[i] / 32, to = m.block.end[i] / 32;
            m.columns.start[i] = from;
            m.columns.end[i] = to;
            for (int64_t t = from; t < to; t++)
                covered[t + 2000] = true;
            if ((uint64_t)(to - from) > longest)
                longest = (uint64_t)(to - from);
            if (m.block.depth[i] > deepest)
                deepest = m.block.depth[i];
        }
        for (size_t t = 0; t < sizeof covered / sizeof covered[0]; t++)
            busy += covered[t];
        stave__block_summarize(&m.block, &header);
        assert_int_equal(header.busy, busy);
        assert_int_equal(header.longest, longest);
        assert_int_equal(header.deepest, deepest);
        free(m.data);
    }
}

static void test_columns_that_say_nothing_are_left_out(void **state)
{
    struct memory_block m;
    struct decoded d;
    make_block(&m, STAVE_SPANS, 10);
    memset(m.columns.depth, 0, 10 * sizeof *m.columns.depth);
    memset(m.columns.other, 0, 10 * sizeof *m.columns.other);
    memset(m.columns.flags, 0, 10 * sizeof *m.columns.flags);
    uint8_t *bytes = malloc(stave__block_bound(&m.block));
    assert_non_null(bytes);
    stave__block_encode(&m.block, bytes, scratch);
    decode(bytes, &limits, &d);
    assert_null(d.wrong);
    assert_null(d.columns.depth);
    assert_null(d.columns.other);
    assert_non_null(d.columns.flags); /* every kind has them */
    free(bytes);
    free(m.data);
    free(d.data);
}

/* Seals the block anew with one thing changed: what the reader says. */
static const char *wrong_with(void (*change)(struct memory_block *m), struct stave__limits known,
                              uint32_t kind)
{
    struct memory_block m;
    struct decoded d;
    make_block(&m, kind, 10);
    change(&m);
    uint8_t *bytes = malloc(stave__block_bound(&m.block));
    assert_non_null(bytes);
    stave__block_encode(&m.block, bytes, scratch);
    decode(bytes, &known, &d);
    free(bytes);
    free(m.data);
    free(d.data);
    return d.wrong;
}

static void nothing(struct memory_block *m)
{
    (void)m;
}
static void end_before_start(struct memory_block *m)
{
    m->columns.start[4] = m->columns.end[4] + 1;
}
static void beyond_last(struct memory_block *m)
{
    m->block.last--;
}
static void before_first(struct memory_block *m)
{
    m->block.first++;
}
static void order_falls(struct memory_block *m)
{
    m->columns.order[7] = 0;
}
static void strange_text(struct memory_block *m)
{
    m->columns.flags[3] = STAVE_FLAG_TEXT;
    m->columns.value[3] = 512;
}

static void test_blocks_that_contradict_themselves(void **state)
{
    const char *times = "times that contradict the block's own";
    const char *references = "rows that refer to a name or lane which is not there";
    struct stave__limits few_strings = {.strings = 1, .lanes = 512};
    struct stave__limits few_lanes = {.strings = 512, .lanes = 1};
    struct stave__limits lost = {.strings = 1, .lanes = 512, .lost_name = 1};
    assert_null(wrong_with(nothing, limits, STAVE_SPANS));
    assert_string_equal(wrong_with(end_before_start, limits, STAVE_SPANS), times);
    assert_string_equal(wrong_with(beyond_last, limits, STAVE_SPANS), times);
    assert_string_equal(wrong_with(before_first, limits, STAVE_SPANS), times);
    assert_string_equal(wrong_with(order_falls, limits, STAVE_SPANS), times);
    assert_string_equal(wrong_with(nothing, few_strings, STAVE_MARKS), references);
    assert_string_equal(wrong_with(nothing, few_lanes, STAVE_LINKS), references);
    assert_string_equal(wrong_with(strange_text, limits, STAVE_ATTRIBUTES), references);
    assert_null(wrong_with(nothing, lost, STAVE_MARKS)); /* a name stands for those lost */
    assert_null(wrong_with(strange_text, lost, STAVE_ATTRIBUTES));
}

static void test_headers_that_no_block_has(void **state)
{
    struct stave__header good = {
        .rows = 1, .columns = stave__kind_has[STAVE_SPANS], .size = 40, .raw_size = 40};
    assert_null(stave__block_check(&good));
    struct stave__header h = good;
    h.rows = 0;
    assert_non_null(stave__block_check(&h));
    h.rows = STAVE__BLOCK_ROWS_MAX + 1;
    assert_non_null(stave__block_check(&h));
    h = good;
    h.columns &= ~(uint64_t)STAVE_COLUMN_SERIAL;
    assert_non_null(stave__block_check(&h));
    h = good;
    h.columns |= STAVE_COLUMN_MOST; /* never of a span */
    assert_non_null(stave__block_check(&h));
    h = good;
    h.columns |= 1u << 20; /* of a later version */
    assert_null(stave__block_check(&h));
    h = good;
    h.kind = STAVE_ROW_KINDS;
    assert_non_null(stave__block_check(&h));
    h = good;
    h.raw_size = 41;
    assert_non_null(stave__block_check(&h));
    h.codec = STAVE__CODEC_ZSTD;
    assert_null(stave__block_check(&h));
    h.raw_size = 40 * STAVE__PACKING_MAX + 1;
    assert_non_null(stave__block_check(&h));
    h = good;
    h.open_count = STAVE__COLUMN_ROWS_MAX + 1;
    assert_non_null(stave__block_check(&h));
}

/* Every byte of a body in turn set to every value: found, or still a block, but never a crash. */
static void test_bodies_of_any_bytes_are_safe(void **state)
{
    struct memory_block m;
    make_block(&m, STAVE_SPANS, 3);
    static const stave_open_span open[] = {{.serial = 3, .start = -2000, .name = 1}};
    m.block.open = open;
    m.block.open_count = 1;
    uint8_t *bytes = malloc(stave__block_bound(&m.block));
    assert_non_null(bytes);
    size_t size = stave__block_encode(&m.block, bytes, scratch), found = 0;
    for (size_t at = STAVE__HEADER_SIZE; at < size; at++) {
        uint8_t was = bytes[at];
        for (unsigned value = 0; value < 256; value++) {
            struct decoded d;
            bytes[at] = (uint8_t)value;
            decode(bytes, &limits, &d);
            found += d.wrong != NULL;
            free(d.data);
        }
        bytes[at] = was;
    }
    assert_true(found > 0);
    free(bytes);
    free(m.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc32c_of_known_texts),
        cmocka_unit_test(test_crc32c_in_pieces),
        cmocka_unit_test(test_varints),
        cmocka_unit_test(test_varints_beyond_64_bits_are_refused),
        cmocka_unit_test(test_zigzag),
        cmocka_unit_test(test_columns_of_any_width),
        cmocka_unit_test(test_columns_take_the_smallest_form),
        cmocka_unit_test(test_columns_that_are_not_sound),
        cmocka_unit_test(test_every_field_of_a_header_comes_back),
        cmocka_unit_test(test_ends_of_a_file),
        cmocka_unit_test(test_blocks_of_every_kind_come_back),
        cmocka_unit_test(test_the_summary_of_spans),
        cmocka_unit_test(test_columns_that_say_nothing_are_left_out),
        cmocka_unit_test(test_blocks_that_contradict_themselves),
        cmocka_unit_test(test_headers_that_no_block_has),
        cmocka_unit_test(test_bodies_of_any_bytes_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
