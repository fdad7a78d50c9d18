/* analyze/listing.h - the best of many roots, in a bounded number of rows.
 *
 *     struct stave__listing listing = {.order = STAVE_ROOTS_SLOWEST, .limit = 20};
 *     if (!stave__listing_add(&listing, &row)) ...            // out of memory
 *     stave__listing_finish(&listing);                        // in their order, `limit` at most
 *     stave__listing_free(&listing);
 *
 * Up to twice the limit are kept; then the worse half is given up, and what is worse than all of the better one
 * is not taken any more.  */
#ifndef STAVE_ANALYZE_LISTING_H
#define STAVE_ANALYZE_LISTING_H

#include "analyze/root_walk.h"
#include "stave/analyze.h"

struct stave__listed {
    stave_root root;
    uint64_t at; /* as in struct stave__root */
};

struct stave__listing {
    stave_roots_order order;
    uint64_t limit; /* 0: none */
    struct stave__listed *rows;
    size_t used, size;
    bool is_full;              /* `limit` rows are there ... */
    struct stave__listed last; /* ... that are no worse than this one */
};

bool stave__listing_add(struct stave__listing *listing, const struct stave__listed *row);
void stave__listing_finish(struct stave__listing *listing);
void stave__listing_free(struct stave__listing *listing);

/* By boot, start, lane, serial, as trees number roots. */
int stave__compare_listed(const void *a, const void *b);

#endif
