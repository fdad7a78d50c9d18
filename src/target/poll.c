/* Sending: events to frames to the transport, and the dictionary again and again. All of it belongs to
 * the one context that polls. */
#include "target/ring.h"
#include "wire/device.h"

#ifndef STAVE_TARGET_OFF

#define OUT_MAX WIRE_DEVICE_NAME_MAX /* bytes of the longest frame */

/* Bytes a second that the dictionary may take. */
#define SHARE (STAVE_TARGET_LINK_BYTES / 100u * STAVE_TARGET_REPEAT_PERCENT)
_Static_assert(SHARE > 0, "STAVE_TARGET_REPEAT_PERCENT of STAVE_TARGET_LINK_BYTES is nothing");

#define HALF_WRAP (UINT32_C(1) << 31)

static struct {
    struct stave_target_config config;
    uint32_t sent; /* frames; also read by others */

    struct stave__slot event; /* that is being sent, or kind 0 */
    int64_t delta;            /* its time less that of the frame before */
    struct stave__moment at;  /* its time: what the stream's clock shows then */

    uint8_t out[OUT_MAX]; /* a frame, of which out_at bytes are sent */
    uint8_t out_size;
    uint8_t out_at;
} sender;

static struct {
    uint32_t hz;           /* as last announced */
    uint64_t interval;     /* ticks from round to round */
    uint32_t ticks_a_byte; /* that a frame of it pays */
    uint64_t round_ticks;  /* when this round was asked for */
    uint64_t free_ticks;   /* when the frame before is paid for */
    uint32_t names_left;   /* in this round */
    uint32_t next;         /* name after which to go on; they take turns, whatever a round is */
    bool in_ring;          /* a frame of it waits there */
} dictionary;

static struct {
    stave__ticks raw;
    uint32_t polls; /* that read the same */
    bool still;     /* and that was told */
} clock_watch;

/* Read by whoever asks for the counts. */
static void set_sent(uint32_t sent)
{
    __atomic_store_n(&sender.sent, sent, __ATOMIC_RELAXED);
}

static void set_still(bool still)
{
    __atomic_store_n(&clock_watch.still, still, __ATOMIC_RELAXED);
}

/* ---- The dictionary ------------------------------------------------------------------------------ */

static void set_rate(uint32_t hz)
{
    uint32_t ticks_a_s = hz != 0 ? hz : 1000000000u;

    dictionary.hz = hz;
    dictionary.ticks_a_byte = ticks_a_s / SHARE;
    dictionary.interval = ticks_a_s >= 1000 ? (uint64_t)(ticks_a_s / 1000) * STAVE_TARGET_REPEAT_MS
                                            : ticks_a_s * STAVE_TARGET_REPEAT_MS / 1000;
#if STAVE_TARGET_CLOCK_BITS == 32
    if (dictionary.interval == 0 || dictionary.interval > HALF_WRAP)
        dictionary.interval = HALF_WRAP; /* ring.h, invariant 4 */
#endif
}

static void begin_round(uint64_t now)
{
    dictionary.round_ticks = now;
    dictionary.names_left = STAVE_TARGET_REPEAT_MS != 0 ? stave__ring_names() : 0;
}

/* A header is due after the interval; while one waits in the ring, only where the clock needs it. */
static bool header_due(uint64_t now)
{
    uint64_t passed = now - dictionary.round_ticks;
    if (dictionary.in_ring)
        return STAVE_TARGET_CLOCK_BITS == 32 && passed >= HALF_WRAP;
    return dictionary.interval != 0 && passed >= dictionary.interval;
}

static void tend_dictionary(uint64_t now)
{
    if (header_due(now)) {
        begin_round(now);
        dictionary.in_ring = true;
        stave__ring_request(WIRE_TRACE_START, 0);
    } else if (!dictionary.in_ring && dictionary.names_left != 0 && now >= dictionary.free_ticks) {
        dictionary.names_left--;
        dictionary.next = dictionary.next % stave__ring_names() + 1;
        dictionary.in_ring = true;
        stave__ring_request(WIRE_NAME_REGISTERED, (uint8_t)dictionary.next);
    }
}

static void pay(void)
{
    dictionary.in_ring = false;
    dictionary.free_ticks = sender.at.ticks + (uint64_t)sender.out_size * dictionary.ticks_a_byte;
}

/* ---- The clock ----------------------------------------------------------------------------------- */

static void watch_clock(stave__ticks raw)
{
    if (raw != clock_watch.raw) {
        clock_watch.raw = raw;
        clock_watch.polls = 0;
    } else if (!clock_watch.still && ++clock_watch.polls >= STAVE_TARGET_STILL_POLLS) {
        set_still(stave__ring_record(&stave__clock_still, 0, WIRE_MARKER, 1) != 0);
    }
}

/* An event's time; a header of a 32-bit clock knows its high half. */
static void advance(void)
{
    sender.delta = (int64_t)(stave__ticks_step)(sender.event.ticks - sender.at.raw);
    sender.at.raw = sender.event.ticks;
    sender.at.ticks += (uint64_t)sender.delta;
    if (STAVE_TARGET_CLOCK_BITS == 32 && sender.event.kind == WIRE_TRACE_START)
        sender.at.ticks = (uint64_t)sender.event.value << 32 | (uint32_t)sender.at.ticks;
}

