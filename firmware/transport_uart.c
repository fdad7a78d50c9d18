/* Frames go to UART 0. */
#include "board.h"
#include "transport.h"

void transport_start(void)
{
}

size_t transport_write(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    return board_uart_write(bytes, size);
}
