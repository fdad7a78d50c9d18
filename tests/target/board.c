#include "board.h"
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

#define LOCKED 0x10cced

struct board board;

void check_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
    abort();
}

void check_same(const char *file, int line, const char *what, uint64_t got, uint64_t expected)
{
    if (got == expected)
        return;
    fprintf(stderr, "%s:%d: %s is %llu, not %llu\n", file, line, what, (unsigned long long)got,
            (unsigned long long)expected);
    abort();
}

void board_reset(void)
{
    board = (struct board){.step = 1};
}

static void deliver(void)
{
    while (board.pending != 0 && !board.locked) {
        board.pending--;
        board.interrupt();
    }
}

void board_point(void)
{
    board.points++;
    if (board.comes != NULL)
        board.pending += board.comes();
    else if (board.fired < BOARD_FIRES && board.fire[board.fired] == board.points) {
        board.fired++;
        board.pending++;
    }
    deliver();
}

uint32_t board_lock(void)
{
    CHECK(!board.locked);
    board_point();
    CHECK(!board.locked);
    board.locked = true;
    board.sections++;
    board.reads = 0;
    return LOCKED;
}

/* What the lock has kept together is one step of the model, before anything else happens. */
void board_unlock(uint32_t before)
{
    CHECK(board.locked);
    CHECK_SAME(before, LOCKED);
    board_point();
    board.locked = false;
    model_step();
    board_point();
}

uint64_t board_clock(void)
{
    CHECK(board.locked);
    board_point();
    board.now += board.step;
    board.reads++;
    board.read = board.now;
    return board.now;
}
