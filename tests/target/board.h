/* board.h - a simulated board: a clock that the test sets, a lock that keeps interrupts out, and
 * interrupts that come where the test says.
 *
 *     board_reset();
 *     board.interrupt = handler;
 *     board.fire[0] = 17;          // at the 17th point at which one may come
 *     ...
 *
 * Points are before a lock, at each reading of the clock, before an unlock and after it, and whenever
 * the transport is asked. One that comes while the lock is held waits for the unlock, as on hardware.
 * A handler may be interrupted itself: points are counted in it too.  */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ends the program, with the place and the text, unless the condition holds. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            check_failed(__FILE__, __LINE__, #condition);                                          \
    } while (0)

/* The same for two whole numbers, which it prints. */
#define CHECK_SAME(got, expected)                                                                  \
    check_same(__FILE__, __LINE__, #got, (uint64_t)(got), (uint64_t)(expected))

_Noreturn void check_failed(const char *file, int line, const char *condition);
void check_same(const char *file, int line, const char *what, uint64_t got, uint64_t expected);

enum { BOARD_FIRES = 2 };

struct board {
    uint64_t now;   /* all bits of the clock, also where the recorder sees 32 */
    uint64_t step;  /* it goes on by so much before each reading */
    uint64_t read;  /* as it was last read */
    uint32_t reads; /* under this lock */
    uint32_t clock_started;
    uint32_t sections; /* how often the lock was taken */
    bool locked;

    void (*interrupt)(void);
    bool (*comes)(void);        /* NULL, or asked at each point, in place of `fire` */
    uint32_t points;            /* so far, from 1 */
    uint32_t fire[BOARD_FIRES]; /* ascending; 0: none */
    uint32_t fired;
    uint32_t pending;
};

extern struct board board;

/* Everything off and at 0, the step at 1. */
void board_reset(void);

/* A point at which an interrupt may come. */
void board_point(void);

/* The port's. */
uint32_t board_lock(void);
void board_unlock(uint32_t before);
uint64_t board_clock(void);

#endif
