/* The demo: two interrupt handlers, one task of three phases, and marks, all of known length.
 *
 * A run lasts 4200 activations of SysTick, one each ms. Timer 0 comes each 1.25 ms, the first time
 * 20 us after SysTick: so at each 5th tick (0, 5, 10, ...) it interrupts SysTick's handler, and
 * between them the main loop.  */
#include "board.h"
#include "transport.h"

#include "stave_target.h"

#define TICKS_A_MS (BOARD_HZ / 1000u)

#define RUN_MS 4200u
#define ADC_FIRST (TICKS_A_MS + 500u) /* into SysTick's first activation */
#define ADC_PERIOD (TICKS_A_MS * 5u / 4u)

/* The task: every 10 ms, done within 3 ms, which each 50th activation exceeds. */
#define CONTROL_PERIOD_MS 10u
#define CONTROL_DEADLINE_MS 3.0f
#define CONTROL_OVERLOAD_EACH 50u

/* Iterations of work(): 1.6 ticks each. */
#define WORK_SYSTICK 1000u
#define WORK_ADC 250u
#define WORK_SENSE 5000u
#define WORK_COMPUTE 25000u
#define WORK_COMPUTE_OVERLOAD 40000u
#define WORK_ACTUATE 6000u

#define EMPTY_SPANS 8u

/* The exit status when the recording is not complete. */
#define EXIT_LOST 3

STAVE_TARGET_ISR(adc, 0, "adc", 3);
STAVE_TARGET_ISR(systick, 0, "systick", 2);
STAVE_TARGET_TASK_DEADLINE(control, 0, "control", 1, CONTROL_DEADLINE_MS);
STAVE_TARGET_TASK(sense, 0, "sense", 1);
STAVE_TARGET_TASK(compute, 0, "compute", 1);
STAVE_TARGET_TASK(actuate, 0, "actuate", 1);
STAVE_TARGET_TASK(empty, 0, "empty", 1);
STAVE_TARGET_MARKER(boot, 0, "boot");
STAVE_TARGET_MARKER(activation, 0, "activation");
STAVE_TARGET_MARKER(reading, 0, "reading");
STAVE_TARGET_MARKER(overload, 0, "overload");
STAVE_TARGET_MARKER(systick_count, 0, "systicks");
STAVE_TARGET_MARKER(adc_count, 0, "adcs");
STAVE_TARGET_MARKER(events_lost, 0, "events lost");
STAVE_TARGET_MARKER(ring_peak, 0, "ring peak");

static volatile uint32_t systicks, adcs;

void SysTick_Handler(void);
void TIMER0_Handler(void);

/* Exactly 2 * iterations instructions, for iterations > 0. With -icount shift=5 each takes 32 ns,
 * which is 0.8 ticks of 25 MHz: 1.6 * iterations ticks. */
static inline __attribute__((always_inline)) void work(uint32_t iterations)
{
    __asm__ volatile("1: subs %0, #1\n\t"
                     "bne 1b"
                     : "+r"(iterations)::"cc");
}

void SysTick_Handler(void)
{
    STAVE_TARGET_BEGIN(systick);
    work(WORK_SYSTICK);
    STAVE_TARGET_END(systick);
    systicks++;
}

void TIMER0_Handler(void)
{
    STAVE_TARGET_BEGIN(adc);
    work(WORK_ADC);
    STAVE_TARGET_END(adc);
    board_timer_clear();
    adcs++;
}

/* xorshift32: stands for a sensor, and its values use all 32 bits. */
static uint32_t next_reading(void)
{
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void sense(void)
{
    STAVE_TARGET_BEGIN(sense);
    work(WORK_SENSE);
    STAVE_TARGET_END(sense);
}

static void compute(uint32_t iterations)
{
    STAVE_TARGET_BEGIN(compute);
    work(iterations);
    STAVE_TARGET_END(compute);
}

static void actuate(void)
{
    STAVE_TARGET_BEGIN(actuate);
    work(WORK_ACTUATE);
    STAVE_TARGET_END(actuate);
}

static void control(uint32_t activation)
{
    uint32_t reading = next_reading();
    uint32_t iterations = WORK_COMPUTE;

    STAVE_TARGET_MARK_VALUE(activation, activation);
    if (activation % CONTROL_OVERLOAD_EACH == CONTROL_OVERLOAD_EACH - 1) {
        iterations = WORK_COMPUTE_OVERLOAD;
        STAVE_TARGET_MARK(overload);
    }
    STAVE_TARGET_BEGIN(control);
    sense();
    STAVE_TARGET_MARK_VALUE(reading, reading);
    compute(iterations);
    actuate();
    STAVE_TARGET_END(control);
}

/* Spans around nothing: what a pair of probes takes. */
static void measure_probes(void)
{
    for (uint32_t i = 0; i < EMPTY_SPANS; i++) {
        STAVE_TARGET_BEGIN(empty);
        STAVE_TARGET_END(empty);
    }
}

/* It idles awake. With -icount sleep=off, QEMU 7.2 skips timer interrupts over a WFI, and in a few
 * runs of a hundred ends it late, so that no two runs need be the same. */
static void run(void)
{
    uint32_t activations = 0;

    while (systicks < RUN_MS) {
        if (systicks > activations * CONTROL_PERIOD_MS)
            control(activations++);
        stave_target_poll();
    }
    board_timers_stop();
}

/* True when nothing was lost. */
static bool report(void)
{
    struct stave_target_counts counts;

    STAVE_TARGET_MARK_VALUE(systick_count, systicks);
    STAVE_TARGET_MARK_VALUE(adc_count, adcs);
    stave_target_get_counts(&counts);
    STAVE_TARGET_MARK_VALUE(events_lost, counts.dropped_ring_full + counts.dropped_transport_full);
    STAVE_TARGET_MARK_VALUE(ring_peak, counts.ring_peak);
    while (!stave_target_poll())
        continue;
    return counts.dropped_ring_full + counts.dropped_transport_full == 0;
}

int main(void)
{
    board_init();
    transport_start();
    stave_target_start(&(struct stave_target_config){.hz = BOARD_HZ, .write = transport_write});
    STAVE_TARGET_MARK(boot);
    measure_probes();
    while (!stave_target_poll())
        continue;
    board_timer_start(ADC_FIRST, ADC_PERIOD);
    board_systick_start(TICKS_A_MS);
    run();
    return report() ? 0 : EXIT_LOST;
}
