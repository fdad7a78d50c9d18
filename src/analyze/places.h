/* analyze/places.h - which cumulative row is inside which other of its span.
 *
 *     places[count++] = stave__place_of(block, row, at);       // rows whose number is told
 *     stave__places_solve(places, count);
 *     if (places[i].parent == STAVE_NONE) ...                  // directly in the span
 *     else ... places[places[i].parent].at                     // in that one
 *
 * Rows may come in any order. A row that names one which is not there, or is there twice, is directly in its span,
 * and so is each of those that are in each other in a circle; what is inside them stays.  */
#ifndef STAVE_ANALYZE_PLACES_H
#define STAVE_ANALYZE_PLACES_H

#include "stave/trace.h"

struct stave__place {
    uint64_t serial, number; /* of the span; of the row among that span's */
    uint32_t lane;
    uint32_t around; /* the number of the row around it; 0: none */
    uint32_t at;     /* the caller's own number for the row */
    uint32_t parent; /* an index, once they are solved */
    uint32_t walk;   /* while being solved */
};

static inline struct stave__place stave__place_of(const stave_block *block, uint32_t row,
                                                  uint32_t at)
{
    return (struct stave__place){
        .serial = block->serial[row],
        .number = stave_block_other(block, row),
        .lane = block->lane,
        .around = stave_block_other_lane(block, row),
        .at = at,
        .parent = STAVE_NONE,
    };
}

/* Whether a row says where in its span it is; if not, its depth alone is known. */
static inline bool stave__place_is_told(const stave_block *block, uint32_t row)
{
    return stave_block_other(block, row) != 0;
}

/* Whether nothing but its span is around a row, as far as it says so itself. */
static inline bool stave__place_is_direct(const stave_block *block, uint32_t row)
{
    return stave__place_is_told(block, row) || stave_block_depth(block, row) == 0;
}

/* Sorts them by lane, serial, number, and finds their parents. All are of one boot. */
void stave__places_solve(struct stave__place *places, uint32_t count);

#endif
