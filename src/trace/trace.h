/* trace/trace.h - building a trace: what producers call, behind stave/trace.h.
 *
 * Lanes are shared by all boots: one for each name, kind, priority and so on. Tables only grow; a lane
 * that turns out to be unused stays, without rows.  */
#ifndef STAVE_TRACE_TRACE_H
#define STAVE_TRACE_TRACE_H

#include "base/strings.h"
#include "stave/trace.h"
#include "trace/blocks.h"
#include "trace/places.h"
#include "trace/rules.h"

struct stave__boot {
    stave_boot shown;
    stave_anchor *anchors; /* ascending by tick from the second on; the first holds before it too */
    uint32_t anchors_used;
    uint32_t anchors_size;
};

struct stave_trace {
    struct stave__strings strings;
    struct stave__table lanes;      /* stave_lane */
    struct stave__table boots;      /* struct stave__boot */
    struct stave__table processes;  /* stave_process */
    struct stave__table modules;    /* stave_module */
    struct stave__table properties; /* stave_property */
    struct stave__table places;     /* stave_place */
    struct stave__place_index *place_index;
    struct stave__rule_tables rules;
    struct stave__blocks blocks;
    struct stave__file *file; /* that it was opened from, or NULL */
    uint32_t *lane_buckets;   /* open addressing: lane + 1, 0 is free */
    uint32_t lane_buckets_size;
    char *temporary_dir;
};

int stave__trace_string(stave_trace *trace, const char *text, size_t size, uint32_t *id,
                        stave_error *error);

/* The lane with these properties, added when there is none. */
int stave__trace_lane(stave_trace *trace, const stave_lane *lane, uint32_t *id, stave_error *error);

/* Whether there is such a lane, and which. */
bool stave__trace_find_lane(const stave_trace *trace, const stave_lane *lane, uint32_t *id);

int stave__trace_process(stave_trace *trace, const stave_process *process, uint32_t *id,
                         stave_error *error);
int stave__trace_module(stave_trace *trace, const stave_module *module, stave_error *error);
int stave__trace_place(stave_trace *trace, const stave_place *place, stave_error *error);

/* The first string with the same text: what is asked by name is asked of all places that have it. Of names that were
 * lost nobody knows whether they were the same: each is its own. */
uint32_t stave__trace_first_alike(const stave_trace *trace, uint32_t string);

/* Says something about the recording, in place of what was said under this key before. */
int stave__trace_set_property(stave_trace *trace, const char *key, uint16_t flags, uint64_t value,
                              stave_error *error);
int stave__trace_set_real(stave_trace *trace, const char *key, double value, stave_error *error);
int stave__trace_set_text(stave_trace *trace, const char *key, const char *text,
                          stave_error *error);

/* A new boot, its clock one anchor: tick 0 is 0 us, at `hz` (0: ticks are ns). */
int stave__trace_boot(stave_trace *trace, double offset_us, double hz, uint32_t *id,
                      stave_error *error);

static inline struct stave__boot *stave__boot_at(const stave_trace *trace, uint32_t boot)
{
    return stave__table_at(&trace->boots, boot);
}

/* What a tick is in the whole of a boot, once that is known. */
void stave__boot_set_rate(struct stave__boot *boot, double hz);

/* From `tick` on the clock runs at `hz`; anchors at or behind the tick are replaced. */
int stave__boot_change_rate(struct stave__boot *boot, int64_t tick, double hz, stave_error *error);

/* A further anchor as it is: behind those that are there. */
int stave__boot_add_anchor(struct stave__boot *boot, const stave_anchor *anchor,
                           stave_error *error);

/* The rate in force at a tick. */
double stave__boot_rate(const struct stave__boot *boot, int64_t tick);

/* A tick in microseconds from the boot's own beginning, without its offset. */
double stave__boot_us(const struct stave__boot *boot, int64_t tick);

#endif
