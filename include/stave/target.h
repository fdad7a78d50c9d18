/* stave/target.h - the recorder for firmware: tasks, interrupt handlers and marks as etrace frames.
 *
 *     STAVE_TARGET_ISR(adc, 0, "adc", 3);                    // at file scope: name, group, text,
 *     STAVE_TARGET_TASK(control, 0, "control", 1);           // priority
 *     STAVE_TARGET_MARKER(reading, 0, "reading");
 *
 *     void ADC_IRQHandler(void)
 *     {
 *         STAVE_TARGET_BEGIN(adc);
 *         STAVE_TARGET_MARK_VALUE(reading, ADC->DATA);
 *         STAVE_TARGET_END(adc);
 *     }
 *
 *     int main(void)
 *     {
 *         static const struct stave_target_config config = {.hz = 72000000, .write = uart_write};
 *
 *         stave_target_start(&config);
 *         for (;;)
 *             stave_target_poll();                           // and what else is to do
 *     }
 *
 * C11 and C++11, freestanding: no C library, no heap; built with -ffreestanding also no memcpy. docs/firmware.md goes from nothing to
 * a decoded trace, and says how to port.
 *
 * Interrupts Begin, end and mark may be called from any task and any handler that the port's lock
 *            keeps out (PRIMASK on a Cortex-M: all but NMI and HardFault), nested, also before
 *            stave_target_start(): then the event is dropped. They never wait; the lock is held for
 *            22 instructions, by the poll for up to 69 (Cortex-M3). stave_target_poll() and stave_target_start() belong to one
 *            context, idle or a low task. A poll takes hundreds of instructions: no work for a handler.
 * Errors     None: recording returns nothing. What does not fit is dropped, counted by reason
 *            (stave_target_get_counts()), and leaves a hole in the numbers, which the host reports.
 * Memory     Static. 12 bytes for each place of the ring (16 with a 64-bit clock), 4 for each name that
 *            may be registered and 1 for each that is defined, about 330 for the rest.
 * Wire       Version 2 of the format in docs/etrace.md.
 *
 * Built with, all by -D and the same for every file. Those without a value are on when defined at all:
 *
 *     STAVE_TARGET_OFF             the whole recorder is off: every probe and function is nothing
 *     STAVE_TARGET_GROUPS          mask of the source groups that are on, bit 0 is group 0
 *     STAVE_TARGET_RING            events that wait for stave_target_poll(), a power of 2, 4 to 32768
 *     STAVE_TARGET_NAMES           names that may be registered, up to 253
 *     STAVE_TARGET_REPEAT_MS       header and dictionary again that often, up to an hour; 0: only what
 *                                  a host cannot do without
 *     STAVE_TARGET_LINK_BYTES      what the transport carries in a second, and
 *     STAVE_TARGET_REPEAT_PERCENT  the share of it that the dictionary may take: a name waits until
 *                                  the frame before it is paid for. If the interval is too short for
 *                                  that, a round takes longer than the interval
 *     STAVE_TARGET_STILL_POLLS     polls in a row, 2 or more, that read the same clock mean that it
 *                                  stands still
 *     STAVE_TARGET_PORT            a header, with its quotes, that takes the place of the port
 *     STAVE_TARGET_OWN_CLOCK       the firmware defines stave_target_clock()
 *     STAVE_TARGET_CLOCK_BITS      of the port's or own clock, 32 or 64
 *     STAVE_TARGET_RTT             bytes of an RTT up-buffer, at least 128 (stave_target_rtt_start())
 *     STAVE_TARGET_SEMIHOSTING     output to a file of the debugger's host, for tests  */
#ifndef STAVE_TARGET_H
#define STAVE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STAVE_TARGET_GROUPS
#define STAVE_TARGET_GROUPS 0xffffffffu
#endif
#ifndef STAVE_TARGET_RING
#define STAVE_TARGET_RING 64
#endif
#ifndef STAVE_TARGET_NAMES
#define STAVE_TARGET_NAMES 40
#endif
#ifndef STAVE_TARGET_REPEAT_MS
#define STAVE_TARGET_REPEAT_MS 2000
#endif
#ifndef STAVE_TARGET_LINK_BYTES
#define STAVE_TARGET_LINK_BYTES 11520 /* 115200 baud, 8N1 */
#endif
#ifndef STAVE_TARGET_REPEAT_PERCENT
#define STAVE_TARGET_REPEAT_PERCENT 10
#endif
#ifndef STAVE_TARGET_STILL_POLLS
#define STAVE_TARGET_STILL_POLLS 10000
#endif

