/* reference_frames.c - rules 1 and 2: bytes to sound frames; and which version a stream is. */
#include <stdlib.h>
#include <string.h>

#include "reference_parts.h"

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5, WIRE_ANY = 100 };

/* The wire type of each field. 13 to 15 (version 1: 9 to 15) are skipped whatever they are. */
static const int wires_2[16] = {
    [1] = WIRE_VARINT, [2] = WIRE_VARINT,  [3] = WIRE_VARINT,  [4] = WIRE_VARINT,
    [5] = WIRE_VARINT, [6] = WIRE_BYTES,   [7] = WIRE_VARINT,  [8] = WIRE_VARINT,
    [9] = WIRE_32,     [10] = WIRE_VARINT, [11] = WIRE_VARINT, [12] = WIRE_VARINT,
    [13] = WIRE_ANY,   [14] = WIRE_ANY,    [15] = WIRE_ANY};
static const int wires_1[16] = {
    [1] = WIRE_VARINT, [2] = WIRE_BYTES, [3] = WIRE_VARINT, [4] = WIRE_VARINT, [5] = WIRE_VARINT,
    [6] = WIRE_VARINT, [7] = WIRE_32,    [8] = WIRE_VARINT, [9] = WIRE_ANY,    [10] = WIRE_ANY,
    [11] = WIRE_ANY,   [12] = WIRE_ANY,  [13] = WIRE_ANY,   [14] = WIRE_ANY,   [15] = WIRE_ANY};

struct field {
    uint64_t number;
    int wire;
    uint64_t value; /* of a varint or a fixed 32 */
    const uint8_t *bytes;
    size_t size;
};

enum reading { SOUND, DAMAGED, INCOMPLETE };

/* Moves *at behind the varint. INCOMPLETE: the bytes end in it; DAMAGED: it has over 10 bytes. */
static enum reading read_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < 10; i++) {
        if (*at == size)
            return INCOMPLETE;
        uint8_t byte = bytes[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << (7 * i); /* bits above the 64th fall off */
        if ((byte & 0x80) == 0)
            return SOUND;
    }
    return DAMAGED;
}

