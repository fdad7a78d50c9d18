/* Sending: events to frames to the transport, and the dictionary again and again. All of it belongs to
 * the one context that polls. */
#include "target/ring.h"
#include "wire/device.h"

#ifndef STAVE_TARGET_OFF

#define OUT_MAX WIRE_DEVICE_NAME_MAX /* bytes of the longest frame */

_Static_assert(OUT_MAX <= 64 && OUT_MAX >= WIRE_EVENT_MAX && OUT_MAX >= WIRE_HEADER_MAX,
               "what target.h promises to the transport");

/* Bytes a second that the dictionary may take. */
#define SHARE ((STAVE_TARGET_LINK_BYTES) / 100u * (STAVE_TARGET_REPEAT_PERCENT))
#define REPEAT_MS (STAVE_TARGET_REPEAT_MS)
_Static_assert(SHARE > 0, "STAVE_TARGET_REPEAT_PERCENT of STAVE_TARGET_LINK_BYTES is nothing");
_Static_assert(SHARE < UINT32_MAX / OUT_MAX, "STAVE_TARGET_LINK_BYTES is too large");
_Static_assert((STAVE_TARGET_STILL_POLLS) >= 2, "STAVE_TARGET_STILL_POLLS is at least 2");
_Static_assert(STAVE_TARGET_REPEAT_PERCENT <= 100, "STAVE_TARGET_REPEAT_PERCENT is at most 100");
_Static_assert(REPEAT_MS >= 0 && REPEAT_MS <= 3600000, "STAVE_TARGET_REPEAT_MS is 0 to an hour");

#define HALF_WRAP (UINT32_C(1) << 31)

static struct {
    struct stave_target_config config;
    uint32_t sent; /* frames */

    struct stave__slot event; /* whose frames are being sent, or kind 0 */
    stave__ticks raw;         /* the clock, as in the frame before */
    struct stave__moment at;  /* and in the latest of the dictionary */

    uint8_t out[OUT_MAX]; /* a frame */
    const uint8_t *rest;  /* what the transport has not taken of it */
    size_t rest_size;
} sender;

static struct {
    uint32_t hz;          /* as last announced */
    uint64_t interval;    /* ticks from round to round */
    uint64_t now;         /* the poll's */
    uint64_t round_ticks; /* when this round was asked for */
    uint64_t sent_ticks;  /* when its last frame was put, and */
    uint64_t price_ticks; /* how long that one pays */
    uint32_t names_left;  /* in this round */
    uint32_t next;        /* name after which to go on; they take turns, whatever a round is */
    bool in_ring;         /* a frame of it waits there */
    bool name_sent;       /* since the header */
} dictionary;

static struct {
    stave__ticks raw;
    uint32_t polls; /* that read the same */
    bool still;     /* and that was told */
} clock_watch;

/* ---- The dictionary ------------------------------------------------------------------------------ */

static uint32_t ticks_a_second(void)
{
    return dictionary.hz != 0 ? dictionary.hz : 1000000000u;
}

static void set_rate(uint32_t hz)
{
    dictionary.hz = hz;
    dictionary.price_ticks = 0; /* was in ticks of the rate before */
    uint32_t second = ticks_a_second();
    dictionary.interval = (uint64_t)(second / 1000) * REPEAT_MS + second % 1000 * REPEAT_MS / 1000;
}

static void begin_round(uint64_t now)
{
    dictionary.round_ticks = now;
    dictionary.names_left = stave__ring_names();
    dictionary.name_sent = false;
}

/* The frame before is paid for. (Of a clock that went back, too.) */
static bool is_paid(uint64_t now)
{
    return now - dictionary.sent_ticks >= dictionary.price_ticks;
}

/* A header is due after the interval, but takes turns with names. A 32-bit clock needs it after half a
 * wrap, whatever waits (ring.h, invariant 4). */
static bool header_due(uint64_t now)
{
    uint64_t passed = now - dictionary.round_ticks;
    if (STAVE_TARGET_CLOCK_BITS == 32 && passed >= HALF_WRAP)
        return true;
    return passed >= dictionary.interval && !dictionary.in_ring && is_paid(now) &&
           (dictionary.name_sent || dictionary.names_left == 0) && REPEAT_MS != 0;
}

