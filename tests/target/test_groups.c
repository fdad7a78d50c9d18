/* STAVE_TARGET_GROUPS 0x80000005: probes of the groups 0, 2 and 31 record, others are nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulation.h"

STAVE_TARGET_MARKER(in_0, 0, "in 0");
STAVE_TARGET_MARKER(in_1, 1, "in 1");
STAVE_TARGET_MARKER(in_2, 2, "in 2");
STAVE_TARGET_MARKER(in_30, 30, "in 30");
STAVE_TARGET_MARKER(in_31, 31, "in 31");

_Static_assert(STAVE_TARGET_ON(in_0) && !STAVE_TARGET_ON(in_1) && STAVE_TARGET_ON(in_2) &&
                   !STAVE_TARGET_ON(in_30) && STAVE_TARGET_ON(in_31),
               "groups by their bits");

static uint32_t evaluated;

static uint32_t evaluate(void)
{
    return ++evaluated;
}

/* The probes' own way, without the model: the link's frames are looked at here. */
static uint32_t taken;
static struct host host;
static uint8_t bytes[1000];

static size_t take(void *context, const uint8_t *from, size_t size)
{
    (void)context;
    for (size_t i = 0; i < size; i++)
        bytes[taken++] = from[i];
    return size;
}

static void test_groups(void **state)
{
    const struct stave_target_config config = {.write = take};
    struct wire_frame header;
    stave_target_start(&config);
    STAVE_TARGET_MARK_VALUE(in_0, evaluate());
    STAVE_TARGET_MARK_VALUE(in_1, evaluate());
    STAVE_TARGET_MARK(in_2);
    STAVE_TARGET_BEGIN_VALUE(in_30, evaluate());
    STAVE_TARGET_BEGIN(in_31);
    STAVE_TARGET_END(in_31);
    STAVE_TARGET_END(in_1);
    assert_true(stave_target_poll());
    assert_int_equal(evaluated, 1);
    assert_int_equal(stave__wire_frame_decode(WIRE_VERSION_2, bytes + 1, bytes[0], &header),
                     WIRE_SOUND);
    assert_int_equal(header.source_mask, 0x80000005);
    host_decode(&host, bytes, taken);
    assert_int_equal(host.count, 3);
    assert_int_equal(host_find(&host, STAVE_MARKS, "in 0", 0)->value, 1);
    assert_int_equal(host_count(&host, STAVE_MARKS, "in 2"), 1);
    assert_int_equal(host_count(&host, STAVE_SPANS, "in 31"), 1);
    host_free(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
