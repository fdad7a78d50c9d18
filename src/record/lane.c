/* Lanes: the threads that record, their rooms, and where the inline probes stop. */
#include <pthread.h>
#include <string.h>

#include "base/os_process.h"
#include "record/recorder.h"
#include "record/sessions.h"
#include "record/stack.h"
#include "record/sums.h"

struct stave__recorder stave__recorder;

/* A thread that has met no probe has no room for one. */
static struct stave__open no_slots[2];
static struct stave__thread nobody = {
    .top = no_slots + 1, .limit = no_slots + 1, .base = no_slots + 1};

/* C3: one variable by two names, of which only the second is exported. */
__thread struct stave__thread *stave__own __attribute__((tls_model("initial-exec"))) = &nobody;
extern __thread struct stave__thread *stave__self __attribute__((alias("stave__own")));

static pthread_key_t end_of_thread;
static pthread_once_t end_of_thread_tried = PTHREAD_ONCE_INIT;
static bool end_of_thread_made;

/* ---- rooms ----------------------------------------------------------------------------------- */

/* R4. What ends in a cumulative span is found by its slot's `sums`. */
static void set_stops(struct stave__lane *lane)
{
    struct stave__thread *self = &lane->thread;
    bool own_clock = stave__recorder.clock.own != NULL;
    bool always = own_clock || stave__recorder.max_spans != 0; /* also behind an end */
    bool calls = always || lane->is_skipping || stave__is_in_sum(self);
    self->limit = calls ? self->top : lane->last;
    self->end = always ? self->next : lane->full;
}

void stave__lane_set_top(struct stave__lane *lane, struct stave__open *top)
{
    __atomic_store_n(&lane->thread.top, top, __ATOMIC_RELEASE);
    set_stops(lane);
}

void stave__lane_wrote(struct stave__lane *lane, struct stave__record *next)
{
    __atomic_store_n(&lane->thread.next, next, __ATOMIC_RELEASE);
    set_stops(lane);
}

static void seal(struct stave__lane *lane)
{
    if (lane->chunk == STAVE__NO_CHUNK)
        return;
    struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, lane->chunk);
    uint32_t used = (uint32_t)(lane->thread.next - chunk->records);
    stave__count(&lane->counts.recorded, used);
    lane->last_chunk = lane->chunk;
    lane->last_taken = chunk->taken;
    if (stave__sessions_any()) {
        STAVE__PUBLISH(chunk->used, used); /* V3 */
        stave__sessions_hold(lane, lane->chunk, used);
    }
    /* First: a reader that no longer finds the chunk at its lane finds how much of it is used. */
    stave__pool_seal(&stave__recorder.pool, lane->chunk, used);
    __atomic_store_n(&lane->chunk, STAVE__NO_CHUNK, __ATOMIC_RELEASE);
    lane->full = NULL;
    stave__lane_wrote(lane, NULL);
}

/* From the chunk's beginning on. */
static void write_into(struct stave__lane *lane, uint32_t number)
{
    struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, number);
    STAVE__STORE(chunk->before, lane->last_chunk);
    STAVE__STORE(chunk->before_taken, lane->last_taken);
    lane->full = chunk->records + STAVE__CHUNK_RECORDS;
    stave__lane_wrote(lane, chunk->records);
    __atomic_store_n(&lane->chunk, number, __ATOMIC_RELEASE);
}

static uint32_t take_chunk(struct stave__lane *lane)
{
    uint32_t owner = stave__owner(lane->index, lane->life);
    __atomic_fetch_add(&lane->uses, 1, __ATOMIC_RELAXED);
    uint32_t number = stave__pool_take(&stave__recorder.pool, owner);
    if (number == STAVE__NO_CHUNK)
        stave__lane_release(owner);
    return number;
}

/* Nothing older is to be had, for a moment or as other threads have it all: what is newest takes the place of the lane's
 * own. A trace that goes over it has a gap, which its chunks show. */
static bool begin_chunk_again(struct stave__lane *lane)
{
    uint32_t number = lane->chunk;
    if (number == STAVE__NO_CHUNK)
        return false;
    const struct stave__chunk *chunk = stave__pool_at(&stave__recorder.pool, number);
    uint32_t used = (uint32_t)(lane->thread.next - chunk->records);
    __atomic_store_n(&lane->chunk, STAVE__NO_CHUNK, __ATOMIC_RELEASE);
    if (!stave__pool_retake(&stave__recorder.pool, number, used)) {
        __atomic_store_n(&lane->chunk, number, __ATOMIC_RELEASE);
        return false;
    }
    stave__count(&lane->counts.recorded, used);
    lane->last_taken = 0;
    write_into(lane, number);
    return true;
}

static bool has_room(const struct stave__lane *lane, uint32_t records)
{
    return lane->full != NULL && lane->full - lane->thread.next >= (ptrdiff_t)records;
}

struct stave__record *stave__lane_room(struct stave__lane *lane, uint32_t records)
{
    if (has_room(lane, records))
        return lane->thread.next;
    uint32_t number = take_chunk(lane);
    if (number != STAVE__NO_CHUNK) {
        seal(lane);
        write_into(lane, number);
    } else if (!begin_chunk_again(lane)) {
        seal(lane);
        stave__count(&lane->counts.dropped_full, records);
        return NULL;
    }
    return lane->thread.next;
}

/* ---- lanes that are free --------------------------------------------------------------------- */

void stave__lane_release(uint32_t owner)
{
    uint32_t index = stave__owner_lane(owner);
    struct stave__lane *lane = &stave__recorder.lanes[index];
    if (__atomic_sub_fetch(&lane->uses, 1, __ATOMIC_ACQ_REL) == 0)
        stave__stack_push(&stave__recorder.lanes_free, &lane->next_free, index);
}