static void request_header(uint64_t now)
{
    if (dictionary.in_ring || REPEAT_MS != 0) /* a name that waits loses its place */
        begin_round(now);
    dictionary.round_ticks = now;
    dictionary.in_ring = true;
    stave__ring_request(WIRE_TRACE_START, 0);
}

static void request_name(void)
{
    dictionary.names_left--;
    dictionary.next = dictionary.next % stave__ring_names() + 1;
    dictionary.name_sent = true;
    dictionary.in_ring = true;
    stave__ring_request(WIRE_NAME_REGISTERED, (uint8_t)dictionary.next);
}

static void tend_dictionary(uint64_t now)
{
    dictionary.now = now;
    if (header_due(now))
        request_header(now);
    else if (!dictionary.in_ring && dictionary.names_left != 0 && is_paid(now))
        request_name();
}

/* A header that the clock needs does not wait, so what was owed is added. In 32 bits: (second % SHARE) *
 * size fits. */
static void pay(uint32_t size)
{
    uint32_t second = ticks_a_second();
    uint64_t passed = dictionary.now - dictionary.sent_ticks;
    uint64_t owed = passed < dictionary.price_ticks ? dictionary.price_ticks - passed : 0;

    dictionary.in_ring = false;
    dictionary.sent_ticks = dictionary.now;
    dictionary.price_ticks =
        owed + (uint64_t)(second / SHARE) * size + second % SHARE * size / SHARE + 1;
}

/* ---- The clock ----------------------------------------------------------------------------------- */

/* A mark that finds no place is tried again after as many polls. */
static void watch_clock(stave__ticks raw)
{
    if (raw != clock_watch.raw) {
        clock_watch.raw = raw;
        clock_watch.polls = 0;
    }
    if (!clock_watch.still && ++clock_watch.polls >= (STAVE_TARGET_STILL_POLLS)) {
        clock_watch.polls = 0;
        clock_watch.still = stave__ring_mark_still();
    }
}

/* To the event's time; returns the step, which is 0 for all frames of an event but the first. */
static stave__ticks_step advance(void)
{
    stave__ticks_step step = (stave__ticks_step)(sender.event.ticks - sender.raw);
    sender.raw = sender.event.ticks;
    return step;
}

/* A frame of the dictionary is absolute: it sets the stream's clock (ring.h, invariant 4). */
static void set_absolute(void)
{
    sender.at.ticks += (uint64_t)(stave__ticks_step)(sender.raw - sender.at.raw);
    sender.at.raw = sender.raw;
}

/* ---- Frames -------------------------------------------------------------------------------------- */

static size_t put_header(uint32_t number)
{
    const struct wire_header header = {
        .ticks = sender.at.ticks,
        .sequence = number % WIRE_NUMBERS,
        .timebase = dictionary.hz != 0 ? WIRE_CYCLES : WIRE_NANOSECONDS,
        .hz = dictionary.hz,
        .source_mask = STAVE_TARGET_GROUPS,
    };
    return stave__wire_put_header(&header, sender.out);
}

static size_t put_name(uint32_t number)
{
    const struct stave_target_name *known = stave__ring_name(sender.event.name);
    const struct wire_name name = {
        .ticks = sender.at.ticks,
        .name_id = sender.event.name,
        .sequence = number % WIRE_NUMBERS,
        .text = known->text,
        .size = known->size,
        .source = known->source,
        .priority = known->priority,
        .has_deadline = known->has_deadline,
        .deadline_ms = known->deadline_ms,
    };
    return stave__wire_put_name(&name, sender.out);
}

static size_t put_dictionary(uint32_t kind, uint32_t number)
{
    set_absolute();
    if ((kind & SLOT_VALUE) != 0)
        set_rate(sender.event.value);
    else if (STAVE_TARGET_CLOCK_BITS == 32) /* it knows the high half */
        sender.at.ticks = (uint64_t)sender.event.value << 32 | (uint32_t)sender.at.ticks;

    size_t size = kind == WIRE_NAME_REGISTERED ? put_name(number) : put_header(number);
    if ((kind & SLOT_EXTRA) == 0)
        pay((uint32_t)size);
    return size;
}

