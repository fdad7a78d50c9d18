/* test_stave_blocks.c - a file of some hundred blocks, of which some are damaged, gone, doubled or named
 * wrongly: the rows of all others are read exactly, and what is lost is listed once. */
#define _GNU_SOURCE /* memfd_create */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/writer.h"
#include "stress/traces.h"
#include "trace/packing.h"

#define BLOCKS_MAX 1000
#define ROWS_MAX 20000

#ifdef STAVE_SLOWED
#define STEP 4 /* of the blocks, how many are passed over */
#else
#define STEP 1
#endif

/* ---- the file as it should be ---------------------------------------------------------------- */

struct place {
    uint64_t offset, size;
    struct stave__header header;
};

static struct whole {
    struct traces_bytes bytes;
    stave_trace *trace;          /* opened from it */
    struct traces_rows rows;     /* by their order */
    uint32_t block_of[ROWS_MAX]; /* of the row with that order: its place below */
    struct place places[BLOCKS_MAX];
    uint32_t count;      /* of blocks, the index aside */
    uint32_t first_rows; /* blocks before are tables */
    uint64_t index_offset;
} whole;

static uint64_t random_state = 4;

static uint64_t below(uint64_t limit)
{
    return traces_random(&random_state, limit);
}

static int make_file(const void *bytes, size_t size, char *path, size_t path_size)
{
    int fd = memfd_create("stave", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    snprintf(path, path_size, "/proc/self/fd/%d", fd);
    return fd;
}

static stave_trace *open_bytes(const struct traces_bytes *bytes, bool ignore_index)
{
    char path[32];
    stave_trace *trace = NULL;
    stave_trace_config config = {.ignore_index = ignore_index};
    int fd = make_file(bytes->at, bytes->size, path, sizeof path);
    assert_int_equal(stave_trace_open(path, &config, &trace, NULL), STAVE_OK);
    close(fd);
    return trace;
}

static void find_places(void)
{
    const struct traces_bytes *bytes = &whole.bytes;
    uint64_t at = STAVE__FILE_HEAD_SIZE;
    struct place *place = whole.places;
    whole.count = 0;
    while (stave__header_read(bytes->at + at, &place->header) &&
           place->header.kind != STAVE__INDEX) {
        place->offset = at;
        place->size = STAVE__HEADER_SIZE + place->header.size;
        at += place->size;
        if (!stave__header_has_rows(&place->header))
            whole.first_rows = whole.count + 1;
        place++;
        assert_true(++whole.count < BLOCKS_MAX);
    }
    whole.index_offset = at;
}

/* A cursor hands out blocks as they stand in the file. */
static void map_rows(void)
{
    stave_cursor *cursor;
    const stave_block *block;
    uint32_t place = whole.first_rows;
    assert_int_equal(stave_cursor_open(whole.trace, NULL, &cursor, NULL), STAVE_OK);
    for (; place < whole.count && stave_cursor_next(cursor, &block, NULL) > 0; place++)
        for (uint32_t i = 0; i < block->rows; i++) {
            assert_true(block->order[i] < ROWS_MAX);
            whole.block_of[block->order[i]] = place;
        }
    assert_int_equal(place, whole.count);
    stave_cursor_close(cursor);
}

static void begin_whole(uint32_t zstd_level)
{
    struct traces_shape shape = {.seed = 11, .lanes = 8};
    stave_trace *trace = traces_make(&shape, 2, 2000);
    whole.bytes = traces_save(trace, zstd_level);
    stave_trace_free(trace);
    whole.trace = open_bytes(&whole.bytes, false);
    whole.rows = traces_read(whole.trace);
    find_places();
    map_rows();
    assert_true(whole.count - whole.first_rows > 200);
}

static void end_whole(void)
{
    free(whole.bytes.at);
    free(whole.rows.at);
    stave_trace_free(whole.trace);
}

/* ---- what has to be true of a file that is not ------------------------------------------------ */

/* All rows but those of the blocks from `lost` on, `lost_count` of them. */
static void check_rows(stave_trace *trace, uint32_t lost, uint32_t lost_count, bool names)
{
    struct traces_rows rows = traces_read(trace);
    size_t got = 0;
    for (size_t i = 0; i < whole.rows.count; i++) {
        const struct traces_row *wanted = &whole.rows.at[i];
        uint32_t place = whole.block_of[wanted->columns.order];
        if (place >= lost && place < lost + lost_count)
            continue;
        assert_true(got < rows.count);
        assert_true(names ? traces_same_row(wanted, &rows.at[got])
                          : traces_same_columns(wanted, &rows.at[got]));
        got++;
    }
    assert_int_equal(got, rows.count);
    free(rows.at);
}

/* Whatever is handed out is a row of the file: how many there are. */
static uint64_t check_subset(stave_trace *trace)
{
    struct traces_rows rows = traces_read(trace);
    size_t at = 0;
    for (size_t i = 0; i < rows.count; i++) {
        while (at < whole.rows.count && whole.rows.at[at].columns.order < rows.at[i].columns.order)
            at++;
        assert_true(at < whole.rows.count);
        assert_true(traces_same_columns(&whole.rows.at[at], &rows.at[i]));
    }
    uint64_t count = rows.count;
    free(rows.at);
    return count;
}

static void check_damage(stave_trace *trace, uint32_t index, uint64_t offset, uint64_t size,
                         uint64_t rows)
{
    stave_damage damage = stave_trace_damage(trace, index);
    assert_int_equal(damage.offset, offset);
    assert_int_equal(damage.size, size);
    assert_int_equal(damage.rows, rows);
    assert_non_null(damage.what);
}

/* What is listed stays what it is, however often it is looked for. */
static void check_damages(stave_trace *trace, uint32_t count)
{
    if (stave_trace_check(trace, (stave_progress){0}, NULL) != (int)count)
        for (uint32_t i = 0; i < stave_trace_damages(trace); i++)
            print_error("%u: %llu + %llu: %s\n", (unsigned)i,
                        (unsigned long long)stave_trace_damage(trace, i).offset,
                        (unsigned long long)stave_trace_damage(trace, i).size,
                        stave_trace_damage(trace, i).what);
    assert_int_equal(stave_trace_check(trace, (stave_progress){0}, NULL), count);
    assert_int_equal(stave_trace_damages(trace), count);
}

/* ---- bytes that changed ---------------------------------------------------------------------- */

static uint8_t flip(uint64_t at)
{
    uint8_t was = whole.bytes.at[at];
    whole.bytes.at[at] ^= (uint8_t)(1 + below(255));
    return was;
}

/* Without an index a block whose header is damaged is a place where no block begins. */
static void check_flip(uint32_t place, uint64_t in_block, bool ignore_index)
{
    const struct place *p = &whole.places[place];
    bool is_table = place < whole.first_rows;
    bool in_header = in_block < STAVE__HEADER_SIZE;
    uint8_t was = flip(p->offset + in_block);
    stave_trace *trace = open_bytes(&whole.bytes, ignore_index);
    whole.bytes.at[p->offset + in_block] = was;
    check_rows(trace, place, is_table ? 0 : 1, !is_table);
    if (!is_table || !in_header || !ignore_index) {
        check_damages(trace, 1);
        check_damage(trace, 0, p->offset, p->size,
                     is_table || (in_header && ignore_index) ? 0 : p->header.rows);
    }
    stave_trace_free(trace);
}

static void test_each_block_damaged(void **state)
{
    for (uint32_t place = 0; place < whole.count; place += STEP) {
        uint64_t size = whole.places[place].size;
        check_flip(place, below(STAVE__HEADER_SIZE), place % 2 == 0);
        check_flip(place, STAVE__HEADER_SIZE + below(size - STAVE__HEADER_SIZE), place % 3 == 0);
        check_flip(place, size - 1, place % 5 == 0);
    }
}

static void test_neighbours_damaged(void **state)
{
    for (uint32_t place = whole.first_rows; place + 1 < whole.count; place += 4) {
        const struct place *p = &whole.places[place], *q = p + 1;
        uint64_t at = p->offset + STAVE__HEADER_SIZE + 1, other = q->offset + below(q->size);
        uint8_t was = flip(at), other_was = flip(other);
        stave_trace *trace = open_bytes(&whole.bytes, false);
        whole.bytes.at[at] = was;
        whole.bytes.at[other] = other_was;
        check_rows(trace, place, 2, true);
        check_damages(trace, 2);
        uint32_t first = stave_trace_damage(trace, 0).offset == q->offset; /* as they are found */
        check_damage(trace, first, p->offset, p->size, p->header.rows);
        check_damage(trace, 1 - first, q->offset, q->size, q->header.rows);
        stave_trace_free(trace);
    }
}

/* ---- bytes that are gone, or too many -------------------------------------------------------- */

static struct traces_bytes changed;

static void take(uint64_t from, uint64_t to)
{
    traces_add(&changed, whole.bytes.at + from, to - from);
}

static stave_trace *open_changed(void)
{
    stave_trace *trace = open_bytes(&changed, false);
    stave_trace_file file;
    stave_trace_file_of(trace, &file);
    assert_false(file.indexed);
    assert_int_equal(file.cut, 0);
    return trace;
}

static void test_a_block_removed(void **state)
{
    for (uint32_t place = whole.first_rows; place < whole.count; place += STEP) {
        const struct place *p = &whole.places[place];
        changed.size = 0;
        take(0, p->offset);
        take(p->offset + p->size, whole.bytes.size);
        stave_trace *trace = open_changed();
        check_rows(trace, place, 1, true);
        check_damages(trace, 0);
        stave_trace_free(trace);
    }
}

static void add_junk(uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)below(256);
        traces_add(&changed, &byte, 1);
    }
    if (size >= 4)
        memcpy(changed.at + changed.size - size + below(size - 3), "STVB", 4);
}

