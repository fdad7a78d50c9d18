/* A .stave file as a whole: saved, published while it grows, cut at every byte, every byte changed. */
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

#include "trace/packing.h"
#include "trace/trace.h"

#define LANES 3

/* ---- a small trace: nested spans on three lanes in two boots, marks ---------------------------- */

struct lane_writer {
    struct stave__appender spans, marks;
    struct stave__stack stack;
    stave_open_span open[4];
    uint32_t lane;
};

struct growing {
    stave_trace *trace;
    struct lane_writer lanes[LANES];
    uint32_t names[4];
    uint32_t boot;
    int64_t now;
    uint64_t steps;
};

static void begin_boot(struct growing *g)
{
    g->steps = 0;
    assert_int_equal(stave__trace_boot(g->trace, (double)g->now, 0, &g->boot, NULL), STAVE_OK);
    for (uint32_t i = 0; i < LANES; i++) {
        struct lane_writer *w = &g->lanes[i];
        stave__appender_init(&w->spans, &g->trace->blocks, STAVE_SPANS, w->lane, g->boot);
        stave__appender_init(&w->marks, &g->trace->blocks, STAVE_MARKS, w->lane, g->boot);
        w->spans.mask |= STAVE_COLUMN_NAME | STAVE_COLUMN_DEPTH;
        w->stack = (struct stave__stack){.spans = w->open};
        w->spans.stack = &w->stack;
    }
}

static void begin(struct growing *g)
{
    static const char *const names[] = {"main", "parse", "token", "emit"};
    *g = (struct growing){0};
    assert_int_equal(stave_trace_new(NULL, &g->trace, NULL), STAVE_OK);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(
            stave__trace_string(g->trace, names[i], strlen(names[i]), &g->names[i], NULL), 0);
    for (uint32_t i = 0; i < LANES; i++) {
        stave_lane lane = {.name = g->names[i], .kind = STAVE_LANE_THREAD, .number = 100 + i};
        assert_int_equal(stave__trace_lane(g->trace, &lane, &g->lanes[i].lane, NULL), STAVE_OK);
    }
    begin_boot(g);
}

/* A span begins, or the innermost ends; now and then a mark. */
static void step(struct growing *g)
{
    struct lane_writer *w = &g->lanes[g->steps % LANES];
    uint64_t turn = g->steps++ / LANES % 8;
    g->now += 3;
    if (turn < 4) {
        w->open[w->stack.count++] =
            (stave_open_span){.serial = ++w->stack.begun, .start = g->now, .name = g->names[turn]};
        return;
    }
    const stave_open_span *top = &w->open[w->stack.count - 1];
    struct stave__row row = {.start = top->start,
                             .end = g->now,
                             .serial = top->serial,
                             .name = top->name,
                             .depth = w->stack.count - 1};
    assert_int_equal(stave__append_row(&w->spans, &row, NULL), STAVE_OK);
    w->stack.count--;
    if (turn == 6)
        assert_int_equal(stave__append_mark(&w->marks, g->now, 0, 7, 0, NULL), STAVE_OK);
}

static void end_boot(struct growing *g)
{
    for (uint32_t i = 0; i < LANES; i++) {
        assert_int_equal(stave__appender_seal(&g->lanes[i].spans, NULL), STAVE_OK);
        assert_int_equal(stave__appender_seal(&g->lanes[i].marks, NULL), STAVE_OK);
    }
    stave_boot *boot = &stave__boot_at(g->trace, g->boot)->shown;
    boot->end_us = (double)g->now * 2;
    boot->ended = true;
}

/* Two boots of some steps each; the last one's spans may still be open. */
static stave_trace *make_trace(uint64_t steps)
{
    struct growing g;
    begin(&g);
    for (uint64_t i = 0; i < steps / 2; i++)
        step(&g);
    end_boot(&g);
    begin_boot(&g);
    for (uint64_t i = 0; i < steps; i++)
        step(&g);
    end_boot(&g);
    return g.trace;
}

/* ---- files ----------------------------------------------------------------------------------- */

struct bytes {
    uint8_t *at;
    size_t size, room;
};

static int add_bytes(void *context, const void *data, size_t size)
{
    struct bytes *bytes = context;
    if (bytes->size + size > bytes->room) {
        bytes->room = (bytes->size + size) * 2;
        bytes->at = realloc(bytes->at, bytes->room);
        assert_non_null(bytes->at);
    }
    memcpy(bytes->at + bytes->size, data, size);
    bytes->size += size;
    return STAVE_OK;
}

