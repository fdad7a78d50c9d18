/* A roll-up of lanes without attached spans, in one pass with the open spans in memory.
 *
 * Rows are taken from the last to the first (analyze/nesting.h), so that parents come before their
 * children. A span's children lie in it: its total is its own length. They come in the order of their
 * ends, latest first, so what earlier ones cover of [s, e] is all from the least start among them on,
 * and the rest is new to the parent. Where a lane's ends do not ascend, that may fail. Such a parent is
 * found, its self left out, and added in a second pass that keeps the open spans' children.  */
#include <stdlib.h>

#include "analyze/intervals.h"
#include "analyze/nesting.h"
#include "analyze/rolling.h"
#include "base/error.h"

#define FIRST_CALLS 64u

/* An open span. */
struct call {
    struct stave__span span; /* at: its name's row */
    int64_t low, low_end;    /* the child that begins first, of those seen */
    double covered;          /* units that its children take from its self */
    double within,
        directly; /* calls in it, of cumulative rows too; those of them that no other is around */
    size_t first_stretch; /* second pass: its children are those from here on */
    uint16_t flags;
    bool disordered; /* `covered` is not known */
};

struct walk {
    struct stave__rolling *rolling;
    struct call *calls; /* a stack */
    uint32_t used, size;
    uint32_t lane_name;
    bool disordered;                   /* some span of the lane is */
    uint8_t pass;                      /* 1 or 2 */
    struct stave__stretches stretches; /* of the calls' children; a stack too */
};

/* ---- a call ends (the walk has come to a row before its first) ------------------------------- */

static double own_length(struct walk *walk, const struct call *call)
{
    struct stave__ticks *ticks = &walk->rolling->ticks;
    return stave__ticks_length(ticks, stave__ticks_clip(ticks, call->span.start),
                               stave__ticks_clip(ticks, call->span.end));
}

static double self_ns(const struct walk *walk, double own, double covered)
{
    return own > covered ? (own - covered) * walk->rolling->ticks.unit_ns : 0;
}

static bool end_call(struct walk *walk, const struct call *call)
{
    struct stave__name *name = stave__names_at(&walk->rolling->names, call->span.at);
    double own = own_length(walk, call);
    double own_ns = own * walk->rolling->ticks.unit_ns;
    if (--name->open == 0) {
        name->row.total_ns += own_ns;
        stave__name_total_cost(name, walk->rolling->cost, 1, call->within);
    }
    stave__name_self_cost(name, walk->rolling->cost, 1, call->directly);
    return stave__names_call(&walk->rolling->names, call->span.at, own_ns,
                             call->disordered ? 0 : self_ns(walk, own, call->covered), call->flags);
}

static void end_call_again(struct walk *walk, const struct call *call)
{
    struct stave__name *name = stave__names_at(&walk->rolling->names, call->span.at);
    size_t count = walk->stretches.used - call->first_stretch;
    walk->stretches.used = call->first_stretch;
    if (!call->disordered)
        return;
    double covered = stave__stretches_union(walk->stretches.at + call->first_stretch, count,
                                            &walk->rolling->ticks);
    name->row.self_ns += self_ns(walk, own_length(walk, call), covered + call->covered);
}

static bool pop(struct walk *walk)
{
    const struct call *call = &walk->calls[--walk->used];
    if (walk->used > 0)
        walk->calls[walk->used - 1].within += 1 + call->within;
    if (walk->pass == 1)
        return end_call(walk, call);
    end_call_again(walk, call);
    return true;
}

/* ---- a call begins (its row, its last, has come) --------------------------------------------- */

/* A child takes its time from the self of its parent. */
static bool cover(struct walk *walk, struct call *parent, const struct stave__span *child)
{
    struct stave__ticks *ticks = &walk->rolling->ticks;
    int64_t start = stave__ticks_clip(ticks, child->start);
    int64_t end = stave__ticks_clip(ticks, child->end);
    int64_t until = end < parent->low ? end : parent->low;
    parent->directly++;
    if (end > parent->low && end > parent->low_end)
        parent->disordered = walk->disordered = true;
    if (walk->pass == 1 && until > start)
        parent->covered += stave__ticks_length(ticks, start, until);
    if (start < parent->low) {
        parent->low = start;
        parent->low_end = end;
    }
    return walk->pass == 1 || stave__stretches_add(&walk->stretches, start, end);
}

static struct call *push(struct walk *walk)
{
    if (walk->used == walk->size) {
        uint32_t size = walk->size != 0 ? walk->size * 2 : FIRST_CALLS;
        struct call *larger = size != 0 ? realloc(walk->calls, size * sizeof *larger) : NULL;
        if (larger == NULL)
            return NULL;
        walk->calls = larger;
        walk->size = size;
    }
    return &walk->calls[walk->used++];
}

static void take_cumulatives(struct walk *walk, struct call *call)
{
    struct stave__rolling *rolling = walk->rolling;
    struct stave__taken taken =
        stave__owing_take(&rolling->owing, rolling, call->span.serial, walk->pass);
    call->covered = taken.units;
    call->within = taken.within;
    call->directly = taken.directly;
}

