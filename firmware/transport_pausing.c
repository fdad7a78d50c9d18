/* UART 0, as if its host paused for 100 ms of each second: nothing is taken then. A pause begins
 * while the demo's idle task sends what has come during a job of telemetry. */
#include "transport.h"

#include "board.h"

#include <stdbool.h>

#define PAUSE_FROM (BOARD_HZ / 100000u * 42258u)
#define PAUSE_TO (BOARD_HZ / 100000u * 52258u)

static uint32_t second; /* when this one began, by the board's clock */

void transport_start(void)
{
    second = board_clock();
}

static bool pauses(void)
{
    uint32_t now = board_clock();
    while (now - second >= BOARD_HZ)
        second += BOARD_HZ;
    return now - second >= PAUSE_FROM && now - second < PAUSE_TO;
}

size_t transport_write(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    return pauses() ? 0 : board_uart_write(bytes, size);
}
