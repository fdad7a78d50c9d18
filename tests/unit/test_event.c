/* test_event.c - the fast path for events says what the slow one says, or nothing: on frames as
 * devices write them, on damaged ones and on noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/frames.h"
#include "wire/event.h"

/* The bytes from the start of a frame that may be read: in memory of their own, so that a sanitizer
 * sees a step beyond them. */
static uint8_t *room;

static int set_up(void **state)
{
    room = malloc(WIRE_EVENT_ROOM);
    return room == NULL;
}

static int tear_down(void **state)
{
    free(room);
    return 0;
}

static void print_room(void)
{
    for (int i = 0; i < WIRE_EVENT_ROOM; i++)
        print_error("%02x ", room[i]);
    print_error("\n");
}

/* ---- the slow path --------------------------------------------------------------------------- */

/* Bytes of the sound frame at the start of the room, or 0. */
static size_t decode_slowly(struct wire_frame *frame)
{
    uint64_t payload = 0;
    int prefix = wire_varint_read(room, room + WIRE_EVENT_ROOM, &payload);
    if (prefix <= 0 || payload == 0 || payload > (uint64_t)(WIRE_EVENT_ROOM - prefix))
        return 0;
    if (stave__wire_frame_decode(WIRE_VERSION_2, room + prefix, (size_t)payload, frame) !=
        WIRE_SOUND)
        return 0;
    return (size_t)prefix + (size_t)payload;
}

/* The frame that has the event's fields and no others. */
static struct wire_frame frame_of(const struct wire_event *event)
{
    return (struct wire_frame){
        .ticks = event->ticks,
        .kind = event->kind,
        .name_id = event->name_id,
        .sequence = event->sequence,
        .value = event->value,
        .has_value = event->has_value,
        .has_name_id = true,
    };
}

/* Whether the fast path takes what is in the room; then the slow one has to agree. */
static bool is_taken(void)
{
    struct wire_event event;
    struct wire_frame slow;
    size_t size = wire_event_decode(room, &event);
    if (size == 0)
        return false;
    struct wire_frame fast = frame_of(&event);
    if (decode_slowly(&slow) != size || !frame_same(&fast, &slow)) {
        print_room();
        fail();
    }
    assert_in_range(event.kind, WIRE_SPAN_START, WIRE_MARKER);
    assert_true(event.name_id < 128); /* what the decoder's table of voices is made for */
    return true;
}

/* ---- random frames --------------------------------------------------------------------------- */

static void fill_room(struct dice *dice)
{
    for (int i = 0; i < WIRE_EVENT_ROOM; i++)
        room[i] = (uint8_t)dice_next(dice);
}

/* An event with fields of any size; at most 33 bytes as a frame. */
static struct wire_frame random_event(struct dice *dice)
{
    struct wire_frame frame = {
        .kind = 1 + (uint32_t)dice_below(dice, 3),
        .name_id = (uint32_t)dice_spread(dice, 9),
        .ticks = (int64_t)dice_spread(dice, 64),
        .sequence = (uint32_t)dice_spread(dice, 15),
        .has_value = dice_chance(dice, 400),
    };
    if (dice_chance(dice, 300))
        frame.ticks = -frame.ticks / 2;
    if (frame.has_value)
        frame.value = (uint32_t)dice_spread(dice, 32);
    return frame;
}

static size_t put_in_room(struct dice *dice, const struct wire_frame *frame)
{
    uint8_t bytes[WIRE_FRAME_MAX];
    size_t size = stave__wire_frame_encode(WIRE_VERSION_2, frame, bytes);
    assert_in_range(size, 3, WIRE_EVENT_ROOM);
    fill_room(dice);
    memcpy(room, bytes, size);
    return size;
}

/* What the fast path is for: an id below 128, a number on the wire as it is, time to 56 bits. */
static bool is_plain(const struct wire_frame *frame)
{
    return frame->name_id >= 1 && frame->name_id < 128 && frame->sequence < 16384 &&
           wire_zigzag(frame->ticks) >> 56 == 0;
}

static void test_encoded_events(void **state)
{
    struct dice dice = {1};
    unsigned plain = 0;
    for (int i = 0; i < 500000; i++) {
        struct wire_frame frame = random_event(&dice);
        put_in_room(&dice, &frame);
        bool taken = is_taken();
        assert_int_equal(taken, is_plain(&frame));
        plain += taken;
    }
    assert_in_range(plain, 100000, 400000); /* both cases had their share */
}

