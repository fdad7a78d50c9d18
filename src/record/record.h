/* record/record.h - what a record in memory says (struct stave__record in stave/stave.h), for its readers. */
#ifndef STAVE_RECORD_RECORD_H
#define STAVE_RECORD_RECORD_H

#include "record/recorder.h"
#include "stave/block.h"

/* Ticks since the start of the recording. */
static inline int64_t stave__since_start(uint64_t tick)
{
    return (int64_t)(tick - stave__recorder.clock.start.tick);
}

static inline bool stave__record_is_span(const struct stave__record *record)
{
    return (record->what & STAVE__NOT_SPAN) == 0;
}

/* Of `what` of a record or an open slot: the name; of a span the depth, of others what they are; flags. */
static inline uint32_t stave__what_name(uint64_t what)
{
    return (uint32_t)(what & ((1u << STAVE__DEPTH_SHIFT) - 1));
}

static inline uint32_t stave__what_depth(uint64_t what)
{
    return (uint32_t)(what >> STAVE__DEPTH_SHIFT) & (2 * STAVE_DEPTH_MAX - 1);
}

static inline uint32_t stave__what_kind(uint64_t what)
{
    return (uint32_t)(what >> STAVE__DEPTH_SHIFT) & 7;
}

static inline uint16_t stave__what_flags(uint64_t what)
{
    return (uint16_t)((what & ~STAVE__NOT_SPAN) >> STAVE__FLAGS_SHIFT);
}

static inline bool stave__record_is(const struct stave__record *record, uint32_t kind)
{
    return !stave__record_is_span(record) && stave__what_kind(record->what) == kind;
}

/* Its value is a text, which stands behind it. */
static inline bool stave__record_has_text(const struct stave__record *record)
{
    return !stave__record_is_span(record) && !stave__record_is(record, STAVE__SUM) &&
           (stave__what_flags(record->what) & STAVE_FLAG_TEXT) != 0;
}

/* Of a span: behind it stands the place that it is attached to. */
static inline bool stave__record_is_attached(const struct stave__record *record)
{
    return stave__record_is_span(record) &&
           (stave__what_flags(record->what) & STAVE_FLAG_ATTACHED) != 0;
}

/* How many records it takes, with what stands behind it. */
static inline uint32_t stave__record_length(const struct stave__record *record)
{
    if (stave__record_is(record, STAVE__SUM))
        return 2;
    if (stave__record_is_attached(record))
        return 2;
    if (!stave__record_has_text(record))
        return 1;
    return 1 + (uint32_t)((record->start + sizeof *record - 1) / sizeof *record);
}

#endif
