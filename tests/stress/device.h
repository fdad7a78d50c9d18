/* device.h - random devices: what firmware, its queue and its wire can make of a stream.
 *
 *     size_t size;
 *     unsigned char *bytes = device_stream(seed, &size);
 *     ...
 *     free(bytes);
 *
 * A seed always makes the same stream, on every machine: no expression throws the dice in two places
 * whose order C leaves open. The encoder is its own: it shares no code with the project and none with
 * the reference decoder.
 *
 *     device.c         the firmware: tasks, ISRs, names, restarts; a queue that loses events
 *     device_choose.c  what the device of a seed is like
 *     device_frames.c  messages to frames, also odd and broken ones
 *     device_link.c    what happens on the way: loss, order, repeats, damage, a late host  */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Chances are in thousandths: of an event, a frame or a byte. 0 means never. */
struct device_options {
    uint64_t seed;
    int wire_version; /* 1 or 2 */
    unsigned frames;  /* at least that many are sent */

    /* the firmware */
    unsigned tasks, isrs, marks; /* names of each kind */
    unsigned registry;           /* names the device has room for; beyond it ids are 0 */
    unsigned queue;              /* events that wait to be written, at most */
    uint32_t first_number;
    int64_t first_ticks;
    bool cycles;
    uint32_t core_hz;
    unsigned dictionary;   /* an event after which the dictionary is sent again */
    unsigned no_start;     /* TRACE_START is left out */
    unsigned never_named;  /* a name is never sent */
    unsigned missed_calls; /* a start or an end is forgotten */
    unsigned late_isr;     /* an ISR comes between a task's clock and its record */
    unsigned rate_change;  /* the clock's rate changes */
    unsigned restart;      /* the device restarts */
    unsigned jump;         /* numbers are left out: up to 16383, often about 64 */
    unsigned odd;          /* a frame is odd, though sound */
    unsigned broken;       /* a frame is not sound, or its number is far off */
    unsigned extreme;      /* a timestamp at the limits of 64 bits */

    /* queue and wire */
    unsigned queue_loss, queue_burst; /* one event; 1 to 200 */
    unsigned wire_loss, wire_burst;   /* one frame; 1 to 200 */
    unsigned reorder;
    unsigned repeat;
    bool late_attach;
    unsigned damage; /* places of damage in the whole stream, at most */
    bool truncated;
};

/* What the device with this seed is like. */
void device_choose(uint64_t seed, struct device_options *options);

unsigned char *device_stream_of(const struct device_options *options, size_t *size);

/* The two above in one. */
unsigned char *device_stream(uint64_t seed, size_t *size);

/* A clean version 2 stream of exactly `frames` frames, always the same: names, nested spans, markers,
 * and the dictionary again now and then. */
unsigned char *device_plain(size_t frames, size_t *size);

/* ---- dice, for tests that cut and damage ----------------------------------------------------- */

struct dice {
    uint64_t state;
};

uint64_t dice_next(struct dice *dice);
/* 0 to count - 1; count may not be 0. */
uint64_t dice_below(struct dice *dice, uint64_t count);
/* Below 1 << bits, small as often as large. */
uint64_t dice_spread(struct dice *dice, unsigned bits);
/* True `thousandths` times in a thousand. */
bool dice_chance(struct dice *dice, unsigned thousandths);

#endif
