/* target/port_own_clock.h - a port's clock, where the firmware has one: stave_target_clock(). */
#ifndef STAVE_TARGET_PORT_OWN_CLOCK_H
#define STAVE_TARGET_PORT_OWN_CLOCK_H

static inline void stave_port_start(void)
{
}

#if defined STAVE_TARGET_CLOCK_BITS && STAVE_TARGET_CLOCK_BITS == 64
static inline uint64_t stave_port_clock(void)
#else
static inline uint32_t stave_port_clock(void)
#endif
{
    return stave_target_clock();
}

#endif
