/* test_alloc_record.c - memory runs out at the n-th request, for every n, while recording is started, a thread
 * records its first span, a snapshot is taken, or a file written: an error that says so, or a drop that is
 * counted, and nothing leaked. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "fault/memory.h"
#include "stave/rules.h"
#include "stress/recorded.h"

/* ---- mappings: as the other requests --------------------------------------------------------- */

void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t size);

static long mapped; /* bytes */
static unsigned mappings, mapping_to_fail;

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (!memory.untouched && ++mappings == mapping_to_fail)
        return MAP_FAILED;
    mapped += (long)size;
    return __real_mmap(at, size, protection, flags, fd, offset);
}

int __wrap_munmap(void *at, size_t size)
{
    mapped -= (long)size;
    return __real_munmap(at, size);
}

static void let_fail(unsigned request, unsigned mapping)
{
    memory_let_fail(request, false);
    mappings = 0;
    mapping_to_fail = mapping;
}

static char path[] = "/tmp/stave-alloc-XXXXXX";

static int make_path(void **state)
{
    int fd = mkstemp(path);
    close(fd);
    return fd < 0;
}

static int remove_path(void **state)
{
    return unlink(path);
}

/* ---- what is tried --------------------------------------------------------------------------- */

static int start(stave_error *error)
{
    stave_config config = {.max_bytes = 1 << 20, .clock = recorded_clock};
    return stave_start(&config, error);
}

static int add(void *context, const void *data, size_t size)
{
    memory.untouched = true;
    traces_add(context, data, size);
    memory.untouched = false;
    return STAVE_OK;
}

static int take_snapshot(stave_error *error)
{
    struct traces_bytes bytes = {0};
    int status = stave_snapshot((stave_sink){.write = add, .context = &bytes}, error);
    free(bytes.at);
    return status;
}

/* Whether there was such a request. */
static bool fails_at(int (*try)(stave_error *error), unsigned request, unsigned mapping)
{
    long live_before = memory.live, mapped_before = mapped;
    stave_error error = {0};
    let_fail(request, mapping);
    int status = try(&error);
    bool failed = request > 0 ? memory.requests >= request : mappings >= mapping;
    let_fail(0, 0);
    assert_int_equal(status, failed ? STAVE_E_MEMORY : STAVE_OK);
    if (!failed)
        return false;
    assert_int_equal(error.status, STAVE_E_MEMORY);
    assert_true(error.message[0] != '\0');
    assert_int_equal(memory.live, live_before);
    assert_int_equal(mapped, mapped_before);
    return true;
}

/* ---- tests: in this order -------------------------------------------------------------------- */

/* One start that works is all that a process has. */
static void test_starting(void **state)
{
    unsigned requests = 0, mapping = 0;
    for (unsigned i = 1; i <= 2; i++, requests++)
        assert_true(fails_at(start, i, 0));
    while (fails_at(start, 0, mapping + 1))
        mapping++;
    assert_int_equal(requests, 2); /* the pool's queues */
    assert_int_equal(mapping, 23); /* lanes, names (3), places (2), chunks; of traces 5, rules 11 */
    assert_true(stave_is_enabled());
}

static void record(void)
{
    stave_span span = stave_begin(stave_name_intern("recorded"));
    {
        STAVE_CUMULATIVE("summed up");
        recorded_ns++;
    }
    stave_set_str(span, "key", "a text");
    stave_end(span);
}

/* Its first and second span find no memory, its third does. */
static void *record_without_memory(void *given)
{
    for (unsigned i = 0; i < 2; i++) {
        let_fail(0, 1);
        stave_end(stave_begin(stave_name_intern("dropped")));
    }
    let_fail(0, 0);
    record();
    return NULL;
}

static void test_a_thread_without_memory(void **state)
{
    pthread_t thread;
    long live_before = memory.live;
    assert_int_equal(pthread_create(&thread, NULL, record_without_memory, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(recorded_counts().dropped_thread, 2);
    memory.untouched = true;
    struct recorded seen = recorded_now();
    memory.untouched = false;
    assert_int_equal(stave_trace_lanes(seen.trace), 1);
    assert_null(recorded_find(&seen, STAVE_SPANS, "dropped"));
    assert_non_null(recorded_find(&seen, STAVE_SPANS, "recorded"));
    recorded_free(&seen);
    assert_int_equal(memory.live, live_before);
}

/* What is summed up needs memory of its own. */
static void test_sums_without_memory(void **state)
{
    stave_end(stave_begin(stave_name_intern("the thread's first")));
    uint64_t dropped = recorded_counts().dropped_site;
    let_fail(0, 1);
    record();
    let_fail(0, 0);
    assert_int_equal(recorded_counts().dropped_site, dropped + 1);
}

static void test_snapshots(void **state)
{
    unsigned request = 0, mapping = 0;
    record();
    while (fails_at(take_snapshot, request + 1, 0))
        request++;
    while (fails_at(take_snapshot, 0, mapping + 1))
        mapping++;
    assert_true(request >= 8);
    assert_int_equal(mapping, 7); /* numbers of names (2), its places, lanes (2), rules (2) */
}

static int write_file(stave_error *error)
{
    int status = stave_record_to(path, error);
    return status >= 0 ? stave_record_to(NULL, error) : status;
}

/* What fails in the drain is told when the file ends. */
static void test_files(void **state)
{
    unsigned request = 0, mapping = 0;
    record();
    while (fails_at(write_file, request + 1, 0))
        request++;
    while (fails_at(write_file, 0, mapping + 1))
        mapping++;
    assert_true(request >= 14);
    assert_int_equal(mapping, 8); /* and how far it is with each lane */
}

/* ---- rules ----------------------------------------------------------------------------------- */

static stave_session *session;
static stave_rule rule = {.id = "a rule", .description = "that is evaluated"};

static int take_session_snapshot(stave_error *error)
{
    struct traces_bytes bytes = {0};
    int status =
        stave_session_snapshot(session, (stave_sink){.write = add, .context = &bytes}, error);
    free(bytes.at);
    return status;
}

static int add_summary(stave_error *error)
{
    return stave_session_add(session, &rule, &(stave_summary){.calls = 1}, error);
}

/* What a handle's place needs memory for is dropped, and counted; what needs none goes on. */
static void test_sessions(void **state)
{
    unsigned request = 0, mapping = 0;
    stave_session_lost lost;
    session = stave_session_start(NULL, NULL);
    assert_non_null(session);
    stave_evaluation first = stave_rule_begin(&rule, (stave_run){0});
    stave_rule_end(first, STAVE_DONE, NULL);
    let_fail(0, 1);
    assert_null(stave_rule_begin(&rule, first.here).span.slot);
    let_fail(0, 0);
    stave_rule_end(stave_rule_begin(&rule, first.here), STAVE_DONE, NULL);
    stave_session_lost_of(session, &lost);
    assert_int_equal(lost.dropped, 1);
    assert_true(fails_at(add_summary, 1, 0));
    assert_int_equal(add_summary(NULL), STAVE_OK);
    while (fails_at(take_session_snapshot, request + 1, 0))
        request++;
    while (fails_at(take_session_snapshot, 0, mapping + 1))
        mapping++;
    assert_true(request >= 12);
    assert_int_equal(mapping, 7);
    stave_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starting),
        cmocka_unit_test(test_a_thread_without_memory),
        cmocka_unit_test(test_sums_without_memory),
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_sessions),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
