/* test_random_traces.c - random traces: what is read back, from memory and from files, is what their
 * plain lists say, and what their blocks say of open spans is so.
 *
 *     test_random_traces [FIRST_SEED [COUNT]]
 *     test_random_traces --write FOLDER FIRST_SEED COUNT    SEED.stave and SEED.txt, for another reader */
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
#include "random_trace.h"
#include "trace/packing.h"

static uint64_t first_seed = 1;
static uint64_t seed_count = 140;

/* ---- against the lists ----------------------------------------------------------------------- */

static bool same_row(const stave_block *block, uint32_t i, const struct random_row *row)
{
#define SAME(name, number, member, type)                                                           \
    if (row->column.member != (block->member != NULL ? block->member[i] : 0))                      \
        return false;
    STAVE_COLUMN_TABLE(SAME)
#undef SAME
    return row->kind == block->kind && row->lane == block->lane && row->boot == block->boot;
}

/* The list's row with this order; they ascend. */
static size_t find_row(const struct random_trace *random, uint64_t order)
{
    size_t low = 0, high = random->row_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (random->rows[middle].column.order <= order)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The step at which a block of spans was sealed whose last row this is: the one that was asked for, else
 * that of the next row, which found the block full. */
static uint64_t seal_step(const struct random_trace *random, size_t last)
{
    const struct random_row *row = &random->rows[last];
    if (row->sealed != 0)
        return row->sealed;
    for (size_t i = last + 1; i < random->row_count; i++)
        if (random->rows[i].kind == STAVE_SPANS && random->rows[i].lane == row->lane)
            return random->rows[i].step;
    fail_msg("a block that was never sealed");
    return 0;
}

static void check_borders(const struct random_trace *random, const stave_block *block,
                          size_t *found)
{
    size_t first = find_row(random, block->order[0]);
    size_t last = find_row(random, block->order[block->rows - 1]);
    uint64_t begun, ignored;
    random_trace_open_at(random, block->boot, block->lane, random->rows[first].step, found, &begun);
    assert_int_equal(block->begun, begun);
    size_t open = random_trace_open_at(random, block->boot, block->lane, seal_step(random, last),
                                       found, &ignored);
    assert_int_equal(block->open_count, open);
    for (size_t i = 0; i < open; i++) {
        const struct random_span *span = &random->spans[found[i]];
        assert_int_equal(block->open[i].serial, span->serial);
        assert_int_equal(block->open[i].start, span->start);
        assert_int_equal(block->open[i].name, span->name);
        assert_int_equal(span->depth, i);
    }
}

static void check_rows(const struct random_trace *random, stave_trace *trace)
{
    stave_cursor *cursor;
    const stave_block *block;
    size_t rows = 0;
    size_t *found = calloc(random->span_count + 1, sizeof *found);
    assert_non_null(found);
    assert_int_equal(stave_cursor_open(trace, NULL, &cursor, NULL), STAVE_OK);
    while (stave_cursor_next(cursor, &block, NULL) > 0) {
        if (block->order[0] >> 63 != 0)
            break; /* spans that nobody ended: their text is compared */
        for (uint32_t i = 0; i < block->rows; i++)
            assert_true(same_row(block, i, &random->rows[find_row(random, block->order[i])]));
        rows += block->rows;
        if (block->kind == STAVE_SPANS)
            check_borders(random, block, found);
    }
    stave_cursor_close(cursor);
    free(found);
    assert_int_equal(rows, random->row_count);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The spans of a lane that were left open in a boot, innermost first. */
static size_t left_open(const struct random_trace *random, uint32_t lane, uint32_t boot,
                        size_t *found)
{
    size_t count = 0;
    for (size_t i = random->span_count; i-- > 0;)
        if (random->spans[i].lane == lane && random->spans[i].boot == boot &&
            random->spans[i].done == 0)
            found[count++] = i;
    return count;
}

#define LEFT_MAX 1024 /* rows of a block, as the library makes them */

static void text_left_block(struct trace_text *text, const struct random_trace *random,
                            const size_t *found, uint32_t count, uint64_t begun, uint64_t *order)
{
    static uint64_t data[LEFT_MAX * 16];
    const uint32_t mask = stave__kind_may_have[STAVE_SPANS];
    union stave__columns c;
    stave__columns_lay_out(&c, mask, count, data);
    stave_block block = {.kind = STAVE_SPANS,
                         .lane = random->spans[found[0]].lane,
                         .boot = random->spans[found[0]].boot,
                         .rows = count,
                         .first = INT64_MAX,
                         .last = INT64_MIN,
                         .begun = begun,
#define SHOW(column, number, member, type) .member = c.member,
                         STAVE_COLUMN_TABLE(SHOW)
#undef SHOW
    };
    for (uint32_t i = 0; i < count; i++) {
        const struct random_span *span = &random->spans[found[i]];
        c.start[i] = span->start;
        c.end[i] = span->end;
        c.order[i] = (*order)++;
        c.serial[i] = span->serial;
        c.value[i] = 0;
        c.flags[i] = span->flags;
        c.name[i] = span->name;
        c.depth[i] = span->depth;
        bool attached = (span->flags & STAVE_FLAG_ATTACHED) != 0;
        c.other[i] = attached ? random->spans[span->parent].serial : 0;
        c.other_lane[i] = attached ? random->spans[span->parent].lane : 0;
        block.first = span->start < block.first ? span->start : block.first;
        block.last = span->end > block.last ? span->end : block.last;
    }
    struct stave__header summary;
    stave__block_summarize(&block, &summary);
    stave_block_info info = {.busy = summary.busy,
                             .longest = summary.longest,
                             .longest_name = (uint32_t)summary.longest_name,
                             .deepest = (uint32_t)summary.deepest};
    trace_text_block(text, random->trace, &info, &block);
}

/* What a file of the trace will be: that in memory, and rows for spans that were left open. */
static void expected_text(struct trace_text *text, struct random_trace *random)
{
    uint64_t order = (uint64_t)1 << 63;
    size_t *found = calloc(random->span_count + 1, sizeof *found);
    assert_non_null(found);
    trace_text_of(text, random->trace);
    for (uint32_t lane = 0; lane < random->lane_count; lane++) {
        for (uint32_t boot = 0; boot < stave_trace_boots(random->trace); boot++) {
            size_t count = left_open(random, lane, boot, found);
            uint32_t room = 16;
            for (size_t at = 0; at < count; at += room, room = room < LEFT_MAX ? room * 4 : room) {
                uint32_t rows = count - at < room ? (uint32_t)(count - at) : room;
                text_left_block(text, random, found + at, rows, random->spans[found[0]].serial,
                                &order);
            }
        }
    }
    free(found);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int write_file(void *context, const void *data, size_t size)
{
    return fwrite(data, 1, size, context) == size ? STAVE_OK : STAVE_E_IO;
}

static void save(stave_trace *trace, const char *path, uint32_t zstd_level)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    stave_sink sink = {.write = write_file, .context = file};
    stave_save_config config = {.zstd_level = zstd_level};
    assert_int_equal(stave_trace_save(trace, sink, &config, NULL), STAVE_OK);
    assert_int_equal(fclose(file), 0);
}

static stave_trace *open_file(const char *path, bool ignore_index)
{
    stave_trace *trace = NULL;
    stave_trace_config config = {.ignore_index = ignore_index};
    assert_int_equal(stave_trace_open(path, &config, &trace, NULL), STAVE_OK);
    return trace;
}

static bool reads_back(const struct random_trace *random, const char *path, bool ignore_index,
                       const struct trace_text *expected)
{
    stave_trace *trace = open_file(path, ignore_index);
    struct trace_text text = {0};
    stave_trace_file file;
    trace_text_of(&text, trace);
    stave_trace_file_of(trace, &file);
    assert_int_equal(file.indexed, !ignore_index);
    assert_int_equal(file.cut, 0);
    check_rows(random, trace);
    bool same = trace_text_same(&text, expected->bytes, expected->size);
    free(text.bytes);
    stave_trace_free(trace);
    return same;
}

/* A file of a file is the same, spans that nobody ended included. */
static bool copies(const struct random_trace *random, const char *path,
                   const struct trace_text *expected)
{
    stave_trace *trace = open_file(path, false);
    char copy[64];
    snprintf(copy, sizeof copy, "%.50s.copy", path);
    save(trace, copy, 0);
    stave_trace_free(trace);
    bool same = reads_back(random, copy, false, expected);
    unlink(copy);
    return same;
}

static bool trace_reads_back(uint64_t seed, const char *path)
{
    struct random_trace_options options;
    struct trace_text expected = {0};
    random_trace_choose(seed, &options);
    struct random_trace *random = random_trace_new(&options);
    check_rows(random, random->trace);
    expected_text(&expected, random);

    save(random->trace, path, 0);
    bool same = reads_back(random, path, false, &expected);
    same = same && reads_back(random, path, true, &expected);
    same = same && copies(random, path, &expected);
    if (same && stave__pack_bound(1) > 0) {
        save(random->trace, path, 1 + (uint32_t)(seed % 5));
        same = reads_back(random, path, seed % 2 == 0, &expected);
    }
    free(expected.bytes);
    random_trace_free(random);
    return same;
}

static void test_random_traces(void **state)
{
    char path[] = "/tmp/stave-random-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
        if (!trace_reads_back(seed, path)) {
            print_error("the trace with seed %llu\n", (unsigned long long)seed);
            fail();
        }
    }
    unlink(path);
}

/* ---- what the generator promises ------------------------------------------------------------- */

static void check_span(const struct random_trace *random, size_t i)
{
    const struct random_span *span = &random->spans[i];
    assert_true(span->start <= span->end);
    if (span->lane_parent != RANDOM_NONE) {
        const struct random_span *around = &random->spans[span->lane_parent];
        assert_true(around->lane == span->lane && around->boot == span->boot);
        assert_true(around->start <= span->start && span->end <= around->end);
        assert_int_equal(span->depth, around->depth + 1);
    } else {
        assert_int_equal(span->depth, 0);
    }
    bool attached = (span->flags & STAVE_FLAG_ATTACHED) != 0;
    assert_true(attached || span->parent == span->lane_parent);
    assert_true(!attached || random->spans[span->parent].lane != span->lane);
    assert_true(span->parent == RANDOM_NONE || span->parent < i);
    assert_true(span->done != 0 || (span->flags & ~STAVE_FLAG_ATTACHED) == STAVE_FLAG_UNFINISHED);
}

/* The seeds taken together have everything that a trace can have. */
static void test_the_generator(void **state)
{
    uint32_t kinds = 0, flags = 0;
    size_t rows = 0, left = 0, empty = 0, anchors = 0, deep = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct random_trace_options options;
        random_trace_choose(seed, &options);
        struct random_trace *random = random_trace_new(&options);
        for (size_t i = 0; i < random->span_count; i++) {
            check_span(random, i);
            flags |= random->spans[i].flags;
            left += random->spans[i].done == 0;
            deep += random->spans[i].depth > 100;
        }
        for (size_t i = 0; i < random->row_count; i++)
            kinds |= STAVE_KIND_BIT(random->rows[i].kind);
        for (uint32_t boot = 0; boot < stave_trace_boots(random->trace); boot++)
            anchors += stave_trace_anchors(random->trace, boot) - 1;
        rows = random->row_count > rows ? random->row_count : rows;
        empty += random->row_count == 0;
        random_trace_free(random);
    }
    assert_int_equal(kinds, (1u << STAVE_ROW_KINDS) - 1);
    assert_true((flags & STAVE_FLAG_ATTACHED) != 0 && (flags & STAVE_FLAG_FAILED) != 0);
    assert_true(rows > 5000 && left > 10 && empty > 0 && anchors > 10 && deep > 0);
}

/* ---- for another reader ---------------------------------------------------------------------- */

static void write_traces(const char *folder, uint64_t first, uint64_t count)
{
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct random_trace_options options;
        struct trace_text text = {0};
        char path[512];
        random_trace_choose(seed, &options);
        struct random_trace *random = random_trace_new(&options);
        expected_text(&text, random);
        snprintf(path, sizeof path, "%s/%llu.stave", folder, (unsigned long long)seed);
        save(random->trace, path, seed % 16 == 0 && stave__pack_bound(1) > 0 ? 3 : 0);
        snprintf(path, sizeof path, "%s/%llu.txt", folder, (unsigned long long)seed);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(text.bytes, 1, text.size, file) != text.size ||
            fclose(file) != 0)
            abort();
        free(text.bytes);
        random_trace_free(random);
    }
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "--write") == 0) {
        write_traces(argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
        return 0;
    }
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed_count = strtoull(argv[2], NULL, 10);
    else if (argc > 1)
        seed_count = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_generator),
        cmocka_unit_test(test_random_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
