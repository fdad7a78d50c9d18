/* A timer handler, an urgent handler that preempts it, and a task that both preempt; all of known
 * length.
 *
 * A run lasts 1200 ticks of 1 ms. Each 4th raises the software interrupt in the middle of its
 * handler, the task raises it in its own middle: so `urgent` preempts both.  */
#include "board.h"
#include "clock.h"
#include "out.h"

#include "stave_target.h"

#define TICKS 1200u
#define URGENT_EACH 4u

/* The task: every 10 ms, done within 2.5 ms, which each 40th activation exceeds. */
#define CONTROL_TICKS 10u
#define CONTROL_DEADLINE_MS 2.5f
#define CONTROL_OVERLOAD_EACH 40u

/* Iterations of work(). */
#define WORK_TICK 600u /* twice in a tick */
#define WORK_URGENT 150u
#define WORK_CONTROL 12000u /* twice in an activation */
#define WORK_OVERLOAD 20000u
#define WORK_KNOWN 1000u

#define PROBES 8u

/* The exit status when the recording is not complete. */
#define EXIT_LOST 3

STAVE_TARGET_ISR(urgent, 0, "urgent", 3);
STAVE_TARGET_ISR(tick, 1, "tick", 2);
STAVE_TARGET_TASK_DEADLINE(control, 2, "control", 1, CONTROL_DEADLINE_MS);
STAVE_TARGET_TASK(empty, 2, "empty", 1);
STAVE_TARGET_TASK(known, 2, "known", 1);
STAVE_TARGET_MARKER(boot, 3, "boot");
STAVE_TARGET_MARKER(overload, 3, "overload");
STAVE_TARGET_MARKER(raised, 3, "raised");
STAVE_TARGET_MARKER(tick_count, 3, "ticks");
STAVE_TARGET_MARKER(urgent_count, 3, "urgents");
STAVE_TARGET_MARKER(events_lost, 3, "events lost");
STAVE_TARGET_MARKER(ring_peak, 3, "ring peak");

static volatile uint32_t ticks, urgents;

void Timer_Handler(void);
void Software_Handler(void);

/* Exactly 2 * iterations instructions, for iterations > 0. */
static inline __attribute__((always_inline)) void work(uint32_t iterations)
{
    __asm__ volatile("1: addi %0, %0, -1\n\t"
                     "bnez %0, 1b"
                     : "+r"(iterations));
}

BOARD_INTERRUPT void Software_Handler(void)
{
    STAVE_TARGET_BEGIN(urgent);
    board_software_clear();
    work(WORK_URGENT);
    STAVE_TARGET_END(urgent);
    urgents++;
}

BOARD_INTERRUPT void Timer_Handler(void)
{
    struct board_interrupted interrupted;

    STAVE_TARGET_BEGIN(tick);
    board_timer_next();
    board_preemptible_begin(&interrupted);
    work(WORK_TICK);
    if (ticks % URGENT_EACH == 0)
        board_software_raise();
    work(WORK_TICK);
    board_preemptible_end(&interrupted);
    STAVE_TARGET_END(tick);
    ticks++;
}

static void control(uint32_t activation)
{
    STAVE_TARGET_BEGIN_VALUE(control, activation);
    work(WORK_CONTROL);
    STAVE_TARGET_MARK_VALUE(raised, ~activation);
    board_software_raise();
    work(WORK_CONTROL);
    if (activation % CONTROL_OVERLOAD_EACH == CONTROL_OVERLOAD_EACH - 1) {
        work(WORK_OVERLOAD);
        STAVE_TARGET_MARK(overload);
    }
    STAVE_TARGET_END(control);
}

static void send_all(void)
{
    while (!stave_target_poll())
        continue;
}

/* Spans around nothing, which is what a pair of probes takes; and around nothing but work. */
static void measure_probes(void)
{
    for (uint32_t i = 0; i < PROBES; i++) {
        STAVE_TARGET_BEGIN(empty);
        STAVE_TARGET_END(empty);
    }
    send_all();
    for (uint32_t i = 0; i < PROBES; i++) {
        STAVE_TARGET_BEGIN(known);
        work(WORK_KNOWN);
        STAVE_TARGET_END(known);
    }
    send_all();
}

/* It idles awake: with -icount sleep=off, a WFI does not end at the same time in each run. */
static void run(void)
{
    uint32_t activations = 0;

    while (ticks < TICKS) {
        if (ticks > activations * CONTROL_TICKS)
            control(activations++);
        stave_target_poll();
    }
    board_timer_stop();
}

/* True when nothing was lost. */
static bool report(void)
{
    struct stave_target_counts counts;

    STAVE_TARGET_MARK_VALUE(tick_count, ticks);
    STAVE_TARGET_MARK_VALUE(urgent_count, urgents);
    stave_target_get_counts(&counts);
    STAVE_TARGET_MARK_VALUE(events_lost, counts.dropped_ring_full + counts.dropped_transport_full);
    STAVE_TARGET_MARK_VALUE(ring_peak, counts.ring_peak);
    send_all();
    return counts.dropped_ring_full + counts.dropped_transport_full == 0;
}

int main(void)
{
    static const struct stave_target_config config = {.hz = CLOCK_HZ, .write = out_write};

    board_init();
    out_start();
    stave_target_start(&config);
    STAVE_TARGET_MARK(boot);
    measure_probes();
    board_timer_start(BOARD_MTIME_HZ / 1000u);
    run();
    return report() ? 0 : EXIT_LOST;
}
