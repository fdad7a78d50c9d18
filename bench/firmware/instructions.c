/* How many instructions a call takes, on each of its paths.
 *
 * Prints lines `what count ticks`: so many of it took so many ticks of the board's clock, reading it
 * included; `empty 1` is the reading alone. `run` makes instructions of them.  */
#include "board.h"
#include "image_port.h"
#include "stave_target.h"

enum { PROBES = 16, WAITING = 32 };

#define SECOND BOARD_HZ
#define MILLISECOND (BOARD_HZ / 1000u)

/* Ticks between events whose frames take one byte for the time, two, three, four. */
#define ONE_BYTE 50u
#define TWO_BYTES 5000u
#define THREE_BYTES 500000u
#define FOUR_BYTES 1100000u

STAVE_TARGET_TASK(task, 0, "control", 1);
STAVE_TARGET_MARKER(mark, 0, "reading");
STAVE_TARGET_MARKER(value, 0, "voltage");
STAVE_TARGET_TASK(fresh, 0, "fresh", 1);
STAVE_TARGET_TASK(late, 0, "late", 1);
STAVE_TARGET_TASK(too_many, 0, "too many", 1);
STAVE_TARGET_TASK(off, 1, "off", 1);

void TIMER0_Handler(void);

/* The recorder's clock, in image_port.h. */
volatile uint32_t image_ticks;

static void pass(uint32_t ticks)
{
    image_ticks += ticks;
}

/* ---- Measuring ----------------------------------------------------------------------------- */

static int32_t output;

/* `run` finds it by its name. */
__attribute__((noinline)) uint32_t bench_clock(void);
uint32_t bench_clock(void)
{
    return board_clock();
}

static char *put_text(char *at, const char *text)
{
    while (*text != '\0')
        *at++ = *text++;
    return at;
}

static char *put_number(char *at, uint32_t number)
{
    char digits[10];
    uint32_t n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    *at++ = ' ';
    while (n != 0)
        *at++ = digits[--n];
    return at;
}

static __attribute__((noinline)) void report(const char *where, const char *what, uint32_t count,
                                             uint32_t ticks)
{
    char line[80];
    char *end = put_text(put_text(line, where), what);
    end = put_number(put_number(end, count), ticks);
    *end++ = '\n';
    stave_target_semihosting_write(&output, (const uint8_t *)line, (size_t)(end - line));
}

#define MEASURE(where, what, count, ...)                                                           \
    do {                                                                                           \
        uint32_t before = bench_clock();                                                           \
        __VA_ARGS__;                                                                               \
        report(where, what, count, bench_clock() - before);                                        \
    } while (0)

/* One after the other, without a loop. */
#define MEASURE_PROBES(where, what, probe)                                                         \
    do {                                                                                           \
        empty_ring();                                                                              \
        MEASURE_FULL(where, what, probe);                                                          \
    } while (0)

#define MEASURE_FULL(where, what, probe)                                                           \
    MEASURE(where, what, PROBES, FOUR(probe) FOUR(probe) FOUR(probe) FOUR(probe))
#define FOUR(probe)                                                                                \
    probe;                                                                                         \
    probe;                                                                                         \
    probe;                                                                                         \
    probe;

/* ---- Transports ---------------------------------------------------------------------------- */

static size_t take_all(void *context, const uint8_t *bytes, size_t size)
{
    (void)context, (void)bytes;
    return size;
}

static size_t to_uart(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    return board_uart_write(bytes, size);
}

/* What a debugger does: it has read what was written. The two words follow four of the ID and five
 * more. */
static void empty_rtt(void)
{
    extern volatile uint32_t rtt_block[] __asm__("_SEGGER_RTT");
    rtt_block[10] = rtt_block[9];
}

static void empty_ring(void)
{
    while (!stave_target_poll())
        continue;
    empty_rtt();
}

static void begin(void)
{
    STAVE_TARGET_BEGIN(task);
}

static void mark_value(void)
{
    STAVE_TARGET_MARK_VALUE(value, 4095);
}

/* A recording whose numbers take two bytes, its names known, its dictionary sent and not due again for 30 ms. */
static void start(stave_target_write *write)
{
    stave_target_start(&(struct stave_target_config){.hz = BOARD_HZ, .write = write});
    begin();
    mark_value();
    for (uint32_t i = 0; i < 200; i++) {
        STAVE_TARGET_MARK(mark);
        empty_ring();
    }
    for (uint32_t i = 0; i < 10; i++) {
        pass(40 * MILLISECOND);
        empty_ring();
    }
}