static struct bytes save(stave_trace *trace, uint32_t zstd_level)
{
    struct bytes bytes = {0};
    stave_save_config config = {.zstd_level = zstd_level};
    stave_sink sink = {.write = add_bytes, .context = &bytes};
    assert_int_equal(stave_trace_save(trace, sink, &config, NULL), STAVE_OK);
    return bytes;
}

/* In memory, since thousands of files are written. */
static char path[64];
static int memory_fd;

static int make_path(void **state)
{
    memory_fd = memfd_create("stave", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory_fd);
    return memory_fd < 0;
}

static int remove_path(void **state)
{
    return close(memory_fd);
}

static void put_file(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static stave_trace *open_with(const stave_trace_config *config)
{
    stave_trace *trace = NULL;
    stave_error error = {0};
    if (stave_trace_open(path, config, &trace, &error) < 0)
        print_error("%s\n", error.message);
    assert_non_null(trace);
    return trace;
}

/* ---- what is in a trace, as one text ---------------------------------------------------------- */

/* A line a row, in the order in which they took effect. */
static char *text_of(stave_trace *trace, uint32_t kinds)
{
    stave_merge *merge;
    const stave_block *b;
    struct bytes text = {0};
    stave_filter filter = {.kinds = kinds};
    uint32_t i;
    int status;
    assert_int_equal(stave_merge_open(trace, &filter, &merge, NULL), STAVE_OK);
    while ((status = stave_merge_next(merge, &b, &i, NULL)) > 0) {
        char line[200];
        int n = snprintf(line, sizeof line, "%u %u %u %lld %lld %u %s %u %u\n", b->kind, b->lane,
                         b->boot, (long long)b->start[i], (long long)stave_block_end(b, i),
                         b->serial != NULL ? (unsigned)b->serial[i] : 0,
                         stave_trace_string(trace, stave_block_name(b, i), NULL),
                         stave_block_depth(b, i), b->flags[i]);
        add_bytes(&text, line, (size_t)n);
    }
    assert_int_equal(status, 0);
    stave_merge_close(merge);
    add_bytes(&text, "", 1);
    return (char *)text.at;
}

static void assert_same_rows(stave_trace *a, stave_trace *b)
{
    char *text_a = text_of(a, 0), *text_b = text_of(b, 0);
    assert_string_equal(text_a, text_b);
    free(text_a);
    free(text_b);
}

static void assert_sound(const stave_trace *trace, bool indexed)
{
    stave_trace_file file;
    stave_trace_file_of(trace, &file);
    assert_int_equal(stave_trace_damages(trace), 0);
    assert_int_equal(file.indexed, indexed);
    assert_int_equal(file.cut, 0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_a_saved_trace_comes_back(void **state)
{
    static const uint32_t levels[] = {0, 3};
    size_t count = stave__pack_bound(1) > 0 ? 2 : 1;
    stave_trace *trace = make_trace(9600);
    for (size_t i = 0; i < count; i++) {
        struct bytes bytes = save(trace, levels[i]);
        put_file(bytes.at, bytes.size);
        for (int ignore = 0; ignore < 2; ignore++) {
            stave_trace_config config = {.ignore_index = ignore != 0};
            stave_trace *opened = open_with(&config);
            assert_same_rows(trace, opened);
            assert_sound(opened, ignore == 0);
            assert_int_equal(stave_trace_check(opened, (stave_progress){0}, NULL), 0);
            assert_int_equal(stave_trace_lane(opened, 1)->number, 101);
            assert_int_equal(stave_trace_boots(opened), 2);
            assert_true(stave_trace_boot(opened, 1)->offset_us ==
                        stave_trace_boot(trace, 1)->offset_us);
            struct bytes again = save(opened, levels[i]);
            assert_int_equal(again.size, bytes.size);
            assert_memory_equal(again.at, bytes.at, bytes.size);
            free(again.at);
            stave_trace_free(opened);
        }
        free(bytes.at);
    }
    stave_trace_free(trace);
}

static void test_an_empty_trace_is_a_file(void **state)
{
    stave_trace *trace;
    assert_int_equal(stave_trace_new(NULL, &trace, NULL), STAVE_OK);
    struct bytes bytes = save(trace, 0);
    put_file(bytes.at, bytes.size);
    stave_trace *opened = open_with(NULL);
    assert_sound(opened, true);
    assert_int_equal(stave_trace_blocks(opened), 0);
    stave_trace_free(opened);
    stave_trace_free(trace);
    free(bytes.at);
}

static void test_spans_that_nobody_ended(void **state)
{
    struct growing g;
    begin(&g);
    for (int i = 0; i < 9 * LANES; i++) /* a further span begins on each lane */
        step(&g);
    for (int i = 0; i < LANES; i++) /* and a second on each */
        step(&g);
    end_boot(&g);
    struct bytes bytes = save(g.trace, 0);
    put_file(bytes.at, bytes.size);
    stave_trace *opened = open_with(NULL);
    char *text = text_of(opened, STAVE_KIND_BIT(STAVE_SPANS));
    /* Innermost first; the lane's last row ended at 66, before the two began. */
    assert_non_null(strstr(text, "0 0 0 84 84 6 parse 1 16\n0 0 0 75 84 5 main 0 16\n"));
    free(text);
    struct bytes again = save(opened, 0); /* now they are rows, and no more open */
    put_file(again.at, again.size);
    stave_trace *reopened = open_with(NULL);
    assert_same_rows(opened, reopened);
    free(again.at);
    free(bytes.at);
    stave_trace_free(reopened);
    stave_trace_free(opened);
    stave_trace_free(g.trace);
}

/* A lane without a row still tells what is open on it, by a block without rows. */
static void test_spans_that_began_and_no_more(void **state)
{
    struct growing g;
    stave_writer *writer;
    begin(&g);
    assert_int_equal(stave_writer_open(path, &writer, NULL), STAVE_OK);
    for (int i = 0; i < 2 * LANES; i++)
        step(&g);
    end_boot(&g);
    end_boot(&g); /* sealing again tells nothing again */
    assert_int_equal(g.trace->blocks.entries.rows, LANES);
    assert_int_equal(stave_writer_finish(writer, g.trace, NULL), STAVE_OK);
    stave_writer_close(writer);
    stave_trace *opened = open_with(NULL);
    assert_sound(opened, true);
    assert_int_equal(stave_trace_check(opened, (stave_progress){0}, NULL), 0);
    char *text = text_of(opened, 0);
    assert_string_equal(text, "0 0 0 12 12 2 parse 1 16\n0 0 0 3 12 1 main 0 16\n"
                              "0 1 0 15 15 2 parse 1 16\n0 1 0 6 15 1 main 0 16\n"
                              "0 2 0 18 18 2 parse 1 16\n0 2 0 9 18 1 main 0 16\n");
    free(text);
    struct bytes bytes = save(g.trace, 0);
    put_file(bytes.at, bytes.size);
    stave_trace *saved = open_with(NULL);
    assert_same_rows(opened, saved);
    free(bytes.at);
    stave_trace_free(saved);
    stave_trace_free(opened);
    stave_trace_free(g.trace);
}

/* Whoever follows sees each row once, in whatever pieces it comes. */
static void test_a_growing_file_is_followed(void **state)
{
    struct growing g;
    stave_writer *writer;
    begin(&g);
    assert_int_equal(stave_writer_open(path, &writer, NULL), STAVE_OK);
    stave_trace_config follow = {.follow = true};
    stave_trace *opened = open_with(&follow);
    stave_cursor *cursor;
    const stave_block *block;
    assert_int_equal(stave_cursor_open(opened, NULL, &cursor, NULL), STAVE_OK);
    uint64_t rows = 0;
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < round % 70; i++)
            step(&g);
        assert_int_equal(stave_writer_publish(writer, g.trace, NULL), STAVE_OK);
        assert_true(stave_trace_refresh(opened, NULL) >= 0);
        while (stave_cursor_next(cursor, &block, NULL) > 0)
            rows += block->rows;
        uint64_t wanted = 0;
        for (uint32_t i = 0; i < g.trace->blocks.entries.rows; i++)
            wanted += stave__entry_at(&g.trace->blocks, i)->rows;
        assert_int_equal(rows, wanted);
    }
    stave_cursor_close(cursor);
    stave_trace_free(opened);
    end_boot(&g);
    assert_int_equal(stave_writer_finish(writer, g.trace, NULL), STAVE_OK);
    assert_int_equal(stave_writer_publish(writer, g.trace, NULL), STAVE_E_STATE);
    stave_writer_close(writer);
    opened = open_with(NULL);
    assert_sound(opened, true);
    char *wanted = text_of(g.trace, STAVE_KIND_BIT(STAVE_MARKS));
    char *got = text_of(opened, STAVE_KIND_BIT(STAVE_MARKS));
    assert_string_equal(got, wanted);
    free(wanted);
    free(got);
    stave_trace_free(opened);
    stave_trace_free(g.trace);
}

static void test_rows_that_change_their_lane_after_they_were_published(void **state)
{
    struct growing g;
    stave_writer *writer;
    begin(&g);
    assert_int_equal(stave_writer_open(path, &writer, NULL), STAVE_OK);
    for (int i = 0; i < 8 * LANES; i++)
        step(&g);
    assert_int_equal(stave_writer_publish(writer, g.trace, NULL), STAVE_OK);
    stave__appender_move(&g.lanes[0].spans, g.lanes[2].lane);
    end_boot(&g);
    assert_int_equal(stave_writer_finish(writer, g.trace, NULL), STAVE_OK);
    stave_writer_close(writer);
    stave_trace *opened = open_with(NULL);
    assert_same_rows(g.trace, opened);
    stave_trace_free(opened);
    stave_trace_free(g.trace);
}

static void test_a_second_writer_is_refused(void **state)
{
    stave_writer *first, *second;
    stave_error error = {0};
    assert_int_equal(stave_writer_open(path, &first, NULL), STAVE_OK);
    assert_int_equal(stave_writer_open(path, &second, &error), STAVE_E_STATE);
    assert_non_null(strstr(error.message, "is being written by another process"));
    stave_writer_close(first);
    assert_int_equal(stave_writer_open(path, &second, NULL), STAVE_OK);
    stave_writer_close(second);
}

/* Rows of the blocks that lie whole before `size`. */
static uint64_t rows_before(stave_trace *trace, uint64_t size)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < stave_trace_blocks(trace); i++) {
        stave_block_info info;
        assert_int_equal(stave_trace_block(trace, i, &info, NULL), STAVE_OK);
        if (info.offset != 0 && info.offset + info.size <= size)
            rows += info.rows;
    }
    return rows;
}

