/* An image that ends in one way, to prove that firmware/run tells how. */
#include "board.h"

int main(void)
{
    board_init();
    board_uart_write((const uint8_t *)"ends\n", 5);
#if defined END_FAULT
    __builtin_trap();
#elif defined END_NEVER
    for (;;)
        continue;
#endif
    return 7;
}
