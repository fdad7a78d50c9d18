#include "decode/framer.h"

#include "wire/varint.h"

#define FRAMES_IN_A_ROW 3

enum stave__framing stave__framer_read(enum wire_version version, const uint8_t *bytes, size_t size,
                                       struct stave__frame *frame)
{
    uint64_t payload = 0;
    int prefix = wire_varint_read(bytes, bytes + size, &payload);
    if (prefix == WIRE_VARINT_SHORT)
        return STAVE__INCOMPLETE;
    frame->damage = WIRE_BAD_LENGTH;
    if (prefix == WIRE_VARINT_LONG || payload == 0 || payload > WIRE_PAYLOAD_MAX)
        return STAVE__DAMAGE;
    if (payload > size - (size_t)prefix)
        return STAVE__INCOMPLETE;
    frame->size = (size_t)prefix + (size_t)payload;
    frame->damage =
        stave__wire_frame_decode(version, bytes + prefix, (size_t)payload, &frame->fields);
    return frame->damage == WIRE_SOUND ? STAVE__FRAME : STAVE__DAMAGE;
}

int64_t stave__number_step(enum wire_version version, uint64_t from, uint64_t to)
{
    if (version == WIRE_VERSION_1)
        return (int32_t)(uint32_t)(to - from);
    int64_t step = (int64_t)((to - from) & 16383);
    return step < 8192 ? step : step - 16384;
}

static bool known_kind(enum wire_version version, uint32_t kind)
{
    return kind <= (version == WIRE_VERSION_1 ? (uint32_t)WIRE_MARKER : (uint32_t)WIRE_TRACE_START);
}

static bool follows(enum wire_version version, uint32_t from, uint32_t to)
{
    return stave__is_near(stave__number_step(version, from, to));
}

enum stave__framing stave__framer_try(enum wire_version version, const uint8_t *bytes, size_t size,
                                      bool final)
{
    uint32_t before = 0;
    size_t at = 0;
    for (int found = 0; found < FRAMES_IN_A_ROW; found++) {
        enum stave__framing stop = found > 0 ? STAVE__FRAME : STAVE__DAMAGE;
        struct stave__frame frame;
        if (at == size)
            return final ? stop : STAVE__MORE;
        switch (stave__framer_read(version, bytes + at, size - at, &frame)) {
        case STAVE__FRAME:
            break;
        case STAVE__INCOMPLETE:
            return final ? stop : STAVE__MORE;
        default:
            return STAVE__DAMAGE;
        }
        if (!known_kind(version, frame.fields.kind) ||
            (found > 0 && !follows(version, before, frame.fields.sequence)))
            return STAVE__DAMAGE;
        before = frame.fields.sequence;
        at += frame.size;
    }
    return STAVE__FRAME;
}