/* ---- What is measured ---------------------------------------------------------------------- */

static void measure_probes(const char *where)
{
    MEASURE_PROBES(where, "begin", STAVE_TARGET_BEGIN(task));
    MEASURE_PROBES(where, "end", STAVE_TARGET_END(task));
    MEASURE_PROBES(where, "mark", STAVE_TARGET_MARK(mark));
    MEASURE_PROBES(where, "mark_value", STAVE_TARGET_MARK_VALUE(value, 4095));
    MEASURE_PROBES(where, "begin_value", STAVE_TARGET_BEGIN_VALUE(task, 4095));
    MEASURE_PROBES(where, "off", STAVE_TARGET_BEGIN(off));
}

static void measure_full_ring(const char *where)
{
    empty_ring();
    for (uint32_t i = 0; i < STAVE_TARGET_RING; i++)
        STAVE_TARGET_MARK(mark);
    MEASURE_FULL(where, "full", STAVE_TARGET_BEGIN(task));
}

void TIMER0_Handler(void)
{
    measure_probes("isr.");
    measure_full_ring("isr.");
}

/* TIMER0_Handler() runs before it returns. */
static void interrupt(void)
{
    *(volatile uint32_t *)0xe000e100u = 1u << BOARD_IRQ_TIMER; /* NVIC: enabled */
    *(volatile uint32_t *)0xe000e200u = 1u << BOARD_IRQ_TIMER; /* pending */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

static void mark_word(void)
{
    STAVE_TARGET_MARK_VALUE(value, UINT32_MAX);
}

static void begin_value(void)
{
    STAVE_TARGET_BEGIN_VALUE(task, 4095);
}

static void measure_poll(const char *where, const char *what, void (*record)(void), uint32_t ticks)
{
    for (uint32_t i = 0; i < WAITING; i++) {
        pass(ticks);
        record();
    }
    MEASURE(where, what, WAITING, stave_target_poll());
}

static void measure_transport(const char *where, stave_target_write *write)
{
    start(write);
    pass(TWO_BYTES);
    MEASURE(where, "idle", 1, stave_target_poll());
    measure_poll(where, "event", begin, TWO_BYTES);
}

static void measure_kinds(void)
{
    start(take_all);
    measure_poll("poll.", "time1", begin, ONE_BYTE);
    measure_poll("poll.", "time2", begin, TWO_BYTES);
    measure_poll("poll.", "time3", begin, THREE_BYTES);
    start(take_all);
    measure_poll("poll.", "time4", begin, FOUR_BYTES);
    start(take_all);
    measure_poll("poll.", "mark_value", mark_value, TWO_BYTES);
    measure_poll("poll.", "mark_word", mark_word, TWO_BYTES);
    measure_poll("poll.", "begin_value", begin_value, TWO_BYTES);
}

/* A header, then the first name, each asked for and sent by one poll. */
static void measure_dictionary(void)
{
    start(take_all);
    pass(2 * SECOND);
    MEASURE("poll.", "header", 1, stave_target_poll());
    pass(40 * MILLISECOND);
    MEASURE("poll.", "name", 1, stave_target_poll());
}

/* The registry has places for five names: the three above, and two here. */
static void measure_names(void)
{
    MEASURE("name.", "first", 1, STAVE_TARGET_BEGIN(fresh));
    pass(TWO_BYTES);
    MEASURE("poll.", "first", 1, stave_target_poll());
    STAVE_TARGET_BEGIN(late);
    MEASURE("name.", "none_first", 1, STAVE_TARGET_BEGIN(too_many));
    MEASURE_PROBES("name.", "none", STAVE_TARGET_BEGIN(too_many));
}

int main(void)
{
    board_init();
    output = stave_target_semihosting_open(":tt");
    MEASURE("", "empty", 1, (void)0);

    MEASURE_FULL("task.", "not_started", STAVE_TARGET_BEGIN(task));
    start(take_all);
    measure_probes("task.");
    measure_full_ring("task.");
    empty_ring();
    interrupt();

    measure_transport("count.", take_all);
    stave_target_rtt_start();
    measure_transport("rtt.", stave_target_rtt_write);
    measure_transport("uart.", to_uart);
    measure_kinds();
    measure_dictionary();
    measure_names();
    return 0;
}
