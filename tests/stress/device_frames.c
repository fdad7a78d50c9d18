/* device_frames.c - messages to frames, also odd and broken ones. */
#include <stdlib.h>
#include <string.h>

#include "device_parts.h"

/* splitmix64, by Sebastiano Vigna (public domain). */
uint64_t dice_next(struct dice *dice)
{
    uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t dice_below(struct dice *dice, uint64_t count)
{
    return dice_next(dice) % count;
}

uint64_t dice_spread(struct dice *dice, unsigned bits)
{
    uint64_t shift = 64 - 1 - dice_below(dice, bits);
    return dice_next(dice) >> shift;
}

bool dice_chance(struct dice *dice, unsigned thousandths)
{
    return dice_below(dice, 1000) < thousandths;
}

static struct packets spare;

struct packet *packets_add(struct packets *packets)
{
    if (packets->room == 0) {
        *packets = spare;
        spare = (struct packets){0};
    }
    if (packets->count == packets->room) {
        packets->room = packets->room == 0 ? 64 : packets->room * 2;
        packets->items = realloc(packets->items, packets->room * sizeof *packets->items);
        if (packets->items == NULL)
            abort();
    }
    struct packet *packet = &packets->items[packets->count++];
    packet->size = 0;
    return packet;
}

void packets_drop(struct packets *packets)
{
    struct packets dropped = {.items = packets->items, .room = packets->room};
    *packets = (struct packets){0};
    if (dropped.room > spare.room) {
        free(spare.items);
        spare = dropped;
    } else {
        free(dropped.items);
    }
}

/* ---- fields ---------------------------------------------------------------------------------- */

enum { FIELDS_MAX = 48 };

struct field {
    unsigned char bytes[64];
    size_t size;
};

/* Each field apart, so that they can be shuffled. */
struct writer {
    unsigned quirks;
    struct dice *dice;
    struct field fields[FIELDS_MAX];
    size_t count;
};

static void put_byte(struct field *field, unsigned byte)
{
    field->bytes[field->size++] = (unsigned char)byte;
}

static void put_varint(struct field *field, uint64_t value, size_t least_size)
{
    size_t size = 1;
    while (value >= 0x80 || size < least_size) {
        put_byte(field, 0x80u | (unsigned)(value & 0x7f));
        value >>= 7;
        size++;
    }
    put_byte(field, (unsigned)value);
}

/* A size that is more than the varint needs, now and then. */
static size_t padding(struct writer *writer)
{
    if ((writer->quirks & QUIRK_OVERLONG) == 0 || dice_chance(writer->dice, 500))
        return 1;
    return 1 + (size_t)dice_below(writer->dice, dice_chance(writer->dice, 200) ? 10 : 4);
}

static struct field *begin_field(struct writer *writer, uint64_t number, unsigned wire)
{
    struct field *field = &writer->fields[writer->count++];
    field->size = 0;
    put_varint(field, number << 3 | wire, padding(writer));
    return field;
}

static void put_number(struct writer *writer, uint64_t number, uint64_t value)
{
    struct field *field = begin_field(writer, number, 0);
    put_varint(field, value, padding(writer));
}

static void put_bytes(struct writer *writer, unsigned number, const char *bytes, size_t size)
{
    struct field *field = begin_field(writer, number, 2);
    put_varint(field, size, padding(writer));
    memcpy(field->bytes + field->size, bytes, size);
    field->size += size;
}

static void put_fixed(struct writer *writer, unsigned number, uint64_t value, unsigned bytes)
{
    struct field *field = begin_field(writer, number, bytes == 8 ? 1 : 5);
    for (unsigned i = 0; i < bytes; i++)
        put_byte(field, (unsigned)(value >> (8 * i)) & 0xffu);
}

/* A field that is absent at 0. */
static void put_default(struct writer *writer, unsigned number, uint32_t value)
{
    uint64_t sent = value;
    if (value == 0 && (writer->quirks & QUIRK_EXPLICIT) == 0)
        return;
    if ((writer->quirks & QUIRK_REPEATED) != 0 && dice_chance(writer->dice, 400))
        put_number(writer, number, dice_below(writer->dice, 100));
    if ((writer->quirks & QUIRK_WIDE) != 0 && dice_chance(writer->dice, 400))
        sent |= dice_next(writer->dice) << 32;
    put_number(writer, number, sent);
}

static void put_deadline(struct writer *writer, unsigned number, const struct message *message)
{
    uint32_t bits;
    memcpy(&bits, &message->deadline_ms, sizeof bits);
    if (message->has_deadline)
        put_fixed(writer, number, bits, 4);
}

static void put_value(struct writer *writer, unsigned number, const struct message *message)
{
    if (message->has_value)
        put_number(writer, number, message->value);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void put_2(struct writer *writer, const struct message *message)
{
    uint64_t ticks = (uint64_t)message->ticks;
    ticks = ticks << 1 ^ (message->ticks < 0 ? UINT64_MAX : 0); /* zigzag */
    if (ticks != 0 || (writer->quirks & QUIRK_EXPLICIT) != 0)
        put_number(writer, 1, ticks);
    put_default(writer, 2, message->name_id);
    if ((writer->quirks & QUIRK_NO_KIND) == 0)
        put_default(writer, 3, message->kind);
    put_default(writer, 4, message->number);
    put_value(writer, 5, message);
    if (message->name != NULL)
        put_bytes(writer, 6, message->name, strlen(message->name));
    put_default(writer, 7, message->source_type);
    put_default(writer, 8, message->priority);
    put_deadline(writer, 9, message);
    put_default(writer, 10, message->timebase);
    put_default(writer, 11, message->core_hz);
    put_default(writer, 12, message->source_mask);
}

static void put_1(struct writer *writer, const struct message *message)
{
    if (message->ticks != 0 || (writer->quirks & QUIRK_EXPLICIT) != 0)
        put_number(writer, 1, (uint64_t)message->ticks);
    if (message->name != NULL)
        put_bytes(writer, 2, message->name, strlen(message->name));
    put_default(writer, 3, message->source_type);
    if ((writer->quirks & QUIRK_NO_KIND) == 0)
        put_default(writer, 4, message->kind);
    put_default(writer, 5, message->number);
    put_default(writer, 6, message->priority);
    put_deadline(writer, 7, message);
    put_value(writer, 8, message);
}

static void put_unknown_fields(struct writer *writer, int version)
{
    struct dice *dice = writer->dice;
    unsigned first = version == 2 ? 13 : 9;
    for (uint64_t i = 1 + dice_below(dice, 3); i > 0; i--) {
        unsigned number = first + (unsigned)dice_below(dice, 16 - first);
        switch (dice_below(dice, 4)) {
        case 0:
            put_number(writer, number, dice_spread(dice, 64));
            break;
        case 1:
            put_fixed(writer, number, dice_next(dice), 8);
            break;
        case 2:
            put_bytes(writer, number, "\xff\x00skip", (size_t)dice_below(dice, 7));
            break;
        default:
            put_fixed(writer, number, dice_next(dice), 4);
            break;
        }
    }
}

/* 0, or above 15; also one that is a good one modulo 32 bits. */
static uint64_t bad_field(struct dice *dice)
{
    switch (dice_below(dice, 3)) {
    case 0:
        return 0;
    case 1:
        return 16 + dice_below(dice, 4000);
    default:
        return (UINT64_C(1) << 29) + 2 + dice_below(dice, 14);
    }
}

static void put_broken(struct writer *writer, int version)
{
    struct dice *dice = writer->dice;
    if ((writer->quirks & QUIRK_BAD_FIELD) != 0)
        put_number(writer, bad_field(dice), 1);
    if ((writer->quirks & QUIRK_BAD_WIRE) != 0) {
        static const unsigned wires[6] = {1, 3, 4, 6, 7, 2};
        unsigned wire = wires[dice_below(dice, 6)];
        unsigned number = 1 + (unsigned)dice_below(dice, 5);
        put_byte(begin_field(writer, number, wire), 0);
    }
    if ((writer->quirks & QUIRK_BAD_VARINT) != 0)
        put_varint(begin_field(writer, 8, 0), 5, 11);
    if ((writer->quirks & QUIRK_BAD_NAME) != 0) {
        static const char *names[8] = {
            "\xff",         "\xc0\x80", "\xed\xa0\x80", "\xe2\x82", "\xf4\x90\x80\x80",
            "\xe0\x80\x80", "a\x80",    "\xf8z"};
        const char *name = names[dice_below(dice, 8)];
        put_bytes(writer, version == 2 ? 6 : 2, name, strlen(name));
    }
    if ((writer->quirks & QUIRK_RUNS_OVER) != 0) {
        struct field *field = begin_field(writer, version == 2 ? 6 : 2, 2);
        uint64_t over = dice_chance(dice, 300) ? UINT64_C(1) << 32 : 1 + dice_below(dice, 500);
        put_varint(field, over, 1);
    }
}

static void shuffle(struct writer *writer)
{
    for (size_t i = writer->count; i > 1; i--) {
        size_t other = (size_t)dice_below(writer->dice, i);
        struct field field = writer->fields[i - 1];
        writer->fields[i - 1] = writer->fields[other];
        writer->fields[other] = field;
    }
}

static uint64_t payload_length(struct writer *writer)
{
    uint64_t length = 0;
    for (size_t i = 0; i < writer->count; i++)
        length += writer->fields[i].size;
    if ((writer->quirks & QUIRK_BAD_LENGTH) == 0)
        return length;
    const uint64_t wrong[6] = {0, 129, 200, 1000, 100000, length + (UINT64_C(1) << 32)};
    return wrong[dice_below(writer->dice, 6)];
}

static void append(struct packet *packet, const struct field *field)
{
    memcpy(packet->bytes + packet->size, field->bytes, field->size);
    packet->size += field->size;
}

void encode(int version, const struct message *message, unsigned quirks, struct dice *dice,
            struct packet *packet)
{
    struct writer writer;
    writer.quirks = quirks;
    writer.dice = dice;
    writer.count = 0;
    if (version == 2)
        put_2(&writer, message);
    else
        put_1(&writer, message);
    if ((quirks & QUIRK_UNKNOWN_FIELDS) != 0)
        put_unknown_fields(&writer, version);
    if ((quirks & QUIRK_SHUFFLED) != 0)
        shuffle(&writer);
    put_broken(&writer, version); /* last, so that RUNS_OVER does run over */

    struct field prefix = {.size = 0};
    uint64_t length = payload_length(&writer);
    put_varint(&prefix, length, padding(&writer));
    packet->size = 0;
    append(packet, &prefix);
    for (size_t i = 0; i < writer.count; i++)
        append(packet, &writer.fields[i]);
}
