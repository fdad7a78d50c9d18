/* Every macro of the recorder's header and every function that all builds have, as C and as C++. */
#include "stave_target.h"

STAVE_TARGET_ISR(interrupt, 0, "interrupt", 255);
STAVE_TARGET_TASK(task, 31u, "task", 0);
STAVE_TARGET_TASK_DEADLINE(control, 1, "control", 1, 2.5);
STAVE_TARGET_MARKER(longest, 1 + 1, "12345678901234567890123456789012");
STAVE_TARGET_MARKER(longest_utf8, 2, "ääääääääääääääää");

#ifdef __cplusplus
extern "C" {
#endif
size_t write_bytes(void *context, const uint8_t *bytes, size_t size);
void whole(uint32_t value);
#ifdef __cplusplus
}
#endif

void whole(uint32_t value)
{
    static const struct stave_target_config config = {1000000, write_bytes, NULL, false};
    struct stave_target_counts counts;

    stave_target_start(&config);
    if (STAVE_TARGET_ON(task))
        STAVE_TARGET_BEGIN(task);
    else
        STAVE_TARGET_MARK(longest);
    STAVE_TARGET_BEGIN_VALUE(control, value);
    STAVE_TARGET_BEGIN(interrupt);
    STAVE_TARGET_MARK_VALUE(longest_utf8, value);
    STAVE_TARGET_END(interrupt);
    STAVE_TARGET_END(control);
    stave_target_end(STAVE_TARGET_POINTER(task));
    stave_target_rate(2000000);
    while (!stave_target_poll())
        continue;
    stave_target_get_counts(&counts);
}
