/* The devices of the MPS2 AN385, by their registers. */
#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))

/* CMSDK APB UART 0 */
#define UART_DATA REGISTER(0x40004000u)
#define UART_STATE REGISTER(0x40004004u)
#define UART_CTRL REGISTER(0x40004008u)
#define UART_BAUDDIV REGISTER(0x40004010u)
#define UART_STATE_TXFULL 1u
#define UART_CTRL_TXEN 1u
#define UART_BAUDDIV_MIN 16u /* 1.56 Mbaud; QEMU does not slow down for it */

/* CMSDK APB timer 0: counts down, interrupts on 1 to 0, then reloads */
#define TIMER_CTRL REGISTER(0x40000000u)
#define TIMER_VALUE REGISTER(0x40000004u)
#define TIMER_RELOAD REGISTER(0x40000008u)
#define TIMER_INTCLEAR REGISTER(0x4000000cu)
#define TIMER_CTRL_ENABLE 1u
#define TIMER_CTRL_IRQ 8u

/* CMSDK dual timer, first half: counts down, as the clock */
#define CLOCK_LOAD REGISTER(0x40002000u)
#define CLOCK_CONTROL REGISTER(0x40002008u)
#define CLOCK_CONTROL_32BIT 0x02u
#define CLOCK_CONTROL_ENABLE 0x80u /* free running: neither one-shot, periodic nor interrupt */

#define SYSTICK_CTRL REGISTER(0xe000e010u)
#define SYSTICK_LOAD REGISTER(0xe000e014u)
#define SYSTICK_VALUE REGISTER(0xe000e018u)
#define SYSTICK_CTRL_ENABLE 1u
#define SYSTICK_CTRL_IRQ 2u
#define SYSTICK_CTRL_CORE_CLOCK 4u

#define NVIC_ENABLE REGISTER(0xe000e100u)
#define NVIC_DISABLE REGISTER(0xe000e180u)
#define NVIC_PRIORITY(irq) (*(volatile uint8_t *)(0xe000e400u + (irq)))
#define SYSTEM_PRIORITY_PENDSV (*(volatile uint8_t *)0xe000ed22u)
#define SYSTEM_PRIORITY_SYSTICK (*(volatile uint8_t *)0xe000ed23u)

/* The clock starts this long before it wraps, so that each run crosses the wrap. */
#define CLOCK_BEFORE_WRAP (2u * BOARD_HZ)

#define SEMIHOSTING_EXIT_EXTENDED 0x20u
#define SEMIHOSTING_APPLICATION_EXIT 0x20026u

static void clock_init(void)
{
    CLOCK_CONTROL = CLOCK_CONTROL_32BIT;
    CLOCK_LOAD = CLOCK_BEFORE_WRAP;
    CLOCK_CONTROL = CLOCK_CONTROL_32BIT | CLOCK_CONTROL_ENABLE;
}

void board_init(void)
{
    UART_BAUDDIV = UART_BAUDDIV_MIN;
    UART_CTRL = UART_CTRL_TXEN;
    clock_init();
    SYSTEM_PRIORITY_PENDSV = BOARD_NVIC_PENDSV;
    SYSTEM_PRIORITY_SYSTICK = BOARD_NVIC_SYSTICK;
    NVIC_PRIORITY(BOARD_IRQ_TIMER) = BOARD_NVIC_TIMER;
}

void board_systick_start(uint32_t period_ticks)
{
    SYSTICK_LOAD = period_ticks - 1;
    SYSTICK_VALUE = 0;
    SYSTICK_CTRL = SYSTICK_CTRL_ENABLE | SYSTICK_CTRL_IRQ | SYSTICK_CTRL_CORE_CLOCK;
}

void board_timer_start(uint32_t first_ticks, uint32_t period_ticks)
{
    TIMER_RELOAD = period_ticks - 1; /* 0 is one of the period's counts */
    TIMER_VALUE = first_ticks;
    NVIC_ENABLE = 1u << BOARD_IRQ_TIMER;
    TIMER_CTRL = TIMER_CTRL_ENABLE | TIMER_CTRL_IRQ;
}

void board_timer_clear(void)
{
    TIMER_INTCLEAR = 1;
}

void board_timers_stop(void)
{
    SYSTICK_CTRL = 0;
    TIMER_CTRL = 0;
    NVIC_DISABLE = 1u << BOARD_IRQ_TIMER;
}

size_t board_uart_write(const uint8_t *bytes, size_t size)
{
    size_t taken = 0;
    while (taken < size && (UART_STATE & UART_STATE_TXFULL) == 0)
        UART_DATA = bytes[taken++];
    return taken;
}

_Noreturn void board_exit(uint32_t status)
{
    const uint32_t arguments[2] = {SEMIHOSTING_APPLICATION_EXIT, status};
    register uint32_t operation __asm__("r0") = SEMIHOSTING_EXIT_EXTENDED;
    register const uint32_t *argument __asm__("r1") = arguments;

    __asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
    for (;;) /* without a semihosting host nobody stops the machine */
        continue;
}
