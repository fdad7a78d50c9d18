/* device.c - the firmware: tasks that ISRs preempt, names, restarts, a queue that loses events. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device_parts.h"

enum { NAMES_MAX = 40, QUEUE_MAX = 16, DEPTH_MAX = 12 };

struct name {
    const char *text;
    bool is_mark;
    uint32_t source_type; /* 1 ISR, else a task */
    uint32_t priority;
    bool has_deadline;
    float deadline_ms;
    uint32_t id; /* 0: not registered, or no room */
    bool registered;
    bool sent;
    bool never_sent;
};

struct event {
    uint32_t kind;
    struct name *name;
    int64_t ticks;
    uint32_t number;
    bool has_value;
    uint32_t value;
};

struct device {
    struct device_options options;
    struct dice dice;
    struct packets packets;
    struct name names[NAMES_MAX];
    size_t name_count;
    uint32_t next_id;
    uint32_t number;    /* the next to be taken */
    int64_t ticks;      /* its clock */
    int64_t written;    /* the clock as a host knows it: what deltas build on */
    unsigned step_bits; /* time goes on in steps below 1 << step_bits */
    bool breaking;      /* the next frame is not sound */
    uint64_t losing;    /* events that the queue loses from here on */
    struct event queue[QUEUE_MAX];
    size_t queued;
    struct name *running[DEPTH_MAX];
    size_t depth;
};

static int64_t wrapping_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static uint32_t take_number(struct device *device)
{
    uint32_t number = device->number++;
    if (device->options.wire_version == 2)
        device->number %= 16384;
    return number;
}

/* ---- writing --------------------------------------------------------------------------------- */

static unsigned odd_quirks(struct dice *dice)
{
    static const unsigned one[6] = {QUIRK_OVERLONG, QUIRK_UNKNOWN_FIELDS, QUIRK_REPEATED,
                                    QUIRK_SHUFFLED, QUIRK_EXPLICIT,       QUIRK_WIDE};
    unsigned quirks = one[dice_below(dice, 6)];
    return dice_chance(dice, 300) ? quirks | one[dice_below(dice, 6)] : quirks;
}

static unsigned broken_quirk(struct dice *dice)
{
    static const unsigned one[7] = {QUIRK_BAD_FIELD, QUIRK_BAD_WIRE, QUIRK_BAD_VARINT,
                                    QUIRK_BAD_NAME,  QUIRK_NO_KIND,  QUIRK_BAD_LENGTH,
                                    QUIRK_RUNS_OVER};
    return one[dice_below(dice, 7)];
}

static const int64_t extremes[6] = {INT64_MAX,     INT64_MIN,     INT64_MAX - 5,
                                    INT64_MIN + 5, INT64_MAX / 2, INT64_MIN / 2};

static void write_message(struct device *device, struct message message)
{
    const struct device_options *options = &device->options;
    struct dice *dice = &device->dice;
    unsigned quirks = dice_chance(dice, options->odd) ? odd_quirks(dice) : 0;
    if ((quirks & QUIRK_WIDE) != 0 && options->wire_version == 2)
        message.number += 16384 * (uint32_t)dice_below(dice, 4);
    if (dice_chance(dice, options->broken)) {
        if (dice_chance(dice, 400))
            message.number = (uint32_t)dice_next(dice);
        else
            quirks |= broken_quirk(dice);
    }
    if (device->breaking)
        quirks |= broken_quirk(dice);
    device->breaking = false;
    if (dice_chance(dice, options->extreme))
        message.ticks = extremes[dice_below(dice, 6)];
    encode(options->wire_version, &message, quirks, dice, packets_add(&device->packets));
}

static void write_trace_start(struct device *device)
{
    const struct device_options *options = &device->options;
    device->written = device->ticks;
    write_message(device, (struct message){.kind = TRACE_START,
                                           .ticks = device->ticks,
                                           .number = take_number(device),
                                           .timebase = options->cycles ? 1 : 0,
                                           .core_hz = options->core_hz,
                                           .source_mask = 31});
}

