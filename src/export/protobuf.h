/* export/protobuf.h - messages in protobuf's wire format, one in the other.
 *
 *     struct stave__message message = {0};
 *     size_t event = stave__message_begin(&message, 11);
 *     stave__message_varint(&message, 9, 1);
 *     stave__message_end(&message, event);
 *     if (message.failed) ...                              // out of memory
 *     stave__out_bytes(out, message.bytes, message.size);
 *     message.size = 0;
 *
 * Source  protobuf.dev/programming-guides/encoding  */
#ifndef STAVE_EXPORT_PROTOBUF_H
#define STAVE_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define STAVE__VARINT_MAX 10

/* All zero: empty. */
struct stave__message {
    uint8_t *bytes;
    size_t size, room;
    bool failed;
};

bool stave__message_grow(struct stave__message *message, size_t size);
void stave__message_free(struct stave__message *message);

static inline bool stave__message_room(struct stave__message *message, size_t size)
{
    return message->room - message->size >= size || stave__message_grow(message, size);
}

static inline size_t stave__varint_put(uint8_t *at, uint64_t number)
{
    size_t size = 0;
    for (; number >= 0x80; number >>= 7)
        at[size++] = (uint8_t)(number | 0x80);
    at[size++] = (uint8_t)number;
    return size;
}

static inline void stave__message_varint(struct stave__message *message, uint32_t field,
                                         uint64_t number)
{
    if (!stave__message_room(message, 2 * STAVE__VARINT_MAX))
        return;
    message->size += stave__varint_put(message->bytes + message->size, (uint64_t)field << 3);
    message->size += stave__varint_put(message->bytes + message->size, number);
}

void stave__message_fixed64(struct stave__message *message, uint32_t field, uint64_t number);
void stave__message_double(struct stave__message *message, uint32_t field, double number);
void stave__message_bytes(struct stave__message *message, uint32_t field, const void *bytes,
                          size_t size);
/* A text: what is no UTF-8 becomes U+FFFD, since readers refuse others. */
void stave__message_text(struct stave__message *message, uint32_t field, const char *text,
                         size_t size);

/* A message in it: where its content begins, for its end. */
static inline size_t stave__message_begin(struct stave__message *message, uint32_t field)
{
    if (!stave__message_room(message, 2 * STAVE__VARINT_MAX))
        return 0;
    message->size += stave__varint_put(message->bytes + message->size, (uint64_t)field << 3 | 2);
    message->bytes[message->size++] = 0; /* the size, if it is below 128 */
    return message->size;
}

/* Makes room for a longer size. */
void stave__message_end_long(struct stave__message *message, size_t begin);

static inline void stave__message_end(struct stave__message *message, size_t begin)
{
    if (message->failed)
        return;
    if (message->size - begin < 0x80)
        message->bytes[begin - 1] = (uint8_t)(message->size - begin);
    else
        stave__message_end_long(message, begin);
}

#endif