static uint64_t count_rows(stave_trace *trace, bool synthetic)
{
    stave_cursor *cursor;
    const stave_block *b;
    uint64_t rows = 0;
    assert_int_equal(stave_cursor_open(trace, NULL, &cursor, NULL), STAVE_OK);
    while (stave_cursor_next(cursor, &b, NULL) > 0)
        for (uint32_t i = 0; i < b->rows; i++)
            rows += synthetic || (b->flags[i] & STAVE_FLAG_UNFINISHED) == 0;
    stave_cursor_close(cursor);
    return rows;
}

static void check_cut(stave_trace *whole, const struct bytes *bytes, size_t size)
{
    stave_trace *cut = NULL;
    stave_error error = {0};
    put_file(bytes->at, size);
    int status = stave_trace_open(path, NULL, &cut, &error);
    if (size < 16) {
        assert_int_equal(status, STAVE_E_FORMAT);
        assert_non_null(strstr(error.message, "not a .stave file"));
        return;
    }
    assert_int_equal(status, STAVE_OK);
    assert_int_equal(count_rows(cut, false), rows_before(whole, size));
    stave_trace_file file;
    stave_trace_file_of(cut, &file);
    assert_true(file.indexed == (size == bytes->size));
    assert_true(file.cut < size);
    assert_true(stave_trace_damages(cut) == 0);
    stave_trace_free(cut);
}

