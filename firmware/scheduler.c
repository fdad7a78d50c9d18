/* Releases, and the switch from one stack to another. */
#include "scheduler.h"

#include "board.h"

#define STACK_LENGTH 64u /* of 8 bytes, to which a stack is aligned */

/* The registers of a task that does not run, on its stack. */
struct frame {
    uint32_t r4_to_r11[8]; /* PendSV saves these, */
    uint32_t r0_to_r3[4];  /* and the processor the rest, on entry to any handler */
    uint32_t r12, lr, pc, psr;
};

#define PSR_THUMB 0x01000000u

/* A task that can run: it has a job to do while `done` is behind `released`. */
struct thread {
    const struct task *task;
    struct frame *stack; /* while another runs */
    uint32_t ticks_left; /* to the next release, the tick's alone */
    volatile uint32_t released;
    volatile uint32_t done;
};

static struct thread threads[SCHEDULER_TASKS_MAX + 1]; /* by urgency; idle is the last */
static struct thread *running;
static uint32_t tasks_count;

static uint64_t stacks[SCHEDULER_TASKS_MAX][STACK_LENGTH];
static uint64_t handler_stack[STACK_LENGTH];

void PendSV_Handler(void);
struct frame *scheduler_switch(struct frame *stack);

/* ---- The switch ------------------------------------------------------------------------------ */

/* Idle's one job never ends, so the search does. */
static struct thread *most_urgent(void)
{
    struct thread *thread = threads;
    while (thread->released == thread->done)
        thread++;
    return thread;
}

/* From PendSV: the running task's frame is complete; returns that of the task which is to run. */
struct frame *scheduler_switch(struct frame *stack)
{
    running->stack = stack;
    running = most_urgent();
    return running->stack;
}

/* The processor has saved its half of the running task's frame, and restores it from what is the
 * process stack on return. */
__attribute__((naked)) void PendSV_Handler(void)
{
    __asm__ volatile("mrs r0, psp\n\t"
                     "stmdb r0!, {r4-r11}\n\t"
                     "push {r3, lr}\n\t" /* r3 for the alignment */
                     "bl scheduler_switch\n\t"
                     "pop {r3, lr}\n\t"
                     "ldmia r0!, {r4-r11}\n\t"
                     "msr psp, r0\n\t"
                     "bx lr");
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* What runs on each task's stack. It gets the processor only while there is a job. */
static void run_jobs(const struct task *task, struct thread *thread)
{
    for (;;) {
        stave_target_begin(task->name);
        task->job(thread->done);
        stave_target_end(task->name);
        thread->done++;
        board_pend_switch();
    }
}

static void release(struct thread *thread)
{
    stave_target_mark_value(thread->task->name, thread->released);
    thread->released++;
    board_pend_switch();
}

void scheduler_tick(void)
{
    for (struct thread *thread = threads; thread < threads + tasks_count; thread++) {
        if (thread->ticks_left == 0) {
            thread->ticks_left = thread->task->period_ms;
            release(thread);
        }
        thread->ticks_left--;
    }
}

/* ---- The start ------------------------------------------------------------------------------- */

/* The first switch to it enters run_jobs(). */
static void prepare(struct thread *thread, const struct task *task, uint64_t *stack_end)
{
    struct frame *frame = (struct frame *)stack_end - 1;

    frame->r0_to_r3[0] = (uint32_t)task;
    frame->r0_to_r3[1] = (uint32_t)thread;
    frame->pc = (uint32_t)run_jobs & ~1u; /* the PSR says that it is Thumb */
    frame->psr = PSR_THUMB;
    thread->stack = frame;
    thread->task = task;
    thread->ticks_left = task->first_ms;
}

/* The caller goes on where it is, on the process stack; handlers start at the top of theirs. In
 * between a handler would write over the caller's stack. */
static void split_stacks(void)
{
    uint32_t before = board_lock();
    __asm__ volatile("mrs r0, msp\n\t"
                     "msr psp, r0\n\t"
                     "movs r0, #2\n\t" /* CONTROL.SPSEL */
                     "msr control, r0\n\t"
                     "isb\n\t"
                     "msr msp, %0" ::"r"(handler_stack + STACK_LENGTH)
                     : "r0", "cc", "memory");
    board_unlock(before);
}

void scheduler_start(const struct task *tasks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        prepare(&threads[i], &tasks[i], stacks[i] + STACK_LENGTH);
    tasks_count = count;
    running = &threads[count];
    running->released = 1;
    split_stacks();
}
