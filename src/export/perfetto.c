/* Perfetto's protobuf format: TracePackets with track events.
 *
 * Rules of its importer that are obeyed here: every event has a sequence id, which is not 0, and a time below 2^63; a
 * sequence, one for each lane, begins with a packet that clears its state and says its defaults, what refers to interned
 * texts or defaults says that it needs them, and texts come before their use; uuids are not 0 and differ in the file;
 * spans are BEGIN and END in the order of their times, one that is still open has no END; a counter has a track of its
 * own; children of a track keep apart, whatever their names; a track is at most 512 levels deep, or what is below is dropped.
 *
 * Source  perfetto.dev/docs/reference/trace-packet-proto  */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/format.h"
#include "export/protobuf.h"

#define PERFETTO_DEPTH 512
#define FLUSH ((size_t)32 * 1024)
#define NUMBER_MAX ((uint64_t)INT32_MAX)

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
enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_LOCATION_IID = 34,
    EVENT_DOUBLE = 44,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum {
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_BOOL = 2,
    ANNOTATION_UINT = 3,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_STRING = 6,
    ANNOTATION_NAME = 10,
    ANNOTATION_STRING_IID = 17
};

/* Interned texts: by their field in InternedData; a text's iid is its string id plus 1. */
enum table { EVENT_NAMES, ANNOTATION_NAMES, LOCATIONS, STRING_VALUES, TABLES };
static const uint32_t table_fields[TABLES] = {2, 3, 4, 29};

struct state {
    struct stave__writing writing;
    struct stave__message message;
    uint32_t *seen[TABLES]; /* by string id: the lane plus 1 whose sequence has it */
    uint32_t *counters;     /* by string id: the lane plus 1 which has a track for it */
    bool *processes;        /* by process plus 1: described */
    bool *shared;           /* by lane: another one has its number */
    uint32_t lane;
    uint8_t head[16]; /* what every event of the lane has behind its time: */
    size_t head_size;
};

/* ---- packets --------------------------------------------------------------------------------- */

static size_t begin_packet(struct state *state)
{
    return stave__message_begin(&state->message, TRACE_PACKET);
}

static int flush_full(struct state *state)
{
    struct stave__message *message = &state->message;
    if (message->failed)
        return STAVE_E_MEMORY;
    if (message->size >= FLUSH) {
        stave__out_bytes(state->writing.out, message->bytes, message->size);
        message->size = 0;
    }
    return STAVE_OK;
}

static int end_packet(struct state *state, size_t packet)
{
    stave__message_end(&state->message, packet);
    return flush_full(state);
}

/* A text that this sequence does not have yet goes into the packet, in front of what refers to it. */
static void intern(struct state *state, enum table table, uint32_t id, size_t *interned)
{
    if (state->seen[table][id] == state->lane + 1)
        return;
    state->seen[table][id] = state->lane + 1;
    struct stave__message *message = &state->message;
    if (*interned == 0)
        *interned = stave__message_begin(message, PACKET_INTERNED);
    size_t size, entry = stave__message_begin(message, table_fields[table]);
    stave__message_varint(message, 1, (uint64_t)id + 1);
    if (table == LOCATIONS) {
        struct stave__source source = stave__source_of(state->writing.trace, id);
        stave__message_text(message, 2, source.file, source.file_size);
        stave__message_varint(message, 4, source.line);
    } else {
        const char *text = stave_trace_string(state->writing.trace, id, &size);
        stave__message_text(message, 2, text, size);
    }
    stave__message_end(message, entry);
}

/* One byte is enough for these fields. */
#define TAG(field, type) ((uint8_t)((field) << 3 | (type)))

static void make_head(struct state *state)
{
    state->head[0] = TAG(PACKET_SEQUENCE, 0);
    state->head_size = 1 + stave__varint_put(state->head + 1, (uint64_t)state->lane + 1);
    state->head[state->head_size++] = TAG(PACKET_FLAGS, 0);
    state->head[state->head_size++] = FLAG_NEEDS_STATE;
}

