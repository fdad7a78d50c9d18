/* test_base.c - what every layer stands on: tables, strings, configs, errors, buffered output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/config.h"
#include "base/error.h"
#include "base/out.h"
#include "base/strings.h"
#include "base/table.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- tables ---------------------------------------------------------------------------------- */

#define ROWS 100000

struct row {
    uint64_t number;
    char rest[24];
};

static const struct row zero_row;

static void check_zero(const struct row *row)
{
    assert_memory_equal(row, &zero_row, sizeof zero_row);
}

static void test_table_rows_never_move(void **state)
{
    struct stave__table table = {.row_size = sizeof(struct row)};
    struct row **rows = calloc(ROWS, sizeof *rows);
    assert_non_null(rows);
    for (uint32_t i = 0; i < ROWS; i++) {
        rows[i] = stave__table_add(&table);
        assert_non_null(rows[i]);
        check_zero(rows[i]);
        rows[i]->number = i;
        assert_int_equal(table.rows, i + 1);
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_ptr_equal(stave__table_at(&table, i), rows[i]);
        assert_int_equal(rows[i]->number, i);
    }
    free(rows);
    stave__table_free(&table);
}

static void test_table_clear_keeps_its_memory(void **state)
{
    struct stave__table table = {.row_size = sizeof(struct row)};
    for (int i = 0; i < 1000; i++)
        memset(stave__table_add(&table), 0xee, sizeof(struct row));
    void *first = stave__table_at(&table, 0);
    void *last = stave__table_at(&table, 999);
    stave__table_clear(&table);
    assert_int_equal(table.rows, 0);
    for (int i = 0; i < 1000; i++)
        check_zero(stave__table_add(&table));
    assert_ptr_equal(stave__table_at(&table, 0), first);
    assert_ptr_equal(stave__table_at(&table, 999), last);
    stave__table_free(&table);
}

static void test_table_can_be_used_after_free(void **state)
{
    struct stave__table table = {.row_size = sizeof(struct row)};
    assert_non_null(stave__table_add(&table));
    stave__table_free(&table);
    assert_int_equal(table.rows, 0);
    assert_int_equal(table.row_size, sizeof(struct row));
    check_zero(stave__table_add(&table));
    assert_int_equal(table.rows, 1);
    stave__table_free(&table);
}

/* ---- strings --------------------------------------------------------------------------------- */

static uint32_t add(struct stave__strings *strings, const char *text, size_t size)
{
    uint32_t id = UINT32_MAX;
    assert_int_equal(stave__strings_add(strings, text, size, &id), STAVE_OK);
    return id;
}

static void check_text(const struct stave__strings *strings, uint32_t id, const char *text,
                       size_t size)
{
    size_t found_size = 0;
    const char *found = stave__strings_text(strings, id, &found_size);
    assert_int_equal(found_size, size);
    assert_memory_equal(found, text, size + 1); /* the NUL too */
}

static void test_strings_have_ids_in_order(void **state)
{
    struct stave__strings strings;
    assert_int_equal(stave__strings_init(&strings), STAVE_OK);
    assert_int_equal(add(&strings, "", 0), 0);
    assert_int_equal(add(&strings, "control", 7), 1);
    assert_int_equal(add(&strings, "sensor", 6), 2);
    assert_int_equal(add(&strings, "control", 7), 1);
    assert_int_equal(add(&strings, "controls", 7), 1); /* seven bytes of it */
    assert_int_equal(add(&strings, "", 0), 0);
    check_text(&strings, 0, "", 0);
    check_text(&strings, 1, "control", 7);
    assert_string_equal(stave__strings_text(&strings, 2, NULL), "sensor");
    stave__strings_free(&strings);
}