static void test_junk_between_blocks(void **state)
{
    for (uint32_t place = 0; place < whole.count; place += 4) {
        const struct place *p = &whole.places[place];
        uint64_t size = 1 + below(place % 16 == 0 ? 40000 : 300);
        changed.size = 0;
        take(0, p->offset);
        add_junk(size);
        take(p->offset, whole.bytes.size);
        stave_trace *trace = open_changed();
        check_rows(trace, 0, 0, true);
        check_damages(trace, 1);
        check_damage(trace, 0, p->offset, size, 0);
        stave_trace_free(trace);
    }
}

static void test_a_block_twice(void **state)
{
    for (uint32_t place = 0; place < whole.count; place += 4) {
        const struct place *p = &whole.places[place];
        changed.size = 0;
        take(0, p->offset + p->size);
        take(p->offset, whole.bytes.size);
        stave_trace *trace = open_changed();
        uint64_t rows = check_subset(trace);
        assert_int_equal(rows, whole.rows.count + (place >= whole.first_rows ? p->header.rows : 0));
        check_damages(trace, 0);
        stave_trace_free(trace);
    }
}

/* Rows come before what they refer to: the first block is refused, and for the others lanes and boots are
 * made up until they come. */
static void test_halves_swapped(void **state)
{
    for (uint32_t place = whole.first_rows + 1; place < whole.count; place += 5) {
        const struct place *p = &whole.places[place];
        changed.size = 0;
        take(0, STAVE__FILE_HEAD_SIZE);
        take(p->offset, whole.index_offset);
        take(STAVE__FILE_HEAD_SIZE, p->offset);
        stave_trace *trace = open_changed();
        assert_int_equal(check_subset(trace), whole.rows.count - p->header.rows);
        check_damages(trace, 1);
        check_damage(trace, 0, STAVE__FILE_HEAD_SIZE, p->size, p->header.rows);
        assert_string_equal(stave_trace_string(trace, stave_trace_lane(trace, 2)->name, NULL),
                            "lane 2");
        stave_trace_free(trace);
    }
}

