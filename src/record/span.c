/* Spans, where the inline probes stop: a place met for the first time, a full chunk, an end out of order,
 * another clock. */
#include <string.h>

#include "base/os_process.h"
#include "record/rules.h"
#include "record/sessions.h"
#include "record/sums.h"
#include "record/traces.h"
#include "stave/block.h"

static const stave_span none;

/* What the span of a root that is not recorded is in. */
static struct stave__open skipped_slot;

#define NAME_MASK (((uint64_t)1 << STAVE__DEPTH_SHIFT) - 1)
#define IS_ATTACHED ((uint64_t)STAVE_FLAG_ATTACHED << STAVE__FLAGS_SHIFT)

/* ---- beginning ------------------------------------------------------------------------------- */

static const char *text_of(const stave_site *site)
{
    return site->name != NULL ? site->name : site->function;
}

/* What a site's number says: its name, at this place or at all of them, or a key. */
enum meaning { NAME_HERE, NAME_ANYWHERE, KEY };

static uint32_t make_id(const stave_site *site, enum meaning meaning)
{
    struct stave__recorder *recorder = &stave__recorder;
    const char *text = text_of(site);
    switch (meaning) {
    case NAME_HERE:
        return stave__sites_name(&recorder->sites, &recorder->names, text, site);
    case NAME_ANYWHERE:
        return stave__sites_shared_name(&recorder->sites, &recorder->names, text, site);
    case KEY:
        break;
    }
    return stave__dictionary_add(&recorder->names, text, strlen(text));
}

static uint32_t id_of(stave_site *site, enum meaning meaning)
{
    if (site->abi != STAVE_ABI)
        return STAVE__OTHER_ABI; /* and the rest of it is not known either */
    uint32_t id = __atomic_load_n(&site->id, __ATOMIC_RELAXED);
    if (id == 0) {
        id = make_id(site, meaning);
        __atomic_store_n(&site->id, id, __ATOMIC_RELEASE); /* R6 */
    }
    return id;
}

uint32_t stave__site_id(stave_site *site)
{
    return id_of(site, NAME_HERE);
}

uint32_t stave__shared_id(stave_site *site)
{
    return id_of(site, NAME_ANYWHERE);
}

uint32_t stave__key_id(stave_site *key)
{
    return id_of(key, KEY);
}

/* The next slot; NULL: too deep, which has been counted. */
static struct stave__open *push(struct stave__lane *lane, uint64_t what)
{
    struct stave__thread *self = &lane->thread;
    struct stave__open *slot = self->top;
    uint64_t depth = (uint64_t)(slot - self->base);
    if (slot == lane->last) {
        stave__count(&lane->counts.dropped_depth, 1);
        return NULL;
    }
    STAVE__STORE(slot->serial, self->serial + 1);
    stave__order_stores(); /* R5 */
    STAVE__STORE(self->serial, self->serial + 1);
    STAVE__STORE(slot->what, what | depth << STAVE__DEPTH_SHIFT);
    slot->sums = NULL;
    return slot;
}

static stave_span start(struct stave__lane *lane, struct stave__open *slot)
{
    STAVE__STORE(slot->start, stave__clock_tick(&stave__recorder.clock));
    stave__lane_set_top(lane, slot + 1);
    return (stave_span){.slot = slot, .serial = slot->serial};
}

void stave__count_dropped_site(struct stave__lane *lane, uint32_t id)
{
    stave_counts *counts = &lane->counts;
    stave__count(id == STAVE__OTHER_ABI ? &counts->dropped_abi : &counts->dropped_site, 1);
}

static stave_span drop_site(struct stave__lane *lane, uint32_t id)
{
    stave__count_dropped_site(lane, id);
    return none;
}

static stave_span begin_sum(struct stave__lane *lane, uint32_t id)
{
    struct stave__open *around = lane->thread.top - 1;
    struct stave__sums *sums = stave__sums_of(lane, around, id);
    struct stave__open *slot = sums != NULL ? push(lane, id | STAVE__IS_SUM) : NULL;
    if (slot == NULL)
        return sums != NULL ? none : drop_site(lane, id);
    slot->sums = sums;
    return start(lane, slot);
}

/* Whether max_spans lets it be recorded: asked at its beginning, so that nothing is told of one that will not be. */
static bool is_within_limit(struct stave__lane *lane)
{
    struct stave__recorder *recorder = &stave__recorder;
    if (recorder->max_spans == 0)
        return true;
    uint64_t spans = __atomic_fetch_add(&recorder->spans, 1, __ATOMIC_RELAXED);
    if (spans < recorder->max_spans)
        return true;
    if (spans == recorder->max_spans)
        STAVE__STORE(recorder->limit_reached, stave__clock_tick(&recorder->clock));
    stave__count(&lane->counts.dropped_limit, 1);
    return false;
}

