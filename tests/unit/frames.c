/* frames.c - random frames, and whether two are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/frames.h"

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same_number(const char *field, uint64_t got, uint64_t expected)
{
    if (got == expected)
        return true;
    print_error("%s: got %llu, expected %llu\n", field, (unsigned long long)got,
                (unsigned long long)expected);
    return false;
}

static bool same_name(const struct wire_frame *got, const struct wire_frame *expected)
{
    if (!same_number("name_size", got->name_size, expected->name_size))
        return false;
    if (got->name_size == 0 || memcmp(got->name, expected->name, got->name_size) == 0)
        return true;
    print_error("name: got %.*s, expected %.*s\n", (int)got->name_size, got->name,
                (int)expected->name_size, expected->name);
    return false;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool frame_same(const struct wire_frame *got, const struct wire_frame *expected)
{
#define SAME(field) same_number(#field, (uint64_t)got->field, (uint64_t)expected->field)
    return SAME(ticks) && SAME(kind) && SAME(name_id) && SAME(sequence) && SAME(value) &&
           SAME(source) && SAME(priority) && SAME(timebase) && SAME(hz) && SAME(source_mask) &&
           SAME(has_value) && SAME(has_deadline) && SAME(has_name_id) &&
           same_number("deadline_ms", float_bits(got->deadline_ms),
                       float_bits(expected->deadline_ms)) &&
           same_name(got, expected);
#undef SAME
}

/* ---- random ---------------------------------------------------------------------------------- */

size_t utf8_write(uint32_t point, char *out)
{
    unsigned size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const uint32_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (unsigned i = size; i-- > 1; point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(lead[size] | point);
    return size;
}

/* All lengths of sequences and all lengths of names, also one of exactly WIRE_NAME_MAX bytes. */
static uint32_t random_name(struct dice *dice, char name[WIRE_NAME_MAX])
{
    uint32_t limit = (uint32_t)dice_below(dice, WIRE_NAME_MAX + 1);
    uint32_t size = 0;
    for (;;) {
        char sequence[4];
        uint32_t point = (uint32_t)dice_spread(dice, 20);
        if (point >= 0xd800 && point <= 0xdfff)
            continue;
        uint32_t more = (uint32_t)utf8_write(point, sequence);
        if (size + more > limit)
            return size;
        memcpy(name + size, sequence, more);
        size += more;
    }
}

static uint32_t random_number(struct dice *dice)
{
    switch (dice_below(dice, 8)) {
    case 0:
        return UINT32_MAX;
    case 1:
        return 0x80000000u;
    case 2:
    case 3:
    case 4:
        return 0;
    default:
        return (uint32_t)dice_spread(dice, 32);
    }
}

static int64_t random_ticks(struct dice *dice)
{
    int64_t ticks = (int64_t)dice_spread(dice, 63);
    switch (dice_below(dice, 8)) {
    case 0:
        return 0;
    case 1:
        return INT64_MAX;
    case 2:
        return INT64_MIN;
    case 3:
    case 4:
        return -ticks;
    default:
        return ticks;
    }
}

static float random_float(struct dice *dice)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                       0x7fc00000, 1,          0x7f7fffff, 0x3f800000};
    uint32_t bits =
        dice_chance(dice, 500) ? special[dice_below(dice, 8)] : (uint32_t)dice_next(dice);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void random_options(struct dice *dice, struct wire_frame *frame)
{
    frame->has_value = dice_chance(dice, 500);
    if (frame->has_value)
        frame->value = random_number(dice);
    frame->has_deadline = dice_chance(dice, 500);
    if (frame->has_deadline)
        frame->deadline_ms = random_float(dice);
}

void frame_random(struct dice *dice, enum wire_version version, struct wire_frame *frame,
                  char name[WIRE_NAME_MAX])
{
    *frame = (struct wire_frame){
        .ticks = random_ticks(dice),
        .kind = dice_chance(dice, 900) ? 1 + (uint32_t)dice_below(dice, 5) : random_number(dice),
        .sequence = random_number(dice),
        .source = random_number(dice),
        .priority = random_number(dice),
    };
    if (frame->kind == 0)
        frame->kind = WIRE_MARKER;
    random_options(dice, frame);
    if (dice_chance(dice, 500)) {
        frame->name = name;
        frame->name_size = random_name(dice, name);
    }
    if (version == WIRE_VERSION_1)
        return;
    frame->name_id = random_number(dice);
    frame->timebase = random_number(dice);
    frame->hz = random_number(dice);
    frame->source_mask = random_number(dice);
}