#define STAVE_TARGET_NAME_MAX 32 /* bytes of a name */

/* ---- Names --------------------------------------------------------------------------------------
 * A name is a static descriptor, told apart by its address: recording compares no strings. It gets
 * its number (1, 2, ...) when it is first recorded, and is announced then. When STAVE_TARGET_NAMES
 * have theirs, further names are recorded as number 0: a host counts such events and shows none. */

enum stave_target_source {
    STAVE_TARGET_SOURCE_NONE,
    STAVE_TARGET_SOURCE_ISR,
    STAVE_TARGET_SOURCE_TASK
};

struct stave_target_name {
    const char *text;  /* UTF-8, 1 to STAVE_TARGET_NAME_MAX bytes; need not end in a NUL */
    uint8_t *number;   /* in RAM, 0 at first; the recorder's */
    float deadline_ms; /* from the span's start, when has_deadline */
    uint8_t size;      /* of the text, in bytes */
    uint8_t source;    /* enum stave_target_source; NONE for a marker */
    uint8_t priority;  /* the larger, the more urgent */
    bool has_deadline;
};

/* The macros below define, at file scope, a descriptor that the macros of the probes know by
 * `name`, any identifier that is no macro (vendors' headers have many, TIM2 or ADC1); it does not collide with a variable of that identifier. `group`, 0 to 31, is
 * a constant. `text` is a literal: one of more than 32 bytes, or none, is refused by the compiler.
 * `priority` is 0 to 255. */

/* An interrupt handler, a task, a task with a deadline `ms` after each start, a marker. */
#define STAVE_TARGET_ISR(name, group, text, priority)                                              \
    STAVE_TARGET_NAME(name, group, text, STAVE_TARGET_SOURCE_ISR, priority, false, 0)
#define STAVE_TARGET_TASK(name, group, text, priority)                                             \
    STAVE_TARGET_NAME(name, group, text, STAVE_TARGET_SOURCE_TASK, priority, false, 0)
#define STAVE_TARGET_TASK_DEADLINE(name, group, text, priority, ms)                                \
    STAVE_TARGET_NAME(name, group, text, STAVE_TARGET_SOURCE_TASK, priority, true, ms)
#define STAVE_TARGET_MARKER(name, group, text)                                                     \
    STAVE_TARGET_NAME(name, group, text, STAVE_TARGET_SOURCE_NONE, 0, false, 0)

/* ---- Probes ------------------------------------------------------------------------------------- */

/* A span from here to the END of the same name, in whatever function that is. A host pairs by name:
 * a second BEGIN before the END replaces the first. */
#define STAVE_TARGET_BEGIN(name)                                                                   \
    STAVE_TARGET_PROBE(name, stave_target_begin(STAVE_TARGET_POINTER(name)))
#define STAVE_TARGET_END(name)                                                                     \
    STAVE_TARGET_PROBE(name, stave_target_end(STAVE_TARGET_POINTER(name)))

/* BEGIN, and a mark of the same name that carries the value, at the same time: the format has no
 * value in a span. They share one place in the ring. */
#define STAVE_TARGET_BEGIN_VALUE(name, value)                                                      \
    STAVE_TARGET_PROBE(name, stave_target_begin_value(STAVE_TARGET_POINTER(name), value))

/* A moment, without and with a number. */
#define STAVE_TARGET_MARK(name)                                                                    \
    STAVE_TARGET_PROBE(name, stave_target_mark(STAVE_TARGET_POINTER(name)))
#define STAVE_TARGET_MARK_VALUE(name, value)                                                       \
    STAVE_TARGET_PROBE(name, stave_target_mark_value(STAVE_TARGET_POINTER(name), value))

/* Whether the name's group is on: a constant 0 or 1. */
#define STAVE_TARGET_ON(name) (stave_target_on_##name)

/* STAVE_TARGET_POINTER(name) is the descriptor, for code that is told at run time which name to
 * record, a scheduler's; NULL with STAVE_TARGET_OFF. */

