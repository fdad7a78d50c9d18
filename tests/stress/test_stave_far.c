/* test_stave_far.c - a file whose rows stand behind 4 GiB: by its index, by reading, damaged and cut there.
 *
 * The bytes in between are blocks of a later version, their bodies zeros that no disk has to hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/crc32c.h"
#include "stress/traces.h"
#include "trace/file.h"

#define FOUR_GIB ((uint64_t)4 * 1024 * 1024 * 1024)
#define FAR_BLOCKS 129u
#define ON_DISK_MAX ((uint64_t)4 * 1024 * 1024) /* bytes; else it is not sparse */

static char path[64];
static struct traces_rows wanted;
static uint64_t far_rows_at; /* offset of the first block of rows */

/* ---- making it ------------------------------------------------------------------------------- */

struct far_file {
    int fd;
    struct stave__writer writer;
};

static int write_far(void *context, const void *data, size_t size)
{
    const struct far_file *file = context;
    ssize_t n = pwrite(file->fd, data, size, (off_t)file->writer.offset);
    return n == (ssize_t)size ? STAVE_OK : STAVE_E_IO;
}

static uint32_t crc_of_zeros(void)
{
    uint8_t *zeros = calloc(1, STAVE__BODY_MAX);
    assert_non_null(zeros);
    uint32_t crc = stave__crc32c(0, zeros, STAVE__BODY_MAX);
    free(zeros);
    return crc;
}

/* Only the header is written. */
static void put_hole(struct far_file *file, uint32_t crc)
{
    uint8_t bytes[STAVE__HEADER_SIZE];
    struct stave__indexed *row = stave__table_add(&file->writer.blocks);
    assert_non_null(row);
    row->offset = file->writer.offset;
    row->header = (struct stave__header){.version = STAVE__BLOCK_VERSION,
                                         .kind = 50,
                                         .size = STAVE__BODY_MAX,
                                         .raw_size = STAVE__BODY_MAX,
                                         .body_crc = crc};
    stave__header_write(&row->header, bytes);
    assert_int_equal(write_far(file, bytes, sizeof bytes), STAVE_OK);
    file->writer.offset += sizeof bytes + STAVE__BODY_MAX;
    file->writer.blocks_put++;
}

static void put_holes(struct far_file *file)
{
    uint32_t crc = crc_of_zeros();
    for (uint32_t i = 0; i < FAR_BLOCKS; i++)
        put_hole(file, crc);
    far_rows_at = file->writer.offset;
}

/* The blocks of a saved trace, with the holes between tables and rows. */
static void put_all(struct far_file *file, const struct traces_bytes *saved)
{
    struct stave__header header;
    for (size_t at = STAVE__FILE_HEAD_SIZE;;) {
        assert_true(stave__header_read(saved->at + at, &header));
        if (header.kind == STAVE__INDEX)
            break;
        if (stave__header_has_rows(&header) && far_rows_at == 0)
            put_holes(file);
        size_t size = STAVE__HEADER_SIZE + header.size;
        assert_int_equal(stave__writer_put(&file->writer, saved->at + at, size, NULL), STAVE_OK);
        at += size;
    }
}

static int make_file(void **state)
{
    const char *dir = getenv("TMPDIR");
    struct far_file file;
    struct stat status;
    snprintf(path, sizeof path, "%.40s/stave-XXXXXX", dir != NULL ? dir : "/tmp");
    file.fd = mkstemp(path);
    assert_true(file.fd >= 0);
    stave_trace *trace = traces_make(&(struct traces_shape){.seed = 12, .lanes = 3}, 2, 2000);
    struct traces_bytes saved = traces_save(trace, 0);
    wanted = traces_read(trace);
    stave_sink sink = {.write = write_far, .context = &file};
    file.writer.offset = 0;
    assert_int_equal(stave__writer_begin(&file.writer, sink, NULL), STAVE_OK);
    put_all(&file, &saved);
    assert_int_equal(stave__writer_finish(&file.writer, NULL), STAVE_OK);
    stave__writer_free(&file.writer);
    assert_int_equal(fstat(file.fd, &status), 0);
    close(file.fd);
    free(saved.at);
    /* Names belong to the trace: those of the rows are looked up again where they are needed. */
    for (size_t i = 0; i < wanted.count; i++)
        wanted.at[i].name = "";
    stave_trace_free(trace);
    assert_true(far_rows_at > FOUR_GIB && (uint64_t)status.st_size > far_rows_at);
    if ((uint64_t)status.st_blocks * 512 < ON_DISK_MAX)
        return 0;
    unlink(path);
    print_message("note: files are not sparse here; nothing was tested\n");
    exit(0);
}

