/* test_record_killed.c - a process that records to a file is killed, aborts, or leaves by _exit(), at any moment: the
 * file opens, has all that each thread recorded up to some moment shortly before, with what was open then, and what it
 * counts is what is in it. So do all files, when a full one is followed by the next. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/os.h"
#include "stave/trace.h"
#include "store/header.h"
#include "stress/noted.h"
#include "stress/traces.h"

#define MOMENTS 51u
#define LATEST_MS 400u
#define THREADS 4u
#define SPANS 60000u
#define FILE_SIZE ((uint64_t)64 * 1024) /* of every second process's files, */
#define FILES 1000u                     /* ... which are more than it fills */

enum way { BY_SIGNAL, BY_EXIT, BY_ABORT, WAYS };

static char path[] = "/tmp/stave-killed-XXXXXX";

/* In memory that is the killed process's too. */
static struct log {
    struct noted_thread threads[THREADS];
    struct noted noted[THREADS][SPANS + 1];
    uint8_t depths[THREADS][SPANS + 1];
    uint32_t ready;
} * killed;

/* ---- the process that dies ------------------------------------------------------------------- */

static void sleep_ms(uint64_t ms)
{
    struct timespec time = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

/* Its first span never ends. */
static void *record(void *given)
{
    struct noted_thread *thread = given;
    stave_thread_name(thread->name);
    stave_span root = noted_begin(thread, 0);
    __atomic_fetch_add(&killed->ready, 1, __ATOMIC_RELEASE);
    noted_record(thread, 1);
    sleep_ms(60000);
    stave_end(root);
    return NULL;
}

static void start_threads(uint64_t random, uint32_t pause_us)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        struct noted_thread *thread = &killed->threads[i];
        *thread = (struct noted_thread){.name = {'t', (char)('0' + i)},
                                        .noted = killed->noted[i],
                                        .depths = killed->depths[i],
                                        .limit = SPANS,
                                        .random = random + i,
                                        .pause_us = 1 + pause_us * i};
        if (pthread_create(&thread->id, NULL, record, thread) != 0)
            _exit(3);
    }
}

_Noreturn static void live(uint64_t random, enum way way, bool many)
{
    stave_file_config limits = {.max_bytes = FILE_SIZE, .files = FILES};
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    signal(SIGABRT, SIG_DFL); /* cmocka's handler would go on with the tests */
    if (many && stave_file_limits(&limits, NULL) < 0)
        _exit(4);
    if (stave_start(NULL, NULL) < 0 || stave_record_to(path, NULL) < 0)
        _exit(2);
    start_threads(random, many ? 10 : 1000);
    if (way == BY_SIGNAL)
        sleep_ms(60000);
    sleep_ms(traces_random(&random, LATEST_MS));
    if (way == BY_EXIT)
        _exit(0);
    abort();
}

/* Whether it died as it was to. */
static bool kill_one(uint64_t random, enum way way, bool many)
{
    int status;
    memset(killed, 0, sizeof *killed);
    pid_t child = fork();
    if (child == 0)
        live(random, way, many);
    while (way == BY_SIGNAL && NOTED(killed->ready) < THREADS)
        sleep_ms(1);
    if (way == BY_SIGNAL) {
        sleep_ms(traces_random(&random, LATEST_MS));
        kill(child, SIGKILL);
    }
    if (waitpid(child, &status, 0) != child)
        return false;
    if (way == BY_EXIT)
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return WIFSIGNALED(status) && WTERMSIG(status) == (way == BY_SIGNAL ? SIGKILL : SIGABRT);
}

/* ---- what it left ---------------------------------------------------------------------------- */

/* What a lane has to have: the first span, open, and those that ended while it was, as far as the file says. */
struct seen {
    uint64_t ended, open;
    uint64_t innermost; /* serial, of those that are open */
    uint64_t last;      /* of a row, or until when the first one was open: as it is noted */
};

