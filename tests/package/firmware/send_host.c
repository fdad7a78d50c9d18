/* To standard output. */
#include "send.h"

#include <stdio.h>

size_t send(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    return fwrite(bytes, 1, size, stdout);
}