static void write_name(struct device *device, struct name *name, int64_t ticks)
{
    name->sent = true;
    if (name->never_sent)
        return;
    device->written = ticks;
    write_message(device, (struct message){.kind = NAME_REGISTERED,
                                           .ticks = ticks,
                                           .number = take_number(device),
                                           .name_id = name->id,
                                           .name = name->text,
                                           .source_type = name->source_type,
                                           .priority = name->priority,
                                           .has_deadline = name->has_deadline,
                                           .deadline_ms = name->deadline_ms});
}

static void write_event_2(struct device *device, const struct event *event)
{
    if (event->name->id != 0 && !event->name->sent)
        write_name(device, event->name, event->ticks);
    int64_t delta = wrapping_add(event->ticks, -device->written);
    device->written = event->ticks;
    write_message(device, (struct message){.kind = event->kind,
                                           .ticks = delta,
                                           .number = event->number,
                                           .name_id = event->name->id,
                                           .has_value = event->has_value,
                                           .value = event->value});
}

static void write_event_1(struct device *device, const struct event *event)
{
    const struct name *name = event->name;
    bool starts = event->kind == SPAN_START;
    device->written = event->ticks;
    write_message(device, (struct message){.kind = event->kind,
                                           .ticks = event->ticks,
                                           .number = event->number,
                                           .name = name->id != 0 ? name->text : NULL,
                                           .source_type = name->source_type,
                                           .priority = name->priority,
                                           .has_deadline = starts && name->has_deadline,
                                           .deadline_ms = name->deadline_ms,
                                           .has_value = event->has_value,
                                           .value = event->value});
}

static void flush(struct device *device)
{
    for (size_t i = 0; i < device->queued; i++) {
        if (device->options.wire_version == 2)
            write_event_2(device, &device->queue[i]);
        else
            write_event_1(device, &device->queue[i]);
    }
    device->queued = 0;
}

/* ---- recording ------------------------------------------------------------------------------- */

static void register_name(struct device *device, struct name *name)
{
    if (name->registered)
        return;
    name->registered = true;
    if (device->next_id <= device->options.registry)
        name->id = device->next_id++;
}

/* An event lost in the queue burns its number. */
static bool queue_loses(struct device *device)
{
    const struct device_options *options = &device->options;
    if (device->losing == 0 && dice_chance(&device->dice, options->queue_loss))
        device->losing = 1;
    if (device->losing == 0 && dice_chance(&device->dice, options->queue_burst))
        device->losing = 1 + dice_below(&device->dice, 200);
    if (device->losing == 0)
        return false;
    device->losing--;
    return true;
}

static void record(struct device *device, uint32_t kind, struct name *name, int64_t ticks)
{
    struct dice *dice = &device->dice;
    register_name(device, name);
    struct event event = {
        .kind = kind, .name = name, .ticks = ticks, .number = take_number(device)};
    if (kind == MARKER && dice_chance(dice, 600)) {
        event.has_value = true;
        event.value = (uint32_t)dice_spread(dice, 32);
        if (dice_chance(dice, 200))
            event.value = 0;
    }
    if (queue_loses(device))
        return;
    device->queue[device->queued++] = event;
    if (device->queued >= device->options.queue || dice_chance(dice, 300))
        flush(device);
}

static void pass_time(struct device *device)
{
    struct dice *dice = &device->dice;
    uint64_t bits = dice_below(dice, device->step_bits + 1);
    device->ticks = wrapping_add(device->ticks, (int64_t)dice_below(dice, UINT64_C(1) << bits));
}

/* Any name of a kind; NULL when there is none. */
static struct name *pick(struct device *device, bool is_mark, bool is_isr)
{
    struct name *found[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < device->name_count; i++) {
        struct name *name = &device->names[i];
        if (name->is_mark == is_mark && (is_mark || (name->source_type == 1) == is_isr))
            found[count++] = name;
    }
    return count == 0 ? NULL : found[dice_below(&device->dice, count)];
}

static bool is_running(const struct device *device, const struct name *name)
{
    for (size_t i = 0; i < device->depth; i++)
        if (device->running[i] == name)
            return true;
    return false;
}

static void run_isr(struct device *device)
{
    struct name *isr = pick(device, false, true);
    if (isr == NULL)
        return;
    record(device, SPAN_START, isr, device->ticks);
    pass_time(device);
    record(device, SPAN_END, isr, device->ticks);
    pass_time(device);
}

