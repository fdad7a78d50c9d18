#include "answer.h"

#include <stdarg.h>
#include <stdio.h>

void answer_add(struct answer *answer, const char *format, ...)
{
    size_t room = sizeof answer->text - answer->size;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(answer->text + answer->size, room, format, arguments);
    va_end(arguments);
    if (size > 0 && (size_t)size < room)
        answer->size += (size_t)size;
}