/* What the probes call; `name` is not NULL. Their groups are not looked at. */
#ifndef STAVE_TARGET_OFF
void stave_target_begin(const struct stave_target_name *name);
void stave_target_begin_value(const struct stave_target_name *name, uint32_t value);
void stave_target_end(const struct stave_target_name *name);
void stave_target_mark(const struct stave_target_name *name);
void stave_target_mark_value(const struct stave_target_name *name, uint32_t value);
#endif

/* ---- Running it --------------------------------------------------------------------------------- */

/* Takes up to `size` bytes without waiting and returns how many. Never called by two at a time, and
 * with at most 64 bytes. */
typedef size_t stave_target_write(void *context, const uint8_t *bytes, size_t size);

struct stave_target_config {
    uint32_t hz;               /* ticks of the clock in a second; 0: a tick is a nanosecond */
    stave_target_write *write; /* the transport */
    void *context;             /* passed to it */

    /* When the transport is full, frames wait in the ring. When that is full too,
     * false: new events are dropped until there is a place. What is kept is the oldest.
     * true:  the poll drops all that waits, and the next frame is a header. What is kept is the newest.
     * A frame of which a part is sent is always finished first. */
    bool drop;
};

/* All counts are of frames, since stave_target_start(), modulo 2^32. One event is one frame, but
 * begin_value is two, and the first event of a name announces it, which is one more. Each frame that
 * was dropped is a number that the host misses: its count of lost frames is the sum of both, but for
 * what was dropped before the first frame that it gets. */
struct stave_target_counts {
    uint32_t sent;                   /* the transport has taken it whole */
    uint32_t dropped_ring_full;      /* an event found no place */
    uint32_t dropped_transport_full; /* the poll dropped it: stave_target_config.drop */
    uint32_t waiting;                /* in the ring or half sent */
    uint32_t unnamed;                /* events of names beyond STAVE_TARGET_NAMES */
    uint32_t ring_peak;              /* the most places of the ring that were in use */
    bool clock_still;                /* the clock was found to stand still; a mark says when */
};

#ifndef STAVE_TARGET_OFF

/* Time 0 is now, number 0 is the next; the header is the first frame. The config is copied. A second
 * call begins anew: what waits is given up, a host sees a restart, and each name is announced again. */
void stave_target_start(const struct stave_target_config *config);

/* Sends what waits, at most STAVE_TARGET_RING events a call, as far as the transport takes it; looks
 * at the clock; and when the time has come, sends the next frame of the dictionary. True when nothing
 * waits, so that idle may sleep. A 32-bit clock needs a call at least once in half a wrap. */
bool stave_target_poll(void);

/* The clock runs at `hz` from now on; 0: a tick is a nanosecond. From any context, when the rate has
 * changed. (With the ring full, the announcement waits for the next poll; of two such, the later
 * counts.) */
void stave_target_rate(uint32_t hz);

/* From any context. */
void stave_target_get_counts(struct stave_target_counts *counts);

#ifdef STAVE_TARGET_OWN_CLOCK
/* The firmware's: ticks that count up and wrap at STAVE_TARGET_CLOCK_BITS. Called under the lock, also
 * by probes that come before stave_target_start(). */
#if defined STAVE_TARGET_CLOCK_BITS && STAVE_TARGET_CLOCK_BITS == 64
uint64_t stave_target_clock(void);
#else
uint32_t stave_target_clock(void);
#endif
#endif

#ifdef STAVE_TARGET_RTT
/* A control block in SEGGER's layout with one up-buffer, "etrace", of STAVE_TARGET_RTT bytes. It is
 * empty after the call; a debugger that finds it, before or after, reads while the program runs.
 * STAVE_TARGET_RTT_SECTION, a literal, names the section of both. */
void stave_target_rtt_start(void);

/* For stave_target_config.write: a whole frame or nothing. The context is not used. */
size_t stave_target_rtt_write(void *context, const uint8_t *bytes, size_t size);
#endif

#endif /* STAVE_TARGET_OFF */

#ifdef STAVE_TARGET_SEMIHOSTING
/* Opens a file on the debugger's host, by semihosting; the handle is for the other two, negative
 * where it cannot. The machine stops while the host works. */
int32_t stave_target_semihosting_open(const char *path);

