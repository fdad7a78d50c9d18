/* The demo: two interrupt handlers, one task of three phases, and marks, all of known length.
 *
 * A run lasts 4200 activations of SysTick, one each ms. Timer 0 comes each 1.25 ms, the first time
 * 20 us after SysTick: so at each 5th tick (0, 5, 10, ...) it interrupts SysTick's handler, and
 * between them the main loop.  */
#include "board.h"
#include "trace.h"

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

enum name {
    ADC = 1,
    SYSTICK,
    CONTROL,
    SENSE,
    COMPUTE,
    ACTUATE,
    EMPTY,
    BOOT,
    ACTIVATION,
    READING,
    OVERLOAD,
    SYSTICKS,
    ADCS,
    LOST,
    QUEUE_PEAK,
    NAMES = QUEUE_PEAK
};

static const struct trace_name names[NAMES] = {
    [ADC - 1] = TRACE_ISR("adc", 3),
    [SYSTICK - 1] = TRACE_ISR("systick", 2),
    [CONTROL - 1] = TRACE_TASK_DEADLINE("control", 1, CONTROL_DEADLINE_MS),
    [SENSE - 1] = TRACE_TASK("sense", 1),
    [COMPUTE - 1] = TRACE_TASK("compute", 1),
    [ACTUATE - 1] = TRACE_TASK("actuate", 1),
    [EMPTY - 1] = TRACE_TASK("empty", 1),
    [BOOT - 1] = TRACE_MARKER("boot"),
    [ACTIVATION - 1] = TRACE_MARKER("activation"),
    [READING - 1] = TRACE_MARKER("reading"),
    [OVERLOAD - 1] = TRACE_MARKER("overload"),
    [SYSTICKS - 1] = TRACE_MARKER("systicks"),
    [ADCS - 1] = TRACE_MARKER("adcs"),
    [LOST - 1] = TRACE_MARKER("events lost"),
    [QUEUE_PEAK - 1] = TRACE_MARKER("queue peak"),
};

_Static_assert(NAMES <= TRACE_NAMES_MAX, "the dictionary's room");

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
    trace_begin(SYSTICK);
    work(WORK_SYSTICK);
    trace_end(SYSTICK);
    systicks++;
}

void TIMER0_Handler(void)
{
    trace_begin(ADC);
    work(WORK_ADC);
    trace_end(ADC);
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
    trace_begin(SENSE);
    work(WORK_SENSE);
    trace_end(SENSE);
}

static void compute(uint32_t iterations)
{
    trace_begin(COMPUTE);
    work(iterations);
    trace_end(COMPUTE);
}

static void actuate(void)
{
    trace_begin(ACTUATE);
    work(WORK_ACTUATE);
    trace_end(ACTUATE);
}

static void control(uint32_t activation)
{
    uint32_t reading = next_reading();
    uint32_t iterations = WORK_COMPUTE;

    trace_mark_value(ACTIVATION, activation);
    if (activation % CONTROL_OVERLOAD_EACH == CONTROL_OVERLOAD_EACH - 1) {
        iterations = WORK_COMPUTE_OVERLOAD;
        trace_mark(OVERLOAD);
    }
    trace_begin(CONTROL);
    sense();
    trace_mark_value(READING, reading);
    compute(iterations);
    actuate();
    trace_end(CONTROL);
}

/* Spans around nothing: what a pair of probes takes. */
static void measure_probes(void)
{
    for (uint32_t i = 0; i < EMPTY_SPANS; i++) {
        trace_begin(EMPTY);
        trace_end(EMPTY);
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
        trace_poll();
    }
    board_timers_stop();
}

static void report(void)
{
    trace_mark_value(SYSTICKS, systicks);
    trace_mark_value(ADCS, adcs);
    trace_mark_value(LOST, trace_lost());
    trace_mark_value(QUEUE_PEAK, trace_queue_peak());
    trace_poll();
}

int main(void)
{
    board_init();
    trace_start(names, NAMES);
    trace_mark(BOOT);
    measure_probes();
    trace_poll();
    board_timer_start(ADC_FIRST, ADC_PERIOD);
    board_systick_start(TICKS_A_MS);
    run();
    report();
    return trace_lost() == 0 ? 0 : EXIT_LOST;
}
