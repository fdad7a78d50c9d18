/* clock.h - the rate of the clock that the image records with. */
#ifndef CLOCK_H
#define CLOCK_H

#include "board.h"

#ifdef STAVE_TARGET_OWN_CLOCK
#define CLOCK_HZ 0u /* nanoseconds */
#else
#define CLOCK_HZ BOARD_MCYCLE_HZ /* the RISC-V port's, mcycle */
#endif

#endif
