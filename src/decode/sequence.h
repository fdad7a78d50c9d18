/* decode/sequence.h - rules 3, 4, 6 and 7 of docs/etrace.md, as far as they are about numbers: in
 * which order events take effect, which arrive twice, which are lost.
 *
 * Numbers are unrolled to 64 bits; the low bits are those of the wire.
 *
 * Invariants, between calls
 *  1. `next` is the lowest number that is missing; `highest` the highest that has arrived, so
 *     next <= highest + 1, and next == highest + 1 when nothing is held.
 *  2. When something is held, highest - next <= STAVE__NEAR: older holes were given up.
 *  3. Bit i of `taken` says that next - 1 - i has taken effect (and is not lost).
 *  4. held[n % SEQUENCE_HELD_MAX] is event n if its bit in `is_held` is set, for next <= n <= highest. */
#ifndef STAVE_DECODE_SEQUENCE_H
#define STAVE_DECODE_SEQUENCE_H

#include "decode/framer.h"
#include "stave/status.h"

struct voice;
struct writer;

/* What a frame does when its turn comes. */
struct event {
    int64_t tick;
    struct voice *voice;   /* NULL: no id, or none that can be known */
    struct writer *writer; /* of its rows; NULL where the voice is */
    uint32_t kind;         /* enum wire_kind; dictionary frames and future kinds only have a time */
    uint32_t value;
    bool has_value;
    bool timed; /* tick is known */
    bool saturated;
};

/* A number beyond the highest by at most STAVE__NEAR + 1, which is beyond the next by as much. */
#define SEQUENCE_HELD_MAX 256

struct sequence {
    enum wire_version version;
    bool started; /* a number has arrived in this run */
    uint64_t next;
    uint64_t highest;
    uint64_t taken;
    uint32_t held_count;
    uint64_t is_held[SEQUENCE_HELD_MAX / 64];
    struct event held[SEQUENCE_HELD_MAX];
};

/* Who is told. Both return an error to stop. */
struct sequence_user {
    void *context;
    int (*effect)(void *context, const struct event *event, uint64_t number, stave_error *error);
    /* `count` numbers from `first` on are lost; `behind` is the event after them. */
    int (*lost)(void *context, uint64_t first, uint64_t count, const struct event *behind,
                stave_error *error);
};

/* A new run. Its numbers are above all before. */
void stave__sequence_begin_run(struct sequence *sequence, enum wire_version version);

/* The unrolled number of one on the wire, close to what has arrived. */
uint64_t stave__sequence_unroll(const struct sequence *sequence, uint32_t number);

/* Whether it is held or has taken effect (rule 4). */
bool stave__sequence_is_duplicate(const struct sequence *sequence, uint64_t number);

/* An event that is none of the above arrives. */
int stave__sequence_arrive(struct sequence *sequence, const struct sequence_user *user,
                           const struct event *event, uint64_t number, stave_error *error);

/* The run ends: what is held takes effect, what is missing before it is lost. */
int stave__sequence_flush(struct sequence *sequence, const struct sequence_user *user,
                          stave_error *error);

/* `count` numbers from the next one on have taken effect, with nothing held. */
void stave__sequence_took(struct sequence *sequence, uint64_t count);

#endif
