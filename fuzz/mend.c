#include "mend.h"

#include <string.h>

#include "store/bytes.h"
#include "store/crc32c.h"
#include "store/writer.h"

enum { SIZE_AT = 8, RAW_SIZE_AT = 12, CODEC_AT = 6, BODY_CRC_AT = 92, CRC_AT = 96 };

#define BLOCKS_MAX 256

struct place {
    size_t at, size; /* header and body */
};

/* The next block from `at` on; false when there is none. */
static bool find(const uint8_t *data, size_t size, size_t at, struct place *place)
{
    for (; size >= STAVE__HEADER_SIZE && at <= size - STAVE__HEADER_SIZE; at++) {
        if (memcmp(data + at, "STVB", 4) != 0)
            continue;
        uint32_t body = stave__get_u32(data + at + SIZE_AT), room = (uint32_t)(size - at);
        *place = (struct place){at, STAVE__HEADER_SIZE + (size_t)body};
        if (place->size > room)
            place->size = room; /* it ends with the file */
        return true;
    }
    return false;
}

static uint32_t find_all(const uint8_t *data, size_t size, struct place *places)
{
    uint32_t count = 0;
    size_t at = STAVE__FILE_HEAD_SIZE;
    while (count < BLOCKS_MAX && find(data, size, at, &places[count])) {
        at = places[count].at + places[count].size;
        count++;
    }
    return count;
}

static void mend_block(uint8_t *block, size_t size)
{
    uint32_t body = (uint32_t)(size - STAVE__HEADER_SIZE);
    stave__put_u32(block + SIZE_AT, body);
    if (block[CODEC_AT] == STAVE__CODEC_NONE)
        stave__put_u32(block + RAW_SIZE_AT, body);
    stave__put_u32(block + BODY_CRC_AT, stave__crc32c(0, block + STAVE__HEADER_SIZE, body));
    stave__put_u32(block + CRC_AT, stave__crc32c(0, block, CRC_AT));
}

void mend(uint8_t *data, size_t size)
{
    struct place place = {.at = STAVE__FILE_HEAD_SIZE};
    if (size < STAVE__FILE_HEAD_SIZE)
        return;
    stave__file_head_write(data);
    while (find(data, size, place.at + place.size, &place))
        mend_block(data + place.at, place.size);
    uint8_t *foot = data + size - STAVE__FILE_FOOT_SIZE;
    if (size >= STAVE__FILE_HEAD_SIZE + STAVE__FILE_FOOT_SIZE && memcmp(foot + 20, "STVX", 4) == 0)
        stave__put_u32(foot + 16, stave__crc32c(0, foot, 16));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Numbers at which something may happen; large ones, which make files that take long, now and then. */
static uint64_t value(uint32_t random)
{
    static const uint64_t large[] = {
        255,
        4096,
        65535,
        65536,
        65537,
        262144,
        262145,
        INT32_MAX,
        UINT32_MAX,
        INT64_MAX,
        (uint64_t)INT64_MIN,
        UINT64_MAX,
    };
    if (random % 16 == 0)
        return large[random / 16 % (sizeof large / sizeof large[0])];
    return random % 16 == 1 ? random : random / 16 % 70;
}

static void change_field(uint8_t *block, uint32_t random)
{
    static const struct {
        uint8_t at, size;
    } fields[] = {
#define FIELD(name, place, bits) {place, bits / 8},
        STAVE__HEADER_FIELDS(FIELD)
#undef FIELD
    };
    uint32_t i = random % (sizeof fields / sizeof fields[0]);
    uint64_t to = value(random / 32);
    if (fields[i].at == SIZE_AT)
        return; /* it follows from where the next block is */
    for (uint32_t byte = 0; byte < fields[i].size; byte++)
        block[fields[i].at + byte] = (uint8_t)(to >> 8 * byte);
}

static size_t double_block(uint8_t *data, size_t size, size_t max_size, const struct place *place)
{
    if (max_size - size < place->size)
        return size;
    memmove(data + place->at + place->size, data + place->at, size - place->at);
    return size + place->size;
}

static size_t remove_block(uint8_t *data, size_t size, const struct place *place)
{
    size_t behind = place->at + place->size;
    memmove(data + place->at, data + behind, size - behind);
    return size - place->size;
}

size_t mend_change_block(uint8_t *data, size_t size, size_t max_size, uint32_t random)
{
    struct place places[BLOCKS_MAX];
    uint32_t count = find_all(data, size, places);
    if (count == 0)
        return size;
    const struct place *place = &places[random / 8 % count];
    switch (random % 8) {
    case 0:
        return double_block(data, size, max_size, place);
    case 1:
        return remove_block(data, size, place);
    case 2: /* it goes to the end */
        size = double_block(data, size, max_size, place);
        return remove_block(data, size, place);
    default:
        change_field(data + place->at, random / 256);
        return size;
    }
}

/* ---- index ----------------------------------------------------------------------------------- */

struct room {
    uint8_t *data;
    size_t size, max_size;
};

static int put(void *context, const void *bytes, size_t size)
{
    struct room *room = context;
    if (room->max_size - room->size < size)
        return STAVE_E_LIMIT;
    memmove(room->data + room->size, bytes, size);
    room->size += size;
    return STAVE_OK;
}

/* What is written never overtakes what is still to be read: blocks only move to the front. */
size_t mend_index(uint8_t *data, size_t size, size_t max_size)
{
    struct place places[BLOCKS_MAX];
    struct room room = {.data = data, .max_size = max_size};
    struct stave__writer writer;
    uint32_t count = size >= STAVE__FILE_HEAD_SIZE ? find_all(data, size, places) : 0;
    if (count == 0)
        return size;
    mend(data, size);
    int status = stave__writer_begin(&writer, (stave_sink){put, &room}, NULL);
    for (uint32_t i = 0; i < count && status >= 0; i++)
        if (data[places[i].at + 5] != STAVE__INDEX)
            status = stave__writer_put(&writer, data + places[i].at, places[i].size, NULL);
    size_t without = room.size;
    if (status >= 0)
        status = stave__writer_finish(&writer, NULL);
    stave__writer_free(&writer);
    return status < 0 ? without : room.size;
}
