/* fuzz_wire.c - one frame: what is sound is the same after encoding and decoding, the fast path for
 * events says what the slow one says, and the two UTF-8 readers agree. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "outcome.h"
#include "wire/event.h"

/* ---- there and back -------------------------------------------------------------------------- */

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool same_name(const struct wire_frame *a, const struct wire_frame *b)
{
    return a->name_size == b->name_size &&
           (a->name_size == 0 || memcmp(a->name, b->name, a->name_size) == 0);
}

static bool same_frame(const struct wire_frame *a, const struct wire_frame *b)
{
    return a->ticks == b->ticks && a->kind == b->kind && a->name_id == b->name_id &&
           a->sequence == b->sequence && a->value == b->value && a->source == b->source &&
           a->priority == b->priority && a->timebase == b->timebase && a->hz == b->hz &&
           a->source_mask == b->source_mask && a->has_value == b->has_value &&
           a->has_deadline == b->has_deadline &&
           float_bits(a->deadline_ms) == float_bits(b->deadline_ms) && same_name(a, b);
}

/* What a device may send of a name: whole sequences, up to 32 bytes. */
static uint32_t cut_name(const struct wire_frame *frame)
{
    uint32_t size = 0, point;
    while (size < frame->name_size) {
        size_t step = stave__utf8_decode(frame->name + size, frame->name_size - size, &point);
        REQUIRE(step > 0);
        if (size + step > WIRE_NAME_MAX)
            break;
        size += (uint32_t)step;
    }
    return size;
}

static void check_sound(enum wire_version version, struct wire_frame frame)
{
    uint8_t bytes[WIRE_FRAME_MAX];
    struct wire_frame again;
    REQUIRE(frame.kind != 0);
    REQUIRE(frame.has_value || frame.value == 0);
    REQUIRE(frame.has_deadline || float_bits(frame.deadline_ms) == 0);
    REQUIRE(frame.has_name_id || frame.name_id == 0);
    size_t size = stave__wire_frame_encode(version, &frame, bytes);
    REQUIRE(size >= 3 && size <= WIRE_FRAME_MAX && bytes[0] == size - 1);
    REQUIRE(stave__wire_frame_decode(version, bytes + 1, size - 1, &again) == WIRE_SOUND);
    frame.name_size = cut_name(&frame);
    REQUIRE(same_frame(&frame, &again));
    REQUIRE(again.has_name_id == (frame.name_id != 0));
}

static void check_payload(const uint8_t *data, size_t size)
{
    uint8_t *payload = malloc(size);
    REQUIRE(payload != NULL);
    memcpy(payload, data, size);
    for (int version = WIRE_VERSION_1; version <= WIRE_VERSION_2; version++) {
        struct wire_frame frame;
        enum wire_damage damage =
            stave__wire_frame_decode((enum wire_version)version, payload, size, &frame);
        REQUIRE(damage != WIRE_BAD_LENGTH && damage != WIRE_FAR_NUMBER);
        if (damage == WIRE_SOUND)
            check_sound((enum wire_version)version, frame);
    }
    free(payload);
}

/* ---- the fast path --------------------------------------------------------------------------- */

static void check_event(const uint8_t *room)
{
    struct wire_event event;
    struct wire_frame slow;
    uint64_t payload = 0;
    size_t size = wire_event_decode(room, &event);
    if (size == 0)
        return;
    int prefix = wire_varint_read(room, room + WIRE_EVENT_ROOM, &payload);
    REQUIRE(prefix > 0 && (size_t)prefix + payload == size);
    REQUIRE(stave__wire_frame_decode(WIRE_VERSION_2, room + prefix, (size_t)payload, &slow) ==
            WIRE_SOUND);
    const struct wire_frame fast = {
        .ticks = event.ticks,
        .kind = event.kind,
        .name_id = event.name_id,
        .sequence = event.sequence,
        .value = event.value,
        .has_value = event.has_value,
    };
    REQUIRE(same_frame(&fast, &slow));
    REQUIRE(slow.has_name_id && event.name_id < 128);
}

/* The input as it is, and as the payload of a frame. */
static void check_events(const uint8_t *data, size_t size)
{
    uint8_t *room = calloc(1, WIRE_EVENT_ROOM);
    REQUIRE(room != NULL);
    memcpy(room, data, size < WIRE_EVENT_ROOM ? size : WIRE_EVENT_ROOM);
    check_event(room);
    if (size < WIRE_EVENT_ROOM) {
        memset(room, 0xff, WIRE_EVENT_ROOM);
        memcpy(room + 1, data, size);
        room[0] = (uint8_t)size;
        check_event(room);
    }
    free(room);
}

/* ---- UTF-8 ----------------------------------------------------------------------------------- */

static void check_text(const uint8_t *data, size_t size)
{
    bool valid = true;
    for (size_t at = 0; valid && at < size;) {
        uint32_t point = 0;
        size_t step = stave__utf8_decode((const char *)data + at, size - at, &point);
        valid = step != 0;
        REQUIRE(point <= 0x10ffff);
        at += step;
    }
    REQUIRE(stave__wire_utf8_valid(data, size) == valid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_text(data, size);
    check_events(data, size);
    if (size >= 1 && size <= WIRE_PAYLOAD_MAX)
        check_payload(data, size);
    return 0;
}
