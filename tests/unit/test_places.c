/* Places of names: which is the one of a name, as a trace grows, in files, and where files are not as they should be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/column.h"
#include "trace/packing.h"
#include "unit/raw_file.h"

static stave_trace *new_trace(void)
{
    stave_trace *trace = NULL;
    assert_int_equal(stave_trace_new(NULL, &trace, NULL), STAVE_OK);
    return trace;
}

static uint32_t text(stave_trace *trace, const char *bytes)
{
    uint32_t id;
    assert_int_equal(stave__trace_string(trace, bytes, strlen(bytes), &id, NULL), STAVE_OK);
    return id;
}

/* The same text under another number, as files may have it. */
static uint32_t text_again(stave_trace *trace, const char *bytes)
{
    assert_int_equal(stave__strings_append(&trace->strings, bytes, strlen(bytes)), STAVE_OK);
    return stave_trace_strings(trace) - 1;
}

static void add(stave_trace *trace, uint32_t name, uint32_t file, uint32_t function, uint32_t line)
{
    stave_place place = {.name = name, .file = file, .function = function, .line = line};
    assert_int_equal(stave__trace_place(trace, &place, NULL), STAVE_OK);
}

static uint32_t line_of(const stave_trace *trace, uint32_t name)
{
    const stave_place *place = stave_trace_place_of(trace, name);
    assert_true(place == NULL || place->name == name);
    return place != NULL ? place->line : 0;
}

/* ---- the one of a name ----------------------------------------------------------------------- */

static void test_none(void **state)
{
    stave_trace *trace = new_trace();
    uint32_t name = text(trace, "query");
    assert_int_equal(stave_trace_places(trace), 0);
    assert_null(stave_trace_place_of(trace, 0));
    assert_null(stave_trace_place_of(trace, name));
    assert_null(stave_trace_place_of(trace, UINT32_MAX));
    add(trace, name, text(trace, "a.c"), 0, 5);
    assert_null(stave_trace_place_of(trace, text(trace, "another")));
    assert_null(stave_trace_place_of(trace, UINT32_MAX));
    stave_trace_free(trace);
}

static void test_one_and_several(void **state)
{
    stave_trace *trace = new_trace();
    uint32_t one = text(trace, "one"), lines = text(trace, "lines"), files = text(trace, "files");
    uint32_t a = text(trace, "a.c"), b = text(trace, "b.c"), function = text(trace, "run");
    add(trace, one, a, function, 10);
    add(trace, lines, a, function, 10);
    add(trace, files, a, function, 10);
    add(trace, files, b, function, 10);
    add(trace, lines, a, function, 11);
    assert_int_equal(stave_trace_places(trace), 5);
    const stave_place *place = stave_trace_place_of(trace, one);
    assert_ptr_equal(place, stave_trace_place(trace, 0));
    assert_int_equal(place->file, a);
    assert_int_equal(place->function, function);
    assert_int_equal(place->line, 10);
    assert_null(stave_trace_place_of(trace, lines));
    assert_null(stave_trace_place_of(trace, files));
    stave_trace_free(trace);
}

/* The same place again, in another function, and with a file whose text has another number. */
static void test_one_that_is_told_twice(void **state)
{
    stave_trace *trace = new_trace();
    uint32_t name = text(trace, "query"), file = text(trace, "a.h"), again;
    add(trace, name, file, text(trace, "first"), 7);
    add(trace, name, file, text(trace, "second"), 7);
    assert_int_equal(line_of(trace, name), 7);
    again = text_again(trace, "a.h");
    assert_int_not_equal(again, file);
    add(trace, name, again, 0, 7);
    assert_int_equal(line_of(trace, name), 7);
    add(trace, name, text_again(trace, "a.hh"), 0, 7);
    assert_int_equal(line_of(trace, name), 0);
    stave_trace_free(trace);
}

/* It was lost: may be any. So may a name. */
static void test_without_a_file(void **state)
{
    stave_trace *trace = new_trace();
    uint32_t first = text(trace, "first"), second = text(trace, "second");
    uint32_t file = text(trace, "a.c");
    add(trace, first, 0, 0, 3);
    add(trace, second, file, 0, 3);
    add(trace, second, 0, 0, 3);
    add(trace, 0, file, 0, 3);
    for (uint32_t name = 0; name < stave_trace_strings(trace); name++)
        assert_null(stave_trace_place_of(trace, name));
    stave_trace_free(trace);
}

static void test_more_while_it_is_looked_at(void **state)
{
    stave_trace *trace = new_trace();
    char name[32];
    uint32_t ids[3000], file = text(trace, "a.c");
    for (uint32_t i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "name %u", (unsigned)i);
        ids[i] = text(trace, name);
        add(trace, ids[i], file, 0, i + 1);
        if (i % 100 == 0)
            assert_int_equal(line_of(trace, ids[i / 2]), i / 2 + 1);
    }
    for (uint32_t i = 0; i < 3000; i++)
        assert_int_equal(line_of(trace, ids[i]), i + 1);
    stave_trace_free(trace);
}

/* ---- in files -------------------------------------------------------------------------------- */