/* ---- an index that says something else ------------------------------------------------------- */

static struct stave__indexed *indexed(struct stave__writer *writer, uint32_t place)
{
    return stave__table_at(&writer->blocks, place);
}

/* The file with the index as `change` makes it. */
static void write_changed(void (*change)(struct stave__writer *writer, uint32_t place),
                          uint32_t place)
{
    struct stave__writer writer;
    changed.size = 0;
    stave_sink sink = {.write = traces_add, .context = &changed};
    assert_int_equal(stave__writer_begin(&writer, sink, NULL), STAVE_OK);
    for (uint32_t i = 0; i < whole.count; i++)
        assert_int_equal(stave__writer_put(&writer, whole.bytes.at + whole.places[i].offset,
                                           whole.places[i].size, NULL),
                         STAVE_OK);
    change(&writer, place);
    assert_int_equal(stave__writer_finish(&writer, NULL), STAVE_OK);
    stave__writer_free(&writer);
}

static void swap_rows(struct stave__writer *writer, uint32_t place)
{
    struct stave__indexed *a = indexed(writer, place), *b = indexed(writer, place - 1), c = *a;
    *a = *b;
    *b = c;
}

static void point_elsewhere(struct stave__writer *writer, uint32_t place)
{
    indexed(writer, place)->offset = whole.places[below(place)].offset;
}

