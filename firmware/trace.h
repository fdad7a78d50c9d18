/* trace.h - what the demo does, as etrace frames of version 2 on UART0.
 *
 *     static const struct trace_name names[] = {TRACE_ISR("adc", 3),
 *                                               TRACE_TASK_DEADLINE("control", 1, 4.0f)};
 *     trace_start(names, 2);
 *     trace_begin(1); ... trace_end(1);            // ids count from 1: names[id - 1]
 *     trace_poll();                                // in the main loop, often
 *
 * A plain, small use of wire/frame.h and no more: one stream, one table of names, one queue.
 *
 * Interrupts trace_begin(), _end(), _mark() and _mark_value() may be called from anywhere. Each
 *            takes time and number and fills its place in the queue under one short lock, so that
 *            the queue's order is the order of both. The rest belongs to the main loop.
 * Loss       A full queue drops the event, never waits, and counts it; its number is gone, which is
 *            how the host sees the loss. (A name that is new just then may be numbered too far
 *            ahead for the host to believe; the dictionary's repeat brings it.)
 * Memory     TRACE_QUEUE_MAX events of 12 bytes.
 * Source     docs/etrace.md  */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/frame.h"

/* A host gives up on a number once one more than 64 past it has arrived. A new name is numbered
 * after all that waits in the queue and after the names before it, so both together stay within
 * 64. */
#define TRACE_QUEUE_MAX 32u
#define TRACE_NAMES_MAX 32u

#define TRACE_REPEAT_S 2u /* the whole dictionary again, for hosts that attach late */

struct trace_name {
    const char *text; /* at most WIRE_NAME_MAX bytes */
    uint8_t size;
    uint8_t source;   /* enum wire_source; 0 for a marker */
    uint8_t priority; /* the larger, the more urgent */
    bool has_deadline;
    float deadline_ms; /* from the span's start */
};

#define TRACE_NAME(name) .text = (name), .size = sizeof(name) - 1
#define TRACE_ISR(name, urgency)                                                                   \
    {                                                                                              \
        TRACE_NAME(name), .source = WIRE_SOURCE_ISR, .priority = (urgency)                         \
    }
#define TRACE_TASK(name, urgency)                                                                  \
    {                                                                                              \
        TRACE_NAME(name), .source = WIRE_SOURCE_TASK, .priority = (urgency)                        \
    }
#define TRACE_TASK_DEADLINE(name, urgency, ms)                                                     \
    {                                                                                              \
        TRACE_NAME(name), .source = WIRE_SOURCE_TASK, .priority = (urgency), .has_deadline = true, \
                          .deadline_ms = (ms)                                                      \
    }
#define TRACE_MARKER(name)                                                                         \
    {                                                                                              \
        TRACE_NAME(name)                                                                           \
    }

/* Time 0 is now. `names` has at most TRACE_NAMES_MAX entries and stays. Before any interrupt. */
void trace_start(const struct trace_name *names, uint32_t count);

void trace_begin(uint8_t id);
void trace_end(uint8_t id);
void trace_mark(uint8_t id);
void trace_mark_value(uint8_t id, uint32_t value);

/* Sends what is in the queue; when it is empty and the time has come, one frame of the dictionary.
 * To be called at least once a wrap of board_clock(). */
void trace_poll(void);

/* Events dropped so far, and the most that ever waited. */
uint32_t trace_lost(void);
uint32_t trace_queue_peak(void);

#endif