static int remove_file(void **state)
{
    free(wanted.at);
    return unlink(path);
}

/* ---- reading it ------------------------------------------------------------------------------ */

static stave_trace *open_far(bool ignore_index)
{
    stave_trace *trace = NULL;
    stave_trace_file about;
    stave_trace_config config = {.ignore_index = ignore_index};
    assert_int_equal(stave_trace_open(path, &config, &trace, NULL), STAVE_OK);
    stave_trace_file_of(trace, &about);
    assert_int_equal(about.unknown, FAR_BLOCKS);
    assert_int_equal(about.indexed, !ignore_index);
    assert_true(about.size > FOUR_GIB);
    return trace;
}

static void check_rows(stave_trace *trace, uint64_t lost)
{
    struct traces_rows rows = traces_read(trace);
    size_t at = 0;
    assert_int_equal(rows.count + lost, wanted.count);
    for (size_t i = 0; i < rows.count; i++, at++) {
        while (wanted.at[at].columns.order < rows.at[i].columns.order)
            at++;
        rows.at[i].name = "";
        assert_true(traces_same_row(&rows.at[i], &wanted.at[at]));
    }
    free(rows.at);
}

static void test_by_index_and_by_reading(void **state)
{
    for (int ignore = 0; ignore < 2; ignore++) {
        stave_block_info info;
        stave_trace *trace = open_far(ignore != 0);
        check_rows(trace, 0);
        assert_int_equal(stave_trace_damages(trace), 0);
        assert_int_equal(stave_trace_block(trace, 0, &info, NULL), STAVE_OK);
        assert_true(info.offset == far_rows_at);
        stave_trace_free(trace);
    }
}

/* The last of the holes alone: all of them are 4 GiB to read. */
static void test_a_block_of_zeros_is_sound(void **state)
{
    stave_trace *trace = open_far(false);
    struct stave__unknown *last = stave__table_at(&trace->file->unknown, FAR_BLOCKS - 1);
    assert_int_equal(stave__file_read_unknown(trace, last, NULL), 1);
    stave_trace_free(trace);
}

static void change_byte(uint64_t at)
{
    uint8_t byte;
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseeko(file, (off_t)at, SEEK_SET), 0);
    assert_int_equal(fread(&byte, 1, 1, file), 1);
    byte ^= 1;
    assert_int_equal(fseeko(file, (off_t)at, SEEK_SET), 0);
    assert_int_equal(fwrite(&byte, 1, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

static void test_damage_behind_4_gib(void **state)
{
    uint64_t at = far_rows_at + STAVE__HEADER_SIZE + 3;
    change_byte(at);
    for (int ignore = 0; ignore < 2; ignore++) {
        stave_block_info info;
        stave_trace *trace = open_far(ignore != 0);
        assert_int_equal(stave_trace_block(trace, 0, &info, NULL), STAVE_OK);
        check_rows(trace, info.rows);
        assert_int_equal(stave_trace_damages(trace), 1);
        assert_true(stave_trace_damage(trace, 0).offset == far_rows_at);
        assert_int_equal(stave_trace_damage(trace, 0).size, info.size);
        stave_trace_free(trace);
    }
    change_byte(at);
}

/* Last, since it is the end of the file's rows. */
static void test_cut_in_the_zeros(void **state)
{
    stave_trace *trace = NULL;
    stave_trace_file about;
    uint64_t cut = STAVE__HEADER_SIZE + 5000000;
    uint64_t size = far_rows_at - STAVE__HEADER_SIZE - STAVE__BODY_MAX + cut;
    assert_true(size > FOUR_GIB);
    assert_int_equal(truncate(path, (off_t)size), 0);
    assert_int_equal(stave_trace_open(path, NULL, &trace, NULL), STAVE_OK);
    stave_trace_file_of(trace, &about);
    assert_int_equal(about.unknown, FAR_BLOCKS - 1);
    assert_int_equal(about.cut, cut);
    assert_true(about.size == size);
    assert_int_equal(stave_trace_blocks(trace), 0);
    assert_int_equal(stave_trace_lanes(trace), 3);
    assert_int_equal(stave_trace_damages(trace), 0);
    stave_trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_index_and_by_reading),
        cmocka_unit_test(test_a_block_of_zeros_is_sound),
        cmocka_unit_test(test_damage_behind_4_gib),
        cmocka_unit_test(test_cut_in_the_zeros),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
