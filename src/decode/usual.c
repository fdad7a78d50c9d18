/* The fast path of version 2: an event in the usual form, with the next number while nothing is held,
 * of a voice that is known, at a time that is known. None of rules 1 to 8 has anything to say about it,
 * so it takes effect at once. Everything else ends the path. */
#include "decode/v2.h"
#include "wire/event.h"

/* What changes with every event, kept out of memory while the path goes on. */
struct hot {
    int64_t clock;
    int64_t latest;
    uint64_t next;
};

static bool may_begin(const struct v2 *v2)
{
    const struct run *run = v2->run;
    return v2->queued == 0 && run->sequence.held_count == 0 && run->has_clock && run->has_latest;
}

static void end_path(struct run *run, const struct hot *hot)
{
    uint64_t events = hot->next - run->sequence.next;
    stave__sequence_took(&run->sequence, events);
    run->stats->frames += events;
    run->clock = hot->clock;
    run->latest = hot->latest;
}

static inline int take_effect(struct run *run, struct voice *voice, const struct wire_event *event,
                              const struct hot *hot, stave_error *error)
{
    switch (event->kind) {
    case WIRE_SPAN_START:
        pairing_start(&run->pairing, voice, voice->writer, hot->clock, hot->next, 0);
        return STAVE_OK;
    case WIRE_SPAN_END:
        return pairing_end(&run->pairing, voice, hot->clock, 0, error);
    default:
        return stave__append_mark(&voice->writer->marks, hot->clock, 0, event->value,
                                  event->has_value ? STAVE_FLAG_HAS_VALUE : 0, error);
    }
}

const uint8_t *stave__v2_take_usual(struct v2 *v2, const uint8_t *at, const uint8_t *end,
                                    int *status, stave_error *error)
{
    struct run *run = v2->run;
    struct hot hot = {run->clock, run->latest, run->sequence.next};
    if (!may_begin(v2))
        return at;
    while (*status >= 0 && end - at >= WIRE_EVENT_ROOM) {
        struct wire_event event;
        size_t size = wire_event_decode(at, &event);
        if (size == 0 || ((hot.next ^ event.sequence) & 16383) != 0)
            break;
        struct voice *voice = run->pairing.direct[event.name_id];
        int64_t tick;
        if (voice == NULL || __builtin_add_overflow(hot.clock, event.ticks, &tick))
            break;
        hot.clock = tick;
        hot.latest = tick > hot.latest ? tick : hot.latest;
        *status = take_effect(run, voice, &event, &hot, error);
        hot.next++;
        at += size;
    }
    end_path(run, &hot);
    return at;
}