/* A task reads the clock, then an ISR comes before the task has recorded its event. */
static void record_of_task(struct device *device, uint32_t kind, struct name *task)
{
    int64_t ticks = device->ticks;
    if (dice_chance(&device->dice, device->options.late_isr))
        run_isr(device);
    record(device, kind, task, ticks);
}

static void start_task(struct device *device)
{
    struct name *task = pick(device, false, false);
    if (task == NULL || device->depth == DEPTH_MAX || is_running(device, task))
        return;
    device->running[device->depth++] = task;
    if (!dice_chance(&device->dice, device->options.missed_calls))
        record_of_task(device, SPAN_START, task);
}

static void end_task(struct device *device)
{
    if (device->depth == 0)
        return;
    struct name *task = device->running[--device->depth];
    if (!dice_chance(&device->dice, device->options.missed_calls))
        record_of_task(device, SPAN_END, task);
}

static void run_event(struct device *device)
{
    switch (dice_below(&device->dice, 8)) {
    case 0:
    case 1: {
        struct name *name = pick(device, true, false);
        if (name != NULL)
            record_of_task(device, MARKER, name);
        break;
    }
    case 2:
    case 3:
        run_isr(device);
        break;
    case 4:
    case 5:
        start_task(device);
        break;
    default:
        end_task(device);
        break;
    }
}

static void make_attributes(struct dice *dice, struct name *name)
{
    static const float deadlines[10] = {0.0f, 10.0f,  0.5f,    0.0625f,  1e-3f,
                                        1e6f, -1.25f, 3.0e38f, 33.3333f, 0.1f};
    name->priority = dice_chance(dice, 20) ? 4294967295 : (uint32_t)dice_below(dice, 10);
    name->has_deadline = dice_chance(dice, 400);
    name->deadline_ms = deadlines[dice_below(dice, 10)];
    if (dice_chance(dice, 50))
        name->deadline_ms = dice_chance(dice, 500) ? NAN : INFINITY;
}

/* ---- what is rarer --------------------------------------------------------------------------- */

static void send_dictionary(struct device *device)
{
    if (device->options.wire_version == 1)
        return;
    flush(device);
    write_trace_start(device);
    for (size_t i = 0; i < device->name_count; i++) {
        struct name *name = &device->names[i];
        if (name->id == 0)
            continue;
        if (dice_chance(&device->dice, 300))
            pass_time(device);
        if (dice_chance(&device->dice, device->options.odd))
            make_attributes(&device->dice, name);
        write_name(device, name, device->ticks);
    }
}

static void change_rate(struct device *device)
{
    if (device->options.wire_version == 1)
        return;
    flush(device);
    device->options.cycles = dice_chance(&device->dice, 800);
    device->options.core_hz = any_hz(&device->dice);
    write_trace_start(device);
}

/* Names meet the registry in another order, so ids change hands. */
static void forget_names(struct device *device)
{
    device->next_id = 1;
    for (size_t i = 0; i < device->name_count; i++) {
        struct name *name = &device->names[i];
        name->id = 0;
        name->registered = name->sent = false;
    }
}

/* 10 ms, or as near as ticks come to it, before the clock that a host knows; now and then one tick less
 * or more. */
static int64_t ticks_10_ms_ago(struct device *device)
{
    const struct device_options *options = &device->options;
    int64_t ticks = options->cycles ? options->core_hz / 100 : 10000000;
    return wrapping_add(device->written, 1 - ticks - (int64_t)dice_below(&device->dice, 3));
}

static void restart(struct device *device)
{
    struct dice *dice = &device->dice;
    if (dice_chance(dice, 500))
        flush(device);
    device->queued = 0;
    device->depth = 0;
    forget_names(device);
    uint64_t number = dice_below(dice, 10);
    if (number < 6)
        device->number = 0;
    else if (number < 8)
        device->number += (uint32_t)dice_below(dice, 200);
    else
        device->number = (uint32_t)dice_next(dice);
    if (device->options.wire_version == 2)
        device->number %= 16384;

    uint64_t time = dice_below(dice, 10);
    if (time < 6)
        device->ticks = (int64_t)dice_below(dice, 100000); /* else the clock goes on */
    else if (time < 8)
        device->ticks = wrapping_add(device->ticks, -(int64_t)dice_below(dice, 20000000));
    else if (time < 9)
        device->ticks = ticks_10_ms_ago(device);
    if (dice_chance(dice, 300))
        device->options.core_hz = any_hz(dice);
    device->written = device->ticks;
    if (device->options.wire_version == 2 && !dice_chance(dice, device->options.no_start))
        write_trace_start(device);
}

