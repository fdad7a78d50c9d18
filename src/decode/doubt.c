#include "decode/doubt.h"

#include <assert.h>

void stave__doubts_begin_run(struct doubts *doubts, stave_decode_stats *stats, stave_trace *trace,
                             uint32_t lane, uint32_t boot)
{
    doubts->stats = stats;
    doubts->boot = stave__boot_at(trace, boot);
    doubts->open_count = 0;
    doubts->pending = 0;
    stave__appender_init(&doubts->rows, &trace->blocks, STAVE_DOUBTS, lane, boot);
}

static void forget_before(struct doubts *doubts, uint64_t next)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < doubts->open_count; i++)
        if (doubts->open[i].last >= next)
            doubts->open[kept++] = doubts->open[i];
    doubts->open_count = kept;
}

void stave__doubts_hole(struct doubts *doubts, uint64_t first, uint64_t last, uint64_t next,
                        int64_t clock)
{
    forget_before(doubts, next);
    assert(doubts->open_count < DOUBT_OPEN_MAX);
    doubts->open[doubts->open_count++] =
        (struct doubt){.first = first, .last = last, .since = clock};
}

/* Ticks from clock to absolute; 0 when the clock was not behind. */
static uint64_t bound_ticks(int64_t clock, int64_t absolute)
{
    return absolute > clock ? (uint64_t)absolute - (uint64_t)clock : 0;
}

static int report(struct doubts *doubts, int64_t since, int64_t clock, int64_t absolute,
                  stave_error *error)
{
    return stave__append_stretch(&doubts->rows, since < absolute ? since : absolute, absolute,
                                 bound_ticks(clock, absolute), STAVE_FLAG_HAS_VALUE, error);
}

int stave__doubts_absolute(struct doubts *doubts, int64_t clock, int64_t absolute,
                           stave_error *error)
{
    for (uint32_t i = 0; i < doubts->open_count; i++) {
        struct doubt *doubt = &doubts->open[i];
        if (doubt->bounded)
            continue;
        doubt->bounded = true;
        doubt->clock = clock;
        doubt->absolute = absolute;
    }
    if (doubts->pending == 0)
        return STAVE_OK;
    doubts->pending = 0;
    return report(doubts, doubts->pending_since, clock, absolute, error);
}

int stave__doubts_lost(struct doubts *doubts, uint64_t first, stave_error *error)
{
    for (uint32_t i = 0; i < doubts->open_count; i++) {
        const struct doubt *doubt = &doubts->open[i];
        if (first < doubt->first || first > doubt->last)
            continue;
        if (doubt->bounded)
            return report(doubts, doubt->since, doubt->clock, doubt->absolute, error);
        if (doubts->pending == 0)
            doubts->pending_since = doubt->since;
        doubts->pending++;
    }
    return STAVE_OK;
}

static void compare_bounds(struct doubts *doubts, const struct stave__entry *entry)
{
    union stave__columns rows = stave__entry_columns(entry);
    double *largest_us = &doubts->stats->time_uncertain_us;
    for (uint32_t i = 0; i < entry->rows; i++) {
        int64_t clock = (int64_t)((uint64_t)rows.end[i] - rows.value[i]);
        double us = stave__boot_us(doubts->boot, rows.end[i]) - stave__boot_us(doubts->boot, clock);
        if ((rows.flags[i] & STAVE_FLAG_HAS_VALUE) != 0 && us > *largest_us)
            *largest_us = us;
    }
}

/* The largest bound in us. Only now are all rates of the run known. */
static int settle_largest(struct doubts *doubts, stave_error *error)
{
    struct stave__blocks *blocks = doubts->rows.blocks;
    for (uint32_t i = doubts->rows.last; i != STAVE__NO_BLOCK;) {
        struct stave__entry *entry = stave__entry_at(blocks, i);
        int status = stave__blocks_pin(blocks, entry, error);
        if (status < 0)
            return status;
        compare_bounds(doubts, entry);
        stave__blocks_unpin(blocks, entry);
        i = entry->previous;
    }
    return STAVE_OK;
}

int stave__doubts_end_run(struct doubts *doubts, int64_t end, stave_error *error)
{
    int status = STAVE_OK;
    if (doubts->pending > 0) {
        int64_t since = doubts->pending_since;
        doubts->stats->unbounded_doubts += doubts->pending;
        status =
            stave__append_stretch(&doubts->rows, since, end > since ? end : since, 0, 0, error);
    }
    if (status >= 0)
        status = settle_largest(doubts, error);
    return status < 0 ? status : stave__appender_seal(&doubts->rows, error);
}
