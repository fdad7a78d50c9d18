/* test_export.c - every format to a file, to a sink and to memory: the same bytes, the same counts; what goes wrong is passed
 * on, and leaves no file. What is in the bytes is tested by tests/export. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "export/make_traces.h"
#include "stave/export.h"

static stave_trace *trace;
static char folder[64];

struct bytes {
    char *at;
    size_t size;
    unsigned calls, fail_at;
};

static int take(void *context, const void *data, size_t size)
{
    struct bytes *bytes = context;
    bytes->calls++;
    assert_true(bytes->fail_at == 0 || bytes->calls <= bytes->fail_at);
    if (bytes->calls == bytes->fail_at)
        return STAVE_E_LIMIT;
    bytes->at = realloc(bytes->at, bytes->size + size);
    assert_non_null(bytes->at);
    memcpy(bytes->at + bytes->size, data, size);
    bytes->size += size;
    return STAVE_OK;
}

static struct bytes of_file(const char *path)
{
    struct bytes bytes = {0};
    char part[4096];
    size_t size;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while ((size = fread(part, 1, sizeof part, file)) > 0)
        take(&bytes, part, size);
    fclose(file);
    return bytes;
}

static void same(const struct bytes *a, const char *b, size_t size)
{
    assert_int_equal(a->size, size);
    assert_memory_equal(a->at, b, size);
}

static void test_file_sink_memory(void **state)
{
    for (stave_export_format format = 0; format < STAVE_EXPORT_COUNT; format++) {
        struct bytes sunk = {0};
        char path[128], *data = NULL;
        size_t size = 0;
        stave_export_counts first, second, third;
        stave_error error = {0};
        snprintf(path, sizeof path, "%s/out", folder);
        assert_int_equal(
            stave_export(trace, format, NULL, ((stave_sink){take, &sunk}), &first, &error),
            STAVE_OK);
        assert_int_equal(stave_export_to_file(trace, format, NULL, path, &second, &error),
                         STAVE_OK);
        assert_int_equal(stave_export_to_memory(trace, format, NULL, &data, &size, &third, &error),
                         STAVE_OK);
        struct bytes filed = of_file(path);
        assert_true(sunk.size > 500);
        same(&sunk, data, size);
        same(&filed, data, size);
        assert_int_equal(data[size], '\0');
        assert_memory_equal(&first, &second, sizeof first);
        assert_memory_equal(&first, &third, sizeof first);
        assert_true(first.spans > 500 && first.lanes == 9);
        assert_int_equal(first.cumulatives, 9);
        assert_int_equal(first.gaps, 3);
        assert_int_equal(first.lost, 49);
        assert_int_equal(unlink(path), 0);
        free(sunk.at);
        free(filed.at);
        free(data);
    }
}

static void test_errors_of_the_sink(void **state)
{
    for (stave_export_format format = 0; format < STAVE_EXPORT_COUNT; format++) {
        struct bytes all = {0};
        assert_int_equal(stave_export(trace, format, NULL, ((stave_sink){take, &all}), NULL, NULL),
                         STAVE_OK);
        free(all.at);
        for (unsigned fail_at = 1; fail_at <= all.calls; fail_at++) {
            struct bytes some = {.fail_at = fail_at};
            stave_error error = {0};
            assert_int_equal(
                stave_export(trace, format, NULL, ((stave_sink){take, &some}), NULL, &error),
                STAVE_E_LIMIT);
            assert_int_equal(error.status, STAVE_E_LIMIT);
            free(some.at);
        }
    }
}

static void test_no_file_remains(void **state)
{
    char path[128];
    stave_error error = {0};
    snprintf(path, sizeof path, "%s/none/out", folder);
    assert_int_equal(stave_export_to_file(trace, STAVE_EXPORT_CHROME, NULL, path, NULL, &error),
                     STAVE_E_IO);
    assert_int_equal(error.status, STAVE_E_IO);
    assert_int_equal(access(path, F_OK), -1);
}

static void test_names(void **state)
{
    for (stave_export_format format = 0; format < STAVE_EXPORT_COUNT; format++) {
        assert_int_equal(stave_export_find(stave_export_name(format)), format);
        assert_true(stave_export_suffix(format)[0] == '.');
        assert_true(stave_export_viewers(format)[0] != '\0');
    }
    assert_int_equal(stave_export_find("Chrome"), STAVE_E_ARGUMENT);
    assert_int_equal(stave_export_find(""), STAVE_E_ARGUMENT);
    struct bytes none = {0};
    assert_int_equal(
        stave_export(trace, STAVE_EXPORT_COUNT, NULL, ((stave_sink){take, &none}), NULL, NULL),
        STAVE_E_ARGUMENT);
    assert_int_equal(none.calls, 0);
}

static int set_up(void **state)
{
    const char *dir = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/stave-XXXXXX", dir != NULL ? dir : "/tmp");
    if (mkdtemp(folder) == NULL)
        return -1;
    rows_begin();
    make_everything();
    trace = rows_finish(false);
    return 0;
}

static int tear_down(void **state)
{
    stave_trace_free(trace);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_sink_memory),
        cmocka_unit_test(test_errors_of_the_sink),
        cmocka_unit_test(test_no_file_remains),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
