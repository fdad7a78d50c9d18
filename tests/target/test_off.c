/* STAVE_TARGET_OFF: every probe and function is nothing, and what is passed to them still compiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stave/target.h"

STAVE_TARGET_ISR(an_isr, 0, "an isr", 1);
STAVE_TARGET_TASK_DEADLINE(a_task, 31, "a task", 2, 1.5);
STAVE_TARGET_MARKER(a_mark, 5, "a mark");

_Static_assert(!STAVE_TARGET_ON(an_isr) && !STAVE_TARGET_ON(a_task) && !STAVE_TARGET_ON(a_mark),
               "no group is on");

static uint32_t evaluated;

static uint32_t evaluate(void)
{
    return ++evaluated;
}

static size_t write_nothing(void *context, const uint8_t *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    fail();
    return 0;
}

static void test_nothing(void **state)
{
    const struct stave_target_config config = {.hz = 1000, .write = write_nothing};
    struct stave_target_counts counts = {1, 2, 3, 4, 5, 6, true};

    stave_target_start(&config);
    STAVE_TARGET_BEGIN(an_isr);
    STAVE_TARGET_BEGIN_VALUE(a_task, evaluate());
    STAVE_TARGET_END(a_task);
    STAVE_TARGET_MARK(a_mark);
    STAVE_TARGET_MARK_VALUE(a_mark, evaluate());
    stave_target_mark(STAVE_TARGET_POINTER(a_mark));
    stave_target_rate(5);
    assert_true(stave_target_poll());
    stave_target_get_counts(&counts);
    assert_int_equal(evaluated, 0);
    assert_null(STAVE_TARGET_POINTER(a_mark));
    assert_int_equal(counts.sent, 0);
    assert_int_equal(counts.waiting, 0);
    assert_int_equal(counts.ring_peak, 0);
    assert_false(counts.clock_still);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
