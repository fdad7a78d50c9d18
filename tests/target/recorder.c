/* All of the recorder as one file, so that it can forget everything, and the model hears of what the
 * poll asks of the ring. */
#include "target/ring.c"

#include "board.h"
#include "link.h"
#include "model.h"
#include "recorder.h"

#include <string.h>

static struct link *link_used; /* by the last start */

static void told_start(uint32_t hz, uint32_t sent, struct stave__moment *now)
{
    model_call(&(struct model_call){.what = MODEL_START, .hz = hz});
    stave__ring_start(hz, sent, now);
    model_return();
}

static uint32_t told_take(struct stave__slot *slot, uint32_t sent)
{
    model_call(&(struct model_call){.what = MODEL_TAKE});
    uint32_t waited = stave__ring_take(slot, sent);
    model_return();
    return waited;
}

static void told_request(uint8_t kind, uint8_t name)
{
    model_call(&(struct model_call){.what = MODEL_REQUEST, .kind = kind, .id = name});
    stave__ring_request(kind, name);
    model_return();
}

static bool told_drop_full(uint32_t sent, struct stave__moment *now)
{
    model_call(&(struct model_call){.what = MODEL_DROP, .half = link_is_half(link_used)});
    bool full = stave__ring_drop_full(sent, now);
    model_return();
    return full;
}

static void told_tell_sent(uint32_t sent)
{
    model_call(&(struct model_call){.what = MODEL_NOTHING});
    stave__ring_tell_sent(sent);
    model_return();
}

static bool told_mark_still(void)
{
    model_call(
        &(struct model_call){.what = MODEL_EVENT, .kind = WIRE_MARKER, .name = &clock_still});
    bool placed = stave__ring_mark_still();
    model_return();
    return placed;
}

#define stave__ring_start told_start
#define stave__ring_take told_take
#define stave__ring_request told_request
#define stave__ring_drop_full told_drop_full
#define stave__ring_tell_sent told_tell_sent
#define stave__ring_mark_still told_mark_still
#include "target/poll.c"

const struct stave_target_name *const recorder_still = &clock_still;

void recorder_reset(void)
{
    for (uint32_t i = 0; i < ring.names_count; i++)
        *ring.names[i]->number = 0;
    link_used = NULL;
    memset(&ring, 0, sizeof ring);
    memset(&sender, 0, sizeof sender);
    memset(&dictionary, 0, sizeof dictionary);
    memset(&clock_watch, 0, sizeof clock_watch);
}

/* ---- calls --------------------------------------------------------------------------------------- */

static void event(uint32_t kind, const struct stave_target_name *name, bool has_value,
                  uint32_t value)
{
    model_call(&(struct model_call){
        .what = MODEL_EVENT, .kind = kind, .name = name, .has_value = has_value, .value = value});
}

void do_begin(const struct stave_target_name *name)
{
    event(WIRE_SPAN_START, name, false, 0);
    stave_target_begin(name);
    model_return();
}

void do_begin_value(const struct stave_target_name *name, uint32_t value)
{
    event(WIRE_SPAN_START, name, true, value);
    stave_target_begin_value(name, value);
    model_return();
}

void do_end(const struct stave_target_name *name)
{
    event(WIRE_SPAN_END, name, false, 0);
    stave_target_end(name);
    model_return();
}

void do_mark(const struct stave_target_name *name)
{
    event(WIRE_MARKER, name, false, 0);
    stave_target_mark(name);
    model_return();
}

void do_mark_value(const struct stave_target_name *name, uint32_t value)
{
    event(WIRE_MARKER, name, true, value);
    stave_target_mark_value(name, value);
    model_return();
}

void do_start(const struct stave_target_config *config)
{
    struct link *link = config->context;
    model.drop = config->drop;
    model.half_sent = link == link_used && link_is_half(link);
    link->run = link->count;
    link_used = link;
    stave_target_start(config);
}

void do_rate(uint32_t hz)
{
    model_call(&(struct model_call){.what = MODEL_RATE, .hz = hz});
    stave_target_rate(hz);
    model_return();
}

bool do_poll(uint32_t times)
{
    bool done = true;
    model.polls = true;
    while (times-- > 0)
        done = stave_target_poll();
    model.polls = false;
    return done;
}

struct stave_target_counts do_counts(void)
{
    struct stave_target_counts counts;
    model_call(&(struct model_call){.what = MODEL_COUNT});
    stave_target_get_counts(&counts);
    model_return();
    model_check_counts(&counts);
    return counts;
}
