#include "stress/noted.h"

#include <stddef.h>
#include <time.h>

#include "record/recorder.h"
#include "stress/traces.h"

#define NAMES 4u

#define NOTE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)

static stave_site sites[NAMES] = {{.name = "n0", .abi = STAVE_ABI},
                                  {.name = "n1", .abi = STAVE_ABI},
                                  {.name = "n2", .abi = STAVE_ABI},
                                  {.name = "n3", .abi = STAVE_ABI}};

static uint32_t name_of(uint64_t number)
{
    return (uint32_t)(number * 2654435761u >> 7) % NAMES;
}

static uint64_t since_start(uint64_t tick)
{
    return tick - stave__recorder.clock.start.tick + 1;
}

const char *noted_name(uint64_t number)
{
    return sites[name_of(number)].name;
}

uint64_t noted_number(const struct noted_thread *thread, uint64_t serial)
{
    while (NOTED(thread->before) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    return serial + 1 - NOTED(thread->before);
}

stave_span noted_begin(struct noted_thread *thread, uint32_t depth)
{
    uint64_t number = ++thread->spans, before = stave__now();
    NOTE(thread->depths[number], (uint8_t)depth);
    stave_span span = stave__begin(&sites[name_of(number)]);
    uint64_t start = span.slot->start;
    if (number == 1)
        NOTE(thread->before, span.serial);
    thread->wrong |= span.serial + 1 != thread->before + number || start < before;
    thread->wrong |= start > stave__now();
    NOTE(thread->noted[number].start, since_start(start));
    return span;
}

/* One that found no room left its place as it was. */
static void end(struct noted_thread *thread, stave_span span)
{
    uint64_t before = stave__now();
    stave__end(span);
    const struct stave__record *next = stave__self->next;
    bool recorded = next != NULL && next[-1].serial == span.serial;
    uint64_t end = recorded ? next[-1].end : before;
    thread->wrong |= end < before || end > stave__now();
    thread->recorded += recorded;
    NOTE(thread->noted[span.serial + 1 - thread->before].end, since_start(end));
}

void noted_record(struct noted_thread *thread, uint32_t outside)
{
    stave_span open[NOTED_DEEPEST];
    uint32_t depth = outside;
    stave_thread_name(thread->name);
    while (thread->spans < thread->limit || depth > outside) {
        bool may = thread->spans < thread->limit && depth < NOTED_DEEPEST;
        if (may && (depth == outside || traces_random(&thread->random, 2) == 0)) {
            open[depth] = noted_begin(thread, depth);
            depth++;
        } else {
            end(thread, open[--depth]);
        }
        if (thread->pause_us > 0 && thread->spans % 16 == 0)
            nanosleep(&(struct timespec){.tv_nsec = thread->pause_us * 1000L}, NULL);
    }
}
