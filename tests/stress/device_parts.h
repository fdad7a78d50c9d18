/* device_parts.h - what the files of the random device share. Not for tests. */
#ifndef DEVICE_PARTS_H
#define DEVICE_PARTS_H

#include "device.h"

enum { SPAN_START = 1, SPAN_END = 2, MARKER = 3, NAME_REGISTERED = 4, TRACE_START = 5 };

struct message {
    uint32_t kind;
    int64_t ticks; /* as sent: absolute or a delta */
    uint32_t number;
    uint32_t name_id;
    const char *name; /* NULL: none */
    uint32_t source_type;
    uint32_t priority;
    bool has_deadline;
    float deadline_ms;
    bool has_value;
    uint32_t value;
    uint32_t timebase;
    uint32_t core_hz;
    uint32_t source_mask;
};

/* How a frame may be odd. Several at once are possible. */
enum quirk {
    QUIRK_OVERLONG = 1 << 0,       /* varints longer than they need be */
    QUIRK_UNKNOWN_FIELDS = 1 << 1, /* 13 to 15 (version 1: 9 to 15) */
    QUIRK_REPEATED = 1 << 2,       /* fields come twice, the last one right */
    QUIRK_SHUFFLED = 1 << 3,
    QUIRK_EXPLICIT = 1 << 4, /* fields at their default are written */
    QUIRK_WIDE = 1 << 5,     /* 32-bit fields get bits above them */

    QUIRK_BAD_FIELD = 1 << 6, /* from here on frames are not sound */
    QUIRK_BAD_WIRE = 1 << 7,
    QUIRK_BAD_VARINT = 1 << 8,
    QUIRK_BAD_NAME = 1 << 9,
    QUIRK_BAD_LENGTH = 1 << 10,
    QUIRK_NO_KIND = 1 << 11,
    QUIRK_RUNS_OVER = 1 << 12
};

struct packet {
    unsigned char bytes[1024]; /* the longest that encode() makes is about 700 */
    size_t size;
};

struct packets {
    struct packet *items;
    size_t count, room;
};

void encode(int version, const struct message *message, unsigned quirks, struct dice *dice,
            struct packet *packet);
struct packet *packets_add(struct packets *packets);

/* Their memory is what the next ones get: thousands of streams are made, and fresh memory is dear. */
void packets_drop(struct packets *packets);

/* A core frequency, also one that is 0. */
uint32_t any_hz(struct dice *dice);

/* The packets as the host gets them, as one piece. */
unsigned char *link_carry(const struct device_options *options, struct dice *dice,
                          struct packets *packets, size_t *size);

#endif
