/* out.h - where an image's frames go: out_uart.c or out_semihosting.c. */
#ifndef OUT_H
#define OUT_H

#include <stddef.h>
#include <stdint.h>

/* After board_init(), before stave_target_start(). */
void out_start(void);

/* For stave_target_config.write. */
size_t out_write(void *context, const uint8_t *bytes, size_t size);

#endif
