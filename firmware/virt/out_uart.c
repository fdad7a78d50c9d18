/* Frames go to the UART. */
#include "board.h"
#include "out.h"

void out_start(void)
{
}

size_t out_write(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    return board_uart_write(bytes, size);
}
