/* device_choose.c - what the device of a seed is like. */
#include "device_parts.h"

uint32_t any_hz(struct dice *dice)
{
    static const uint32_t hz[12] = {16000000, 64000000,   72000000, 168000000, 1000000,   32768, 3,
                                    1,        4294967295, 0,        480000000, 1000000000};
    return hz[dice_below(dice, 12)];
}

/* A feature that some devices have, more or less of it. */
static unsigned some(struct dice *dice, unsigned devices, unsigned at_most)
{
    return dice_chance(dice, devices) ? 1 + (unsigned)dice_below(dice, at_most) : 0;
}

static void choose_firmware(struct dice *dice, struct device_options *options)
{
    options->frames = 50 + (unsigned)dice_below(dice, 551);
    options->tasks = 1 + (unsigned)dice_below(dice, 5);
    options->isrs = (unsigned)dice_below(dice, 4);
    options->marks = (unsigned)dice_below(dice, 4);
    options->registry = dice_chance(dice, 150) ? (unsigned)dice_below(dice, 6) : 40;
    options->queue = 1 + (unsigned)dice_below(dice, 8);
    options->cycles = dice_chance(dice, 400);
    options->core_hz = options->cycles || dice_chance(dice, 100) ? any_hz(dice) : 0;
    options->dictionary = some(dice, 700, 40);
}

static void choose_beginning(struct dice *dice, struct device_options *options)
{
    uint32_t modulus_less_1 = options->wire_version == 2 ? 16383 : 4294967295;
    uint64_t how = dice_below(dice, 10);
    if (how > 7)
        options->first_number = (uint32_t)dice_next(dice) & modulus_less_1;
    else if (how > 4)
        options->first_number = modulus_less_1 - (uint32_t)dice_below(dice, 300);
    if (dice_chance(dice, 300))
        options->first_ticks = (int64_t)dice_spread(dice, 62);
    else if (dice_chance(dice, 50) && options->wire_version == 2)
        options->first_ticks = -(int64_t)dice_below(dice, 1000000);
    options->no_start = some(dice, 200, 1000);
}

static void choose_trouble(struct dice *dice, struct device_options *options)
{
    options->never_named = some(dice, 150, 400);
    options->missed_calls = some(dice, 250, 80);
    options->late_isr = some(dice, 400, 300);
    options->rate_change = some(dice, 150, 20);
    options->restart = some(dice, 250, 20);
    options->jump = some(dice, 150, 10);
    options->odd = some(dice, 300, 100);
    options->broken = some(dice, 200, 20);
    options->extreme = some(dice, 40, 5);
    options->queue_loss = some(dice, 300, 40);
    options->queue_burst = some(dice, 150, 10);
    options->wire_loss = some(dice, 300, 40);
    options->wire_burst = some(dice, 150, 10);
    options->reorder = some(dice, 300, 100);
    options->repeat = some(dice, 250, 60);
    options->late_attach = dice_chance(dice, 200);
    options->damage = some(dice, 350, 12);
    options->truncated = dice_chance(dice, 150);
}

void device_choose(uint64_t seed, struct device_options *options)
{
    struct dice dice = {seed};
    *options = (struct device_options){.seed = seed};
    options->wire_version = dice_chance(&dice, 100) ? 1 : 2;
    choose_firmware(&dice, options);
    choose_beginning(&dice, options);
    if (dice_chance(&dice, 900)) /* else nothing goes wrong */
        choose_trouble(&dice, options);
}
