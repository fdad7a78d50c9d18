/* device_link.c - what happens to frames on their way: loss, order, repeats, damage, a late host. */
#include <stdlib.h>
#include <string.h>

#include "device_parts.h"

/* ---- frames ---------------------------------------------------------------------------------- */

static void lose(const struct device_options *options, struct dice *dice, struct packets *packets)
{
    struct packets kept = {0};
    uint64_t burst = 0;
    for (size_t i = 0; i < packets->count; i++) {
        if (burst == 0 && dice_chance(dice, options->wire_loss))
            burst = 1;
        if (burst == 0 && dice_chance(dice, options->wire_burst))
            burst = 1 + dice_below(dice, 200);
        if (burst > 0)
            burst--;
        else
            *packets_add(&kept) = packets->items[i];
    }
    packets_drop(packets);
    *packets = kept;
}

/* A frame is overtaken by the few that follow it. */
static void reorder(const struct device_options *options, struct dice *dice,
                    struct packets *packets)
{
    for (size_t i = 0; i < packets->count; i++) {
        if (!dice_chance(dice, options->reorder))
            continue;
        size_t by = 1 + (size_t)dice_below(dice, dice_chance(dice, 50) ? 90 : 6);
        for (size_t k = i; k < i + by && k + 1 < packets->count; k++) {
            struct packet packet = packets->items[k];
            packets->items[k] = packets->items[k + 1];
            packets->items[k + 1] = packet;
        }
    }
}

/* A frame comes again, at once or a while later. */
static void repeat(const struct device_options *options, struct dice *dice, struct packets *packets)
{
    struct packets sent = {0};
    for (size_t i = 0; i < packets->count; i++) {
        *packets_add(&sent) = packets->items[i];
        if (!dice_chance(dice, options->repeat))
            continue;
        size_t back = (size_t)dice_below(dice, dice_chance(dice, 100) ? 100 : 5);
        if (back <= i)
            *packets_add(&sent) = packets->items[i - back];
    }
    packets_drop(packets);
    *packets = sent;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

struct bytes {
    unsigned char *items;
    size_t count;
};

static void insert(struct bytes *bytes, size_t at, const unsigned char *more, size_t count)
{
    unsigned char *items = realloc(bytes->items, bytes->count + count + 1);
    if (items == NULL)
        abort();
    memmove(items + at + count, items + at, bytes->count - at);
    memcpy(items + at, more, count);
    bytes->items = items;
    bytes->count += count;
}

static void drop(struct bytes *bytes, size_t at, size_t count)
{
    if (count > bytes->count - at)
        count = bytes->count - at;
    memmove(bytes->items + at, bytes->items + at + count, bytes->count - at - count);
    bytes->count -= count;
}

static void insert_noise(struct bytes *bytes, size_t at, struct dice *dice, bool zeros)
{
    unsigned char noise[300];
    size_t count = 1 + (size_t)dice_below(dice, dice_chance(dice, 200) ? sizeof noise : 12);
    for (size_t i = 0; i < count; i++)
        noise[i] = zeros ? 0 : (unsigned char)dice_next(dice);
    insert(bytes, at, noise, count);
}

/* Bytes from elsewhere in the stream: whole frames in them look sound. */
static void insert_copy(struct bytes *bytes, size_t at, struct dice *dice)
{
    unsigned char copy[200];
    size_t from = (size_t)dice_below(dice, bytes->count);
    size_t count = 1 + (size_t)dice_below(dice, sizeof copy);
    if (count > bytes->count - from)
        count = bytes->count - from;
    memcpy(copy, bytes->items + from, count);
    insert(bytes, at, copy, count);
}

static void damage_once(struct bytes *bytes, struct dice *dice)
{
    if (bytes->count == 0)
        return;
    size_t at = (size_t)dice_below(dice, bytes->count);
    switch (dice_below(dice, 8)) {
    case 0:
    case 1:
        bytes->items[at] = (unsigned char)(bytes->items[at] ^ 1u << dice_below(dice, 8));
        break;
    case 2:
        bytes->items[at] = (unsigned char)dice_next(dice);
        break;
    case 3:
        drop(bytes, at, 1 + (size_t)dice_below(dice, dice_chance(dice, 200) ? 300 : 4));
        break;
    case 4: {
        unsigned char twice = bytes->items[at];
        insert(bytes, at, &twice, 1);
        break;
    }
    case 5:
        insert_noise(bytes, at, dice, false);
        break;
    case 6:
        insert_noise(bytes, at, dice, true);
        break;
    default:
        insert_copy(bytes, at, dice);
        break;
    }
}

static struct bytes join(const struct packets *packets)
{
    struct bytes bytes = {0};
    size_t room = 1;
    for (size_t i = 0; i < packets->count; i++)
        room += packets->items[i].size;
    bytes.items = malloc(room);
    if (bytes.items == NULL)
        abort();
    for (size_t i = 0; i < packets->count; i++) {
        memcpy(bytes.items + bytes.count, packets->items[i].bytes, packets->items[i].size);
        bytes.count += packets->items[i].size;
    }
    return bytes;
}

/* A host that attaches late misses the beginning, up to a frame or to the middle of one. */
static void attach_late(struct dice *dice, struct packets *packets, size_t *bytes_missed)
{
    size_t missed = (size_t)dice_below(dice, packets->count * 2 / 3 + 1);
    memmove(packets->items, packets->items + missed,
            (packets->count - missed) * sizeof *packets->items);
    packets->count -= missed;
    if (packets->count > 0 && dice_chance(dice, 500))
        *bytes_missed = (size_t)dice_below(dice, packets->items[0].size);
}

/* Most streams end in the middle of a frame, some soon after they began. */
static void truncate(struct bytes *bytes, struct dice *dice)
{
    size_t some = (size_t)dice_below(dice, bytes->count < 60 ? bytes->count + 1 : 60);
    bytes->count = dice_chance(dice, 200) ? some : bytes->count - some;
}

unsigned char *link_carry(const struct device_options *options, struct dice *dice,
                          struct packets *packets, size_t *size)
{
    size_t missed = 0;
    lose(options, dice, packets);
    reorder(options, dice, packets);
    repeat(options, dice, packets);
    if (options->late_attach && packets->count > 0)
        attach_late(dice, packets, &missed);

    struct bytes bytes = join(packets);
    packets_drop(packets);
    drop(&bytes, 0, missed);
    if (options->damage > 0)
        for (uint64_t i = dice_below(dice, options->damage + 1); i > 0; i--)
            damage_once(&bytes, dice);
    if (options->truncated)
        truncate(&bytes, dice);
    *size = bytes.count;
    return bytes.items;
}
