/* The devices of QEMU's RISC-V board `virt`, by their registers. */
#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define REGISTER8(address) (*(volatile uint8_t *)(address))

/* 16550 UART */
#define UART_DATA REGISTER8(0x10000000u)
#define UART_FIFO_CONTROL REGISTER8(0x10000002u)
#define UART_LINE_CONTROL REGISTER8(0x10000003u)
#define UART_LINE_STATUS REGISTER8(0x10000005u)
#define UART_FIFO_ENABLE 1u
#define UART_LINE_8N1 3u
#define UART_HOLDING_EMPTY 0x20u

/* CLINT, for hart 0 */
#define MSIP REGISTER(0x02000000u)
#define MTIMECMP REGISTER(0x02004000u)
#define MTIMECMP_HIGH REGISTER(0x02004004u)
#define MTIME REGISTER(0x0200bff8u)
#define MTIME_HIGH REGISTER(0x0200bffcu)

/* SiFive's test device */
#define FINISHER REGISTER(0x00100000u)
#define FINISHER_PASS 0x5555u
#define FINISHER_FAIL 0x3333u

#define MSTATUS_MIE 0x08u
#define MIE_SOFTWARE 0x08u
#define MIE_TIMER 0x80u

/* mcycle starts this long before its low half wraps, so that each run crosses the wrap. */
#define MCYCLE_BEFORE_WRAP (BOARD_MCYCLE_HZ / 10u * 4u)

static struct {
    uint64_t next;
    uint32_t period;
} timer;

void board_init(void)
{
    UART_LINE_CONTROL = UART_LINE_8N1;
    UART_FIFO_CONTROL = UART_FIFO_ENABLE;
    __asm__ volatile("csrw mcycle, %0" ::"r"(-MCYCLE_BEFORE_WRAP));
    board_timer_stop();
    MSIP = 0;
    __asm__ volatile("csrs mie, %0" ::"r"(MIE_SOFTWARE | MIE_TIMER));
    __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE) : "memory");
}

/* The halves are read apart. */
uint64_t board_mtime(void)
{
    uint32_t high, low;
    do {
        high = MTIME_HIGH;
        low = MTIME;
    } while (high != MTIME_HIGH);
    return (uint64_t)high << 32 | low;
}

/* The high half first to its end: no time between is one to interrupt at. */
static void timer_set(uint64_t at)
{
    MTIMECMP_HIGH = UINT32_MAX;
    MTIMECMP = (uint32_t)at;
    MTIMECMP_HIGH = (uint32_t)(at >> 32);
}

void board_timer_start(uint32_t period_ticks)
{
    timer.period = period_ticks;
    timer.next = board_mtime() + period_ticks;
    timer_set(timer.next);
}

void board_timer_next(void)
{
    timer.next += timer.period;
    timer_set(timer.next);
}

void board_timer_stop(void)
{
    timer_set(UINT64_MAX);
}

void board_software_raise(void)
{
    MSIP = 1;
}

void board_software_clear(void)
{
    MSIP = 0;
}

void board_preemptible_begin(struct board_interrupted *interrupted)
{
    __asm__ volatile("csrr %0, mepc" : "=r"(interrupted->mepc));
    __asm__ volatile("csrr %0, mstatus" : "=r"(interrupted->mstatus));
    __asm__ volatile("csrc mie, %0" ::"r"(MIE_TIMER));
    __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE) : "memory");
}

void board_preemptible_end(const struct board_interrupted *interrupted)
{
    __asm__ volatile("csrw mstatus, %0" ::"r"(interrupted->mstatus) : "memory");
    __asm__ volatile("csrw mepc, %0" ::"r"(interrupted->mepc));
    __asm__ volatile("csrs mie, %0" ::"r"(MIE_TIMER));
}

size_t board_uart_write(const uint8_t *bytes, size_t size)
{
    size_t taken = 0;
    while (taken < size && (UART_LINE_STATUS & UART_HOLDING_EMPTY) != 0)
        UART_DATA = bytes[taken++];
    return taken;
}

_Noreturn void board_exit(uint32_t status)
{
    FINISHER = status == 0 ? FINISHER_PASS : status << 16 | FINISHER_FAIL;
    for (;;)
        continue;
}
