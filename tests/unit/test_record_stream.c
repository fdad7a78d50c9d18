/* What is recorded, to a file as it comes: all of it, in every mode; what was open; forks, the environment. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "stress/recorded.h"
#include "unit/recording_file.h"

static uint64_t property(const stave_trace *trace, const char *key)
{
    const stave_property *property = stave_trace_find_property(trace, key);
    assert_non_null(property);
    return property->value;
}

/* ---- what is in it --------------------------------------------------------------------------- */

static void assert_same_row(const struct recorded *a, const struct traces_row *x,
                            const struct recorded *b, const struct traces_row *y)
{
    assert_int_equal(x->kind, y->kind);
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->columns.start, y->columns.start);
    assert_int_equal(x->columns.end, y->columns.end);
    assert_int_equal(x->columns.order, y->columns.order);
    assert_int_equal(x->columns.flags, y->columns.flags);
    assert_int_equal(x->columns.serial, y->columns.serial);
    assert_int_equal(x->columns.depth, y->columns.depth);
    assert_int_equal(x->columns.total, y->columns.total);
    assert_int_equal(x->columns.least, y->columns.least);
    assert_int_equal(x->columns.most, y->columns.most);
    if ((x->columns.flags & STAVE_FLAG_TEXT) != 0)
        assert_string_equal(recorded_text(a, x, NULL), recorded_text(b, y, NULL));
    else
        assert_int_equal(x->columns.value, y->columns.value);
}

/* The next row of a kind; NULL: there is none. */
static const struct traces_row *next_of(const struct recorded *seen, uint32_t kind, size_t *at)
{
    while (*at < seen->rows.count && seen->rows.at[*at].kind != kind)
        ++*at;
    return *at < seen->rows.count ? &seen->rows.at[(*at)++] : NULL;
}

/* A file has other blocks than a snapshot of all, and the same rows. */
static void assert_same_rows(const struct recorded *file, const struct recorded *snapshot)
{
    assert_int_equal(file->rows.count, snapshot->rows.count);
    for (uint32_t kind = 0; kind < STAVE_ROW_KINDS; kind++) {
        size_t at = 0, other = 0;
        const struct traces_row *row;
        while ((row = next_of(file, kind, &at)) != NULL)
            assert_same_row(file, row, snapshot, next_of(snapshot, kind, &other));
        assert_null(next_of(snapshot, kind, &other));
    }
}

static void test_all_that_was_recorded(void **state)
{
    recorded_start(&(stave_config){0});
    record_all_kinds(0, 100); /* before the file begins */
    begin_file();
    record_all_kinds(100, 300);
    wait_ms(5);
    record_all_kinds(300, 3000);
    wait_ms(5);
    record_all_kinds(3000, 3100);
    struct recorded snapshot = recorded_now();
    end_file();
    struct recorded file = recorded_file(path);
    assert_int_equal(recorded_count(&file, STAVE_SPANS), 2 * 3100);
    assert_int_equal(recorded_count(&file, STAVE_ATTRIBUTES), 2 * 3100);
    assert_same_rows(&file, &snapshot);
    assert_int_equal(property(file.trace, "record.evicted"), 0);
    recorded_free(&snapshot);
    recorded_free(&file);
}

/* A file begins where the one before ended. */
static void test_one_file_after_another(void **state)
{
    recorded_start(&(stave_config){0});
    begin_file();
    record_all_kinds(0, 10);
    end_file();
    record_all_kinds(10, 30);
    begin_file();
    record_all_kinds(30, 35);
    end_file();
    struct recorded file = recorded_file(path);
    assert_int_equal(recorded_count(&file, STAVE_MARKS), 25);
    size_t at = 0;
    const struct traces_row *first = next_of(&file, STAVE_COUNTERS, &at);
    assert_int_equal(first->columns.value, 30);
    recorded_free(&file);
}

/* Later starts count anew in their files. */
static void test_the_end_by_stopping(void **state)
{
    recorded_start(&(stave_config){0});
    begin_file();
    {
        STAVE_SCOPE("the only one");
        recorded_pass(8);
    }
    stave_stop();
    struct recorded file = recorded_file(path);
    assert_int_equal(file.rows.count, 1);
    assert_int_equal(recorded_find(&file, STAVE_SPANS, "the only one")->columns.end, 8);
    assert_int_equal(property(file.trace, "record.recorded"), 1);
    assert_int_equal(property(file.trace, "record.evicted"), 0);
    recorded_free(&file);
}