static size_t put_event(uint32_t kind, uint32_t number, stave__ticks_step step)
{
    const struct wire_event event = {
        .ticks = step,
        .name_id = sender.event.name,
        .kind = kind & SLOT_KIND,
        .sequence = number % WIRE_NUMBERS,
        .value = sender.event.value,
        .has_value = kind == (WIRE_MARKER | SLOT_VALUE),
    };
    return stave__wire_put_event(&event, sender.out);
}

/* A frame of this kind goes out next, with the next number. */
static void let_follow(uint32_t kind)
{
    sender.event.kind = (uint8_t)kind;
    sender.event.number++;
}

/* The next frame of the event: its name if that is new, itself, its value. Most events are one frame,
 * and get there by one test. */
static size_t put_next(void)
{
    uint32_t kind = sender.event.kind;
    uint32_t number = sender.event.number;
    stave__ticks_step step = advance();

    sender.event.kind = 0;
    if ((kind & (SLOT_DICTIONARY | SLOT_NEW | SLOT_PAIR)) != 0) {
        if ((kind & SLOT_DICTIONARY) != 0)
            return put_dictionary(kind, number);
        if ((kind & SLOT_NEW) != 0) {
            let_follow(kind - SLOT_NEW);
            set_absolute();
            return put_name(number);
        }
        let_follow(WIRE_MARKER | SLOT_VALUE);
    }
    return put_event(kind, number, step);
}

/* ---- The transport ------------------------------------------------------------------------------- */

/* After a start or a drop: the header waits in the ring. */
static void begin_stream(void)
{
    sender.event.kind = 0;
    dictionary.in_ring = true;
    begin_round(sender.at.ticks);
}

/* A part of the frame in `out` is sent, and a rest is not. */
static bool is_half_sent(void)
{
    return sender.rest_size != 0 && sender.rest != sender.out;
}

/* All that waits is given up, but not the rest of a frame that is half sent. */
static void drop_if_full(void)
{
    bool half_sent = is_half_sent();
    if (!stave__ring_drop_full(sender.sent + half_sent, &sender.at))
        return;
    if (!half_sent)
        sender.rest_size = 0;
    begin_stream();
}

/* All of a frame, or its rest; false when the transport does not take it all. */
static bool send_bytes(const uint8_t *bytes, size_t size)
{
    size_t taken = sender.config.write(sender.config.context, bytes, size);
    if (taken >= size) {
        sender.sent++;
        return true;
    }
    sender.rest = bytes + taken;
    sender.rest_size = size - taken;
    if (sender.config.drop)
        drop_if_full();
    return false;
}

/* The rest of a frame that is half sent goes first on the same transport, and counts for nothing. */
static bool half_sent_to(const struct stave_target_config *config)
{
    return config->write == sender.config.write && config->context == sender.config.context &&
           is_half_sent();
}

void stave_target_start(const struct stave_target_config *config)
{
    bool half_sent = half_sent_to(config);

    if (!half_sent)
        sender.rest_size = 0;
    sender.sent = half_sent ? UINT32_MAX : 0;
    sender.config.write = config->write; /* one by one: no call of memcpy */
    sender.config.context = config->context;
    sender.config.drop = config->drop;
    clock_watch.polls = 0;
    clock_watch.still = false;
    stave__ring_start(config->hz, sender.sent, &sender.at);
    set_rate(config->hz);
    begin_stream();
}

bool stave_target_poll(void)
{
    if (sender.config.write == NULL)
        return true;

    struct stave__moment now;
    stave__ring_look(&now);
    watch_clock(now.raw);
    tend_dictionary(now.ticks);

    const uint8_t *bytes = sender.rest;
    size_t size = sender.rest_size;
    sender.rest_size = 0;
    for (uint32_t events = STAVE_TARGET_RING; size == 0 || send_bytes(bytes, size);) {
        if (sender.event.kind == 0) {
            if (events-- == 0)
                break;
            if (stave__ring_take(&sender.event, sender.sent) == 0)
                return true;
        }
        bytes = sender.out;
        size = put_next();
    }
    stave__ring_tell_sent(sender.sent);
    return false;
}

#endif