/* A frame that no event caused. */
static void write_odd_frame(struct device *device)
{
    struct dice *dice = &device->dice;
    struct message message = {.number = take_number(device),
                              .ticks = (int64_t)dice_below(dice, 5000)};
    if (device->options.wire_version == 1)
        message.ticks = device->ticks;
    else
        device->written = wrapping_add(device->written, message.ticks);
    switch (dice_below(dice, 6)) {
    case 0: /* a kind of the future */
        message.kind = 4 + (uint32_t)dice_below(dice, dice_chance(dice, 500) ? 6 : 4000000000);
        message.name_id = (uint32_t)dice_below(dice, 3);
        break;
    case 1: /* an event without an id */
        message.kind = 1 + (uint32_t)dice_below(dice, 3);
        break;
    case 2: /* an id that nobody registered, or one that is known */
        message.kind = 1 + (uint32_t)dice_below(dice, 3);
        message.name_id = 1 + (uint32_t)dice_below(dice, dice_chance(dice, 500) ? 8 : 4294967295);
        break;
    case 3: /* a name without an id, an id without a name, or another name for an id */
        message.kind = NAME_REGISTERED;
        message.ticks = device->ticks;
        message.name_id = (uint32_t)dice_below(dice, 4);
        message.name = dice_chance(dice, 300) ? "other" : dice_chance(dice, 300) ? "" : NULL;
        break;
    case 4: /* a TRACE_START that says nothing */
        message.kind = TRACE_START;
        message.ticks = device->ticks;
        message.timebase = 1;
        break;
    default: /* a TRACE_START that comes late */
        message.kind = TRACE_START;
        message.ticks = dice_chance(dice, 300)
                            ? ticks_10_ms_ago(device)
                            : wrapping_add(device->ticks, -(int64_t)dice_below(dice, 12000000));
        message.number -= (uint32_t)dice_below(dice, 100);
        message.timebase = device->options.cycles ? 1 : 0;
        message.core_hz = device->options.core_hz;
        break;
    }
    write_message(device, message);
}

/* Numbers are lost: a lot, half of all there are, or as many as the window holds. Damage shortly before it makes a
 * host look for frames in a row there. */
static void jump(struct device *device)
{
    struct dice *dice = &device->dice;
    if (dice_chance(dice, 300)) {
        device->breaking = true;
        run_event(device);
        flush(device);
    }
    uint32_t half = device->options.wire_version == 2 ? 8192 : UINT32_C(1) << 31;
    uint64_t how = dice_below(dice, 10);
    if (how < 5)
        device->number += 61 + (uint32_t)dice_below(dice, 6);
    else if (how < 7)
        device->number += half - 70 + (uint32_t)dice_below(dice, 75);
    else
        device->number += (uint32_t)dice_below(dice, 16384);
    if (device->options.wire_version == 2)
        device->number %= 16384;
}

static void step(struct device *device)
{
    const struct device_options *options = &device->options;
    struct dice *dice = &device->dice;
    pass_time(device);
    if (dice_chance(dice, options->dictionary))
        send_dictionary(device);
    if (dice_chance(dice, options->rate_change))
        change_rate(device);
    if (dice_chance(dice, options->restart))
        restart(device);
    if (dice_chance(dice, options->jump))
        jump(device);
    if (dice_chance(dice, options->odd / 2))
        write_odd_frame(device);
    run_event(device);
}

/* ---- devices --------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const texts[] = {
    "gyro_isr", "control_task", "ukf_predict", "idle", "a,b", "say \"hi\"", "=1+1",
    "line\nbreak", "cr\rhere", "gr\xc3\xb6\xc3\x9f\x65", "\xe4\xbb\xbb\xe5\x8a\xa1", " padded ",
    "\xf0\x9f\x8e\xbc", "abcdefghijklmnopqrstuvwxyz012345", "x", "-", "trace gap", "device reset"};
/* clang-format on */

