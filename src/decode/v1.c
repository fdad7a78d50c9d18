#include "decode/v1.h"

/* Ticks are unsigned on the wire; beyond the signed range they stand at its limit. */
static int64_t absolute_ticks(const struct wire_frame *frame, bool *saturated)
{
    *saturated = frame->ticks < 0;
    return *saturated ? INT64_MAX : frame->ticks;
}

static bool is_restart(const struct run *run, const struct wire_frame *frame, int64_t tick)
{
    if (!run->sequence.started)
        return false;
    int64_t step = stave__number_step(WIRE_VERSION_1, run->sequence.next, frame->sequence);
    return step < -STAVE__NEAR || tick < run->clock - RUN_RESTART_NS;
}

static int find_voice(struct run *run, const struct wire_frame *frame, struct event *event,
                      stave_error *error)
{
    stave_lane lane = run_lane_of(frame);
    if (pairing_is_full(&run->pairing) &&
        !stave__strings_find(&run->trace->strings, frame->name, frame->name_size, &lane.name))
        return STAVE_OK; /* no voice for it, and no memory either */
    int status = stave__trace_string(run->trace, frame->name, frame->name_size, &lane.name, error);
    if (status >= 0)
        status = stave__run_voice(run, lane.name, &event->voice, error);
    if (status < 0 || event->voice == NULL || frame->kind == WIRE_SPAN_END)
        return status;
    status = stave__pairing_lane_writer(&run->pairing, &lane, &event->writer, error);
    if (status >= 0 && event->writer == NULL)
        event->voice = NULL; /* no lane left for it: unresolved */
    return status;
}

int stave__v1_take(struct run *run, const struct wire_frame *frame, stave_error *error)
{
    struct event event = {
        .kind = frame->kind,
        .value = frame->value,
        .has_value = frame->has_value,
        .timed = true,
    };
    int status = STAVE_OK;
    event.tick = absolute_ticks(frame, &event.saturated);
    if (is_restart(run, frame, event.tick))
        status = stave__run_restart(run, error);
    if (status < 0)
        return status;

    run->stats->frames++;
    uint64_t number = stave__sequence_unroll(&run->sequence, frame->sequence);
    if (stave__sequence_is_duplicate(&run->sequence, number)) {
        run->stats->duplicates++;
        return STAVE_OK;
    }
    run->clock = event.tick;
    run->has_clock = true;
    run->stats->times_saturated += event.saturated;
    if (frame->kind <= WIRE_MARKER && frame->name_size > 0)
        status = find_voice(run, frame, &event, error);
    return status >= 0 ? stave__run_arrive(run, &event, number, error) : status;
}