/* What is open is told of while it is: a reader sees it at any time. */
static void test_open_spans(void **state)
{
    recorded_start(&(stave_config){0});
    begin_file();
    STAVE_SPAN(root, "root");
    recorded_pass(100);
    {
        STAVE_SCOPE("ended");
        recorded_pass(7);
    }
    STAVE_SPAN(second, "second");
    recorded_pass(50);
    struct recorded file = {0};
    for (int tries = 0; tries < 2000 && recorded_count(&file, STAVE_SPANS) < 3; tries++) {
        wait_ms(5);
        recorded_free(&file);
        file = recorded_file(path);
    }
    const struct stave__row *row = &recorded_find(&file, STAVE_SPANS, "root")->columns;
    assert_int_equal(row->flags, STAVE_FLAG_UNFINISHED);
    assert_int_equal(row->start, 0);
    assert_int_equal(row->end, 157);
    row = &recorded_find(&file, STAVE_SPANS, "second")->columns;
    assert_int_equal(row->flags, STAVE_FLAG_UNFINISHED);
    assert_int_equal(row->start, 107);
    assert_int_equal(row->depth, 1);
    assert_int_equal(recorded_find(&file, STAVE_SPANS, "ended")->columns.end, 107);
    recorded_free(&file);
    stave_end(second);
    stave_end(root);
    stave_stop();
    file = recorded_file(path);
    assert_int_equal(recorded_count(&file, STAVE_SPANS), 3);
    assert_int_equal(recorded_find(&file, STAVE_SPANS, "root")->columns.flags, 0);
    recorded_free(&file);
}

static void *record_named(void *given)
{
    {
        STAVE_SCOPE("before");
    }
    for (int i = 0; i < 40; i++)
        wait_ms(5);
    stave_thread_name("worker");
    STAVE_SCOPE("behind");
    return NULL;
}

/* A thread's name that comes late is told again. */
static void test_names_of_threads(void **state)
{
    pthread_t thread;
    recorded_start(&(stave_config){0});
    begin_file();
    assert_int_equal(pthread_create(&thread, NULL, record_named, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    stave_stop();
    struct recorded file = recorded_file(path);
    uint32_t lane = recorded_find(&file, STAVE_SPANS, "before")->lane;
    assert_int_equal(recorded_find(&file, STAVE_SPANS, "behind")->lane, lane);
    assert_string_equal(
        stave_trace_string(file.trace, stave_trace_lane(file.trace, lane)->name, NULL), "worker");
    recorded_free(&file);
}

static void *record_by_number(void *given)
{
    recorded_pass(1);
    STAVE_SCOPE("request", STAVE_KV("number", *(const uint32_t *)given));
    return NULL;
}

/* Lanes that are used again are others in the file. */
static void record_by_many_threads(void **state)
{
    uint32_t threads = *(const uint32_t *)*state;
    recorded_start(&(stave_config){.max_bytes = (uint64_t)1 << 20});
    begin_file();
    for (uint32_t i = 0; i < threads; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, record_by_number, &i), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        if (i % 8 == 0)
            wait_ms(40);
    }
    stave_stop();
    struct recorded file = recorded_file(path);
    uint64_t missed = property(file.trace, "record.evicted"), open = 0;
    for (size_t i = 0; i < file.rows.count;
         i++) /* the file tells of one whose end was missed, if it looked meanwhile */
        open += (file.rows.at[i].columns.flags & STAVE_FLAG_UNFINISHED) != 0;
    assert_int_equal(recorded_count(&file, STAVE_SPANS) + recorded_count(&file, STAVE_ATTRIBUTES) +
                         missed,
                     2 * threads + open);
    assert_in_range(stave_trace_lanes(file.trace), threads - missed / 2, threads);
    for (size_t i = 0; i < file.rows.count; i++)
        for (size_t j = 0; j < i; j++)
            if (file.rows.at[i].kind == file.rows.at[j].kind)
                assert_int_not_equal(file.rows.at[i].lane, file.rows.at[j].lane);
    recorded_free(&file);
}

static void test_lanes_used_again(void **state)
{
    in_a_child(record_by_many_threads, &(uint32_t){80});
}

/* ---- more than memory ------------------------------------------------------------------------ */

#define CHUNK 2046u
#define MEMORY ((uint64_t)1 << 20)

static uint64_t rows_in_file(void)
{
    struct recorded file = recorded_file(path);
    uint64_t rows = file.rows.count;
    recorded_free(&file);
    return rows;
}

static void record_spans(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        STAVE_SCOPE("span");
        recorded_pass(1);
    }
}

