/* bench/record - what a probe costs, beside what it cannot cost less than, and beside its peers.
 *
 *     bench_record [NAME COMMAND]...       peers: record/peer.h
 *
 * CPU time of the thread, medians of interleaved rounds; ratios are those of the medians. The floor is two
 * counter readings and one 32-byte store to memory of the recorder's size. Around nothing first; then around
 * code that keeps the core busy, whose own time is taken off.  */
#define _GNU_SOURCE /* sched_setaffinity */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "lib/bench.h"
#include "record/loops.h"
#include "record/peer.h"
#include "stave/stave.h"

enum { ROUNDS = 51, PEERS_MAX = 8, OPEN_SPANS = 10000 };

struct contender {
    const char *name;
    void (*loop)(void);
    void (*before)(void), (*after)(void); /* not measured; NULL: nothing */
    struct peer *peer;                    /* instead of a loop */
    double ns[ROUNDS], median;
};

/* ---- off, many open, two threads ------------------------------------------------------------------------ */

static void turn_off(void)
{
    stave_enable(false);
}

static void turn_on(void)
{
    stave_enable(true);
}

static stave_span open_ones[OPEN_SPANS];

static void open_spans(void)
{
    uint32_t name = stave_name_intern("open");
    for (size_t i = 0; i < OPEN_SPANS; i++)
        open_ones[i] = stave_begin(name);
}

static void close_spans(void)
{
    for (size_t i = OPEN_SPANS; i > 0; i--)
        stave_end(open_ones[i - 1]);
}

static pthread_t other;
static bool enough;

/* On a processor that the measured thread does not have. */
static void move_away(void)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (cpu != sched_getcpu())
            CPU_SET(cpu, &all);
    sched_setaffinity(0, sizeof all, &all);
}

static void *record_too(void *unused)
{
    move_away();
    while (!__atomic_load_n(&enough, __ATOMIC_RELAXED))
        loop_span();
    return unused;
}

static void start_other(void)
{
    __atomic_store_n(&enough, false, __ATOMIC_RELAXED);
    if (pthread_create(&other, NULL, record_too, NULL) != 0)
        exit(2);
}

static void stop_other(void)
{
    __atomic_store_n(&enough, true, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
}

/* ---- what is measured ------------------------------------------------------------------------ */

enum { FLOOR, EMPTY, OFF = 3, SPAN, INTEGER, HOOKS = 14, BUSY, BUSY_FLOOR, OWN = 23 };

static struct contender contenders[OWN + PEERS_MAX] = {
    [FLOOR] = {"floor: two counter readings, one store", loop_floor},
    [EMPTY] = {"empty loop", loop_empty},
    {"span, compiled out", loop_span_disabled},
    {"span, off", loop_span, turn_off, turn_on},
    [SPAN] = {"span", loop_span},
    [INTEGER] = {"span, an integer attribute", loop_integer},
    {"span, a text of 19 bytes", loop_string},
    {"STAVE_FUNCTION, two arguments", loop_function},
    {"mark", loop_mark},
    {"cumulative span", loop_cumulative},
    {"span by handle", loop_handle},
    {"span, a second thread records too", loop_span, start_other, stop_other},
    {"span, 10,000 open below it", loop_span, open_spans, close_spans},
    {"a root with three spans", loop_root},
    [HOOKS] = {"empty -finstrument-functions hooks", loop_instrumented},
    [BUSY] = {"busy: the work alone", busy_empty},
    [BUSY_FLOOR] = {"busy: floor", busy_floor},
    {"busy: span", busy_span},
    {"busy: span, an integer attribute", busy_integer},
    {"busy: span, a text of 19 bytes", busy_string},
    {"busy: STAVE_FUNCTION, two arguments", busy_function},
    {"busy: cumulative span", busy_cumulative},
    {"busy: span by handle", busy_handle},
};
static size_t count = OWN;

static void add_peers(char **arguments)
{
    static struct peer peers[PEERS_MAX];
    for (size_t i = 0; i < PEERS_MAX && arguments[0] != NULL && arguments[1] != NULL; i++) {
        if (peer_start(&peers[i], arguments[1]))
            contenders[count++] = (struct contender){.name = arguments[0], .peer = &peers[i]};
        else
            printf("  %s: not there\n", arguments[0]);
        arguments += 2;
    }
}

static double seconds_of(const struct contender *contender)
{
    if (contender->peer != NULL)
        return peer_ask(contender->peer);
    double begin = bench_thread_seconds();
    contender->loop();
    return bench_thread_seconds() - begin;
}

static double measure(const struct contender *contender)
{
    if (contender->before != NULL)
        contender->before();
    double seconds = seconds_of(contender);
    if (contender->after != NULL)
        contender->after();
    return seconds / RECORD_TIMES * 1e9;
}

static void run_rounds(void)
{
    for (size_t i = 0; i < count; i++)
        measure(&contenders[i]); /* what is met for the first time */
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++)
            contenders[i].ns[round] = measure(&contenders[i]);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print(const struct contender *contender)
{
    bool busy = contender > &contenders[BUSY] && contender < &contenders[OWN];
    double work = busy ? contenders[BUSY].median : 0;
    double floor = contenders[busy ? BUSY_FLOOR : FLOOR].median - work;
    printf("  %-46s %8.2f ns, best %8.2f, %6.2f of the floor\n", contender->name,
           contender->median - work, contender->ns[0] - work, (contender->median - work) / floor);
}

static void print_all(void)
{
    printf("CPU time of one, medians of %d rounds of %d\n", ROUNDS, RECORD_TIMES);
    for (size_t i = 0; i < count; i++)
        contenders[i].median = bench_median(contenders[i].ns, ROUNDS);
    for (size_t i = 0; i < count; i++)
        print(&contenders[i]);
}

static void print_budgets(void)
{
    double off = contenders[OFF].median - contenders[EMPTY].median;
    printf(
        "  off: %.2f ns over an empty loop (budget: 1); an integer: %.2f of a span (budget: 1.6); "
        "span: budget 1.10 of the floor\n",
        off, contenders[INTEGER].median / contenders[SPAN].median);
}

int main(int argc, char **argv)
{
    (void)argc;
    stave_counts counts;
    if (stave_start(&(stave_config){.max_bytes = RECORD_BYTES}, NULL) < 0)
        return 2;
    signal(SIGPIPE, SIG_IGN); /* of a peer that is not there */
    add_peers(argv + 1);
    run_rounds();
    print_all();
    print_budgets();
    stave_get_counts(&counts);
    uint64_t dropped = counts.dropped_depth + counts.dropped_full + counts.dropped_site;
    printf("  %" PRIu64 " records, of which %" PRIu64 " given up; %" PRIu64 " dropped\n",
           counts.recorded, counts.evicted, dropped);
    for (size_t i = OWN; i < count; i++)
        peer_stop(contenders[i].peer);
    return 0;
}
