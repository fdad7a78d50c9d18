#include "model.h"
#include "board.h"
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

#ifndef STAVE_TARGET_CLOCK_BITS
#define STAVE_TARGET_CLOCK_BITS 32
#endif

enum { CALLS_MAX = 8 };

struct model model;

static struct {
    struct model_call calls[CALLS_MAX]; /* the innermost is the last */
    uint32_t depth;

    bool on;             /* started: before, there are no places */
    bool hole;           /* what came last was dropped */
    uint32_t newest;     /* frame of the youngest place */
    bool newest_can_age; /* it is a header of the dictionary, which may be told another time */

    uint32_t rate_frames; /* a change of rate that waits: frames still to come */
    uint32_t rate_hz;
    uint64_t rate_ticks;

    struct model_call wanted; /* of the dictionary, that waits; or what is MODEL_NOTHING */

    struct stave_target_counts counts;
} own;

void model_reset(void)
{
    struct model_frame *frames = model.frames;
    uint32_t size = model.size;
    memset(&model, 0, sizeof model);
    memset(&own, 0, sizeof own);
    model.frames = frames;
    model.size = size;
}

void model_free(void)
{
    free(model.frames);
    memset(&model, 0, sizeof model);
}

/* ---- frames -------------------------------------------------------------------------------------- */

static uint64_t now(void)
{
    return board.read - model.start;
}

static struct model_frame *append(uint32_t kind, uint32_t id, enum model_fate fate)
{
    if (model.count == model.size) {
        model.size = model.size == 0 ? 1 << 12 : 2 * model.size;
        model.frames = realloc(model.frames, model.size * sizeof *model.frames);
        CHECK(model.frames != NULL);
    }
    struct model_frame *frame = &model.frames[model.count++];
    *frame = (struct model_frame){.ticks = now(), .kind = kind, .id = id, .fate = (uint8_t)fate};
    return frame;
}

static bool is_full(void)
{
    return !own.on || model.used == STAVE_TARGET_RING;
}

/* The frames that are appended next are one place's. */
static void take_place(bool can_age)
{
    CHECK(!is_full());
    own.hole = false;
    own.newest = model.count;
    own.newest_can_age = can_age;
    model.used++;
    if (model.peak < model.used)
        model.peak = model.used;
}

/* ---- events -------------------------------------------------------------------------------------- */

static uint32_t id_of(const struct stave_target_name *name)
{
    for (uint32_t i = 0; i < model.names_count; i++)
        if (model.names[i] == name)
            return i + 1;
    return 0;
}

/* A name gets an id if there is one; then it is announced. */
static uint32_t meet(const struct stave_target_name *name)
{
    uint32_t most = STAVE_TARGET_NAMES + (id_of(recorder_still) != 0);
    if (name != recorder_still && model.names_count == most) {
        model.unnamed++;
        return 0;
    }
    model.names[model.names_count++] = name;
    append(WIRE_NAME_REGISTERED, model.names_count, FATE_WAITS);
    return model.names_count;
}

static void event(const struct model_call *call)
{
    enum model_fate fate = is_full() ? FATE_NO_PLACE : FATE_WAITS;
    uint32_t id = id_of(call->name);

    if (fate == FATE_WAITS) {
        take_place(false);
        if (id == 0)
            id = meet(call->name);
    }
    own.hole = own.on && fate == FATE_NO_PLACE;
    bool mark_too = call->kind == WIRE_SPAN_START && call->has_value;
    struct model_frame *frame = append(call->kind, id, fate);
    if (mark_too)
        frame = append(WIRE_MARKER, id, fate);
    frame->has_value = call->has_value;
    frame->value = call->value;
}

/* ---- headers and names --------------------------------------------------------------------------- */

static void announce_rate(void)
{
    bool rate = own.rate_frames == 1;
    take_place(false);
    struct model_frame *header = append(WIRE_TRACE_START, 0, FATE_WAITS);
    header->ticks = own.rate_ticks;
    header->has_value = rate;
    header->hz = rate ? own.rate_hz : 0;
    own.rate_frames--;
}

