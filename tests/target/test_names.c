/* Names: who gets a number, what the host learns of each. Built with registries of 1, 40 and 253. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "simulation.h"

#define NAMES STAVE_TARGET_NAMES

STAVE_TARGET_ISR(an_isr, 0, "an isr", 255);
STAVE_TARGET_TASK(a_task, 31, "a task", 0);
STAVE_TARGET_TASK_DEADLINE(no_time, 1, "no time", 1, 0);
STAVE_TARGET_TASK_DEADLINE(some_time, 1, "some time", 2, 3.5);
STAVE_TARGET_MARKER(a_mark, 2, "a mark");
STAVE_TARGET_MARKER(longest, 2, "12345678901234567890123456789012");
STAVE_TARGET_MARKER(shortest, 2, "1");
STAVE_TARGET_TASK(twin_a, 0, "twin", 7);
STAVE_TARGET_TASK(twin_b, 0, "twin", 7);

static void forget_macros(void)
{
    const struct stave_target_name *const all[] = {
        STAVE_TARGET_POINTER(an_isr),  STAVE_TARGET_POINTER(a_task),
        STAVE_TARGET_POINTER(no_time), STAVE_TARGET_POINTER(some_time),
        STAVE_TARGET_POINTER(a_mark),  STAVE_TARGET_POINTER(longest),
        STAVE_TARGET_POINTER(twin_a),  STAVE_TARGET_POINTER(twin_b),
        STAVE_TARGET_POINTER(shortest)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i]->number = 0;
}

static int power_on(void **state)
{
    simulation_on();
    forget_macros();
    simulation_start(&link_a, HZ, false);
    return 0;
}

/* ---- the registry -------------------------------------------------------------------------------- */

/* `names` of them, each with a span, polled one by one. */
static void record_spans(uint32_t names)
{
    for (uint32_t i = 0; i < names; i++) {
        do_begin(name_of(i));
        do_end(name_of(i));
        do_poll(1);
    }
}

static void test_numbers_by_first_use(void **state)
{
    record_spans(NAMES);
    record_spans(NAMES);
    assert_int_equal(model.names_count, NAMES);
    for (uint32_t i = 0; i < NAMES; i++)
        assert_int_equal(*name_of(i)->number, i + 1);
    struct stave_target_counts counts = do_counts();
    assert_int_equal(counts.unnamed, 0);
    assert_int_equal(counts.sent, 1 + NAMES * 5); /* the header; names, begins, ends */
    assert_true(simulation_end(&link_a));
}

/* One more than the registry has: number 0, counted on both sides, seen by nobody. */
static void test_registry_full(void **state)
{
    record_spans(NAMES + 1);
    do_mark(name_of(NAMES + 1));
    do_begin(name_of(NAMES));
    do_mark(name_of(0));
    do_poll(1);
    struct stave_target_counts counts = do_counts();
    assert_int_equal(counts.unnamed, 4);
    assert_int_equal(counts.sent, 1 + NAMES * 3 + 2 + 1 + 1 + 1);
    assert_true(simulation_end(&link_a));

    struct host host;
    host_decode(&host, link_a.bytes, link_a.count);
    assert_int_equal(host.stats.unresolved, 4);
    assert_int_equal(host.stats.spans, NAMES);
    assert_int_equal(host.stats.markers, 1);
    assert_int_equal(host.stats.frames_lost, 0);
    host_free(&host);
}

/* The recorder's own name has a place for itself. */
static void test_still_clock_in_a_full_registry(void **state)
{
    record_spans(NAMES + 1);
    uint64_t now = board.now;
    board.step = 0;
    do_poll(STAVE_TARGET_STILL_POLLS + 1);
    assert_true(do_counts().clock_still);
    assert_int_equal(do_counts().unnamed, 2);
    assert_int_equal(model.names_count, NAMES + 1);
    assert_int_equal(*recorder_still->number, NAMES + 1);
    board.step = 1;
    record_spans(NAMES + 2);
    assert_int_equal(do_counts().unnamed, 6);
    assert_true(simulation_end(&link_a));

    struct host host;
    host_decode(&host, link_a.bytes, link_a.count);
    const struct host_row *row = host_find(&host, STAVE_MARKS, "stave: clock stands still", 0);
    assert_int_equal(row->start, now - model.start);
    assert_int_equal(host_count(&host, STAVE_MARKS, row->name), 1);
    host_free(&host);
}

