/* Nodes that would be below themselves. */
#include <stdlib.h>

#include "base/error.h"
#include "report/layout.h"
#include "report/room.h"

enum { NEW, ON_THE_WAY, DONE };

/* Those on a circle that have their place by `.parent` become roots, and all on it if none has. */
static void cut(struct stave__layout *layout, uint32_t first)
{
    bool is_declared = false;
    uint32_t at = first, next;
    do {
        is_declared = is_declared || layout->place[at] == STAVE_PLACE_PARENT;
        at = layout->parent[at];
    } while (at != first);
    do {
        next = layout->parent[at];
        if (!is_declared || layout->place[at] == STAVE_PLACE_PARENT) {
            layout->parent[at] = STAVE_NONE;
            layout->place[at] = STAVE_PLACE_ROOT;
            layout->circles += layout->model->rows[at].kind == STAVE__EVALUATION;
        }
        at = next;
    } while (at != first);
}

/* From a row up to what was seen before: a circle if that was just now. */
static void go_up(struct stave__layout *layout, uint8_t *seen, uint32_t row)
{
    uint32_t at = row;
    for (; at != STAVE_NONE && seen[at] == NEW; at = layout->parent[at])
        seen[at] = ON_THE_WAY;
    uint32_t met = at != STAVE_NONE && seen[at] == ON_THE_WAY ? at : STAVE_NONE;
    for (at = row; at != STAVE_NONE && seen[at] == ON_THE_WAY; at = layout->parent[at])
        seen[at] = DONE;
    if (met != STAVE_NONE)
        cut(layout, met);
}

int stave__layout_cut(struct stave__layout *layout, stave_error *error)
{
    uint8_t *seen = calloc((size_t)layout->model->count + 1, sizeof *seen);
    if (seen == NULL)
        return stave__fail_memory(error);
    for (uint32_t i = 0; i < layout->model->count; i++)
        go_up(layout, seen, i);
    free(seen);
    return STAVE_OK;
}
