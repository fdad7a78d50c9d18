/* Queue and sending.
 *
 * Invariants
 *   1. `number`, `head` and `lost` change only under the lock, `tail` only in the main loop.
 *   2. queue[tail .. head) is filled; a place is free again once `tail` has passed it.
 *   3. Times in the queue never go back, because time and place are taken under one lock.
 *   4. All else (clock, dictionary, UART) is the main loop's, so frames are written whole.  */
#include "trace.h"

#include "board.h"

#define NUMBERS 16384u /* sequence numbers are modulo this */
#define HAS_VALUE 0x80u

_Static_assert(TRACE_QUEUE_MAX + TRACE_NAMES_MAX <= 64, "a host would take a new name for a loss");
_Static_assert((TRACE_QUEUE_MAX & (TRACE_QUEUE_MAX - 1)) == 0, "places are taken by a mask");

struct event {
    uint32_t ticks; /* of board_clock() */
    uint32_t value;
    uint16_t number;
    uint8_t kind; /* enum wire_kind, and HAS_VALUE */
    uint8_t id;
};

static struct event queue[TRACE_QUEUE_MAX];
static volatile uint32_t head, tail; /* count up without end; a place is the low bits */
static volatile uint32_t lost;
static uint32_t number; /* the next event's, before the modulo */
static uint32_t peak;

static const struct trace_name *dictionary;
static uint32_t dictionary_size;
static bool known[TRACE_NAMES_MAX]; /* sent at least once */

static uint32_t clock_raw;   /* board_clock() that clock_ticks stands for */
static int64_t clock_ticks;  /* since trace_start(): also the time of the last frame */
static int64_t repeat_ticks; /* when the dictionary is due again */
static uint32_t repeat_next; /* 0: TRACE_START, else an id */

/* To 64 bits: each time is later than the one before it, by less than a wrap (invariant 3). */
static int64_t clock_to(uint32_t raw)
{
    clock_ticks += (uint32_t)(raw - clock_raw);
    clock_raw = raw;
    return clock_ticks;
}

/* One function for all kinds, with no branch but that of a full queue: so a probe takes the same
 * number of instructions each time, and the test can subtract it. */
static void record(uint8_t kind, uint8_t id, uint32_t value)
{
    uint32_t before = board_lock();
    uint32_t ticks = board_clock();
    uint32_t at = head;
    uint32_t waiting = at - tail;

    if (waiting < TRACE_QUEUE_MAX) {
        struct event *event = &queue[at % TRACE_QUEUE_MAX];
        event->ticks = ticks;
        event->value = value;
        event->number = (uint16_t)(number % NUMBERS);
        event->kind = kind;
        event->id = id;
        head = at + 1;
    } else {
        lost++;
    }
    number++;
    board_unlock(before);
}

void trace_begin(uint8_t id)
{
    record(WIRE_SPAN_START, id, 0);
}

void trace_end(uint8_t id)
{
    record(WIRE_SPAN_END, id, 0);
}

void trace_mark(uint8_t id)
{
    record(WIRE_MARKER, id, 0);
}

void trace_mark_value(uint8_t id, uint32_t value)
{
    record(WIRE_MARKER | HAS_VALUE, id, value);
}

static void send(const struct wire_frame *frame)
{
    uint8_t bytes[WIRE_FRAME_MAX];
    board_uart_write(bytes, stave__wire_frame_encode(WIRE_VERSION_2, frame, bytes));
}

static void send_trace_start(uint32_t sequence)
{
    struct wire_frame frame = {
        .kind = WIRE_TRACE_START,
        .ticks = clock_ticks,
        .sequence = sequence,
        .timebase = WIRE_CYCLES,
        .hz = BOARD_HZ,
        .source_mask = WIRE_SOURCE_ISR | WIRE_SOURCE_TASK,
    };
    send(&frame);
}

static void send_name(uint32_t id, uint32_t sequence)
{
    const struct trace_name *name = &dictionary[id - 1];
    struct wire_frame frame = {
        .kind = WIRE_NAME_REGISTERED,
        .ticks = clock_ticks,
        .name_id = id,
        .sequence = sequence,
        .name = name->text,
        .name_size = name->size,
        .source = name->source,
        .priority = name->priority,
        .has_deadline = name->has_deadline,
        .deadline_ms = name->deadline_ms,
    };
    send(&frame);
    known[id - 1] = true;
}

static uint32_t take_number(void)
{
    uint32_t before = board_lock();
    uint32_t taken = number++ % NUMBERS;
    board_unlock(before);
    return taken;
}

/* The name first, where it is new, at the event's own time. It is absolute and sets the stream's
 * clock, so the event's delta is then 0. */
static void send_event(const struct event *event)
{
    int64_t base = clock_ticks;
    int64_t ticks = clock_to(event->ticks);

    if (!known[event->id - 1]) {
        send_name(event->id, take_number());
        base = ticks;
    }
    struct wire_frame frame = {
        .kind = event->kind & ~HAS_VALUE,
        .ticks = ticks - base,
        .name_id = event->id,
        .sequence = event->number,
        .value = event->value,
        .has_value = (event->kind & HAS_VALUE) != 0,
    };
    send(&frame);
}

/* For the compiler: on one core, an interrupt sees memory as it stands. */
static void barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

static void send_queue(void)
{
    uint32_t waiting;

    while ((waiting = head - tail) != 0) {
        peak = waiting > peak ? waiting : peak; /* most wait just before a place gets free */
        barrier();                              /* read after the count that covers it */
        struct event event = queue[tail % TRACE_QUEUE_MAX];
        barrier(); /* copied before the place is free */
        tail++;
        send_event(&event);
    }
}

/* Time and number for a frame that no event caused, if nothing waits: then both are in order with
 * all that was sent. */
static bool take_turn(uint32_t *raw, uint32_t *sequence)
{
    uint32_t before = board_lock();
    bool empty = head == tail;
    if (empty) {
        *raw = board_clock();
        *sequence = number++ % NUMBERS;
    }
    board_unlock(before);
    return empty;
}

static void repeat_advance(void)
{
    do
        repeat_next++;
    while (repeat_next <= dictionary_size && !known[repeat_next - 1]);
    if (repeat_next > dictionary_size) {
        repeat_next = 0;
        repeat_ticks += (int64_t)TRACE_REPEAT_S * BOARD_HZ;
    }
}

static void repeat_one(void)
{
    uint32_t raw, sequence;
    if (clock_ticks < repeat_ticks || !take_turn(&raw, &sequence))
        return;
    clock_to(raw);
    if (repeat_next == 0)
        send_trace_start(sequence);
    else
        send_name(repeat_next, sequence);
    repeat_advance();
}

void trace_start(const struct trace_name *names, uint32_t count)
{
    dictionary = names;
    dictionary_size = count;
    clock_raw = board_clock();
    repeat_ticks = (int64_t)TRACE_REPEAT_S * BOARD_HZ;
    send_trace_start(take_number());
}

void trace_poll(void)
{
    send_queue();
    repeat_one();
}

uint32_t trace_lost(void)
{
    return lost;
}

uint32_t trace_queue_peak(void)
{
    return peak;
}