/* Where a 32-bit clock may have wrapped since the event before, a header comes first. */
static void change_rate(uint32_t hz)
{
    model.hz = hz;
    own.rate_hz = hz;
    own.rate_ticks = now();
    own.rate_frames = is_full() && STAVE_TARGET_CLOCK_BITS == 32 ? 2 : 1;
    if (!is_full())
        announce_rate();
}

static bool can_age(void)
{
    return own.wanted.kind == WIRE_TRACE_START && model.used != 0 && own.newest_can_age;
}

static void place_wanted(void)
{
    if (can_age()) {
        model.frames[own.newest].ticks = now();
    } else {
        take_place(own.wanted.kind == WIRE_TRACE_START);
        append(own.wanted.kind, own.wanted.id, FATE_WAITS);
    }
    own.wanted.what = MODEL_NOTHING;
}

static void request(const struct model_call *call)
{
    CHECK(call->kind == WIRE_TRACE_START || (call->id >= 1 && call->id <= model.names_count));
    own.wanted = *call;
    if (!is_full() || (own.rate_frames == 0 && can_age()))
        place_wanted();
}

/* ---- counts ------------------------------------------------------------------------------------- */

uint32_t model_count(enum model_fate fate)
{
    uint32_t count = 0;
    uint32_t from = fate == FATE_WAITS && model.next > model.run ? model.next : model.run;
    for (uint32_t i = from; i < model.count; i++)
        count += model.frames[i].fate == (uint8_t)fate;
    return count;
}

/* The half frame of a run that was cut still is: it counts for nothing, as 2^32 - 1 + 1. */
static void count(void)
{
    uint32_t half = model.half_sent ? 1 : 0;
    own.counts = (struct stave_target_counts){
        .sent = model_count(FATE_SENT) - half,
        .dropped_ring_full = model_count(FATE_NO_PLACE),
        .dropped_transport_full = model_count(FATE_DROPPED),
        .waiting = model_count(FATE_WAITS) + half,
        .unnamed = model.unnamed,
        .ring_peak = model.peak,
    };
}

/* ---- the ring ------------------------------------------------------------------------------------ */

static void begin_again(void)
{
    model.used = 0;
    own.rate_frames = 0;
    own.wanted.what = MODEL_NOTHING;
    take_place(false);
    struct model_frame *header = append(WIRE_TRACE_START, 0, FATE_WAITS);
    header->has_value = true;
    header->hz = model.hz;
}

static void end_waiting(uint32_t from, enum model_fate fate)
{
    for (uint32_t i = from; i < model.count; i++)
        if (model.frames[i].fate == FATE_WAITS)
            model.frames[i].fate = (uint8_t)fate;
}

static void start(uint32_t hz)
{
    end_waiting(model.next, FATE_STARTED_ANEW);
    model.next = model.count;
    model.run = model.count;
    model.start = board.read;
    model.peak = 0;
    model.unnamed = 0;
    model.names_count = 0;
    model.hz = hz;
    own.on = true;
    begin_again();
}

/* A frame that is half sent stays: the next, if it is not of the run before. */
static void drop_if_full(const struct model_call *call)
{
    CHECK(model.drop);
    if (!is_full())
        return;
    CHECK(model_next() != NULL);
    end_waiting(model.next + (call->half && !model.half_sent), FATE_DROPPED);
    begin_again();
}

static void take(void)
{
    if (model.used == 0 && own.hole) { /* a host sees it by what is behind it */
        take_place(false);
        append(WIRE_TRACE_START, 0, FATE_WAITS);
    }
    if (model.used == 0)
        return;
    model.used--;
    if (own.rate_frames != 0)
        announce_rate();
    else if (own.wanted.what != MODEL_NOTHING)
        place_wanted();
}

/* ---- what others call ---------------------------------------------------------------------------- */

void model_call(const struct model_call *call)
{
    CHECK(own.depth < CALLS_MAX);
    own.calls[own.depth++] = *call;
}

void model_return(void)
{
    CHECK(own.depth > 0);
    own.depth--;
    CHECK(own.calls[own.depth].stepped);
}

