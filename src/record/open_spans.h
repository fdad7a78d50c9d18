/* record/open_spans.h - which spans of a lane were open, now and at the end of each of its pieces.
 *
 *     stave__open_spans_begin(&spans, lane, life);                // first: what is open now
 *     pieces = stave__pieces_of(..., owner, &count);              // then what has ended, up to now
 *     status = stave__open_spans_look(&spans, pieces, count, records, error);
 *     stave__open_spans_at(&spans, 2, serial);                    // open when the last span of piece 2 ended
 *
 * A thread goes on while it is looked at. "Now" is when its highest serial is read; what it records later is
 * left to whoever looks next, so that a lane is always cut at one moment. Open when a span ended are those with a
 * lower serial that end later, or are open still: spans of a thread end from the inside.  */
#ifndef STAVE_RECORD_OPEN_SPANS_H
#define STAVE_RECORD_OPEN_SPANS_H

#include "record/pieces.h"
#include "stave/block.h"

/* One that ended in a piece, and was open at the end of one before. */
struct stave__ended_span {
    stave_open_span span;
    uint32_t piece;
};

struct stave__open_spans {
    uint64_t before; /* serials up to here are of another recording */
    uint64_t until;  /* those up to here have been given out by now */
    /* Of a session: what is in its time, whatever recording it is of. */
    bool is_of_session;
    uint64_t session_start; /* a tick */
    uint64_t session_low;   /* no span of the lane with a lower serial is in its time */
    /* By serial, which is outermost first; names are the recorder's, lanes of others by owner. Room for STAVE_DEPTH_MAX. */
    stave_open_span *now, *around;
    uint32_t now_count, around_count;
    /* Spans with lower serials that end in a piece were open before all pieces; 0: that is not asked for. */
    uint64_t cut;
    struct stave__ended_span *ended; /* by serial */
    uint32_t ended_count, ended_room;
};

int stave__open_spans_open(struct stave__open_spans *spans, stave_error *error);
void stave__open_spans_close(struct stave__open_spans *spans);

/* What is open of a lane now. False: it is another thread's now than in that life. */
bool stave__open_spans_begin(struct stave__open_spans *spans, uint32_t index, uint32_t life);

/* Looks through all of a lane's pieces, by way of `records`, room for a chunk; cuts them at now, and to nothing
 * where they are not there any more. */
int stave__open_spans_look(struct stave__open_spans *spans, struct stave__piece *pieces,
                           uint32_t count, struct stave__record *records, stave_error *error);

/* Sets `around` to what was open when the span `serial`, the last of a piece, ended. Piece -1: before all, if the cut was
 * asked for. */
void stave__open_spans_at(struct stave__open_spans *spans, int64_t piece, uint64_t serial);

#endif