static stave_trace *open_bytes(const struct traces_bytes *bytes)
{
    traces_put_file(raw_path, bytes->at, bytes->size);
    return raw_open_path(NULL);
}

static void assert_same_places(const stave_trace *a, const stave_trace *b)
{
    assert_int_equal(stave_trace_places(a), stave_trace_places(b));
    for (uint32_t i = 0; i < stave_trace_places(a); i++)
        assert_memory_equal(stave_trace_place(a, i), stave_trace_place(b, i), sizeof(stave_place));
}

static stave_trace *make_trace(uint32_t places)
{
    const struct traces_shape shape = {.seed = 3, .kinds = STAVE_KIND_BIT(STAVE_MARKS)};
    stave_trace *trace = traces_make(&shape, 1, 40);
    for (uint32_t i = 0; i < places; i++)
        add(trace, 1 + i % 7, text(trace, i % 2 == 0 ? "a.c" : "b.c"), 1 + i % 3, i / 14);
    return trace;
}

static void test_saved(void **state)
{
    stave_trace *trace = make_trace(10000); /* some blocks of them */
    for (uint32_t level = 0; level <= (stave__pack_bound(1) > 0 ? 3 : 0); level += 3) {
        struct traces_bytes bytes = traces_save(trace, level);
        stave_trace *opened = open_bytes(&bytes);
        assert_int_equal(stave_trace_damages(opened), 0);
        assert_same_places(trace, opened);
        struct traces_bytes again = traces_save(opened, level);
        assert_int_equal(again.size, bytes.size);
        assert_memory_equal(again.at, bytes.at, bytes.size);
        stave_trace_free(opened);
        free(again.at);
        free(bytes.at);
    }
    stave_trace_free(trace);
}

/* Each when it has come, and no place twice. */
static void test_published(void **state)
{
    stave_writer *writer;
    stave_trace *trace = new_trace();
    uint32_t name = text(trace, "query"), file = text(trace, "a.c");
    assert_int_equal(stave_writer_open(raw_path, &writer, NULL), STAVE_OK);
    assert_int_equal(stave_writer_publish(writer, trace, NULL), STAVE_OK);
    stave_trace *opened = raw_open_path(&(stave_trace_config){.follow = true});
    for (uint32_t round = 0; round < 5; round++) {
        assert_int_equal(stave_trace_places(opened), round);
        add(trace, name, file, 0, 1 + round / 3);
        assert_int_equal(stave_writer_publish(writer, trace, NULL), STAVE_OK);
        assert_int_equal(stave_trace_refresh(opened, NULL), 1);
        assert_int_equal(line_of(opened, name), round < 3 ? 1 : 0);
    }
    assert_int_equal(stave_writer_publish(writer, trace, NULL), STAVE_OK);
    assert_int_equal(stave_trace_refresh(opened, NULL), 0);
    assert_int_equal(stave_writer_finish(writer, trace, NULL), STAVE_OK);
    stave_writer_close(writer);
    stave_trace_free(opened);
    opened = raw_open_path(NULL);
    assert_same_places(trace, opened);
    stave_trace_free(opened);
    stave_trace_free(trace);
}

/* ---- strange ones ---------------------------------------------------------------------------- */

/* Strings 0 to 3: none, "query", "a.c", "run". */
static void begin_file(void)
{
    static const uint64_t sizes[] = {0, 5, 3, 3};
    uint8_t body[200], *at = body;
    raw_begin();
    at = stave__column_put(at, 0, STAVE__PLAIN, sizes, 4, NULL);
    at = stave__column_put_bytes(at, 1, "querya.crun", 11);
    raw_add((struct stave__header){.kind = STAVE__STRINGS, .rows = 4}, body, (size_t)(at - body));
}

/* Its columns, by their numbers, `rows` of each. */
static void put_places(uint64_t first, uint32_t rows, const uint64_t *const columns[],
                       const uint32_t *numbers, uint32_t count)
{
    uint8_t body[400], *at = body;
    for (uint32_t i = 0; i < count; i++)
        at = stave__column_put(at, numbers[i], STAVE__PLAIN, columns[i], rows, NULL);
    raw_add((struct stave__header){.kind = STAVE__PLACES, .rows = rows, .first = first}, body,
            (size_t)(at - body));
}

static const uint32_t in_order[] = {0, 1, 2, 3};

static void put_place(uint64_t first, uint64_t name, uint64_t of_file, uint64_t function,
                      uint64_t line)
{
    const uint64_t *const columns[] = {&name, &of_file, &function, &line};
    put_places(first, 1, columns, in_order, 4);
}

static stave_trace *open_file(void)
{
    stave_trace *trace = raw_open(NULL);
    free(raw_file.at);
    return trace;
}

#define NO_SUCH_ROW "a table that refers to a row which is not there"
#define NOT_SOUND "a table that is not sound"

