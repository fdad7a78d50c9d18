#include <stdio.h>
#include <stdlib.h>

#include "lib/bench.h"
#include "trace/trace.h"

enum { LANES = 4, NAMES = 200, DEPTH_MAX = 12 };

struct thread {
    struct stave__appender spans;
    struct stave__stack stack;
    stave_open_span open[DEPTH_MAX];
    int64_t now;     /* ns */
    uint64_t parent; /* of the root that is open: a span of another lane, or 0 */
    uint32_t parent_lane;
};

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % limit);
}

static void check(int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench: %s\n", stave_status_text(status));
    exit(2);
}

static uint32_t add_string(stave_trace *trace, const char *what, unsigned number)
{
    char text[32];
    uint32_t id;
    int n = snprintf(text, sizeof text, "%s_%u", what, number);
    check(stave__trace_string(trace, text, (size_t)n, &id, NULL));
    return id;
}

static void begin_thread(stave_trace *trace, struct thread *thread, unsigned number, uint32_t boot,
                         bool attached)
{
    stave_lane lane = {.name = add_string(trace, "worker", number),
                       .kind = STAVE_LANE_THREAD,
                       .number = 1000 + number};
    uint32_t id;
    check(stave__trace_lane(trace, &lane, &id, NULL));
    *thread = (struct thread){.now = number * 1000};
    stave__appender_init(&thread->spans, &trace->blocks, STAVE_SPANS, id, boot);
    thread->spans.mask |= STAVE_COLUMN_NAME | STAVE_COLUMN_DEPTH;
    if (attached)
        thread->spans.mask |= STAVE_COLUMN_OTHER | STAVE_COLUMN_OTHER_LANE;
    thread->stack.spans = thread->open;
    thread->spans.stack = &thread->stack;
}

static void enter(struct thread *thread, uint32_t first_name)
{
    uint32_t depth = thread->stack.count;
    uint32_t name = depth > 0 && random_below(16) == 0
                        ? thread->open[depth - 1].name
                        : first_name + (depth * 17 + random_below(17)) % NAMES;
    thread->open[thread->stack.count++] =
        (stave_open_span){.serial = ++thread->stack.begun, .start = thread->now, .name = name};
}

static void leave(struct thread *thread)
{
    const stave_open_span *top = &thread->open[thread->stack.count - 1];
    struct stave__row row = {.start = top->start,
                             .end = thread->now,
                             .serial = top->serial,
                             .name = top->name,
                             .depth = thread->stack.count - 1};
    if (row.depth == 0 && thread->parent != 0) {
        row.flags = STAVE_FLAG_ATTACHED;
        row.other = thread->parent;
        row.other_lane = thread->parent_lane;
        thread->parent = 0;
    }
    check(stave__append_row(&thread->spans, &row, NULL));
    thread->stack.count--;
}

/* Deeper while it is shallow, then up and down, now and then all the way back to the root. */
static bool goes_deeper(const struct thread *thread)
{
    uint32_t depth = thread->stack.count;
    return depth < 4 || (depth < DEPTH_MAX && random_below(9) < 4);
}

static void step(struct thread *thread, uint32_t first_name)
{
    thread->now += 15 + random_below(random_below(10) == 0 ? 5000 : 200);
    if (goes_deeper(thread)) {
        enter(thread, first_name);
        return;
    }
    uint32_t levels = random_below(64) == 0 ? thread->stack.count : 1;
    while (levels-- > 0)
        leave(thread);
}

/* The root that has just begun on one thread works for what another has open. */
static void attach(struct thread *thread, const struct thread *other)
{
    if (thread->stack.count != 1 || other->stack.count == 0 || thread->stack.begun % 100 != 0)
        return;
    thread->parent = other->open[other->stack.count - 1].serial;
    thread->parent_lane = other->spans.lane;
}

stave_trace *bench_call_tree(uint64_t spans, uint64_t cache_bytes, bool attached)
{
    struct thread threads[LANES];
    stave_trace *trace;
    uint32_t boot, first_name = 0;
    stave_trace_config config = {.cache_bytes = cache_bytes};
    random_state = 42;
    check(stave_trace_new(&config, &trace, NULL));
    check(stave__trace_boot(trace, 0, 0, &boot, NULL));
    for (unsigned i = 0; i < NAMES; i++) {
        uint32_t id = add_string(trace, "function", i);
        first_name = i == 0 ? id : first_name;
    }
    for (unsigned i = 0; i < LANES; i++)
        begin_thread(trace, &threads[i], i, boot, attached);
    for (uint64_t i = 0; trace->blocks.next_order <= spans; i++) {
        struct thread *thread = &threads[i / 64 % LANES];
        step(thread, first_name);
        if (attached)
            attach(thread, &threads[(i / 64 + 1) % LANES]);
    }
    for (unsigned i = 0; i < LANES; i++) {
        while (threads[i].stack.count > 0)
            leave(&threads[i]);
        check(stave__appender_seal(&threads[i].spans, NULL));
    }
    stave__boot_at(trace, boot)->shown.ended = true;
    return trace;
}
