#include "export/protobuf.h"

#include <stdlib.h>

#include "export/json_text.h"

#define FIRST_ROOM ((size_t)1024)

bool stave__message_grow(struct stave__message *message, size_t size)
{
    size_t room = message->room != 0 ? 2 * message->room : FIRST_ROOM;
    while (room - message->size < size)
        room *= 2;
    uint8_t *larger = message->failed ? NULL : realloc(message->bytes, room);
    if (larger == NULL) {
        message->failed = true;
        return false;
    }
    message->bytes = larger;
    message->room = room;
    return true;
}

void stave__message_free(struct stave__message *message)
{
    free(message->bytes);
}

static void put_tag(struct stave__message *message, uint32_t field, uint32_t type)
{
    message->size += stave__varint_put(message->bytes + message->size, (uint64_t)field << 3 | type);
}

void stave__message_fixed64(struct stave__message *message, uint32_t field, uint64_t number)
{
    if (!stave__message_room(message, STAVE__VARINT_MAX + 8))
        return;
    put_tag(message, field, 1);
    for (unsigned i = 0; i < 8; i++)
        message->bytes[message->size++] = (uint8_t)(number >> 8 * i);
}

void stave__message_double(struct stave__message *message, uint32_t field, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    stave__message_fixed64(message, field, bits);
}

void stave__message_bytes(struct stave__message *message, uint32_t field, const void *bytes,
                          size_t size)
{
    if (!stave__message_room(message, size + 2 * STAVE__VARINT_MAX))
        return;
    put_tag(message, field, 2);
    message->size += stave__varint_put(message->bytes + message->size, size);
    if (size > 0)
        memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

void stave__message_text(struct stave__message *message, uint32_t field, const char *text,
                         size_t size)
{
    size_t begin = stave__message_begin(message, field);
    if (begin == 0 || !stave__message_room(message, 3 * size))
        return;
    message->size += stave__utf8_clean(text, size, (char *)message->bytes + message->size);
    stave__message_end(message, begin);
}

void stave__message_end_long(struct stave__message *message, size_t begin)
{
    uint8_t size_bytes[STAVE__VARINT_MAX];
    size_t content = message->size - begin;
    size_t more = stave__varint_put(size_bytes, content) - 1;
    if (!stave__message_room(message, more))
        return;
    memmove(message->bytes + begin + more, message->bytes + begin, content);
    memcpy(message->bytes + begin - 1, size_bytes, more + 1);
    message->size += more;
}
