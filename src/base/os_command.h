/* base/os_command.h - what a command asks of the operating system, and no library, for some of it is state of the process: reading
 * that may be interrupted, how wide a terminal is, when to look again. With os.h, all that differs between systems. */
#ifndef STAVE_BASE_OS_COMMAND_H
#define STAVE_BASE_OS_COMMAND_H

#include <stdbool.h>

#include "stave/status.h"

/* Up to `size` bytes from a stream: the number read, 0 at its end or once it was interrupted, or an
 * error. */
int64_t stave__os_read(int fd, void *data, size_t size, stave_error *error);

/* From here on SIGINT and SIGTERM end reading as the end of the stream does; with false, they end the
 * process again. */
void stave__os_catch_interrupts(bool on);
bool stave__os_was_interrupted(void);

/* From here on writing beyond a file size limit is an error, not the end of the process. */
void stave__os_refuse_by_error(void);

/* Whether a read would not wait. */
bool stave__os_has_bytes(int fd);

/* Milliseconds of a clock that only goes forward. */
int64_t stave__os_now_ms(void);

/* Columns of a terminal, or 0 when the descriptor is none. */
int stave__os_terminal_width(int fd);

#endif