static const struct noted_thread *thread_of(const stave_trace *trace, uint32_t lane)
{
    const char *name = stave_trace_string(trace, stave_trace_lane(trace, lane)->name, NULL);
    assert_true(name[0] == 't' && name[1] >= '0' && name[1] < (char)('0' + THREADS));
    return &killed->threads[name[1] - '0'];
}

/* It may have died before it wrote down when the span began or ended, but for one only. */
static void check_row(const struct noted_thread *thread, const stave_trace *trace,
                      const stave_block *block, uint32_t i, struct seen *seen)
{
    uint64_t number = block->serial[i]; /* no lane has had a thread before */
    bool open = (block->flags[i] & STAVE_FLAG_UNFINISHED) != 0;
    assert_true(number >= 1 && number <= SPANS);
    const struct noted *noted = &thread->noted[number];
    assert_string_equal(stave_trace_string(trace, block->name[i], NULL), noted_name(number));
    assert_int_equal(block->depth[i], thread->depths[number]);
    if (noted->start != 0)
        assert_int_equal(block->start[i] + 1, noted->start);
    if (noted->end != 0 && !open)
        assert_int_equal(block->end[i] + 1, noted->end);
    seen->open += open;
    seen->ended += !open;
    if (open && number > seen->innermost)
        seen->innermost = number;
    if ((uint64_t)block->end[i] + 1 > seen->last)
        seen->last = (uint64_t)block->end[i] + 1;
    if (number == 1)
        assert_true(open);
}

static void check_rows(stave_trace *trace, struct seen *seen)
{
    stave_filter spans = {.kinds = STAVE_KIND_BIT(STAVE_SPANS)};
    stave_cursor *cursor;
    const stave_block *block;
    int status;
    assert_int_equal(stave_cursor_open(trace, &spans, &cursor, NULL), STAVE_OK);
    while ((status = stave_cursor_next(cursor, &block, NULL)) > 0) {
        const struct noted_thread *thread = thread_of(trace, block->lane);
        for (uint32_t i = 0; i < block->rows; i++)
            check_row(thread, trace, block, i, &seen[thread - killed->threads]);
    }
    assert_int_equal(status, 0);
    stave_cursor_close(cursor);
}

/* All that ended before the last one that is there is there, and nothing that ended behind it. In doubt are those of
 * its very tick, for the counter may stand still between two ends, and the innermost open one: its end may have been
 * read, but not recorded, when it was found open. */
static void check_lane(const struct noted_thread *thread, const struct seen *seen)
{
    uint64_t before = 0, then = 0, unsure = 0;
    for (uint64_t serial = 1; serial <= SPANS; serial++) {
        uint64_t end = thread->noted[serial].end;
        bool in_doubt = end == seen->last || serial == seen->innermost;
        before += end != 0 && end < seen->last && !in_doubt;
        then += end != 0 && end <= seen->last && in_doubt;
        unsure += end == 0 && thread->noted[serial].start != 0;
    }
    assert_in_range(seen->ended, before, before + then + (unsure > 0));
    if (seen->ended > 0)
        assert_true(seen->open >= 1);
}

/* Rows in front of the last block of counts: those are of that moment. */
static uint64_t rows_counted(const char *name, uint64_t *rows)
{
    uint8_t bytes[STAVE__HEADER_SIZE];
    struct stave__header header;
    uint64_t counted = 0, at = STAVE__FILE_HEAD_SIZE;
    int fd;
    *rows = 0;
    assert_int_equal(stave__os_open_input(name, &fd, NULL), STAVE_OK);
    while (stave__os_read_at(fd, bytes, sizeof bytes, at, NULL) >= 0 &&
           stave__header_read(bytes, &header)) {
        if (header.kind == STAVE__PROPERTIES)
            counted = *rows;
        *rows += stave__header_has_rows(&header) ? header.rows : 0;
        at += sizeof bytes + header.size;
    }
    stave__os_close(fd);
    return counted;
}

