/* The demo: three tasks, two interrupt handlers, and marks, all of known length.
 *
 * A run lasts 4200 ticks of SysTick, one each ms. What the tasks do repeats each 40 of them:
 *
 *     tick         0    5    10   15   20   25   30   35
 *     control      #    #    #    #    #    #    #    #       preempts both others
 *     estimate        ##-#      ##-#      ##-#      ##-#      preempts telemetry
 *     telemetry              .##----###-#                     released with control, waits for it
 *
 * but each 50th job of estimate is too long and misses its deadline, and in each 25th telemetry
 * marks what it has logged. Timer 0 comes each 1.25 ms, first 20 us after tick 2: so it preempts
 * SysTick's handler at ticks 2, 7, 12, ..., and tasks or idle in between.
 *
 * Losses on purpose, by -D:
 *
 *     DEMO_BURST=n    the marks of one log; if the ring does not hold them, events are lost
 *     DEMO_DROP=true  stave_target_config.drop, for a transport that pauses  */
#include "board.h"
#include "scheduler.h"
#include "transport.h"

#ifndef DEMO_BURST
#define DEMO_BURST 8
#endif
#ifndef DEMO_DROP
#define DEMO_DROP false
#endif

#define TICKS_A_MS (BOARD_HZ / 1000u)

#define RUN_MS 4200u
#define ADC_FIRST (3u * TICKS_A_MS + 500u) /* tick 0 comes after 1 ms */
#define ADC_PERIOD (TICKS_A_MS * 5u / 4u)

#define OVERLOAD_EACH 50u
#define BURST_EACH 25u

/* Iterations of work(): 2 instructions and 64 ns each. */
#define WORK_ADC 250u
#define WORK_SYSTICK 1000u
#define WORK_CONTROL 12000u
#define WORK_ESTIMATE 37500u
#define WORK_ESTIMATE_OVERLOAD 55000u
#define WORK_TELEMETRY 85000u

#define EMPTY_SPANS 8u

/* The exit status when the recording is not complete. */
#define EXIT_LOST 3

STAVE_TARGET_ISR(adc, 0, "adc", 5);
STAVE_TARGET_ISR(systick, 0, "systick", 4);
STAVE_TARGET_TASK_DEADLINE(control, 0, "control", 3, 1);
STAVE_TARGET_TASK_DEADLINE(estimate, 0, "estimate", 2, 4);
STAVE_TARGET_TASK_DEADLINE(telemetry, 0, "telemetry", 1, 15);
STAVE_TARGET_TASK(empty, 0, "empty", 0);
STAVE_TARGET_MARKER(boot, 0, "boot");
STAVE_TARGET_MARKER(reading, 0, "reading");
STAVE_TARGET_MARKER(overload, 0, "overload");
STAVE_TARGET_MARKER(logged, 0, "logged");
STAVE_TARGET_MARKER(systick_count, 0, "systicks");
STAVE_TARGET_MARKER(adc_count, 0, "adcs");
STAVE_TARGET_MARKER(frames_sent, 0, "frames sent");
STAVE_TARGET_MARKER(ring_drops, 0, "ring drops");
STAVE_TARGET_MARKER(transport_drops, 0, "transport drops");
STAVE_TARGET_MARKER(unnamed, 0, "unnamed");
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

/* ---- Handlers -------------------------------------------------------------------------------- */

void SysTick_Handler(void)
{
    STAVE_TARGET_BEGIN(systick);
    scheduler_tick();
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

/* ---- Tasks ----------------------------------------------------------------------------------- */

static bool each(uint32_t period, uint32_t activation)
{
    return activation % period == period - 1;
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

static void control_job(uint32_t activation)
{
    (void)activation;
    STAVE_TARGET_MARK_VALUE(reading, next_reading());
    work(WORK_CONTROL);
}

static void estimate_job(uint32_t activation)
{
    if (each(OVERLOAD_EACH, activation)) {
        STAVE_TARGET_MARK(overload);
        work(WORK_ESTIMATE_OVERLOAD);
    } else {
        work(WORK_ESTIMATE);
    }
}

static void telemetry_job(uint32_t activation)
{
    if (each(BURST_EACH, activation))
        for (uint32_t i = 0; i < DEMO_BURST; i++)
            STAVE_TARGET_MARK_VALUE(logged, i);
    work(WORK_TELEMETRY);
}

static const struct task tasks[] = {
    {STAVE_TARGET_POINTER(control), control_job, .first_ms = 0, .period_ms = 5},
    {STAVE_TARGET_POINTER(estimate), estimate_job, .first_ms = 3, .period_ms = 10},
    {STAVE_TARGET_POINTER(telemetry), telemetry_job, .first_ms = 10, .period_ms = 40},
};

/* ---- Idle ------------------------------------------------------------------------------------ */

static void drain(void)
{
    while (!stave_target_poll())
        continue;
}

/* It idles awake. With -icount sleep=off, QEMU 7.2 skips timer interrupts over a WFI, and in a few
 * runs of a hundred ends it late, so that no two runs need be the same. */
static void idle(void)
{
    while (systicks < RUN_MS)
        stave_target_poll();
    board_timers_stop();
}

/* Spans around nothing: what a pair of probes takes. */
static void measure_probes(void)
{
    for (uint32_t i = 0; i < EMPTY_SPANS; i++) {
        STAVE_TARGET_BEGIN(empty);
        STAVE_TARGET_END(empty);
    }
}

/* The device's own counters, all events before it being sent. True when nothing was lost. */
static bool report(void)
{
    struct stave_target_counts counts;

    drain();
    stave_target_get_counts(&counts);
    STAVE_TARGET_MARK_VALUE(frames_sent, counts.sent);
    STAVE_TARGET_MARK_VALUE(ring_drops, counts.dropped_ring_full);
    STAVE_TARGET_MARK_VALUE(transport_drops, counts.dropped_transport_full);
    STAVE_TARGET_MARK_VALUE(unnamed, counts.unnamed);
    STAVE_TARGET_MARK_VALUE(ring_peak, counts.ring_peak);
    STAVE_TARGET_MARK_VALUE(systick_count, systicks);
    STAVE_TARGET_MARK_VALUE(adc_count, adcs);
    drain();
    return counts.dropped_ring_full + counts.dropped_transport_full == 0;
}

int main(void)
{
    const struct stave_target_config config = {
        .hz = BOARD_HZ, .write = transport_write, .drop = DEMO_DROP};

    board_init();
    transport_start();
    stave_target_start(&config);
    STAVE_TARGET_MARK(boot);
    measure_probes();
    drain();
    scheduler_start(tasks, sizeof tasks / sizeof *tasks);
    board_timer_start(ADC_FIRST, ADC_PERIOD);
    board_systick_start(TICKS_A_MS);
    idle();
    return report() ? 0 : EXIT_LOST;
}
