/* analyze/nesting.h - the one rule that says which span of a lane is whose parent.
 *
 * A span holds the rows that stand directly before its own, as long as each of them is deeper, lies
 * within its times and has a higher serial. The parent of a span is the first one behind it that holds
 * it; one that nobody holds is a root. (A span with STAVE_FLAG_ATTACHED has the parent that it names,
 * and holds rows as any other.)
 *
 * What a span holds is held by whatever holds that span, so that the open ones are a stack when a
 * lane's rows are taken from the last to the first: the end of the rows is the order in which a
 * traversal from the roots down meets the spans.
 *
 *     parent = stave__around_find(&around, &span);       // NULL: none
 *     if (!stave__around_push(&around, &span)) ...       // out of memory
 *
 * Where rows were lost, those whose parent is gone began before the next span behind them that is not
 * as deep: they get no wrong parent.  */
#ifndef STAVE_ANALYZE_NESTING_H
#define STAVE_ANALYZE_NESTING_H

#include "stave/trace.h"

struct stave__span {
    int64_t start, end; /* ticks */
    uint64_t serial;
    uint32_t depth;
    uint32_t at; /* the walker's own number for it */
};

static inline struct stave__span stave__span_of(const stave_block *block, uint32_t row)
{
    return (struct stave__span){
        .start = block->start[row],
        .end = block->end[row],
        .serial = block->serial[row],
        .depth = stave_block_depth(block, row),
    };
}

/* Whether a span on the stack holds the next row. */
static inline bool stave__holds(const struct stave__span *open, const struct stave__span *next)
{
    return open->depth < next->depth && open->start <= next->start && open->end >= next->end &&
           open->serial < next->serial;
}

/* The spans around the next row, the innermost last. All zero: none. */
struct stave__around {
    struct stave__span *spans;
    uint32_t used, size;
};

/* The parent of the next span; those that do not hold it leave, since they hold nothing more. */
static inline const struct stave__span *stave__around_find(struct stave__around *around,
                                                           const struct stave__span *next)
{
    while (around->used > 0 && !stave__holds(&around->spans[around->used - 1], next))
        around->used--;
    return around->used > 0 ? &around->spans[around->used - 1] : NULL;
}

/* False when there is no memory. */
bool stave__around_push(struct stave__around *around, const struct stave__span *span);
void stave__around_free(struct stave__around *around);

#endif
