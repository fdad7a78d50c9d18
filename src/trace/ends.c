/* What nobody ended: spans that were open and boots that went on when a recording stopped. */
#include <stdlib.h>

#include "base/error.h"
#include "store/column.h"
#include "trace/file.h"

#define BEHIND_ALL ((uint64_t)1 << 63) /* order of rows that no producer wrote */

/* What a lane was left with in a boot. */
struct left {
    uint32_t lane, boot;
    uint32_t index; /* of the block that this was found in */
    uint32_t entry; /* the last block of spans, or STAVE__NO_BLOCK */
    int64_t last;   /* ticks */
};

static int compare_left(const void *a, const void *b)
{
    const struct left *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->boot != y->boot)
        return x->boot < y->boot ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Makes the open spans of a block rows of their own, innermost first. */
static int end_spans(stave_trace *trace, const struct left *left, stave_error *error)
{
    struct stave__entry *entry = stave__entry_at(&trace->blocks, left->entry);
    int status = stave__blocks_pin(&trace->blocks, entry, error);
    if (status <= 0)
        return status;
    struct stave__appender spans;
    stave__appender_init(&spans, &trace->blocks, STAVE_SPANS, left->lane, left->boot);
    spans.mask = stave__kind_may_have[STAVE_SPANS];
    /* All of them were open when the block that they make began. */
    struct stave__stack stack = {.begun = entry->open[entry->open_count - 1].serial};
    spans.stack = &stack;
    int64_t last = left->last; /* an open span may have begun behind it */
    for (uint32_t i = entry->open_count; i-- > 0 && status >= 0;) {
        const stave_open_span *open = &entry->open[i];
        if (open->start > last)
            last = open->start;
        struct stave__row row = {
            .start = open->start,
            .end = last,
            .flags = (uint16_t)(open->flags | STAVE_FLAG_UNFINISHED),
            .serial = open->serial,
            .name = open->name,
            .depth = i,
            .other = open->other,
            .other_lane = open->other_lane,
        };
        status = stave__append_row(&spans, &row, error);
    }
    stave__blocks_unpin(&trace->blocks, entry);
    return status < 0 ? status : stave__appender_seal(&spans, error);
}

/* What is left behind a further block of the same lane and boot. */
static struct left combined(const struct left *before, const struct left *behind)
{
    struct left both = *behind;
    if (both.entry == STAVE__NO_BLOCK)
        both.entry = before->entry;
    if (both.last < before->last)
        both.last = before->last;
    return both;
}

/* One for each lane and boot. */
static uint32_t gather_left(const stave_trace *trace, struct left *all)
{
    uint32_t count = trace->blocks.entries.rows, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct stave__entry *e = stave__entry_at(&trace->blocks, i);
        all[i] = (struct left){e->lane, e->boot, i, e->kind == STAVE_SPANS ? i : STAVE__NO_BLOCK,
                               e->last};
    }
    qsort(all, count, sizeof *all, compare_left);
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && all[kept - 1].lane == all[i].lane && all[kept - 1].boot == all[i].boot)
            all[kept - 1] = combined(&all[kept - 1], &all[i]);
        else
            all[kept++] = all[i];
    }
    return kept;
}

/* Spans that are open at the end become rows in memory: not more than the file can have. */
static int end_spans_within(stave_trace *trace, const struct left *left, uint64_t *room,
                            stave_error *error)
{
    struct stave__entry *entry =
        left->entry != STAVE__NO_BLOCK ? stave__entry_at(&trace->blocks, left->entry) : NULL;
    if (entry == NULL || entry->open_count == 0)
        return STAVE_OK;
    if (entry->open_count > *room)
        return stave__entry_damage(&trace->blocks, entry, "more open spans than its file can have",
                                   error);
    *room -= entry->open_count;
    return end_spans(trace, left, error);
}

int stave__file_end_spans(stave_trace *trace, stave_error *error)
{
    uint32_t entries = trace->blocks.entries.rows;
    struct left *all = calloc((size_t)entries + 1, sizeof *all);
    if (all == NULL)
        return stave__fail_memory(error);
    uint32_t count = gather_left(trace, all);
    int status = STAVE_OK;
    trace->blocks.next_order = BEHIND_ALL;
    uint64_t room = trace->file->size + STAVE__COLUMN_ROWS_MAX;
    for (uint32_t i = 0; i < count && status >= 0; i++)
        status = end_spans_within(trace, &all[i], &room, error);
    free(all);
    return status < 0 ? status : STAVE_OK;
}

void stave__file_end_boots(stave_trace *trace)
{
    for (uint32_t i = 0; i < trace->boots.rows; i++) {
        stave_boot *boot = &stave__boot_at(trace, i)->shown;
        if (!boot->ended)
            boot->end_us = boot->offset_us;
    }
    for (uint32_t i = 0; i < trace->blocks.entries.rows; i++) {
        const struct stave__entry *entry = stave__entry_at(&trace->blocks, i);
        stave_boot *boot = &stave__boot_at(trace, entry->boot)->shown;
        double us = stave_time_us(trace, entry->boot, entry->last);
        if (!boot->ended && us > boot->end_us)
            boot->end_us = us;
    }
    for (uint32_t i = 0; i < trace->boots.rows; i++)
        stave__boot_at(trace, i)->shown.ended = true;
}
