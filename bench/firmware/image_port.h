/* The recorder's port to this benchmark's images: the board's lock, and a clock that stands still
 * until an image lets time pass, so that the times between events are what it wants them to be.
 * Reading it takes as many instructions as reading a Cortex-M3's cycle counter, which shows 0 in QEMU. */
#ifndef IMAGE_PORT_H
#define IMAGE_PORT_H

#include "board.h"

extern volatile uint32_t image_ticks;

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
    return image_ticks;
}

#endif
