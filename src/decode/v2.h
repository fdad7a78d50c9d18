/* decode/v2.h - frames of version 2: restarts, far numbers, duplicates, times (rules 3, 4, 5 and 8
 * of docs/etrace.md), in this order for each frame.  */
#ifndef STAVE_DECODE_V2_H
#define STAVE_DECODE_V2_H

#include "decode/run.h"
#include "wire/event.h"

/* A frame that waits for the two behind it, because its number is far (rule 3). */
struct v2_frame {
    struct wire_frame fields; /* its name is in `name` */
    char name[WIRE_PAYLOAD_MAX];
    size_t size;
    uint64_t offset;
};

#define V2_QUEUE_MAX 3

struct v2 {
    struct run *run;
    struct v2_frame queue[V2_QUEUE_MAX];
    uint32_t queued;
};

/* The next sound frame, `size` bytes at `offset` of the stream. */
int stave__v2_take(struct v2 *v2, const struct wire_frame *frame, size_t size, uint64_t offset,
                   stave_error *error);

/* The stream ends: what waits is decided. */
int stave__v2_finish(struct v2 *v2, stave_error *error);

/* Whether the usual event is as usual as can be: the next number, nothing held, a known voice and
 * time. If so, it takes effect here, at the cost of a few compares, and the caller counts the frame;
 * else it must go the long way. */
static inline bool v2_take_event(struct v2 *v2, const struct wire_event *usual, int *status,
                                 stave_error *error)
{
    struct run *run = v2->run;
    struct voice *voice = run->pairing.direct[usual->name_id];
    struct event event = {
        .voice = voice,
        .kind = usual->kind,
        .value = usual->value,
        .has_value = usual->has_value,
        .timed = true,
    };
    if (voice == NULL || !run->has_clock || !sequence_is_next(&run->sequence, usual->sequence) ||
        __builtin_add_overflow(run->clock, usual->ticks, &event.tick))
        return false;
    event.writer = voice->writer;
    run->clock = event.tick;
    *status = run_effect(run, &event, sequence_take_next(&run->sequence), error);
    return true;
}

#endif
