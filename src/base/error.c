#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int stave__fail(stave_error *error, int status, uint64_t offset, const char *format, ...)
{
    if (error == NULL || error->status != STAVE_OK)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    error->status = status;
    error->offset = offset;
    return status;
}