static void test_texts_that_are_not_there(void **state)
{
    static const uint64_t rows[][3] = {{4, 2, 3}, {1, 4, 3}, {1, 2, 4}, {UINT32_MAX, 2, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin_file();
        put_place(0, rows[i][0], rows[i][1], rows[i][2], 5);
        stave_trace *trace = open_file();
        raw_assert_damage(trace, NO_SUCH_ROW);
        assert_int_equal(stave_trace_places(trace), 1); /* in place of it */
        assert_null(stave_trace_place_of(trace, 1));
        stave_trace_free(trace);
    }
}

/* Those before are taken, and one behind them keeps its number. */
static void test_a_row_among_others(void **state)
{
    static const uint64_t names[] = {1, 9, 1}, files[] = {2, 2, 2}, functions[] = {3, 3, 3},
                          lines[] = {70, 80, 70};
    const uint64_t *const columns[] = {names, files, functions, lines};
    begin_file();
    put_places(0, 3, columns, in_order, 4);
    put_place(3, 3, 2, 3, 90);
    stave_trace *trace = open_file();
    raw_assert_damage(trace, NO_SUCH_ROW);
    assert_int_equal(stave_trace_places(trace), 4);
    assert_int_equal(line_of(trace, 1), 70);
    assert_int_equal(line_of(trace, 3), 90);
    assert_int_equal(stave_trace_place(trace, 1)->name, 0);
    stave_trace_free(trace);
}

static void test_columns(void **state)
{
    static const uint64_t values[] = {1, 2, 3, 5, (uint64_t)UINT32_MAX + 1};
    static const struct {
        uint32_t numbers[5], at[5], count;
        const char *what; /* NULL: nothing is wrong */
    } cases[] = {
        {{3, 2, 1, 0}, {3, 2, 1, 0}, 4, NULL},
        {{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, 5, NULL}, /* one of a later version */
        {{0, 1, 2}, {0, 1, 2}, 3, NOT_SOUND},
        {{1, 2, 3}, {1, 2, 3}, 3, NOT_SOUND},
        {{0, 1, 2, 2}, {0, 1, 2, 2}, 4, NOT_SOUND},
        {{0, 1, 2, 3, 0}, {0, 1, 2, 3, 0}, 5, NOT_SOUND},
        {{0, 1, 2, 3}, {0, 1, 2, 4}, 4, NOT_SOUND},
        {{0, 1, 2, 3}, {4, 1, 2, 3}, 4, NOT_SOUND},
        {{0}, {0}, 0, NOT_SOUND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint64_t *columns[5];
        for (uint32_t c = 0; c < 5; c++)
            columns[c] = &values[cases[i].at[c]];
        begin_file();
        put_places(0, 1, columns, cases[i].numbers, cases[i].count);
        stave_trace *trace = open_file();
        if (cases[i].what != NULL)
            raw_assert_damage(trace, cases[i].what);
        else
            assert_int_equal(stave_trace_damages(trace), 0);
        assert_int_equal(line_of(trace, 1), cases[i].what == NULL ? 5 : 0);
        stave_trace_free(trace);
    }
}

static void test_a_hole(void **state)
{
    begin_file();
    put_place(1, 1, 2, 3, 5);
    stave_trace *trace = open_file();
    raw_assert_damage(trace, "a table whose rows do not follow those before");
    assert_null(stave_trace_place_of(trace, 1));
    stave_trace_free(trace);
}

static void test_told_again(void **state)
{
    begin_file();
    put_place(0, 1, 2, 3, 5);
    put_place(1, 1, 2, 3, 6);
    put_place(1, 3, 2, 0, 8);
    put_place(0, 1, 2, 3, 4);
    stave_trace *trace = open_file();
    assert_int_equal(stave_trace_damages(trace), 0);
    assert_int_equal(stave_trace_places(trace), 2);
    assert_int_equal(line_of(trace, 1), 4);
    assert_int_equal(line_of(trace, 3), 8);
    stave_trace_free(trace);
}

/* In a block whose header is damaged, so that nothing says how many they were: those behind it keep their numbers. */
static void test_a_lost_block(void **state)
{
    begin_file();
    put_place(0, 1, 2, 3, 5);
    size_t lost = raw_file.size;
    put_place(1, 1, 2, 3, 6);
    put_place(2, 3, 2, 3, 7);
    raw_file.at[lost + 10] ^= 1;
    stave_trace *trace = open_file();
    assert_int_equal(stave_trace_damages(trace), 1);
    assert_int_equal(stave_trace_places(trace), 3);
    assert_int_equal(line_of(trace, 3), 7);
    struct traces_bytes bytes = traces_save(trace, 0);
    stave_trace *saved = open_bytes(&bytes);
    assert_same_places(trace, saved);
    stave_trace_free(saved);
    stave_trace_free(trace);
    free(bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_one_and_several),
        cmocka_unit_test(test_one_that_is_told_twice),
        cmocka_unit_test(test_without_a_file),
        cmocka_unit_test(test_more_while_it_is_looked_at),
        cmocka_unit_test(test_saved),
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_texts_that_are_not_there),
        cmocka_unit_test(test_a_row_among_others),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_a_hole),
        cmocka_unit_test(test_told_again),
        cmocka_unit_test(test_a_lost_block),
    };
    return cmocka_run_group_tests(tests, raw_make_path, raw_remove_path);
}
