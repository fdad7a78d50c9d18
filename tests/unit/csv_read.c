#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/export.h"
#include "unit/csv_read.h"

static int append(void *context, const void *data, size_t size)
{
    struct csv_result *read = context;
    read->csv = realloc(read->csv, read->csv_size + size + 1);
    assert_non_null(read->csv);
    memcpy(read->csv + read->csv_size, data, size);
    read->csv_size += size;
    read->csv[read->csv_size] = '\0';
    return STAVE_OK;
}

char *csv_write(stave_trace *trace, size_t *size)
{
    struct csv_result written = {0};
    assert_int_equal(stave_export_csv(trace, (stave_sink){append, &written}, NULL, NULL), STAVE_OK);
    *size = written.csv_size;
    return written.csv;
}

static size_t next_piece(size_t cut, uint64_t *state, size_t left)
{
    size_t size = cut == 0 ? left : cut;
    if (cut > CSV_RANDOM) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        size = (size_t)(*state >> 40) % ((size_t)1 << (*state >> 33) % 12);
    }
    return size < left ? size : left;
}

static int feed(stave_csv_reader *reader, const char *bytes, size_t size, size_t cut,
                stave_error *error)
{
    uint64_t state = cut;
    int status = STAVE_OK;
    for (size_t at = 0; status >= 0 && at < size;) {
        size_t piece = next_piece(cut, &state, size - at);
        char *copy = malloc(piece + (piece == 0));
        assert_non_null(copy);
        memcpy(copy, bytes + at, piece);
        status = stave_csv_reader_feed(reader, copy, piece, error);
        free(copy);
        at += piece;
    }
    return status;
}

void csv_read_as(const stave_csv_reader_config *config, const char *bytes, size_t size, size_t cut,
                 struct csv_result *read)
{
    stave_csv_reader *reader;
    *read = (struct csv_result){0};
    assert_int_equal(stave_trace_new(NULL, &read->trace, NULL), STAVE_OK);
    assert_int_equal(stave_csv_reader_new(config, read->trace, &reader, NULL), STAVE_OK);
    read->status = feed(reader, bytes, size, cut, &read->error);
    if (read->status >= 0)
        read->status = stave_csv_reader_finish(reader, &read->error);
    stave_csv_reader_stats_of(reader, &read->stats);
    stave_csv_reader_free(reader);
    read->csv = csv_write(read->trace, &read->csv_size);
}

void csv_read(const char *bytes, size_t size, size_t cut, struct csv_result *read)
{
    csv_read_as(NULL, bytes, size, cut, read);
}

void csv_read_text(const char *text, struct csv_result *read)
{
    csv_read(text, strlen(text), 0, read);
}

void csv_read_free(struct csv_result *read)
{
    stave_trace_free(read->trace);
    free(read->csv);
}

void csv_assert_same(const struct csv_result *got, const struct csv_result *expected)
{
    assert_int_equal(got->status, expected->status);
    assert_string_equal(got->error.message, expected->error.message);
    assert_int_equal(got->error.offset, expected->error.offset);
    assert_memory_equal(&got->stats, &expected->stats, sizeof got->stats);
    assert_int_equal(got->csv_size, expected->csv_size);
    assert_memory_equal(got->csv, expected->csv, expected->csv_size);
    assert_int_equal(stave_trace_lanes(got->trace), stave_trace_lanes(expected->trace));
}