static void test_strings_of_any_bytes(void **state)
{
    struct stave__strings strings;
    assert_int_equal(stave__strings_init(&strings), STAVE_OK);
    uint32_t a = add(&strings, "a", 1);
    uint32_t ab = add(&strings, "a\0b", 3);
    uint32_t ac = add(&strings, "a\0c", 3);
    uint32_t a0 = add(&strings, "a\0", 2);
    uint32_t zero = add(&strings, "\0", 1);
    uint32_t high = add(&strings, "\xff\x80", 2);
    uint32_t ids[] = {0, a, ab, ac, a0, zero, high};
    for (size_t i = 0; i < COUNT(ids); i++)
        assert_int_equal(ids[i], i);
    check_text(&strings, ab, "a\0b", 3);
    check_text(&strings, ac, "a\0c", 3);
    check_text(&strings, zero, "\0", 1);
    check_text(&strings, high, "\xff\x80", 2);
    assert_int_equal(add(&strings, "a\0b", 3), ab);
    stave__strings_free(&strings);
}

static void test_strings_never_move(void **state)
{
    enum { TEXTS = 20000 };
    struct stave__strings strings;
    const char **texts = calloc(TEXTS, sizeof *texts);
    char text[32];
    assert_non_null(texts);
    assert_int_equal(stave__strings_init(&strings), STAVE_OK);
    for (uint32_t i = 0; i < TEXTS; i++) {
        int size = snprintf(text, sizeof text, "task %u", i * 7919);
        assert_int_equal(add(&strings, text, (size_t)size), i + 1);
        texts[i] = stave__strings_text(&strings, i + 1, NULL);
    }
    for (uint32_t i = 0; i < TEXTS; i++) {
        int size = snprintf(text, sizeof text, "task %u", i * 7919);
        assert_int_equal(add(&strings, text, (size_t)size), i + 1);
        assert_ptr_equal(stave__strings_text(&strings, i + 1, NULL), texts[i]);
        check_text(&strings, i + 1, text, (size_t)size);
    }
    free(texts);
    stave__strings_free(&strings);
}

/* A text larger than a page, texts around it, and one that is too large. */
static void test_strings_of_any_size(void **state)
{
    size_t size = (size_t)1 << 20;
    char *text = calloc(STAVE__STRING_MAX + 2, 1);
    struct stave__strings strings;
    uint32_t id = 77;
    assert_non_null(text);
    memset(text, 'x', size);
    assert_int_equal(stave__strings_init(&strings), STAVE_OK);
    assert_int_equal(add(&strings, "before", 6), 1);
    assert_int_equal(add(&strings, text, size), 2);
    assert_int_equal(add(&strings, "behind", 6), 3);
    assert_int_equal(add(&strings, text, size), 2);
    check_text(&strings, 2, text, size);
    check_text(&strings, 1, "before", 6);
    check_text(&strings, 3, "behind", 6);

    assert_int_equal(stave__strings_add(&strings, text, STAVE__STRING_MAX + 1, &id), STAVE_E_LIMIT);
    assert_int_equal(id, 77);
    assert_int_equal(add(&strings, text, STAVE__STRING_MAX), 4);
    stave__strings_free(&strings);
    free(text);
}

/* ---- configs --------------------------------------------------------------------------------- */

struct config {
    uint32_t first, second;
};

struct newer_config {
    uint32_t first, second, third, fourth;
};

static void test_config_that_is_missing_is_zero(void **state)
{
    struct config own = {1, 2};
    assert_int_equal(stave__config_copy(&own, sizeof own, NULL, 0, NULL), STAVE_OK);
    assert_int_equal(own.first, 0);
    assert_int_equal(own.second, 0);
    own.first = 1;
    assert_int_equal(stave__config_copy(&own, sizeof own, NULL, sizeof own, NULL), STAVE_OK);
    assert_int_equal(own.first, 0);
}

static void test_config_of_the_same_size(void **state)
{
    struct config own = {1, 2}, given = {3, 4};
    assert_int_equal(stave__config_copy(&own, sizeof own, &given, sizeof given, NULL), STAVE_OK);
    assert_int_equal(own.first, 3);
    assert_int_equal(own.second, 4);
}

/* What stands behind the caller's struct is none of ours. */
static void test_config_of_an_older_caller(void **state)
{
    struct config own = {1, 2}, given = {3, 4};
    assert_int_equal(stave__config_copy(&own, sizeof own, &given, sizeof given.first, NULL),
                     STAVE_OK);
    assert_int_equal(own.first, 3);
    assert_int_equal(own.second, 0);
}

