/* Four seconds of a typical firmware, as the frames that it sends: to stdout.
 *
 * Each ms an interrupt of 10 us; each 10 ms a task of three phases, and before it two marks with a
 * value: a count, and a reading of 12 bits. Time passes by hand (image_port.h).  */
#include "board.h"
#include "image_port.h"
#include "stave_target.h"

#define MILLISECOND (BOARD_HZ / 1000u)
#define MICROSECOND (BOARD_HZ / 1000000u)

STAVE_TARGET_ISR(tick, 0, "tick", 2);
STAVE_TARGET_TASK_DEADLINE(control, 0, "control", 1, 3);
STAVE_TARGET_TASK(sense, 0, "sense", 1);
STAVE_TARGET_TASK(compute, 0, "compute", 1);
STAVE_TARGET_TASK(actuate, 0, "actuate", 1);
STAVE_TARGET_MARKER(activation, 0, "activation");
STAVE_TARGET_MARKER(reading, 0, "reading");

volatile uint32_t image_ticks;

static void pass(uint32_t microseconds)
{
    image_ticks += microseconds * MICROSECOND;
}

static void run_tick(void)
{
    STAVE_TARGET_BEGIN(tick);
    pass(10);
    STAVE_TARGET_END(tick);
}

static void run_control(uint32_t count)
{
    pass(20);
    STAVE_TARGET_MARK_VALUE(activation, count);
    STAVE_TARGET_MARK_VALUE(reading, count * 2654435761u >> 20);
    STAVE_TARGET_BEGIN(control);
    STAVE_TARGET_BEGIN(sense);
    pass(160);
    STAVE_TARGET_END(sense);
    STAVE_TARGET_BEGIN(compute);
    pass(500);
    STAVE_TARGET_END(compute);
    STAVE_TARGET_BEGIN(actuate);
    pass(200);
    STAVE_TARGET_END(actuate);
    STAVE_TARGET_END(control);
}

int main(void)
{
    int32_t output = stave_target_semihosting_open(":tt");
    const struct stave_target_config config = {
        .hz = BOARD_HZ, .write = stave_target_semihosting_write, .context = &output};

    stave_target_start(&config);
    for (uint32_t ms = 0; ms < 4000; ms++) {
        image_ticks = ms * MILLISECOND;
        run_tick();
        if (ms % 10 == 0)
            run_control(ms / 10);
        while (!stave_target_poll())
            continue;
    }
    return 0;
}
