/* test_rtt_start.c - at no moment of stave_target_rtt_start() does the memory have RTT's ID in
 * front of a control block that is not whole.
 *
 * The ID's bytes are written by __atomic_store_n with release order: what the source has before
 * such a store is done before it, by the language's word. So it is enough to look at the memory
 * before and after each of them, which the two macros below do.  */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void look(void);

#define __atomic_store_n(to, value, order)                                                         \
    do {                                                                                           \
        look();                                                                                    \
        *(to) = (value);                                                                           \
        look();                                                                                    \
    } while (0)
#define __atomic_thread_fence(order) look()

#define STAVE_TARGET_RTT 1000
#include "target/rtt.c"

#define SEARCHED 10 /* bytes of the ID that OpenOCD and pyOCD search for; others, all 16 */

static struct {
    struct control_block before;
    unsigned count;    /* of looks */
    unsigned with_new; /* that saw the ID in front of the new block */
    bool id_gone;      /* since the start */
    bool wrong;
} looks;

static bool has_id(void)
{
    return memcmp((const char *)&stave__rtt, "SEGGER RTT", SEARCHED) == 0;
}

static bool is_as_before(void)
{
    const size_t fields = offsetof(struct control_block, up_count);
    return memcmp((const char *)&stave__rtt + fields, (const char *)&looks.before + fields,
                  sizeof stave__rtt - fields) == 0;
}

static bool is_new(void)
{
    return stave__rtt.up_count == 1 && stave__rtt.down_count == 0 &&
           strcmp(stave__rtt.up.name, "etrace") == 0 && stave__rtt.up.bytes == buffer &&
           stave__rtt.up.size == SIZE && stave__rtt.up.write == 0 && stave__rtt.up.read == 0 &&
           stave__rtt.up.flags == 0;
}

/* With the ID there: the block of before, untouched; and once the ID was gone, the new one. */
static void look(void)
{
    looks.count++;
    if (!has_id()) {
        looks.id_gone = true;
        looks.wrong |= looks.with_new != 0;
    } else if (!looks.id_gone) {
        looks.wrong |= !is_as_before();
    } else {
        looks.wrong |= !is_new();
        looks.with_new++;
    }
}

static void check_start(void)
{
    memset(&looks, 0, sizeof looks);
    memcpy(&looks.before, &stave__rtt, sizeof looks.before);
    stave_target_rtt_start();
    assert_false(looks.wrong);
    assert_true(looks.id_gone);
    assert_int_equal(looks.with_new, 1); /* the last store completes it */
    assert_in_range(looks.count, 2 * (ID_SIZE + SEARCHED), 100);
    assert_true(has_id() && is_new());
}

static void test_fresh_memory(void **state)
{
    memset(&stave__rtt, 0, sizeof stave__rtt);
    check_start();
    memset(&stave__rtt, 0xff, sizeof stave__rtt);
    check_start();
}

static void test_over_an_old_run(void **state)
{
    check_start();
    stave__rtt.up.write = 700;
    stave__rtt.up.read = 600;
    check_start();
}

static void test_over_rubbish_behind_an_id(void **state)
{
    memset(&stave__rtt, 0x5a, sizeof stave__rtt);
    memcpy(&stave__rtt, "SEGGER RTT\0\0\0\0\0", ID_SIZE);
    check_start();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fresh_memory),
        cmocka_unit_test(test_over_an_old_run),
        cmocka_unit_test(test_over_rubbish_behind_an_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
