/* scheduler.h - a small preemptive scheduler: tasks of fixed priority, each with its own stack.
 *
 *     static const struct task tasks[] = {                   // the most urgent first
 *         {STAVE_TARGET_POINTER(control), control_job, .first_ms = 0, .period_ms = 5},
 *         {STAVE_TARGET_POINTER(logging), logging_job, .first_ms = 10, .period_ms = 40},
 *     };
 *
 *     void SysTick_Handler(void) { scheduler_tick(); }       // each ms
 *
 *     int main(void)
 *     {
 *         scheduler_start(tasks, 2);
 *         for (;;)                                           // main is the idle task now
 *             stave_target_poll();
 *     }
 *
 * A task is released by a tick and then has one job to do: a function that runs to its end, unless
 * a more urgent task or a handler takes the processor for a while. A release that comes before the
 * job is done waits its turn; none is forgotten.
 *
 * Trace      A release is a mark on the task's own lane, with the activation's number as its value.
 *            The span is the job, from its start to its end. So a host sees how long a job had to
 *            wait (mark to start), its response time (start to end) and, without the spans that
 *            preempted it, its execution time. A deadline counts from the start, as docs/etrace.md
 *            has it. The switch itself is nobody's span: it shows in the task that was preempted.
 * Interrupts scheduler_tick() belongs to SysTick's handler. PendSV, at the lowest priority,
 *            switches, so a handler never waits for that. There is no lock: only the tick writes the
 *            count of a task's releases, and only the task that of its jobs done.
 * Stacks     Tasks and idle run on the process stack. What main() had becomes idle's, and handlers
 *            get one of their own, so a task's holds only the task and the frame of one exception.
 *
 * Source     DDI 0403 (ARMv7-M): B1.5.6 and B1.5.8, exception entry and return; PendSV is made for
 *            this.  */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <stdint.h>

#include "stave_target.h"

#define SCHEDULER_TASKS_MAX 3

struct task {
    const struct stave_target_name *name; /* what its spans and marks are recorded as */
    void (*job)(uint32_t activation);     /* counts from 0 */
    uint32_t first_ms;                    /* the tick that releases it first, from 0 */
    uint32_t period_ms;                   /* and from then on each so many */
};

/* The caller goes on as the idle task, which runs when no job is left. Nothing is released before
 * the first scheduler_tick(). `tasks` are in the order of their urgency, at most
 * SCHEDULER_TASKS_MAX, and stay. */
void scheduler_start(const struct task *tasks, uint32_t count);

/* A ms has passed. */
void scheduler_tick(void);

#endif
