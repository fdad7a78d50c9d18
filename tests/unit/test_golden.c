/* Golden .stave files: the library reads each to exactly the lines of the text beside it
 * (tests/golden/README.md). */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../golden/trace_text.h"
#include "store/header.h"
#include "trace/packing.h"

#define EXTENSION ".stave"
#define REFUSED "refused\n"

/* The whole text of a file as the library reads it; of one that it refuses, REFUSED. */
static void text_of_path(const char *path, bool ignore_index, struct trace_text *text)
{
    stave_trace *trace = NULL;
    stave_trace_config config = {.ignore_index = ignore_index};
    stave_error error = {0};
    if (stave_trace_open(path, &config, &trace, &error) < 0) {
        assert_int_equal(error.status, STAVE_E_FORMAT);
        text->bytes = strdup(REFUSED);
        assert_non_null(text->bytes);
        text->size = strlen(REFUSED);
        return;
    }
    trace_text_of_file(text, trace);
    stave_trace_free(trace);
}

static bool is_packed(const char *expected)
{
    return strstr(expected, " packed=1\n") != NULL;
}

static bool reads_right(const char *name, size_t name_size)
{
    char path[512];
    size_t expected_size;
    struct trace_text text = {0};
    snprintf(path, sizeof path, "%s/%.*s.txt", STAVE_GOLDEN_DIR, (int)name_size, name);
    char *expected = trace_text_read(path, &expected_size);
    assert_non_null(expected);
    bool same = true;
    if (stave__pack_bound(1) == 0 && is_packed(expected)) {
        print_message("%.*s: not read, this build has no zstd\n", (int)name_size, name);
    } else {
        snprintf(path, sizeof path, "%s/%.*s%s", STAVE_GOLDEN_DIR, (int)name_size, name, EXTENSION);
        text_of_path(path, false, &text);
        same = trace_text_same(&text, expected, expected_size);
    }
    free(text.bytes);
    free(expected);
    return same;
}

static void test_each_file_reads_to_its_text(void **state)
{
    DIR *folder = opendir(STAVE_GOLDEN_DIR);
    struct dirent *entry;
    unsigned files = 0;
    bool all = true;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        size_t size = strlen(entry->d_name), end = strlen(EXTENSION);
        if (size <= end || strcmp(entry->d_name + size - end, EXTENSION) != 0)
            continue;
        files++;
        bool same = reads_right(entry->d_name, size - end);
        if (!same)
            print_error("%s\n", entry->d_name);
        all = all && same;
    }
    closedir(folder);
    assert_true(all);
    assert_true(files >= 18);
}

/* Without its index a sound file is the same, but for the first line, which says so. */
static void test_sound_files_read_the_same_without_their_index(void **state)
{
    static const char *const sound[] = {"smallest", "empty",      "kinds", "columns",     "open",
                                        "boots",    "told-again", "newer", "odd-columns", "tables"};
    for (size_t i = 0; i < sizeof sound / sizeof sound[0]; i++) {
        char path[512];
        struct trace_text with = {0}, without = {0};
        snprintf(path, sizeof path, "%s/%s%s", STAVE_GOLDEN_DIR, sound[i], EXTENSION);
        text_of_path(path, false, &with);
        text_of_path(path, true, &without);
        size_t line = (size_t)(strchr(with.bytes, '\n') - with.bytes);
        size_t other = (size_t)(strchr(without.bytes, '\n') - without.bytes);
        assert_int_equal(line, other);
        assert_non_null(strstr(with.bytes, "indexed=1"));
        assert_non_null(strstr(without.bytes, "indexed=0"));
        assert_string_equal(with.bytes + line, without.bytes + line);
        free(with.bytes);
        free(without.bytes);
    }
}

/* Blocks of texts that say they have many rows, and are damaged: rows are made up for them only as far as
 * a file can have them. */
static void test_no_memory_is_had_by_a_number_in_a_file(void **state)
{
    enum { BLOCKS = 400 };
    char path[] = "/tmp/stave-golden-XXXXXX";
    uint8_t bytes[STAVE__HEADER_SIZE];
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    assert_non_null(file);
    stave__file_head_write(bytes);
    assert_int_equal(fwrite(bytes, 1, STAVE__FILE_HEAD_SIZE, file), STAVE__FILE_HEAD_SIZE);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        struct stave__header header = {.version = STAVE__BLOCK_VERSION,
                                       .kind = STAVE__STRINGS,
                                       .rows = STAVE__BLOCK_ROWS_MAX,
                                       .first = i * STAVE__BLOCK_ROWS_MAX};
        stave__header_write(&header, bytes);
        assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    }
    assert_int_equal(fclose(file), 0);

    stave_trace *trace = NULL;
    assert_int_equal(stave_trace_open(path, NULL, &trace, NULL), STAVE_OK);
    assert_int_equal(stave_trace_damages(trace), BLOCKS);
    assert_true(stave_trace_strings(trace) < 2 * STAVE__BLOCK_ROWS_MAX);
    stave_trace_free(trace);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_file_reads_to_its_text),
        cmocka_unit_test(test_sound_files_read_the_same_without_their_index),
        cmocka_unit_test(test_no_memory_is_had_by_a_number_in_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
