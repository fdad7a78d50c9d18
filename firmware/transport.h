/* transport.h - where an image's frames go; transport_uart.c and its neighbours each are one way. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

/* After board_init(), before stave_target_start(). */
void transport_start(void);

/* For stave_target_config.write. */
size_t transport_write(void *context, const uint8_t *bytes, size_t size);

#endif
