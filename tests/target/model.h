/* model.h - what the recorder must do, told plainly: a list of all frames with 64-bit times, and what
 * became of each.
 *
 * Whoever calls the recorder says so before (model_call) and after (model_return). The board calls
 * model_step() when the lock is given back, and so each call has its place among what interrupts it.
 * The link shows each whole frame that went out (model_sent), which must be the next one of the list,
 * field by field and to the tick.  */
#ifndef MODEL_H
#define MODEL_H

#include "stave/target.h"
#include "wire/frame.h"

enum model_what {
    MODEL_NOTHING,
    MODEL_EVENT,
    MODEL_RATE,
    MODEL_START,
    MODEL_TAKE,    /* the oldest leaves the ring */
    MODEL_REQUEST, /* of a frame of the dictionary */
    MODEL_DROP,    /* of all that waits, if the ring is full */
    MODEL_COUNT
};

struct model_call {
    enum model_what what;
    uint32_t kind; /* enum wire_kind */
    const struct stave_target_name *name;
    bool has_value;
    uint32_t value;
    uint32_t hz;
    uint32_t id;  /* of a name that is requested */
    bool half;    /* of a drop: a frame is half sent, and stays */
    bool stepped; /* the model's */
};

enum model_fate { FATE_WAITS, FATE_SENT, FATE_NO_PLACE, FATE_DROPPED, FATE_STARTED_ANEW };

struct model_frame {
    uint64_t ticks; /* since the start */
    uint32_t kind;  /* enum wire_kind */
    uint32_t id;
    uint32_t value;
    uint32_t hz; /* of a header: the new rate, when has_value */
    bool has_value;
    uint8_t fate; /* enum model_fate */
};

struct model {
    struct model_frame *frames; /* of all starts */
    uint32_t count;
    uint32_t size;
    uint32_t run;  /* the first since the start: its number is 0 */
    uint32_t next; /* the next that may go out */
    bool drop;     /* the config's */
    bool polls;    /* now: what was sent is counted a little later */

    uint64_t start; /* the board's time then */
    uint32_t used;  /* places */
    uint32_t peak;
    uint32_t unnamed;
    uint32_t hz;        /* as set */
    uint32_t announced; /* as the host knows it */

    bool half_sent; /* of the run before: its rest goes out first, and counts for nothing */

    uint32_t names_count; /* ids 1 to the count */
    const struct stave_target_name *names[256];
};

extern struct model model;

/* After power on. */
void model_reset(void);
void model_free(void);

void model_call(const struct model_call *call);
void model_return(void);
void model_step(void);

/* A frame with all its fields, times made absolute, in `size` bytes. */
void model_sent(const struct wire_frame *frame, uint64_t ticks);

/* The next frame that goes out, or NULL. */
const struct model_frame *model_next(void);

/* The bytes of a name that go out: at most 32, and no part of a UTF-8 sequence. */
uint32_t model_name_size(const struct stave_target_name *name);

/* How many frames since the start have this fate. */
uint32_t model_count(enum model_fate fate);

/* As they were at the last MODEL_COUNT; and whether these are the same. */
const struct stave_target_counts *model_counts(void);
void model_check_counts(const struct stave_target_counts *counts);

#endif
