/* decode/v2.h - frames of version 2: restarts, far numbers, duplicates, times (rules 3, 4, 5 and 8
 * of docs/etrace.md), in this order for each frame.  */
#ifndef STAVE_DECODE_V2_H
#define STAVE_DECODE_V2_H

#include "decode/run.h"

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

/* Takes events from `at` on as long as they are as usual as can be (usual.c), and returns where it
 * stopped: what stands there goes the long way, or *status is an error. */
const uint8_t *stave__v2_take_usual(struct v2 *v2, const uint8_t *at, const uint8_t *end,
                                    int *status, stave_error *error);

#endif
