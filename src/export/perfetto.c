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

#include "export/perfetto_tracks.h"

#define FLUSH ((size_t)32 * 1024)

enum {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
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
    struct stave__tracks tracks;
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

/* Whether this sequence has it. */
static bool has(const struct state *state, enum table table, uint32_t id)
{
    return state->seen[table][id] == state->lane + 1;
}

/* What it does not have yet goes into the packet, in front of what refers to it. False: it has it. */
static bool begin_intern(struct state *state, enum table table, uint32_t id, size_t *interned,
                         size_t *entry)
{
    if (has(state, table, id))
        return false;
    state->seen[table][id] = state->lane + 1;
    if (*interned == 0)
        *interned = stave__message_begin(&state->message, PACKET_INTERNED);
    *entry = stave__message_begin(&state->message, table_fields[table]);
    stave__message_varint(&state->message, 1, (uint64_t)id + 1);
    return true;
}

static void intern(struct state *state, enum table table, uint32_t id, size_t *interned)
{
    size_t size, entry;
    if (!begin_intern(state, table, id, interned, &entry))
        return;
    const char *text = stave_trace_string(state->writing.trace, id, &size);
    stave__message_text(&state->message, 2, text, size);
    stave__message_end(&state->message, entry);
}

/* The place of a name comes with it, under its number. */
static void intern_name(struct state *state, uint32_t name, size_t *interned)
{
    size_t entry;
    intern(state, EVENT_NAMES, name, interned);
    struct stave__source source = stave__source_of_name(state->writing.trace, name);
    if (source.file_size == 0 || !begin_intern(state, LOCATIONS, name, interned, &entry))
        return;
    stave__message_text(&state->message, 2, source.file, source.file_size);
    if (source.function_size > 0)
        stave__message_text(&state->message, 3, source.function, source.function_size);
    stave__message_varint(&state->message, 4, source.line);
    stave__message_end(&state->message, entry);
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

/* The lane's own track is its sequence's default. */
static size_t begin_event(struct state *state, uint32_t type, uint32_t track)
{
    size_t event = stave__message_begin(&state->message, PACKET_TRACK_EVENT);
    stave__message_varint(&state->message, EVENT_TYPE, type);
    if (track != 0)
        stave__message_varint(&state->message, EVENT_TRACK, stave__track_uuid(state->lane, track));
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

/* Once its name is interned. */
static bool has_location(const struct state *state, const struct stave__shown *span)
{
    return stave__has_own_name(span) && has(state, LOCATIONS, span->name);
}

static void intern_all(struct state *state, const struct stave__shown *span)
{
    size_t interned = 0;
    if (span->deeper == 0)
        intern_name(state, span->name, &interned);
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
           has(state, EVENT_NAMES, span->name);
}

static int enter(void *context, const struct stave__shown *span, const struct stave__shown *parent)
{
    struct state *state = context;
    uint64_t iid = (uint64_t)span->name + 1;
    (void)parent;
    if (is_plain(state, span))
        return put_plain(state, TYPE_BEGIN, span->start, iid, has_location(state, span) ? iid : 0);
    size_t packet = begin_packet(state);
    put_head(state, (uint64_t)span->start);
    intern_all(state, span);
    size_t event = begin_event(state, TYPE_BEGIN, span->track);
    put_span_name(state, span);
    if (has_location(state, span))
        stave__message_varint(&state->message, EVENT_LOCATION_IID, iid);
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

static int begin_lane(void *context, uint32_t lane)
{
    struct state *state = context;
    state->lane = lane;
    make_head(state);
    stave__tracks_lane(&state->tracks, lane);
    return flush_full(state);
}

static int begin_track(void *context, uint32_t lane, uint32_t track)
{
    struct state *state = context;
    if (track != 0)
        stave__tracks_overlapping(&state->tracks, lane, track);
    return flush_full(state);
}

/* ---- moments --------------------------------------------------------------------------------- */

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
    stave__tracks_counter(&state->tracks, lane, moment->name);
    size_t packet = begin_packet(state);
    put_head(state, moment->time);
    size_t event = stave__message_begin(message, PACKET_TRACK_EVENT);
    stave__message_varint(message, EVENT_TYPE, TYPE_COUNTER);
    stave__message_varint(message, EVENT_TRACK, stave__counter_uuid(lane, moment->name));
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

static int begin(void *context, struct stave__walk *walk)
{
    struct state *state = context;
    size_t strings = (size_t)stave_trace_strings(walk->trace) + 1;
    bool have = stave__tracks_open(&state->tracks, &state->writing, &state->message);
    for (unsigned i = 0; i < TABLES; i++) {
        state->seen[i] = calloc(strings, sizeof *state->seen[i]);
        have = have && state->seen[i] != NULL;
    }
    if (have)
        stave__tracks_clock(&state->tracks);
    return have ? flush_full(state) : STAVE_E_MEMORY;
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
    stave__tracks_close(&state->tracks);
    stave__message_free(&state->message);
}

const struct stave__format stave__perfetto_format = {
    .state_size = sizeof(struct state),
    .visitor = {.depth_max = STAVE__PERFETTO_DEPTH - 1,
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