static stave_span begin(struct stave__lane *lane, uint32_t id)
{
    if (!stave__is_name(id))
        return drop_site(lane, id);
    if (lane->is_skipping)
        return none;
    if (stave__is_in_sum(&lane->thread))
        return begin_sum(lane, id);
    struct stave__open *slot = is_within_limit(lane) ? push(lane, id) : NULL;
    return slot != NULL ? start(lane, slot) : none;
}

stave_span stave__span_begin(struct stave__lane *lane, uint32_t name)
{
    return begin(lane, name);
}

/* Room for what is attached at each depth. */
static bool has_attached(struct stave__lane *lane)
{
    if (lane->attached == NULL)
        STAVE__PUBLISH(lane->attached, (struct stave__attached *)stave__os_reserve(
                                           STAVE_DEPTH_MAX * sizeof *lane->attached));
    return lane->attached != NULL;
}

/* Its words are there before the top passes it: R5. */
static stave_span start_attached(struct stave__lane *lane, struct stave__open *slot,
                                 const struct stave__attached *to)
{
    struct stave__attached *attached = &lane->attached[slot - lane->thread.base];
    STAVE__STORE(attached->serial, to->serial);
    STAVE__STORE(attached->owner, to->owner);
    lane->attached_open++;
    return start(lane, slot);
}

stave_span stave__span_begin_attached(struct stave__lane *lane, uint32_t name,
                                      const struct stave__attached *to)
{
    if (!stave__is_name(name) || lane->is_skipping || stave__is_in_sum(&lane->thread))
        return begin(lane, name);
    struct stave__open *slot = is_within_limit(lane) ? push(lane, name | IS_ATTACHED) : NULL;
    if (slot == NULL)
        return none;
    if (!has_attached(lane) || !stave__sums_mark(lane, slot))
        return drop_site(lane, STAVE__NO_ID);
    return start_attached(lane, slot, to);
}

stave_span stave__begin_slowly(stave_site *site)
{
    struct stave__lane *lane = stave__lane_of_thread();
    return lane != NULL ? begin(lane, stave__site_id(site)) : none;
}

/* Until its end nothing is recorded on the lane. */
static stave_span skip(struct stave__lane *lane)
{
    stave__count(&lane->counts.roots_skipped, 1);
    lane->is_skipping = true;
    stave__lane_set_top(lane, lane->thread.top);
    return (stave_span){.slot = &skipped_slot, .serial = 1};
}

static void end_skipping(struct stave__lane *lane)
{
    lane->is_skipping = false;
    stave__lane_set_top(lane, lane->thread.top);
}

/* In another root, or in what is summed up, it is a span like any other. */
static stave_span begin_trace(struct stave__lane *lane, uint32_t id)
{
    bool is_root = stave__is_name(id) && lane->root.slot == NULL && !lane->is_skipping &&
                   !stave__is_in_sum(&lane->thread);
    if (is_root && !stave__sessions_capture(lane) && !stave__trace_is_wanted(id))
        return skip(lane);
    stave_span span = begin(lane, id);
    if (is_root && span.slot != NULL)
        stave__trace_begin(lane, span.slot);
    return span;
}

stave_span stave__begin_trace(stave_site *site)
{
    struct stave__lane *lane = stave__lane_of_thread();
    return lane != NULL ? begin_trace(lane, stave__site_id(site)) : none;
}

/* Without a span around it there is nothing that it could be summed up in: it is one itself. */
stave_span stave__begin_cumulative_slowly(stave_site *site)
{
    struct stave__lane *lane = stave__lane_of_thread();
    if (lane == NULL)
        return none;
    uint32_t id = stave__shared_id(site);
    if (!stave__is_name(id) || lane->is_skipping || lane->thread.top == lane->thread.base)
        return begin(lane, id);
    return begin_sum(lane, id);
}

static uint32_t known(uint32_t name)
{
    bool is_known = name != 0 && name < stave__dictionary_count(&stave__recorder.names);
    return is_known ? name : STAVE__NO_ID;
}

stave_span stave_begin(uint32_t name)
{
    struct stave__lane *lane = stave__is_on() ? stave__lane_of_thread() : NULL;
    return lane != NULL ? begin(lane, known(name)) : none;
}

stave_span stave_begin_trace(uint32_t name)
{
    struct stave__lane *lane = stave__is_on() ? stave__lane_of_thread() : NULL;
    return lane != NULL ? begin_trace(lane, known(name)) : none;
}

stave_span stave_current_span(void)
{
    const struct stave__thread *self = stave__own;
    if (self->top == self->base || stave__is_skipping())
        return none;
    return (stave_span){.slot = self->top - 1, .serial = self->top[-1].serial};
}