static void test_a_file_cut_at_every_byte(void **state)
{
    stave_trace *trace = make_trace(120);
    struct bytes bytes = save(trace, 0);
    put_file(bytes.at, bytes.size);
    stave_trace *whole = open_with(NULL);
    for (size_t size = 0; size <= bytes.size; size++)
        check_cut(whole, &bytes, size);
    stave_trace_free(whole);
    stave_trace_free(trace);
    free(bytes.at);
}

static void test_a_large_file_cut_anywhere(void **state)
{
    stave_trace *trace = make_trace(60000);
    struct bytes bytes = save(trace, 0);
    put_file(bytes.at, bytes.size);
    stave_trace *whole = open_with(NULL);
    uint64_t random = 99;
    for (int i = 0; i < 1000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        check_cut(whole, &bytes, (size_t)((random >> 16) % bytes.size));
    }
    stave_trace_free(whole);
    stave_trace_free(trace);
    free(bytes.at);
}

/* One byte is changed: all that it is not in is still there, and it is found. */
static void check_flip(stave_trace *whole, const struct bytes *bytes, size_t at, uint8_t mask)
{
    bytes->at[at] ^= mask;
    put_file(bytes->at, bytes->size);
    bytes->at[at] ^= mask;
    stave_trace *flipped = open_with(NULL);
    if (at < 16) {
        assert_int_equal(stave_trace_damages(flipped), 1);
        assert_int_equal(stave_trace_damage(flipped, 0).offset, 0);
        assert_int_equal(stave_trace_damage(flipped, 0).size, 16);
    }
    uint64_t rows = rows_before(whole, bytes->size);
    for (uint32_t i = 0; i < stave_trace_blocks(whole); i++) {
        stave_block_info info;
        assert_int_equal(stave_trace_block(whole, i, &info, NULL), STAVE_OK);
        if (info.offset != 0 && at >= info.offset && at < info.offset + info.size)
            rows -= info.rows;
    }
    assert_true(stave_trace_check(flipped, (stave_progress){0}, NULL) >= 0);
    assert_int_equal(count_rows(flipped, false), rows);
    stave_trace_file file;
    stave_trace_file_of(flipped, &file);
    assert_true(stave_trace_damages(flipped) > 0 || !file.indexed);
    stave_trace_free(flipped);
}

