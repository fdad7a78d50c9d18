/* fuzz_target.c - the firmware recorder: the input is a schedule of calls, pauses, interrupts and a
 * transport's moods. The model of tests/target is the oracle: each frame as it goes out, the counts, and
 * what a host makes of it.
 *
 * A byte is a step: what to do in the low half, with what in the high half. Small as it is built here
 * (CMakeLists.txt), everything gets full soon.  */
#include "target/simulation.h"

#define STEPS_MAX 1000u /* of a longer input, as the recorded streams are, the rest is not played */
#define PAUSE_MAX ((UINT64_C(1) << 31) - 100000) /* between two polls */

static struct {
    const uint8_t *at;
    const uint8_t *end;
    struct link *link;
    uint64_t polled;    /* when */
    uint32_t interrupt; /* points until one comes; 0: none */
    uint32_t handler;   /* what it does */
    bool in_handler;
} play;

static uint32_t next(void)
{
    return play.at < play.end ? *play.at++ : 0;
}

static uint32_t rate(uint32_t choice)
{
    static const uint32_t rates[] = {0, 1, 100, 1000, 32768, HZ, 999999999, UINT32_MAX};
    return rates[choice % 8];
}

static void record(uint32_t kind, uint32_t with)
{
    const struct stave_target_name *name = name_of(with % 8);
    switch (kind) {
    case 0:
        do_begin(name);
        break;
    case 1:
        do_begin_value(name, with * 0x11111111u);
        break;
    case 2:
        do_end(name);
        break;
    case 3:
        do_mark(name);
        break;
    default:
        do_mark_value(name, with * 0x08888889u);
    }
}

/* ---- interrupts ----------------------------------------------------------------------------------- */

static bool comes(void)
{
    return play.interrupt != 0 && !play.in_handler && --play.interrupt == 0;
}

static void interrupt(void)
{
    uint32_t what = play.handler;
    play.in_handler = true;
    if (what % 8 < 5)
        record(what % 8, what / 8);
    else if (what % 8 == 5)
        do_rate(rate(what / 8));
    else
        for (uint32_t i = 0; i < what / 8 % 8; i++)
            record(i % 5, i);
    play.in_handler = false;
}

/* ---- steps ---------------------------------------------------------------------------------------- */

static void poll(void)
{
    do_poll(1);
    play.polled = board.now;
}

static void pass_time(uint64_t ticks)
{
    if (board.now + ticks > play.polled + PAUSE_MAX)
        poll();
    board.now += ticks;
}

static void idle(uint32_t polls)
{
    while (polls-- > 0) {
        if (board.now < play.polled + PAUSE_MAX)
            board.now = play.polled + PAUSE_MAX;
        poll();
    }
}

static void start(uint32_t with)
{
    struct link *other = play.link == &link_a ? &link_b : &link_a;
    if (with % 2 != 0 && !link_is_half(other))
        play.link = other;
    simulation_start(play.link, rate(next()), with / 2 % 2 != 0);
    play.polled = board.now;
}

static void change_link(uint32_t with)
{
    static const size_t rooms[] = {0, 1, 5, 20, 40, 100, 1000, LINK_ANY};
    play.link->room = rooms[with % 8];
    play.link->at_a_time = with < 8 ? LINK_ANY : with - 7;
}

static void step(void)
{
    uint32_t byte = next(), with = byte / 16;
    switch (byte % 16) {
    case 5:
    case 6:
        for (uint32_t polls = 0; polls <= with; polls++)
            poll();
        break;
    case 7:
        pass_time(UINT64_C(1) << 2 * with);
        break;
    case 8:
        idle(with);
        break;
    case 9:
        change_link(with);
        break;
    case 10:
        do_rate(rate(with));
        break;
    case 11:
        play.interrupt = 1 + with;
        play.handler = next();
        break;
    case 12:
        start(with);
        break;
    case 13:
        board.step = with % 4;
        break;
    case 14:
        (void)do_counts();
        break;
    case 15:
        play.link->lies = with % 2 != 0;
        play.link->whole = with / 2 % 2 != 0;
        break;
    default:
        record(byte % 16, with);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    simulation_on();
    play.at = data;
    play.end = data + (size < STEPS_MAX ? size : STEPS_MAX);
    play.link = &link_a;
    play.interrupt = 0;
    board.interrupt = interrupt;
    board.comes = comes;
    board.now = UINT32_MAX - 1000;
    start(next() % 16);
    while (play.at < play.end)
        step();
    play.interrupt = 0;
    simulation_end(play.link);
    return 0;
}