static bool is_utf8(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        uint32_t lead = bytes[at++];
        if (lead < 0x80)
            continue;
        unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (lead < 0xc0 || lead > 0xf7)
            return false;
        uint32_t code = lead & (0x3fu >> more);
        for (unsigned i = 0; i < more; i++) {
            if (at == size || (bytes[at] & 0xc0) != 0x80)
                return false;
            code = code << 6 | (bytes[at++] & 0x3fu);
        }
        static const uint32_t lowest[4] = {0, 0x80, 0x800, 0x10000};
        if (code < lowest[more] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
            return false;
    }
    return true;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool read_fixed(const uint8_t *bytes, size_t size, size_t *at, struct field *field)
{
    size_t width = field->wire == WIRE_64 ? 8 : 4;
    if (size - *at < width)
        return false;
    field->value = 0;
    for (size_t i = 0; i < 4; i++)
        field->value |= (uint64_t)bytes[*at + i] << (8 * i);
    *at += width;
    return true;
}

static bool read_bytes(const uint8_t *bytes, size_t size, size_t *at, struct field *field)
{
    uint64_t length;
    if (read_varint(bytes, size, at, &length) != SOUND || length > size - *at)
        return false;
    field->bytes = bytes + *at;
    field->size = (size_t)length;
    *at += field->size;
    return true;
}

static bool read_field(const uint8_t *bytes, size_t size, size_t *at, struct field *field)
{
    uint64_t tag;
    if (read_varint(bytes, size, at, &tag) != SOUND)
        return false;
    field->number = tag >> 3;
    field->wire = (int)(tag & 7);
    switch (field->wire) {
    case WIRE_VARINT:
        return read_varint(bytes, size, at, &field->value) == SOUND;
    case WIRE_64:
    case WIRE_32:
        return read_fixed(bytes, size, at, field);
    case WIRE_BYTES:
        return read_bytes(bytes, size, at, field);
    default:
        return false;
    }
}

static float float_of(uint64_t value)
{
    uint32_t bits = (uint32_t)value;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static bool store_name(struct frame *frame, const struct field *field)
{
    if (!is_utf8(field->bytes, field->size))
        return false;
    for (size_t i = 0; i < field->size; i++)
        frame->name[i] = field->bytes[i]; /* no longer than a payload: 128 */
    frame->name_size = field->size;
    return true;
}

static void store_deadline(struct frame *frame, uint64_t value)
{
    frame->has_deadline = true;
    frame->deadline_ms = float_of(value);
}

static void store_value(struct frame *frame, uint64_t value)
{
    frame->has_value = true;
    frame->value = (uint32_t)value;
}

static int64_t unzigzag(uint64_t value)
{
    int64_t half = (int64_t)(value >> 1);
    return (value & 1) != 0 ? -half - 1 : half;
}

static bool store_2(struct frame *frame, const struct field *field)
{
    uint64_t value = field->value;
    switch (field->number) {
    case 1:
        frame->ticks = unzigzag(value);
        break;
    case 2:
        frame->name_id = (uint32_t)value;
        frame->has_field_2 = true;
        break;
    case 3:
        frame->kind = (uint32_t)value;
        break;
    case 4:
        frame->sequence = (uint32_t)(value % 16384);
        break;
    case 5:
        store_value(frame, value);
        break;
    case 6:
        return store_name(frame, field);
    case 7:
        frame->source_type = (uint32_t)value;
        break;
    case 8:
        frame->priority = (uint32_t)value;
        break;
    case 9:
        store_deadline(frame, value);
        break;
    case 10:
        frame->timebase = (uint32_t)value;
        break;
    case 11:
        frame->core_hz = (uint32_t)value;
        break;
    default:
        break;
    }
    return true;
}

static void store_time_1(struct frame *frame, uint64_t value)
{
    frame->ticks_saturated = value > INT64_MAX;
    frame->ticks = frame->ticks_saturated ? INT64_MAX : (int64_t)value;
}

static bool store_1(struct frame *frame, const struct field *field)
{
    uint64_t value = field->value;
    switch (field->number) {
    case 1:
        store_time_1(frame, value);
        break;
    case 2:
        frame->has_field_2 = true;
        return store_name(frame, field);
    case 3:
        frame->source_type = (uint32_t)value;
        break;
    case 4:
        frame->kind = (uint32_t)value;
        break;
    case 5:
        frame->sequence = (uint32_t)value;
        break;
    case 6:
        frame->priority = (uint32_t)value;
        break;
    case 7:
        store_deadline(frame, value);
        break;
    case 8:
        store_value(frame, value);
        break;
    default:
        break;
    }
    return true;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static bool read_payload(const uint8_t *bytes, size_t size, int version, struct frame *frame)
{
    const int *wires = version == 2 ? wires_2 : wires_1;
    size_t at = 0;
    while (at < size) {
        struct field field = {0};
        if (!read_field(bytes, size, &at, &field))
            return false;
        if (field.number == 0 || field.number > 15)
            return false;
        int wire = wires[field.number];
        if (wire != WIRE_ANY && wire != field.wire)
            return false;
        if (!(version == 2 ? store_2(frame, &field) : store_1(frame, &field)))
            return false;
    }
    return frame->kind != 0;
}

/* The frame at `offset`, which lies before the end. Rule 1. */
static enum reading read_frame(const uint8_t *bytes, size_t size, size_t offset, int version,
                               struct frame *frame)
{
    size_t at = offset;
    uint64_t length;
    enum reading prefix = read_varint(bytes, size, &at, &length);
    if (prefix != SOUND)
        return prefix;
    if (length < 1 || length > 128)
        return DAMAGED;
    if (length > size - at)
        return INCOMPLETE;
    memset(frame, 0, sizeof *frame);
    frame->offset = offset;
    frame->size = at - offset + (size_t)length;
    return read_payload(bytes + at, (size_t)length, version, frame) ? SOUND : DAMAGED;
}

int64_t version_modulus(int version)
{
    return version == 2 ? 16384 : INT64_C(4294967296);
}

int64_t number_step(uint32_t from, uint32_t to, int64_t modulus)
{
    int64_t step = ((int64_t)to - (int64_t)from) % modulus;
    if (step < 0)
        step += modulus;
    return step >= modulus / 2 ? step - modulus : step;
}

static bool kind_is_known(uint32_t kind, int version)
{
    return kind <= (version == 2 ? TRACE_START : MARKER);
}

bool goes_on(const struct frame *a, const struct frame *b, int version)
{
    int64_t step = number_step(a->sequence, b->sequence, version_modulus(version));
    return step >= -WINDOW && step <= WINDOW;
}

/* Rule 2: three frames in a row, or fewer (at least one) up to the end. */
static bool is_in_step(const uint8_t *bytes, size_t size, size_t offset, int version)
{
    struct frame before = {0}, frame = {0};
    for (int i = 0; i < 3; i++) {
        if (offset == size)
            return i > 0;
        enum reading reading = read_frame(bytes, size, offset, version, &frame);
        if (reading == INCOMPLETE)
            return i > 0;
        if (reading == DAMAGED || !kind_is_known(frame.kind, version))
            return false;
        if (i > 0 && !goes_on(&before, &frame, version))
            return false;
        before = frame;
        offset += frame.size;
    }
    return true;
}

static size_t find_in_step(const uint8_t *bytes, size_t size, size_t offset, int version)
{
    while (offset < size && !is_in_step(bytes, size, offset, version))
        offset++;
    return offset;
}

/* ---- the version ----------------------------------------------------------------------------- */

/* 1 or 2, or 0 when this frame does not tell. A reading tells only where it is sound. */
static int frame_version(const struct frame *frame_1, bool sound_1, const struct frame *frame_2,
                         bool sound_2)
{
    if (sound_2 && (frame_2->kind == TRACE_START || frame_2->has_field_2))
        return 2;
    if (sound_1 && frame_1->has_field_2)
        return 1;
    return 0;
}

static int find_version(const uint8_t *bytes, size_t size)
{
    size_t offset = 0;
    while (offset < size) {
        struct frame frame_1 = {0}, frame_2 = {0};
        enum reading reading_1 = read_frame(bytes, size, offset, 1, &frame_1);
        enum reading reading_2 = read_frame(bytes, size, offset, 2, &frame_2);
        if (reading_1 == INCOMPLETE)
            break; /* in both: the length alone decides */
        if (reading_1 == DAMAGED && reading_2 == DAMAGED) {
            size_t next_1 = find_in_step(bytes, size, offset + 1, 1);
            size_t next_2 = find_in_step(bytes, size, offset + 1, 2);
            offset = next_1 < next_2 ? next_1 : next_2;
            continue;
        }
        int version = frame_version(&frame_1, reading_1 == SOUND, &frame_2, reading_2 == SOUND);
        if (version != 0)
            return version;
        offset += reading_1 == SOUND ? frame_1.size : frame_2.size;
    }
    return 2; /* undecided */
}

void read_stream(const uint8_t *bytes, size_t size, struct frame_list *list)
{
    memset(list, 0, sizeof *list);
    list->version = find_version(bytes, size);
    size_t offset = 0;
    while (offset < size) {
        struct frame frame = {0};
        enum reading reading = read_frame(bytes, size, offset, list->version, &frame);
        if (reading == INCOMPLETE) {
            list->cut_tail_bytes = size - offset;
            return;
        }
        if (reading == DAMAGED) {
            size_t next = find_in_step(bytes, size, offset + 1, list->version);
            list->bytes_skipped += next - offset;
            offset = next;
            continue;
        }
        list->items = with_room(list->items, list->count, sizeof frame);
        list->items[list->count++] = frame;
        offset += frame.size;
    }
}
