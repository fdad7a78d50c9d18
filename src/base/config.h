/* base/config.h - the config-size rule of stave/status.h in one place. */
#ifndef STAVE_BASE_CONFIG_H
#define STAVE_BASE_CONFIG_H

#include "stave/status.h"

/* Copies a caller's config of `given_size` bytes into ours of `own_size`: what it lacks is zero.
 * NULL is all zero. A larger struct is refused when it says something that this library does not
 * know: STAVE_E_ARGUMENT. */
int stave__config_copy(void *own, size_t own_size, const void *given, size_t given_size,
                       stave_error *error);

/* The other way: our result into a caller's struct of `given_size` bytes. What it has beyond ours is set
 * to zero. */
void stave__config_give(void *given, size_t given_size, const void *own, size_t own_size);

#endif
