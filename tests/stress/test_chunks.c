/* test_chunks.c - a trace depends on the bytes alone, not on how they were cut into reads.
 *
 * STAVE_VECTORS_DIR is the folder of etrace's vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "project.h"

static const size_t chunks[] = {1, 2, 3, 5, 7, 64, 1024};

static bool same_in_chunks(const unsigned char *bytes, size_t size, const struct outcome *whole)
{
    struct outcome outcome;
    bool same = true;
    for (size_t i = 0; same && i < sizeof chunks / sizeof *chunks; i++) {
        project_decode(bytes, size, &(struct cuts){.chunk = chunks[i]}, &outcome);
        same = outcome_is_outcome(&outcome, whole);
        outcome_free(&outcome);
        if (!same)
            print_error("in chunks of %zu\n", chunks[i]);
    }
    for (uint64_t seed = 1; same && seed <= 3; seed++) {
        struct dice dice = {seed};
        project_decode(bytes, size, &(struct cuts){.dice = &dice}, &outcome);
        same = outcome_is_outcome(&outcome, whole);
        outcome_free(&outcome);
        if (!same)
            print_error("in random chunks %llu\n", (unsigned long long)seed);
    }
    return same;
}

static bool depends_on_bytes_alone(const unsigned char *bytes, size_t size)
{
    struct outcome whole;
    project_decode(bytes, size, &(struct cuts){0}, &whole);
    bool same = same_in_chunks(bytes, size, &whole);
    outcome_free(&whole);
    return same;
}

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long end = ftell(file);
    assert_true(end >= 0);
    rewind(file);
    unsigned char *bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)end, file);
    assert_int_equal(*size, end);
    fclose(file);
    return bytes;
}

/* The vector's CSV stands beside it. */
static bool is_its_csv(const char *path, const unsigned char *bytes, size_t size)
{
    char csv_path[1024];
    snprintf(csv_path, sizeof csv_path, "%.*s.csv", (int)(strlen(path) - 4), path);
    size_t csv_size;
    unsigned char *csv = read_file(csv_path, &csv_size);
    struct outcome outcome;
    project_decode(bytes, size, &(struct cuts){0}, &outcome);
    bool same = outcome.csv_size == csv_size && memcmp(outcome.csv, csv, csv_size) == 0;
    outcome_free(&outcome);
    free(csv);
    return same;
}

static void check_vector(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", STAVE_VECTORS_DIR, name);
    size_t size;
    unsigned char *bytes = read_file(path, &size);
    if (!is_its_csv(path, bytes, size) || !depends_on_bytes_alone(bytes, size)) {
        print_error("vector %s\n", name);
        fail();
    }
    free(bytes);
}

static void test_vectors(void **state)
{
    (void)state;
    DIR *folder = opendir(STAVE_VECTORS_DIR);
    assert_non_null(folder);
    unsigned vectors = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".bin") != 0)
            continue;
        check_vector(entry->d_name);
        vectors++;
    }
    closedir(folder);
    assert_true(vectors >= 20);
}

static void test_random_devices(void **state)
{
    (void)state;
    for (uint64_t seed = 1000001; seed <= 1000200; seed++) {
        size_t size;
        unsigned char *bytes = device_stream(seed, &size);
        bool same = depends_on_bytes_alone(bytes, size);
        free(bytes);
        if (!same) {
            print_error("the device with seed %llu\n", (unsigned long long)seed);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_random_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