/* ---- Frames -------------------------------------------------------------------------------------- */

static uint32_t sequence(void)
{
    return sender.event.number % WIRE_NUMBERS;
}

/* A header or a name is absolute: it sets the stream's clock. */
static void put_header(void)
{
    const struct wire_header header = {
        .ticks = sender.at.ticks,
        .sequence = sequence(),
        .timebase = dictionary.hz != 0 ? WIRE_CYCLES : WIRE_NANOSECONDS,
        .hz = dictionary.hz,
        .source_mask = STAVE_TARGET_GROUPS,
    };
    sender.out_size = (uint8_t)stave__wire_put_header(&header, sender.out);
    sender.delta = 0;
}

static void put_name(void)
{
    const struct stave_target_name *known = stave__ring_name(sender.event.name);
    const struct wire_name name = {
        .ticks = sender.at.ticks,
        .name_id = sender.event.name,
        .sequence = sequence(),
        .text = known->text,
        .size = known->size,
        .source = known->source,
        .priority = known->priority,
        .has_deadline = known->has_deadline,
        .deadline_ms = known->deadline_ms,
    };
    sender.out_size = (uint8_t)stave__wire_put_name(&name, sender.out);
    sender.delta = 0;
}

static void put_event(void)
{
    const struct wire_event event = {
        .ticks = sender.delta,
        .name_id = sender.event.name,
        .kind = sender.event.kind & SLOT_KIND,
        .sequence = sequence(),
        .value = sender.event.value,
        .has_value = sender.event.kind == (WIRE_MARKER | SLOT_VALUE),
    };
    sender.out_size = (uint8_t)stave__wire_put_event(&event, sender.out);
    sender.delta = 0;
}

static void put_dictionary(void)
{
    if (sender.event.kind == WIRE_NAME_REGISTERED) {
        put_name();
    } else {
        if ((sender.event.kind & SLOT_VALUE) != 0)
            set_rate(sender.event.value);
        put_header();
    }
    pay();
    sender.event.kind = 0;
}

/* The next frame of the event: its name if that is new, itself, its value. */
static void put_next(void)
{
    uint32_t kind = sender.event.kind & SLOT_KIND;

    sender.out_at = 0;
    if (kind > WIRE_MARKER) {
        put_dictionary();
    } else if ((sender.event.kind & SLOT_NEW) != 0) {
        put_name();
        sender.event.kind &= (uint8_t)~SLOT_NEW;
        sender.event.number++;
    } else {
        put_event();
        bool value_follows = sender.event.kind == (WIRE_SPAN_START | SLOT_VALUE);
        sender.event.kind = value_follows ? WIRE_MARKER | SLOT_VALUE : 0;
        sender.event.number++;
    }
}

/* ---- The transport ------------------------------------------------------------------------------- */

/* After a start or a drop: the header waits in the ring. */
static void begin_stream(void)
{
    sender.event.kind = 0;
    dictionary.in_ring = true;
    begin_round(sender.at.ticks);
}

/* All that waits is given up, but not the rest of a frame of which a part is sent. */
static void drop_if_full(void)
{
    bool half_sent = sender.out_at != 0;
    if (!stave__ring_drop_full(sender.sent + half_sent, &sender.at))
        return;
    if (!half_sent)
        sender.out_size = 0;
    begin_stream();
}

/* True when nothing of a frame is left to send. */
static bool send_out(void)
{
    size_t left = (size_t)sender.out_size - sender.out_at;
    if (left == 0)
        return true;

    size_t taken = sender.config.write(sender.config.context, sender.out + sender.out_at, left);
    sender.out_at = (uint8_t)(sender.out_at + (taken < left ? taken : left));
    if (taken >= left) {
        set_sent(sender.sent + 1);
        return true;
    }
    if (sender.config.drop)
        drop_if_full();
    return false;
}

/* The rest of a frame that is half sent goes first on the same transport, and counts for nothing. */
static bool half_sent_to(const struct stave_target_config *config)
{
    return config->write == sender.config.write && config->context == sender.config.context &&
           sender.out_at != 0 && sender.out_at != sender.out_size;
}

void stave_target_start(const struct stave_target_config *config)
{
    bool half_sent = half_sent_to(config);

    if (!half_sent)
        sender.out_at = sender.out_size;
    set_sent(half_sent ? UINT32_MAX : 0);
    sender.config.write = config->write; /* one by one: no call of memcpy */
    sender.config.context = config->context;
    sender.config.drop = config->drop;
    clock_watch.polls = 0;
    set_still(false);
    stave__ring_start(config->hz, &sender.at);
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

    for (uint32_t events = STAVE_TARGET_RING; send_out();) {
        if (sender.event.kind == 0) {
            if (events == 0)
                return false;
            if (!stave__ring_take(&sender.event))
                return true;
            events--;
            advance();
        }
        put_next();
    }
    return false;
}

void stave_target_get_counts(struct stave_target_counts *counts)
{
    uint32_t numbers;
    counts->sent = __atomic_load_n(&sender.sent, __ATOMIC_RELAXED);
    stave__ring_counts(counts, &numbers);
    counts->waiting =
        numbers - counts->sent - counts->dropped_ring_full - counts->dropped_transport_full;
    counts->clock_still = __atomic_load_n(&clock_watch.still, __ATOMIC_RELAXED);
}

#endif