/* Up to the event: time, sequence, flags. */
static void put_head(struct state *state, uint64_t time)
{
    stave__message_varint(&state->message, PACKET_TIMESTAMP, time);
    if (!stave__message_room(&state->message, state->head_size))
        return;
    memcpy(state->message.bytes + state->message.size, state->head, state->head_size);
    state->message.size += state->head_size;
}

static uint64_t track_uuid(uint32_t lane, uint32_t track)
{
    return ((uint64_t)lane + 1) << 32 | track;
}

static uint64_t counter_uuid(uint32_t lane, uint32_t name)
{
    return (uint64_t)1 << 62 | track_uuid(lane, name);
}

/* Of what belongs to no process: a track that they are below. */
static uint64_t process_uuid(uint32_t process_plus_1)
{
    return (uint64_t)1 << 63 | process_plus_1;
}

/* The lane's own track is its sequence's default. */
static size_t begin_event(struct state *state, uint32_t type, uint32_t track)
{
    size_t event = stave__message_begin(&state->message, PACKET_TRACK_EVENT);
    stave__message_varint(&state->message, EVENT_TYPE, type);
    if (track != 0)
        stave__message_varint(&state->message, EVENT_TRACK, track_uuid(state->lane, track));
    return event;
}

/* ---- annotations ----------------------------------------------------------------------------- */

static void put_value(struct state *state, uint16_t flags, uint64_t value)
{
    struct stave__message *message = &state->message;
    double real;
    switch (stave_value_type(flags)) {
    case STAVE_FLAG_TEXT:
        stave__message_varint(message, ANNOTATION_STRING_IID, value + 1);
        break;
    case STAVE_FLAG_REAL:
        memcpy(&real, &value, sizeof real);
        stave__message_double(message, ANNOTATION_DOUBLE, real);
        break;
    case STAVE_FLAG_SIGNED:
        stave__message_varint(message, ANNOTATION_INT, value);
        break;
    case STAVE_FLAG_BOOL:
        stave__message_varint(message, ANNOTATION_BOOL, value != 0);
        break;
    default:
        stave__message_varint(message, ANNOTATION_UINT, value);
    }
}

static size_t begin_annotation(struct state *state, const char *name)
{
    size_t annotation = stave__message_begin(&state->message, EVENT_ANNOTATION);
    stave__message_bytes(&state->message, ANNOTATION_NAME, name, strlen(name));
    return annotation;
}

static void annotate_number(struct state *state, const char *name, uint64_t number)
{
    size_t annotation = begin_annotation(state, name);
    stave__message_varint(&state->message, ANNOTATION_UINT, number);
    stave__message_end(&state->message, annotation);
}

static void annotate_text(struct state *state, const char *name, const char *text, size_t size)
{
    size_t annotation = begin_annotation(state, name);
    stave__message_text(&state->message, ANNOTATION_STRING, text, size);
    stave__message_end(&state->message, annotation);
}

static bool is_text(const struct stave__detail *detail)
{
    return stave_value_type(detail->flags) == STAVE_FLAG_TEXT;
}

static void put_details(struct state *state, const struct stave__shown *span)
{
    struct stave__message *message = &state->message;
    for (uint32_t i = 0; i < span->details_count; i++) {
        const struct stave__detail *detail = &span->details[i];
        if (detail->kind == STAVE_LINKS)
            stave__message_fixed64(message,
                                   detail->role & STAVE__IS_TARGET ? EVENT_FLOW_END : EVENT_FLOW,
                                   (uint64_t)detail->time);
        if (detail->kind != STAVE_ATTRIBUTES)
            continue;
        size_t annotation = stave__message_begin(message, EVENT_ANNOTATION);
        stave__message_varint(message, ANNOTATION_NAME_IID, (uint64_t)detail->name + 1);
        put_value(state, detail->flags, detail->value);
        stave__message_end(message, annotation);
    }
}