/* When the recorder's own comes first, the others still have all their places. */
static void test_own_name_first(void **state)
{
    board.step = 0;
    do_poll(STAVE_TARGET_STILL_POLLS + 1);
    assert_int_equal(*recorder_still->number, 1);
    board.step = 1;
    record_spans(NAMES + 1);
    assert_int_equal(*name_of(NAMES - 1)->number, NAMES + 1);
    assert_int_equal(do_counts().unnamed, 2);
    assert_true(simulation_end(&link_a));
}

/* No place, no number: the next name gets it, and this one when it comes again. */
static void test_first_met_while_full(void **state)
{
    do_poll(1);
    link_a.room = 0;
    for (uint32_t i = 0; i < STAVE_TARGET_RING; i++)
        do_mark(name_of(0));
    do_begin_value(name_of(1), 1);
    assert_int_equal(*name_of(1)->number, 0);
    assert_int_equal(do_counts().dropped_ring_full, 2);
    assert_int_equal(do_counts().unnamed, 0);
    link_a.room = LINK_ANY;
    do_poll(1);
    do_mark(name_of(2));
    do_mark(name_of(1));
    if (NAMES > 2) {
        assert_int_equal(*name_of(2)->number, 2);
        assert_int_equal(*name_of(1)->number, 3);
    }
    assert_true(simulation_end(&link_a));
}

/* After a second start no name has a number: each is announced anew, with its first event. */
static void test_names_after_a_second_start(void **state)
{
    record_spans(NAMES);
    simulation_start(&link_b, HZ, false);
    record_spans(NAMES);
    assert_int_equal(do_counts().sent, 1 + 3 * NAMES);
    assert_true(simulation_end(&link_b));
    struct host host;
    host_decode(&host, link_b.bytes, link_b.count);
    assert_int_equal(host.stats.spans, NAMES);
    assert_int_equal(host.stats.unresolved, 0);
    host_free(&host);
}

/* ---- what a name says ---------------------------------------------------------------------------- */

static const struct host_row *marked(struct host *host, const struct stave_target_name *name,
                                     const char *text)
{
    do_mark(name);
    assert_true(simulation_end(&link_a));
    host_decode(host, link_a.bytes, link_a.count);
    return host_find(host, STAVE_MARKS, text, 0);
}

#define NO_DEADLINE (-1.0f)

static void check_lane(const struct stave_target_name *name, const char *text, uint32_t kind,
                       uint32_t priority, float deadline_ms)
{
    struct host host;
    power_on(NULL);
    const struct host_row *row = marked(&host, name, text);
    assert_int_equal(row->lane_kind, kind);
    assert_int_equal(row->priority, priority);
    assert_int_equal(row->has_deadline, deadline_ms >= 0);
    if (deadline_ms >= 0)
        assert_true(memcmp(&row->deadline_ms, &deadline_ms, sizeof deadline_ms) == 0);
    host_free(&host);
}

static void test_what_the_host_learns(void **state)
{
    check_lane(STAVE_TARGET_POINTER(an_isr), "an isr", STAVE_LANE_ISR, 255, NO_DEADLINE);
    check_lane(STAVE_TARGET_POINTER(a_task), "a task", STAVE_LANE_TASK, 0, NO_DEADLINE);
    check_lane(STAVE_TARGET_POINTER(no_time), "no time", STAVE_LANE_TASK, 1, 0);
    check_lane(STAVE_TARGET_POINTER(some_time), "some time", STAVE_LANE_TASK, 2, 3.5f);
    check_lane(STAVE_TARGET_POINTER(a_mark), "a mark", STAVE_LANE_TASK, 0, NO_DEADLINE);
    check_lane(STAVE_TARGET_POINTER(shortest), "1", STAVE_LANE_TASK, 0, NO_DEADLINE);
    check_lane(STAVE_TARGET_POINTER(longest), "12345678901234567890123456789012", STAVE_LANE_TASK,
               0, NO_DEADLINE);
}

