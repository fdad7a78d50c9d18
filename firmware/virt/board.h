/* board.h - the few devices of QEMU's RISC-V board `virt` that the images use, in machine mode.
 *
 *     board_init();
 *     board_timer_start(BOARD_MTIME_HZ / 1000);
 *     board_uart_write(bytes, size);
 *     board_exit(0);
 *
 * Source     qemu/hw/riscv/virt.c (memory map), the RISC-V Instruction Set Manual, Volume II
 *            (mtime, mtimecmp, mie, mtvec), the SiFive E31 manual (CLINT), the 16550's data sheet.
 * Interrupts Timer_Handler() and Software_Handler() are the image's, by BOARD_INTERRUPT. A handler
 *            runs with interrupts off, until board_preemptible_begin().  */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

#define BOARD_MTIME_HZ 10000000u

/* In QEMU, with -icount, mcycle counts the nanoseconds of the machine's time. */
#define BOARD_MCYCLE_HZ 1000000000u

/* The exit status when a trap comes that nobody handles. */
#define BOARD_EXIT_FAULT 4

#define BOARD_INTERRUPT __attribute__((interrupt("machine")))

/* UART, mcycle, and interrupts on, of which none comes before it is asked for. */
void board_init(void);

/* Ticks since the machine was switched on. */
uint64_t board_mtime(void);

/* Interrupts each `period_ticks` of mtime from now on; the handler calls board_timer_next(). */
void board_timer_start(uint32_t period_ticks);
void board_timer_next(void);
void board_timer_stop(void);

/* The software interrupt is pending until its handler clears it. */
void board_software_raise(void);
void board_software_clear(void);

/* Between these two the timer's handler can be interrupted by the software interrupt. */
struct board_interrupted {
    uint32_t mepc;
    uint32_t mstatus;
};
void board_preemptible_begin(struct board_interrupted *interrupted);
void board_preemptible_end(const struct board_interrupted *interrupted);

/* As many bytes as the UART takes now; returns how many. */
size_t board_uart_write(const uint8_t *bytes, size_t size);

/* Ends the machine with this exit status, 0 to 255. */
_Noreturn void board_exit(uint32_t status);

#endif