/* Every id and number, the edges of the others. */
static void test_all_plain_events_are_taken(void **state)
{
    static const int64_t ticks[] = {
        0, 1, -1, 63, 64, -64, -65, 36028797018963967, -36028797018963968};
    struct dice dice = {2};
    for (uint32_t sequence = 0; sequence < 16384; sequence++) {
        struct wire_frame frame = {
            .kind = 1 + sequence % 3,
            .name_id = 1 + sequence % 127,
            .ticks = ticks[sequence % (sizeof ticks / sizeof *ticks)],
            .sequence = sequence,
            .value = sequence % 2 != 0 ? UINT32_MAX : 0,
            .has_value = sequence % 5 < 2,
        };
        if (!frame.has_value)
            frame.value = 0;
        put_in_room(&dice, &frame);
        assert_true(is_taken());
    }
}

/* ---- mutations ------------------------------------------------------------------------------- */

static void insert_byte(size_t at, uint8_t byte)
{
    memmove(room + at + 1, room + at, WIRE_EVENT_ROOM - 1 - at);
    room[at] = byte;
}

static void remove_byte(size_t at)
{
    memmove(room + at, room + at + 1, WIRE_EVENT_ROOM - 1 - at);
}

/* A byte that means something to the format. */
static uint8_t telling_byte(struct dice *dice)
{
    static const uint8_t bytes[] = {0,    1,    2,    3,    4,    0x08, 0x10, 0x18,
                                    0x20, 0x28, 0x30, 0x32, 0x38, 0x40, 0x4d, 0x50,
                                    0x68, 0x6a, 0x7f, 0x80, 0x81, 0xff};
    return bytes[dice_below(dice, sizeof bytes)];
}

static void mutate(struct dice *dice, size_t size)
{
    size_t at = dice_below(dice, size);
    switch (dice_below(dice, 7)) {
    case 0:
        room[at] ^= (uint8_t)(1u << dice_below(dice, 8));
        break;
    case 1:
        room[at] = (uint8_t)dice_next(dice);
        break;
    case 2:
        room[at] = telling_byte(dice);
        break;
    case 3:
        insert_byte(at, telling_byte(dice));
        break;
    case 4: /* an overlong varint, perhaps */
        room[at] |= 0x80;
        insert_byte(at + 1, 0);
        break;
    case 5:
        remove_byte(at);
        break;
    default: /* a field that comes twice, perhaps */
        insert_byte(at, room[at]);
        break;
    }
    if (dice_chance(dice, 600)) /* the prefix tells the truth again */
        room[0] = (uint8_t)(size - 2 + dice_below(dice, 3));
}

static void test_mutations(void **state)
{
    struct dice dice = {3};
    unsigned taken = 0;
    for (int i = 0; i < 2000000; i++) {
        struct wire_frame frame = random_event(&dice);
        while (!is_plain(&frame))
            frame = random_event(&dice);
        size_t size = put_in_room(&dice, &frame);
        for (uint64_t n = 1 + dice_below(&dice, 3); n > 0; n--)
            mutate(&dice, size);
        taken += is_taken();
    }
    assert_in_range(taken, 100000, 1500000); /* else they were all too broken, or hardly */
}

/* Frames put together of bytes that mean something: more of them get far into the fast path. */
static void test_noise(void **state)
{
    struct dice dice = {4};
    unsigned taken = 0;
    for (int i = 0; i < 2000000; i++) {
        for (int j = 0; j < WIRE_EVENT_ROOM; j++)
            room[j] = telling_byte(&dice);
        room[0] = (uint8_t)dice_below(&dice, 26);
        size_t at = dice_chance(&dice, 500) ? 1 : 3;
        room[1] = 0x08;
        room[at] = 0x10;
        room[at + 2] = 0x18;
        taken += is_taken();
    }
    assert_true(taken >= 1000);
}

/* ---- the varint without a loop --------------------------------------------------------------- */

static void test_varint_without_a_loop(void **state)
{
    struct dice dice = {5};
    for (int i = 0; i < 200000; i++) {
        uint64_t fast = 0, slow = 0;
        memset(room, 0x80, WIRE_VARINT_MAX); /* goes on and on, unless something stops it */
        for (uint64_t n = dice_below(&dice, 9); n-- > 0;)
            room[n] = (uint8_t)dice_next(&dice);
        int expected = wire_varint_read(room, room + 8, &slow);
        assert_int_equal(wire_varint_read8(room, &fast),
                         expected == WIRE_VARINT_SHORT ? 0 : expected);
        assert_true(fast == slow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encoded_events),
        cmocka_unit_test(test_all_plain_events_are_taken),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_varint_without_a_loop),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