static void test_config_of_a_newer_caller(void **state)
{
    struct config own = {1, 2};
    struct newer_config given = {3, 4, 0, 0};
    stave_error error = {0};
    assert_int_equal(stave__config_copy(&own, sizeof own, &given, sizeof given, &error), STAVE_OK);
    assert_int_equal(error.status, STAVE_OK);
    assert_int_equal(own.first, 3);
    assert_int_equal(own.second, 4);

    given.fourth = 0x01000000; /* the last byte of all, on a little-endian machine */
    assert_int_equal(stave__config_copy(&own, sizeof own, &given, sizeof given, &error),
                     STAVE_E_ARGUMENT);
    assert_int_equal(error.status, STAVE_E_ARGUMENT);
    assert_non_null(strstr(error.message, STAVE_VERSION));
}

/* ---- statuses and errors --------------------------------------------------------------------- */

static void test_status_texts_differ(void **state)
{
    static const int statuses[] = {
#define STATUS(name, value, text) name,
        STAVE_STATUS_TABLE(STATUS)
#undef STATUS
            1 /* none */
    };
    for (size_t i = 0; i < COUNT(statuses); i++) {
        const char *text = stave_status_text(statuses[i]);
        assert_non_null(text);
        assert_true(text[0] != '\0');
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(text, stave_status_text(statuses[j]));
    }
    assert_string_equal(stave_status_text(STAVE_OK), "ok");
    assert_string_equal(stave_status_text(-1000), stave_status_text(1));
}

static void test_version_is_its_parts(void **state)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", STAVE_VERSION_MAJOR, STAVE_VERSION_MINOR,
             STAVE_VERSION_PATCH);
    assert_string_equal(stave_version(), text);
    assert_string_equal(stave_version(), STAVE_VERSION);
}

static void test_first_error_sticks(void **state)
{
    stave_error error = {0};
    assert_int_equal(stave__fail(&error, STAVE_E_IO, 12, "cannot read %s", "x.bin"), STAVE_E_IO);
    assert_int_equal(stave__fail(&error, STAVE_E_LIMIT, 13, "another"), STAVE_E_LIMIT);
    assert_int_equal(stave__fail_memory(&error), STAVE_E_MEMORY);
    assert_int_equal(error.status, STAVE_E_IO);
    assert_int_equal(error.offset, 12);
    assert_string_equal(error.message, "cannot read x.bin");
}

static void test_errors_nobody_asked_for(void **state)
{
    assert_int_equal(stave__fail(NULL, STAVE_E_IO, 0, "%s", "nothing"), STAVE_E_IO);
    assert_int_equal(stave__fail_memory(NULL), STAVE_E_MEMORY);
}