static void put_arguments(struct state *state, const struct stave__shown *span)
{
    char text[STAVE__DOUBTS_MAX];
    put_details(state, span);
    if (state->writing.walk->config.no_args)
        return;
    if (span->entry != NULL) {
        annotate_number(state, "calls", span->entry->calls);
        annotate_number(state, "min_ns", span->entry->least);
        annotate_number(state, "max_ns", span->entry->most);
        annotate_number(state, "first_ns", (uint64_t)span->entry->first);
        annotate_number(state, "last_ns", (uint64_t)span->entry->last);
    }
    size_t size = stave__doubts_text(span, text);
    if (size > 0)
        annotate_text(state, "stave", text, size);
}

/* ---- spans ----------------------------------------------------------------------------------- */

static bool has_source(struct state *state, const struct stave__shown *span)
{
    return span->deeper == 0 && stave__source_of(state->writing.trace, span->name).file_size > 0;
}

static void intern_all(struct state *state, const struct stave__shown *span)
{
    size_t interned = 0;
    if (span->deeper == 0)
        intern(state, EVENT_NAMES, span->name, &interned);
    if (has_source(state, span))
        intern(state, LOCATIONS, span->name, &interned);
    for (uint32_t i = 0; i < span->details_count; i++) {
        const struct stave__detail *detail = &span->details[i];
        if (detail->kind != STAVE_ATTRIBUTES)
            continue;
        intern(state, ANNOTATION_NAMES, detail->name, &interned);
        if (is_text(detail))
            intern(state, STRING_VALUES, (uint32_t)detail->value, &interned);
    }
    if (interned != 0)
        stave__message_end(&state->message, interned);
}

static void put_span_name(struct state *state, const struct stave__shown *span)
{
    char text[STAVE__DEEPER_MAX];
    if (span->deeper != 0)
        stave__message_bytes(&state->message, EVENT_NAME, text,
                             stave__deeper_text(span->deeper, text));
    else
        stave__message_varint(&state->message, EVENT_NAME_IID, (uint64_t)span->name + 1);
}

/* At the deadline, not at the end: that is when it was missed. */
static int put_missed(struct state *state, const struct stave__shown *span)
{
    static const char name[] = "deadline missed";
    size_t size, packet = begin_packet(state);
    const char *of = stave_trace_string(state->writing.trace, span->name, &size);
    put_head(state, (uint64_t)span->deadline);
    size_t event = begin_event(state, TYPE_INSTANT, span->track);
    stave__message_bytes(&state->message, EVENT_NAME, name, sizeof name - 1);
    annotate_text(state, "span", of, size);
    int64_t late = span->end - span->deadline;
    annotate_number(state, "late_ns", late > 0 ? (uint64_t)late : 0);
    stave__message_end(&state->message, event);
    return end_packet(state, packet);
}

/* Most spans are nothing but a name that is known, at a time: as one run of bytes, in a third of the time. `name` and `location`:
 * iids, 0: none. */
static int put_plain(struct state *state, uint32_t type, int64_t time, uint64_t name,
                     uint64_t location)
{
    struct stave__message *message = &state->message;
    if (!stave__message_room(message, sizeof state->head + 5 * STAVE__VARINT_MAX))
        return STAVE_E_MEMORY;
    uint8_t *packet = message->bytes + message->size, *at = packet + 2;
    *at++ = TAG(PACKET_TIMESTAMP, 0);
    at += stave__varint_put(at, (uint64_t)time);
    memcpy(at, state->head, sizeof state->head);
    at += state->head_size;
    *at++ = TAG(PACKET_TRACK_EVENT, 2);
    uint8_t *event = at++;
    *at++ = TAG(EVENT_TYPE, 0);
    *at++ = (uint8_t)type;
    if (name != 0) {
        *at++ = TAG(EVENT_NAME_IID, 0);
        at += stave__varint_put(at, name);
    }
    if (location != 0) {
        at += stave__varint_put(at, (uint64_t)EVENT_LOCATION_IID << 3);
        at += stave__varint_put(at, location);
    }
    *event = (uint8_t)(at - event - 1);
    packet[0] = TAG(TRACE_PACKET, 2);
    packet[1] = (uint8_t)(at - packet - 2);
    message->size += (size_t)(at - packet);
    return flush_full(state);
}

