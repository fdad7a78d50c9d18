/* Threads as interrupt handlers and tasks, with target/port_host.h: all record at once, one polls, one
 * asks for the counts. What comes out is exact for each thread. Also under the thread sanitizer. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stave/target.h"
#include "stave/decode.h"
#include "wire/frame.h"

enum { THREADS = 5, ROUNDS = 600, EVENTS = 5, STREAM_MAX = 1 << 20 };

STAVE_TARGET_TASK(task_0, 0, "task 0", 1);
STAVE_TARGET_TASK(task_1, 0, "task 1", 2);
STAVE_TARGET_TASK(task_2, 0, "task 2", 3);
STAVE_TARGET_ISR(isr_3, 0, "isr 3", 4);
STAVE_TARGET_ISR(isr_4, 0, "isr 4", 5);
STAVE_TARGET_MARKER(shared, 0, "shared");
STAVE_TARGET_MARKER(last, 0, "last");

static const struct stave_target_name *name_of_thread(uintptr_t thread)
{
    const struct stave_target_name *const names[THREADS] = {
        STAVE_TARGET_POINTER(task_0), STAVE_TARGET_POINTER(task_1), STAVE_TARGET_POINTER(task_2),
        STAVE_TARGET_POINTER(isr_3), STAVE_TARGET_POINTER(isr_4)};
    return names[thread];
}

/* ---- the transport -------------------------------------------------------------------------------- */

static struct {
    uint8_t bytes[STREAM_MAX];
    size_t count;
    size_t part;    /* bytes that it takes at a time */
    uint32_t drops; /* of events, before it takes any */
} stream;

/* Takes nothing until enough was dropped, when that is wanted. */
static bool is_stuck(void)
{
    struct stave_target_counts counts;
    stave_target_get_counts(&counts);
    return counts.dropped_ring_full < stream.drops;
}

static size_t take(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    size_t taken = size < stream.part ? size : stream.part;
    if (is_stuck())
        return 0;
    assert_true(stream.count + taken < STREAM_MAX);
    memcpy(stream.bytes + stream.count, bytes, taken);
    stream.count += taken;
    return taken;
}

/* ---- the threads ---------------------------------------------------------------------------------- */

static bool patient;      /* threads wait while much waits, so that nothing is lost */
static uint32_t running;  /* threads that record */
static uint32_t contrary; /* counts that cannot be */

static void be_patient(void)
{
    for (;;) {
        struct stave_target_counts counts;
        stave_target_get_counts(&counts);
        if (!patient || counts.waiting <= STAVE_TARGET_RING / 2)
            return;
        sched_yield();
    }
}

/* A span with two marks in it: 5 frames a round, without names. */
static void *record(void *argument)
{
    uintptr_t thread = (uintptr_t)argument;
    const struct stave_target_name *name = name_of_thread(thread);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        be_patient();
        stave_target_begin_value(name, round);
        STAVE_TARGET_MARK_VALUE(shared, (uint32_t)thread << 16 | round);
        stave_target_mark(name);
        stave_target_end(name);
    }
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Numbers only grow; no more waits than there is room for, half sent included. */
static void *count(void *argument)
{
    uint32_t before = 0, rates = 20;
    (void)argument;
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) != 0) {
        struct stave_target_counts counts;
        stave_target_get_counts(&counts);
        uint32_t numbers = counts.sent + counts.waiting + counts.dropped_ring_full;
        bool sound = numbers >= before && counts.dropped_transport_full == 0 &&
                     counts.unnamed == 0 && !counts.clock_still &&
                     counts.ring_peak <= STAVE_TARGET_RING;
        contrary += !sound;
        before = numbers;
        if (rates != 0) {
            rates--;
            stave_target_rate(0);
        }
        sched_yield();
    }
    return NULL;
}

static void start(pthread_t *thread, void *(*function)(void *), uintptr_t argument)
{
    assert_int_equal(pthread_create(thread, NULL, function, (void *)argument), 0);
}

static struct stave_target_counts run(bool wait, size_t part, uint32_t drops)
{
    pthread_t threads[THREADS], counter;
    struct stave_target_counts counts;
    const struct stave_target_config config = {.write = take};

    stream.count = 0;
    stream.part = part;
    stream.drops = drops;
    patient = wait;
    contrary = 0;
    running = THREADS;
    stave_target_start(&config);
    for (uintptr_t i = 0; i < THREADS; i++)
        start(&threads[i], record, i);
    start(&counter, count, 0);
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) != 0)
        if (stave_target_poll())
            sched_yield();
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(pthread_join(counter, NULL), 0);
    while (!stave_target_poll())
        continue;
    STAVE_TARGET_MARK(last); /* behind whatever was lost */
    while (!stave_target_poll())
        continue;
    stave_target_get_counts(&counts);
    assert_int_equal(contrary, 0);
    assert_int_equal(counts.waiting, 0);
    return counts;
}

/* ---- what came ------------------------------------------------------------------------------------ */

static struct {
    uint32_t frames, names, headers;
    uint32_t lost;               /* by the numbers */
    uint32_t of_thread[THREADS]; /* events, of its name */
    int64_t rounds[THREADS];     /* the last value of its begin */
    int64_t shared[THREADS];     /* the last value of its shared mark */
    uint64_t clock;
} seen;

