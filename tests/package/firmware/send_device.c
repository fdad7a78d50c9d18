/* To a register that takes everything. */
#include "send.h"

size_t send(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    for (size_t i = 0; i < size; i++)
        *(volatile uint8_t *)0x40004000 = bytes[i];
    return size;
}
