/* A clock of 64 bits in nanoseconds, for the images that do not record with mcycle. */
#include "board.h"

#include "stave_target.h"

#ifdef STAVE_TARGET_OWN_CLOCK
uint64_t stave_target_clock(void)
{
    return board_mtime() * (1000000000u / BOARD_MTIME_HZ);
}
#endif
