#include "analyze/tree_details.h"

#include "analyze/reading.h"
#include "base/error.h"

static bool list_owners(struct stave__search *search, const struct stave__detailing *detailing)
{
    if (!stave__search_open(search, detailing->count))
        return false;
    for (uint32_t i = 0; i < detailing->count; i++) {
        const stave_tree_node *node = &detailing->nodes[i];
        if (!node->cumulative && node->depth < detailing->levels)
            stave__search_add(search, node->lane, node->serial, i);
    }
    stave__search_sort(search);
    return true;
}

/* Blocks of a lane and kind stand in the order of their rows. */
static int read_kind(struct stave__search *search, struct stave__reading *reading, uint32_t kind,
                     stave_error *error)
{
    for (uint32_t i = 0; i < reading->count; i++) {
        const struct stave__choice *choice = &reading->choices[i];
        if (choice->kind != kind || !stave__search_wants(search, choice->lane, 0, UINT64_MAX))
            continue;
        int status = stave__reading_show(reading, i, error);
        if (status > 0 && !stave__search_take(search, &reading->block))
            status = stave__fail_memory(error);
        if (status < 0)
            return status;
    }
    return STAVE_OK;
}

static int read_all(struct stave__search *search, const struct stave__detailing *detailing,
                    stave_error *error)
{
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

int stave__tree_details_read(struct stave__details *details,
                             const struct stave__detailing *detailing, stave_error *error)
{
    struct stave__search search = {0};
    int status = list_owners(&search, detailing) ? read_all(&search, detailing, error)
                                                 : stave__fail_memory(error);
    if (status >= 0 && !stave__search_finish(&search, detailing->count, details))
        status = stave__fail_memory(error);
    stave__search_free(&search);
    return status;
}