static const struct stave_target_name *names_of_ids[256];

static void see_name(const struct wire_frame *frame)
{
    const struct stave_target_name *all[THREADS + 2];
    for (uintptr_t i = 0; i < THREADS; i++)
        all[i] = name_of_thread(i);
    all[THREADS] = STAVE_TARGET_POINTER(shared);
    all[THREADS + 1] = STAVE_TARGET_POINTER(last);
    for (size_t i = 0; i < THREADS + 2; i++)
        if (all[i]->size == frame->name_size &&
            memcmp(all[i]->text, frame->name, frame->name_size) == 0)
            names_of_ids[frame->name_id] = all[i];
    seen.names++;
}

/* A thread's own events come in its order. */
static void see_event(const struct wire_frame *frame)
{
    const struct stave_target_name *name = names_of_ids[frame->name_id];
    assert_non_null(name);
    if (name == STAVE_TARGET_POINTER(shared)) {
        uint32_t thread = frame->value >> 16;
        assert_true(thread < THREADS);
        assert_true((int64_t)(frame->value & 0xffff) > seen.shared[thread]);
        seen.shared[thread] = frame->value & 0xffff;
    }
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (name != name_of_thread(i))
            continue;
        seen.of_thread[i]++;
        if (frame->has_value) {
            assert_true((int64_t)frame->value > seen.rounds[i]);
            seen.rounds[i] = frame->value;
        }
    }
}

/* The numbers of a run stay below 16384, so that every hole is exact. */
static void look(void)
{
    uint32_t next = 0;
    memset(&seen, 0, sizeof seen);
    for (size_t i = 0; i < THREADS; i++)
        seen.rounds[i] = seen.shared[i] = -1;
    for (size_t at = 0; at < stream.count; at += 1u + stream.bytes[at]) {
        struct wire_frame frame;
        assert_true(at + 1 + stream.bytes[at] <= stream.count);
        assert_int_equal(stave__wire_frame_decode(WIRE_VERSION_2, stream.bytes + at + 1,
                                                  stream.bytes[at], &frame),
                         WIRE_SOUND);
        assert_true(frame.sequence >= next);
        seen.lost += frame.sequence - next;
        next = frame.sequence + 1;
        seen.frames++;
        uint64_t before = seen.clock;
        bool absolute = frame.kind > WIRE_MARKER;
        seen.clock = absolute ? (uint64_t)frame.ticks : seen.clock + (uint64_t)frame.ticks;
        assert_true(seen.clock >= before); /* one order of times and numbers */
        if (frame.kind == WIRE_NAME_REGISTERED)
            see_name(&frame);
        else if (frame.kind != WIRE_TRACE_START)
            see_event(&frame);
        else
            seen.headers++;
    }
}

/* ---- tests ---------------------------------------------------------------------------------------- */

static void test_nothing_is_lost(void **state)
{
    stave_trace *trace;
    stave_decoder *decoder;
    stave_decode_stats stats;
    struct stave_target_counts counts = run(true, SIZE_MAX, 0);
    assert_int_equal(counts.dropped_ring_full, 0);
    look();
    assert_int_equal(seen.lost, 0);
    assert_int_equal(seen.frames, counts.sent);
    assert_int_equal(seen.frames, THREADS * ROUNDS * EVENTS + 1 + seen.names + seen.headers);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(seen.of_thread[i], 4 * ROUNDS);
        assert_int_equal(seen.rounds[i], ROUNDS - 1);
        assert_int_equal(seen.shared[i], ROUNDS - 1);
    }
    assert_int_equal(stave_trace_new(NULL, &trace, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_new(NULL, trace, &decoder, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_feed(decoder, stream.bytes, stream.count, NULL), STAVE_OK);
    assert_int_equal(stave_decoder_finish(decoder, NULL), STAVE_OK);
    stave_decoder_stats(decoder, &stats);
    assert_int_equal(stats.spans, THREADS * ROUNDS);
    assert_int_equal(stats.markers, 3 * THREADS * ROUNDS + 1);
    assert_int_equal(stats.frames_lost, 0);
    assert_int_equal(stats.orphan_ends, 0);
    assert_int_equal(stats.duplicate_starts, 0);
    assert_int_equal(stats.unresolved, 0);
    stave_decoder_free(decoder);
    stave_trace_free(trace);
}

/* Nobody waits, and the transport takes 3 bytes a call, a frame in several polls: each number is sent or
 * dropped. */
static void lose(uint32_t drops)
{
    struct stave_target_counts counts = run(false, 3, drops);
    look();
    assert_int_equal(seen.frames, counts.sent);
    assert_int_equal(seen.lost, counts.dropped_ring_full);
    assert_true(counts.dropped_ring_full >= drops);
    assert_int_equal(counts.ring_peak, STAVE_TARGET_RING);
    assert_int_equal(counts.sent + counts.dropped_ring_full,
                     THREADS * ROUNDS * EVENTS + 1 + seen.names + seen.headers);
}

static void test_losses_are_exact(void **state)
{
    for (uint32_t drops = 1; drops <= 4000; drops += 199)
        lose(drops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_losses_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
