#include "analyze/tree_details.h"

#include <stdlib.h>

#include "analyze/reading.h"
#include "base/error.h"

#define FIRST_FOUND 64u

/* A span of the tree. */
struct owner {
    uint64_t serial;
    uint32_t lane, node;
};

/* A row of one. */
struct found {
    stave_tree_detail row;
    uint32_t node;
};

struct search {
    const struct stave__detailing *detailing;
    struct owner *owners; /* by lane, serial, node */
    uint32_t owners_count;
    struct found *found; /* as they come */
    uint32_t used, size;
};

/* ---- whose a row is -------------------------------------------------------------------------- */

static int compare_owners(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->serial != y->serial)
        return x->serial < y->serial ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool list_owners(struct search *search)
{
    const struct stave__detailing *detailing = search->detailing;
    search->owners = malloc((detailing->count + (size_t)1) * sizeof *search->owners);
    if (search->owners == NULL)
        return false;
    for (uint32_t i = 0; i < detailing->count; i++) {
        const stave_tree_node *node = &detailing->nodes[i];
        if (!node->cumulative && node->depth < detailing->levels)
            search->owners[search->owners_count++] = (struct owner){node->serial, node->lane, i};
    }
    qsort(search->owners, search->owners_count, sizeof *search->owners, compare_owners);
    return true;
}

/* The first owner that is not before a lane and serial; their number when there is none. */
static uint32_t owner_from(const struct search *search, uint32_t lane, uint64_t serial)
{
    struct owner wanted = {serial, lane, 0};
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

static bool has_lane(const struct search *search, uint32_t lane)
{
    uint32_t at = owner_from(search, lane, 0);
    return at < search->owners_count && search->owners[at].lane == lane;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool add_found(struct search *search, const struct found *found)
{
    if (search->used == search->size) {
        uint32_t size = search->size != 0 ? search->size * 2 : FIRST_FOUND; /* 0 beyond 2^31 */
        struct found *larger = size != 0 ? realloc(search->found, size * sizeof *larger) : NULL;
        if (larger == NULL)
            return false;
        search->found = larger;
        search->size = size;
    }
    search->found[search->used++] = *found;
    return true;
}

static bool take_row(struct search *search, const stave_block *block, uint32_t row)
{
    uint64_t serial = block->serial[row];
    uint32_t at = owner_from(search, block->lane, serial);
    if (at == search->owners_count || search->owners[at].lane != block->lane ||
        search->owners[at].serial != serial)
        return true;
    struct found found = {
        .row = {.kind = block->kind,
                .name = stave_block_name(block, row),
                .flags = block->flags[row],
                .time = block->start[row],
                .value = stave_block_value(block, row)},
        .node = search->owners[at].node,
    };
    return add_found(search, &found);
}

static bool take_block(struct search *search, const stave_block *block)
{
    for (uint32_t i = 0; block->serial != NULL && i < block->rows; i++)
        if (!take_row(search, block, i))
            return false;
    return true;
}

/* Blocks of a lane and kind stand in the order of their rows. */
static int read_kind(struct search *search, struct stave__reading *reading, uint32_t kind,
                     stave_error *error)
{
    for (uint32_t i = 0; i < reading->count; i++) {
        if (reading->choices[i].kind != kind || !has_lane(search, reading->choices[i].lane))
            continue;
        int status = stave__reading_show(reading, i, error);
        if (status > 0 && !take_block(search, &reading->block))
            status = stave__fail_memory(error);
        if (status < 0)
            return status;
    }
    return STAVE_OK;
}

static int read_all(struct search *search, stave_error *error)
{
    const struct stave__detailing *detailing = search->detailing;
    struct stave__reading reading;
    stave_filter filter = {
        .kinds = STAVE_KIND_BIT(STAVE_ATTRIBUTES) | STAVE_KIND_BIT(STAVE_MARKS),
        .one_boot = true,
        .boot = detailing->nodes[0].boot,
    };
    int status =
        stave__reading_open(&reading, detailing->trace, &filter, detailing->progress, error);
    if (status >= 0)
        status = read_kind(search, &reading, STAVE_ATTRIBUTES, error);
    if (status >= 0)
        status = read_kind(search, &reading, STAVE_MARKS, error);
    stave__reading_close(&reading);
    return status;
}

/* ---- node after node ------------------------------------------------------------------------- */

/* Keeps the order that those of a node have. */
static bool sort_found(const struct search *search, struct stave__details *details)
{
    uint32_t nodes = search->detailing->count;
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

int stave__details_read(struct stave__details *details, const struct stave__detailing *detailing,
                        stave_error *error)
{
    struct search search = {.detailing = detailing};
    int status = list_owners(&search) ? read_all(&search, error) : stave__fail_memory(error);
    if (status >= 0 && search.used > 0 && !sort_found(&search, details))
        status = stave__fail_memory(error);
    free(search.owners);
    free(search.found);
    return status;
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
}
