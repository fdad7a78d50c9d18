#include "analyze/roots_attributes.h"

#include <stdlib.h>

#include "base/error.h"

#define ROWS_AT_A_TIME 8192u

/* Of a block's rows; all there are, until it is read. */
struct stave__serials {
    uint64_t least, most;
};

static int open_reading(struct stave__roots_attributes *attributes, stave_error *error)
{
    stave_filter filter = {.kinds = STAVE_KIND_BIT(STAVE_ATTRIBUTES)};
    stave_progress silent = {0};
    int status =
        stave__reading_open(&attributes->reading, attributes->trace, &filter, silent, error);
    if (status < 0)
        return status;
    uint32_t count = attributes->reading.count;
    attributes->serials = malloc((count + (size_t)1) * sizeof *attributes->serials);
    if (attributes->serials == NULL) {
        stave__reading_close(&attributes->reading);
        return stave__fail_memory(error);
    }
    for (uint32_t i = 0; i < count; i++)
        attributes->serials[i] = (struct stave__serials){0, UINT64_MAX};
    return STAVE_OK;
}

static struct stave__serials serials_of(const stave_block *block)
{
    struct stave__serials serials = {UINT64_MAX, 0};
    for (uint32_t i = 0; block->serial != NULL && i < block->rows; i++) {
        uint64_t serial = block->serial[i];
        serials.least = serial < serials.least ? serial : serials.least;
        serials.most = serial > serials.most ? serial : serials.most;
    }
    return serials;
}

/* ---- a part of the list ---------------------------------------------------------------------- */

static size_t end_of_part(const struct stave__listing *listing, size_t from)
{
    size_t end = from + 1;
    uint32_t boot = listing->rows[from].root.boot;
    while (end < listing->used && end - from < ROWS_AT_A_TIME &&
           listing->rows[end].root.boot == boot)
        end++;
    return end;
}

static bool open_search(struct stave__search *search, const struct stave__listing *listing,
                        size_t from, size_t end)
{
    if (!stave__search_open(search, (uint32_t)(end - from)))
        return false;
    for (size_t i = from; i < end; i++) {
        const stave_root *root = &listing->rows[i].root;
        stave__search_add(search, root->lane, root->serial, (uint32_t)(i - from));
    }
    stave__search_sort(search);
    return true;
}

static int take_choice(struct stave__roots_attributes *attributes, struct stave__search *search,
                       uint32_t at, stave_error *error)
{
    int status = stave__reading_show(&attributes->reading, at, error);
    if (status <= 0)
        return status;
    attributes->serials[at] = serials_of(&attributes->reading.block);
    return stave__search_take(search, &attributes->reading.block) ? STAVE_OK
                                                                  : stave__fail_memory(error);
}

/* Blocks of a lane stand in the order of their rows. */
static int search_boot(struct stave__roots_attributes *attributes, struct stave__search *search,
                       uint32_t boot, stave_error *error)
{
    int status = STAVE_OK;
    for (uint32_t i = 0; i < attributes->reading.count && status >= 0; i++) {
        const struct stave__choice *choice = &attributes->reading.choices[i];
        const struct stave__serials *serials = &attributes->serials[i];
        if (choice->boot == boot &&
            stave__search_wants(search, choice->lane, serials->least, serials->most))
            status = take_choice(attributes, search, i, error);
    }
    return status;
}

static int read_part(struct stave__roots_attributes *attributes,
                     const struct stave__listing *listing, size_t from, size_t end,
                     stave_error *error)
{
    struct stave__search search = {0};
    int status = STAVE_OK;
    stave__details_free(&attributes->details);
    attributes->from = attributes->end = 0;
    if (!open_search(&search, listing, from, end))
        return stave__fail_memory(error);
    status = search_boot(attributes, &search, listing->rows[from].root.boot, error);
    if (status >= 0 && !stave__search_finish(&search, (uint32_t)(end - from), &attributes->details))
        status = stave__fail_memory(error);
    stave__search_free(&search);
    if (status < 0)
        return status;
    attributes->from = from;
    attributes->end = end;
    return STAVE_OK;
}

int stave__roots_attributes_read(struct stave__roots_attributes *attributes,
                                 const struct stave__listing *listing, size_t index,
                                 stave_error *error)
{
    if (index >= attributes->from && index < attributes->end)
        return STAVE_OK;
    int status = attributes->serials == NULL ? open_reading(attributes, error) : STAVE_OK;
    return status < 0 ? status
                      : read_part(attributes, listing, index, end_of_part(listing, index), error);
}

const stave_tree_detail *
stave__roots_attributes_of(const struct stave__roots_attributes *attributes, size_t index,
                           uint32_t *count)
{
    return stave__details_of(&attributes->details, (uint32_t)(index - attributes->from), count);
}

void stave__roots_attributes_close(struct stave__roots_attributes *attributes)
{
    stave__details_free(&attributes->details);
    if (attributes->serials != NULL)
        stave__reading_close(&attributes->reading);
    free(attributes->serials);
    attributes->serials = NULL;
}