static bool begin_call(struct walk *walk, const struct stave__span *span, uint16_t flags)
{
    struct stave__rolling *rolling = walk->rolling;
    struct call *call = push(walk);
    if (call == NULL)
        return false;
    *call = (struct call){
        .span = *span,
        .low = INT64_MAX,
        .low_end = INT64_MAX,
        .first_stretch = walk->stretches.used,
        .flags = flags,
    };
    stave__names_at(&rolling->names, span->at)->open += walk->pass == 1;
    if (rolling->owing.used > 0)
        take_cumulatives(walk, call);
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int take_span(struct walk *walk, const stave_block *block, uint32_t row)
{
    struct stave__span span = stave__span_of(block, row);
    if (!stave__ticks_in_window(&walk->rolling->ticks, span.start, span.end))
        return STAVE_OK;
    if (block->flags[row] & STAVE_FLAG_ATTACHED)
        return STAVE__ATTACHED_SEEN;
    while (walk->used > 0 && !stave__holds(&walk->calls[walk->used - 1].span, &span))
        if (!pop(walk))
            return STAVE_E_MEMORY;
    uint32_t name = stave_block_name(block, row);
    span.at = stave__names_row(&walk->rolling->names, name != 0 ? name : walk->lane_name);
    if (span.at == STAVE_NONE ||
        (walk->used > 0 && !cover(walk, &walk->calls[walk->used - 1], &span)) ||
        !begin_call(walk, &span, block->flags[row]))
        return STAVE_E_MEMORY;
    return STAVE_OK;
}

static int take_block(struct walk *walk, const stave_block *block)
{
    for (uint32_t i = block->rows; i-- > 0;) {
        int status = take_span(walk, block, i);
        if (status != STAVE_OK)
            return status;
    }
    return STAVE_OK;
}

/* The blocks of spans [from, end) of a lane, once. */
static int pass(struct walk *walk, uint32_t from, uint32_t end, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = end; i-- > from && status == STAVE_OK;) {
        status = stave__reading_show(&walk->rolling->reading, i, error);
        if (status < 0)
            return status;
        status = status > 0 ? take_block(walk, &walk->rolling->reading.block) : STAVE_OK;
    }
    while (status == STAVE_OK && walk->used > 0)
        status = pop(walk) ? STAVE_OK : STAVE_E_MEMORY;
    return status < 0 ? stave__fail_memory(error) : status;
}

static int walk_spans(struct walk *walk, uint32_t from, uint32_t end, stave_error *error)
{
    walk->pass = 1;
    walk->disordered = false;
    int status = pass(walk, from, end, error);
    if (status == STAVE_OK && walk->disordered) {
        walk->pass = 2;
        status = pass(walk, from, end, error);
    }
    return status;
}

/* One lane's blocks of any kind: spans stand before cumulative rows. */
static int walk_lane(struct walk *walk, uint32_t from, uint32_t end, stave_error *error)
{
    struct stave__rolling *rolling = walk->rolling;
    uint32_t spans_end = from, next;
    int status = STAVE_OK;
    for (uint32_t i = from; i < end && status == STAVE_OK; i = next) {
        next = stave__reading_end(&rolling->reading, i, end, STAVE__SAME_KIND);
        if (rolling->reading.choices[i].kind == STAVE_SPANS)
            spans_end = next;
        if (rolling->reading.choices[i].kind == STAVE_CUMULATIVES)
            status = stave__owing_read(&rolling->owing, rolling, i, next, error);
    }
    if (status == STAVE_OK)
        status = walk_spans(walk, from, spans_end, error);
    if (status == STAVE_OK)
        stave__owing_settle(&rolling->owing, rolling);
    return status;
}

/* A lane that does not count: is it one that is attached to others? */
static int look_at_lane(struct stave__rolling *rolling, uint32_t from, uint32_t end,
                        stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = from; i < end && status == STAVE_OK; i++) {
        if (rolling->reading.choices[i].kind != STAVE_SPANS)
            continue;
        status = stave__reading_show(&rolling->reading, i, error);
        if (status > 0)
            status = stave__has_attached(&rolling->reading.block) ? STAVE__ATTACHED_SEEN : STAVE_OK;
    }
    return status;
}

int stave__roll_lanes(struct stave__rolling *rolling, uint32_t from, uint32_t end,
                      stave_error *error)
{
    struct walk walk = {.rolling = rolling};
    int status = STAVE_OK;
    uint32_t next;
    for (uint32_t i = from; i < end && status == STAVE_OK; i = next) {
        uint32_t lane = rolling->reading.choices[i].lane;
        next = stave__reading_end(&rolling->reading, i, end, STAVE__SAME_LANE);
        walk.lane_name = stave__lane_name(rolling->trace, lane);
        status = rolling->counts[lane] ? walk_lane(&walk, i, next, error)
                                       : look_at_lane(rolling, i, next, error);
    }
    free(walk.calls);
    free(walk.stretches.at);
    return status;
}
