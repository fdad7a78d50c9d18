/* clips/causes.h - which firing an activation came from, by its timetag.
 *
 * CLIPS numbers activations as they come onto the agenda. What came in one firing is a range of numbers, and ranges ascend:
 * a search by halves finds the firing. A range is needed as long as one of its activations is on the agenda; the owner
 * says which are (need), and the others go (sweep), so that memory is that of the agenda, not of the run.  */
#ifndef STAVE_CLIPS_CAUSES_H
#define STAVE_CLIPS_CAUSES_H

#include <stave/rules.h>

#include <stdbool.h>

struct clips_range {
    uint64_t first, end; /* timetags; `end` is not in it */
    stave_run firing;
    bool is_needed;
};

/* All zero but `max` is one without ranges. */
struct stave__clips_causes {
    struct clips_range *ranges;
    size_t count, capacity, max;
    uint64_t forgotten; /* timetags below it may have been in a range that was needed */
};

/* The firing, or all zero: it is in no range. */
stave_run stave__clips_causes_find(const struct stave__clips_causes *causes, uint64_t timetag);

/* A range behind all that there are. There must be room: count < capacity. */
void stave__clips_causes_add(struct stave__clips_causes *causes, struct clips_range range);

/* Room for twice as many, at most for `max`. False: there is no memory, or it is `max` already. */
bool stave__clips_causes_grow(struct stave__clips_causes *causes);

void stave__clips_causes_need(struct stave__clips_causes *causes, uint64_t timetag);
void stave__clips_causes_sweep(struct stave__clips_causes *causes);

/* Forgets the older half, needed or not. */
void stave__clips_causes_forget_half(struct stave__clips_causes *causes);

/* Forgets all: timetags begin anew. */
void stave__clips_causes_clear(struct stave__clips_causes *causes);

void stave__clips_causes_free(struct stave__clips_causes *causes);

#endif