static void make_name(struct device *device, bool is_mark, uint32_t source_type)
{
    struct name *name = &device->names[device->name_count];
    name->text = texts[device->name_count++ % (sizeof texts / sizeof *texts)];
    name->is_mark = is_mark;
    name->source_type = source_type;
    make_attributes(&device->dice, name);
    name->never_sent = dice_chance(&device->dice, device->options.never_named);
}

static void make_device(struct device *device, const struct device_options *options)
{
    *device = (struct device){.options = *options, .next_id = 1};
    device->dice.state = options->seed ^ UINT64_C(0x5374617665); /* not the dice of device_choose */
    device->number = options->first_number;
    device->ticks = options->first_ticks;
    device->written = options->first_ticks;
    for (unsigned i = 0; i < options->tasks; i++) {
        uint32_t odd_type = (uint32_t)dice_below(&device->dice, 7);
        make_name(device, false, dice_chance(&device->dice, 200) && odd_type != 1 ? odd_type : 2);
    }
    for (unsigned i = 0; i < options->isrs; i++)
        make_name(device, false, 1);
    for (unsigned i = 0; i < options->marks; i++)
        make_name(device, true, 2);
    device->step_bits = 4 + (unsigned)dice_below(&device->dice, 20);
}

unsigned char *device_stream_of(const struct device_options *options, size_t *size)
{
    struct device device;
    make_device(&device, options);
    if (options->wire_version == 2 && !dice_chance(&device.dice, options->no_start))
        write_trace_start(&device);
    for (unsigned i = 0; device.packets.count < options->frames && i < 100000; i++)
        step(&device);
    flush(&device);
    return link_carry(options, &device.dice, &device.packets, size);
}

unsigned char *device_stream(uint64_t seed, size_t *size)
{
    struct device_options options;
    device_choose(seed, &options);
    return device_stream_of(&options, size);
}

/* ---- a plain stream -------------------------------------------------------------------------- */

static void plain_event(struct device *device, uint32_t kind, size_t name, int64_t after,
                        uint32_t value)
{
    device->ticks += after;
    register_name(device, &device->names[name]);
    struct event event = {
        kind, &device->names[name], device->ticks, take_number(device), value != 0, value};
    write_event_2(device, &event);
}

/* A task that an ISR preempts and that leaves a mark; every fourth time a task within it. */
static void plain_round(struct device *device, uint32_t round)
{
    plain_event(device, SPAN_START, 0, 400000, 0);
    plain_event(device, SPAN_START, 1, 20000, 0);
    plain_event(device, SPAN_END, 1, 5000, 0);
    plain_event(device, MARKER, 2, 1000, round);
    if (round % 4 == 3) {
        plain_event(device, SPAN_START, 3, 300, 0);
        plain_event(device, SPAN_END, 3, 7000, 0);
    }
    plain_event(device, SPAN_END, 0, 30000, 0);
    if (round % 6 != 5)
        return;
    device->ticks += 2000;
    write_trace_start(device);
    for (size_t i = 0; i < device->name_count; i++)
        write_name(device, &device->names[i], device->ticks);
}

unsigned char *device_plain(size_t frames, size_t *size)
{
    struct device device = {.options = {.wire_version = 2}, .next_id = 1, .name_count = 4};
    device.options.registry = 40;
    device.names[0] = (struct name){.text = "control", .source_type = 2, .priority = 3};
    device.names[1] = (struct name){.text = "gyro_isr", .source_type = 1, .priority = 9};
    device.names[2] = (struct name){.text = "fused", .is_mark = true, .source_type = 2};
    device.names[3] = (struct name){.text = "filter",
                                    .source_type = 2,
                                    .priority = 4,
                                    .has_deadline = true,
                                    .deadline_ms = 2.5f};
    device.ticks = device.written = 1000000;
    write_trace_start(&device);
    for (uint32_t round = 0; device.packets.count < frames; round++)
        plain_round(&device, round);
    device.packets.count = frames;
    return link_carry(&device.options, &device.dice, &device.packets, size);
}