/* Records `chunks` chunks, and waits when one is full until it is in the file. */
static void record_slowly(uint32_t chunks)
{
    uint64_t records = 0;
    for (uint32_t i = 0; i < chunks; i++) {
        record_spans(CHUNK);
        records += CHUNK;
        for (int tries = 0; tries < 1000 && rows_in_file() + CHUNK < records; tries++)
            wait_ms(5);
    }
}

static void pass_through(void **state)
{
    uint32_t mode = *(const uint32_t *)*state;
    enum { CHUNKS = 3 * (1 << 20) / 65536 };
    stave_counts before = recorded_counts();
    recorded_start(&(stave_config){.max_bytes = MEMORY, .mode = mode});
    begin_file();
    record_slowly(CHUNKS);
    stave_counts counts = recorded_counts();
    assert_int_equal(counts.dropped_full - before.dropped_full, 0);
    stave_stop();
    struct recorded file = recorded_file(path);
    uint64_t missed = recorded_counts().missed - before.missed;
    assert_int_equal(property(file.trace, "record.recorded"), CHUNKS * CHUNK);
    assert_int_equal(file.rows.count + missed, CHUNKS * CHUNK);
    assert_int_equal(missed, 0);
    recorded_free(&file);
}

static void test_more_than_memory(void **state)
{
    in_a_child(pass_through, &(uint32_t){STAVE_KEEP_NEWEST});
    in_a_child(pass_through, &(uint32_t){STAVE_STOP_WHEN_FULL});
}

/* The file, once so many rows in it are of spans that have ended. */
static struct recorded wait_for_ended(size_t count)
{
    for (int tries = 0; tries < 1000; tries++) {
        struct recorded file = recorded_file(path);
        size_t ended = 0;
        for (size_t i = 0; i < file.rows.count; i++)
            ended += (file.rows.at[i].columns.flags & STAVE_FLAG_UNFINISHED) == 0;
        if (ended >= count)
            return file;
        recorded_free(&file);
        wait_ms(5);
    }
    fail_msg("the file does not grow");
    return (struct recorded){0};
}

static void fill_a_chunk(void **state)
{
    uint32_t mode = *(const uint32_t *)*state;
    static const char *const names[] = {"root", "child", "grandchild"};
    stave_span open[3];
    recorded_start(&(stave_config){.mode = mode});
    begin_file();
    for (uint32_t i = 0; i < 3; i++)
        open[i] = stave_begin(stave_name_intern(names[i]));
    record_spans(CHUNK - 2);
    struct recorded file = wait_for_ended(CHUNK - 2);
    recorded_free(&file);
    record_spans(3);
    file = wait_for_ended(CHUNK);
    for (uint32_t i = 0; i < 3; i++) {
        const struct traces_row *row = recorded_find(&file, STAVE_SPANS, names[i]);
        assert_non_null(row);
        assert_int_equal(row->columns.flags, STAVE_FLAG_UNFINISHED);
    }
    recorded_free(&file);
    for (uint32_t i = 3; i-- > 0;)
        stave_end(open[i]);
    stave_stop();
}

/* Of a full chunk the file may lack a few records only: their block says what is open too, for the process may be
 * killed before there is another one. In a child, whose first chunk is new. */
static void test_open_spans_of_a_short_block(void **state)
{
    in_a_child(fill_a_chunk, &(uint32_t){STAVE_KEEP_NEWEST});
}

/* ---- the process ----------------------------------------------------------------------------- */

static void *outlive_the_first(void *given)
{
    STAVE_SCOPE("outlives the first thread");
    wait_ms(5);
    return NULL;
}

