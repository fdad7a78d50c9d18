#include "decode/v2.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

#define RESTART_PER_SECOND 100u /* 10 ms is a hundredth of a second's ticks */

static bool is_absolute(const struct wire_frame *frame)
{
    return frame->kind == WIRE_NAME_REGISTERED || frame->kind == WIRE_TRACE_START;
}

/* Ticks a second that a TRACE_START announces, 0 for nanoseconds; false when it says nothing. */
static bool announced_rate(const struct wire_frame *frame, double *hz)
{
    if (frame->timebase != WIRE_CYCLES) {
        *hz = 0;
        return true;
    }
    *hz = (double)frame->hz;
    return frame->hz != 0;
}

/* ---- restarts (rule 8) ----------------------------------------------------------------------- */

/* More than 10 ms, by the rate in force at the clock. */
static bool is_long_ago(const struct run *run, int64_t tick)
{
    uint64_t ticks = (uint64_t)run->clock - (uint64_t)tick;
    double hz = stave__boot_rate(run->clock_line, run->clock);
    return ticks > (hz == 0 ? (uint64_t)RUN_RESTART_NS : (uint64_t)hz / RESTART_PER_SECOND);
}

static bool goes_back_in_time(const struct run *run, const struct wire_frame *frame)
{
    if (!is_absolute(frame) || !run->has_clock || frame->ticks >= run->clock)
        return false;
    if (is_long_ago(run, frame->ticks))
        return true;
    if (frame->kind != WIRE_TRACE_START)
        return false;
    int64_t ahead = stave__number_step(WIRE_VERSION_2, run->sequence.next, frame->sequence);
    return ahead < 0 || ahead > STAVE__NEAR;
}

static bool gives_a_name(const struct wire_frame *frame)
{
    return frame->kind == WIRE_NAME_REGISTERED && frame->name_id != 0 && frame->name_size > 0;
}

static bool gives_another_name(const struct run *run, const struct wire_frame *frame)
{
    if (!gives_a_name(frame))
        return false;
    const struct voice *voice = stave__pairing_find(&run->pairing, frame->name_id);
    if (voice == NULL || voice->lane.name == 0)
        return false;
    size_t size;
    const char *name = stave_trace_string(run->trace, voice->lane.name, &size);
    return size != frame->name_size || memcmp(name, frame->name, size) != 0;
}

/* ---- times (rule 5) -------------------------------------------------------------------------- */

static int learn_rate(struct run *run, const struct wire_frame *frame, stave_error *error)
{
    double hz;
    if (!announced_rate(frame, &hz))
        return STAVE_OK;
    int status = STAVE_OK;
    if (!run->rate_known)
        stave__boot_set_rate(run->clock_line, hz);
    else if (hz != run->last_hz)
        status = stave__boot_change_rate(run->clock_line, frame->ticks, hz, error);
    run->rate_known = true;
    run->last_hz = hz;
    return status;
}

/* Applies a frame's timestamp to the clock and to its event. */
static int apply_time(struct run *run, const struct wire_frame *frame, struct event *event,
                      stave_error *error)
{
    int status = STAVE_OK;
    if (is_absolute(frame)) {
        if (run->has_clock)
            status = stave__doubts_absolute(&run->doubts, run->clock, frame->ticks, error);
        run->clock = frame->ticks;
        run->has_clock = true;
    } else if (run->has_clock) {
        run->clock = stave__run_add_ticks(run->clock, frame->ticks, &event->saturated);
        run->stats->times_saturated += event->saturated;
    }
    event->tick = run->clock;
    event->timed = run->has_clock;
    if (status >= 0 && frame->kind == WIRE_TRACE_START)
        status = learn_rate(run, frame, error);
    return status;
}

/* ---- names (rule 9) -------------------------------------------------------------------------- */

static int find_voice(struct run *run, uint32_t id, struct voice **voice, stave_error *error)
{
    int status = stave__run_voice(run, id, voice, error);
    if (status >= 0 && *voice != NULL && (*voice)->writer == NULL)
        status = stave__pairing_own_writer(&run->pairing, *voice, error);
    return status;
}

static int register_name(struct run *run, const struct wire_frame *frame, stave_error *error)
{
    stave_lane lane = run_lane_of(frame);
    struct voice *voice;
    int status = find_voice(run, frame->name_id, &voice, error);
    if (status < 0 || voice == NULL)
        return status;
    status = stave__trace_string(run->trace, frame->name, frame->name_size, &lane.name, error);
    return status >= 0 ? stave__pairing_name(&run->pairing, voice, &lane, error) : status;
}

/* ---- one frame ------------------------------------------------------------------------------- */

