/* base/error.h - filling in a stave_error. */
#ifndef STAVE_BASE_ERROR_H
#define STAVE_BASE_ERROR_H

#include "stave/status.h"

/* Sets *error (NULL, or one that is already set, is left alone) and returns `status`, so that
 * `return stave__fail(...)` is one line. The message says what happened and what to do. */
int stave__fail(stave_error *error, int status, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for the commonest failure. Here, so that an analyzer sees that it is one. */
static inline int stave__fail_memory(stave_error *error)
{
    stave__fail(error, STAVE_E_MEMORY, 0, "out of memory");
    return STAVE_E_MEMORY;
}

#endif