/* The process ends with its last thread, though the drain is one. */
static void test_a_first_thread_that_leaves(void **state)
{
    int status;
#ifdef STAVE_SLOWED
    skip(); /* sanitizers and emulators look, or have threads of their own, when a process ends */
#endif
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        recorded_start(&(stave_config){0});
        begin_file();
        pthread_create(&thread, NULL, outlive_the_first, NULL);
        pthread_exit(NULL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct recorded file = recorded_file(path);
    assert_non_null(recorded_find(&file, STAVE_SPANS, "outlives the first thread"));
    recorded_free(&file);
}

static void test_its_owners_alone(void **state)
{
    struct stat status;
    mode_t before = umask(0);
    unlink(path);
    recorded_start(&(stave_config){0});
    begin_file();
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    end_file();
    assert_int_equal(chmod(path, 0644), 0);
    begin_file();
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    end_file();
    umask(before);
}

/* Under a sanitizer exit() looks for leaks, and may wait for ever for what another thread held at the fork. */
#ifdef STAVE_SLOWED
#define leave _exit
#else
#define leave exit
#endif

/* The file is the parent's; a child that ends does not end it. */
static void test_fork(void **state)
{
    int status;
    recorded_start(&(stave_config){0});
    begin_file();
    {
        STAVE_SCOPE("before the child");
    }
    pid_t child = fork();
    if (child == 0)
        leave(stave_record_to(NULL, NULL) == STAVE_OK && !stave_is_enabled() ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    {
        STAVE_SCOPE("behind the child");
    }
    end_file();
    struct recorded file = recorded_file(path);
    assert_int_equal(file.rows.count, 2);
    recorded_free(&file);
}

/* This program again, which records one span and ends. What it says. */
static void run_itself(const char *file, char *said, size_t size)
{
    char with[256];
    snprintf(with, sizeof with, "STAVE_FILE='%s' STAVE_TEST_RECORDS=1", file);
    FILE *program = recorded_again(with);
    assert_non_null(program);
    size_t got = fread(said, 1, size - 1, program);
    said[got] = '\0';
    assert_int_equal(pclose(program), 0);
}

static void test_environment(void **state)
{
    char said[512], file[128];
    snprintf(file, sizeof file, "%s/of-%%p-100%%%%.stave", folder);
    run_itself(file, said, sizeof said);
    snprintf(file, sizeof file, "%s/of-%ld-100%%.stave", folder, strtol(said, NULL, 10));
    assert_null(strchr(said, 's')); /* nothing but its number */
    struct recorded seen = recorded_file(file);
    assert_int_equal(seen.rows.count, 1);
    assert_non_null(recorded_find(&seen, STAVE_SPANS, "by itself"));
    recorded_free(&seen);
    unlink(file);
}

/* The program runs all the same, and one line says why there is no file. */
static void test_environment_that_cannot_be(void **state)
{
    char said[512];
    run_itself("/no/such/folder/x.stave", said, sizeof said);
    static const char complaint[] = "stave: cannot write /no/such/folder/x.stave: ";
    const char *line_end = strchr(said, '\n');
    assert_memory_equal(said, complaint, strlen(complaint));
    assert_non_null(line_end);
    assert_true(strtol(line_end + 1, NULL, 10) > 0); /* and its number */
}

/* Another process writes the file. */
static void test_environment_of_two_programs(void **state)
{
    char said[512];
    recorded_start(&(stave_config){0});
    begin_file();
    run_itself(path, said, sizeof said);
    end_file();
    assert_memory_equal(said, "stave: ", 7);
    assert_non_null(strstr(said, path));
}

static int record_by_itself(void)
{
    printf("%d\n", (int)getpid());
    STAVE_SCOPE("by itself");
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_more_than_memory),
        cmocka_unit_test(test_all_that_was_recorded),
        cmocka_unit_test(test_one_file_after_another),
        cmocka_unit_test(test_the_end_by_stopping),
        cmocka_unit_test(test_open_spans),
        cmocka_unit_test(test_open_spans_of_a_short_block),
        cmocka_unit_test(test_names_of_threads),
        cmocka_unit_test(test_lanes_used_again),
        cmocka_unit_test(test_a_first_thread_that_leaves),
        cmocka_unit_test(test_its_owners_alone),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_environment_that_cannot_be),
        cmocka_unit_test(test_environment_of_two_programs),
    };
    if (getenv("STAVE_TEST_RECORDS") != NULL)
        return record_by_itself();
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
