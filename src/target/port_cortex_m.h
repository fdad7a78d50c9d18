/* target/port_cortex_m.h - Arm Cortex-M: PRIMASK is the lock, the cycle counter of DWT the clock.
 *
 * An M0, M0+ or M23 has no cycle counter: there the firmware defines stave_target_clock()
 * (STAVE_TARGET_OWN_CLOCK), as where the counter stops in sleep.
 *
 * Source     DDI 0403 (ARMv7-M): DEMCR, DWT_CTRL, DWT_CYCCNT; the lock access register of the M7
 *            is CoreSight's.  */
#ifndef STAVE_TARGET_PORT_CORTEX_M_H
#define STAVE_TARGET_PORT_CORTEX_M_H

static inline uint32_t stave_port_lock(void)
{
    uint32_t before;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory");
    return before;
}

static inline void stave_port_unlock(uint32_t before)
{
    __asm__ volatile("msr primask, %0" ::"r"(before) : "memory");
}

#ifdef STAVE_TARGET_OWN_CLOCK
#include "target/port_own_clock.h"
#elif defined __ARM_ARCH_6M__ || defined __ARM_ARCH_8M_BASE__
#error                                                                                             \
    "This Cortex-M has no cycle counter: -DSTAVE_TARGET_OWN_CLOCK, and define stave_target_clock()"
#elif defined STAVE_TARGET_CLOCK_BITS && STAVE_TARGET_CLOCK_BITS != 32
#error "DWT's cycle counter has 32 bits: -DSTAVE_TARGET_OWN_CLOCK for another clock"
#else

#define STAVE_PORT_REGISTER(address) (*(volatile uint32_t *)(address))

static inline void stave_port_start(void)
{
    STAVE_PORT_REGISTER(0xe000edfcu) |= 1u << 24;   /* DEMCR.TRCENA */
    STAVE_PORT_REGISTER(0xe0001fb0u) = 0xc5acce55u; /* DWT_LAR: an M7 wants it unlocked */
    STAVE_PORT_REGISTER(0xe0001000u) |= 1u;         /* DWT_CTRL.CYCCNTENA */
}

static inline uint32_t stave_port_clock(void)
{
    return STAVE_PORT_REGISTER(0xe0001004u); /* DWT_CYCCNT */
}

#undef STAVE_PORT_REGISTER
#endif

#endif
