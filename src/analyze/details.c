#include "analyze/details.h"

#include <stdlib.h>

#define FIRST_FOUND 64u

/* A span whose details are wanted. */
struct stave__owner {
    uint64_t serial;
    uint32_t lane, node;
};

/* A row of one. */
struct stave__found {
    stave_tree_detail row;
    uint32_t node;
};

/* ---- whose a row is -------------------------------------------------------------------------- */

bool stave__search_open(struct stave__search *search, uint32_t count)
{
    search->owners = malloc((count + (size_t)1) * sizeof *search->owners);
    return search->owners != NULL;
}

void stave__search_add(struct stave__search *search, uint32_t lane, uint64_t serial, uint32_t node)
{
    search->owners[search->owners_count++] = (struct stave__owner){serial, lane, node};
}

static int compare_owners(const void *a, const void *b)
{
    const struct stave__owner *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

void stave__search_sort(struct stave__search *search)
{
    qsort(search->owners, search->owners_count, sizeof *search->owners, compare_owners);
}

/* The first owner that is not before a lane and serial; their number when there is none. */
static uint32_t owner_from(const struct stave__search *search, uint32_t lane, uint64_t serial)
{
    struct stave__owner wanted = {serial, lane, 0};
    uint32_t low = 0, high = search->owners_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_owners(&search->owners[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool stave__search_wants(const struct stave__search *search, uint32_t lane, uint64_t low,
                         uint64_t high)
{
    uint32_t at = owner_from(search, lane, low);
    return at < search->owners_count && search->owners[at].lane == lane &&
           search->owners[at].serial <= high;
}

/* ---- rows ------------------------------------------------------------------------------------ */

stave_tree_detail stave__detail_of(const stave_block *block, uint32_t row)
{
    return (stave_tree_detail){
        .kind = block->kind,
        .name = stave_block_name(block, row),
        .flags = block->flags[row],
        .time = block->start[row],
        .value = stave_block_value(block, row),
    };
}

static bool add_found(struct stave__search *search, const struct stave__found *found)
{
    if (search->used == search->size) {
        uint32_t size = search->size != 0 ? search->size * 2 : FIRST_FOUND; /* 0 beyond 2^31 */
        struct stave__found *larger =
            size != 0 ? realloc(search->found, size * sizeof *larger) : NULL;
        if (larger == NULL)
            return false;
        search->found = larger;
        search->size = size;
    }
    search->found[search->used++] = *found;
    return true;
}

static bool take_row(struct stave__search *search, const stave_block *block, uint32_t row)
{
    uint64_t serial = block->serial[row];
    uint32_t at = owner_from(search, block->lane, serial);
    if (at == search->owners_count || search->owners[at].lane != block->lane ||
        search->owners[at].serial != serial)
        return true;
    struct stave__found found = {stave__detail_of(block, row), search->owners[at].node};
    return add_found(search, &found);
}

bool stave__search_take(struct stave__search *search, const stave_block *block)
{
    for (uint32_t i = 0; block->serial != NULL && i < block->rows; i++)
        if (!take_row(search, block, i))
            return false;
    return true;
}

/* ---- node after node ------------------------------------------------------------------------- */

bool stave__search_finish(const struct stave__search *search, uint32_t nodes,
                          struct stave__details *details)
{
    if (search->used == 0)
        return true;
    uint32_t *first = calloc(nodes + (size_t)2, sizeof *first);
    stave_tree_detail *rows = malloc(search->used * sizeof *rows);
    if (first == NULL || rows == NULL) {
        free(first);
        free(rows);
        return false;
    }
    for (uint32_t i = 0; i < search->used; i++)
        first[search->found[i].node + 2]++;
    for (uint32_t i = 2; i < nodes + (size_t)2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < search->used; i++) /* first[node + 1] goes on to where it ends */
        rows[first[search->found[i].node + 1]++] = search->found[i].row;
    details->rows = rows;
    details->first = first;
    return true;
}

void stave__search_free(struct stave__search *search)
{
    free(search->owners);
    free(search->found);
    *search = (struct stave__search){0};
}

const stave_tree_detail *stave__details_of(const struct stave__details *details, uint32_t node,
                                           uint32_t *count)
{
    *count = 0;
    if (details->first == NULL)
        return NULL;
    *count = details->first[node + 1] - details->first[node];
    return *count > 0 ? &details->rows[details->first[node]] : NULL;
}

void stave__details_free(struct stave__details *details)
{
    free(details->rows);
    free(details->first);
    *details = (struct stave__details){0};
}
