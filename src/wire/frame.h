/* wire/frame.h - one frame of the etrace format, versions 1 and 2: its bytes to fields and back.
 *
 *     struct wire_frame frame = {.kind = WIRE_SPAN_START, .name_id = 3, .ticks = delta, .sequence = n};
 *     uint8_t bytes[WIRE_FRAME_MAX];
 *     size_t size = stave__wire_frame_encode(WIRE_VERSION_2, &frame, bytes);      // prefix and payload
 *
 *     enum wire_damage damage = stave__wire_frame_decode(WIRE_VERSION_2, payload, payload_size, &frame);
 *
 * Source     docs/etrace.md; the schema is tests/etrace/tracing.proto.
 * Ownership  A decoded frame's name points into the payload; an encoded frame's name is read only.
 * Untrusted  Any payload is safe to decode; what is not sound is told apart by its damage.
 * Freestanding, no state: callable from anywhere, interrupt handlers included.  */
#ifndef STAVE_WIRE_FRAME_H
#define STAVE_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_version { WIRE_VERSION_1 = 1, WIRE_VERSION_2 = 2 };

#define WIRE_PAYLOAD_MAX 128 /* a payload is 1 to 128 bytes; a longer one is damage */
#define WIRE_NUMBERS 16384   /* version 2: sequence numbers are modulo this */
#define WIRE_NAME_MAX 32     /* what a device sends; a decoder takes any that fits the payload */
/* Room that stave__wire_frame_encode() needs: prefix and payload of a frame with every field at its
 * longest and a name of WIRE_NAME_MAX bytes. */
#define WIRE_FRAME_MAX 128

/* The kinds a device sends; a larger number is a kind of the future. */
enum wire_kind {
    WIRE_SPAN_START = 1,
    WIRE_SPAN_END = 2,
    WIRE_MARKER = 3,
    WIRE_NAME_REGISTERED = 4, /* version 2 only, as the next */
    WIRE_TRACE_START = 5
};

enum wire_source { WIRE_SOURCE_ISR = 1, WIRE_SOURCE_TASK = 2 };

enum wire_timebase { WIRE_NANOSECONDS = 0, WIRE_CYCLES = 1 };

/* Fields of both versions. Those a frame lacks are 0; two have a bit that says they were there. */
struct wire_frame {
    int64_t ticks; /* version 2: absolute or delta, by kind; version 1: the bits of unsigned ns */
    uint32_t kind; /* enum wire_kind, never 0 in a sound frame */
    uint32_t name_id;  /* version 2 */
    uint32_t sequence; /* version 2: 14 bits count; version 1: 32 */
    uint32_t value;    /* when has_value */
    uint32_t source;   /* enum wire_source; other numbers are possible */
    uint32_t priority;
    float deadline_ms; /* when has_deadline */
    uint32_t timebase; /* version 2, as the next two */
    uint32_t hz;       /* of the core clock */
    uint32_t source_mask;
    const char *name;   /* UTF-8 without a NUL at its end; NULL when absent */
    uint32_t name_size; /* bytes */
    bool has_value;
    bool has_deadline;
    bool has_name_id; /* decoded frames only: a name_id stood there, if only 0 */
};

/* name, text: why bytes are not a sound frame */
#define WIRE_DAMAGE_TABLE(X)                                                                       \
    X(WIRE_SOUND, "sound")                                                                         \
    X(WIRE_BAD_LENGTH, "payload length outside 1 to 128")                                          \
    X(WIRE_BAD_FIELD, "field number outside 1 to 15")                                              \
    X(WIRE_BAD_TYPE, "wire type wrong for its field")                                              \
    X(WIRE_BAD_VARINT, "varint over 10 bytes")                                                     \
    X(WIRE_PAST_END, "field runs past the payload")                                                \
    X(WIRE_BAD_NAME, "name is not UTF-8")                                                          \
    X(WIRE_NO_KIND, "no event type")                                                               \
    X(WIRE_FAR_NUMBER, "sequence number far off and not continued")

enum wire_damage {
#define WIRE_DAMAGE_ENUM(name, text) name,
    WIRE_DAMAGE_TABLE(WIRE_DAMAGE_ENUM)
#undef WIRE_DAMAGE_ENUM
};

/* Static text of a damage. */
const char *stave__wire_damage_text(enum wire_damage damage);

/* WIRE_SOUND and the fields of a payload of 1 to WIRE_PAYLOAD_MAX bytes, or what is wrong with it
 * (then *frame is undefined). Repeated fields: the last wins; 13 to 15 (version 1: 9 to 15) are
 * skipped; values are cut to 32 bits, source_type and kinds are passed on as they are. */
enum wire_damage stave__wire_frame_decode(enum wire_version version, const uint8_t *payload,
                                          size_t size, struct wire_frame *frame);

/* Prefix and payload into `out` of WIRE_FRAME_MAX bytes; returns the bytes written. Fields at their
 * default are left out, in the order of their numbers. A name is cut to WIRE_NAME_MAX bytes, at the
 * start of a UTF-8 sequence. */
size_t stave__wire_frame_encode(enum wire_version version, const struct wire_frame *frame,
                                uint8_t *out);

/* Whether bytes are UTF-8: no surrogates, nothing overlong, nothing above U+10FFFF (RFC 3629). */
bool stave__wire_utf8_valid(const uint8_t *bytes, size_t size);

#endif