static void leave_out(struct stave__writer *writer, uint32_t place)
{
    for (uint32_t i = place; i + 1 < whole.count; i++)
        *indexed(writer, i) = *indexed(writer, i + 1);
    writer->blocks.rows--;
    writer->blocks_put--;
}

static void twice(struct stave__writer *writer, uint32_t place)
{
    struct stave__indexed *row = stave__table_add(&writer->blocks);
    assert_non_null(row);
    *row = *indexed(writer, place);
    writer->blocks_put++;
}

/* Such an index is none: all is found by reading. */
static void test_an_index_that_cannot_be(void **state)
{
    static void (*const changes[])(struct stave__writer *, uint32_t) = {swap_rows, point_elsewhere,
                                                                        leave_out, twice};
    for (uint32_t place = 1; place < whole.count; place += 23)
        for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
            write_changed(changes[i], place);
            stave_trace *trace = open_changed();
            check_rows(trace, 0, 0, true);
            check_damages(trace, 0);
            stave_trace_free(trace);
        }
}

static uint32_t field_to_change;

static void change_field(struct stave__writer *writer, uint32_t place)
{
    uint64_t *field = stave__header_field(&indexed(writer, place)->header, field_to_change);
    *field ^= (uint64_t)1 << below(3);
}

static uint32_t field_number(size_t offset)
{
    return (uint32_t)(offset / sizeof(uint64_t));
}

/* The block alone may be lost, and then it is listed. The index has the last word on lanes. */
static void test_an_index_that_names_other_blocks(void **state)
{
    uint32_t lane = field_number(offsetof(struct stave__header, lane));
    for (uint32_t place = whole.first_rows; place < whole.count; place += 29)
        for (uint32_t i = 0; i < STAVE__HEADER_FIELD_COUNT; i++) {
            field_to_change = i;
            if (i == lane)
                continue;
            write_changed(change_field, place);
            stave_trace *trace = open_bytes(&changed, false);
            uint64_t rows = check_subset(trace);
            int found = stave_trace_check(trace, (stave_progress){0}, NULL);
            if (rows < whole.rows.count) {
                assert_int_equal(rows, whole.rows.count - whole.places[place].header.rows);
                assert_int_equal(found, 1);
                assert_int_equal(stave_trace_damage(trace, 0).offset, whole.places[place].offset);
            }
            stave_trace_free(trace);
        }
}

/* ---- */

static int set_up(void **state)
{
    begin_whole(0);
    return 0;
}

static int set_up_packed(void **state)
{
    begin_whole(1);
    return 0;
}

static int tear_down(void **state)
{
    end_whole();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_block_damaged),
        cmocka_unit_test(test_neighbours_damaged),
        cmocka_unit_test(test_a_block_removed),
        cmocka_unit_test(test_junk_between_blocks),
        cmocka_unit_test(test_a_block_twice),
        cmocka_unit_test(test_halves_swapped),
        cmocka_unit_test(test_an_index_that_cannot_be),
        cmocka_unit_test(test_an_index_that_names_other_blocks),
    };
    const struct CMUnitTest packed[] = {
        cmocka_unit_test(test_each_block_damaged),
        cmocka_unit_test(test_an_index_that_names_other_blocks),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    if (stave__pack_bound(1) > 0)
        failed += cmocka_run_group_tests(packed, set_up_packed, tear_down);
    free(changed.at);
    return failed;
}
