#include "export/perfetto_tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER_MAX ((uint64_t)INT32_MAX)

enum { DEFAULTS_TRACK_EVENT = 11, DEFAULTS_CLOCK = 58 };
enum { CLOCK_REALTIME_ID = 1, CLOCK_MONOTONIC_ID = 3, CLOCK_BOOTTIME_ID = 6 };
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDERING = 11,
    TRACK_RANK = 12,
    TRACK_DESCRIPTION = 14,
    TRACK_MERGE = 15
};
enum { ORDERING_EXPLICIT = 3, MERGE_NEVER = 2 };

/* Of what belongs to no process: a track that they are below. */
static uint64_t process_uuid(uint32_t process_plus_1)
{
    return (uint64_t)1 << 63 | process_plus_1;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static void put_lane_name(struct stave__tracks *tracks, uint32_t field, uint32_t lane)
{
    size_t size;
    const char *text = stave__lane_name_text(tracks->writing->trace, lane, &size);
    stave__message_text(tracks->message, field, text, size);
}

/* The system's, as far as it is one that Perfetto can take. */
static uint64_t pid_of(const struct stave__tracks *tracks, uint32_t process_plus_1)
{
    uint64_t number = stave_trace_process(tracks->writing->trace, process_plus_1 - 1)->number;
    return number != 0 && number <= NUMBER_MAX ? number : process_plus_1;
}

static void describe_process(struct stave__tracks *tracks, uint32_t lane, uint32_t process_plus_1)
{
    struct stave__message *message = tracks->message;
    size_t size;
    if (tracks->processes[process_plus_1])
        return;
    tracks->processes[process_plus_1] = true;
    size_t packet = stave__message_begin(message, TRACE_PACKET);
    stave__message_varint(message, PACKET_SEQUENCE, (uint64_t)lane + 1);
    size_t track = stave__message_begin(message, PACKET_DESCRIPTOR);
    stave__message_varint(message, TRACK_UUID, process_uuid(process_plus_1));
    if (process_plus_1 != 0) {
        size_t process = stave__message_begin(message, TRACK_PROCESS);
        stave__message_varint(message, 1, pid_of(tracks, process_plus_1));
        const char *name =
            stave__process_name_text(tracks->writing->trace, process_plus_1 - 1, &size);
        stave__message_text(message, 6, name, size);
        stave__message_end(message, process);
    } else {
        stave__message_text(message, TRACK_NAME, tracks->writing->name,
                            strlen(tracks->writing->name));
    }
    stave__message_varint(message, TRACK_ORDERING, ORDERING_EXPLICIT);
    stave__message_end(message, track);
    stave__message_end(message, packet);
}

/* A thread of a process that no other lane is; its name does not count where it is only its track's. */
static bool is_thread(const struct stave__tracks *tracks, uint32_t lane, const stave_lane *l)
{
    return l->kind == STAVE_LANE_THREAD && l->process != 0 && l->number != 0 &&
           l->number <= NUMBER_MAX && !tracks->shared[lane];
}

static void put_thread(struct stave__tracks *tracks, uint32_t lane, const stave_lane *l)
{
    size_t thread = stave__message_begin(tracks->message, TRACK_THREAD);
    stave__message_varint(tracks->message, 1, pid_of(tracks, l->process));
    stave__message_varint(tracks->message, 2, l->number);
    put_lane_name(tracks, 5, lane);
    stave__message_end(tracks->message, thread);
}

static void put_named_lane(struct stave__tracks *tracks, uint32_t lane, const stave_lane *l)
{
    char text[64];
    const char *kind = stave__lane_kind_text(l);
    put_lane_name(tracks, TRACK_NAME, lane);
    int size = snprintf(text, sizeof text, "%s, priority %" PRIu32, kind, l->priority);
    bool has_priority = l->kind == STAVE_LANE_TASK || l->kind == STAVE_LANE_ISR;
    stave__message_bytes(tracks->message, TRACK_DESCRIPTION, text,
                         has_priority ? (size_t)size : strlen(kind));
}

static void put_lane(struct stave__tracks *tracks, uint32_t lane)
{
    struct stave__message *message = tracks->message;
    const stave_lane *l = stave_trace_lane(tracks->writing->trace, lane);
    size_t track = stave__message_begin(message, PACKET_DESCRIPTOR);
    stave__message_varint(message, TRACK_UUID, stave__track_uuid(lane, 0));
    stave__message_varint(message, TRACK_PARENT, process_uuid(l->process));
    if (is_thread(tracks, lane, l))
        put_thread(tracks, lane, l);
    else
        put_named_lane(tracks, lane, l);
    stave__message_varint(message, TRACK_RANK, stave__lane_rank(tracks->writing->trace, lane));
    stave__message_varint(message, TRACK_MERGE, MERGE_NEVER);
    stave__message_end(message, track);
}

static void put_defaults(struct stave__tracks *tracks, uint32_t lane)
{
    struct stave__message *message = tracks->message;
    size_t defaults = stave__message_begin(message, PACKET_DEFAULTS);
    if (tracks->writing->walk->timeline.has_epoch)
        stave__message_varint(message, DEFAULTS_CLOCK, CLOCK_MONOTONIC_ID);
    size_t event = stave__message_begin(message, DEFAULTS_TRACK_EVENT);
    stave__message_varint(message, EVENT_TRACK, stave__track_uuid(lane, 0));
    stave__message_end(message, event);
    stave__message_end(message, defaults);
}

void stave__tracks_lane(struct stave__tracks *tracks, uint32_t lane)
{
    struct stave__message *message = tracks->message;
    size_t packet = stave__message_begin(message, TRACE_PACKET);
    stave__message_varint(message, PACKET_SEQUENCE, (uint64_t)lane + 1);
    stave__message_varint(message, PACKET_FLAGS, FLAG_CLEARED);
    stave__message_varint(message, PACKET_FIRST, 1);
    put_defaults(tracks, lane);
    put_lane(tracks, lane);
    stave__message_end(message, packet);
    describe_process(tracks, lane, stave_trace_lane(tracks->writing->trace, lane)->process);
}

void stave__tracks_overlapping(struct stave__tracks *tracks, uint32_t lane, uint32_t track)
{
    struct stave__message *message = tracks->message;
    char name[32];
    size_t packet = stave__message_begin(message, TRACE_PACKET);
    stave__message_varint(message, PACKET_SEQUENCE, (uint64_t)lane + 1);
    size_t descriptor = stave__message_begin(message, PACKET_DESCRIPTOR);
    stave__message_varint(message, TRACK_UUID, stave__track_uuid(lane, track));
    stave__message_varint(message, TRACK_PARENT, stave__track_uuid(lane, 0));
    int size = snprintf(name, sizeof name, "overlapping %" PRIu32, track);
    stave__message_bytes(message, TRACK_NAME, name, (size_t)size);
    stave__message_varint(message, TRACK_MERGE, MERGE_NEVER);
    stave__message_end(message, descriptor);
    stave__message_end(message, packet);
}

void stave__tracks_counter(struct stave__tracks *tracks, uint32_t lane, uint32_t name)
{
    struct stave__message *message = tracks->message;
    const stave_lane *l = stave_trace_lane(tracks->writing->trace, lane);
    if (tracks->counters[name] == lane + 1)
        return;
    tracks->counters[name] = lane + 1;
    size_t packet = stave__message_begin(message, TRACE_PACKET);
    stave__message_varint(message, PACKET_SEQUENCE, (uint64_t)lane + 1);
    size_t track = stave__message_begin(message, PACKET_DESCRIPTOR);
    stave__message_varint(message, TRACK_UUID, stave__counter_uuid(lane, name));
    stave__message_varint(message, TRACK_PARENT, process_uuid(l->process));
    if (name != 0) {
        size_t size;
        const char *text = stave_trace_string(tracks->writing->trace, name, &size);
        stave__message_text(message, TRACK_NAME, text, size);
    } else {
        put_lane_name(tracks, TRACK_NAME, lane);
    }
    stave__message_end(message, stave__message_begin(message, TRACK_COUNTER));
    stave__message_varint(message, TRACK_MERGE, MERGE_NEVER);
    stave__message_end(message, track);
    stave__message_end(message, packet);
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct numbered {
    uint32_t process, lane;
    uint64_t number;
};

static int compare_numbered(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The system gives a thread's number again, and Perfetto would take both for one. */
static bool find_shared(struct stave__tracks *tracks, const stave_trace *trace)
{
    uint32_t lanes = stave_trace_lanes(trace);
    struct numbered *numbered = malloc(((size_t)lanes + 1) * sizeof *numbered);
    tracks->shared = calloc((size_t)lanes + 1, sizeof *tracks->shared);
    if (numbered == NULL || tracks->shared == NULL) {
        free(numbered);
        return false;
    }
    for (uint32_t i = 0; i < lanes; i++) {
        const stave_lane *lane = stave_trace_lane(trace, i);
        numbered[i] = (struct numbered){lane->process, i, lane->number};
    }
    qsort(numbered, lanes, sizeof *numbered, compare_numbered);
    for (uint32_t i = 1; i < lanes; i++)
        if (compare_numbered(&numbered[i - 1], &numbered[i]) == 0)
            tracks->shared[numbered[i - 1].lane] = tracks->shared[numbered[i].lane] = true;
    free(numbered);
    return true;
}

bool stave__tracks_open(struct stave__tracks *tracks, const struct stave__writing *writing,
                        struct stave__message *message)
{
    const stave_trace *trace = writing->trace;
    tracks->writing = writing;
    tracks->message = message;
    tracks->counters = calloc((size_t)stave_trace_strings(trace) + 1, sizeof *tracks->counters);
    tracks->processes = calloc((size_t)stave_trace_processes(trace) + 1, sizeof *tracks->processes);
    return find_shared(tracks, trace) && tracks->counters != NULL && tracks->processes != NULL;
}

void stave__tracks_close(struct stave__tracks *tracks)
{
    free(tracks->counters);
    free(tracks->processes);
    free(tracks->shared);
}

/* ---- the clock ------------------------------------------------------------------------------- */

static void put_clock(struct stave__tracks *tracks, uint32_t id, uint64_t time)
{
    size_t clock = stave__message_begin(tracks->message, 1);
    stave__message_varint(tracks->message, 1, id);
    stave__message_varint(tracks->message, 2, time);
    stave__message_end(tracks->message, clock);
}

/* When the trace's time 0 was. */
void stave__tracks_clock(struct stave__tracks *tracks)
{
    struct stave__message *message = tracks->message;
    const struct stave__timeline *timeline = &tracks->writing->walk->timeline;
    if (!timeline->has_epoch)
        return;
    size_t packet = stave__message_begin(message, TRACE_PACKET);
    size_t snapshot = stave__message_begin(message, PACKET_CLOCK_SNAPSHOT);
    put_clock(tracks, CLOCK_MONOTONIC_ID, 0);
    put_clock(tracks, CLOCK_BOOTTIME_ID, 0);
    put_clock(tracks, CLOCK_REALTIME_ID, (uint64_t)timeline->epoch_ns);
    stave__message_end(message, snapshot);
    stave__message_end(message, packet);
}