/* A frame that is no restart, not far and no duplicate. */
static int accept(struct run *run, const struct wire_frame *frame, uint64_t number,
                  stave_error *error)
{
    const struct sequence *sequence = &run->sequence;
    struct event event = {
        .kind = frame->kind,
        .value = frame->value,
        .has_value = frame->has_value,
    };
    if (sequence->started && run->has_clock && number > sequence->highest + 1)
        stave__doubts_hole(&run->doubts, sequence->highest + 1, number - 1, sequence->next,
                           run->clock);
    int status = apply_time(run, frame, &event, error);
    if (status >= 0 && frame->kind <= WIRE_MARKER) {
        status = find_voice(run, frame->name_id, &event.voice, error);
        event.writer = event.voice != NULL ? event.voice->writer : NULL;
    }
    if (status >= 0 && gives_a_name(frame))
        status = register_name(run, frame, error);
    return status >= 0 ? stave__run_arrive(run, &event, number, error) : status;
}

static int accept_unless_duplicate(struct run *run, const struct wire_frame *frame, uint64_t number,
                                   stave_error *error)
{
    run->stats->frames++;
    if (!stave__sequence_is_duplicate(&run->sequence, number))
        return accept(run, frame, number, error);
    run->stats->duplicates++;
    return STAVE_OK;
}

static int restart_if_due(struct run *run, const struct wire_frame *frame, stave_error *error)
{
    if (goes_back_in_time(run, frame) || gives_another_name(run, frame))
        return stave__run_restart(run, error);
    return STAVE_OK;
}

/* ---- far numbers (rule 3) -------------------------------------------------------------------- */

/* The step from the number that usually comes next. */
static int64_t step_to(const struct run *run, const struct wire_frame *frame)
{
    return stave__number_step(WIRE_VERSION_2, run->sequence.highest + 1, frame->sequence);
}

static bool is_far(const struct run *run, const struct wire_frame *frame)
{
    return run->sequence.started && !stave__is_near(step_to(run, frame));
}

/* Whether the frames that wait behind the first go on from it. */
static bool is_continued(const struct v2 *v2)
{
    for (uint32_t i = 1; i < v2->queued; i++)
        if (!stave__is_near(stave__number_step(WIRE_VERSION_2, v2->queue[i - 1].fields.sequence,
                                               v2->queue[i].fields.sequence)))
            return false;
    return v2->queued == V2_QUEUE_MAX || step_to(v2->run, &v2->queue[0].fields) > 0;
}

static int decide_far(struct v2 *v2, stave_error *error)
{
    struct run *run = v2->run;
    const struct v2_frame *frame = &v2->queue[0];
    if (!is_continued(v2)) {
        run->stats->bytes_skipped += frame->size;
        stave__run_damage(run->stats, frame->offset, WIRE_FAR_NUMBER);
        return STAVE_OK;
    }
    uint64_t expected = run->sequence.highest + 1;
    uint64_t ahead = (frame->fields.sequence - expected) & 16383;
    return accept_unless_duplicate(run, &frame->fields, expected + ahead, error);
}

static void enqueue(struct v2 *v2, const struct wire_frame *fields, size_t size, uint64_t offset)
{
    assert(v2->queued < V2_QUEUE_MAX);
    struct v2_frame *frame = &v2->queue[v2->queued++];
    frame->fields = *fields;
    frame->size = size;
    frame->offset = offset;
    if (fields->name == NULL)
        return;
    memcpy(frame->name, fields->name, fields->name_size);
    frame->fields.name = frame->name;
}

static void dequeue(struct v2 *v2)
{
    v2->queued--;
    for (uint32_t i = 0; i < v2->queued; i++) {
        v2->queue[i] = v2->queue[i + 1];
        if (v2->queue[i].fields.name != NULL)
            v2->queue[i].fields.name = v2->queue[i].name;
    }
}

/* Takes what can be decided from the front of the queue. */
static int settle(struct v2 *v2, bool final, stave_error *error)
{
    struct run *run = v2->run;
    while (v2->queued > 0) {
        const struct wire_frame *frame = &v2->queue[0].fields;
        int status = restart_if_due(run, frame, error);
        if (status < 0)
            return status;
        if (!is_far(run, frame))
            status = accept_unless_duplicate(
                run, frame, stave__sequence_unroll(&run->sequence, frame->sequence), error);
        else if (v2->queued == V2_QUEUE_MAX || final)
            status = decide_far(v2, error);
        else
            return STAVE_OK;
        if (status < 0)
            return status;
        dequeue(v2);
    }
    return STAVE_OK;
}

int stave__v2_take(struct v2 *v2, const struct wire_frame *frame, size_t size, uint64_t offset,
                   stave_error *error)
{
    enqueue(v2, frame, size, offset);
    return settle(v2, false, error);
}

int stave__v2_finish(struct v2 *v2, stave_error *error)
{
    return settle(v2, true, error);
}