/* NULL: there is none. */
static struct stave__lane *take_free_lane(void)
{
    uint64_t *top = &stave__recorder.lanes_free, seen;
    while ((seen = stave__stack_top(top)) != 0) {
        struct stave__lane *lane = &stave__recorder.lanes[stave__stack_number(seen)];
        if (!stave__stack_pop(top, seen, &lane->next_free))
            continue;
        STAVE__STORE(lane->life, lane->life + 1);
        return lane;
    }
    return NULL;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* One slot more in front: a goto past a probe lets the end of an empty stack be looked at. */
#define SLOTS_SIZE ((STAVE_DEPTH_MAX + 1) * sizeof(struct stave__open))

static void close_lane(void *given)
{
    struct stave__lane *lane = given;
    stave__end_all(lane);
    lane->is_skipping = false;
    lane->attached_open = 0;
    stave__own = &nobody;
    seal(lane);
    __atomic_store_n(&lane->state, STAVE__LANE_ENDED, __ATOMIC_RELEASE);
    /* Others may still read there: it stays address space, of zeros. */
    stave__os_forget(lane->thread.base - 1, SLOTS_SIZE);
    stave__lane_release(stave__owner(lane->index, lane->life));
}

static void make_key(void)
{
    end_of_thread_made = pthread_key_create(&end_of_thread, close_lane) == 0;
}

/* The next lane. NULL: there is none. */
static struct stave__lane *take_new_lane(void)
{
    uint32_t index = __atomic_fetch_add(&stave__recorder.lanes_count, 1, __ATOMIC_ACQ_REL);
    if (index < STAVE__LANES_MAX) {
        struct stave__lane *lane = &stave__recorder.lanes[index];
        lane->index = index;
        return lane;
    }
    /* Not given back but at the end: others may have taken the next. */
    __atomic_fetch_sub(&stave__recorder.lanes_count, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* A lane's slots stay its own. False: there is no memory. */
static bool set_stack(struct stave__lane *lane)
{
    if (lane->thread.base == NULL) {
        struct stave__open *slots = stave__os_reserve(SLOTS_SIZE);
        if (slots == NULL)
            return false;
        lane->thread.base = slots + 1;
    }
    lane->last = lane->thread.base + STAVE_DEPTH_MAX;
    stave__lane_set_top(lane, lane->thread.base);
    return true;
}

/* Whether the end of the thread will close it. */
static bool watch(struct stave__lane *lane)
{
    pthread_once(&end_of_thread_tried, make_key);
    return end_of_thread_made && pthread_setspecific(end_of_thread, lane) == 0;
}

static void name_lane(struct stave__lane *lane)
{
    char name[STAVE__OS_THREAD_NAME_SIZE];
    STAVE__STORE(lane->number, stave__os_thread_number());
    stave__os_thread_name(name);
    if (name[0] != '\0')
        STAVE__PUBLISH(lane->name,
                       stave__dictionary_add(&stave__recorder.names, name, strlen(name)));
}

static struct stave__lane *drop_thread(void)
{
    __atomic_fetch_add(&stave__recorder.dropped_thread, 1, __ATOMIC_RELAXED);
    return NULL;
}

static struct stave__lane *make_lane(void)
{
    struct stave__lane *lane = take_free_lane();
    if (lane == NULL)
        lane = take_new_lane();
    if (lane == NULL)
        return drop_thread();
    STAVE__STORE(lane->chunk, STAVE__NO_CHUNK);
    lane->last_taken = 0;
    STAVE__STORE(lane->uses, 1);
    if (!set_stack(lane) || !watch(lane)) {
        stave__lane_release(stave__owner(lane->index, lane->life));
        return drop_thread();
    }
    name_lane(lane);
    __atomic_store_n(&lane->state, STAVE__LANE_ALIVE, __ATOMIC_RELEASE);
    stave__own = &lane->thread;
    return lane;
}

bool stave__has_lane(void)
{
    return stave__own != &nobody;
}

void stave__lane_leave(void)
{
    if (stave__own == &nobody)
        return;
    stave__own = &nobody;
    pthread_setspecific(end_of_thread, NULL);
}

void stave__lanes_begin(void)
{
    for (uint32_t i = 0; i < stave__lanes_count(); i++) {
        struct stave__lane *lane = &stave__recorder.lanes[i];
        uint64_t serial = __atomic_load_n(&lane->thread.serial, __ATOMIC_RELAXED);
        STAVE__STORE(lane->before, serial);
    }
}

void stave__count_ended_twice(void)
{
    if (stave__own != &nobody)
        stave__count(&((struct stave__lane *)stave__own)->counts.ended_twice, 1);
    else
        __atomic_fetch_add(&stave__recorder.ended_elsewhere, 1, __ATOMIC_RELAXED);
}

/* C2. The probe has read stave__on, or stave__rules_on, without order: what the start made before it turned that on is seen from here. */
static bool is_started(void)
{
    bool is_on = __atomic_load_n(&stave__on, __ATOMIC_ACQUIRE) != 0 ||
                 __atomic_load_n(&stave__rules_on, __ATOMIC_ACQUIRE) != 0;
    return is_on && __atomic_load_n(&stave__recorder.made, __ATOMIC_RELAXED);
}

struct stave__lane *stave__lane_of_thread(void)
{
    if (stave__own != &nobody)
        return (struct stave__lane *)stave__own;
    return is_started() ? make_lane() : NULL;
}

struct stave__lane *stave__lane_of_thread_anyway(void)
{
    if (stave__own != &nobody)
        return (struct stave__lane *)stave__own;
    return __atomic_load_n(&stave__recorder.made, __ATOMIC_ACQUIRE) ? make_lane() : NULL;
}
