/* A CSV read and written again: the vectors, in any cut, and what a trace in nanoseconds can hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/analyze.h"
#include "trace/trace.h"
#include "unit/csv_read.h"

/* ---- vectors --------------------------------------------------------------------------------- */

struct vector {
    char name[64];
    char *csv; /* ends in NUL */
    size_t size;
};

static struct vector vectors[64];
static size_t vectors_count;

static void load(const char *file_name)
{
    struct vector *vector = &vectors[vectors_count++];
    char path[1024];
    assert_true(vectors_count <= sizeof vectors / sizeof vectors[0]);
    snprintf(vector->name, sizeof vector->name, "%s", file_name);
    snprintf(path, sizeof path, "%s/%s", STAVE_VECTORS_DIR, file_name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    vector->size = (size_t)ftell(file);
    rewind(file);
    vector->csv = calloc(1, vector->size + 1);
    assert_int_equal(fread(vector->csv, 1, vector->size, file), vector->size);
    fclose(file);
}

static int load_vectors(void **state)
{
    DIR *dir = opendir(STAVE_VECTORS_DIR);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ".csv") == 0)
            load(entry->d_name);
    }
    closedir(dir);
    assert_true(vectors_count >= 25);
    return 0;
}

static int free_vectors(void **state)
{
    for (size_t i = 0; i < vectors_count; i++)
        free(vectors[i].csv);
    return 0;
}