static void test_long_messages_are_cut(void **state)
{
    stave_error error = {0};
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    stave__fail(&error, STAVE_E_IO, 0, "%s", text);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

/* ---- buffered output ------------------------------------------------------------------------- */

struct memory {
    char *bytes;
    size_t size;
    unsigned calls;
    unsigned fail_from; /* this call and those behind it fail; 0: none */
};

static int memory_write(void *context, const void *data, size_t size)
{
    struct memory *memory = context;
    memory->calls++;
    if (memory->fail_from != 0 && memory->calls >= memory->fail_from)
        return STAVE_E_IO;
    memory->bytes = realloc(memory->bytes, memory->size + size);
    assert_non_null(memory->bytes);
    memcpy(memory->bytes + memory->size, data, size);
    memory->size += size;
    return STAVE_OK;
}

static struct stave__out *new_out(struct memory *memory)
{
    struct stave__out *out = malloc(sizeof *out);
    assert_non_null(out);
    stave__out_init(out, (stave_sink){memory_write, memory});
    return out;
}

static void test_out_keeps_the_order(void **state)
{
    struct memory memory = {0};
    struct stave__out *out = new_out(&memory);
    size_t size = 3 * STAVE__OUT_SIZE + 17;
    char *large = malloc(size);
    assert_non_null(large);
    for (size_t i = 0; i < size; i++)
        large[i] = (char)(i * 31 >> 3);

    stave__out_text(out, "before,");
    stave__out_bytes(out, large, size);
    stave__out_wrote(out, (size_t)snprintf(stave__out_room(out, 16), 16, ",behind"));
    stave__out_bytes(out, large, 0);
    assert_int_equal(stave__out_finish(out, NULL), STAVE_OK);

    assert_int_equal(memory.size, 7 + size + 7);
    assert_memory_equal(memory.bytes, "before,", 7);
    assert_memory_equal(memory.bytes + 7, large, size);
    assert_memory_equal(memory.bytes + 7 + size, ",behind", 7);
    free(large);
    free(memory.bytes);
    free(out);
}

static void test_out_buffers(void **state)
{
    struct memory memory = {0};
    struct stave__out *out = new_out(&memory);
    for (int i = 0; i < STAVE__OUT_SIZE; i++)
        stave__out_text(out, "x");
    assert_int_equal(memory.calls, 0);
    stave__out_text(out, "y");
    assert_int_equal(memory.calls, 1);
    assert_int_equal(memory.size, STAVE__OUT_SIZE);

    char *room = stave__out_room(out, STAVE__OUT_SIZE); /* all of it: what is there goes first */
    assert_int_equal(memory.size, STAVE__OUT_SIZE + 1);
    memset(room, 'z', STAVE__OUT_SIZE);
    stave__out_wrote(out, STAVE__OUT_SIZE);
    assert_int_equal(stave__out_finish(out, NULL), STAVE_OK);
    assert_int_equal(memory.calls, 3);
    assert_int_equal(memory.size, 2 * STAVE__OUT_SIZE + 1);
    free(memory.bytes);
    free(out);
}

static void test_out_of_nothing(void **state)
{
    struct memory memory = {0};
    struct stave__out *out = new_out(&memory);
    assert_int_equal(stave__out_finish(out, NULL), STAVE_OK);
    assert_int_equal(memory.calls, 0);
    free(out);
}

static void test_out_failure_sticks(void **state)
{
    struct memory memory = {.fail_from = 2};
    struct stave__out *out = new_out(&memory);
    stave_error error = {0};
    stave__out_text(out, "first");
    stave__out_flush(out);
    stave__out_text(out, "second");
    stave__out_flush(out);
    assert_int_equal(out->status, STAVE_E_IO);
    memory.fail_from = 0; /* the sink would take more: it is not asked */
    for (int i = 0; i < 3 * STAVE__OUT_SIZE; i++)
        stave__out_text(out, "x");
    stave__out_wrote(out, (size_t)snprintf(stave__out_room(out, 16), 16, "more"));
    assert_int_equal(stave__out_finish(out, &error), STAVE_E_IO);
    assert_int_equal(memory.calls, 2);
    assert_int_equal(memory.size, 5);
    assert_int_equal(error.status, STAVE_E_IO);
    assert_true(error.message[0] != '\0');
    free(memory.bytes);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_rows_never_move),
        cmocka_unit_test(test_table_clear_keeps_its_memory),
        cmocka_unit_test(test_table_can_be_used_after_free),
        cmocka_unit_test(test_strings_have_ids_in_order),
        cmocka_unit_test(test_strings_of_any_bytes),
        cmocka_unit_test(test_strings_never_move),
        cmocka_unit_test(test_strings_of_any_size),
        cmocka_unit_test(test_config_that_is_missing_is_zero),
        cmocka_unit_test(test_config_of_the_same_size),
        cmocka_unit_test(test_config_of_an_older_caller),
        cmocka_unit_test(test_config_of_a_newer_caller),
        cmocka_unit_test(test_status_texts_differ),
        cmocka_unit_test(test_version_is_its_parts),
        cmocka_unit_test(test_first_error_sticks),
        cmocka_unit_test(test_errors_nobody_asked_for),
        cmocka_unit_test(test_long_messages_are_cut),
        cmocka_unit_test(test_out_keeps_the_order),
        cmocka_unit_test(test_out_buffers),
        cmocka_unit_test(test_out_of_nothing),
        cmocka_unit_test(test_out_failure_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
