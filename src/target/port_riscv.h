/* target/port_riscv.h - RISC-V in machine mode: mstatus.MIE is the lock, mcycle the clock.
 *
 * Where mcycle is not there or stops in sleep, the firmware defines stave_target_clock()
 * (STAVE_TARGET_OWN_CLOCK), by mtime for example.
 *
 * Source     The RISC-V Instruction Set Manual, Volume II: mstatus, mcycle.  */
#ifndef STAVE_TARGET_PORT_RISCV_H
#define STAVE_TARGET_PORT_RISCV_H

#define STAVE_PORT_MIE 8u

static inline uint32_t stave_port_lock(void)
{
    unsigned long before;
    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(before)::"memory");
    return (uint32_t)before & STAVE_PORT_MIE;
}

static inline void stave_port_unlock(uint32_t before)
{
    unsigned long bits = before;
    __asm__ volatile("csrs mstatus, %0" ::"r"(bits) : "memory");
}

#ifdef STAVE_TARGET_OWN_CLOCK
#include "target/port_own_clock.h"
#elif defined STAVE_TARGET_CLOCK_BITS && STAVE_TARGET_CLOCK_BITS != 32
#error "this port reads the low half of mcycle: -DSTAVE_TARGET_OWN_CLOCK for another clock"
#else

static inline void stave_port_start(void)
{
}

static inline uint32_t stave_port_clock(void)
{
    unsigned long cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
    return (uint32_t)cycles;
}

#endif

#undef STAVE_PORT_MIE
#endif