static bool is_plain(const struct state *state, const struct stave__shown *span)
{
    return span->details_count == 0 && span->flags == 0 && span->cut == 0 && span->track == 0 &&
           !span->missed && span->entry == NULL && span->deeper == 0 &&
           state->seen[EVENT_NAMES][span->name] == state->lane + 1;
}

static int enter(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    uint64_t iid = (uint64_t)span->name + 1;
    (void)parent;
    if (is_plain(state, span))
        return put_plain(state, TYPE_BEGIN, span->start, iid,
                         state->seen[LOCATIONS][span->name] == state->lane + 1 ? iid : 0);
    size_t packet = begin_packet(state);
    put_head(state, (uint64_t)span->start);
    intern_all(state, span);
    size_t event = begin_event(state, TYPE_BEGIN, span->track);
    put_span_name(state, span);
    if (has_source(state, span))
        stave__message_varint(&state->message, EVENT_LOCATION_IID, (uint64_t)span->name + 1);
    put_arguments(state, span);
    stave__message_end(&state->message, event);
    int status = end_packet(state, packet);
    return status >= 0 && span->missed ? put_missed(state, span) : status;
}

static int leave(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    (void)parent;
    if (stave__is_left_open(span))
        return STAVE_OK;
    if (span->track == 0)
        return put_plain(state, TYPE_END, span->end, 0, 0);
    size_t packet = begin_packet(state);
    put_head(state, (uint64_t)span->end);
    stave__message_end(&state->message, begin_event(state, TYPE_END, span->track));
    return end_packet(state, packet);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static void put_text_field(struct state *state, uint32_t field, uint32_t id)
{
    size_t size;
    const char *text = stave_trace_string(state->writing.trace, id, &size);
    stave__message_text(&state->message, field, text, size);
}

/* The system's, as far as it is one that Perfetto can take. */
static uint64_t pid_of(const struct state *state, uint32_t process_plus_1)
{
    uint64_t number = stave_trace_process(state->writing.trace, process_plus_1 - 1)->number;
    return number != 0 && number <= NUMBER_MAX ? number : process_plus_1;
}

static int describe_process(struct state *state, uint32_t process_plus_1)
{
    struct stave__message *message = &state->message;
    if (state->processes[process_plus_1])
        return STAVE_OK;
    state->processes[process_plus_1] = true;
    size_t packet = begin_packet(state);
    stave__message_varint(message, PACKET_SEQUENCE, (uint64_t)state->lane + 1);
    size_t track = stave__message_begin(message, PACKET_DESCRIPTOR);
    stave__message_varint(message, TRACK_UUID, process_uuid(process_plus_1));
    if (process_plus_1 != 0) {
        size_t process = stave__message_begin(message, TRACK_PROCESS);
        stave__message_varint(message, 1, pid_of(state, process_plus_1));
        put_text_field(state, 6,
                       stave_trace_process(state->writing.trace, process_plus_1 - 1)->name);
        stave__message_end(message, process);
    } else {
        stave__message_text(message, TRACK_NAME, state->writing.name, strlen(state->writing.name));
    }
    stave__message_varint(message, TRACK_ORDERING, ORDERING_EXPLICIT);
    stave__message_end(message, track);
    return end_packet(state, packet);
}

/* A thread of a process that no other lane is; its name does not count where it is only its track's. */
static bool is_thread(const struct state *state, uint32_t lane, const stave_lane *l)
{
    return l->kind == STAVE_LANE_THREAD && l->process != 0 && l->number != 0 &&
           l->number <= NUMBER_MAX && !state->shared[lane];
}

static void put_thread(struct state *state, const stave_lane *lane)
{
    size_t thread = stave__message_begin(&state->message, TRACK_THREAD);
    stave__message_varint(&state->message, 1, pid_of(state, lane->process));
    stave__message_varint(&state->message, 2, lane->number);
    put_text_field(state, 5, lane->name);
    stave__message_end(&state->message, thread);
}

/* Interrupts first, then tasks, each by priority; then all others. */
static uint64_t rank_of(uint32_t lane, const stave_lane *l)
{
    const uint32_t most = 999999;
    uint32_t below = most - (l->priority < most ? l->priority : most);
    if (l->kind == STAVE_LANE_ISR)
        return below;
    return l->kind == STAVE_LANE_TASK ? 1000000u + below : 2000000u + (uint64_t)lane;
}

static void put_named_lane(struct state *state, const stave_lane *lane)
{
    static const char *const kinds[] = {"task",   "interrupt", "device's stream",
                                        "thread", "core",      "process"};
    char text[64];
    const char *kind = lane->kind < sizeof kinds / sizeof kinds[0] ? kinds[lane->kind] : "lane";
    put_text_field(state, TRACK_NAME, lane->name);
    int size = snprintf(text, sizeof text, "%s, priority %" PRIu32, kind, lane->priority);
    bool has_priority = lane->kind == STAVE_LANE_TASK || lane->kind == STAVE_LANE_ISR;
    stave__message_bytes(&state->message, TRACK_DESCRIPTION, text,
                         has_priority ? (size_t)size : strlen(kind));
}

static void put_lane(struct state *state, uint32_t lane)
{
    struct stave__message *message = &state->message;
    const stave_lane *l = stave_trace_lane(state->writing.trace, lane);
    size_t track = stave__message_begin(message, PACKET_DESCRIPTOR);
    stave__message_varint(message, TRACK_UUID, track_uuid(lane, 0));
    stave__message_varint(message, TRACK_PARENT, process_uuid(l->process));
    if (is_thread(state, lane, l))
        put_thread(state, l);
    else
        put_named_lane(state, l);
    stave__message_varint(message, TRACK_RANK, rank_of(lane, l));
    stave__message_varint(message, TRACK_MERGE, MERGE_NEVER);
    stave__message_end(message, track);
}

static void put_defaults(struct state *state, uint32_t lane)
{
    struct stave__message *message = &state->message;
    size_t defaults = stave__message_begin(message, PACKET_DEFAULTS);
    if (state->writing.walk->timeline.has_epoch)
        stave__message_varint(message, DEFAULTS_CLOCK, CLOCK_MONOTONIC_ID);
    size_t event = stave__message_begin(message, DEFAULTS_TRACK_EVENT);
    stave__message_varint(message, EVENT_TRACK, track_uuid(lane, 0));
    stave__message_end(message, event);
    stave__message_end(message, defaults);
}

static int begin_lane(void *context, uint32_t lane)
{
    struct state *state = context;
    struct stave__message *message = &state->message;
    state->lane = lane;
    make_head(state);
    size_t packet = begin_packet(state);
    stave__message_varint(message, PACKET_SEQUENCE, (uint64_t)lane + 1);
    stave__message_varint(message, PACKET_FLAGS, FLAG_CLEARED);
    stave__message_varint(message, PACKET_FIRST, 1);
    put_defaults(state, lane);
    put_lane(state, lane);
    int status = end_packet(state, packet);
    uint32_t process = stave_trace_lane(state->writing.trace, lane)->process;
    return status < 0 ? status : describe_process(state, process);
}

static int begin_track(void *context, uint32_t lane, uint32_t track)
{
    struct state *state = context;
    struct stave__message *message = &state->message;
    char name[32];
    if (track == 0)
        return STAVE_OK;
    size_t packet = begin_packet(state);
    stave__message_varint(message, PACKET_SEQUENCE, (uint64_t)lane + 1);
    size_t descriptor = stave__message_begin(message, PACKET_DESCRIPTOR);
    stave__message_varint(message, TRACK_UUID, track_uuid(lane, track));
    stave__message_varint(message, TRACK_PARENT, track_uuid(lane, 0));
    int size = snprintf(name, sizeof name, "overlapping %" PRIu32, track);
    stave__message_bytes(message, TRACK_NAME, name, (size_t)size);
    stave__message_varint(message, TRACK_MERGE, MERGE_NEVER);
    stave__message_end(message, descriptor);
    return end_packet(state, packet);
}

/* ---- moments --------------------------------------------------------------------------------- */

static int describe_counter(struct state *state, uint32_t lane, uint32_t name)
{
    struct stave__message *message = &state->message;
    const stave_lane *l = stave_trace_lane(state->writing.trace, lane);
    if (state->counters[name] == lane + 1)
        return STAVE_OK;
    state->counters[name] = lane + 1;
    size_t packet = begin_packet(state);
    stave__message_varint(message, PACKET_SEQUENCE, (uint64_t)lane + 1);
    size_t track = stave__message_begin(message, PACKET_DESCRIPTOR);
    stave__message_varint(message, TRACK_UUID, counter_uuid(lane, name));
    stave__message_varint(message, TRACK_PARENT, process_uuid(l->process));
    put_text_field(state, TRACK_NAME, name != 0 ? name : l->name);
    stave__message_end(message, stave__message_begin(message, TRACK_COUNTER));
    stave__message_varint(message, TRACK_MERGE, MERGE_NEVER);
    stave__message_end(message, track);
    return end_packet(state, packet);
}

static void put_count(struct state *state, const struct stave__moment *moment)
{
    struct stave__message *message = &state->message;
    double real;
    uint32_t type = stave_value_type(moment->flags);
    memcpy(&real, &moment->value, sizeof real);
    if (type == STAVE_FLAG_REAL)
        stave__message_double(message, EVENT_DOUBLE, real);
    else if (type == 0 && moment->value > INT64_MAX)
        stave__message_double(message, EVENT_DOUBLE, (double)moment->value);
    else
        stave__message_varint(message, EVENT_COUNTER,
                              type == STAVE_FLAG_BOOL ? moment->value != 0 : moment->value);
}

static int put_counter(struct state *state, uint32_t lane, const struct stave__moment *moment)
{
    struct stave__message *message = &state->message;
    if (stave_value_type(moment->flags) == STAVE_FLAG_TEXT) {
        state->writing.walk->counts.left_out++;
        return STAVE_OK;
    }
    int status = describe_counter(state, lane, moment->name);
    if (status < 0)
        return status;
    size_t packet = begin_packet(state);
    put_head(state, moment->time);
    size_t event = stave__message_begin(message, PACKET_TRACK_EVENT);
    stave__message_varint(message, EVENT_TYPE, TYPE_COUNTER);
    stave__message_varint(message, EVENT_TRACK, counter_uuid(lane, moment->name));
    put_count(state, moment);
    stave__message_end(message, event);
    return end_packet(state, packet);
}

static void put_moment_arguments(struct state *state, const struct stave__moment *moment)
{
    if (moment->kind == STAVE_GAPS)
        annotate_number(state, "lost", moment->value);
    if (moment->kind != STAVE_MARKS) {
        annotate_number(state, "dur_ns", (uint64_t)moment->end - moment->time);
    } else if (moment->flags & STAVE_FLAG_HAS_VALUE) {
        size_t annotation = begin_annotation(state, "value");
        put_value(state, moment->flags, moment->value);
        stave__message_end(&state->message, annotation);
    }
}

static int put_instant(struct state *state, uint32_t lane, const struct stave__moment *moment)
{
    struct stave__message *message = &state->message;
    size_t size, interned = 0;
    char *label = stave__moment_label(state->writing.trace, lane, moment, &size);
    if (label == NULL)
        return STAVE_E_MEMORY;
    size_t packet = begin_packet(state);
    put_head(state, moment->time);
    if (moment->kind == STAVE_MARKS && (moment->flags & STAVE_FLAG_HAS_VALUE) != 0 &&
        stave_value_type(moment->flags) == STAVE_FLAG_TEXT)
        intern(state, STRING_VALUES, (uint32_t)moment->value, &interned);
    if (interned != 0)
        stave__message_end(message, interned);
    size_t event = begin_event(state, TYPE_INSTANT, 0);
    stave__message_text(message, EVENT_NAME, label, size);
    free(label);
    put_moment_arguments(state, moment);
    stave__message_end(message, event);
    return end_packet(state, packet);
}

static int moment(void *context, uint32_t lane, const struct stave__moment *moment)
{
    return moment->kind == STAVE_COUNTERS ? put_counter(context, lane, moment)
                                          : put_instant(context, lane, moment);
}

/* ---- the file -------------------------------------------------------------------------------- */

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
static bool find_shared(struct state *state, const stave_trace *trace)
{
    uint32_t lanes = stave_trace_lanes(trace);
    struct numbered *numbered = malloc(((size_t)lanes + 1) * sizeof *numbered);
    state->shared = calloc((size_t)lanes + 1, sizeof *state->shared);
    if (numbered == NULL || state->shared == NULL) {
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
            state->shared[numbered[i - 1].lane] = state->shared[numbered[i].lane] = true;
    free(numbered);
    return true;
}

static void put_clock(struct state *state, uint32_t id, uint64_t time)
{
    size_t clock = stave__message_begin(&state->message, 1);
    stave__message_varint(&state->message, 1, id);
    stave__message_varint(&state->message, 2, time);
    stave__message_end(&state->message, clock);
}

/* When the trace's time 0 was. */
static int put_epoch(struct state *state)
{
    const struct stave__timeline *timeline = &state->writing.walk->timeline;
    if (!timeline->has_epoch)
        return STAVE_OK;
    size_t packet = begin_packet(state);
    size_t snapshot = stave__message_begin(&state->message, PACKET_CLOCK_SNAPSHOT);
    put_clock(state, CLOCK_MONOTONIC_ID, 0);
    put_clock(state, CLOCK_BOOTTIME_ID, 0);
    put_clock(state, CLOCK_REALTIME_ID, (uint64_t)timeline->epoch_ns);
    stave__message_end(&state->message, snapshot);
    return end_packet(state, packet);
}

static int begin(void *context, struct stave__walk *walk)
{
    struct state *state = context;
    size_t strings = (size_t)stave_trace_strings(walk->trace) + 1;
    bool have = find_shared(state, walk->trace);
    for (unsigned i = 0; i < TABLES; i++) {
        state->seen[i] = calloc(strings, sizeof *state->seen[i]);
        have = have && state->seen[i] != NULL;
    }
    state->counters = calloc(strings, sizeof *state->counters);
    state->processes =
        calloc((size_t)stave_trace_processes(walk->trace) + 1, sizeof *state->processes);
    if (!have || state->counters == NULL || state->processes == NULL)
        return STAVE_E_MEMORY;
    return put_epoch(state);
}

static int end(void *context)
{
    struct state *state = context;
    if (state->message.size > 0) /* else there was nothing */
        stave__out_bytes(state->writing.out, state->message.bytes, state->message.size);
    return STAVE_OK;
}

static void close_state(void *context)
{
    struct state *state = context;
    for (unsigned i = 0; i < TABLES; i++)
        free(state->seen[i]);
    free(state->counters);
    free(state->processes);
    free(state->shared);
    stave__message_free(&state->message);
}

const struct stave__format stave__perfetto_format = {
    .state_size = sizeof(struct state),
    .visitor = {.depth_max = PERFETTO_DEPTH - 1,
                .wants = STAVE__WANTS_DETAILS | STAVE__WANTS_LINKS,
                .begin = begin,
                .lane = begin_lane,
                .track = begin_track,
                .enter = enter,
                .leave = leave,
                .moment = moment,
                .end = end},
    .close = close_state,
};
