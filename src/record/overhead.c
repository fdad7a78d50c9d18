#include "record/overhead.h"

#include "base/config.h"
#include "base/os_process.h"
#include "record/recorder.h"

#define SPANS 128 /* of a round: their records fit on a small stack, and into the nearest cache */
#define ROUNDS 64
#define ROUNDS_LEAST 4
#define ENOUGH_NS 500000

static bool by_counter;
static int64_t cpu_before; /* at the start of this recording, ns */
static uint64_t measured;  /* span_ns and, from bit 32, inner_ns, both in ps; 0: not yet */

void stave__overhead_begin(bool counter)
{
    __atomic_store_n(&cpu_before, stave__os_cpu_ns(), __ATOMIC_RELAXED);
    __atomic_store_n(&by_counter, counter, __ATOMIC_RELEASE);
}

static bool can_be_measured(void)
{
    return __atomic_load_n(&stave__recorder.made, __ATOMIC_ACQUIRE) &&
           __atomic_load_n(&by_counter, __ATOMIC_ACQUIRE);
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* A lane that no one else finds. It has room for a round, so that not even a rare case takes a chunk for it. */
struct scratch {
    struct stave__lane lane;
    struct stave__open slots[3]; /* one in front, as others have */
    struct stave__record records[SPANS];
};

struct round {
    uint64_t took, inner; /* ticks: all of it; the lengths of its spans together */
};

static void make_room(struct scratch *scratch)
{
    struct stave__open *base = scratch->slots + 1;
    *scratch = (struct scratch){
        .lane = {.thread = {.base = base, .top = base},
                 .last = base + 2,
                 .full = scratch->records + SPANS,
                 .chunk = STAVE__NO_CHUNK},
    };
    scratch->lane.thread.limit = scratch->lane.last;
    scratch->lane.thread.end = scratch->lane.full;
}

static struct round run_round(struct scratch *scratch)
{
    static stave_site site = {.name = "", .abi = STAVE_ABI, .id = 1}; /* met already, by any name */
    struct round round = {0};
    scratch->lane.thread.next = scratch->records;
    uint64_t start = stave__now();
    for (int i = 0; i < SPANS; i++) {
        const stave_span span = stave__begin(&site);
        stave__close(&span);
    }
    round.took = stave__now() - start;
    for (int i = 0; i < SPANS; i++)
        round.inner += scratch->records[i].end - scratch->records[i].start;
    return round;
}

/* The shortest: others were interrupted, or came when the processor was busy otherwise. */
static struct round run_rounds(struct scratch *scratch, int64_t start_ns)
{
    struct round least = {.took = UINT64_MAX};
    for (int i = 0; i < ROUNDS; i++) {
        struct round round = run_round(scratch);
        if (round.took < least.took)
            least = round;
        if (i >= ROUNDS_LEAST && stave__os_monotonic_ns() - start_ns > ENOUGH_NS)
            break;
    }
    return least;
}

/* C3: of a copy that is started, stave__self is stave__own. */
static struct stave__thread *change_place(struct stave__thread *to)
{
    struct stave__thread *before = stave__self;
    stave__self = to;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* for compilers they are two */
    return before;
}

static uint32_t ps_of(uint64_t ticks, double ticks_a_second)
{
    double ps = ticks_a_second > 0 ? (double)ticks / SPANS * 1e12 / ticks_a_second : 0;
    return ps < (double)UINT32_MAX ? (uint32_t)ps : UINT32_MAX;
}

static uint64_t measure(void)
{
    struct scratch scratch;
    const struct stave__clock counter = {.own = NULL};
    make_room(&scratch);
    struct stave__moment from = stave__clock_moment(&counter);
    struct stave__thread *before = change_place(&scratch.lane.thread);
    struct round round = run_rounds(&scratch, from.monotonic_ns);
    change_place(before);
    struct stave__moment to = stave__clock_moment(&counter);
    double rate = stave__clock_rate(&counter, &from, &to);
    uint32_t span = ps_of(round.took, rate), inner = ps_of(round.inner, rate);
    return span | (uint64_t)(inner < span ? inner : span) << 32;
}

static uint64_t measure_again(void)
{
    uint64_t now = measure();
    __atomic_store_n(&measured, now, __ATOMIC_RELAXED);
    return now;
}

static struct stave__span_cost cost_of(uint64_t packed)
{
    return (struct stave__span_cost){.span_ns = (double)(uint32_t)packed / 1000,
                                     .inner_ns = (double)(packed >> 32) / 1000};
}

struct stave__span_cost stave__span_cost(void)
{
    if (!can_be_measured())
        return (struct stave__span_cost){0};
    uint64_t packed = __atomic_load_n(&measured, __ATOMIC_RELAXED);
    return cost_of(packed != 0 ? packed : measure_again());
}

/* ---- of this recording ----------------------------------------------------------------------- */

/* Each span that is begun takes a serial, whatever becomes of it. */
static uint64_t count_spans(void)
{
    uint64_t spans = 0;
    for (uint32_t i = 0; i < stave__lanes_count(); i++) {
        const struct stave__lane *lane = &stave__recorder.lanes[i];
        uint64_t before = __atomic_load_n(&lane->before, __ATOMIC_RELAXED);
        uint64_t serial = __atomic_load_n(&lane->thread.serial, __ATOMIC_RELAXED);
        spans += serial > before ? serial - before : 0;
    }
    return spans;
}

static double share_of(double ns)
{
    int64_t cpu_ns = stave__os_cpu_ns() - __atomic_load_n(&cpu_before, __ATOMIC_RELAXED);
    if (ns <= 0 || cpu_ns <= 0)
        return 0;
    return ns < (double)cpu_ns ? ns / (double)cpu_ns : 1;
}

void stave_overhead_sized(stave_cost *cost, size_t cost_size)
{
    stave_cost own = {0};
    if (can_be_measured()) {
        struct stave__span_cost span = cost_of(measure_again());
        own.span_ns = span.span_ns;
        own.inner_ns = span.inner_ns;
        own.spans = count_spans();
        own.total_ns = own.span_ns * (double)own.spans;
        own.share = share_of(own.total_ns);
    }
    if (cost != NULL)
        stave__config_give(cost, cost_size, &own, sizeof own);
}