static void test_every_byte_of_every_block_changed(void **state)
{
    stave_trace *trace = make_trace(120);
    struct bytes bytes = save(trace, 0);
    put_file(bytes.at, bytes.size);
    stave_trace *whole = open_with(NULL);
    for (size_t at = 0; at < bytes.size; at++)
        check_flip(whole, &bytes, at, (uint8_t)(1 << at % 8));
    stave_trace_free(whole);
    stave_trace_free(trace);
    free(bytes.at);
}

static void test_names_that_were_lost(void **state)
{
    stave_trace *trace = make_trace(120);
    struct bytes bytes = save(trace, 0);
    bytes.at[16 + 100 + 8] ^= 1; /* in the texts of the first block, the strings */
    put_file(bytes.at, bytes.size);
    stave_trace *opened = open_with(NULL);
    assert_int_equal(stave_trace_damages(opened), 1);
    stave_damage damage = stave_trace_damage(opened, 0);
    assert_int_equal(damage.offset, 16);
    assert_string_equal(damage.what, "a block's checksum is wrong");
    char *text = text_of(opened, 0);
    assert_non_null(strstr(text, " (lost name) "));
    assert_null(strstr(text, "parse"));
    free(text);
    stave_trace_free(opened);
    stave_trace_free(trace);
    free(bytes.at);
}

static void test_what_is_no_stave_file(void **state)
{
    stave_trace *trace;
    stave_error error = {0};
    put_file((const uint8_t *)"name,type\n", 10);
    assert_int_equal(stave_trace_open(path, NULL, &trace, &error), STAVE_E_FORMAT);
    assert_non_null(strstr(error.message, "offset 0: not a .stave file"));
    error = (stave_error){0};
    assert_int_equal(stave_trace_open("/nowhere/x.stave", NULL, &trace, &error), STAVE_E_IO);
    assert_string_equal(error.message, "cannot open /nowhere/x.stave: No such file or directory");
    error = (stave_error){0};
    assert_int_equal(stave_trace_open("/dev/null", NULL, &trace, &error), STAVE_E_ARGUMENT);
    uint8_t head[16];
    stave__file_head_write(head);
    head[8] = 2;
    put_file(head, sizeof head);
    assert_int_equal(stave_trace_open(path, NULL, &trace, NULL), STAVE_E_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_saved_trace_comes_back),
        cmocka_unit_test(test_an_empty_trace_is_a_file),
        cmocka_unit_test(test_spans_that_nobody_ended),
        cmocka_unit_test(test_spans_that_began_and_no_more),
        cmocka_unit_test(test_a_growing_file_is_followed),
        cmocka_unit_test(test_rows_that_change_their_lane_after_they_were_published),
        cmocka_unit_test(test_a_second_writer_is_refused),
        cmocka_unit_test(test_a_file_cut_at_every_byte),
        cmocka_unit_test(test_a_large_file_cut_anywhere),
        cmocka_unit_test(test_every_byte_of_every_block_changed),
        cmocka_unit_test(test_names_that_were_lost),
        cmocka_unit_test(test_what_is_no_stave_file),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
