/* decode/run.h - one run of a device, from a start to a restart: what both versions share.
 *
 * A run has a boot of the trace, a clock, the order of its events, and what is open. Frames are
 * taken by v1.c and v2.c; here their events take effect (rules 6 to 10 of docs/etrace.md).  */
#ifndef STAVE_DECODE_RUN_H
#define STAVE_DECODE_RUN_H

#include "decode/doubt.h"
#include "decode/pairing.h"
#include "decode/sequence.h"

struct run {
    stave_trace *trace;
    stave_decode_stats *stats;
    enum wire_version version;
    bool begun;
    uint32_t boot;
    struct stave__boot *clock_line;
    struct sequence sequence;
    struct pairing pairing;
    struct doubts doubts;
    uint32_t device_lane;
    uint32_t reset_name; /* string id */
    struct stave__appender gaps;
    struct stave__appender resets;
    double offset_us; /* where the next run begins */
    double last_hz;   /* of the runs so far; 0: nanoseconds */
    bool rate_known;  /* this run has said what a tick is */
    bool has_clock;   /* a time is known */
    int64_t clock;    /* ticks, in the order of arrival */
    bool has_latest;
    int64_t latest; /* highest time that has taken effect */
};

int stave__run_init(struct run *run, stave_trace *trace, stave_decode_stats *stats,
                    stave_error *error);
void stave__run_free(struct run *run);

/* The first run begins when the version is known, the others at a restart. */
int stave__run_begin(struct run *run, enum wire_version version, stave_error *error);

/* Rule 10, and at a restart the marker of rule 8. */
int stave__run_end(struct run *run, bool restarted, stave_error *error);

/* The end of this run, the beginning of the next. */
int stave__run_restart(struct run *run, stave_error *error);

/* An event that is no duplicate arrives; it takes effect when its turn comes. */
int stave__run_arrive(struct run *run, const struct event *event, uint64_t number,
                      stave_error *error);

/* An absolute time more than 10 ms before the clock is a restart (rule 8). */
#define RUN_RESTART_NS 10000000

/* What a frame says of its lane, but for the name. */
static inline stave_lane run_lane_of(const struct wire_frame *frame)
{
    return (stave_lane){
        .kind = frame->source == WIRE_SOURCE_ISR ? STAVE_LANE_ISR : STAVE_LANE_TASK,
        .priority = frame->priority,
        .has_deadline = frame->has_deadline,
        .deadline_ms = frame->deadline_ms,
    };
}

/* a + b, at the limit of the range when it is beyond; then *saturated is set. */
int64_t stave__run_add_ticks(int64_t a, int64_t b, bool *saturated);

/* A voice for an id, new if need be; NULL in *voice when there is none to be had (rule 9: such
 * events are counted as unresolved). */
int stave__run_voice(struct run *run, uint32_t id, struct voice **voice, stave_error *error);

/* Counts damage and remembers the first. */
void stave__run_damage(stave_decode_stats *stats, uint64_t offset, enum wire_damage damage);

#endif
