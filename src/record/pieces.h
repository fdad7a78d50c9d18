/* record/pieces.h - the chunks of memory, as a reader finds them: by lane, in the order in which they were taken.
 *
 *     stave__pieces_open(&pieces, false, &error) ...
 *     stave__pieces_find(&pieces);
 *     uint32_t count;
 *     struct stave__piece *piece = stave__pieces_of(&pieces, owner, &count);
 *     if (stave__piece_copy(piece, records)) ...       // false: it has been given up
 *
 * Others go on to write meanwhile, and nobody waits: record/pool.h, P2.  */
#ifndef STAVE_RECORD_PIECES_H
#define STAVE_RECORD_PIECES_H

#include "record/recorder.h"

struct stave__piece {
    uint64_t taken;
    uint32_t chunk;
    uint32_t owner;
    uint32_t from, to; /* records that are asked for, complete */
    bool sealed;       /* no more will come */
};

struct stave__pieces {
    struct stave__piece *at; /* by owner */
    uint32_t count;
    uint64_t ready; /* the pool's, before they were found */
    bool undrained; /* asks only for what is in no file yet */
};

int stave__pieces_open(struct stave__pieces *pieces, bool undrained, stave_error *error);
void stave__pieces_close(struct stave__pieces *pieces);

void stave__pieces_find(struct stave__pieces *pieces);

/* Those of a lane's life that there are by now, and how much of each. */
struct stave__piece *stave__pieces_of(struct stave__pieces *pieces, uint32_t owner,
                                      uint32_t *count);

/* Copies the records [from, to). False: they are not there any more. */
bool stave__piece_copy(const struct stave__piece *piece, struct stave__record *records);

#endif
