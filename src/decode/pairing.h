/* decode/pairing.h - rules 9 and 10 of docs/etrace.md: starts and ends to span rows.
 *
 * A voice is what pairs starts with ends: a name_id in version 2, a name in version 1. A writer puts
 * rows on one lane. In version 2 each voice has a writer of its own, whose lane is learned late and
 * may change; in version 1 each start says its lane, so that writers go by lane.
 *
 * Events come in the order in which they take effect, with times that are known.  */
#ifndef STAVE_DECODE_PAIRING_H
#define STAVE_DECODE_PAIRING_H

#include "base/table.h"
#include "decode/idmap.h"
#include "stave/decode.h"
#include "trace/trace.h"

struct writer {
    struct stave__appender spans;
    struct stave__appender marks;
};

struct voice {
    struct writer *writer; /* of the open span in version 1; of all rows in version 2 */
    stave_lane lane;       /* version 2: name 0 until one is registered, then the latest */
    bool changed;          /* ... and the rows are not on it yet */
    bool open;
    bool cut;       /* the decoder ended its span: the SPAN_END to come is no error */
    uint16_t flags; /* of the open span's start */
    int64_t start;
    uint64_t serial;
    struct voice *before, *behind; /* open spans, in the order of their starts */
};

#define PAIRING_DIRECT 128 /* ids below are found without hashing */

struct pairing {
    stave_trace *trace;
    stave_decode_stats *stats;
    uint32_t boot;
    struct stave__table voices;
    struct stave__table writers;
    struct idmap voice_ids;
    struct idmap lane_writers; /* version 1 */
    struct voice *direct[PAIRING_DIRECT];
    struct voice *first_open, *last_open;
};

void stave__pairing_init(struct pairing *pairing, stave_trace *trace, stave_decode_stats *stats);
void stave__pairing_free(struct pairing *pairing);

/* A new run: names are forgotten. */
void stave__pairing_begin_run(struct pairing *pairing, uint32_t boot);

/* The voice of an id, or NULL: none yet, or (added) no room; then `*status` says whether that is an
 * error or the limit on ids, which is none. */
struct voice *stave__pairing_find(const struct pairing *pairing, uint32_t id);
struct voice *stave__pairing_add(struct pairing *pairing, uint32_t id, int *status,
                                 stave_error *error);

/* No room for another id. */
static inline bool pairing_is_full(const struct pairing *pairing)
{
    return pairing->voices.rows == STAVE_DECODER_IDS_MAX;
}

/* Version 2: the voice has rows on a lane of its own, or on none until it is named. */
int stave__pairing_own_writer(struct pairing *pairing, struct voice *voice, stave_error *error);

/* At once for the first name, at the run's end for what changes later: lanes that nobody uses are not
 * made, and rows not moved again and again. */
int stave__pairing_name(struct pairing *pairing, struct voice *voice, const stave_lane *lane,
                        stave_error *error);

/* Version 1: the writer of a lane; NULL when there are too many lanes. */
int stave__pairing_lane_writer(struct pairing *pairing, const stave_lane *lane,
                               struct writer **writer, stave_error *error);

/* Every open span ends here, interrupted, in the order of their starts. */
int stave__pairing_cut(struct pairing *pairing, int64_t tick, stave_error *error);

/* The run has ended and was cut: rows go to the lane of their latest name, and are counted, those
 * without a name as unresolved. */
int stave__pairing_end_run(struct pairing *pairing, stave_error *error);

/* ---- starts and ends: inline, since every event comes through here --------------------------- */

void stave__pairing_start_again(struct pairing *pairing, struct voice *voice);
void stave__pairing_end_unopened(struct pairing *pairing, struct voice *voice);

static inline void pairing_list_add(struct pairing *pairing, struct voice *voice)
{
    voice->before = pairing->last_open;
    voice->behind = NULL;
    *(voice->before != NULL ? &voice->before->behind : &pairing->first_open) = voice;
    pairing->last_open = voice;
}

static inline void pairing_list_remove(struct pairing *pairing, struct voice *voice)
{
    *(voice->before != NULL ? &voice->before->behind : &pairing->first_open) = voice->behind;
    *(voice->behind != NULL ? &voice->behind->before : &pairing->last_open) = voice->before;
}

/* The row of an open span. No span ends before it starts (rule 10). */
static inline int pairing_close(struct voice *voice, int64_t end, uint16_t flags,
                                stave_error *error)
{
    voice->open = false;
    if (end < voice->start)
        end = voice->start;
    return stave__append_span(&voice->writer->spans, voice->start, end, voice->serial,
                              (uint16_t)(voice->flags | flags), error);
}

/* `writer` is the voice's own in version 2. */
static inline void pairing_start(struct pairing *pairing, struct voice *voice,
                                 struct writer *writer, int64_t tick, uint64_t serial,
                                 uint16_t flags)
{
    if (voice->open)
        stave__pairing_start_again(pairing, voice);
    voice->writer = writer;
    voice->open = true;
    voice->cut = false;
    voice->flags = flags;
    voice->start = tick;
    voice->serial = serial;
    pairing_list_add(pairing, voice);
}

static inline int pairing_end(struct pairing *pairing, struct voice *voice, int64_t tick,
                              uint16_t flags, stave_error *error)
{
    if (!voice->open) {
        stave__pairing_end_unopened(pairing, voice);
        return STAVE_OK;
    }
    pairing_list_remove(pairing, voice);
    return pairing_close(voice, tick, flags, error);
}

#endif