static void test_descriptors(void **state)
{
    const struct stave_target_name *name = STAVE_TARGET_POINTER(some_time);
    assert_int_equal(name->size, 9);
    assert_int_equal(name->source, STAVE_TARGET_SOURCE_TASK);
    assert_int_equal(STAVE_TARGET_POINTER(an_isr)->source, STAVE_TARGET_SOURCE_ISR);
    assert_int_equal(STAVE_TARGET_POINTER(a_mark)->source, STAVE_TARGET_SOURCE_NONE);
    assert_false(STAVE_TARGET_POINTER(a_task)->has_deadline);
    assert_true(STAVE_TARGET_POINTER(no_time)->has_deadline);
    assert_int_equal(STAVE_TARGET_POINTER(longest)->size, 32);
}

/* A descriptor made by hand, which no compiler has looked at. */
static void test_too_long(void **state)
{
    static const char *const texts[] = {"123456789012345678901234567890123",
                                        "1234567890123456789012345678901\xc3\xa4",
                                        "12345678901234567890123456789\xf0\x9f\x8e\xb5..."};
    static const char *const sent[] = {"12345678901234567890123456789012",
                                       "1234567890123456789012345678901",
                                       "12345678901234567890123456789"};
    static struct stave_target_name names[3];
    static uint8_t numbers[3];
    for (size_t i = 0; i < 3; i++) {
        struct host host;
        names[i] = (struct stave_target_name){
            .text = texts[i], .number = &numbers[i], .size = (uint8_t)strlen(texts[i])};
        power_on(NULL);
        marked(&host, &names[i], sent[i]);
        host_free(&host);
    }
}

/* Told apart by address: two names, each with its own spans. */
static void test_equal_texts(void **state)
{
    if (NAMES < 2)
        return;
    do_begin(STAVE_TARGET_POINTER(twin_a));
    do_begin(STAVE_TARGET_POINTER(twin_b));
    do_end(STAVE_TARGET_POINTER(twin_a));
    do_end(STAVE_TARGET_POINTER(twin_b));
    assert_int_equal(*STAVE_TARGET_POINTER(twin_a)->number, 1);
    assert_int_equal(*STAVE_TARGET_POINTER(twin_b)->number, 2);
    assert_true(simulation_end(&link_a));
    struct host host;
    host_decode(&host, link_a.bytes, link_a.count);
    const struct host_row *a = host_find(&host, STAVE_SPANS, "twin", 0);
    const struct host_row *b = host_find(&host, STAVE_SPANS, "twin", 1);
    assert_int_equal(a->start, 1);
    assert_int_equal(a->end, 3);
    assert_int_equal(b->start, 2);
    assert_int_equal(b->end, 4);
    assert_int_equal(host.stats.duplicate_starts, 0);
    host_free(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_numbers_by_first_use, power_on),
        cmocka_unit_test_setup(test_registry_full, power_on),
        cmocka_unit_test_setup(test_still_clock_in_a_full_registry, power_on),
        cmocka_unit_test_setup(test_own_name_first, power_on),
        cmocka_unit_test_setup(test_first_met_while_full, power_on),
        cmocka_unit_test_setup(test_names_after_a_second_start, power_on),
        cmocka_unit_test_setup(test_what_the_host_learns, power_on),
        cmocka_unit_test_setup(test_descriptors, power_on),
        cmocka_unit_test_setup(test_too_long, power_on),
        cmocka_unit_test_setup(test_equal_texts, power_on),
    };
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
