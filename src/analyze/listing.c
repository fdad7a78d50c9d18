#include "analyze/listing.h"

#include <stdlib.h>

#define FIRST_ROWS 256u

/* ---- order ----------------------------------------------------------------------------------- */

static struct stave__root key_of(const struct stave__listed *row)
{
    return (struct stave__root){
        .start = row->root.start,
        .serial = row->root.serial,
        .at = row->at,
        .lane = row->root.lane,
    };
}

int stave__compare_listed(const void *a, const void *b)
{
    const struct stave__listed *x = a, *y = b;
    if (x->root.boot != y->root.boot)
        return x->root.boot < y->root.boot ? -1 : 1;
    struct stave__root first = key_of(x), second = key_of(y);
    return stave__compare_roots(&first, &second);
}

static int compare_newest(const void *a, const void *b)
{
    return stave__compare_listed(b, a);
}

static int compare_slowest(const void *a, const void *b)
{
    const struct stave__listed *x = a, *y = b;
    if (x->root.total_ns != y->root.total_ns)
        return x->root.total_ns > y->root.total_ns ? -1 : 1;
    return stave__compare_listed(a, b);
}

static int (*const comparisons[])(const void *a, const void *b) = {
    [STAVE_ROOTS_OLDEST] = stave__compare_listed,
    [STAVE_ROOTS_NEWEST] = compare_newest,
    [STAVE_ROOTS_SLOWEST] = compare_slowest,
};

/* ---- rows ------------------------------------------------------------------------------------ */

void stave__listing_finish(struct stave__listing *listing)
{
    if (listing->used > 0)
        qsort(listing->rows, listing->used, sizeof *listing->rows, comparisons[listing->order]);
    if (listing->limit == 0 || listing->used < listing->limit)
        return;
    listing->used = (size_t)listing->limit;
    listing->is_full = true;
    listing->last = listing->rows[listing->used - 1];
}

static bool make_room(struct stave__listing *listing)
{
    if (listing->limit != 0 && listing->used / 2 >= listing->limit)
        stave__listing_finish(listing);
    if (listing->used < listing->size)
        return true;
    size_t size = listing->size != 0 ? listing->size * 2 : FIRST_ROWS;
    struct stave__listed *larger = realloc(listing->rows, size * sizeof *larger);
    if (larger == NULL)
        return false;
    listing->rows = larger;
    listing->size = size;
    return true;
}

bool stave__listing_add(struct stave__listing *listing, const struct stave__listed *row)
{
    if (listing->is_full && comparisons[listing->order](row, &listing->last) > 0)
        return true;
    if (!make_room(listing))
        return false;
    listing->rows[listing->used++] = *row;
    return true;
}

void stave__listing_free(struct stave__listing *listing)
{
    free(listing->rows);
    *listing = (struct stave__listing){.order = listing->order, .limit = listing->limit};
}