/* For stave_target_config.write; the context points to the handle, an int32_t. */
size_t stave_target_semihosting_write(void *context, const uint8_t *bytes, size_t size);

/* Ends the program with this exit status, where the host ends it. */
void stave_target_semihosting_exit(uint32_t status);
#endif

/* ---- What the macros are made of ---------------------------------------------------------------- */

#ifdef __cplusplus
#define STAVE_TARGET_ASSERT(condition, text) static_assert(condition, text)
#else
#define STAVE_TARGET_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#define STAVE_TARGET_NAME_CHECK(name, group, text, priority)                                       \
    STAVE_TARGET_ASSERT(sizeof("" text) - 1 <= STAVE_TARGET_NAME_MAX,                              \
                        "a name of more than 32 bytes");                                           \
    STAVE_TARGET_ASSERT(sizeof("" text) > 1, "an empty name");                                     \
    STAVE_TARGET_ASSERT((group) >= 0 && (group) < 32, "a group outside 0 to 31");                  \
    STAVE_TARGET_ASSERT((priority) >= 0 && (priority) <= 255, "a priority outside 0 to 255")

/* The condition is a constant: a probe that is off is no code, and still checked by the compiler. (No
 * statement: without optimisation, a compiler may make a jump of each do and while.) */
#define STAVE_TARGET_PROBE(name, call) (STAVE_TARGET_ON(name) ? call : (void)0)

#ifndef STAVE_TARGET_OFF

#define STAVE_TARGET_NAME(name, group, text, source, priority, has, ms)                            \
    STAVE_TARGET_NAME_CHECK(name, group, text, priority);                                          \
    enum { stave_target_on_##name = ((STAVE_TARGET_GROUPS) >> (group)) & 1u };                     \
    static uint8_t stave_target_number_of_##name;                                                  \
    __attribute__((unused)) static const struct stave_target_name stave_target_name_##name =       \
        {                                                                                          \
            text, &stave_target_number_of_##name, (float)(ms), sizeof(text) - 1, source, priority, \
            has}

#define STAVE_TARGET_POINTER(name) (&stave_target_name_##name)

#else /* everything is nothing */

#define STAVE_TARGET_NAME(name, group, text, source, priority, has, ms)                            \
    STAVE_TARGET_NAME_CHECK(name, group, text, priority);                                          \
    enum { stave_target_on_##name = 0 }

#define STAVE_TARGET_POINTER(name) ((const struct stave_target_name *)NULL)

/* No function either, also with -O0. */
#define STAVE_TARGET_NOTHING static inline __attribute__((always_inline))

STAVE_TARGET_NOTHING void stave_target_begin(const struct stave_target_name *name)
{
    (void)name;
}
STAVE_TARGET_NOTHING void stave_target_begin_value(const struct stave_target_name *name,
                                                   uint32_t value)
{
    (void)name, (void)value;
}
STAVE_TARGET_NOTHING void stave_target_end(const struct stave_target_name *name)
{
    (void)name;
}
STAVE_TARGET_NOTHING void stave_target_mark(const struct stave_target_name *name)
{
    (void)name;
}
STAVE_TARGET_NOTHING void stave_target_mark_value(const struct stave_target_name *name,
                                                  uint32_t value)
{
    (void)name, (void)value;
}
STAVE_TARGET_NOTHING void stave_target_start(const struct stave_target_config *config)
{
    (void)config;
}
STAVE_TARGET_NOTHING bool stave_target_poll(void)
{
    return true;
}
STAVE_TARGET_NOTHING void stave_target_rate(uint32_t hz)
{
    (void)hz;
}
STAVE_TARGET_NOTHING void stave_target_get_counts(struct stave_target_counts *counts)
{
    counts->sent = 0; /* one by one: no call of memset */
    counts->dropped_ring_full = 0;
    counts->dropped_transport_full = 0;
    counts->waiting = 0;
    counts->unnamed = 0;
    counts->ring_peak = 0;
    counts->clock_still = false;
}
STAVE_TARGET_NOTHING void stave_target_rtt_start(void)
{
}
STAVE_TARGET_NOTHING size_t stave_target_rtt_write(void *context, const uint8_t *bytes, size_t size)
{
    (void)context, (void)bytes;
    return size;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