/* ---- ending ---------------------------------------------------------------------------------- */

/* Behind its record: the place that a handle named. */
static void write_attached(struct stave__lane *lane, const struct stave__open *slot,
                           struct stave__record *record)
{
    const struct stave__attached *attached = &lane->attached[slot - lane->thread.base];
    STAVE__STORE(record->start, attached->serial);
    STAVE__STORE(record->end, attached->owner);
    STAVE__STORE(record->serial, 0);
    STAVE__STORE(record->what, 0);
    lane->attached_open--;
}

static void drop_evaluation(struct stave__lane *lane, const struct stave__open *slot)
{
    bool is_attached = (slot->what & IS_ATTACHED) != 0;
    if (stave__role_of((uint32_t)(slot->what & NAME_MASK)) == STAVE__NAME_RULE)
        stave__sessions_drop(lane, slot->start, is_attached);
    lane->attached_open -= is_attached;
}

/* NULL: it found no room. */
static const struct stave__record *write(struct stave__lane *lane, const struct stave__open *slot,
                                         uint64_t end, uint64_t flags)
{
    bool is_attached = (slot->what & IS_ATTACHED) != 0;
    struct stave__record *record = stave__lane_room(lane, 1 + is_attached);
    if (record == NULL) {
        drop_evaluation(lane, slot);
        return NULL;
    }
    if (is_attached)
        write_attached(lane, slot, record + 1);
    STAVE__STORE(record->start, slot->start);
    STAVE__STORE(record->end, end);
    STAVE__STORE(record->serial, slot->serial);
    STAVE__STORE(record->what, slot->what | flags << STAVE__FLAGS_SHIFT);
    stave__lane_wrote(lane, record + 1 + is_attached);
    return record;
}

static void end_span(struct stave__lane *lane, struct stave__open *slot, uint64_t end,
                     uint64_t flags)
{
    stave__sums_write(lane, slot);
    const struct stave__record *record = write(lane, slot, end, flags);
    stave__lane_set_top(lane, slot);
    if (lane->root.slot != slot)
        return;
    lane->root.slot = NULL;
    if (record != NULL)
        stave__trace_end(lane, record);
}

static void end_sum(struct stave__lane *lane, struct stave__open *slot, uint64_t end)
{
    stave__sums_add(slot->sums, slot->start, end);
    slot->sums = NULL; /* as the inline probes want a free slot */
    stave__lane_set_top(lane, slot);
}

/* The innermost span ends. */
static void end_top(struct stave__lane *lane, uint64_t end, uint64_t flags)
{
    struct stave__open *slot = lane->thread.top - 1;
    if (end < slot->start) {
        stave__count(&lane->counts.clock_back, 1);
        flags |= STAVE_FLAG_UNCERTAIN;
        end = slot->start;
    }
    if (slot->what & STAVE__IS_SUM)
        end_sum(lane, slot, end);
    else
        end_span(lane, slot, end, flags);
}

/* Those inside `slot` that nobody ended end here. */
static void end_above(struct stave__lane *lane, const struct stave__open *slot, uint64_t end)
{
    for (; lane->thread.top > slot; end_top(lane, end, STAVE_FLAG_UNWOUND))
        stave__count(&lane->counts.left_open, 1);
}

void stave__end_all(struct stave__lane *lane)
{
    if (lane->thread.top > lane->thread.base)
        end_above(lane, lane->thread.base, stave__clock_tick(&stave__recorder.clock));
}

void stave__span_end_at(struct stave__lane *lane, stave_span span, uint64_t end)
{
    end_above(lane, span.slot + 1, end);
    end_top(lane, end, 0);
}

void stave__end_slowly(stave_span span, uint64_t end)
{
    struct stave__thread *self = stave__own;
    struct stave__lane *lane = (struct stave__lane *)self;
    bool is_skipped = span.slot == &skipped_slot;
    if (is_skipped ? !stave__is_skipping() : !stave__is_open(self, span)) {
        stave__count_ended_twice();
        return;
    }
    if (stave__is_skipping())
        end_skipping(lane); /* also by what is around it */
    if (is_skipped)
        return;
    if (stave__recorder.clock.own != NULL)
        end = stave__clock_tick(&stave__recorder.clock);
    stave__span_end_at(lane, span, end);
}

/* A root ends by more than a record. */
void stave_end(stave_span span)
{
    const struct stave__lane *lane = (const struct stave__lane *)stave__own;
    if (span.slot != NULL && stave__has_lane() && span.slot == lane->root.slot)
        stave__end_slowly(span, stave__now());
    else
        stave__end(span);
}
