/* A payload to the fields of a frame: protobuf, strict about what the format never uses. */
#include "wire/frame.h"
#include "wire/varint.h"

#define FIELD_MAX 15
#define ANY 0xff /* a field that is skipped whatever its type */

/* Wire type of each field. */
static const uint8_t types_v1[FIELD_MAX + 1] = {
    ANY,         WIRE_VARINT,  WIRE_BYTES,  WIRE_VARINT, WIRE_VARINT, WIRE_VARINT,
    WIRE_VARINT, WIRE_FIXED32, WIRE_VARINT, ANY,         ANY,         ANY,
    ANY,         ANY,          ANY,         ANY,
};
static const uint8_t types_v2[FIELD_MAX + 1] = {
    ANY,         WIRE_VARINT, WIRE_VARINT, WIRE_VARINT,  WIRE_VARINT, WIRE_VARINT,
    WIRE_BYTES,  WIRE_VARINT, WIRE_VARINT, WIRE_FIXED32, WIRE_VARINT, WIRE_VARINT,
    WIRE_VARINT, ANY,         ANY,         ANY,
};

const char *stave__wire_damage_text(enum wire_damage damage)
{
    switch (damage) {
#define DAMAGE_TEXT(name, text)                                                                    \
    case name:                                                                                     \
        return text;
        WIRE_DAMAGE_TABLE(DAMAGE_TEXT)
#undef DAMAGE_TEXT
    }
    return "unknown damage";
}

/* One field as it stands in the payload: a number, or bytes. */
struct field {
    uint32_t number;
    uint32_t type;
    uint64_t scalar; /* WIRE_VARINT, WIRE_FIXED32 */
    const uint8_t *bytes;
    size_t size; /* WIRE_BYTES */
};

static enum wire_damage read_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    int n = wire_varint_read(*at, end, value);
    if (n == WIRE_VARINT_SHORT)
        return WIRE_PAST_END;
    if (n == WIRE_VARINT_LONG)
        return WIRE_BAD_VARINT;
    *at += n;
    return WIRE_SOUND;
}

static enum wire_damage read_fixed(const uint8_t **at, const uint8_t *end, size_t size,
                                   uint64_t *value)
{
    if ((size_t)(end - *at) < size)
        return WIRE_PAST_END;
    *value = 0;
    for (size_t i = 0; i < size; i++)
        *value |= (uint64_t)(*at)[i] << (8 * i);
    *at += size;
    return WIRE_SOUND;
}

static enum wire_damage read_bytes(const uint8_t **at, const uint8_t *end, struct field *field)
{
    uint64_t size;
    enum wire_damage damage = read_varint(at, end, &size);
    if (damage != WIRE_SOUND)
        return damage;
    if (size > (uint64_t)(end - *at))
        return WIRE_PAST_END;
    field->bytes = *at;
    field->size = (size_t)size;
    *at += size;
    return WIRE_SOUND;
}

static enum wire_damage read_field(const uint8_t types[FIELD_MAX + 1], const uint8_t **at,
                                   const uint8_t *end, struct field *field)
{
    uint64_t tag;
    enum wire_damage damage = read_varint(at, end, &tag);
    if (damage != WIRE_SOUND)
        return damage;
    if (tag < 8 || tag >= 8 * (FIELD_MAX + 1))
        return WIRE_BAD_FIELD;
    field->number = (uint32_t)(tag >> 3);
    field->type = (uint32_t)(tag & 7);
    if (types[field->number] != ANY && types[field->number] != field->type)
        return WIRE_BAD_TYPE;
    switch (field->type) {
    case WIRE_VARINT:
        return read_varint(at, end, &field->scalar);
    case WIRE_FIXED64:
        return read_fixed(at, end, 8, &field->scalar);
    case WIRE_BYTES:
        return read_bytes(at, end, field);
    case WIRE_FIXED32:
        return read_fixed(at, end, 4, &field->scalar);
    default:
        return WIRE_BAD_TYPE;
    }
}

static enum wire_damage set_name(struct wire_frame *frame, const struct field *field)
{
    if (!stave__wire_utf8_valid(field->bytes, field->size))
        return WIRE_BAD_NAME;
    frame->name = (const char *)field->bytes;
    frame->name_size = (uint32_t)field->size;
    return WIRE_SOUND;
}

static void set_value(struct wire_frame *frame, uint64_t value)
{
    frame->value = (uint32_t)value;
    frame->has_value = true;
}

static void set_deadline(struct wire_frame *frame, uint64_t bits)
{
    union {
        uint32_t bits;
        float value;
    } pun = {.bits = (uint32_t)bits};
    frame->deadline_ms = pun.value;
    frame->has_deadline = true;
}

static enum wire_damage store_v2(struct wire_frame *frame, const struct field *field)
{
    uint32_t low = (uint32_t)field->scalar;
    switch (field->number) {
    case 1:
        frame->ticks = wire_unzigzag(field->scalar);
        break;
    case 2:
        frame->name_id = low;
        frame->has_name_id = true;
        break;
    case 3:
        frame->kind = low;
        break;
    case 4:
        frame->sequence = low;
        break;
    case 5:
        set_value(frame, low);
        break;
    case 6:
        return set_name(frame, field);
    case 7:
        frame->source = low;
        break;
    case 8:
        frame->priority = low;
        break;
    case 9:
        set_deadline(frame, low);
        break;
    case 10:
        frame->timebase = low;
        break;
    case 11:
        frame->hz = low;
        break;
    case 12:
        frame->source_mask = low;
        break;
    default: /* skipped */
        break;
    }
    return WIRE_SOUND;
}

static enum wire_damage store_v1(struct wire_frame *frame, const struct field *field)
{
    uint32_t low = (uint32_t)field->scalar;
    switch (field->number) {
    case 1:
        frame->ticks = (int64_t)field->scalar;
        break;
    case 2:
        return set_name(frame, field);
    case 3:
        frame->source = low;
        break;
    case 4:
        frame->kind = low;
        break;
    case 5:
        frame->sequence = low;
        break;
    case 6:
        frame->priority = low;
        break;
    case 7:
        set_deadline(frame, low);
        break;
    case 8:
        set_value(frame, low);
        break;
    default: /* skipped */
        break;
    }
    return WIRE_SOUND;
}

enum wire_damage stave__wire_frame_decode(enum wire_version version, const uint8_t *payload,
                                          size_t size, struct wire_frame *frame)
{
    bool first = version == WIRE_VERSION_1;
    const uint8_t *types = first ? types_v1 : types_v2;
    const uint8_t *end = payload + size;

    *frame = (struct wire_frame){0};
    for (const uint8_t *at = payload; at < end;) {
        struct field field = {0};
        enum wire_damage damage = read_field(types, &at, end, &field);
        if (damage == WIRE_SOUND)
            damage = first ? store_v1(frame, &field) : store_v2(frame, &field);
        if (damage != WIRE_SOUND)
            return damage;
    }
    return frame->kind == 0 ? WIRE_NO_KIND : WIRE_SOUND;
}
