/* port.h - the recorder's port to this board: its lock, and a clock of its own, because the one that a
 * Cortex-M3 usually has, DWT's cycle counter, always reads 0 in QEMU. */
#ifndef PORT_H
#define PORT_H

#include "board.h"

static inline void stave_port_start(void)
{
}

static inline uint32_t stave_port_lock(void)
{
    return board_lock();
}

static inline void stave_port_unlock(uint32_t before)
{
    board_unlock(before);
}

static inline uint32_t stave_port_clock(void)
{
    return board_clock();
}

#endif