static uint64_t property(const stave_trace *trace, const char *key)
{
    const stave_property *property = stave_trace_find_property(trace, key);
    return property != NULL ? property->value : 0;
}

static void check_counts(const char *name, const stave_trace *trace)
{
    uint64_t rows, counted = rows_counted(name, &rows);
    assert_int_equal(property(trace, "record.recorded"), counted);
    assert_int_equal(property(trace, "record.evicted"), 0);
    assert_int_equal(property(trace, "record.dropped_full"), 0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static uint64_t missing[MOMENTS * THREADS]; /* records of a thread */

static uint64_t noted_ends(const struct noted_thread *thread)
{
    uint64_t ends = 0;
    for (uint64_t serial = 1; serial <= SPANS; serial++)
        ends += thread->noted[serial].end != 0;
    return ends;
}

static void check_file(const char *name, struct seen *seen)
{
    stave_trace *trace = NULL;
    stave_error error = {0};
    if (stave_trace_open(name, NULL, &trace, &error) < 0)
        fail_msg("%s", error.message);
    assert_int_equal(stave_trace_damages(trace), 0);
    check_rows(trace, seen);
    check_counts(name, trace);
    stave_trace_free(trace);
}

static const char *numbered(uint32_t number)
{
    static char name[64];
    snprintf(name, sizeof name, "%s.%u", path, number);
    return name;
}

/* From the oldest to the newest. One may be missing, for which the others were about to make room. Their number. */
static uint32_t check_files(struct seen *seen)
{
    uint32_t last = 0, files = 0;
    while (stave__os_is_there(numbered(last + 1)) || stave__os_is_there(numbered(last + 2)))
        last++;
    for (uint32_t number = last; number > 0; number--) {
        if (!stave__os_is_there(numbered(number)))
            continue;
        check_file(numbered(number), seen);
        unlink(numbered(number));
        files++;
    }
    assert_true(files + 1 >= last);
    if (last > 0 && !stave__os_is_there(path))
        return files;
    check_file(path, seen);
    return files + 1;
}

static uint32_t check_all(uint32_t moment)
{
    struct seen seen[THREADS] = {0};
    char next[64]; /* one that has not got its name */
    uint32_t files = check_files(seen);
    snprintf(next, sizeof next, "%s.next", path);
    unlink(next);
    for (uint32_t i = 0; i < THREADS; i++) {
        check_lane(&killed->threads[i], &seen[i]);
        uint64_t ends = noted_ends(&killed->threads[i]);
        missing[moment * THREADS + i] = ends > seen[i].ended ? ends - seen[i].ended : 0;
    }
    return files;
}

static void test_killed_at_any_moment(void **state)
{
    uint64_t random = 1, most = 0, all = 0, recorded = 0;
    uint32_t files = 0;
    for (uint32_t moment = 0; moment < MOMENTS; moment++) {
        bool many = moment % 2 == 1;
        assert_true(kill_one(traces_random(&random, UINT64_MAX), moment % WAYS, many));
        files += check_all(moment);
        for (uint32_t i = 0; i < THREADS; i++) {
            uint64_t now = missing[moment * THREADS + i];
            most = now > most ? now : most;
            all += now;
            recorded += noted_ends(&killed->threads[i]);
        }
    }
    print_message("%u files; of %llu spans %llu are missing, at most %llu of a thread\n", files,
                  (unsigned long long)recorded, (unsigned long long)all, (unsigned long long)most);
    assert_true(files > 2 * MOMENTS);
    assert_true(all < recorded / 2); /* the threads recorded for some of the drain's rounds */
}

static int make_all(void **state)
{
    int fd = mkstemp(path);
    close(fd);
    killed = mmap(NULL, sizeof *killed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return fd < 0 || killed == MAP_FAILED;
}

static int remove_all(void **state)
{
    munmap(killed, sizeof *killed);
    return unlink(path);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_killed_at_any_moment)};
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
