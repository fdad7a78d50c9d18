/* A handler in a task, three times, and what the recorder says of it. On a host, the recorder's
 * clock counts nanoseconds: hz is 0. */
#include "send.h"

#include <stave_target.h>

STAVE_TARGET_TASK_DEADLINE(task, 0, "task", 1, 5000);
STAVE_TARGET_ISR(handler, 1, "handler", 7);
STAVE_TARGET_MARKER(count, 2, "count");

int main(void)
{
    static const struct stave_target_config config = {.hz = 0, .write = send};
    struct stave_target_counts counts;

    stave_target_start(&config);
    for (uint32_t i = 0; i < 3; i++) {
        STAVE_TARGET_BEGIN_VALUE(task, i);
        STAVE_TARGET_BEGIN(handler);
        STAVE_TARGET_MARK_VALUE(count, UINT32_MAX - i);
        STAVE_TARGET_END(handler);
        STAVE_TARGET_END(task);
        while (!stave_target_poll())
            continue;
    }
    stave_target_get_counts(&counts);
    return counts.sent != 1 + 3 + 3 * 6;
}
