#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct text *text, size_t more)
{
    size_t room = text->room > 0 ? text->room : 256;
    while (room - text->size <= more)
        room *= 2;
    if (room != text->room) {
        char *at = realloc(text->at, room);
        if (at == NULL) {
            text->is_cut = true;
            return false;
        }
        text->at = at;
        text->room = room;
    }
    return true;
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    if (size >= 0 && make_room(text, (size_t)size)) {
        vsnprintf(text->at + text->size, (size_t)size + 1, format, again);
        text->size += (size_t)size;
    }
    va_end(again);
    va_end(arguments);
}

void text_insert(struct text *text, size_t offset, const char *inserted)
{
    size_t size = strlen(inserted);
    if (!make_room(text, size))
        return;
    memmove(text->at + offset + size, text->at + offset, text->size - offset);
    memcpy(text->at + offset, inserted, size);
    text->size += size;
    text->at[text->size] = '\0';
}

void text_cut(struct text *text, size_t size)
{
    text->size = size;
    if (text->at != NULL)
        text->at[size] = '\0';
}

void text_free(struct text *text)
{
    free(text->at);
    *text = (struct text){0};
}

bool complain(struct complaint *complaint, unsigned line, unsigned column, const char *format, ...)
{
    if (complaint->text[0] != '\0')
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint->text, sizeof complaint->text, format, arguments);
    va_end(arguments);
    complaint->line = line;
    complaint->column = column;
    return false;
}
