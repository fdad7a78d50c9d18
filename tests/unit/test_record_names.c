/* Names of threads: what a file says of whom a row is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/image_tables.h"
#include "stress/recorded.h"

void __real_stave__image_clock(struct stave__image_file *file, bool last);
void __wrap_stave__image_clock(struct stave__image_file *file, bool last);

/* What the thread is called once the file has the lanes, but no rows yet. */
static const char *named_meanwhile;

void __wrap_stave__image_clock(struct stave__image_file *file, bool last)
{
    if (named_meanwhile != NULL) {
        stave_thread_name(named_meanwhile);
        STAVE_SCOPE("meanwhile");
    }
    __real_stave__image_clock(file, last);
}

static const char *lane_of(const struct recorded *seen, const char *span)
{
    const struct traces_row *row = recorded_find(seen, STAVE_SPANS, span);
    assert_non_null(row);
    return stave_trace_string(seen->trace, stave_trace_lane(seen->trace, row->lane)->name, NULL);
}

/* A process may be killed behind any row: its lane has the name by then. */
static void test_a_name_is_there_before_what_was_recorded_under_it(void **state)
{
    recorded_start(&(stave_config){0});
    stave_thread_name("early");
    {
        STAVE_SCOPE("before");
    }
    named_meanwhile = "late";
    struct recorded seen = recorded_now();
    named_meanwhile = NULL;
    assert_int_equal(stave_trace_lanes(seen.trace), 1);
    assert_string_equal(lane_of(&seen, "meanwhile"), "late");
    assert_string_equal(lane_of(&seen, "before"), "late");
    recorded_free(&seen);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_name_is_there_before_what_was_recorded_under_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
