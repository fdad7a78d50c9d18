/* Thousands of random schedules: events in tasks and in interrupts that come at any point, pauses,
 * polls, changes of rate, transports that take a part or nothing, starts. Each frame is checked when it
 * goes out, each loss is counted, and at the end the host's rows are the model's.
 *
 *     test_target_random_... [FIRST [COUNT]]        // seeds  */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "simulation.h"
#include "stress/device.h"

#ifdef STAVE_SLOWED
#define SCHEDULES 150
#else
#define SCHEDULES 1500
#endif

/* A 32-bit clock is looked at within half a wrap. */
#define PAUSE_BITS (STAVE_TARGET_CLOCK_BITS == 32 ? 30 : 50)
#define PAUSES_MAX ((UINT64_C(1) << 31) - 1000000)

static uint64_t first_seed = 1, seeds = SCHEDULES;
static uint64_t schedules_compared;

static struct {
    struct dice dice;
    struct link *link;
    uint32_t names;
    unsigned interrupts; /* thousandths, at each point */
    uint32_t depth;
    uint64_t polled; /* when */
} play;

static void record(void)
{
    const struct stave_target_name *name = name_of((uint32_t)dice_below(&play.dice, play.names));
    uint32_t value = (uint32_t)dice_spread(&play.dice, 32);
    switch (dice_below(&play.dice, 6)) {
    case 0:
        do_begin_value(name, value);
        break;
    case 1:
        do_mark(name);
        break;
    case 2:
        do_mark_value(name, value);
        break;
    case 3:
        do_begin(name);
        break;
    default:
        do_end(name);
    }
}

static bool comes(void)
{
    return play.depth < 3 && dice_chance(&play.dice, play.interrupts);
}

static uint32_t a_rate(void)
{
    static const uint32_t rates[] = {0, 1, 900, 32768, 1000000, HZ, 4000000000u};
    return rates[dice_below(&play.dice, sizeof rates / sizeof rates[0])];
}

static void interrupt(void)
{
    play.depth++;
    for (uint64_t events = dice_below(&play.dice, 4); events > 0; events--)
        record();
    if (dice_chance(&play.dice, 30))
        do_rate(a_rate());
    play.depth--;
}

static void poll(void)
{
    do_poll(1);
    play.polled = board.now;
}

static void pass_time(void)
{
    uint64_t ticks = dice_spread(&play.dice, PAUSE_BITS);
    if (STAVE_TARGET_CLOCK_BITS == 32 && board.now + ticks - play.polled > PAUSES_MAX)
        poll();
    board.now += ticks;
}

/* Long, with nothing but polls, also with a transport that is stuck. */
static void idle(void)
{
    if (dice_chance(&play.dice, 700))
        play.link->room = dice_below(&play.dice, 3) * 10;
    for (uint64_t pauses = dice_below(&play.dice, 8); pauses > 0; pauses--) {
        board.now += PAUSES_MAX - dice_spread(&play.dice, 31) % PAUSES_MAX;
        if (STAVE_TARGET_CLOCK_BITS == 32 && board.now - play.polled > PAUSES_MAX)
            board.now = play.polled + PAUSES_MAX;
        poll();
    }
}

static void change_link(void)
{
    static const size_t rooms[] = {0, 0, 1, 30, 100, 1000, LINK_ANY, LINK_ANY};
    struct link *link = play.link;
    link->room = rooms[dice_below(&play.dice, sizeof rooms / sizeof rooms[0])];
    link->at_a_time = dice_chance(&play.dice, 700) ? LINK_ANY : 1 + dice_below(&play.dice, 40);
    link->lies = dice_chance(&play.dice, 100);
}

/* On the same transport as before, or on another; one with half a frame in it is not come back to. */
static void start(void)
{
    struct link *other = play.link == &link_a ? &link_b : &link_a;
    if (dice_chance(&play.dice, 500) && !link_is_half(other))
        play.link = other;
    simulation_start(play.link, a_rate(), dice_chance(&play.dice, 500));
    play.polled = board.now;
}

static void step(void)
{
    uint64_t roll = dice_below(&play.dice, 1000);
    if (roll < 550)
        record();
    else if (roll < 800)
        poll();
    else if (roll < 900)
        pass_time();
    else if (roll < 970)
        change_link();
    else if (roll < 975)
        idle();
    else if (roll < 985)
        do_rate(a_rate());
    else if (roll < 988)
        start();
    else if (roll < 990)
        board.step = dice_chance(&play.dice, 800);
    else
        (void)do_counts();
}

static void play_schedule(uint64_t seed)
{
    simulation_on();
    play.dice.state = seed;
    play.link = &link_a;
    play.names = 1 + (uint32_t)dice_below(&play.dice, 60);
    play.interrupts = (unsigned)dice_below(&play.dice, 3) * 10;
    board.now = dice_chance(&play.dice, 500) ? dice_spread(&play.dice, 40) : UINT32_MAX - 100;
    board.interrupt = interrupt;
    board.comes = comes;
    link_a.whole = dice_chance(&play.dice, 300);
    link_b.whole = link_a.whole;
    for (uint64_t events = dice_below(&play.dice, 3); events > 0; events--)
        record(); /* before the start */
    (void)do_poll(2);
    start();
    for (uint64_t steps = 50 + dice_below(&play.dice, 400); steps > 0; steps--)
        step();
    play.interrupts = 0;
    schedules_compared += simulation_end(play.link);
}

static void test_schedules(void **state)
{
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        play_schedule(seed);
    print_message("%llu of %llu schedules compared with the host's rows, too\n",
                  (unsigned long long)schedules_compared, (unsigned long long)seeds);
    assert_true(schedules_compared * 10 >= seeds * 7);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_schedules)};
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seeds = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, simulation_free);
}
