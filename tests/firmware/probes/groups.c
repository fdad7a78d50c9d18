/* Probes of two groups, 1 and 2; the test switches 2 off. A line with a probe has nothing else, so
 * that the test can leave them out. */
#include "stave_target.h"

STAVE_TARGET_ISR(handler, 1, "handler", 3);
STAVE_TARGET_TASK(hidden_task, 2, "hidden task", 1);
STAVE_TARGET_MARKER(hidden_mark, 2, "hidden mark");

uint32_t work(uint32_t value);
uint32_t asked(void);
uint32_t nothing(uint32_t value);
uint32_t hidden_alone(uint32_t value);
uint32_t plain(uint32_t value);
uint32_t mixed(uint32_t value);

uint32_t nothing(uint32_t value)
{
    return work(value);
}

uint32_t hidden_alone(uint32_t value)
{
    STAVE_TARGET_BEGIN(hidden_task);
    STAVE_TARGET_MARK(hidden_mark);
    STAVE_TARGET_MARK_VALUE(hidden_mark, asked());
    STAVE_TARGET_BEGIN_VALUE(hidden_mark, value * value);
    STAVE_TARGET_END(hidden_task);
    return work(value);
}

uint32_t plain(uint32_t value)
{
    STAVE_TARGET_BEGIN(handler);
    STAVE_TARGET_END(handler);
    return work(value);
}

uint32_t mixed(uint32_t value)
{
    STAVE_TARGET_BEGIN(handler);
    STAVE_TARGET_MARK_VALUE(hidden_mark, asked());
    STAVE_TARGET_END(handler);
    return work(value);
}