void model_step(void)
{
    struct model_call *call = own.depth != 0 ? &own.calls[own.depth - 1] : NULL;
    if (call == NULL)
        return;
    CHECK(!call->stepped);
    call->stepped = true;
    switch (call->what) {
    case MODEL_EVENT:
        event(call);
        break;
    case MODEL_RATE:
        change_rate(call->hz);
        break;
    case MODEL_START:
        start(call->hz);
        break;
    case MODEL_TAKE:
        take();
        break;
    case MODEL_REQUEST:
        request(call);
        break;
    case MODEL_COUNT:
        count();
        break;
    case MODEL_DROP:
        drop_if_full(call);
        break;
    case MODEL_NOTHING:
        break;
    }
}

const struct stave_target_counts *model_counts(void)
{
    return &own.counts;
}

void model_check_counts(const struct stave_target_counts *got)
{
    const struct stave_target_counts *expected = &own.counts;
    uint32_t late = expected->sent - got->sent;
    CHECK(model.polls ? late <= 3 : late == 0);
    CHECK_SAME(got->dropped_ring_full, expected->dropped_ring_full);
    CHECK_SAME(got->dropped_transport_full, expected->dropped_transport_full);
    CHECK_SAME(got->waiting, expected->waiting + late);
    CHECK_SAME(got->unnamed, expected->unnamed);
    CHECK_SAME(got->ring_peak, expected->ring_peak);
}

/* ---- what goes out ------------------------------------------------------------------------------- */

const struct model_frame *model_next(void)
{
    while (model.next < model.count && model.frames[model.next].fate != FATE_WAITS)
        model.next++;
    return model.next < model.count ? &model.frames[model.next] : NULL;
}

static void check_header(const struct wire_frame *got, const struct model_frame *expected)
{
    if (expected->has_value)
        model.announced = expected->hz;
    CHECK_SAME(got->hz, model.announced);
    CHECK_SAME(got->timebase, model.announced != 0 ? WIRE_CYCLES : WIRE_NANOSECONDS);
    CHECK_SAME(got->source_mask, STAVE_TARGET_GROUPS);
}

uint32_t model_name_size(const struct stave_target_name *name)
{
    uint32_t size = name->size;
    while (size > STAVE_TARGET_NAME_MAX || (size < name->size && (name->text[size] & 0xc0) == 0x80))
        size--;
    return size;
}

static void check_name(const struct wire_frame *got, const struct model_frame *expected)
{
    const struct stave_target_name *name = model.names[expected->id - 1];
    CHECK_SAME(got->name_size, model_name_size(name));
    CHECK(memcmp(got->name, name->text, got->name_size) == 0);
    CHECK_SAME(got->source, name->source);
    CHECK_SAME(got->priority, name->priority);
    CHECK_SAME(got->has_deadline, name->has_deadline);
    if (name->has_deadline)
        CHECK(memcmp(&got->deadline_ms, &name->deadline_ms, sizeof(float)) == 0);
}

/* The fields of other kinds are absent: the encoder's bytes say so (link.c). */
static void check_frame(const struct wire_frame *got, uint64_t ticks, uint32_t number,
                        const struct model_frame *expected)
{
    CHECK_SAME(got->kind, expected->kind);
    CHECK_SAME(got->sequence, number % WIRE_NUMBERS);
    CHECK_SAME(ticks, expected->ticks);
    CHECK_SAME(got->name_id, expected->id);
    if (expected->kind == WIRE_TRACE_START) {
        check_header(got, expected);
    } else if (expected->kind == WIRE_NAME_REGISTERED) {
        check_name(got, expected);
    } else {
        CHECK_SAME(got->has_value, expected->has_value);
        CHECK_SAME(got->value, expected->value);
    }
}

void model_sent(const struct wire_frame *frame, uint64_t ticks)
{
    const struct model_frame *expected = model_next();
    if (model.half_sent) {
        model.half_sent = false;
    } else {
        CHECK(expected != NULL);
        model.frames[model.next].fate = FATE_SENT;
        check_frame(frame, ticks, model.next++ - model.run, expected);
    }
}
