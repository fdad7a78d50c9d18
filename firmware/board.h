/* board.h - the few devices of the MPS2 AN385 board that the demo uses.
 *
 *     board_init();
 *     board_systick_start(BOARD_HZ / 1000);
 *     board_timer_start(first_ticks, period_ticks);
 *     board_uart_write(bytes, size);
 *     board_exit(0);
 *
 * Source     Arm AN385 (memory map, interrupts), DDI 0479 (CMSDK UART and timers), DDI 0403
 *            (SysTick, NVIC), and the semihosting specification (github.com/ARM-software/abi-aa).
 * Clock      One tick is 1/25,000,000 s. board_clock() counts up and wraps; DWT's CYCCNT would be
 *            the usual choice on a Cortex-M3 but always reads 0 in QEMU.
 * Interrupts board_lock() masks all of them; locks nest. Everything else belongs to the main loop,
 *            except board_clock() and board_timer_clear(), which handlers may call.  */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

#define BOARD_HZ 25000000u

#define BOARD_IRQ_TIMER 8u

/* What the handlers run at: the NVIC's priorities, where the smaller number is the more urgent. */
#define BOARD_NVIC_TIMER 0x20u
#define BOARD_NVIC_SYSTICK 0x40u
#define BOARD_NVIC_PENDSV 0xe0u /* the least urgent */

/* The exit status when an exception comes that nobody handles. */
#define BOARD_EXIT_FAULT 4

/* UART0, the free-running clock and the interrupts' priorities. No interrupt comes before one of
 * the two ..._start() functions. */
void board_init(void);

/* Ticks, modulo 2^32. */
static inline uint32_t board_clock(void)
{
    return ~*(volatile uint32_t *)0x40002004u; /* CMSDK dual timer, first half, which counts down */
}

/* Interrupts each `period_ticks` from now on (at most 2^24); SysTick_Handler() takes them. */
void board_systick_start(uint32_t period_ticks);

/* The first interrupt in `first_ticks`, then one each `period_ticks`; TIMER0_Handler() takes them
 * and calls board_timer_clear(). */
void board_timer_start(uint32_t first_ticks, uint32_t period_ticks);
void board_timer_clear(void);

/* No more interrupts of either. */
void board_timers_stop(void);

/* PendSV_Handler() runs as soon as no other handler does; from a task, at once. */
static inline void board_pend_switch(void)
{
    *(volatile uint32_t *)0xe000ed04u = 1u << 28; /* ICSR, PENDSVSET */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

/* As many bytes as the UART takes now; returns how many. */
size_t board_uart_write(const uint8_t *bytes, size_t size);

/* Ends the machine with this exit status. */
_Noreturn void board_exit(uint32_t status);

static inline uint32_t board_lock(void)
{
    uint32_t before;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory");
    return before;
}

static inline void board_unlock(uint32_t before)
{
    __asm__ volatile("msr primask, %0" ::"r"(before) : "memory");
}

#endif
