/* export/perfetto_tracks.h - the tracks of a trace in Perfetto's protobuf format: processes, lanes, what overlaps on them,
 * counters; and the clock.
 *
 *     if (!stave__tracks_open(&tracks, &state->writing, &message)) ...       // out of memory
 *     stave__tracks_clock(&tracks);
 *     stave__tracks_lane(&tracks, lane);                 // a sequence begins
 *     stave__tracks_overlapping(&tracks, lane, 2);
 *     stave__tracks_counter(&tracks, lane, name);        // once is enough, more do no harm
 *     stave__tracks_close(&tracks);
 *
 * All write to the message. A lane's sequence id is its number plus 1.  */
#ifndef STAVE_EXPORT_PERFETTO_TRACKS_H
#define STAVE_EXPORT_PERFETTO_TRACKS_H

#include "export/format.h"
#include "export/protobuf.h"

enum { TRACE_PACKET = 1 };
enum {
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_DEFAULTS = 59,
    PACKET_DESCRIPTOR = 60,
    PACKET_FIRST = 87
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { EVENT_TRACK = 11 };

struct stave__tracks {
    const struct stave__writing *writing;
    struct stave__message *message;
    uint32_t *counters; /* by string id: the lane plus 1 which has a track for it */
    bool *processes;    /* by process plus 1: described */
    bool *shared;       /* by lane: another one has its number */
};

bool stave__tracks_open(struct stave__tracks *tracks, const struct stave__writing *writing,
                        struct stave__message *message);
void stave__tracks_close(struct stave__tracks *tracks);

/* When the trace's time 0 was, if that is known. */
void stave__tracks_clock(struct stave__tracks *tracks);
void stave__tracks_lane(struct stave__tracks *tracks, uint32_t lane);
void stave__tracks_overlapping(struct stave__tracks *tracks, uint32_t lane, uint32_t track);
void stave__tracks_counter(struct stave__tracks *tracks, uint32_t lane, uint32_t name);

static inline uint64_t stave__track_uuid(uint32_t lane, uint32_t track)
{
    return ((uint64_t)lane + 1) << 32 | track;
}

static inline uint64_t stave__counter_uuid(uint32_t lane, uint32_t name)
{
    return (uint64_t)1 << 62 | stave__track_uuid(lane, name);
}

#endif
