/* port_fake.h - the port of the simulated board (board.h). */
#ifndef PORT_FAKE_H
#define PORT_FAKE_H

#include "board.h"

static inline void stave_port_start(void)
{
    board.clock_started++;
}

static inline uint32_t stave_port_lock(void)
{
    return board_lock();
}

static inline void stave_port_unlock(uint32_t before)
{
    board_unlock(before);
}

#if defined STAVE_TARGET_CLOCK_BITS && STAVE_TARGET_CLOCK_BITS == 64
static inline uint64_t stave_port_clock(void)
{
    return board_clock();
}
#else
static inline uint32_t stave_port_clock(void)
{
    return (uint32_t)board_clock();
}
#endif

#endif