/* Those of devices that count cycles. */
static bool has_parts_of_ns(const struct vector *vector)
{
    static const char *const names[] = {"boot-loop.csv", "cycles.csv", "sequence-wraps.csv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(vector->name, names[i]) == 0)
            return true;
    return false;
}

/* The numbers of two CSVs that are to be the same but for half a nanosecond. */
static void assert_near(const char *got, const char *expected)
{
    while (*got != '\0') {
        if (*got == *expected) {
            got++;
            expected++;
            continue;
        }
        while (got[-1] != ',') { /* back to where the field begins */
            got--;
            expected--;
        }
        char *got_end, *expected_end;
        double difference = strtod(got, &got_end) - strtod(expected, &expected_end);
        assert_true(fabs(difference) <= 0.000500001);
        assert_true(*got_end == ',' && *expected_end == ',');
        got = got_end;
        expected = expected_end;
    }
    assert_int_equal(*expected, '\0');
}

static void test_vectors_come_back(void **state)
{
    for (size_t i = 0; i < vectors_count; i++) {
        struct csv_result read, again;
        csv_read(vectors[i].csv, vectors[i].size, 0, &read);
        assert_int_equal(read.status, STAVE_OK);
        assert_int_equal(read.stats.saturated, 0);
        assert_int_equal(read.stats.rows, read.stats.spans + read.stats.markers + read.stats.gaps);
        assert_int_equal(read.stats.rounded > 0, has_parts_of_ns(&vectors[i]));
        if (read.stats.rounded == 0)
            assert_string_equal(read.csv, vectors[i].csv);
        else
            assert_near(read.csv, vectors[i].csv);

        csv_read(read.csv, read.csv_size, 0, &again);
        assert_int_equal(again.stats.rounded, 0);
        assert_string_equal(again.csv, read.csv);
        csv_read_free(&again);
        csv_read_free(&read);
    }
}

/* Lanes of a name, type and priority: as many as the device had, but for those that differ in their
 * deadline alone. */
static void test_vectors_lanes(void **state)
{
    static const struct {
        const char *name;
        unsigned lanes; /* the device's among them */
    } expected[] = {{"cycles.csv", 4}, {"version1.csv", 3}, {"loop.csv", 5}, {"names.csv", 9}};
    for (size_t e = 0; e < sizeof expected / sizeof expected[0]; e++) {
        for (size_t i = 0; i < vectors_count; i++) {
            if (strcmp(vectors[i].name, expected[e].name) != 0)
                continue;
            struct csv_result read;
            csv_read(vectors[i].csv, vectors[i].size, 0, &read);
            assert_int_equal(stave_trace_lanes(read.trace), expected[e].lanes);
            csv_read_free(&read);
        }
    }
}

static void check_cut(const struct vector *vector, size_t cut, const struct csv_result *whole)
{
    struct csv_result read;
    csv_read(vector->csv, vector->size, cut, &read);
    csv_assert_same(&read, whole);
    csv_read_free(&read);
}

static void test_vectors_in_any_cut(void **state)
{
    for (size_t i = 0; i < vectors_count; i++) {
        struct csv_result whole;
        csv_read(vectors[i].csv, vectors[i].size, 0, &whole);
        for (size_t cut = 1; cut <= 64; cut++)
            if (vectors[i].size < 100000 || cut % 13 == 1)
                check_cut(&vectors[i], cut, &whole);
        for (size_t seed = 1; seed <= 20; seed++)
            check_cut(&vectors[i], CSV_RANDOM + seed, &whole);
        csv_read_free(&whole);
    }
}

/* A damaged file fails alike in any cut. */
static void test_damage_in_any_cut(void **state)
{
    static const char bytes[] = "\",\n\r x9-.\xff";
    uint64_t random = 1;
    for (unsigned round = 0; round < 2000; round++) {
        struct vector vector = vectors[round % vectors_count];
        size_t size = vector.size < 3000 ? vector.size : 3000;
        vector.csv = malloc(size);
        memcpy(vector.csv, vectors[round % vectors_count].csv, size);
        vector.size = size;
        for (unsigned i = 0; i < 1 + round % 3; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            vector.csv[(random >> 33) % size] = bytes[(random >> 20) % (sizeof bytes - 1)];
        }
        struct csv_result whole;
        csv_read(vector.csv, vector.size, 0, &whole);
        check_cut(&vector, 1, &whole);
        check_cut(&vector, CSV_RANDOM + round, &whole);
        csv_read_free(&whole);
        free(vector.csv);
    }
}

/* ---- traces ---------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Of any size, from a nanosecond to 292 years. */
static int64_t random_ns(void)
{
    return (int64_t)next_random() >> next_random() % 64;
}

/* What a device might have. */
static float usual_deadline(void)
{
    return (float)(next_random() % 100000) / 1000.0f;
}

static float any_float(void)
{
    uint32_t bits = (uint32_t)next_random();
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

enum { SPANS = 200 };

/* A trace of one lane, whose rows are still to come. */
static stave_trace *trace_of_lane(stave_lane lane, struct stave__appender *spans)
{
    stave_trace *trace;
    uint32_t boot, id;
    assert_int_equal(stave_trace_new(NULL, &trace, NULL), STAVE_OK);
    assert_int_equal(stave__trace_boot(trace, 0, 0, &boot, NULL), STAVE_OK);
    assert_int_equal(stave__trace_string(trace, "a", 1, &lane.name, NULL), STAVE_OK);
    assert_int_equal(stave__trace_lane(trace, &lane, &id, NULL), STAVE_OK);
    stave__appender_init(spans, &trace->blocks, STAVE_SPANS, id, boot);
    stave__boot_at(trace, boot)->shown.ended = true;
    return trace;
}

static int64_t some_later(int64_t start)
{
    return start < INT64_MAX - 1000000 ? start + 1000000 : INT64_MAX;
}

/* Spans from `first` on, `step` apart, which all have the lane's deadline. */
static stave_trace *trace_of_deadline(float deadline_ms, int64_t first, int64_t step)
{
    stave_lane lane = {.has_deadline = true, .deadline_ms = deadline_ms};
    struct stave__appender spans;
    stave_trace *trace = trace_of_lane(lane, &spans);
    for (int i = 0; i < SPANS; i++) {
        int64_t start = first + i * step;
        assert_int_equal(
            stave__append_span(&spans, start, some_later(start), (uint64_t)i + 1, 0, NULL),
            STAVE_OK);
    }
    stave__appender_seal(&spans, NULL);
    return trace;
}

/* Spans anywhere within some bits of nanoseconds, of which nearly all have deadlines of their own:
 * anywhere, or near their ends. */
static stave_trace *trace_of_own_deadlines(unsigned bits)
{
    struct stave__appender spans;
    stave_trace *trace = trace_of_lane((stave_lane){0}, &spans);
    spans.mask |= STAVE_COLUMN_VALUE;
    for (int i = 0; i < SPANS; i++) {
        int64_t start = (int64_t)next_random() >> (64 - bits), end = some_later(start);
        int64_t anywhere = (int64_t)next_random() >> (64 - bits);
        int64_t near = end - 1 + (int64_t)(next_random() % 3 * (end < INT64_MAX));
        bool own = next_random() % 10 > 0;
        int64_t deadline = next_random() % 2 == 0 ? anywhere : near;
        assert_int_equal(stave__append_span_due(&spans, start, end, (uint64_t)i + 1,
                                                own ? (uint64_t)deadline : 0,
                                                own ? STAVE_FLAG_HAS_VALUE : 0, NULL),
                         STAVE_OK);
    }
    stave__appender_seal(&spans, NULL);
    return trace;
}

/* The first line that differs is shown; whole files are too long for cmocka. */
static void assert_same_text(const char *got, const char *expected)
{
    size_t same = 0;
    while (got[same] == expected[same] && got[same] != '\0')
        same++;
    if (got[same] == expected[same])
        return;
    while (same > 0 && got[same - 1] != '\n')
        same--;
    fail_msg("%.*s should be %.*s", (int)strcspn(got + same, "\n"), got + same,
             (int)strcspn(expected + same, "\n"), expected + same);
}

/* Text to trace to text is the same text; returns the lanes that the reader made. */
static uint32_t check_comes_back(stave_trace *trace)
{
    size_t size;
    struct csv_result read;
    char *csv = csv_write(trace, &size);
    csv_read(csv, size, 0, &read);
    if (read.status < 0)
        fail_msg("%s", read.error.message);
    assert_int_equal(read.stats.rounded, 0);
    assert_same_text(read.csv, csv);
    uint32_t lanes = stave_trace_lanes(read.trace) - 1; /* without the device's */
    csv_read_free(&read);
    free(csv);
    stave_trace_free(trace);
    return lanes;
}

/* Within six days, before 0 too. */
static void test_any_ns_come_back(void **state)
{
    random_state = 88172645463325252u;
    for (int round = 0; round < 2000; round++) {
        int64_t first = random_ns() >> 14, step = random_ns() >> 24;
        assert_int_equal(check_comes_back(trace_of_deadline(usual_deadline(), first, step)), 1);
    }
}

/* Whatever it was: read and written once, it comes back. Where doubles tell less than nanoseconds, or
 * deadlines are further away than a float tells, the first time may change them. */
static void test_anything_settles(void **state)
{
    random_state = 314159265;
    for (int round = 0; round < 2000; round++) {
        int64_t first = random_ns(), room = (first < 0 ? first - INT64_MIN : INT64_MAX - first);
        int64_t step = room > 0 ? (int64_t)(next_random() >> 1) % room / SPANS : 0;
        float deadline = next_random() % 2 == 0 ? usual_deadline() : any_float();
        stave_trace *trace = trace_of_deadline(deadline, first, first < 0 ? -step : step);
        struct csv_result once, twice;
        size_t size;
        char *csv = csv_write(trace, &size);
        csv_read(csv, size, 0, &once);
        assert_int_equal(once.status, STAVE_OK);
        csv_read(once.csv, once.csv_size, 0, &twice);
        assert_same_text(twice.csv, once.csv);
        csv_read_free(&twice);
        csv_read_free(&once);
        free(csv);
        stave_trace_free(trace);
    }
}

static uint64_t missed_in(stave_trace *trace)
{
    stave_lane_summary lanes[3];
    uint32_t count = stave_trace_lanes(trace);
    uint64_t missed = 0;
    assert_in_range(count, 1, 3);
    assert_int_equal(stave_summarize_lanes(trace, lanes, count, NULL), STAVE_OK);
    for (uint32_t i = 0; i < count; i++)
        missed += lanes[i].missed;
    return missed;
}

/* A file's deadlines of any kind: the same text and, up to 52 days, the same verdicts. */
static void test_own_deadlines_come_back(void **state)
{
    random_state = 2463534242;
    for (unsigned round = 0; round < 2000; round++) {
        unsigned bits = 12 + round % 53;
        stave_trace *trace = trace_of_own_deadlines(bits);
        size_t size;
        struct csv_result read;
        char *csv = csv_write(trace, &size);
        csv_read(csv, size, 0, &read);
        assert_int_equal(read.status, STAVE_OK);
        assert_int_equal(read.stats.rounded, 0);
        assert_same_text(read.csv, csv);
        if (bits <= 53)
            assert_int_equal(missed_in(read.trace), missed_in(trace));
        csv_read_free(&read);
        free(csv);
        stave_trace_free(trace);
    }
}

/* One lane stays one lane, wherever its first span starts. */
static void test_deadlines_of_one_lane(void **state)
{
    static const float deadlines[] = {0, 0.1f, 1.5f, 62.5f, 33.333f, 0.0333f, 1e-4f, 1000.001f, -2};
    static const int64_t hour = INT64_C(3600000000000);
    random_state = 362436069;
    for (size_t i = 0; i < sizeof deadlines / sizeof deadlines[0]; i++) {
        for (int round = 0; round < 200; round++) {
            int64_t first = (int64_t)(next_random() % (uint64_t)(1000 * hour));
            int64_t step = (int64_t)(next_random() % 100000000);
            assert_int_equal(check_comes_back(trace_of_deadline(deadlines[i], first, step)), 1);
        }
    }
}

/* Times since 1970: a double has a quarter of a microsecond left. */
static void test_epoch_times_come_back(void **state)
{
    random_state = 521288629;
    for (int round = 0; round < 200; round++) {
        int64_t first = INT64_C(1700000000000000000) + (int64_t)(next_random() % 1000000000);
        uint32_t lanes = check_comes_back(
            trace_of_deadline(usual_deadline(), first, (int64_t)(next_random() % 100000000)));
        assert_int_equal(lanes, 1);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* Marks by what their values are. */
static void test_values_are_written(void **state)
{
    enum { HAS = STAVE_FLAG_HAS_VALUE };
    struct stave__appender unused, marks;
    stave_trace *trace = trace_of_lane((stave_lane){0}, &unused);
    uint32_t text;
    assert_int_equal(stave__trace_string(trace, "5, \"six\"", 8, &text, NULL), STAVE_OK);
    const struct {
        uint16_t flags;
        uint64_t value;
    } values[] = {
        {0, 7},
        {HAS, UINT64_MAX},
        {HAS | STAVE_FLAG_SIGNED, (uint64_t)INT64_MIN},
        {HAS | STAVE_FLAG_SIGNED, 12},
        {HAS | STAVE_FLAG_REAL, bits_of(-0.1)},
        {HAS | STAVE_FLAG_REAL, bits_of(3)},
        {HAS | STAVE_FLAG_REAL, bits_of(HUGE_VAL)},
        {HAS | STAVE_FLAG_BOOL, 0},
        {HAS | STAVE_FLAG_BOOL, 1},
        {HAS | STAVE_FLAG_BOOL, UINT64_MAX - 1},
        {HAS | STAVE_FLAG_BOOL | STAVE_FLAG_SIGNED, (uint64_t)-2}, /* as if it were no bool */
        {HAS | STAVE_FLAG_TEXT, text},
        {HAS | STAVE_FLAG_TEXT, 0}};
    stave__appender_init(&marks, &trace->blocks, STAVE_MARKS, 0, 0);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_int_equal(
            stave__append_mark(&marks, 1000, 0, values[i].value, values[i].flags, NULL), STAVE_OK);
    stave__appender_seal(&marks, NULL);
    size_t size;
    char *csv = csv_write(trace, &size);
#define MARK(value) "a,marker,1.0,1.0,0,," value ",0\n"
    assert_string_equal(csv, CSV_HEAD_LINE MARK("") MARK("18446744073709551615")
                                 MARK("-9223372036854775808") MARK("12") MARK("-0.1") MARK("3.0")
                                     MARK("") MARK("false") MARK("true") MARK("true") MARK("-2")
                                         MARK("\"5, \"\"six\"\"\"") MARK("\"\""));
#undef MARK
    free(csv);
    stave_trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors_come_back),
        cmocka_unit_test(test_vectors_lanes),
        cmocka_unit_test(test_vectors_in_any_cut),
        cmocka_unit_test(test_damage_in_any_cut),
        cmocka_unit_test(test_any_ns_come_back),
        cmocka_unit_test(test_deadlines_of_one_lane),
        cmocka_unit_test(test_epoch_times_come_back),
        cmocka_unit_test(test_own_deadlines_come_back),
        cmocka_unit_test(test_anything_settles),
        cmocka_unit_test(test_values_are_written),
    };
    return cmocka_run_group_tests(tests, load_vectors, free_vectors);
}
